"""Which types fit where, and what the unknown types of generic calls turn out to be.

Data types never change, so their arguments may be subtypes: a `List<Int>` is a `List<Rat>`. The type arguments
of a generic call are metas; every value that flows into one raises its lower bound, every use lowers its upper
bound, and in the end a meta is its lower bound, or its upper one when nothing flowed in.
"""

from __future__ import annotations

from collections.abc import Iterable

from everypath.languages.abs.frontend import types as ty
from everypath.languages.abs.frontend.headers import Headers


class Subtyping:
    """The relation between types in one program."""

    def __init__(self, headers: Headers) -> None:
        self._headers = headers

    def fits(self, value: ty.Type, place: ty.Type) -> bool:
        """Whether a value may stand in a place; metas learn from it."""
        if value is place or value == place:
            return True
        if isinstance(value, (ty.Wrong, ty.NoValue)) or isinstance(place, (ty.Wrong, ty.NoValue)):
            return True
        if isinstance(place, ty.Meta):
            return self._raise(place, value)
        if isinstance(value, ty.Meta):
            return self._lower(value, place)
        if isinstance(value, ty.NullType):
            return is_reference(place)
        if isinstance(place, ty.InterfaceType):
            return place.name in self.supers(value)
        if isinstance(value, ty.DataType) and isinstance(place, ty.DataType):
            if value.name != place.name:
                return (value == ty.INT and place == ty.RAT) or (value.name == ty.FUT and place == ty.DESTINY)
            return all(self.fits(v, p) for v, p in zip(value.arguments, place.arguments))
        return False

    def supers(self, type: ty.Type) -> tuple[str, ...]:
        """The interfaces that objects of this type have."""
        if not isinstance(type, (ty.InterfaceType, ty.ClassType)):
            return ()
        declared = self._headers.interfaces if isinstance(type, ty.InterfaceType) else self._headers.classes
        return (*(declared[type.name].supers if type.name in declared else ()), ty.OBJECT.name)

    def _raise(self, meta: ty.Meta, value: ty.Type) -> bool:
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

    def _lower(self, meta: ty.Meta, place: ty.Type) -> bool:
        if _occurs(meta, place):
            return False
        if meta.lower is not None and not self.fits(meta.lower, place):
            return False
        if meta.upper is None or self.fits(place, meta.upper):
            meta.upper = place
            return True
        return self.fits(meta.upper, place)

    def join(self, one: ty.Type, other: ty.Type) -> ty.Type | None:
        """The smallest type that both fit, if there is one."""
        one, other = known(one), known(other)
        if one == other or isinstance(other, (ty.Wrong, ty.NoValue)):
            return one
        if isinstance(one, (ty.Wrong, ty.NoValue)):
            return other
        if isinstance(one, ty.Meta) or isinstance(other, ty.Meta):
            return one if self.fits(other, one) else other if self.fits(one, other) else None
        if isinstance(one, ty.NullType) and is_reference(other):
            return other
        if isinstance(other, ty.NullType) and is_reference(one):
            return one
        if isinstance(one, ty.DataType) and isinstance(other, ty.DataType):
            return self._join_data(one, other)
        return self._join_objects(one, other)

    def _join_data(self, one: ty.DataType, other: ty.DataType) -> ty.Type | None:
        if one.name == other.name:
            joined = [self.join(a, b) for a, b in zip(one.arguments, other.arguments)]
            return None if None in joined else ty.DataType(one.name, tuple(t for t in joined if t is not None))
        if {one, other} == {ty.INT, ty.RAT}:
            return ty.RAT
        return ty.DESTINY if {one.name, other.name} <= {ty.FUT, ty.DESTINY.name} else None

    def _join_objects(self, one: ty.Type, other: ty.Type) -> ty.Type | None:
        """The most special interface that both implement."""
        shared = [name for name in self.supers(one) if name in self.supers(other)]
        if not shared:
            return None
        least = [n for n in shared if not any(m != n and n in self.supers(ty.InterfaceType(m)) for m in shared)]
        return ty.InterfaceType(least[0] if least else ty.OBJECT.name)

    def join_all(self, types: Iterable[ty.Type]) -> ty.Type | None:
        """The smallest type that all fit; NO_VALUE for none at all."""
        found: ty.Type | None = ty.NO_VALUE
        for type in types:
            found = None if found is None else self.join(found, type)
        return found

    def comparable(self, one: ty.Type, other: ty.Type) -> bool:
        """Whether two values may be compared with `==` or `<`."""
        one, other = settled(one), settled(other)
        return self.fits(one, other) or self.fits(other, one)


def is_reference(type: ty.Type) -> bool:
    """Whether `null` is a value of the type: objects and futures."""
    if isinstance(type, ty.DataType):
        return type.name == ty.FUT or type == ty.DESTINY
    return isinstance(type, (ty.InterfaceType, ty.ClassType, ty.NullType, ty.Wrong))


def known(type: ty.Type) -> ty.Type:
    """What is known of a meta; other types are known."""
    return (_bound(type) or type) if isinstance(type, ty.Meta) else type


def settled(type: ty.Type) -> ty.Type:
    """The type with its metas replaced by what they turned out to be."""
    return ty.mapped(type, _settled_meta)


def _settled_meta(type: ty.Type) -> ty.Type | None:
    if not isinstance(type, ty.Meta):
        return None
    bound = _bound(type)
    return ty.NO_VALUE if bound is None else settled(bound)


def _occurs(meta: ty.Meta, type: ty.Type) -> bool:
    """Whether a type is made from the meta, so that the meta cannot be that type."""
    if isinstance(type, ty.Meta):
        bound = _bound(type)
        return bound is not None and (bound is meta or _occurs(meta, bound))
    if isinstance(type, ty.DataType):
        return any(argument is meta or _occurs(meta, argument) for argument in type.arguments)
    return False


def _bound(meta: ty.Meta) -> ty.Type | None:
    seen = {meta}
    bound = _nearer(meta)
    while isinstance(bound, ty.Meta):
        if bound in seen:
            return None
        seen.add(bound)
        bound = _nearer(bound)
    return bound


def _nearer(meta: ty.Meta) -> ty.Type | None:
    """`null` alone says less than the place it goes to."""
    if meta.lower is None or (meta.lower in (ty.NULL, ty.WRONG, ty.NO_VALUE) and meta.upper is not None):
        return meta.upper
    return meta.lower
