"""Branches that only later iterations take get a case although the bound on loops is lower."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.model import CallSuite, Returned
from everypath.explore.traces import branches_of
from everypath.generate.exploring import explore_entry, replay_case, single_entry
from everypath.languages.python.frontend import load_target
from everypath.languages.python.subject import method_of
from everypath.options import Options

CODE = """\
from __future__ import annotations


def third(items: list[int]) -> str:
    seen = 0
    for item in items:
        seen += 1
        if seen == 3:
            return "three"
    return "fewer"


def first(items: list[int]) -> bool:
    for item in items:
        return item > 0
    return False


class Node:
    def __init__(self, key: int, next: Node | None) -> None:
        self.key = key
        self.next = next


def last(node: Node) -> int:
    before = None
    while node.next is not None:
        if before is not None and before.key > node.key:
            return -1
        before, node = node, node.next
    return node.key
"""


def explored(folder: Path, name: str, select: str = "branches") -> tuple[CallSuite, set[str]]:
    """The cases, and the branches of the function that none of them takes."""
    file = folder / "sample.py"
    file.write_text(CODE)
    source = load_target(f"{file}::{name}")
    entry = single_entry(source, name)
    suite = CallSuite(name, {})
    options = Options(select=select)
    explore_entry(source, entry, options, suite)
    for case in suite.cases:
        state = replay_case(source, entry, options, case)
        assert (state.outcome is not None) and type(state.outcome).__name__ in ("Finished", "Uncaught")
    return suite, branches_of(source.program, method_of(source, entry)) - {
        taken for case in suite.cases for taken in case.covers
    }


@pytest.mark.parametrize("name", ["third", "last"])
def test_a_branch_of_a_later_iteration_is_taken(tmp_path: Path, name: str) -> None:
    suite, missing = explored(tmp_path, name)
    assert not missing
    assert suite.stats.cut["loop"] > 0
    extra = [case for case in suite.cases if case.start.bounds.loops > 1]
    assert len(extra) == 1


def test_only_what_takes_a_new_branch_is_added(tmp_path: Path) -> None:
    suite, _ = explored(tmp_path, "third")
    outcomes = [case.expected.outcome for case in suite.cases]
    # One within the bound, which takes all other branches, and one beyond it.
    assert len(outcomes) == 2
    assert all(isinstance(outcome, Returned) for outcome in outcomes)


def test_where_every_path_is_wanted_the_bound_holds(tmp_path: Path) -> None:
    suite, missing = explored(tmp_path, "third", "all")
    assert missing
    assert all(case.start.bounds.loops == 1 for case in suite.cases)


def test_within_the_bound_nothing_is_added(tmp_path: Path) -> None:
    suite, missing = explored(tmp_path, "first")
    assert not missing
    assert all(case.start.bounds.loops == 1 for case in suite.cases)
