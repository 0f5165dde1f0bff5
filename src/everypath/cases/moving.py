"""Moves results along with the code that they are about, when only its place in the file has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import cast

from everypath.cases.accounts import Stats
from everypath.cases.model import CallCase, Expected, Finding, Problem, Raised, SomeCase, SomeSuite
from everypath.records import replace

Move = Callable[[str, int], int]
"""The line where a line of a file is now; raises Unmovable for one that nobody knows."""
_BRANCH = re.compile(r"(.*):(\d+)->(-?\d+)")
_TELLS_LINES = re.compile(r"\blines? \d|\.\w+:\d+")


class Unmovable(Exception):
    """A result tells lines in a way that cannot be moved."""


def moved(suite: SomeSuite, move: Move) -> SomeSuite:
    """The suite with all its lines moved; Unmovable where that is not possible."""
    if suite.wanted or suite.dependences:
        raise Unmovable
    return replace(
        suite,
        cases=moved_cases(suite.cases, move),
        problems=_problems(suite.problems, move),
        stats=_stats(suite.stats, move),
        branches=tuple(_branch(each, move) for each in suite.branches),
    )


def moved_cases(cases: Iterable[SomeCase], move: Move) -> list[SomeCase]:
    """The cases with all their lines moved."""
    return [_case(case, move) for case in cases]


def _stats(stats: Stats, move: Move) -> Stats:
    return replace(
        stats, unsupported=_problems(stats.unsupported, move), concretised=_problems(stats.concretised, move)
    )


def _problems(problems: Iterable[Problem], move: Move) -> list[Problem]:
    return [
        replace(each, line=move(each.file, each.line), message=_plain(each.message)) if each.line else each
        for each in problems
    ]


def _case(case: SomeCase, move: Move) -> SomeCase:
    entry = case.entry
    return replace(
        case,
        entry=replace(entry, line=move(entry.file, entry.line)),
        expected=_expected(cast("CallCase", case), move),
        trace=tuple(replace(step, line=move(step.file, step.line)) for step in case.trace),
        covers=tuple(_branch(each, move) for each in case.covers),
        serves=tuple(map(_plain, case.serves)),
        condition=tuple(map(_plain, case.condition)),
        finding=_finding(case.finding, move),
        unreached=_finding(case.unreached, move),
    )


def _expected(case: CallCase, move: Move) -> Expected:
    outcome = case.expected.outcome
    if isinstance(outcome, Raised) and outcome.line:
        outcome = replace(outcome, line=move(case.entry.file, outcome.line))
        return replace(case.expected, outcome=outcome)
    return case.expected


def _finding(finding: Finding | None, move: Move) -> Finding | None:
    if finding is None or not finding.line:
        return finding
    return replace(finding, line=move(finding.file, finding.line), message=_plain(finding.message))


def _branch(text: str, move: Move) -> str:
    found = _BRANCH.fullmatch(text)
    if found is None:
        raise Unmovable
    file, start, end = found[1], int(found[2]), int(found[3])
    return f"{file}:{move(file, start)}->{move(file, end) if end > 0 else end}"


def _plain(text: str) -> str:
    if _TELLS_LINES.search(text):
        raise Unmovable
    return text
