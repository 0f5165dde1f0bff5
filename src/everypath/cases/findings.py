"""The findings among some cases: the same error at the same line is one, with the calls that bring it about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

from everypath.cases.call_text import call_text, size
from everypath.cases.model import CallCase, Case, Finding, Inputs, Place
from everypath.records import dataclass

_MOST_INPUTS = 3
"""At most this many inputs are listed; the others are counted."""
_Some = TypeVar("_Some", bound=Case[object, object, object])


@dataclass(frozen=True, slots=True)
class Group:
    """One finding."""

    finding: Finding
    cases: tuple[str, ...]
    """the ids of the cases that show it, the one with the smallest inputs first"""
    inputs: tuple[str, ...] = ()
    """the calls that cause it, in the same order; empty if it is not caused by calls"""


def grouped(cases: Iterable[_Some]) -> list[Group]:
    """The findings among some cases, each once, in the order of their first appearance."""
    places: dict[Place, list[_Some]] = {}
    for case in cases:
        if case.finding is not None:
            places.setdefault(case.finding.place, []).append(case)
    return [_group(found) for found in places.values()]


def _group(cases: list[_Some]) -> Group:
    if all(isinstance(case.inputs, Inputs) for case in cases):
        calls = sorted(cast("list[CallCase]", cases), key=size)
        finding = calls[0].finding
        inputs = tuple(dict.fromkeys(map(call_text, calls)))
        ids = tuple(case.id for case in calls)
    else:
        finding, inputs, ids = cases[0].finding, (), tuple(case.id for case in cases)
    assert finding is not None
    return Group(finding, ids, inputs)


def unreached(cases: Sequence[_Some]) -> list[Finding]:
    """The errors that callers are not known to cause, each once."""
    reached = {case.finding.place for case in cases if case.finding is not None}
    found: dict[Place, Finding] = {}
    for case in cases:
        if case.unreached is not None and case.unreached.place not in reached:
            found.setdefault(case.unreached.place, case.unreached)
    return list(found.values())


def reached_by(inputs: Sequence[str]) -> str:
    """The first few calls, and how many more there are."""
    more = len(inputs) - _MOST_INPUTS
    shown = "; ".join(inputs[:_MOST_INPUTS])
    return f"{shown}; and {more} more" if more > 0 else shown


def needed(finding: Finding) -> str:
    """Why an error is not a finding."""
    return f"not known to be within callers' reach: {', '.join(finding.needs)}"
