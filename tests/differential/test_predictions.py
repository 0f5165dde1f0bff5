"""Programs on which a prediction was wrong once: each must give validated cases and no defect."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.options import Options

PROGRAMS = {
    "a concrete string in a template with a symbolic number": """
        def ordinal(n: int) -> str:
            return "{}{}".format(n, "th" if n > 3 else "rd")
        """,
    "types as values of a module": """
        from typing import Union
        Text = Union[str, bytes]
        def shout(text: str) -> str:
            if not text:
                return "?"
            return text + "!"
        """,
    "the name of a builtin class": """
        def kind(n: int) -> str:
            return type(n).__name__ if n else "zero"
        """,
    "a decorated function": """
        def doubled(function):
            def wrapper(n: int) -> int:
                return 2 * function(n)
            return wrapper

        @doubled
        def absolute(n: int) -> int:
            return n if n >= 0 else -n
        """,
    "an error raised inside a model": """
        def smallest(numbers: list[int]) -> int:
            return min(numbers)
        """,
    "module state that calls change": """
        counter = 0
        def count(step: int) -> int:
            global counter
            if step > 0:
                counter += step
            return counter
        """,
}


def _generate(tmp_path: Path, source: str, name: str = "") -> Run:
    lines = source.splitlines()[1:]
    margin = len(lines[0]) - len(lines[0].lstrip())
    file = tmp_path / "sample.py"
    file.write_text("\n".join(line[margin:] for line in lines) + "\n")
    return generate([f"{file}{name}"], Options())


@pytest.mark.parametrize("title", PROGRAMS)
def test_no_wrong_prediction(tmp_path: Path, title: str) -> None:
    run = _generate(tmp_path, PROGRAMS[title])
    assert [p for suite in run.suites for p in suite.problems] == []
    assert run.cases and all(case.validated for case in run.cases)


def test_an_error_inside_a_model_is_a_finding(tmp_path: Path) -> None:
    run = _generate(tmp_path, PROGRAMS["an error raised inside a model"])
    assert [case.finding.line for case in run.findings if case.finding] == [2]


def test_an_inherited_method_is_tested_on_the_class_that_inherits_it(tmp_path: Path) -> None:
    source = """
        class Base:
            def __init__(self, n: int) -> None:
                self.n = n
            def size(self) -> int:
                return self.n + self.extra()
            def extra(self) -> int:
                return 0

        class Double(Base):
            def extra(self) -> int:
                return self.n
        """
    run = _generate(tmp_path, source, "::Double.size")
    (case,) = run.cases
    (state,) = case.inputs.heap.values()
    assert getattr(state, "cls", "") == "Double"
