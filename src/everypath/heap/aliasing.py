"""Two answers to "which object is it?": always a new one, or lazily any compatible input object.

Lazy initialisation is that of "Generalized Symbolic Execution for Model Checking and Testing" (Khurshid, Pasareanu,
Visser): the first time that a reference is used it is null, one of the compatible objects met so far, or a new one,
and the path forks into all of these. Assumptions about the initial heap prune the alternatives that break them.
"""

from __future__ import annotations

from everypath.heap.assumptions import holds
from everypath.heap.heap import Heap
from everypath.heap.values import InitialList, Ref, Unknown, Value
from everypath.ir.types import ArrayType, ClassType, DictType, ListType, SetType, Type, element_kind


class NoAliasHeap(Heap):
    """Different input references are different objects."""

    __slots__ = ()


class LazyHeap(Heap):
    """Lazy initialisation: a reference that is dereferenced for the first time may be any input object seen so far.

    This is `get_cell` of Figure 11 of "Test Case Generation by Symbolic Execution", with known references looked up
    first.
    """

    __slots__ = ()

    def agrees(self) -> bool:
        assumptions = self.inputs.assumptions
        return not assumptions or all(holds(a, self._locate, self._successors) for a in assumptions)

    def _locate(self, name: str) -> Ref | None:
        """The initial object at an access path; None if it is null or nothing has looked at it."""
        head, *fields = name.split(".")
        # Through `first`, not `cells`: an assumption is about the heap before the call, whatever was assigned since.
        found = self._bound(self.inputs.roots.get(head))
        for field in fields:
            content = self.first.get(found) if isinstance(found, Ref) else None
            found = self._bound(content.get(field)) if isinstance(content, dict) else None
        return found if isinstance(found, Ref) else None

    def _bound(self, value: Value) -> Value:
        return self.bind.get(value) if isinstance(value, Unknown) else None

    def _successors(self, ref: Ref) -> list[Ref]:
        content = self.first[ref]
        if isinstance(content, dict):
            values = list(content.values())
        else:
            values = [value for entry in content.entries for value in entry]
        found = (self._bound(v) for value in values for v in (value if isinstance(value, tuple) else (value,)))
        return [ref for ref in found if isinstance(ref, Ref)]

    def aliases(self, unknown: Unknown, type: Type) -> list[Ref]:
        if isinstance(type, DictType) and unknown.name in self.inputs.keywords:
            # Named arguments are collected in a dict of their own.
            return []
        # What a library object keeps to itself is reached through that object only.
        if unknown.inside is not None:
            return []
        return [ref for ref in self.first if self._compatible(ref, type) and not (ref.origin and ref.origin.inside)]

    def _compatible(self, ref: Ref, type: Type) -> bool:
        if isinstance(type, ClassType):
            if ref.cls == type.name:
                return True
            bound = self.class_bound(ref)
            program = self.inputs.program
            # Collections have kinds in the place of class names, which are no classes of the program.
            if ref.cls in ("list", "dict", "set"):
                return False
            # The class of either may lie below the other one, as long as it is not yet known exactly; `Alias` then
            # narrows the object's class.
            if program.is_subclass(bound.bound, type.name):
                return True
            return not bound.exact and program.is_subclass(type.name, bound.bound) and type.name not in bound.excluded
        content = self.first[ref]
        if isinstance(type, (ListType, ArrayType)):
            return isinstance(content, InitialList) and element_kind(content.element) == element_kind(type.element)
        if isinstance(type, DictType):
            if ref.cls != "dict":
                return False
            cell = self.mapping(ref)
            return cell.name not in self.inputs.keywords and (cell.key, cell.value) == (type.key, type.value)
        assert isinstance(type, SetType)
        if ref.cls != "set":
            return False
        cell = self.mapping(ref)
        return (cell.key, cell.frozen) == (type.element, type.frozen)
