"""Functions of the math module, and methods of floats, on numbers that may be symbolic.

What has no term (`sin`, `log`, ...) is computed by the real function on known values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

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


def _whole(method: str, convert: _Conversion, st: State, value: Value) -> Value:
    if is_float(value):
        return floating.whole(st, value, convert)
    if sort_of(value) == "number":
        return as_int(value)
    own = user_method(st, value, method)
    if own is not None:
        raise Invoke(own, [value])
    return DECLINED


symbolic("math.floor")(partial(_whole, "__floor__", terms.float_floor))
symbolic("math.ceil")(partial(_whole, "__ceil__", terms.float_ceil))
symbolic("math.trunc")(partial(_whole, "__trunc__", terms.float_trunc))


def _is_number(value: Value) -> bool:
    return sort_of(value) == "number"


_OF_NUMBERS: dict[str, Callable[[State, Value], Value]] = {
    "sqrt": floating.square_root,
    "fabs": lambda st, value: terms.float_abs(floating.to_float(st, value)),
    # One multiplication each, as in CPython.
    "radians": lambda st, value: terms.float_mul(floating.to_float(st, value), math.pi / 180.0),
    "degrees": lambda st, value: terms.float_mul(floating.to_float(st, value), 180.0 / math.pi),
    "isnan": lambda _, value: terms.is_nan(as_int(value)),
    "isinf": lambda _, value: terms.is_inf(as_int(value)),
    "isfinite": lambda _, value: terms.is_finite(as_int(value)),
}


def _of_number(function: Callable[[State, Value], Value], st: State, value: Value) -> Value:
    return function(st, value) if _is_number(value) else DECLINED


for _name, _function in _OF_NUMBERS.items():
    symbolic(f"math.{_name}")(partial(_of_number, _function))


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
