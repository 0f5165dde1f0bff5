"""Classes, types and functions that a test makes itself, for programs that work on such things.

A program that looks into dataclasses, enumerations, annotations or signatures has seldom any of its own. Which of these
are of use to it, the names tell that it mentions.
"""

from __future__ import annotations

import ast
import re
import types
import typing
from typing import Any

from everypath.languages.python.probing.expressions import Code
from everypath.records import dataclass

_RECORD = "dataclasses.make_dataclass('Made', [('a', int), ('b', str, 'x')])"
_NESTED = (
    "dataclasses.make_dataclass('Outer', [('a', list[int], dataclasses.field(default_factory=list)),"
    f" ('b', int | None, None), ('c', {_RECORD}, None)])"
)
_ENUMERATION = "enum.Enum('Made', 'A B')"
_ROW = "collections.namedtuple('Made', 'a b')"
_PLAIN = "type('Made', (), {'a': 1, 'f': lambda self, b=2: b})"


@dataclass(frozen=True, slots=True)
class _Family:
    """Things of one kind, and the names of programs that work on them."""

    names: frozenset[str]
    module: str
    classes: tuple[str, ...]
    others: tuple[str, ...] = ()


_FAMILIES = (
    _Family(
        frozenset({"dataclasses", "dataclass", "fields", "is_dataclass", "asdict", "__dataclass_fields__"}),
        "dataclasses",
        (_RECORD, _NESTED, "dataclasses.make_dataclass('Made', [('a', int)], frozen=True)"),
        (f"{_RECORD}(1)", f"{_NESTED}()", f"{_NESTED}([1], None, {_RECORD}(2))"),
    ),
    _Family(frozenset({"Enum", "enum"}), "enum", (_ENUMERATION,), (f"{_ENUMERATION}.A",)),
    _Family(
        frozenset({"namedtuple", "NamedTuple", "_fields", "_asdict", "_replace"}),
        "collections",
        (_ROW,),
        (f"{_ROW}(1, 'x')", f"{_ROW}([], {{}})"),
    ),
    _Family(
        frozenset({"get_type_hints", "get_origin", "get_args", "__origin__", "__args__", "issubclass", "ForwardRef"}),
        "typing",
        (
            "typing.List[int]",
            "typing.Optional[int]",
            "typing.Union[int, str, None]",
            "typing.Dict[str, int]",
            "typing.Tuple[int, ...]",
            "typing.Tuple[int, str]",
            "typing.Set[int]",
            "typing.Any",
            "typing.NewType('Made', int)",
            "typing.TypeVar('Made')",
            "typing.Callable[[int], str]",
            "typing.Literal['a', 1]",
            "int | None",
            "dict[str, list[int]]",
        ),
    ),
    _Family(
        frozenset({"isclass", "issubclass", "__mro__", "__bases__", "__qualname__", "__name__", "getmembers", "vars"}),
        "",
        ("int", "str", "list", "dict", "Exception", "object", _PLAIN),
        (f"{_PLAIN}()",),
    ),
    _Family(
        frozenset(
            {"signature", "getfullargspec", "getcallargs", "__wrapped__", "wraps", "__code__", "__annotations__"}
        ),
        "",
        (),
        ("lambda a, b=1, *args, c, **kwargs: a", "lambda: None", "lambda self, a: a", "len"),
    ),
)


@dataclass(frozen=True, slots=True)
class Kinds:
    """What of all that a module may want."""

    classes: tuple[Code, ...]
    others: tuple[Code, ...]


def kinds_for(tree: ast.Module) -> Kinds:
    """What a module of this text may want."""
    names = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                names.add(name)
            case ast.alias(name=name):
                names.add(name.rpartition(".")[2])
    families = [each for each in _FAMILIES if not names.isdisjoint(each.names)]
    return Kinds(
        tuple(Code(text, each.module) for each in families for text in each.classes),
        tuple(Code(text, each.module) for each in families for text in each.others),
    )


def is_object(value: Any) -> bool:
    """Whether a variable holds an object of some class that can be a key, and no plain value, class or function."""
    plain = (type, types.ModuleType, str, bytes, int, float, type(None), list, dict, set, re.Pattern)
    if isinstance(value, plain) or callable(value) or typing.get_origin(value) is not None:
        return False
    try:
        hash(value)
    except Exception:
        return False
    return type(value).__module__ not in ("typing", "__future__", "types", "builtins")
