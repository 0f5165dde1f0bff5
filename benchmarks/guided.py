"""States that a guided search explores, against an unguided one: `python benchmarks/guided.py [--loops N] [TARGET...]`.

Each row is a function: states with `all`, `branches`, `local-paths`, and `points` for the line on the fewest paths, and
whether `branches` lost a branch or line that `all` covers. `+` marks a search that ran out of time; where both did,
there is no share. Functions with fewer than ten states are left out.

`least` is a lower bound for `branches`, whatever the order of the search: a solver that knows all paths finds the
smallest set of states that has, with each state, the one before it, and

- for each item (a line, or a side of a branch) that some path has, all states of such a path;
- for each item that no path has, every state from which the control-flow graph knows a way there: as long as one of
  these has not run, the item may still turn out to be feasible. `proof` is how many states these alone are.

Where the bound is more than a quarter of all states, no search for all branches does with a quarter.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import z3

from everypath.explore.outcomes import Finished, Uncaught
from everypath.explore.search.guidance.coverage import Coverage
from everypath.explore.search.guidance.guide import Guide
from everypath.explore.search.guidance.selections import call_graph, make_guide
from everypath.explore.search.starts import begin
from everypath.explore.search.subject import Subject
from everypath.explore.state import State, unchain
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
    items: dict[Path_, tuple[str, ...]] = field(default_factory=dict)
    """the choices of each finished path, and the wanted items on it"""
    missing: tuple[str, ...] = ()
    """the items that were wanted, and that no path has"""

    @property
    def shown(self) -> str:
        """The number of states."""
        return f"{self.states}{'' if self.complete else '+'}"


def explored(subject: Subject, select: str, loops: int, seconds: float) -> Explored:
    """Search a function."""
    options = Options(limits=Limits(loops=loops, time=seconds), select=select)
    begun = begin(subject, options, OpenInputs(bounds_of(options.limits)))
    guide = None if select == "all" else make_guide(subject, options)
    judge = _criterion(subject)
    result = Explored()
    for found in begun.paths(guide):
        ended = isinstance(found.state.outcome, (Finished, Uncaught))
        if ended:
            reached = {*branches_taken(found.state), *lines(found.state)}
            result.covered |= reached
            if guide is None and len(result.paths) <= MOST_PATHS:
                choices = tuple(unchain(found.state.choices))
                passed = judge.follow(judge.begin(found.state), unchain(found.state.trace), found.state)
                result.paths[choices], result.items[choices] = reached, judge.items(passed, found.state)
        result.complete &= getattr(found.state.outcome, "kind", "") != "time"
        if guide is not None:
            guide.ended(found.state, ended)
    if guide is not None and isinstance(guide.criterion, Coverage):
        result.missing = guide.criterion.missing
    result.states = begun.exploration.machine.states - (0 if guide is None else guide.unexplored)
    return result


def _criterion(subject: Subject) -> Coverage:
    return Coverage(subject, call_graph(subject), branches=True, statements=True)


class Proof(Guide):
    """Runs every state from which there may be a way to some items, and remembers which these are."""

    def __init__(self, criterion: Coverage) -> None:
        super().__init__(criterion)
        self.needed: set[Path_] = set()

    def select(self) -> State:
        """Note the state; one that a bound has ended says nothing by running."""
        state = super().select()
        if state.outcome is None and state.choices is not None:
            self.needed.add(tuple(unchain(state.choices)))
        return state


def needed(subject: Subject, items: tuple[str, ...], loops: int, seconds: float) -> set[Path_] | None:
    """The states that must run before it is proved that no path has the items; None if time was over."""
    options = Options(limits=Limits(loops=loops, time=seconds), select="branches")
    criterion = _criterion(subject)
    criterion.only(items)
    proof = Proof(criterion)
    begun = begin(subject, options, OpenInputs(bounds_of(options.limits)))
    for found in begun.paths(proof):
        if getattr(found.state.outcome, "kind", "") == "time":
            return None
        proof.ended(found.state, isinstance(found.state.outcome, (Finished, Uncaught)))
    return proof.needed


def least(items: dict[Path_, tuple[str, ...]], run: set[Path_]) -> int | None:
    """The states of the smallest set of paths that has the items that all have, with those that must run anyway.

    Only the latter, where it would take too long to find the set; None if that is nothing.
    """
    if not 0 < len(items) <= MOST_PATHS:
        return len(run) or None
    taken = {path[:k]: z3.Bool(str(path[:k])) for path in items for k in range(1, len(path) + 1)}
    solver = z3.Optimize()
    solver.set("timeout", 5000)
    for path, taking in taken.items():
        if len(path) > 1:
            solver.add(z3.Implies(taking, taken[path[:-1]]))
        if path in run:
            solver.add(taking)
    for item in set[str]().union(*items.values()):
        solver.add(z3.Or([taken.get(path, z3.BoolVal(True)) for path, covered in items.items() if item in covered]))
    goal = solver.minimize(z3.Sum([z3.If(taking, 1, 0) for taking in taken.values()]) if taken else z3.IntVal(0))
    if solver.check() != z3.sat or str(solver.lower(goal)) != str(solver.upper(goal)):
        return len(run) or None
    return int(str(solver.upper(goal))) + len(run - taken.keys())


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
    headings = (
        f"{'all':>8} {'branches':>9} {'share':>6} {'local':>8} {'point':>7} {'least':>7} {'proof':>6} {'lost':>5}"
    )
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
        must = needed(subject, found["branches"].missing, loops, seconds) if every.complete else set()
        bound = least(every.items, must or set()) if every.complete else None
        impossible += bound is not None and 4 * bound > every.states
        for way, each in found.items():
            counts = each.complete or every.complete
            quarter[way] += counts and 4 * each.states <= every.states
            more[way] += every.complete and each.states > every.states
        few = found["branches"]
        share = f"{few.states / every.states:6.2f}" if few.complete or every.complete else f"{'-':>6}"
        others = f"{found['local-paths'].shown:>8} {found['point'].shown:>7} {'-' if bound is None else bound:>7}"
        others += f" {'-' if must is None else len(must):>6}"
        lost = len(every.covered - few.covered)
        print(f"{name:42} {every.shown:>8} {few.shown:>9} {share} {others} {lost:5}", flush=True)
    told = ", ".join(f"{way} {quarter[way]}" for way in ways)
    print(f"--loops {loops}, {rows} functions; at most a quarter of the states: {told}; impossible on {impossible}")
    print(f"more states than unguided: {', '.join(f'{way} {more[way]}' for way in ways)}")


if __name__ == "__main__":
    main(sys.argv[1:])
