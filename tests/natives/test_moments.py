"""Dates and times that are numbers behave as those of the library, and branches on them are followed."""

from __future__ import annotations

import json
import operator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.languages.python.semantics import moments
from everypath.languages.python.semantics.registry import DECLINED
from tests.cli.command import everypath

DATETIMES = st.datetimes().map(lambda value: value.replace(fold=0))
TIMES = st.times().map(lambda value: value.replace(fold=0))
MOMENTS = st.one_of(st.dates(), DATETIMES, TIMES, st.timedeltas())
OPERATORS = {
    "+": operator.add, "-": operator.sub, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "*": operator.mul,
}  # fmt: skip
NOWHERE: Any = None
"""the state, which operations on known numbers do not ask"""


def _plain(value: object) -> object:
    return value.known(value.number) if isinstance(value, moments.Moment) else value


@given(MOMENTS)
def test_numbers_and_objects_are_translated_without_loss(value: object) -> None:
    moment = moments.measured(value)
    assert moment is not None and moment.kind == type(value).__name__
    assert _plain(moment) == value
    assert moment.truth() == bool(value)


@given(MOMENTS, st.one_of(MOMENTS, st.integers(-9, 9)), st.sampled_from(sorted(OPERATORS)))
def test_operators_agree_with_the_library(left: Any, right: Any, op: str) -> None:
    try:
        expected = OPERATORS[op](left, right)
    except (TypeError, OverflowError) as error:
        expected = type(error)
    try:
        found = moments.operate(NOWHERE, op, moments.measured(left), moments.measured(right) or right)
    except Exception as error:
        found = type(error) if not hasattr(error, "cls") else OverflowError
    # What is left to the library needs no comparing.
    if found is not DECLINED:
        assert _plain(found) == expected


@given(MOMENTS)
def test_parts_agree_with_the_library(value: Any) -> None:
    moment = moments.measured(value)
    assert moment is not None
    for (kind, name), part in moments._PARTS.items():
        if kind == moment.kind:
            assert part(moment.number) == getattr(value, name)
    for (kind, name), method in moments._METHODS.items():
        if kind == moment.kind:
            assert _plain(method(moment.number)) == getattr(value, name)()


@given(st.dates(), TIMES, st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_what_makes_moments_agrees_with_the_library(day: date, clock: time, first: int, second: int) -> None:
    made = moments.make(NOWHERE, "datetime.datetime.combine", (day, clock), {})  # type: ignore[arg-type]
    assert _plain(made) == datetime.combine(day, clock)
    span = moments.make(NOWHERE, "datetime.timedelta", (first,), {"minutes": second})
    assert _plain(span) == timedelta(first, minutes=second)


def test_what_has_a_time_zone_is_left_to_the_library() -> None:
    assert moments.measured(datetime(2024, 1, 1, tzinfo=UTC)) is None
    assert moments.measured(datetime(2024, 1, 1, fold=1)) is None


PROGRAM = """\
from datetime import date, datetime, time, timedelta

OPENS = time(8, 0)


def order(a: datetime, b: datetime) -> str:
    if a < b:
        return "before"
    return "same" if a == b else "after"


def long_enough(start: datetime, end: datetime, length: timedelta) -> int:
    if end - start >= length:
        return 1
    if length > timedelta(days=3) and end > start:
        return 2
    return 3


def free(day: date, holidays: frozenset[date]) -> bool:
    return day.weekday() >= 5 or day in holidays


def opened(at: datetime) -> int:
    if at.time() < OPENS:
        return 0
    if at.hour == 17 and at.minute > 30:
        return 1
    return 2


def leap(day: date) -> str:
    if day.month == 2 and day.day == 29:
        return "leap"
    if day.year < 1900:
        return "old"
    return ""


def left(span: timedelta) -> int:
    if not span:
        return 0
    if span.total_seconds() < 90:
        return 1
    return 2 if span.days > 2 else 3


def until(day: date | None, minutes: int) -> object:
    if day is None:
        return timedelta(minutes=minutes) > timedelta(hours=1)
    return datetime.combine(day, OPENS) - datetime(2024, 1, 1) == timedelta(days=2, hours=8)
"""
CASES = {"order": 3, "long_enough": 4, "free": 3, "opened": 4, "leap": 5, "left": 4, "until": 4}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    place = tmp_path_factory.mktemp("moments")
    (place / "sample.py").write_text(PROGRAM)
    result = everypath(place, "generate", "sample.py", "--format", "json", "-o", "-")
    assert result.code == 0, result
    found: dict[str, Any] = json.loads(result.out)
    return found


def test_both_sides_of_every_branch_on_dates_are_taken(suite: dict[str, Any]) -> None:
    counts = dict.fromkeys(CASES, 0)
    for case in suite["cases"]:
        counts[case["entry"]["name"]] += 1
    assert counts == CASES
    assert all(case["validated"] for case in suite["cases"])


def test_dates_are_written_as_people_write_them(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(PROGRAM)
    assert everypath(tmp_path, "generate", "sample.py::order").code == 0
    text = (tmp_path / "test_sample_generated.py").read_text()
    assert "datetime(2024, 1, 1, 12, 0)" in text
    assert "a_below_b_returns_before" in text
