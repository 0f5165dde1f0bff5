"""Constructors of float terms: known values are computed as doubles are, nothing else is rearranged.

Arithmetic of floats rounds, so sums and products keep the order of the program. Inputs are finite and never -0.0; where
a condition asks whether one is infinite, not a number or -0.0, it may be that too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import cast

from everypath.logic.comparisons import and_, eq, ge, le, lt, not_
from everypath.logic.integers import BoolLike, IntLike, bool_to_int
from everypath.logic.nodes import Node, Term, Value, Var, make_float_node, rank
from everypath.logic.semantics import FLOAT_OPERATIONS
from everypath.logic.thresholds import LIMIT, above, below, chain, preimage

FloatLike = float | Term
NumberLike = int | float | Term


def float_var(name: str) -> Var:
    """A new unknown float."""
    return Var(name, "float")


def _operation(op: str, sort: str, *args: Term | Value) -> FloatLike:
    for arg in args:
        if isinstance(arg, Term):
            return make_float_node(op, sort, args)
    return FLOAT_OPERATIONS[op](*args)  # type: ignore[no-any-return]


def _sorted(a: FloatLike, b: FloatLike) -> tuple[FloatLike, FloatLike]:
    """The operands of a commutative operation in a fixed order, so that equal operations are one term."""
    if not isinstance(a, Term):
        return b, a
    return (b, a) if isinstance(b, Term) and rank(b) < rank(a) else (a, b)


def float_add(a: FloatLike, b: FloatLike) -> FloatLike:
    """a + b"""
    return _operation("fadd", "float", *_sorted(a, b))


float_sub: Callable[[FloatLike, FloatLike], FloatLike] = partial(_operation, "fsub", "float")
"""a - b"""
float_floordiv: Callable[[FloatLike, FloatLike], FloatLike] = partial(_operation, "ffloordiv", "float")
"""a // b; b is not zero."""
float_mod: Callable[[FloatLike, FloatLike], FloatLike] = partial(_operation, "fmod", "float")
"""a % b with the sign of b; b is not zero."""
float_sqrt: Callable[[FloatLike], FloatLike] = partial(_operation, "fsqrt", "float")
"""The square root; a is not negative."""
float_power: Callable[[FloatLike, float], FloatLike] = partial(_operation, "fpow", "float")
"""a ** exponent for a known exponent, where the result is a float and not too large."""
float_round: Callable[[FloatLike, int], FloatLike] = partial(_operation, "fround", "float")
"""round(a, digits)"""


def _to_whole(op: str, a: FloatLike) -> IntLike:
    return cast(IntLike, _operation(op, "int", a))


float_trunc: Callable[[FloatLike], IntLike] = partial(_to_whole, "ftrunc")
"""The integer next to a finite float on the way to zero."""
float_floor: Callable[[FloatLike], IntLike] = partial(_to_whole, "ffloor")
"""The largest integer up to a finite float."""
float_ceil: Callable[[FloatLike], IntLike] = partial(_to_whole, "fceil")
"""The smallest integer from a finite float on."""
float_nearest: Callable[[FloatLike], IntLike] = partial(_to_whole, "fnearest")
"""The integer nearest to a finite float, the even one of two."""


def float_mul(a: FloatLike, b: FloatLike) -> FloatLike:
    """a * b"""
    a, b = _sorted(a, b)
    return a if b.__class__ is float and b == 1.0 else _operation("fmul", "float", a, b)


def float_div(a: FloatLike, b: FloatLike) -> FloatLike:
    """a / b; b is not zero."""
    return a if b.__class__ is float and b == 1.0 else _operation("fdiv", "float", a, b)


def float_neg(a: FloatLike) -> FloatLike:
    """-a"""
    if isinstance(a, Node) and a.op == "fneg":
        return a.args[0]  # type: ignore[return-value]
    return _operation("fneg", "float", a)


def float_abs(a: FloatLike) -> FloatLike:
    """The absolute value."""
    return a if isinstance(a, Node) and a.op == "fabs" else _operation("fabs", "float", a)


def int_to_float(a: IntLike) -> FloatLike:
    """The float nearest to an integer that is not too large."""
    if isinstance(a, Term) and a.sort == "bool":
        a = bool_to_int(a)
    return _operation("float_of_int", "float", a)


def int_div(a: IntLike, b: IntLike) -> FloatLike:
    """a / b of integers, rounded once; b is not zero."""
    if not isinstance(b, Term) and b == 1:
        return int_to_float(a)
    return _operation("true_div", "float", a, b)


def is_nan(a: NumberLike) -> BoolLike:
    """Whether a number is NaN."""
    return _special("isnan", a)


def is_inf(a: NumberLike) -> BoolLike:
    """Whether a number is infinite."""
    return _special("isinf", a)


def is_negative_zero(a: NumberLike) -> BoolLike:
    """Whether a number is -0.0, which compares equal to 0.0 but has a sign."""
    if not isinstance(a, Term):
        return bool(FLOAT_OPERATIONS["fnegzero"](a))
    return a.sort == "float" and a.op not in ("float_of_int", "fabs") and make_float_node("fnegzero", "bool", (a,))


def is_finite(a: NumberLike) -> BoolLike:
    """Whether a number is neither infinite nor NaN."""
    return and_(not_(is_nan(a)), not_(is_inf(a)))


