"""Ways to make input objects as a user of their classes would: a constructor, then some public methods.

An enumeration in the order of the number of calls, so that the first recipe that reaches a state is the simplest one. A
recipe is plain data (`paths.py`) and names classes and methods, so it can be stored and followed again; `Recipes` also
tells which types the parts of a recipe have in its program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product

from everypath.errors import Unsupported
from everypath.explore.semantics import Semantics
from everypath.heap.inputs import Inputs
from everypath.ir import types as t
from everypath.ir.instructions import (
    CallNative,
    CallStatic,
    CallValue,
    CallVirtual,
    DelField,
    DelItem,
    NoDefault,
    Param,
    SetField,
    SetItem,
    SetStatic,
    StaticDefault,
)
from everypath.ir.names import interface_of, is_hidden, stand_in
from everypath.ir.program import Method
from everypath.ir.types import Type
from everypath.paths import AnyState, AnyValue, Ingredient, LeftOut, NewObject, Recipe, SameObject, Several

MOST_CALLS = 2
"""The most public methods that are called, on all input objects together, before the call under test."""
_DEEPEST = 3
"""How deep constructors are nested in the arguments of constructors."""
_LONGEST = 2
"""The most objects in a list of objects."""
_EFFECTS = (SetField, SetItem, SetStatic, DelField, DelItem, CallVirtual, CallStatic, CallValue, CallNative)


class Recipes:
    """Enumerates how the inputs of a method can be made, those with the fewest calls first."""

    def __init__(
        self, semantics: Semantics, values: frozenset[str], lenient: bool = False, most: int | None = None
    ) -> None:
        """A `lenient` one leaves objects that no call makes in an arbitrary state, instead of raising Unsupported.

        Whoever takes no more than the first `most` recipes says so: classes that take objects of each other can be
        made in so many ways that listing them all has no end.
        """
        self.lenient = lenient
        self.most = most
        self.semantics = semantics
        self.program = semantics.program
        self.values = values
        """classes whose objects exist without being made: enumerations and typed dicts"""
        self._changing: dict[str, list[Method]] = {}
        self._known: dict[tuple[Type, int, int], list[Ingredient]] = {}

    def of(self, types: Sequence[Type], calls: int) -> Iterator[Recipe]:
        """The ways to make values of these types with exactly this many calls in total."""
        for split in _splits(calls, len(types)):
            every = [self._ways(type, count, 0) for type, count in zip(types, split)]
            for made in product(*every):
                yield made
                yield from self._shared(types, made, every)

    def _shared(self, types: Sequence[Type], made: Recipe, every: Sequence[Sequence[Ingredient]]) -> Iterator[Recipe]:
        """The same recipe with one object for two parameters, in place of a second one on which nothing was called."""
        for later, second in enumerate(made):
            # Sharing changes nothing about a second object that has a history of its own, so only the plain one is
            # replaced, and only in one of its variants: otherwise the same recipe would come several times.
            objects = [way for way in every[later] if isinstance(way, NewObject)]
            if not objects or second is not objects[0] or objects[0].calls:
                continue
            for place, first in enumerate(made[:later]):
                if isinstance(first, NewObject) and self._takes(types[later], first.cls):
                    yield (*made[:later], SameObject(place), *made[later + 1 :])

    def _takes(self, type: Type, cls: str) -> bool:
        options = type.options if isinstance(type, t.UnionType) else (type,)
        return any(isinstance(o, t.ClassType) and self.program.is_subclass(cls, o.name) for o in options)

    def makes_objects(self, types: Sequence[Type]) -> bool:
        """Whether any of the types has objects that are made."""
        return any(self._holds_objects(type) for type in types)

    def _ways(self, type: Type, calls: int, depth: int) -> list[Ingredient]:
        """The ways to make a value of a type.

        Combinations come in an order in which the first so many need no more than the first so many of each part.
        """
        key = (type, calls, depth)
        if key not in self._known:
            self._known[key] = list(islice(self._all_ways(type, calls, depth), self.most))
        return self._known[key]

    def _all_ways(self, type: Type, calls: int, depth: int) -> Iterator[Ingredient]:
        options = type.options if isinstance(type, t.UnionType) else (type,)
        if not calls and not all(map(self._holds_objects, options)):
            # An object that may be missing is one way; which value stands there instead is left open.
            yield AnyValue()
        for number, option in enumerate(options):
            try:
                if isinstance(option, t.ClassType) and self._is_made(option.name):
                    for cls in self._concrete(option.name):
                        yield from self._makes(cls, calls, depth)
                elif self._holds_objects(option) and not calls:
                    yield from self._collections(option, number, depth)
            except Unsupported:
                if not self.lenient:
                    raise
                if not calls:
                    yield AnyState()

    def open_part(self, type: Type) -> Type:
        """What `AnyValue` stands for where this type is declared."""
        options = type.options if isinstance(type, t.UnionType) else (type,)
        return t.union(tuple(option for option in options if not self._holds_objects(option)))

    def _collections(self, type: Type, option: int, depth: int) -> Iterator[Ingredient]:
        if isinstance(type, t.TupleType) and type.rest is None:
            for items in product(*(self._ways(element, 0, depth + 1) for element in type.elements)):
                yield Several("tuple", items, option)
        elif isinstance(type, t.ListType):
            element = self._ways(type.element, 0, depth + 1)
            for length in range(_LONGEST + 1):
                for items in product(element, repeat=length):
                    yield Several("list", items, option)
        else:
            raise Unsupported(f"--reachable makes lists and tuples of objects, but no {type}")

    @staticmethod
    def item_types(type: Type, several: Several) -> Sequence[Type]:
        """The types of the items of a list or tuple where this type is declared; none if it does not belong there."""
        options = type.options if isinstance(type, t.UnionType) else (type,)
        match options[several.option : several.option + 1]:
            case (t.TupleType(elements=elements),) if several.kind == "tuple":
                return elements
            case (t.ListType(element=element),) if several.kind == "list":
                return [element] * len(several.items)
        return ()

    def _makes(self, cls: str, calls: int, depth: int) -> Iterator[NewObject]:
        # Marks such as `MISSING = _Missing()` are made by the program only.
        if depth >= _DEEPEST or self.program.classes[cls].kept:
            return
        constructor = self.semantics.constructor(cls)
        if constructor is not None and constructor.hidden:
            return
        params = constructor.params[1:] if constructor is not None else ()
        arguments = [self._argument(cls, param, depth) for param in params]
        called = [
            (method.name, list(islice(product(*(self._argument(cls, p, depth) for p in method.params[1:])), self.most)))
            for method in (self._methods(cls) if calls else ())
        ]
        possible = [(name, given) for name, given in called if given]
        for sequence in product(possible, repeat=calls):
            for given in product(*arguments):
                for chosen in product(*(inputs for _, inputs in sequence)):
                    yield NewObject(cls, given, tuple(zip((name for name, _ in sequence), chosen)))

    def _argument(self, cls: str, param: Param, depth: int) -> list[Ingredient]:
        if _unknown(param):
            if param.kind == "star":
                return [LeftOut()]
            if isinstance(param.default, (NoDefault, StaticDefault)):
                raise Unsupported(
                    f"--reachable calls the constructor and methods of {_short(cls)}, "
                    f"but the type of their parameter {param.name!r} is not known; annotate it"
                )
            return [LeftOut()]
        return self._ways(param.type, 0, depth + 1)

    def _methods(self, cls: str) -> list[Method]:
        """The public methods that may change an object and whose arguments can be made."""
        if cls not in self._changing:
            found: dict[str, Method] = {}
            for base in self.program.mro(cls):
                owner = self.program.classes.get(base)
                for name, method in owner.methods.items() if owner is not None else ():
                    found.setdefault(name, method)
            written = (name for name in found if not name.startswith("_") and not is_hidden(name))
            public = [name for name in written if self._changes(found[name])]
            self._changing[cls] = [found[name] for name in sorted(public, key=lambda n: (found[n].span, n))]
        return self._changing[cls]

    def _changes(self, method: Method) -> bool:
        if method.hidden or method.kind != "instance" or any(map(_unknown, method.params[1:])):
            return False
        if any(self._holds_objects(param.type) for param in method.params[1:] if not _is_object(param.type)):
            return False
        return any(isinstance(i, _EFFECTS) for block in method.blocks.values() for i in block.instructions)

    def _concrete(self, cls: str) -> list[str]:
        classes = self._implementations(cls)
        if not classes:
            raise Unsupported(f"--reachable knows no class to make for {_short(cls)}")
        return classes

    def _implementations(self, cls: str) -> list[str]:
        """The classes at or below this one whose objects are made by calling them; stand-ins are not."""
        names = self.program.subclasses(cls)
        return [name for name in names if not self.program.classes[name].abstract and interface_of(name) is None]

    def _is_made(self, cls: str) -> bool:
        """Whether objects of the class are made by calls; an interface that nothing implements has only stand-ins."""
        known = self.program.classes.get(cls)
        if known is None or known.model or cls in self.values:
            return False
        return stand_in(cls) not in self.program.classes or bool(self._implementations(cls))

    def _holds_objects(self, type: Type) -> bool:
        match type:
            case t.ClassType(name=name):
                return self._is_made(name)
            case t.UnionType(options=options):
                return any(map(self._holds_objects, options))
            case t.ListType(element=element) | t.SetType(element=element) | t.ArrayType(element=element):
                return self._holds_objects(element)
            case t.DictType(key=key, value=value):
                return self._holds_objects(key) or self._holds_objects(value)
            case t.TupleType(elements=elements, rest=rest):
                return any(map(self._holds_objects, (*elements, *([] if rest is None else [rest]))))
        return False


def recipes_of(semantics: Semantics, inputs: Inputs, lenient: bool = False, most: int | None = None) -> Recipes:
    """The recipes for inputs that are arbitrary otherwise; members of enumerations and typed dicts are not made."""
    return Recipes(semantics, frozenset((*inputs.enumerations, *inputs.records)), lenient, most)


def _splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum of so many parts, with the most in the first parts first."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(total, -1, -1):
        for rest in _splits(total - first, parts - 1):
            yield (first, *rest)


def _is_object(type: Type) -> bool:
    options = type.options if isinstance(type, t.UnionType) else (type,)
    return all(isinstance(option, t.ClassType) or option == t.NONE for option in options)


def _unknown(param: Param) -> bool:
    match param.type:
        case t.TupleType(elements=(), rest=rest) if param.kind == "star":
            return rest == t.ANY
        case t.DictType(value=value) if param.kind == "doublestar":
            return value == t.ANY
    return param.type == t.ANY


def _short(cls: str) -> str:
    return cls.rpartition(".")[2]
