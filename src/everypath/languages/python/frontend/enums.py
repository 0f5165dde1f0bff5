"""Enumerations: which names of a class are members, what they are worth, and the methods that `enum` gives them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallNative, CallStatic, ClassRef, Return, SetField
from everypath.ir.names import BY_NAME, LOOKUP, member_initialiser
from everypath.ir.program import Class
from everypath.languages.python.frontend import flags
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.early_names import TAKEN, taken_from
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.names import ExternalName
from everypath.languages.python.frontend.userclass import UserClass

_ARITHMETIC = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^",
}  # fmt: skip
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNARY = {"neg": "-x", "pos": "+x", "invert": "~x", "abs": "abs(x)", "int": "x", "index": "x", "float": "float(x)",
          "bool": "x != 0", "hash": "hash(x)"}  # fmt: skip
_TEXT = {
    "__len__(self)": "len(x)", "__contains__(self, other)": "other in x", "__getitem__(self, index)": "x[index]",
    "__iter__(self)": "iter(x)", "__hash__(self)": "hash(x)", "__add__(self, other)": "x + other",
    "__radd__(self, other)": "other + x", "__mul__(self, other)": "x * other", "__mod__(self, other)": "x % other",
    "__getattr__(self, name)": "getattr(x, name)",
}  # fmt: skip

_AUTO = ExternalName("enum.auto")
_NO_MEMBER = ExternalName("enum.nonmember")
Generate = Callable[[UserClass, str, str], None]


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
        known = _constant(value)
        if known is not None:
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
    if info.enum in flags.KINDS:
        bits = flags.next_bit(info.flags) if called == _AUTO else flags.folded(value, info.flags)
        if bits is None or bits < 0:
            _problem(linker, info, value, "a value that is no number known now")
            return None
        info.flags[name] = bits
        return ast.copy_location(ast.Constant(bits), value)
    if called == _AUTO:
        automatic = _automatic(info, name, last)
        if automatic is None:
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


def add_methods(info: UserClass, generate: Generate) -> None:
    """The methods that every enumeration of this kind has, unless the class defines them."""
    for name in ("name", "value"):
        generate(info, name, f"def {name}(self):\n return self._{name}_")
        info.generated_kinds[name] = "property"
    whole = info.enum in ("IntEnum", "StrEnum")
    shown = "str(self._value_)" if whole else f"'{info.node.name}.' + self._name_"
    generate(info, "__str__", f"def __str__(self):\n return {shown}")
    generate(info, "__format__", "def __format__(self, spec):\n return format(str(self), spec)")
    shown = f"f'<{info.node.name}.{{self._name_}}: {{self._value_!r}}>'"
    generate(info, "__repr__", f"def __repr__(self):\n return {shown}")
    if info.enum in ("IntEnum", "int"):
        for method, op in _ARITHMETIC.items():
            generate(info, f"__{method}__", f"def __{method}__(self, other):\n return self._value_ {op} other")
            generate(info, f"__r{method}__", f"def __r{method}__(self, other):\n return other {op} self._value_")
        for method, result in _UNARY.items():
            body = result.replace("x", "self._value_") if method not in ("index",) else "self._value_"
            generate(info, f"__{method}__", f"def __{method}__(self):\n return {body}")
    if info.enum in ("StrEnum", "str"):
        for signature, result in _TEXT.items():
            body = result.replace("index", "INDEX").replace("x", "self._value_").replace("INDEX", "index")
            generate(info, signature.partition("(")[0], f"def {signature}:\n return {body}")
    if info.enum not in ("Enum", *flags.KINDS):
        for method, op in _COMPARE.items():
            generate(info, f"__{method}__", f"def __{method}__(self, other):\n return self._value_ {op} other")
    if info.enum in flags.KINDS:
        flags.add_flag_methods(info, info.flags, generate)
    if not info.members:
        return
    missing = f"raise ValueError(native_shown_before(value, ' is not a valid {info.qualname}'))"
    if "_missing_" in info.functions:
        missing = f"found = cls._missing_(value)\n if found is not None:\n  return found\n {missing}"
    found_by_value = (
        "def lookup(cls, value):\n for member in cls:\n  if member is value or member._value_ == value:\n"
        f"   return member\n {missing}"
    )
    generate(info, LOOKUP, flags.lookup(info, info.flags) if info.enum in flags.KINDS else found_by_value)
    generate(
        info,
        BY_NAME,
        "def by_name(cls, name):\n for member in cls:\n  if member._name_ == name:\n   return member\n"
        + "".join(f" if name == {name!r}:\n  return cls.{member}\n" for name, member in _aliases(info).items())
        + " raise KeyError(name)",
    )
    info.generated_kinds[LOOKUP] = info.generated_kinds[BY_NAME] = "class"


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


def member_builder(cls: Class, name: str, info: UserClass) -> MethodBuilder:
    """The builder of a member's initialiser."""
    return MethodBuilder(cls.name, member_initialiser(name), (), info.module.span(info.members[name]))