def _special(op: str, a: NumberLike) -> BoolLike:
    if not isinstance(a, Term):
        return bool(FLOAT_OPERATIONS[op](a))
    # Integers that become floats are small enough.
    if a.sort != "float" or a.op in ("float_of_int", "true_div"):
        return False
    if a.op in ("fneg", "fabs"):
        return _special(op, a.args[0])  # type: ignore[attr-defined]
    return make_float_node(op, "bool", (a,))


def float_lt(a: NumberLike, b: NumberLike) -> BoolLike:
    """a < b of numbers, exact also between integers and floats."""
    return _compare("flt", a, b)


def float_le(a: NumberLike, b: NumberLike) -> BoolLike:
    """a <= b of numbers, exact also between integers and floats."""
    return _compare("fle", a, b)


def float_eq(a: NumberLike, b: NumberLike) -> BoolLike:
    """a == b of numbers, exact also between integers and floats."""
    return _compare("feq", a, b)


_OF_INTEGERS = {"flt": lt, "fle": le, "feq": eq}


def _compare(op: str, a: NumberLike, b: NumberLike) -> BoolLike:
    if not isinstance(a, Term) and not isinstance(b, Term):
        return bool(FLOAT_OPERATIONS[op](a, b))
    a, b = _number(a), _number(b)
    if a is b:
        return False if op == "flt" else not_(is_nan(a))
    if _whole(a) and _whole(b):
        return _OF_INTEGERS[op](a, b)  # type: ignore[arg-type]
    if not isinstance(b, Term) or not isinstance(a, Term):
        return _with_constant(op, a, b)
    if op == "feq" and rank(b) < rank(a):
        a, b = b, a
    return make_float_node(op, "bool", (a, b))


def _number(a: NumberLike) -> NumberLike:
    if isinstance(a, Term):
        return bool_to_int(a) if a.sort == "bool" else a
    return int(a) if isinstance(a, bool) else a


def _whole(a: NumberLike) -> bool:
    return a.sort == "int" if isinstance(a, Term) else isinstance(a, int)


def _with_constant(op: str, a: NumberLike, b: NumberLike) -> BoolLike:
    term, constant = (a, b) if isinstance(a, Term) else (b, a)
    assert isinstance(term, Term) and not isinstance(constant, Term)
    exact: float = FLOAT_OPERATIONS["float_of_int"](constant) if isinstance(constant, int) else constant
    if math.isnan(exact):
        return False
    if term.sort == "int" and isinstance(constant, float) and math.isinf(constant):
        # However large an integer is, it lies between the two infinities.
        return op != "feq" and (constant > 0) == (term is a)
    if term.sort == "int" and isinstance(constant, float):
        return _whole_with_fraction(op, term, constant, term is a)
    if exact != constant:
        # An integer between two floats: neither is equal to it.
        if op == "feq":
            return False
        op = "fle" if (exact < constant) == (term is a) else "flt"
    around = _around(op, exact, term is a)
    if around is None:
        return False
    if chain(term)[0].sort == "int":
        return _integer_within(term, *around)
    if op == "feq":
        return make_float_node(op, "bool", (term, exact))
    return make_float_node(op, "bool", (term, exact) if term is a else (exact, term))


def _whole_with_fraction(op: str, term: Term, constant: float, first: bool) -> BoolLike:
    """An integer, which is not rounded for that, compared with a finite float."""
    if op == "feq":
        return eq(term, int(constant)) if constant.is_integer() else False
    # The integers on the side of the term begin or end with the one next to the constant.
    if first:
        return lt(term, math.ceil(constant)) if op == "flt" else le(term, math.floor(constant))
    return lt(math.floor(constant), term) if op == "flt" else le(math.ceil(constant), term)


def _around(op: str, constant: float, first: bool) -> tuple[float, float] | None:
    """The floats, from the least to the greatest, that compare like this with a constant."""
    if op == "feq":
        return constant, constant
    if first:
        if op == "fle":
            return -math.inf, constant
        return None if constant == -math.inf else (-math.inf, below(constant))
    if op == "fle":
        return constant, math.inf
    return None if constant == math.inf else (above(constant), math.inf)


def bounds_of(condition: Node) -> tuple[Term, float, float] | None:
    """The term that a condition compares with a constant, and the floats between which it lies if the condition
    holds.
    """
    if condition.op not in ("flt", "fle", "feq"):
        return None
    a, b = condition.args
    if isinstance(a, Term) == isinstance(b, Term):
        return None
    term, constant = (a, b) if isinstance(a, Term) else (b, a)
    if not isinstance(constant, float):
        return None
    around = _around(condition.op, constant, term is a)
    return None if around is None else (term, *around)  # type: ignore[return-value]


def outside_of(condition: Node) -> tuple[Term, float, float] | None:
    """The same for the negation of an order relation, provided that the term is not NaN."""
    found = bounds_of(condition)
    if found is None or condition.op == "feq":
        return None
    term, low, high = found
    return (term, above(high), math.inf) if low == -math.inf else (term, -math.inf, below(low))


def _integer_within(term: Term, low: float, high: float) -> BoolLike:
    """The condition on an integer under which a float that depends on it lies within bounds."""
    found = preimage(term, low, high)
    if found is None:
        return False
    root, first, last = found
    least = None if first == -LIMIT else int(first)
    most = None if last == LIMIT else int(last)
    if least is not None and least == most:
        return eq(root, least)
    return and_(True if least is None else ge(root, least), True if most is None else le(root, most))
