"""Floats: operators, builtins and the math module agree with CPython on every path."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import pytest

from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.languages.python.semantics import comparisons, operations
from everypath.logic import terms
from tests.natives.driver import call, check_models, check_values, follow, new_state

FLOATS = [-7.5, -2.5, -1.0, -0.5, 0.0, 0.1, 0.5, 1.0, 1.5, 2.5, 3.0, 1e16, 1e-200]
WHOLE = [-3, -1, 0, 1, 2, 7]
SINGLES = [(x,) for x in FLOATS]
PAIRS = [(x, y) for x in FLOATS for y in FLOATS]
MIXED = [(x, n) for x in FLOATS for n in WHOLE]
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def binary(op: str, left: Any, right: Any) -> Callable[[State], Any]:
    return lambda st: operations.binary(st, op, left, right, False)


def compared(op: str, left: Any, right: Any) -> Callable[[State], Any]:
    def run(st: State) -> Any:
        return decide(st.pc, comparisons.compare(st, op, left, right))

    return run


@pytest.mark.parametrize("op", OPERATORS)
def test_arithmetic(op: str) -> None:
    x, y, n = terms.float_var("x"), terms.float_var("y"), terms.int_var("n")
    function = OPERATORS[op]
    check_values(binary(op, x, y), function, [x, y], PAIRS)
    check_values(binary(op, x, n), function, [x, n], MIXED)
    check_values(binary(op, n, x), lambda a, b: function(b, a), [x, n], MIXED)
    check_values(binary(op, x, 2.5), lambda a: function(a, 2.5), [x], SINGLES)
    check_values(binary(op, 3, x), lambda a: function(3, a), [x], SINGLES)


def test_integers_divided() -> None:
    n, m, b = terms.int_var("n"), terms.int_var("m"), terms.bool_var("b")
    check_values(binary("/", n, m), operator.truediv, [n, m], [(a, b) for a in WHOLE for b in WHOLE])
    check_values(binary("/", b, n), operator.truediv, [b, n], [(a, b) for a in (True, False) for b in WHOLE])
    check_values(binary("+", b, 0.5), lambda a: a + 0.5, [b], [(True,), (False,)])


@pytest.mark.parametrize("op", RELATIONS)
def test_comparisons_are_exact(op: str) -> None:
    x, y, n = terms.float_var("x"), terms.float_var("y"), terms.int_var("n")
    large = [(float(2**53), 2**53 + 1), (float(2**53), 2**53), (1e300, 10**300), (-0.5, -(10**400))]
    check_values(compared(op, x, y), RELATIONS[op], [x, y], PAIRS)
    check_values(compared(op, x, n), RELATIONS[op], [x, n], [*MIXED, *large])
    check_values(compared(op, n, 2.5), lambda a: RELATIONS[op](a, 2.5), [n], [(a,) for a in WHOLE])
    check_values(compared(op, x, 2), lambda a: RELATIONS[op](a, 2), [x], SINGLES)
    check_values(compared(op, x, 2**53 + 1), lambda a: RELATIONS[op](a, 2**53 + 1), [x], [*SINGLES, (2.0**53,)])


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("abs", abs),
        ("int", int),
        ("float", float),
        ("bool", bool),
        ("round", round),
        ("math.floor", math.floor),
        ("math.ceil", math.ceil),
        ("math.trunc", math.trunc),
        ("math.sqrt", math.sqrt),
        ("math.fabs", math.fabs),
        ("math.radians", math.radians),
        ("math.degrees", math.degrees),
        ("float.is_integer", float.is_integer),
    ],
)
def test_functions_of_one_float(name: str, function: Callable[[float], Any]) -> None:
    x = terms.float_var("x")
    check_values(call(name, x), function, [x], SINGLES)


@pytest.mark.parametrize(
    ("name", "function"), [("math.isnan", math.isnan), ("math.isinf", math.isinf), ("math.isfinite", math.isfinite)]
)
def test_special_values(name: str, function: Callable[[float], Any]) -> None:
    x = terms.float_var("x")
    special = [(math.nan,), (math.inf,), (-math.inf,)]
    check_values(lambda st: decide(st.pc, call(name, x)(st)), function, [x], [*SINGLES, *special])


def test_functions_of_integers_that_give_floats() -> None:
    n = terms.int_var("n")
    whole = [(a,) for a in WHOLE]
    check_values(call("float", n), float, [n], whole)
    check_values(call("math.sqrt", n), math.sqrt, [n], whole)
    check_values(call("math.fabs", n), math.fabs, [n], whole)
    check_values(call("math.floor", n), math.floor, [n], whole)
    check_values(call("math.isnan", n), math.isnan, [n], whole)


def test_functions_of_two_floats() -> None:
    x, y = terms.float_var("x"), terms.float_var("y")
    check_values(call("divmod", x, y), divmod, [x, y], PAIRS)
    check_values(call("math.isclose", x, y), math.isclose, [x, y], PAIRS)
    named = {"rel_tol": 0.1, "abs_tol": 0.5}
    check_values(call("math.isclose", x, y, **named), lambda a, b: math.isclose(a, b, **named), [x, y], PAIRS)
    for name, function in (("min", min), ("max", max)):
        assert len(check_values(call(name, x, y, 0.5), lambda a, b, f=function: f(a, b, 0.5), [x, y], PAIRS)) == 1


def test_floats_from_text() -> None:
    s = terms.str_var("s")
    texts = [(t,) for t in ("12", "-3", "+4", "007", "x", "", "1.5", "-0.25", "1e3", "nan?")]
    paths = check_values(call("float", s), float, [s], texts)
    check_models([path for path in paths if path.fixed], float, [s])


def test_rounding_to_digits() -> None:
    x = terms.float_var("x")
    for digits in (0, 1, 2, -1):
        check_values(call("round", x, digits), lambda a, d=digits: round(a, d), [x], [*SINGLES, (2.675,)])


@pytest.mark.parametrize("exponent", [1, 2, 3, 2.0, 0.5])
def test_powers(exponent: float) -> None:
    x, n = terms.float_var("x"), terms.int_var("n")
    negative = [] if exponent == 0.5 else [-7.5, -2.5, -1.0, -0.5]
    check_values(
        binary("**", x, exponent), lambda a: a**exponent, [x], [(a,) for a in FLOATS if a >= 0 or a in negative]
    )
    check_values(binary("**", n, 0.5), lambda a: a**0.5, [n], [(a,) for a in WHOLE if a >= 0])


def test_what_has_no_term_is_tried_with_values_of_the_path() -> None:
    x = terms.float_var("x")
    st = new_state()
    st.pc.assume(terms.float_lt(10.0, x))  # type: ignore[arg-type]
    paths = follow(st, call("math.log", x))
    assert paths and all(path.fixed for path in paths)
    check_models(paths, math.log, [x])
    for name, function in (("str", str), ("repr", repr), ("math.exp", math.exp), ("float.hex", float.hex)):
        check_models(follow(new_state(), call(name, x)), function, [x])
    check_models(follow(new_state(), call("format", x, ".2f")), lambda a: format(a, ".2f"), [x])
    check_models(follow(new_state(), call("hash", x)), hash, [x])


def test_computed_values_are_fixed_by_their_inputs() -> None:
    x, y = terms.float_var("x"), terms.float_var("y")
    product = terms.float_mul(terms.float_sub(x, y), terms.float_add(x, 1.5))
    paths = follow(new_state(), call("math.exp", product))
    assert paths and all(path.fixed for path in paths)
    check_models(paths, lambda a, b: math.exp((a - b) * (a + 1.5)), [x, y])


def test_integers_that_are_too_large_are_the_error_of_the_language() -> None:
    n = terms.int_var("n")
    st = new_state()
    st.pc.assume(terms.gt(n, 10**400))  # type: ignore[arg-type]
    (path,) = follow(st, binary("*", n, 0.5))
    assert path.fault == ("OverflowError", ("int too large to convert to float",))
