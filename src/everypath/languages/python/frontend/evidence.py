"""What the uses of a value say about its type: evidence is collected per variable and weighed at the end.

A `Slot` stands for a value and gathers what is done with it: which attributes are asked for, whether it is indexed,
called, compared with None, and so on. Two relations connect slots. Merged slots are one value and share all evidence
(union-find, as in unification). Lenders are different values that probably have the same type, such as both sides of
`==`: their evidence is only asked for where a slot has none itself.

`Judge.type_of` weighs the evidence of a slot, the strongest first: calling it, questions of `isinstance`, types that
are known from literals and results, attributes, and what only a collection, a number or a text can do. Slots may be
part of each other (the elements of a list of lists), so the search keeps in mind where it has been and how deep it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeVar

from everypath.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    FUNCTION,
    INT,
    NONE,
    STR,
    DictType,
    FunctionType,
    ListType,
    SetType,
    TupleType,
    Type,
    UnionType,
    optional,
    options_of,
    union,
)
from everypath.languages.python.cards import streams
from everypath.languages.python.cards.index import SAMPLED
from everypath.languages.python.frontend.annotations import PREDEFINED, scalar_type
from everypath.languages.python.frontend.modules import dotted

ClassesWith = Callable[[frozenset[str]], tuple[Type, ...]]
"""The classes whose objects have all these attributes."""

_MEMBERS = {kind.__name__: frozenset(dir(kind)) for kind in (str, list, dict, set, int, float, bytes)}
_LIKELY = {
    "index": "list", "count": "list", "copy": "list", "pop": "list", "clear": "list", "update": "dict",
    "remove": "list", "as_integer_ratio": "float", "is_integer": "float", "conjugate": "int", "real": "int",
    "imag": "int",
}  # fmt: skip
"""Which type a method means that several have."""
_LIBRARY = tuple(card for card in SAMPLED.values() if card.by_attributes)
"""Library classes that are known by their attributes, the likeliest first."""
STREAM = streams.STREAM.type
"""What is read or written like a text file."""
STREAM_MEMBERS = frozenset(dir(streams.STREAM.real))
_FLAGS = "called iterated sized sliced indexed number ordered nullable text hashed entered".split()
_ATOMS: dict[str, Type] = {"str": STR, "int": INT, "float": FLOAT, "bytes": BYTES}
_COLLECTIONS: dict[str, Type] = {"list": ListType(ANY), "dict": DictType(ANY, ANY), "set": SetType(ANY)}
_DEEPEST = 6
_Name = TypeVar("_Name", str, int)


class Slot:
    """One value and everything it is merged with: a parameter, a variable, a field, an element."""

    __slots__ = (*_FLAGS, *"alike attributes element fields items key lenders parent result tested types".split())

    def __init__(self) -> None:
        self.parent: Slot | None = None
        self.types: dict[Type, None] = {}
        """what it is known to be sometimes"""
        self.tested: dict[Type, None] = {}
        """what `isinstance` asks about"""
        self.alike: list[Slot] = []
        """values with whose type its own is compared"""
        self.attributes: set[str] = set()
        self.fields: dict[str, Slot] = {}
        self.items: dict[int, Slot] = {}
        self.element: Slot | None = None
        self.key: Slot | None = None
        self.result: Slot | None = None
        """what calling it gives"""
        self.lenders: list[Slot] = []
        """slots whose evidence counts when there is none here"""
        self.called = self.iterated = self.sized = self.sliced = self.indexed = False
        self.number = self.ordered = self.nullable = self.text = False
        self.hashed = False
        """whether it is a key somewhere"""
        self.entered = False
        """whether a `with` statement enters it; no type follows from that, but who calls for real may try a lock"""

    def find(self) -> Slot:
        """The slot that stands for this one after merging."""
        slot = self
        while slot.parent is not None:
            slot = slot.parent
        return slot

    def inside(self) -> Slot:
        """The slot of the elements, or of the values of a mapping."""
        root = self.find()
        root.element = root.element or Slot()
        return root.element.find()

    def gives(self) -> Slot:
        """The slot of what calls of this value give."""
        root = self.find()
        root.called = True
        root.result = root.result or Slot()
        return root.result.find()

    def keys(self) -> Slot:
        """The slot of the keys of a mapping."""
        root = self.find()
        root.key = key = (root.key or Slot()).find()
        key.hashed = True
        return key

    def lend(self, other: Slot) -> None:
        """Both may speak for each other where one has nothing to say."""
        self.borrow(other)
        other.borrow(self)

    def borrow(self, other: Slot) -> None:
        """The other one may speak for this one."""
        if self.find() is not other.find():
            self.find().lenders.append(other.find())

    def found_at(self, key: Slot) -> None:
        """The other one is among the keys of this mapping."""
        self.keys().lend(key)
        key.find().hashed = True

    def merge(self, other: Slot) -> Slot:
        """Both are the same value."""
        left, right = self.find(), other.find()
        if left is right:
            return left
        # Set first, because merging the parts below may come back to these two.
        right.parent = left
        left.types.update(right.types)
        left.tested.update(right.tested)
        left.alike += right.alike
        left.attributes |= right.attributes
        left.lenders += right.lenders
        for name in _FLAGS:
            setattr(left, name, getattr(left, name) or getattr(right, name))
        _merge_parts(left.fields, right.fields)
        _merge_parts(left.items, right.items)
        for part in ("element", "key", "result"):
            mine, theirs = getattr(left, part), getattr(right, part)
            if mine is not None and theirs is not None:
                mine.merge(theirs)
            elif mine is None:
                setattr(left, part, theirs)
        return left.find()


def _merge_parts(mine: dict[_Name, Slot], theirs: dict[_Name, Slot]) -> None:
    for name, slot in list(theirs.items()):
        if name in mine:
            mine[name].merge(slot)
        else:
            mine[name] = slot


def known(type_: Type) -> Slot:
    """The slot of a value of this type."""
    slot = Slot()
    slot.types[type_] = None
    return slot


class Judge:
    """Weighs evidence."""

    def __init__(self, classes_with: ClassesWith) -> None:
        self._classes_with = classes_with
        self._visiting: set[int] = set()
        self._depth = 0

    def type_of(self, slot: Slot) -> Type | None:
        """The type that explains the uses; ANY when none does, None without uses."""
        root = slot.find()
        if id(root) in self._visiting or self._depth > _DEEPEST:
            return None
        self._visiting.add(id(root))
        self._depth += 1
        try:
            found = self._own(root)
            # What serves as a key cannot be a list; where the code asks for the type, the answer counts as it is.
            if root.hashed and found is not None and not root.tested:
                found = _hashable(found)
            if found is None:
                found = self._borrowed(root)
            if found is None:
                # Nothing but None was ever seen, and nobody else may know more.
                return NONE if root.nullable and not root.lenders else None
            return optional(found) if root.nullable and found != ANY else found
        finally:
            self._depth -= 1
            self._visiting.discard(id(root))

    def argument_of(self, slot: Slot) -> Type | None:
        """The type of a parameter; if `isinstance` tests it, one of the options fails all of the tests."""
        found = self.type_of(slot)
        tested = [t for t in slot.find().tested if t != NONE]
        if not tested or found is None or slot.find().called:
            return found
        outsider = _outsider(tested, slot.find())
        kinds = [option for option in options_of(found) if option != NONE]
        return union((*kinds, outsider, found)) if _covered(union(kinds), tested) else found

    def alternatives(self, slot: Slot) -> Iterator[Type]:
        """The single types that anything hints at, the likeliest first, for when the best explanation is refuted."""
        root = slot.find()
        yield from options_of(self.type_of(slot) or ANY)
        yield from (self._filled(type_, root) for type_ in (*root.types, *root.tested))
        if root.attributes:
            yield from self._classes_with(frozenset(root.attributes))
            yield from options_of(self._by_attributes(root))
        yield self._as_collection(root) or ANY
        yield from (self.type_of(lender) or ANY for lender in root.lenders)

    def _borrowed(self, slot: Slot) -> Type | None:
        # Code that asks for the type says more than code that happens to pass a value on.
        for lender in sorted(slot.lenders, key=lambda lender: not lender.find().tested):
            found = self.type_of(lender)
            if found is not None and found not in (ANY, NONE) and (not slot.hashed or _hashable(found) == found):
                return found
        return None

    def _own(self, slot: Slot) -> Type | None:
        if slot.called:
            return FUNCTION if slot.result is None else FunctionType(self._inner(slot.result), FUNCTION.parameters)
        if slot.tested or slot.alike:
            tested = [t for t in slot.tested if t != NONE]
            rest = self._by_use(slot)
            if rest is None or rest == ANY:
                # The other side of the question needs a value too.
                rest = _outsider(tested, slot)
            alike = [self.type_of(like) for like in slot.alike]
            tested += [t for t in alike if t is not None and t not in (ANY, NONE, *tested)]
            options = [self._filled(t, slot) for t in tested] + ([rest] if not _covered(rest, tested) else [])
            return union(o for o in options if o != ANY) if options else None
        return self._by_use(slot)

    def _by_use(self, slot: Slot) -> Type | None:
        if types := [t for t in slot.types if t not in (ANY, NONE)]:
            return self._known(slot, types)
        if slot.attributes:
            return self._by_attributes(slot)
        found = self._as_collection(slot)
        if found is None and slot.number:
            return INT
        return STR if found is None and slot.text else found

    def _as_collection(self, slot: Slot) -> Type | None:
        """What indexing, `len` and iteration say about the value; None where the code does nothing of the kind."""
        if slot.indexed and slot.key is not None and not slot.sliced:
            key = _without_none(self.type_of(slot.key))
            key = None if key is None else _hashable(key)
            # Numbers are found in lists as well, and more often.
            if key is not None and key not in (INT, BOOL, ANY):
                return DictType(key, self._inner(slot.element))
        whole = slot.iterated or slot.sized or slot.sliced or slot.indexed or slot.element is not None
        if len(slot.items) > 1 and not whole:
            # Only single positions are of interest, each with a meaning of its own.
            return TupleType(tuple(self._inner(slot.items.get(i)) for i in range(max(slot.items) + 1)))
        return self._sequence(slot) if whole or slot.items else None

    def _known(self, slot: Slot, types: list[Type]) -> Type:
        if FLOAT in types and all(t in (FLOAT, INT, BOOL) for t in types):
            # Wherever a float is possible, integers are accepted as well; floats show more.
            return FLOAT
        if INT in types and BOOL in types:
            types.remove(BOOL)
        if slot.number and not any(t in (INT, FLOAT) for t in types) and BOOL in types:
            types[types.index(BOOL)] = INT
        # More than three are no parameter that takes several types, but a name that is used for several things.
        return union(self._filled(t, slot) for t in types[:3])

    def _filled(self, type_: Type, slot: Slot) -> Type:
        match type_:
            case ListType(inner) if inner == ANY:
                return ListType(self._element(slot))
            case SetType(inner, frozen) if inner == ANY:
                return SetType(self._element(slot), frozen)
            case DictType(key, value):
                key = self._key(slot.key) if key == ANY else key
                return DictType(key, self._element(slot) if value == ANY else value)
            case TupleType((), rest) if rest == ANY:
                return TupleType((), self._element(slot))
        return type_

    def _element(self, slot: Slot, element: Slot | None = None) -> Type:
        """The type of the elements, from their uses here, else from those in the collections that may speak for it."""
        element = element or slot.element
        found = self.type_of(element) if element is not None else None
        for lender in slot.lenders if found is None else ():
            root = lender.find()
            if id(root) not in self._visiting and (root.element is not None or root.items):
                found = found or self.type_of(root.element or next(iter(root.items.values())))
        return INT if found is None or found in (ANY, NONE) else found

    def _inner(self, slot: Slot | None, otherwise: Type = INT) -> Type:
        """The type of a part; where any would do, integers, which are the easiest to read."""
        found = self.type_of(slot) if slot is not None else None
        return otherwise if found is None or found in (ANY, NONE) else found

    def _key(self, slot: Slot | None) -> Type:
        """The type of keys; where any would do, texts, unless the keys are also used as values elsewhere."""
        shared = slot is not None and bool(slot.find().lenders)
        return self._inner(slot, INT if shared else STR)

    def _sequence(self, slot: Slot) -> Type:
        if slot.text and not slot.items:
            return STR
        # `x[0]` and `for y in x` on the same value: it has elements of one type, not positions with a meaning.
        element = slot.element
        for item in slot.items.values():
            element = item if element is None else element.merge(item)
        if element is None or self.type_of(element) is None:
            # It is a sequence of something; where it comes from or goes to may tell which.
            borrowed = self._borrowed(slot)
            if borrowed in (STR, BYTES) or isinstance(borrowed, (ListType, TupleType)):
                return borrowed
        return ListType(self._element(slot, element))

    def _by_attributes(self, slot: Slot) -> Type:
        names = slot.attributes
        own = self._classes_with(frozenset(names))
        if (likely := likely_kind(names)) is None:
            return union(own[:2]) if own else _library_object(names) or _several_kinds(names)
        kinds = _kinds_with(names)
        if slot.text and "str" in kinds:
            likely = "str"
        elif slot.key is not None and "dict" in kinds:
            likely = "dict"
        return _ATOMS[likely] if likely in _ATOMS else self._filled(_COLLECTIONS[likely], slot)


def likely_kind(names: set[str]) -> str | None:
    """The builtin class that objects with these attributes most likely have, None if no builtin class has them all."""
    kinds = _kinds_with(names)
    return next((_LIKELY[n] for n in sorted(names) if _LIKELY.get(n) in kinds), kinds[0]) if kinds else None


def _kinds_with(names: set[str]) -> list[str]:
    return [kind for kind, members in _MEMBERS.items() if names <= members]


def _hashable(type_: Type) -> Type | None:
    """The part of a type whose values can be keys; what looks like a list must then be a tuple."""
    match type_:
        case ListType(ListType()):
            # Cells of linked lists look like this, and what they hold besides each other is no list.
            return None
        case ListType(element):
            inner = _hashable(element)
            return None if inner is None else TupleType((), inner)
        case DictType() | SetType():
            return None
        case UnionType(options):
            kept = [made for option in options if (made := _hashable(option)) is not None]
            return union(kept) if kept else None
    return type_


def _several_kinds(names: set[str]) -> Type:
    """The builtin types that have these attributes together, where no single one has them all."""
    found: dict[str, None] = {}
    for name in sorted(names):
        if not any(name in _MEMBERS[kind] for kind in found):
            kind = next((kind for kind, members in _MEMBERS.items() if name in members), None)
            if kind is None:
                return ANY
            found[kind] = None
    types: dict[str, Type] = {"list": ListType(INT), "dict": DictType(STR, INT), "set": SetType(INT), **_ATOMS}
    return union(types[kind] for kind in found)


def _library_object(names: set[str]) -> Type | None:
    """The first library class with all these attributes."""
    if names <= STREAM_MEMBERS:
        return STREAM
    return next((card.type for card in _LIBRARY if names <= set(dir(card.real))), None)


def _without_none(type_: Type | None) -> Type | None:
    if isinstance(type_, UnionType):
        return union(o for o in type_.options if o != NONE)
    return None if type_ == NONE else type_


def _outsider(tested: list[Type], slot: Slot) -> Type:
    """A type that is none of these; if the value is iterated over in any case, one that can be."""
    if slot.iterated and STR in tested and not any(isinstance(t, SetType) for t in tested):
        return SetType(INT)
    return next(other for other in (STR, INT, NONE) if other not in tested or other == NONE)


def _covered(rest: Type, tested: list[Type]) -> bool:
    return all(
        any(o == t or (type(o) is type(t) and isinstance(o, (ListType, DictType, SetType, TupleType))) for t in tested)
        for o in options_of(rest)
    )


def constant(value: object) -> Slot:
    """The slot of a literal."""
    slot = Slot()
    slot.nullable = value is None
    if (scalar := scalar_type(value)) is not None:
        slot.types[scalar] = None
        slot.text = scalar == STR
    return slot


def annotated(node: ast.expr | None) -> Type | None:
    """The type of a simple annotation; what needs to be looked up is not evidence here."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return PREDEFINED.get(node.value)
    return PREDEFINED.get(dotted(node)) if isinstance(node, (ast.Name, ast.Attribute)) else None
