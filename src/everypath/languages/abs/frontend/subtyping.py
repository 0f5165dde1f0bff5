"""Which types fit where, and what the unknown types of generic calls turn out to be.

Data types never change, so their arguments may be subtypes: a `List<Int>` is a `List<Rat>`. The type arguments
of a generic call are metas; every value that flows into one raises its lower bound, every use lowers its upper
bound, and in the end a meta is its lower bound, or its upper one when nothing flowed in.
"""

from __future__ import annotations

from collections.abc import Iterable

from everypath.languages.abs.frontend.headers import Headers
from everypath.languages.abs.frontend.types import (
    DESTINY,
    FUT,
    INT,
    NO_VALUE,
    NULL,
    OBJECT,
    RAT,
    WRONG,
    ClassType,
    DataType,
    InterfaceType,
    Meta,
    NoValue,
    NullType,
    Type,
    Wrong,
    mapped,
)


class Subtyping:
    """The relation between types in one program."""

    def __init__(self, headers: Headers) -> None:
        self._headers = headers

    def fits(self, value: Type, place: Type) -> bool:
        """Whether a value may stand in a place; metas learn from it."""
        if value is place or value == place:
            return True
        if isinstance(value, (Wrong, NoValue)) or isinstance(place, (Wrong, NoValue)):
            return True
        if isinstance(place, Meta):
            return self._raise(place, value)
        if isinstance(value, Meta):
            return self._lower(value, place)
        if isinstance(value, NullType):
            return is_reference(place)
        if isinstance(place, InterfaceType):
            return place.name in self.supers(value)
        if isinstance(value, DataType) and isinstance(place, DataType):
            if value.name != place.name:
                return (value == INT and place == RAT) or (value.name == FUT and place == DESTINY)
            return all(self.fits(v, p) for v, p in zip(value.arguments, place.arguments))
        return False

    def supers(self, type: Type) -> tuple[str, ...]:
        """The interfaces that objects of this type have."""
        if not isinstance(type, (InterfaceType, ClassType)):
            return ()
        declared = self._headers.interfaces if isinstance(type, InterfaceType) else self._headers.classes
        return (*(declared[type.name].supers if type.name in declared else ()), OBJECT.name)

    def _raise(self, meta: Meta, value: Type) -> bool:
        value = known(value)
        if value is meta:
            return True
        if _occurs(meta, value):
            return False
        before = meta.lower
        joined = value if before is None else self.join(before, value)
        if joined is None:
            return False
        meta.lower = joined
        if meta.upper is None or self.fits(joined, meta.upper):
            return True
        meta.lower = before
        return False

    def _lower(self, meta: Meta, place: Type) -> bool:
        if _occurs(meta, place):
            return False
        if meta.lower is not None and not self.fits(meta.lower, place):
            return False
        if meta.upper is None or self.fits(place, meta.upper):
            meta.upper = place
            return True
        return self.fits(meta.upper, place)

    def join(self, one: Type, other: Type) -> Type | None:
        """The smallest type that both fit, if there is one."""
        one, other = known(one), known(other)
        if one == other or isinstance(other, (Wrong, NoValue)):
            return one
        if isinstance(one, (Wrong, NoValue)):
            return other
        if isinstance(one, Meta) or isinstance(other, Meta):
            return one if self.fits(other, one) else other if self.fits(one, other) else None
        if isinstance(one, NullType) and is_reference(other):
            return other
        if isinstance(other, NullType) and is_reference(one):
            return one
        if isinstance(one, DataType) and isinstance(other, DataType):
            return self._join_data(one, other)
        return self._join_objects(one, other)

    def _join_data(self, one: DataType, other: DataType) -> Type | None:
        if one.name == other.name:
            joined = [self.join(a, b) for a, b in zip(one.arguments, other.arguments)]
            return None if None in joined else DataType(one.name, tuple(t for t in joined if t is not None))
        if {one, other} == {INT, RAT}:
            return RAT
        return DESTINY if {one.name, other.name} <= {FUT, DESTINY.name} else None

    def _join_objects(self, one: Type, other: Type) -> Type | None:
        """The most special interface that both implement."""
        shared = [name for name in self.supers(one) if name in self.supers(other)]
        if not shared:
            return None
        least = [n for n in shared if not any(m != n and n in self.supers(InterfaceType(m)) for m in shared)]
        return InterfaceType(least[0] if least else OBJECT.name)

    def join_all(self, types: Iterable[Type]) -> Type | None:
        """The smallest type that all fit; NO_VALUE for none at all."""
        found: Type | None = NO_VALUE
        for type in types:
            found = None if found is None else self.join(found, type)
        return found

    def comparable(self, one: Type, other: Type) -> bool:
        """Whether two values may be compared with `==` or `<`."""
        one, other = settled(one), settled(other)
        return self.fits(one, other) or self.fits(other, one)


def is_reference(type: Type) -> bool:
    """Whether `null` is a value of the type: objects and futures."""
    if isinstance(type, DataType):
        return type.name == FUT or type == DESTINY
    return isinstance(type, (InterfaceType, ClassType, NullType, Wrong))


def known(type: Type) -> Type:
    """What is known of a meta; other types are known."""
    return (_bound(type) or type) if isinstance(type, Meta) else type


def settled(type: Type) -> Type:
    """The type with its metas replaced by what they turned out to be."""
    return mapped(type, _settled_meta)


def _settled_meta(type: Type) -> Type | None:
    if not isinstance(type, Meta):
        return None
    bound = _bound(type)
    return NO_VALUE if bound is None else settled(bound)


def _occurs(meta: Meta, type: Type) -> bool:
    """Whether a type is made from the meta, so that the meta cannot be that type."""
    if isinstance(type, Meta):
        bound = _bound(type)
        return bound is not None and (bound is meta or _occurs(meta, bound))
    if isinstance(type, DataType):
        return any(argument is meta or _occurs(meta, argument) for argument in type.arguments)
    return False


def _bound(meta: Meta) -> Type | None:
    seen = {meta}
    bound = _nearer(meta)
    while isinstance(bound, Meta):
        if bound in seen:
            return None
        seen.add(bound)
        bound = _nearer(bound)
    return bound


def _nearer(meta: Meta) -> Type | None:
    """`null` alone says less than the place it goes to."""
    if meta.lower is None or (meta.lower in (NULL, WRONG, NO_VALUE) and meta.upper is not None):
        return meta.upper
    return meta.lower
