"""Where a path has stopped is a place in the method that it was in, however it came to stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.explore.outcomes import Cut, NotSupported, Undecided
from everypath.explore.search.guidance.reach import positions
from everypath.explore.search.starts import begin
from everypath.languages.every import language_of
from everypath.options import Limits, Options
from everypath.paths import OpenInputs, bounds_of

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAMS = sorted(p for room in ("", "papers", "structures") for p in (EXAMPLES / room).glob("*.py"))
CALLING = """\
def make(width: int = 1, height: int = 2) -> int:
    if width > height:
        return 1
    return 2


def build(path: str, **options: int) -> int:
    if path:
        found = 1
    else:
        found = 2
    return make(**options) + found


def pick(path: str) -> bool:
    if path == "x":
        return True
    if path == "y":
        return True
    return False


def top(path: str, given: dict[str, int]) -> int:
    if pick(path):
        return 0
    return build(path, **given)


class Row:
    def __init__(self, size: int, above: "Row | None") -> None:
        self.size = size
        self.above = above

    def __len__(self) -> int:
        return self.size if self.above is None else len(self.above)


def wide(row: Row) -> int:
    total = 0
    while row:
        total += 1
        row.size -= 1
    return total
"""


def check(target: str, heap: str) -> None:
    options = Options(limits=Limits(time=5), heap=heap, validate=False)
    loaded = language_of(target).loader(options)(target)
    for entry in loaded.entries:
        if entry.problems:
            continue
        begun = begin(loaded.subject(entry), options, OpenInputs(bounds_of(options.limits)))
        for number, found in enumerate(begun.paths()):
            # A path that a bound stops at a branch is its choices and its trace only.
            stopped = isinstance(found.state.outcome, (Cut, NotSupported, Undecided)) and hasattr(found.state, "frame")
            if stopped and found.state.frame is not None:
                for method, label, index in positions(found.state):
                    assert index <= len(method.blocks[label].instructions), (entry.qualname, label, index)
            if number > 300:
                break


@pytest.mark.parametrize("heap", ("solver", "lazy", "noalias"))
def test_calls_of_calls(tmp_path: Path, heap: str) -> None:
    (tmp_path / "calling.py").write_text(CALLING)
    check(str(tmp_path / "calling.py"), heap)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_examples(program: Path) -> None:
    check(str(program), "solver")
