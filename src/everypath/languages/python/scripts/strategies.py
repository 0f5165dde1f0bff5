"""Types as Hypothesis strategies: what a property test draws its inputs from."""

from __future__ import annotations

from collections.abc import Iterable

from everypath.errors import Unsupported
from everypath.ir.instructions import Param
from everypath.ir.program import Class, Program
from everypath.ir.types import (
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    ListType,
    RecordType,
    Scalar,
    SetType,
    TupleType,
    Type,
    UnionType,
    named_class,
)
from everypath.languages.python.scripts.imports import HYPOTHESIS, Imports
from everypath.languages.python.scripts.layout import Expr, Group, Item, Text, call, flat
from everypath.languages.python.scripts.literals import literal, quoted

_PLAIN = {BOOL: "booleans", STR: "text", BYTES: "binary", NONE: "none", COMPLEX: "complex_numbers"}
"""The strategies that need nothing to be said; the last one is also that of numbers which nobody can compare."""
_REAL = ("allow_nan", "allow_infinity")
"""What paths know nothing of: their floats are numbers."""


class Strategies:
    """Writes the strategy of a type; Unsupported where there is none."""

    def __init__(self, program: Program, imports: Imports, integers: tuple[int, int] | None) -> None:
        self._program = program
        self._imports = imports
        self._integers = integers
        """the range of integers that are not declared to have one"""
        self._inside: list[str] = []
        """the classes whose objects are being described"""

    def of(self, type_: Type) -> Expr:
        """The strategy."""
        match type_:
            case Scalar():
                return self._scalar(type_)
            case UnionType(options=options):
                # None is the simplest value, which Hypothesis expects first.
                ordered = sorted(options, key=lambda each: each != NONE)
                return Text(" | ".join(flat(self.of(each)) for each in ordered))
            case ListType(element=element):
                return self._call("lists", self.of(element))
            case SetType(element=element, frozen=frozen):
                return self._call("frozensets" if frozen else "sets", self.of(element))
            case DictType(key=key, value=value):
                return self._call("dictionaries", self.of(key), self.of(value))
            case TupleType(elements=elements, rest=None):
                return self._call("tuples", *map(self.of, elements))
            case TupleType(elements=(), rest=rest) if rest is not None:
                return Text(f"{flat(self._call('lists', self.of(rest)))}.map(tuple)")
            case ClassType(name=name, arguments=()) | RecordType(name=name) if name in self._program.classes:
                cls = self._program.classes[name]
                return self._object(name, cls) if cls.keys is None else self._record(cls.keys)
        raise Unsupported(f"there is no strategy for {type_}")

    def _call(self, function: str, *arguments: Expr | Item) -> Expr:
        name = f"{self._imports.name(HYPOTHESIS, 'strategies')}.{function}"
        return call(name, [each if isinstance(each, Item) else Item(each) for each in arguments])

    def _scalar(self, type_: Scalar) -> Expr:
        if type_.values:
            return self._call("sampled_from", Group("[", tuple(Item(Text(literal(v))) for v in type_.values), "]"))
        if type_ == INT:
            return self._call("integers", *(Text(str(each)) for each in type_.bounds or self._integers or ()))
        if type_ == FLOAT:
            return self._call("floats", *(Item(Text("False"), f"{each}=") for each in _REAL))
        if type_ in _PLAIN:
            return self._call(_PLAIN[type_])
        module, dot, cls = type_.name.rpartition(".")
        if dot and named_class(type_) is None:
            return self._call("from_type", Text(f"{self._imports.module(module)}.{cls}"))
        raise Unsupported(f"there is no strategy for {type_}")

    def _object(self, name: str, cls: Class) -> Expr:
        local = name.removeprefix(f"{cls.module}.")
        if cls.members and not cls.flags:
            return self._call("sampled_from", Text(self._imports.name(cls.module, local)))
        made = cls.constructor
        checks = self._program.find_method(name, "__post_init__") is not None
        if made is None or not made.by_value or checks or name in self._inside:
            raise Unsupported(f"objects of {local} are not only what their fields say")
        self._inside.append(name)
        given = [Item(self.of(each.type), f"{each.name}=") for each in made.params]
        self._inside.pop()
        return self._call("builds", Text(self._imports.name(cls.module, local)), *given)

    def _record(self, keys: Iterable[Param]) -> Expr:
        """A dict with the keys that a class declares."""
        parts: dict[str, list[Item]] = {"": [], "optional=": []}
        for each in keys:
            parts["optional=" if each.kind == "keyword" else ""].append(
                Item(self.of(each.type), f"{quoted(each.name)}: ")
            )
        given = [Item(Group("{", tuple(items), "}"), name) for name, items in parts.items() if items or not name]
        return self._call("fixed_dictionaries", *given)
