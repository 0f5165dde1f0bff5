"""Flags: enumerations whose members are combined with `|`; a combination is the one object of its value."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from everypath.languages.python.frontend.userclass import UserClass

Generate = Callable[[UserClass, str, str], None]
KINDS = ("Flag", "IntFlag")
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow,
}  # fmt: skip
_COMBINED = {"or": "|", "and": "&", "xor": "^"}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "lshift": "<<", "rshift": ">>"}
_ORDER = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def folded(node: ast.expr, known: Mapping[str, int]) -> int | None:
    """The value of a member, computed from numbers and from earlier members."""
    match node:
        case ast.Constant(value=int() as value):
            return int(value)
        case ast.Name(id=name):
            return known.get(name)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            inner = folded(operand, known)
            return None if inner is None else ~inner
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            sides = folded(left, known), folded(right, known)
            return None if None in sides else int(_OPERATORS[type(op)](*sides))
    return None


def next_bit(known: Mapping[str, int]) -> int:
    """What `auto()` gives: the power of two above all values so far."""
    return 1 << max((value.bit_length() for value in known.values()), default=0)


def add_flag_methods(info: UserClass, values: Mapping[str, int], generate: Generate) -> None:
    """The methods that `enum` gives to flags."""
    mask = 0
    for value in values.values():
        mask |= value
    whole = info.enum == "IntFlag"
    name = info.node.name
    for method, op in _COMBINED.items():
        for prefix in ("", "r") if whole else ("",):
            signature = f"__{prefix}{method}__"
            text = " if isinstance(other, type(self)):\n  other = other._value_\n"
            text += f" {'elif not isinstance(other, int)' if whole else 'else'}:\n  return NotImplemented\n"
            text += f" return native_flag_member(type(self), self._value_ {op} other)"
            generate(info, signature, f"def {signature}(self, other):\n{text}")
    singles = [member for member, value in values.items() if value.bit_count() == 1]
    bodies = {
        "__invert__(self)": f"native_flag_member(type(self), {mask} & ~self._value_)",
        "__bool__(self)": "self._value_ != 0",
        "__len__(self)": "self._value_.bit_count()",
        "__contains__(self, other)": "other._value_ & self._value_ == other._value_",
        "__iter__(self)": f"iter(native_flag_parts(type(self), self._value_, {tuple(singles)!r}))",
        "__hash__(self)": "hash(self._value_)" if whole else "hash(self._name_)",
        "__str__(self)": "str(self._value_)" if whole else f"{name!r} + ('.' + self._name_ if self._name_ else '(0)')",
        "__repr__(self)": f"'<{name}' + ('.' + self._name_ if self._name_ else '') + ': ' + str(self._value_) + '>'",
    }
    if whole:
        bodies |= {f"__{m}__(self, other)": f"self._value_ {op} other" for m, op in _ARITHMETIC.items()}
        bodies |= {f"__r{m}__(self, other)": f"other {op} self._value_" for m, op in _ARITHMETIC.items()}
        bodies |= {f"__{m}__(self, other)": f"self._value_ {op} other" for m, op in _ORDER.items()}
        bodies |= {f"__{m}__(self)": "self._value_" for m in ("int", "index")}
        bodies["__eq__(self, other)"] = "self._value_ == other"
        bodies["__ne__(self, other)"] = "self._value_ != other"
    for signature, result in bodies.items():
        method = signature.partition("(")[0]
        generate(info, method, f"def {signature}:\n return {result}")


def lookup(info: UserClass, values: Mapping[str, int]) -> str:
    """The text of the method that finds the flag of a number."""
    mask = 0
    for value in values.values():
        mask |= value
    outside = "native_unsupported('a flag with bits that no member has')"
    if info.enum == "Flag":
        outside = f"raise ValueError(native_shown_before(value, ' is not a valid {info.qualname}'))"
    return (
        "def lookup(cls, value):\n if isinstance(value, cls):\n  return value\n"
        f" if value < 0:\n  if value < {-mask - 1}:\n   {outside}\n  value = value + {mask + 1}\n"
        f" if value > {mask} or value & {mask} != value:\n  {outside}\n"
        " return native_flag_member(cls, value)"
    )
