"""Literals: exact, and in the spelling that formatters keep."""

from __future__ import annotations

import ast
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.languages.python.scripts.literals import literal


@given(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.binary()
    | st.floats(allow_nan=False, allow_infinity=False)
)
def test_a_literal_evaluates_to_its_value(value: None | bool | int | str | bytes | float) -> None:
    read = ast.literal_eval(literal(value))
    assert type(read) is type(value)
    assert repr(read) == repr(value)


@given(st.text(alphabet="'\"\\a\n"))
def test_quotes_survive(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text


@pytest.mark.parametrize(
    ("value", "source"),
    [
        ("it's", '"it\'s"'),
        ('say "x"', "'say \"x\"'"),
        ("'\"", '"\'\\""'),
        (b"it's", 'b"it\'s"'),
        (1e22, "1e22"),
        (-0.0, "-0.0"),
        (float("-inf"), 'float("-inf")'),
    ],
)
def test_spelling(value: str | bytes | float, source: str) -> None:
    assert literal(value) == source


def test_huge_integers_stay_readable_by_python() -> None:
    huge = 7**6_000
    assert ast.literal_eval(literal(huge)) == huge
    assert ast.literal_eval(literal(-huge)) == -huge


def test_not_a_number() -> None:
    assert math.isnan(eval(literal(float("nan"))))
