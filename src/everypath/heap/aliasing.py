"""Two answers to "which object is it?": always a new one, or lazily any compatible input object."""

from __future__ import annotations

from everypath.errors import BadInput
from everypath.heap.heap import Heap, Inputs
from everypath.heap.values import Ref, Unknown
from everypath.ir.types import ArrayType, ClassType, DictType, ListType, SetType, Type


class NoAliasHeap(Heap):
    """Different input references are different objects."""

    __slots__ = ()

    def aliases(self, unknown: Unknown, type: Type) -> list[Ref]:
        return []


class LazyHeap(Heap):
    """Lazy initialisation: when a reference is first dereferenced it may be any input object seen so far.

    This is `get_cell` of Figure 11 of the tutorial, with known references looked up first.
    """

    __slots__ = ()

    def aliases(self, unknown: Unknown, type: Type) -> list[Ref]:
        return [ref for ref in self.first if self._compatible(ref, type)]

    def _compatible(self, ref: Ref, type: Type) -> bool:
        if isinstance(type, ClassType):
            if ref.cls == type.name:
                return True
            bound = self.class_bound(ref)
            program = self.inputs.program
            if ref.cls in ("list", "dict", "set"):
                return False
            if program.is_subclass(bound.bound, type.name):
                return True
            return not bound.exact and program.is_subclass(type.name, bound.bound) and type.name not in bound.excluded
        content = self.first[ref]
        if isinstance(type, ListType | ArrayType):
            return ref.cls == "list" and content.element == type.element
        if isinstance(type, DictType):
            cell = self.cells[ref]
            return ref.cls == "dict" and (cell.key, cell.value) == (type.key, type.value)
        assert isinstance(type, SetType)
        return ref.cls == "set" and self.cells[ref].key == type.element


def make_heap(name: str, inputs: Inputs) -> Heap:
    """The heap of this name."""
    heaps: dict[str, type[Heap]] = {"noalias": NoAliasHeap, "lazy": LazyHeap}
    if name not in heaps:
        raise BadInput(f"unknown heap {name!r}; choose one of {', '.join(sorted(heaps))}")
    return heaps[name](inputs)
