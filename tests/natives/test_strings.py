"""Methods of strings: every path predicts what CPython does with a string that takes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as hs

from everypath.logic import terms
from tests.natives.driver import Path, call, check_models, check_values, expected, follow, new_state, plain

CONCRETE: list[tuple[str, tuple[Any, ...]]] = [
    ("upper", ("abc",)),
    ("title", ("a bc",)),
    ("split", ("a b  c",)),
    ("split", ("a,b", ",")),
    ("split", ("a", "")),
    ("strip", (" a ",)),
    ("replace", ("aba", "a", "")),
    ("index", ("abc", "z")),
    ("center", ("a", 5, "*")),
    ("format", ("{} {:>3}", 1, 2)),
    ("format", ("{} {}", 1)),
    ("zfill", ("-5", 4)),
    ("partition", ("a=b", "=")),
    ("encode", ("é",)),
    ("startswith", ("abc", ("x", "a"))),
    ("startswith", ("abc", 1)),
    ("find", ("abc", "c", -1)),
    ("splitlines", ("a\nb",)),
    ("rsplit", ("a b c", None, 1)),
    ("isidentifier", ("a1",)),
    ("translate", ("abc", {97: "x"})),
    ("join", (",", ["a", "b"])),
    ("join", (",", ["a", 1])),
    ("join", (",", 3)),
    ("join", ("-", "abc")),
    ("count", ("aaa", "a")),
]


@pytest.mark.parametrize(("name", "args"), CONCRETE, ids=str)
def test_concrete_strings_give_what_python_gives(name: str, args: tuple[Any, ...]) -> None:
    st = new_state()
    (path,) = follow(st, call(f"str.{name}", *(plain(st, a) for a in args)))
    assert path.outcome({}) == expected(getattr(str, name), *args)


S = terms.str_var("s")
T = terms.str_var("t")
TEXTS = ["", "a", "A", "ab", "ba", "aa", "aba", " a", "a ", "1", "-1", "a-b", "Z9", ",", "a,b", ",,", "  ", "\ta"]
ONE = [(t,) for t in TEXTS]
TWO = [(s, t) for s in ("", "a", "ab", "ba", "aba") for t in ("", "a", "b", "ba", "abab")]

ONE_ARGUMENT: list[tuple[str, tuple[Any, ...]]] = [
    ("startswith", ("a",)),
    ("startswith", (("a", "b"),)),
    ("startswith", ("b", 1)),
    ("endswith", ("a",)),
    ("endswith", (("a", "b", ""),)),
    ("find", ("a",)),
    ("find", ("a", 1)),
    ("find", ("a", -1)),
    ("find", ("a", 0, 2)),
    ("index", ("b",)),
    ("index", ("b", 1)),
    ("count", ("a",)),
    ("count", ("",)),
    ("replace", ("a", "xy")),
    ("replace", ("a", "", 1)),
    ("split", (",",)),
    ("split", (",", 1)),
    ("split", ("",)),
    ("split", ()),
    ("partition", (",",)),
    ("removeprefix", ("a",)),
    ("removesuffix", ("a",)),
    ("strip", ()),
    ("strip", ("a",)),
    ("lstrip", ()),
    ("rstrip", ("ab",)),
    ("lower", ()),
    ("upper", ()),
    ("capitalize", ()),
    ("isdigit", ()),
    ("isalpha", ()),
    ("isalnum", ()),
    ("isspace", ()),
    ("isupper", ()),
    ("islower", ()),
    ("isascii", ()),
    ("ljust", (3,)),
    ("rjust", (3, "*")),
    ("zfill", (3,)),
    ("rfind", ("a",)),
    ("rfind", ("aa",)),
    ("rindex", ("b",)),
    ("rpartition", (",",)),
    ("rsplit", (",",)),
    ("rsplit", (",", 1)),
    ("swapcase", ()),
]


@pytest.mark.parametrize(("name", "args"), ONE_ARGUMENT, ids=str)
def test_symbolic_receiver(name: str, args: tuple[Any, ...]) -> None:
    function = getattr(str, name)
    check_values(call(f"str.{name}", S, *args), lambda s: function(s, *args), [S], ONE)


@pytest.mark.parametrize("name", ["startswith", "endswith", "find", "index", "count", "partition", "removeprefix"])
def test_symbolic_receiver_and_argument(name: str) -> None:
    check_values(call(f"str.{name}", S, T), getattr(str, name), [S, T], TWO)


def test_join_of_symbolic_parts() -> None:
    check_values(lambda st: call("str.join", "-", plain(st, [S, "x", T]))(st), lambda s, t: f"{s}-x-{t}", [S, T], TWO)


X = terms.int_var("x")
TEMPLATES: list[tuple[str, tuple[Any, ...]]] = [
    ("%s=%d", (S, X)),
    ("%-4s|%4d|%%", (S, X)),
    ("%r %s", (X, X)),
    ("%s", (X,)),
    ("%d", (S,)),
    ("%s %s", (X,)),
    ("%s", (X, X)),
    ("%5.1f %s", (2.25, X)),
]


@pytest.mark.parametrize(("template", "values"), TEMPLATES, ids=str)
def test_percent(template: str, values: tuple[Any, ...]) -> None:
    def function(x: int, s: str) -> str:
        return template % tuple({X: x, S: s}.get(v, v) for v in values)

    check_values(call("str.__mod__", template, values), function, [X, S], [(1, "a"), (-5, ""), (123456, "it")])


def test_percent_with_names_and_plain_values() -> None:
    check_values(
        lambda st: call("str.__mod__", "%(k)s!", plain(st, {"k": X}))(st), lambda x: f"{x}!", [X], [(1,), (-5,)]
    )
    for template, values in (("%s-%03d", ("a", 5)), ("%(a)s", {"a": 1}), ("%s", [1]), ("%d", "x"), ("%s %s", 1)):
        st = new_state()
        (path,) = follow(st, call("str.__mod__", template, plain(st, values)))
        assert path.outcome({}) == expected(str.__mod__, template, values)


def test_format_fields() -> None:
    x = terms.int_var("x")
    check_values(call("str.format", "{}:{name}!", x, name=S), lambda x, s: f"{x}:{s}!", [x, S], [(1, "a"), (-5, "")])


METHODS: dict[str, tuple[tuple[Any, ...], Callable[[str], Any]]] = {
    "find": (("b",), lambda s: s.find("b")),
    "strip": ((), lambda s: s.strip()),
    "split": ((",",), lambda s: s.split(",")),
}


@cache
def _paths(name: str) -> list[Path]:
    return follow(new_state(), call(f"str.{name}", S, *METHODS[name][0]))


@settings(max_examples=60, deadline=None)
@given(hs.text("ab, ", max_size=3), hs.sampled_from(sorted(METHODS)))
def test_any_short_text(text: str, name: str) -> None:
    (path,) = (path for path in _paths(name) if path.accepts({S: text}))
    assert path.outcome({S: text}) == expected(METHODS[name][1], text)


def test_methods_without_a_term_fix_the_text() -> None:
    paths = follow(new_state(), call("str.title", S))
    assert len(paths) > 1 and all(path.fixed for path in paths)
    check_models(paths, str.title, [S])
