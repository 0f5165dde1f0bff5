"""Which classes an object may have, and what they declare: worked out once for a program, for all its explorations."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.ir.names import interface_of
from everypath.ir.program import Method, Program
from everypath.ir.types import Type

Bound = tuple[str, tuple[str, ...], bool]
"""What is known about the class of an object: its upper bound, those that it is not, whether the bound is the class."""


class Hierarchy:
    """The classes of a program while none is added."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._descendants: dict[str, list[str]] = {}
        self._below: dict[Bound, frozenset[object]] = {}
        self._concrete: dict[Bound, tuple[str, ...]] = {}
        self._targets: dict[tuple[tuple[str, ...], str], tuple[Method | None, ...]] = {}
        self._plain_fields: dict[tuple[str, str], Type | None] = {}
        classes = program.classes.items()
        self.members = {name: cls.members for name, cls in classes if cls.members}
        """class of an enumeration -> the names of its members"""
        self.flags = {name: cls.flags for name, cls in classes if cls.members and cls.flags}
        """class of flags -> name of a member -> its bits"""
        self.records = {name: cls.keys for name, cls in classes if cls.keys is not None}
        """class of typed dicts -> its keys; the optional ones are keywords"""

    def subclasses(self, cls: str) -> list[str]:
        """The class itself and all its descendants."""
        known = self._descendants.get(cls)
        if known is None:
            known = self._descendants[cls] = self.program.subclasses(cls)
        return known

    def classes_below(self, bound: str, excluded: tuple[str, ...], exact: bool) -> frozenset[object]:
        """The classes that an object may have if this much is known about its class."""
        key = (bound, excluded, exact)
        known = self._below.get(key)
        if known is None:
            program = self.program
            classes = [bound] if exact or bound not in program.classes else self.subclasses(bound)
            out = [c for c in classes if any(program.is_subclass(c, e) for e in excluded)]
            known = self._below[key] = frozenset(classes).difference(out)
        return known

    def concrete_classes(self, bound: str, excluded: tuple[str, ...], exact: bool) -> tuple[str, ...]:
        """The classes that can be made among those that an object may have, in the program's order."""
        key = (bound, excluded, exact)
        known = self._concrete.get(key)
        if known is None:
            known = self._concrete[key] = (bound,) if exact else tuple(self._concrete_below(bound, excluded))
        return known

    def _concrete_below(self, bound: str, excluded: tuple[str, ...]) -> Iterator[str]:
        program = self.program
        for name in self.subclasses(bound):
            # What stands in for the interface itself will do for those below it.
            if program.classes[name].abstract or interface_of(name) not in (None, bound):
                continue
            if not any(program.is_subclass(name, out) for out in excluded):
                yield name

    def targets(self, classes: tuple[str, ...], name: str) -> tuple[Method | None, ...]:
        """The methods that a call reaches on objects of these classes, each once."""
        key = (classes, name)
        known = self._targets.get(key)
        if known is None:
            found = {id(method): method for method in (self.program.find_method(cls, name) for cls in classes)}
            known = self._targets[key] = tuple(found.values())
        return known

    def plain_field(self, cls: str, name: str) -> Type | None:
        """The type of a declared field that no method or property of the same name hides."""
        key = (cls, name)
        if key not in self._plain_fields:
            field = self.program.find_field(cls, name)
            hidden = self.program.profile.methods_are_attributes and self.program.find_method(cls, name) is not None
            plain = field is not None and not hidden
            self._plain_fields[key] = field.type if plain and field is not None else None
        return self._plain_fields[key]
