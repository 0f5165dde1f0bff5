"""Functions of the math module, and methods of floats, on numbers that may be symbolic.

What has no term (`sin`, `log`, ...) is computed by the real function on known values.
"""

from __future__ import annotations

import math

from everypath.explore.signals import Invoke
from everypath.explore.state import State
from everypath.heap.equality import as_int, is_float, sort_of
from everypath.heap.values import Value
from everypath.languages.python.natives.table import symbolic
from everypath.languages.python.semantics import floating
from everypath.languages.python.semantics.kinds import user_method
from everypath.logic import terms
from everypath.logic.terms import Term

_WHOLE = {
    "math.floor": ("__floor__", terms.float_floor),
    "math.ceil": ("__ceil__", terms.float_ceil),
    "math.trunc": ("__trunc__", terms.float_trunc),
}


def _register_conversions() -> None:
    for name, (method, convert) in _WHOLE.items():

        def whole(st: State, value: Value, method: str = method, convert: object = convert) -> Value:
            if is_float(value):
                return floating.whole(st, value, convert)  # type: ignore[arg-type]
            if sort_of(value) == "number":
                return as_int(value)
            own = user_method(st, value, method)
            if own is not None:
                raise Invoke(own, [value])
            return NotImplemented

        symbolic(name)(whole)


_register_conversions()


def _is_number(value: Value) -> bool:
    return sort_of(value) == "number"


@symbolic("math.sqrt")
def square_root(st: State, value: Value) -> Value:
    """`math.sqrt(value)`"""
    return floating.square_root(st, value) if _is_number(value) else NotImplemented


@symbolic("math.fabs")
def absolute(st: State, value: Value) -> Value:
    """`math.fabs(value)`"""
    return terms.float_abs(floating.to_float(st, value)) if _is_number(value) else NotImplemented


@symbolic("math.radians")
def radians(st: State, value: Value) -> Value:
    """`math.radians(value)`, one multiplication as in CPython."""
    return terms.float_mul(floating.to_float(st, value), math.pi / 180.0) if _is_number(value) else NotImplemented


@symbolic("math.degrees")
def degrees(st: State, value: Value) -> Value:
    """`math.degrees(value)`, one multiplication as in CPython."""
    return terms.float_mul(floating.to_float(st, value), 180.0 / math.pi) if _is_number(value) else NotImplemented


@symbolic("math.isnan")
def is_nan(st: State, value: Value) -> Value:
    """`math.isnan(value)`"""
    return terms.is_nan(as_int(value)) if _is_number(value) else NotImplemented


@symbolic("math.isinf")
def is_inf(st: State, value: Value) -> Value:
    """`math.isinf(value)`"""
    return terms.is_inf(as_int(value)) if _is_number(value) else NotImplemented


@symbolic("math.isfinite")
def is_finite(st: State, value: Value) -> Value:
    """`math.isfinite(value)`"""
    return terms.is_finite(as_int(value)) if _is_number(value) else NotImplemented


@symbolic("math.isclose")
def is_close(st: State, a: Value, b: Value, *, rel_tol: Value = 1e-09, abs_tol: Value = 0.0) -> Value:
    """`math.isclose(a, b)`"""
    numbers = (a, b, rel_tol, abs_tol)
    if not all(map(_is_number, numbers)) or any(isinstance(n, Term) or n < 0 for n in (rel_tol, abs_tol)):
        return NotImplemented
    return floating.is_close(*(floating.to_float(st, number) for number in numbers))


@symbolic("float.is_integer")
def is_integer(st: State, value: Value) -> Value:
    """`value.is_integer()`"""
    return floating.is_whole(value) if isinstance(value, Term) and is_float(value) else NotImplemented


@symbolic("float.conjugate")
def conjugate(st: State, value: Value) -> Value:
    """`value.conjugate()`"""
    return value if is_float(value) else NotImplemented
