"""Values as text."""

from __future__ import annotations

from typing import Any

import pytest

from everypath.explore.state import State
from everypath.languages.python.natives.exceptions import new_exception
from everypath.logic import terms
from tests.natives.driver import call, check_values, expected, follow, new_state, plain

VALUES: list[Any] = [
    0, -5, True, None, 2.5, "a'b", "x", b"q", (), (1,), (1, "a"), [], [1, [2, None]], {}, {"a": 1, 2: [3]}, set(), {4},
    range(3), range(1, 9, 2),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_text_of_concrete_values(value: Any) -> None:
    for name, function in (("str", str), ("repr", repr), ("format", format)):
        st = new_state()
        (path,) = follow(st, call(name, plain(st, value)))
        assert path.outcome({}) == expected(function, value)


X = terms.int_var("x")
B = terms.bool_var("b")
S = terms.str_var("s")
INTS = [(n,) for n in (-12, -1, 0, 7, 10, 123, 12345)]


@pytest.mark.parametrize("spec", ["", "d", "3", "<4", ">4d", "03", "04d", "*>5", "x=<6"])
def test_formatted_integers(spec: str) -> None:
    if spec == "x=<6":
        (path,) = follow(new_state(), call("format", X, spec))
        assert path.fault is not None and path.fault[0] == "ValueError"
        return
    check_values(call("format", X, spec), lambda x: format(x, spec), [X], INTS)


@pytest.mark.parametrize("spec", ["", "s", "3", ">4", "-<4s"])
def test_formatted_strings(spec: str) -> None:
    check_values(call("format", S, spec), lambda s: format(s, spec), [S], [("",), ("a",), ("abcde",)])


def test_symbolic_scalars() -> None:
    check_values(call("str", X), str, [X], INTS)
    check_values(call("repr", B), repr, [B], [(True,), (False,)])
    check_values(call("str", S), str, [S], [("",), ("it's",)])
    check_values(call("repr", S), repr, [S], [("",), ("abc",), ("it's",), ("\n",)])


def test_collections_of_symbolic_values() -> None:
    def run(st: State) -> Any:
        return call("str", plain(st, [X, (B,), {"k": X}]))(st)

    check_values(run, lambda x, b: str([x, (b,), {"k": x}]), [X, B], [(1, True), (-1, False)])


def test_parts_of_an_f_string() -> None:
    check_values(call("str_join_parts", "a", S, "b"), lambda s: f"a{s}b", [S], [("",), ("x",)])


@pytest.mark.parametrize(
    "exception", [ValueError(), ValueError("bad"), ValueError(1, "x"), KeyError("k"), KeyError(1, 2), IndexError(3)]
)
def test_text_of_exceptions(exception: Exception) -> None:
    for name, function in (("str", str), ("repr", repr)):
        st = new_state()
        ref = new_exception(st, type(exception).__name__, exception.args)
        (path,) = follow(st, call(name, ref))
        assert path.outcome({}) == expected(function, exception)


def test_text_that_differs_between_runs_is_refused() -> None:
    st = new_state()
    (path,) = follow(st, call("repr", st.heap.new_object("object")))
    assert "differs between runs" in path.stopped


def test_print_does_nothing() -> None:
    (path,) = follow(new_state(), call("print", X, sep=","))
    assert path.outcome({}) == ("value", None)
