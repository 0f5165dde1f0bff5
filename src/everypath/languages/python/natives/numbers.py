"""Builtin functions, the math module and methods of floats, on numbers that may be symbolic.

What has no term (`sin`, `log`, ...) is computed by the real function on known values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeGuard

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, is_float, is_text, sort_of
from everypath.heap.values import Hash, Mixed, Ref, Value
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.languages.python.natives.iterators import model
from everypath.languages.python.natives.table import builtin, compute, symbolic
from everypath.languages.python.semantics import conversions, floating, operations
from everypath.languages.python.semantics.keys import hash_of
from everypath.languages.python.semantics.kinds import type_name, user_method
from everypath.languages.python.semantics.registry import DECLINED
from everypath.languages.python.semantics.sizes import LAST_INT, c_size
from everypath.logic import terms
from everypath.logic.terms import FloatLike, IntLike, Term, Var

_BLANKS = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_LARGEST_CODE = 0x10FFFF
_DIGITS = 100
_FLOATS = ("1.5", "-0.25", "x")


def is_number(value: Value) -> TypeGuard[IntLike]:
    """Whether a resolved value is an integer or truth value, symbolic or not."""
    return isinstance(value, int) or (isinstance(value, Term) and value.sort in ("int", "bool"))


def _call(st: State, value: Value, *names: str) -> None:
    """Leave it to the first of these methods that the value's class defines."""
    for name in names:
        method = user_method(st, value, name)
        if method is not None:
            raise Invoke(method, [value], conversions.number(name))


@symbolic("abs")
def absolute(st: State, value: Value) -> Value:
    """`abs(value)`"""
    if is_number(value):
        return terms.abs_(as_int(value))
    if is_float(value):
        return terms.float_abs(value)
    _call(st, value, "__abs__")
    if isinstance(value, (Ref, tuple)) or sort_of(value) == "str":
        raise Fault("TypeError", f"bad operand type for abs(): {short(type_name(st, value))!r}")
    return DECLINED


@builtin("bool")
def make_bool(st: State, value: Value = False) -> Value:
    """`bool(value)`"""
    return operations.truth(st, value)


@symbolic("int")
def make_int(st: State, value: Value = 0, *base: Value, **keywords: Value) -> Value:
    """`int(value)`"""
    if base or keywords:
        return DECLINED
    if is_number(value):
        # Flags of the library are integers of a class of their own.
        return int(value) if isinstance(value, int) else as_int(value)
    if is_float(value):
        return floating.whole(st, value, terms.float_trunc)
    if isinstance(value, Term):
        return parse_int(st, value)
    _call(st, value, "__int__", "__index__", "__trunc__")
    if isinstance(value, (Ref, tuple)):
        raise Fault(
            "TypeError",
            "int() argument must be a string, a bytes-like object or a real number, "
            f"not {short(type_name(st, value))!r}",
        )
    return DECLINED


def parse_int(st: State, text: Term) -> Value:
    """The integer that a symbolic string denotes, in the plain notation."""
    if decide(st.pc, terms.matches(text, "int")):
        return terms.str_to_int(text)
    known = st.pc.value(text)
    if known is not None:
        return compute(st, "int", int, (known,), {})
    # Underscores and blanks may still be part of an integer; the others change how the message shows the text.
    without = (terms.not_(terms.contains(text, c)) for c in ("_", "'", "\\", *_BLANKS))
    plain = terms.and_(terms.matches(text, "ascii"), *without)
    if decide(st.pc, plain):
        raise Fault("ValueError", terms.concat("invalid literal for int() with base 10: '", text, "'"))
    what = "int() of a text with blanks, underscores, quotes or characters beyond ASCII"
    return compute(st, "int", int, (fixed(st, text, what),), {})


@symbolic("float")
def make_float(st: State, *value: Value) -> Value:
    """`float(value)`"""
    if len(value) == 1:
        if sort_of(value[0]) == "number":
            return floating.to_float(st, value[0])
        if isinstance(value[0], Term):
            return parse_float(st, value[0])
        _call(st, value[0], "__float__", "__index__")
    return DECLINED


def parse_float(st: State, text: Term) -> Value:
    """The float that a symbolic string denotes: any of an integer, else some that are written with a point, or none."""
    if decide(st.pc, terms.matches(text, "int")):
        return floating.to_float(st, terms.str_to_int(text))
    return compute(st, "float", float, (fixed(st, text, "float() of a text that is no integer", _FLOATS),), {})


@symbolic("round")
def round_(st: State, number: Value, ndigits: Value = None) -> Value:
    """`round(number, ndigits)`"""
    if is_number(number) and (ndigits is None or (isinstance(ndigits, int) and ndigits >= 0)):
        return as_int(number)
    if is_float(number):
        if ndigits is None:
            return floating.whole(st, number, terms.float_nearest)
        if isinstance(ndigits, int) and abs(ndigits) <= _DIGITS:
            return terms.float_round(number, int(ndigits))
    if ndigits is None:
        _call(st, number, "__round__")
    return DECLINED


@symbolic("divmod")
def divmod_(st: State, left: Value, right: Value) -> Value:
    """`divmod(left, right)`"""
    if sort_of(left) == sort_of(right) == "number" and (is_float(left) or is_float(right)):
        floating.need_divisor(st, "divmod", left, right)
        a, b = floating.to_float(st, left), floating.to_float(st, right)
        return (terms.float_floordiv(a, b), terms.float_mod(a, b))
    if not is_number(left) or not is_number(right):
        method = user_method(st, left, "__divmod__")
        if method is not None:
            raise Invoke(method, [left, right])
        return DECLINED
    a, b = as_int(left), as_int(right)
    if decide(st.pc, terms.eq(b, 0)):
        raise Fault("ZeroDivisionError", "integer division or modulo by zero")
    return (terms.floordiv(a, b), terms.floormod(a, b))


