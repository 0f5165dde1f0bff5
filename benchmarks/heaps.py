"""Compares the heaps on our own data structures, loop-1, as "A CLP Heap Solver for Test Case Generation" does.

As there, the seconds are those until every path has concrete inputs; tests are not run. The operations of the paper's
table make the first one; a second one has methods that move nodes between two structures or rotate them, and read again
what they wrote, which is where aliasing costs most.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from engine import EXAMPLES

from everypath.generate.exploring import explore_only
from everypath.options import HEAPS, Limits, Options

STRUCTURES = {
    "DLL": "doubly_linked.py::DoublyLinkedList",
    "Seq": "node_sequence.py::NodeSequence",
    "PQ": "sorted_queue.py::SortedQueue",
    "BST": "search_tree.py::SearchTree",
    "HPQ": "heap_queue.py::HeapQueue",
    "AVL": "balanced_tree.py::BalancedTree",
}
"""The classes of `examples/structures/` under the names that the table has for them."""

METHODS = (
    "DLL.add",
    "DLL.remove",
    "Seq.remove_at",
    "Seq.replace_at",
    "PQ.insert",
    "PQ.remove_min",
    "BST.find",
    "BST.find_all",
    "BST.insert",
    "BST.remove",
    "HPQ.insert",
    "HPQ.remove_min",
)
"""Operations like those of the paper's Table 1."""

HARDER = (
    "DLL.add_range",
    "HPQ.take_min",
    "Seq.exchange",
    "Seq.move",
    "PQ.add_all",
    "PQ.take_min",
    "AVL.insert",
)
"""Methods beyond that table."""

COMPARED = tuple(heap for heap in ("noalias", "lazy", "solver") if heap in HEAPS)
"""In the order of the table's columns."""


@dataclass(frozen=True, slots=True)
class HeapRun:
    """One method explored with one heap; when it was capped, the counts are those until then."""

    cases: int
    steps: int
    seconds: float
    """CPU time of exploring and of solving each path for its inputs, the median of several"""
    capped: bool
    exploring: float | None = None
    """CPU time of exploring alone, where that was measured"""


@dataclass(frozen=True, slots=True)
class HeapRow:
    """One method with every heap."""

    method: str
    runs: dict[str, HeapRun]

    def ratio(self, heap: str, other: str) -> float | None:
        """How many times the seconds of `other` the first heap needs; None when one of them was not measured."""
        if heap not in self.runs or other not in self.runs:
            return None
        return self.runs[heap].seconds / max(self.runs[other].seconds, 1e-6)

    @property
    def exploring(self) -> float:
        """How many times the seconds of noalias the solver needs without solving paths."""
        return (self.runs["solver"].exploring or 0.0) / max(self.runs["noalias"].exploring or 0.0, 1e-6)


def explore(target: str, heap: str, cap: float, solve: bool = True) -> HeapRun:
    """One exploration of the target, loop-1, that stops after `cap` seconds."""
    options = Options(limits=Limits(loops=1, time=cap, paths=100_000_000), heap=heap)
    gc.collect()  # what an earlier run left behind is not this one's to pay for
    started = time.monotonic()
    cases, steps, seconds, _ = explore_only(target, options, solve)
    return HeapRun(cases, steps, seconds, time.monotonic() - started >= cap)


def measure(method: str, cap: float, *, repeat: int = 7) -> HeapRow:
    """Explores with the heaps in turn, so that a busy moment hits all of them; slow ones run once."""
    structure, _, name = method.partition(".")
    target = f"{EXAMPLES / 'structures' / STRUCTURES[structure]}.{name}"
    runs: dict[str, list[HeapRun]] = {heap: [explore(target, heap, cap)] for heap in COMPARED}
    alone: dict[str, list[float]] = {heap: [] for heap in COMPARED}
    for heap, found in runs.items():
        if found[0].seconds < 0.5:
            # The first exploration in a process also loads what later ones find loaded.
            runs[heap] = [explore(target, heap, cap)]
    for _ in range(repeat - 1):
        for heap, found in runs.items():
            if found[0].seconds < 0.5:
                found.append(explore(target, heap, cap))
            if heap != "lazy":
                alone[heap].append(explore(target, heap, cap, solve=False).seconds)
    return HeapRow(method, {heap: _median(found, alone[heap]) for heap, found in runs.items()})


def _median(found: list[HeapRun], alone: list[float]) -> HeapRun:
    seconds = statistics.median(run.seconds for run in found)
    exploring = statistics.median(alone) if alone else None
    return HeapRun(found[0].cases, found[0].steps, seconds, found[0].capped, exploring)


def rows(methods: tuple[str, ...], cap: float) -> Iterator[HeapRow]:
    """The methods, each with all heaps."""
    for method in methods:
        yield measure(method, cap)
