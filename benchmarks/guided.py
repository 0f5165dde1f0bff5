"""States that a guided search explores, against an unguided one: `python benchmarks/guided.py [--loops N] [TARGET...]`.

Each row is a function: states with `all`, `branches`, `local-paths`, and `points` for the line on the fewest paths, and
whether `branches` lost a branch or line that `all` covers. `fewest` are the states of the smallest set of paths that
covers the same, found by a solver that knows all paths: where these are more than a quarter, no search needs less. `+`
marks a search that ran out of time; where both did, there is no share. Functions with fewer than ten states are left
out.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import z3

from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.guidance.selections import make_guide
from everypath.explore.search.starts import begin
from everypath.explore.search.subject import Subject
from everypath.explore.state import unchain
from everypath.explore.traces import branches_taken, lines
from everypath.languages.every import language_of
from everypath.options import Limits, Options
from everypath.paths import OpenInputs, bounds_of
from everypath.records import dataclass, field

STRUCTURES = sorted((Path(__file__).parents[1] / "examples" / "structures").glob("*.py"))
LIBRARY = (
    "textwrap::shorten posixpath::commonpath bisect::insort_left heapq::heappushpop colorsys::rgb_to_hls "
    "colorsys::hls_to_rgb calendar::monthrange difflib::SequenceMatcher.ratio graphlib::TopologicalSorter.done "
    "fractions::Fraction.limit_denominator"
).split()
LEAST = 10
MOST_PATHS = 1000
"""For more paths nobody looks for the smallest set that covers the same."""
Path_ = tuple[int, ...]


@dataclass(slots=True)
class Explored:
    """What one search came to."""

    states: int = 0
    covered: set[object] = field(default_factory=set)
    """the branches and lines of finished paths"""
    complete: bool = True
    """whether the time was enough"""
    paths: dict[Path_, set[object]] = field(default_factory=dict)
    """the choices of each finished path, and what it covers"""

    @property
    def shown(self) -> str:
        """The number of states."""
        return f"{self.states}{'' if self.complete else '+'}"


def explored(subject: Subject, select: str, loops: int, seconds: float) -> Explored:
    """Search a function."""
    options = Options(limits=Limits(loops=loops, time=seconds), select=select)
    begun = begin(subject, options, OpenInputs(bounds_of(options.limits)))
    guide = None if select == "all" else make_guide(subject, options)
    result = Explored()
    for found in begun.paths(guide):
        ended = isinstance(found.state.outcome, (Finished, Uncaught))
        if ended:
            reached = {*branches_taken(found.state), *lines(found.state)}
            result.covered |= reached
            if len(result.paths) <= MOST_PATHS:
                result.paths[tuple(unchain(found.state.choices))] = reached
        result.complete &= getattr(found.state.outcome, "kind", "") != "time"
        if guide is not None:
            guide.ended(found.state, ended)
    result.states = begun.exploration.machine.states - (0 if guide is None else guide.unexplored)
    return result


def fewest(paths: dict[Path_, set[object]]) -> int | None:
    """The states of the smallest set of paths that covers what all do; None where it takes too long to find it."""
    if not 0 < len(paths) <= MOST_PATHS:
        return None
    taken = {path[:k]: z3.Bool(str(path[:k])) for path in paths for k in range(1, len(path) + 1)}
    solver = z3.Optimize()
    solver.set("timeout", 5000)
    for path, taking in taken.items():
        if len(path) > 1:
            solver.add(z3.Implies(taking, taken[path[:-1]]))
    for item in set[object]().union(*paths.values()):
        solver.add(z3.Or([taken.get(path, z3.BoolVal(True)) for path, covered in paths.items() if item in covered]))
    goal = solver.minimize(z3.Sum([z3.If(taking, 1, 0) for taking in taken.values()]) if taken else z3.IntVal(0))
    if solver.check() != z3.sat or str(solver.lower(goal)) != str(solver.upper(goal)):
        return None
    return int(str(solver.upper(goal)))


def rarest(paths: dict[Path_, set[object]]) -> str:
    """The line on the fewest paths, and of several the last one, as a selection."""
    times = Counter(item for covered in paths.values() for item in covered if isinstance(item, tuple))
    file, line = min(times, key=lambda place: (times[place], -place[1]))
    return f"points:{file}:{line}"


def subjects(targets: list[str]) -> Iterator[tuple[str, Subject]]:
    """The functions of the targets."""
    for target in targets or [*map(str, STRUCTURES), *LIBRARY]:
        loaded = language_of(target).loader(Options(validate=False))(target)
        for entry in loaded.entries:
            if not entry.problems:
                yield f"{entry.module}.{entry.qualname}", loaded.subject(entry)


def main(targets: list[str], loops: int = 2, seconds: float = 5.0) -> None:
    """Print the table."""
    if targets[:1] == ["--loops"]:
        loops, targets = int(targets[1]), targets[2:]
    ways = ("branches", "local-paths", "point")
    headings = f"{'all':>8} {'branches':>9} {'share':>6} {'local':>8} {'point':>7} {'fewest':>7} {'lost':>5}"
    print(f"{'function':42} {headings}")
    quarter, more = dict.fromkeys(ways, 0), dict.fromkeys(ways, 0)
    rows = impossible = 0
    for name, subject in subjects(targets):
        every = explored(subject, "all", loops, seconds)
        if every.states < LEAST or not every.paths:
            continue
        rows += 1
        found = {way: explored(subject, way, loops, seconds) for way in ways[:2]}
        found["point"] = explored(subject, rarest(every.paths), loops, seconds)
        least = fewest(every.paths) if every.complete else None
        impossible += least is not None and 4 * least > every.states
        for way, each in found.items():
            counts = each.complete or every.complete
            quarter[way] += counts and 4 * each.states <= every.states
            more[way] += counts and each.states > every.states
        few = found["branches"]
        share = f"{few.states / every.states:6.2f}" if few.complete or every.complete else f"{'-':>6}"
        others = f"{found['local-paths'].shown:>8} {found['point'].shown:>7} {'-' if least is None else least:>7}"
        lost = len(every.covered - few.covered)
        print(f"{name:42} {every.shown:>8} {few.shown:>9} {share} {others} {lost:5}", flush=True)
    told = ", ".join(f"{way} {quarter[way]}" for way in ways)
    print(f"--loops {loops}, {rows} functions; at most a quarter of the states: {told}; impossible on {impossible}")
    print(f"more states than unguided: {', '.join(f'{way} {more[way]}' for way in ways)}")


if __name__ == "__main__":
    main(sys.argv[1:])
