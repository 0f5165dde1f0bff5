"""The heaps by name."""

from __future__ import annotations

from everypath.errors import BadInput
from everypath.heap.aliasing import LazyHeap, NoAliasHeap
from everypath.heap.heap import Heap
from everypath.heap.inputs import Inputs
from everypath.heap.solver import SolverHeap

HEAPS: dict[str, type[Heap]] = {"solver": SolverHeap, "noalias": NoAliasHeap, "lazy": LazyHeap}


def make_heap(name: str, inputs: Inputs) -> Heap:
    """The heap of this name."""
    if name not in HEAPS:
        raise BadInput(f"unknown heap {name!r}; choose one of {', '.join(sorted(HEAPS))}")
    return HEAPS[name](inputs)