@symbolic("pow")
def power(st: State, base: Value, exp: Value, mod: Value = None) -> Value:
    """`pow(base, exp, mod)`"""
    if mod is None:
        return operations.binary(st, "**", base, exp, False)
    if not (is_number(base) and is_number(exp) and is_number(mod)) or isinstance(exp, Term) or exp < 0:
        return DECLINED
    modulus = as_int(mod)
    if decide(st.pc, terms.eq(modulus, 0)):
        raise Fault("ValueError", "pow() 3rd argument cannot be 0")
    return terms.floormod(terms.power(as_int(base), exp), modulus)


@symbolic("int.as_integer_ratio", "bool.as_integer_ratio")
def as_integer_ratio(st: State, value: Value) -> Value:
    """`value.as_integer_ratio()`"""
    return (as_int(value), 1) if is_number(value) else DECLINED


@symbolic("int.conjugate", "bool.conjugate", "float.conjugate")
def conjugate(st: State, value: Value) -> Value:
    """`value.conjugate()`"""
    if is_number(value):
        return as_int(value)
    return value if is_float(value) else DECLINED


@symbolic("ord")
def ord_(st: State, character: Value) -> Value:
    """`ord(character)`"""
    if is_text(character):
        size = terms.str_len(character)
        if not decide(st.pc, terms.eq(size, 1)):
            text = terms.concat("ord() expected a character, but string of length ", terms.int_to_str(size), " found")
            raise Fault("TypeError", text)
        return terms.ord_(character)
    raise Fault("TypeError", f"ord() expected string of length 1, but {short(type_name(st, character))} found")


@symbolic("chr")
def chr_(st: State, code: Value) -> Value:
    """`chr(code)`"""
    if not is_number(code):
        raise Fault("TypeError", f"{short(type_name(st, code))!r} object cannot be interpreted as an integer")
    number = as_int(code)
    if not decide(st.pc, terms.and_(terms.ge(number, 0), terms.le(number, _LARGEST_CODE))):
        c_size(st, number, "Python int too large to convert to C int", LAST_INT)
        raise Fault("ValueError", "chr() arg not in range(0x110000)")
    return terms.chr_(number)


def _extreme(name: str, st: State, /, *values: Value, **keywords: Value) -> Value:
    """`min(...)` or `max(...)`: of integers without a decision, otherwise as the model compares."""
    if len(values) < 2 or keywords:
        raise Invoke(model(st, name), values, None, keywords)
    values = tuple(resolve(st, value) for value in values)
    if all(isinstance(v, (int, float)) for v in values) or all(isinstance(v, str) for v in values):
        least_or_most: Callable[[Any], Value] = min if name == "min" else max
        return least_or_most(values)
    floats = [value for value in values if is_float(value)]
    if len(floats) == len(values):
        return _extreme_float(name, floats)
    if not all(type_name(st, value) == "int" for value in values):
        raise Invoke(model(st, name), values, None, keywords)
    combine = terms.min_ if name == "min" else terms.max_
    result = as_int(values[0])
    for value in values[1:]:
        result = combine(result, as_int(value))
    return result


def _extreme_float(name: str, values: list[FloatLike]) -> FloatLike:
    """The first one that no other is beyond, which matters where one is no number."""
    result = values[0]
    for value in values[1:]:
        beyond = terms.float_lt(value, result) if name == "min" else terms.float_lt(result, value)
        chosen = terms.ite(beyond, value, result)
        assert is_float(chosen)
        result = chosen
    return result


builtin("min")(partial(_extreme, "min"))
builtin("max")(partial(_extreme, "max"))
builtin("hash")(hash_of)


@builtin("id")
def id_(st: State, value: Value) -> Value:
    """`id(value)`: a number that only the real run knows, equal to that of the same object and to nothing else."""
    value = resolve(st, value)
    if value is None or isinstance(value, (bool, int, Ref, ClassRef, FunctionRef, NativeRef)):
        return Hash(Mixed("id", value, None))
    if isinstance(value, Term) and value.sort in ("int", "bool"):
        return Hash(Mixed("id", value, None))
    raise Unsupported(f"id() of a value of type {type_name(st, value)}, which may be one object or several")


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


@symbolic("math.copysign")
def copysign(st: State, size: Value, sign: Value) -> Value:
    """`math.copysign(size, sign)`"""
    if not _is_number(size) or not _is_number(sign):
        return DECLINED
    magnitude = terms.float_abs(floating.to_float(st, size))
    number = floating.to_float(st, sign)
    negative = terms.or_(terms.float_lt(number, 0.0), terms.is_negative_zero(number))
    if decide(st.pc, negative):
        return terms.float_neg(magnitude)
    computed = isinstance(number, Term) and not isinstance(number, Var)
    if computed and decide(st.pc, terms.is_nan(number)):
        raise Unsupported("the sign of a NaN that was computed, which depends on the processor")
    return magnitude


@symbolic("float.is_integer")
def is_integer(st: State, value: Value) -> Value:
    """`value.is_integer()`"""
    return floating.is_whole(value) if isinstance(value, Term) and value.sort == "float" else DECLINED
