"""Measures how the cost of a heap grows with the number of same-typed references that a function touches."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from heaps import explore

from everypath.options import HEAPS

COUNTS = range(2, 13)
PATIENCE = {"lazy": 6.0, "solver": 12.0}
"""Seconds of one exploration after which a heap is not asked for more references."""


def numbers(count: int) -> str:
    """A function that writes a number through each reference, then branches on what it reads back."""
    names = [f"r{i}" for i in range(1, count + 1)]
    last = names[-1]
    lines = [
        "class Cell:",
        "    def __init__(self, f: int) -> None:",
        "        self.f = f",
        "",
        "",
        f"def touch({', '.join(f'{name}: Cell' for name in names)}) -> int:",
        *(f"    {name}.f = {i}" for i, name in enumerate(names, 1)),
        f"    total = {' + '.join(f'{name}.f' for name in names)}",
        *(f"    if {name}.f == {last}.f:\n        return {i}" for i, name in enumerate(names[:-1], 1)),
        f"    if total < {count * (count + 1) // 2}:\n        return -1",
        f"    if {names[0]}.f > {names[1]}.f:\n        return -2",
        "    return total",
    ]
    return "\n".join(lines) + "\n"


def links(count: int) -> str:
    """A function that chains the references, then follows the chain until it meets the last of them."""
    names = [f"r{i}" for i in range(1, count + 1)]
    lines = [
        "from __future__ import annotations",
        "",
        "",
        "class Cell:",
        "    def __init__(self, next: Cell | None) -> None:",
        "        self.next = next",
        "",
        "",
        f"def touch({', '.join(f'{name}: Cell' for name in names)}) -> int:",
        *(f"    {name}.next = {after}" for name, after in pairwise(names)),
        f"    node = {names[0]}.next",
    ]
    for i in range(1, count):
        lines += [f"    if node is None:\n        return {-i}", f"    if node is {names[-1]}:\n        return {i}"]
        lines += ["    node = node.next"]
    return "\n".join([*lines, "    return 0"]) + "\n"


FAMILIES: dict[str, Callable[[int], str]] = {"numbers": numbers, "links": links}


@dataclass(frozen=True, slots=True)
class GrowthRow:
    """One function of a family explored with one heap."""

    family: str
    references: int
    heap: str
    cases: int
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Both laws fitted to the same points by least squares on logarithms; a residual is a root mean square there."""

    points: int
    degree: float
    """cost = c * n ** degree"""
    power_residual: float
    base: float
    """cost = c * base ** n"""
    exponential_residual: float

    @property
    def better(self) -> str:
        """The law with the smaller residual."""
        return "polynomial" if self.power_residual <= self.exponential_residual else "exponential"


def line(xs: list[float], ys: list[float]) -> tuple[float, float]:
    """The slope of the least-squares line through the points, and the root mean square of what it leaves."""
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys)) / sum((x - middle_x) ** 2 for x in xs)
    left = sum((y - middle_y - slope * (x - middle_x)) ** 2 for x, y in zip(xs, ys))
    return slope, math.sqrt(left / len(xs))


def fit(counts: list[int], costs: list[float]) -> Fit | None:
    """Both laws; three points are the least that a law can miss."""
    if len(counts) < 3:
        return None
    logs = [math.log(max(cost, 1e-9)) for cost in costs]
    degree, power_residual = line([math.log(n) for n in counts], logs)
    rate, exponential_residual = line([float(n) for n in counts], logs)
    return Fit(len(counts), degree, power_residual, math.exp(rate), exponential_residual)


def measure(family: str, heap: str) -> Iterator[GrowthRow]:
    """The functions of a family, as long as the heap explores them in reasonable time."""
    with tempfile.TemporaryDirectory() as folder:
        for count in COUNTS:
            file = Path(folder) / f"{family}_{count}.py"
            file.write_text(FAMILIES[family](count), encoding="utf-8")
            target = f"{file}::touch"
            runs = [explore(target, heap, PATIENCE[heap])]
            while runs[-1].seconds < 0.2 and len(runs) < 5:
                runs.append(explore(target, heap, PATIENCE[heap]))
            if runs[0].capped:
                return
            yield GrowthRow(family, count, heap, runs[0].cases, runs[0].steps, min(run.seconds for run in runs))


def rows() -> Iterator[GrowthRow]:
    """Every family with both heaps that follow aliases."""
    for family in FAMILIES:
        for heap in ("solver", "lazy"):
            if heap in HEAPS:
                yield from measure(family, heap)
