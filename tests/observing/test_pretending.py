"""What stands in for a mock during a search answers like the mock that a test will hold."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock, Mock

import pytest

from everypath.languages.python.probing.expressions import place_of
from everypath.languages.python.probing.pretending import MagicPretended, Pretended
from everypath.workers.fence import TimedOut


def _entered(value: Any) -> Any:
    with value as inner:
        return inner


USES: dict[str, Callable[[Any], Any]] = {
    "attribute": lambda m: m.a.b,
    "call": lambda m: m(1, k=2).c(),
    "iteration": list,
    "length": len,
    "truth": bool,
    "int": int,
    "float": float,
    "complex": complex,
    "index": operator.index,
    "item": lambda m: m["k"],
    "assignment of an item": lambda m: operator.setitem(m, "k", 1),
    "membership": lambda m: 1 in m,
    "with": _entered,
    "sum": lambda m: m + 1,
    "sum from the right": lambda m: 1 + m,
    "sum in place": lambda m: operator.iadd(m, 1),
    "order": lambda m: m < 1,
    "order of two": lambda m: m >= m,
    "equality": lambda m: m == m,
    "negation": lambda m: -m,
    "floor": math.floor,
    "hash": lambda m: {m: 1}[m],
    "an unknown special attribute": lambda m: m.__wrapped__,
    "a misspelt assertion": lambda m: m.assert_it(),
    "called": lambda m: (m(), m.called, m.call_count)[1:],
}


def _seen(value: Any, use: Callable[[Any], Any]) -> object:
    try:
        given = use(value)
    except Exception as error:
        return type(error)
    return "another" if isinstance(given, (Mock, Pretended)) else given


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize(("mock", "pretended"), [(MagicMock, MagicPretended), (Mock, Pretended)])
def test_it_answers_as_a_mock_does(name: str, mock: type[Any], pretended: type[Any]) -> None:
    assert _seen(pretended(), USES[name]) == _seen(mock(), USES[name])


def test_what_is_given_counts() -> None:
    for kind in (MagicMock, MagicPretended):
        made: Any = kind(a=3, m=kind(return_value="x"), side_effect=[KeyError("k")].pop())
        assert (made.a, made.m()) == (3, "x")
        with pytest.raises(KeyError):
            made()
        assert isinstance(kind(spec=dict), dict)
        with pytest.raises(AttributeError):
            kind(spec=dict).absent  # noqa: B018


@pytest.mark.parametrize("machinery", [Pretended, MagicPretended, TimedOut, place_of])
def test_no_test_names_what_only_a_search_has(machinery: Any) -> None:
    assert place_of(machinery) is None
