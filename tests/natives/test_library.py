"""Library code that runs as it is, special methods called by name, and copying: the same as on CPython."""

from __future__ import annotations

import copy
import re
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as hs

from everypath.explore.state import State
from everypath.languages.python.natives.library import call_library, call_method, operate, read_attribute
from everypath.languages.python.natives.patterns import examples
from everypath.languages.python.semantics.host_objects import is_foreign, library_function
from everypath.languages.python.semantics.registry import NATIVES
from everypath.logic import terms
from tests.natives.driver import call, check_models, expected, follow, new_state, plain

S = terms.str_var("s")
X = terms.int_var("x")
PATTERNS = [
    r"\d+",
    r"(\w+)-(\w+)$",
    r"a|bc|",
    r"[^a-z]x?",
    r"(?P<q>['\"]).*(?P=q)",
    r"^\s*#",
    r"[A-Z][a-z]*",
    "(ab){2,3}",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("method", ["match", "search", "fullmatch"])
def test_examples_are_matched(pattern: str, method: str) -> None:
    for form in (pattern, re.compile(pattern)):
        found = examples(form, method)
        assert all(getattr(re, method)(pattern, text) for text in found)
    assert examples(pattern, "search")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_symbolic_text_is_matched_and_not_matched(pattern: str) -> None:
    def run(st: State) -> Any:
        found = call_library(st, "re.search", re.search, (pattern, S), {})
        return found is not None

    paths = follow(new_state(), run)
    assert all(path.fixed for path in paths)
    assert True in {path.value for path in paths}
    check_models(paths, lambda text: re.search(pattern, text) is not None, [S])


CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("re.sub", ("a", "b", "banana")),
    ("re.findall", (r"\d", "a1b2")),
    ("re.split", (",", "a,b")),
    ("json.dumps", ({"a": [1, None]},)),
    ("json.loads", ("[1, {}]",)),
    ("os.path.join", ("a", "b")),
    ("datetime.date", (2023, 2, 29)),
    ("datetime.date.fromordinal", (3,)),
    ("decimal.Decimal", ("1.10",)),
    ("fractions.Fraction", (1, 0)),
    ("unicodedata.name", ("a",)),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_library_functions(name: str, arguments: tuple[Any, ...]) -> None:
    function = library_function(name)
    assert function is not None
    st = new_state()
    values = tuple(plain(st, argument) for argument in arguments)
    (path,) = follow(st, lambda state: call_library(state, name, function, values, {}))
    wanted = expected(function, *arguments)
    if path.fault is not None:
        assert path.fault[0] == wanted[1]
    elif is_foreign(path.value):
        assert path.value == wanted[1]
    else:
        assert path.outcome({}) == wanted


@pytest.mark.parametrize(
    ("name", "argument", "raised"),
    [
        ("re.compile", "(", "re.error"),
        ("json.loads", "[", "json.decoder.JSONDecodeError"),
        ("decimal.Decimal", "x", "decimal.InvalidOperation"),
    ],
)
def test_exceptions_of_the_library_are_exceptions_of_the_program(name: str, argument: str, raised: str) -> None:
    function = library_function(name)
    assert function is not None
    state = new_state()
    (path,) = follow(state, lambda st: call_library(st, name, function, (argument,), {}))
    assert path.fault is not None and path.fault[0].replace("PatternError", "error") == raised
    assert "Exception" in state.heap.inputs.program.mro(path.fault[0])


def test_what_depends_on_the_clock_is_not_run() -> None:
    assert library_function("datetime.date.today") is None
    assert library_function("os.remove") is None and library_function("time.time") is None


def test_library_objects() -> None:
    import datetime

    day = datetime.date(2024, 2, 28)
    st = new_state()
    assert read_attribute(st, day, "year") == 2024
    assert call_method(st, day, "isoformat", (), {}) == "2024-02-28"
    assert operate(st, "<", day, datetime.date(2025, 1, 1)) is True
    assert operate(st, "-", day, datetime.date(2024, 2, 27)) == datetime.timedelta(1)
    (wrong,) = follow(st, lambda state: operate(state, "+", day, 1))
    assert wrong.fault is not None and wrong.fault[0] == "TypeError"
    (missing,) = follow(st, lambda state: call_method(state, day, "nothing", (), {}))
    assert missing.fault is not None and missing.fault[0] == "AttributeError"


def test_a_symbolic_argument_is_fixed() -> None:
    function = library_function("datetime.date.fromordinal")
    assert function is not None
    paths = follow(new_state(), lambda st: call_library(st, "datetime.date.fromordinal", function, (X,), {}))
    assert len(paths) > 1 and all(path.fixed for path in paths)
    assert {path.fault is None for path in paths} == {True, False}


SPECIAL: list[tuple[Any, str, tuple[Any, ...]]] = [
    ([1, 2], "__len__", ()),
    ([1, 2], "__contains__", (2,)),
    ({"a": 1}, "__getitem__", ("a",)),
    ({"a": 1}, "__getitem__", ("b",)),
    ({1, 2}, "__contains__", (3,)),
    ("abc", "__contains__", ("b",)),
    ("abc", "__getitem__", (5,)),
    (3, "__add__", (4,)),
    (3, "__lt__", (4,)),
    ([1], "__eq__", ([1],)),
    ((1, 2), "__len__", ()),
    (3, "__str__", ()),
    ("a", "__repr__", ()),
    (0, "__bool__", ()),
]


@pytest.mark.parametrize(("value", "name", "arguments"), SPECIAL)
def test_special_methods_called_by_name(value: Any, name: str, arguments: tuple[Any, ...]) -> None:
    st = new_state()
    kind = type(value).__name__
    assert f"{kind}.{name}" in NATIVES
    (path,) = follow(st, call(f"{kind}.{name}", plain(st, value), *(plain(st, a) for a in arguments)))
    wanted = expected(getattr(value, name), *arguments)
    assert path.outcome({})[:2] == wanted[:2]


NESTED = hs.recursive(
    hs.integers(0, 3), lambda inner: hs.lists(inner, max_size=3) | hs.tuples(inner, inner), max_leaves=6
)


@settings(max_examples=60, deadline=None)
@given(NESTED)
def test_copies(value: Any) -> None:
    for name, function in (("copy.copy", copy.copy), ("copy.deepcopy", copy.deepcopy)):
        st = new_state()
        original = plain(st, value)
        (path,) = follow(st, call(name, original))
        assert path.outcome({}) == expected(function, value)
        assert (path.value is original) == (not isinstance(value, list)) or isinstance(value, tuple)


def test_texts_that_look_like_patterns_warn_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert examples("[[a]", "match")


def test_a_negative_span_is_written_by_its_opposite() -> None:
    import datetime

    from everypath.languages.python.solving.describer import written

    for span in (
        datetime.timedelta(microseconds=-1),
        datetime.timedelta(days=-2, hours=1),
        datetime.timedelta(hours=1),
    ):
        expression = written(span)
        assert expression is not None
        assert eval(expression.expression, {"datetime": datetime}) == span
        assert "days=-" not in expression.expression
