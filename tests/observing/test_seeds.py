"""Inputs that symbolic execution has solved are where the search begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everypath.errors import Unsupported
from everypath.generate.run import generate
from everypath.languages.python.observing.candidates import read_candidate
from everypath.languages.python.observing.seeds import seed_of, seeds_of
from everypath.languages.python.probing.expressions import evaluate, from_data, to_data
from everypath.options import Limits, Options

SOURCE = """
from dataclasses import dataclass

@dataclass
class Line:
    name: str
    count: int

def total(lines: list[Line], factor: int, names: dict[str, int]) -> int:
    result = 0
    for line in lines:
        if line.count > 37 and line.name in names:
            result += line.count * factor
    return result

class Box:
    def __init__(self, size: int) -> None:
        self.size = size
    def grow(self, by: int) -> int:
        if by + self.size == 99:
            return 0
        return self.size + by
"""


def test_a_solved_input_is_the_same_call_as_an_expression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "subject_of_seeds.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    run = generate([str(tmp_path / "subject_of_seeds.py")], Options(limits=Limits(time=5)))
    cases: list[Any] = list(run.cases)
    assert len(cases) > 5
    assert len(seeds_of(cases)) > 3
    for case in cases:
        try:
            seed = seed_of(case)
        except Unsupported:
            continue
        assert from_data(to_data(seed)) == seed
        evaluate(seed)
        again = read_candidate(seed, case.entry, "")
        assert [kind for _, _, kind in again.inputs.arguments] == [kind for _, _, kind in case.inputs.arguments]
