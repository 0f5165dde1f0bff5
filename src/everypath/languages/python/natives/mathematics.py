"""Functions of the math module, and methods of floats, on numbers that may be symbolic.

What has no term (`sin`, `log`, ...) is computed by the real function on known values.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from everypath.explore.signals import Invoke
from everypath.explore.state import State
from everypath.heap.equality import as_int, is_float, sort_of
from everypath.heap.values import Value
from everypath.languages.python.natives.table import symbolic
from everypath.languages.python.semantics import floating
from everypath.languages.python.semantics.kinds import user_method
from everypath.languages.python.semantics.registry import DECLINED
from everypath.logic import terms
from everypath.logic.terms import FloatLike, IntLike, Term

_Conversion = Callable[[FloatLike], IntLike]
_WHOLE: dict[str, tuple[str, _Conversion]] = {
    "math.floor": ("__floor__", terms.float_floor),
    "math.ceil": ("__ceil__", terms.float_ceil),
    "math.trunc": ("__trunc__", terms.float_trunc),
}


def _register_conversions() -> None:
    for name, (method, convert) in _WHOLE.items():

        def whole(st: State, value: Value, method: str = method, convert: _Conversion = convert) -> Value:
            if is_float(value):
                return floating.whole(st, value, convert)
            if sort_of(value) == "number":
                return as_int(value)
            own = user_method(st, value, method)
            if own is not None:
                raise Invoke(own, [value])
            return DECLINED

        symbolic(name)(whole)


_register_conversions()


def _is_number(value: Value) -> bool:
    return sort_of(value) == "number"


@symbolic("math.sqrt")
def square_root(st: State, value: Value) -> Value:
    """`math.sqrt(value)`"""
    return floating.square_root(st, value) if _is_number(value) else DECLINED


@symbolic("math.fabs")
def absolute(st: State, value: Value) -> Value:
    """`math.fabs(value)`"""
    return terms.float_abs(floating.to_float(st, value)) if _is_number(value) else DECLINED


@symbolic("math.radians")
def radians(st: State, value: Value) -> Value:
    """`math.radians(value)`, one multiplication as in CPython."""
    return terms.float_mul(floating.to_float(st, value), math.pi / 180.0) if _is_number(value) else DECLINED


@symbolic("math.degrees")
def degrees(st: State, value: Value) -> Value:
    """`math.degrees(value)`, one multiplication as in CPython."""
    return terms.float_mul(floating.to_float(st, value), 180.0 / math.pi) if _is_number(value) else DECLINED


@symbolic("math.isnan")
def is_nan(st: State, value: Value) -> Value:
    """`math.isnan(value)`"""
    return terms.is_nan(as_int(value)) if _is_number(value) else DECLINED


@symbolic("math.isinf")
def is_inf(st: State, value: Value) -> Value:
    """`math.isinf(value)`"""
    return terms.is_inf(as_int(value)) if _is_number(value) else DECLINED


@symbolic("math.isfinite")
def is_finite(st: State, value: Value) -> Value:
    """`math.isfinite(value)`"""
    return terms.is_finite(as_int(value)) if _is_number(value) else DECLINED


@symbolic("math.isclose")
def is_close(st: State, a: Value, b: Value, *, rel_tol: Value = 1e-09, abs_tol: Value = 0.0) -> Value:
    """`math.isclose(a, b)`"""
    if not isinstance(rel_tol, (int, float)) or not isinstance(abs_tol, (int, float)):
        return DECLINED
    if rel_tol < 0 or abs_tol < 0 or not _is_number(a) or not _is_number(b):
        return DECLINED
    left, right = floating.to_float(st, a), floating.to_float(st, b)
    return floating.is_close(left, right, floating.to_float(st, rel_tol), floating.to_float(st, abs_tol))


@symbolic("float.is_integer")
def is_integer(st: State, value: Value) -> Value:
    """`value.is_integer()`"""
    return floating.is_whole(value) if isinstance(value, Term) and value.sort == "float" else DECLINED


@symbolic("float.conjugate")
def conjugate(st: State, value: Value) -> Value:
    """`value.conjugate()`"""
    return value if is_float(value) else DECLINED
