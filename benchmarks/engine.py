"""Measures our own engine: exploration only, in this process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from everypath.generate.exploring import explore_only
from everypath.options import Limits, Options

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

TARGETS = (
    ("papers/int_exp.py::int_exp", 20),
    ("papers/rem_all.py::List.rem_all", 3),
    ("papers/lcm.py::lcm", 1),
    ("papers/rational.py::Rational.simplify", 1),
    ("bounded_stack.py::move", 1),
    ("bst.py::Tree.insert", 2),
    ("bst.py::Tree.remove", 1),
    ("sorted_list.py::SortedList.insert", 4),
    ("sorted_list.py::merge", 2),
    ("account.py::transfer", 1),
    ("intervals.py::gap", 1),
    ("tokenizer.py::tokens", 1),
    ("inventory.py::Inventory.take", 1),
    ("triangle.py::classify", 1),
    ("calendar_rules.py::next_day", 1),
    ("shapes.py::larger", 1),
)
"""Programs of `examples/` with the loop bound they are explored to."""


@dataclass(frozen=True, slots=True)
class EngineRow:
    """One target explored `repeat` times; the counts are of one exploration."""

    target: str
    loops: int
    heap: str
    repeat: int
    cases: int
    steps: int
    seconds: float
    """of one exploration, on average"""
    decisions: dict[str, int]

    def rate(self, count: int) -> float:
        """`count` per second."""
        return count / self.seconds if self.seconds > 0 else 0.0


def measure(target: str, loops: int, heap: str = "lazy", *, at_least: float = 0.5, most: int = 200) -> EngineRow:
    """Explores the target again and again for `at_least` seconds."""
    options = Options(limits=Limits(loops=loops, time=60.0, paths=1_000_000), heap=heap)
    spent, repeat = 0.0, 0
    cases, steps, decisions = 0, 0, dict[str, int]()
    while repeat == 0 or (spent < at_least and repeat < most):
        cases, steps, seconds, decisions = explore_only(str(EXAMPLES / target), options)
        spent += seconds
        repeat += 1
    return EngineRow(target, loops, heap, repeat, cases, steps, spent / repeat, dict(decisions))
