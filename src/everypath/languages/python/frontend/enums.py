"""Enumerations: which names of a class are members, what they are worth, and the methods that `enum` gives them.

Flags are enumerations whose members are combined with `|`; a combination is the one object of its value.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

from everypath.ir.instructions import CallNative, CallStatic, ClassRef, Return, SetField
from everypath.ir.names import BY_NAME, LOOKUP, member_initialiser
from everypath.ir.program import Class
from everypath.languages.python.frontend.conditions import TAKEN, taken_from
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.names import ExternalName
from everypath.languages.python.frontend.userclass import UserClass

_ARITHMETIC = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip
_COMBINED = ("or", "and", "xor")
_OF_FLAGS = {name: op for name, op in _ARITHMETIC.items() if name not in ("truediv", "pow", *_COMBINED)}
_EQUALITY = {"eq": "==", "ne": "!="}
_ORDER = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNARY = {
    "neg": "-self._value_", "pos": "+self._value_", "invert": "~self._value_", "abs": "abs(self._value_)",
    "int": "self._value_", "index": "self._value_", "float": "float(self._value_)", "bool": "self._value_ != 0",
    "hash": "hash(self._value_)",
}  # fmt: skip
_TEXT = {
    "__len__(self)": "len(self._value_)", "__contains__(self, other)": "other in self._value_",
    "__getitem__(self, index)": "self._value_[index]", "__iter__(self)": "iter(self._value_)",
    "__hash__(self)": "hash(self._value_)", "__add__(self, other)": "self._value_ + other",
    "__radd__(self, other)": "other + self._value_", "__mul__(self, other)": "self._value_ * other",
    "__mod__(self, other)": "self._value_ % other", "__getattr__(self, name)": "getattr(self._value_, name)",
}  # fmt: skip
_AUTO = ExternalName("enum.auto")
_NO_MEMBER = ExternalName("enum.nonmember")
_FLAGS = ("Flag", "IntFlag")
_FOLDED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow,
}  # fmt: skip


def read_members(linker: Linker, info: UserClass) -> None:
    """Find the members of an enumeration among the attributes of its class."""
    last: object = 0
    for name, writers in list(info.statics.items()):
        if name.startswith("_") or len(writers) != 1:
            continue
        written = _written_value(linker, info, name, writers[0])
        value = None if written is None else _member_value(linker, info, name, written, last)
        if value is None:
            continue
        if (known := _constant(value)) is not None:
            last = known
            first = next((m for m, v in info.members.items() if _constant(v) == known), None)
            if first is not None:
                _alias(info, name, first, value)
                continue
        info.members[name] = value


def _written_value(linker: Linker, info: UserClass, name: str, writer: ast.stmt) -> ast.expr | None:
    """What the class body assigns to a name of its own; None where it is another name of a member."""
    match writer:
        case ast.Assign(targets=[ast.Name(id=member), *others], value=value) if all(
            isinstance(other, ast.Name) for other in others
        ):
            if isinstance(value, ast.Name) and value.id in info.members:
                member = value.id
            if name == member:
                return value
            _alias(info, name, member, value)
        case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
            return value
        case _:
            _problem(linker, info, writer, "members of an enumeration assigned together")
    return None


def _member_value(linker: Linker, info: UserClass, name: str, value: ast.expr, last: object) -> ast.expr | None:
    """The value of a member, `auto()` worked out; None, after a message, where that is not possible."""
    called = linker.expression(info.module, value.func) if isinstance(value, ast.Call) else None
    if info.enum in _FLAGS:
        bits = _next_bit(info.flags) if called == _AUTO else _folded(value, info.flags)
        if bits is None or bits < 0:
            _problem(linker, info, value, "a value that is no number known now")
            return None
        info.flags[name] = bits
        return ast.copy_location(ast.Constant(bits), value)
    if called == _AUTO:
        if (automatic := _automatic(info, name, last)) is None:
            _problem(linker, info, value, "auto() after a value that is no integer")
            return None
        return ast.copy_location(ast.Constant(automatic), value)
    if called == _NO_MEMBER:
        _problem(linker, info, value, "nonmember()")
        return None
    return value


def _alias(info: UserClass, name: str, first: str, value: ast.expr) -> None:
    """Another name of a member."""
    meant = ast.copy_location(ast.Name(first, ast.Load()), value)
    info.statics[name] = [ast.copy_location(ast.Assign([], meant), value)]


def _aliases(info: UserClass) -> dict[str, str]:
    """Other name -> member; an alias may name another alias, so the chain is followed."""
    found: dict[str, str] = {}
    for name, writers in info.statics.items():
        match writers:
            case [ast.Assign(targets=[], value=ast.Name(id=member))]:
                found[name] = found.get(member, member)
    return found


def _problem(linker: Linker, info: UserClass, node: ast.AST, what: str) -> None:
    linker.problem(info.module, info.module.span(node), f"{what} in the enumeration {info.qualname}: not supported")


def _automatic(info: UserClass, name: str, last: object) -> object:
    if "_generate_next_value_" in info.functions:
        return None
    if info.enum == "StrEnum":
        return name.lower()
    return last + 1 if isinstance(last, int) else None


def _constant(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _folded(node: ast.expr, known: Mapping[str, int]) -> int | None:
    """The value of a member, computed from numbers and from earlier members."""
    match node:
        case ast.Constant(value=int() as value):
            return int(value)
        case ast.Name(id=name):
            return known.get(name)
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            inner = _folded(operand, known)
            return None if inner is None else ~inner
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _FOLDED:
            sides = _folded(left, known), _folded(right, known)
            return None if None in sides else int(_FOLDED[type(op)](*sides))
    return None


def _next_bit(known: Mapping[str, int]) -> int:
    """What `auto()` gives: the power of two above all values so far."""
    return 1 << max((value.bit_length() for value in known.values()), default=0)


def add_methods(linker: Linker, info: UserClass) -> None:
    """The methods that every enumeration of this kind has, unless the class defines them."""
    slots = {slot for owner in linker.line(info.name) for slot in owner.slots}
    for name in ("name", "value"):
        if name in slots:
            continue  # a slot of that name takes the place of the property
        info.generate(f"{name}(self)", f"return self._{name}_", "property")
    shown = "str(self._value_)" if info.enum in ("IntEnum", "StrEnum") else f"'{info.node.name}.' + self._name_"
    results = {
        "__str__(self)": shown,
        "__format__(self, spec)": "format(str(self), spec)",
        "__repr__(self)": f"f'<{info.node.name}.{{self._name_}}: {{self._value_!r}}>'",
    }
    if info.enum in ("IntEnum", "int"):
        for method, op in _ARITHMETIC.items():
            results[f"__{method}__(self, other)"] = f"self._value_ {op} other"
            results[f"__r{method}__(self, other)"] = f"other {op} self._value_"
        results |= {f"__{method}__(self)": result for method, result in _UNARY.items()}
    if info.enum in ("StrEnum", "str"):
        results |= _TEXT
    if info.enum not in ("Enum", *_FLAGS):
        results |= _on_value(_EQUALITY | _ORDER)
    info.generate_results(results)
    if info.enum in _FLAGS:
        _add_flag_methods(info)
    if info.members:
        info.generate(f"{LOOKUP}(cls, value)", _lookup(info), "class")
        others = "".join(f" if name == {name!r}:\n  return cls.{member}\n" for name, member in _aliases(info).items())
        found = "for member in cls:\n  if member._name_ == name:\n   return member\n"
        info.generate(f"{BY_NAME}(cls, name)", f"{found}{others} raise KeyError(name)", "class")


def _on_value(operators: Mapping[str, str]) -> dict[str, str]:
    """Methods that compare or combine the value of a member with something else."""
    return {f"__{method}__(self, other)": f"self._value_ {op} other" for method, op in operators.items()}


def _add_flag_methods(info: UserClass) -> None:
    whole, name = info.enum == "IntFlag", info.node.name
    for method in _COMBINED:
        for prefix in ("", "r") if whole else ("",):
            info.generate(
                f"__{prefix}{method}__(self, other)",
                "if isinstance(other, type(self)):\n  other = other._value_\n"
                f" {'elif not isinstance(other, int)' if whole else 'else'}:\n  return NotImplemented\n"
                f" return native_flag_member(type(self), self._value_ {_ARITHMETIC[method]} other)",
            )
    singles = tuple(member for member, value in info.flags.items() if value.bit_count() == 1)
    results = {
        "__invert__(self)": f"native_flag_member(type(self), {_mask(info)} & ~self._value_)",
        "__bool__(self)": "self._value_ != 0",
        "__len__(self)": "self._value_.bit_count()",
        "__contains__(self, other)": "other._value_ & self._value_ == other._value_",
        "__iter__(self)": f"iter(native_flag_parts(type(self), self._value_, {singles!r}))",
        "__hash__(self)": "hash(self._value_)" if whole else "hash(self._name_)",
        "__str__(self)": "str(self._value_)" if whole else f"{name!r} + ('.' + self._name_ if self._name_ else '(0)')",
        "__repr__(self)": f"'<{name}' + ('.' + self._name_ if self._name_ else '') + ': ' + str(self._value_) + '>'",
    }
    if whole:
        results |= _on_value(_OF_FLAGS)
        results |= {f"__r{method}__(self, other)": f"other {op} self._value_" for method, op in _OF_FLAGS.items()}
        results |= _on_value(_ORDER)
        results |= {f"__{method}__(self)": "self._value_" for method in ("int", "index")}
        results |= _on_value(_EQUALITY)
    info.generate_results(results)


def _mask(info: UserClass) -> int:
    """All bits that the members of a flag have."""
    return functools.reduce(operator.or_, info.flags.values(), 0)


def _lookup(info: UserClass) -> str:
    """The body of the method that finds the member of a value."""
    refusal = f"raise ValueError(native_shown_before(value, ' is not a valid {info.qualname}'))"
    if info.enum not in _FLAGS:
        if "_missing_" in info.functions:
            refusal = f"found = cls._missing_(value)\n if found is not None:\n  return found\n {refusal}"
        found = "for member in cls:\n  if member is value or member._value_ == value:\n   return member\n"
        return f"{found} {refusal}"
    mask = _mask(info)
    outside = refusal if info.enum == "Flag" else "native_unsupported('a flag with bits that no member has')"
    return (
        "if isinstance(value, cls):\n  return value\n"
        f" if value < 0:\n  if value < {-mask - 1}:\n   {outside}\n  value = value + {mask + 1}\n"
        f" if value > {mask} or value & {mask} != value:\n  {outside}\n"
        " return native_flag_member(cls, value)"
    )


def lower_member(ctx: FunctionContext, info: UserClass, cls: Class, name: str) -> None:
    """The initialiser of a member: the one object of that name, with its value."""
    value, span = info.members[name], ctx.span(info.members[name])
    ref = ctx.fresh()
    names = (ctx.constant(ClassRef(info.name), value), ctx.constant(name, value))
    ctx.emit(CallNative(ref, "enum_member", names, span=span))
    if (taking := taken_from(value)) is not None:
        ctx.unsupported(taking, TAKEN)
    parts = tuple(ctx.value(e) for e in value.elts) if isinstance(value, ast.Tuple) else (ctx.value(value),)
    whole = ctx.collection("tuple", parts, value) if isinstance(value, ast.Tuple) else parts[0]
    ctx.emit(SetField(ref, "_value_", whole, span=span))
    for base in ctx.linker.program.mro(info.name):
        owner = ctx.linker.classes.get(base)
        if owner is not None and "__new__" in owner.functions:
            ctx.unsupported(value, f"the enumeration {info.qualname} defines `__new__`, which is not supported")
            break
        if owner is not None and "__init__" in owner.functions:
            ctx.emit(CallStatic(ctx.fresh(), base, "__init__", (ref, *parts), span=span))
            break
    ctx.builder.end(Return(ref, span=span))
    cls.statics[name] = member_initialiser(name)
