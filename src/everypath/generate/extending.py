"""Going on from an earlier suite: its cases stay as they are, and further paths are followed from where it stopped.

What the search finds is collected as ever, except that a path which a case of the suite already shows is none. Where
nothing tells how far the earlier search came (it was interrupted, or left too many paths to keep), the search starts
anew, and the keys of the cases alone keep it from repeating what there is. Orders of messages are always searched anew:
which ones `optimal` has to try is not known path by path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

from everypath.cases.frontiers import UNSOLVED
from everypath.cases.keys import digest
from everypath.cases.model import CallCase, CallSuite, SomeCase, SomeSuite
from everypath.generate.before import Before
from everypath.generate.exploring import explore_entry
from everypath.generate.parking import Slot
from everypath.generate.results import Run
from everypath.languages.base import EntryPoint, Explore, Loaded, Module, Progress
from everypath.options import Options
from everypath.paths import Frontier, Path
from everypath.records import replace


def parted(frontier: Sequence[Frontier], only: Path) -> tuple[list[Frontier], list[Frontier]]:
    """The frontier with just one of its leaves, and without it."""
    mine, others = [], []
    for each in frontier:
        chosen = tuple(leaf for leaf in each.leaves if Path(each.start, leaf.choices) == only)
        mine.append(replace(each, leaves=chosen))
        others.append(replace(each, leaves=tuple(leaf for leaf in each.leaves if leaf not in chosen)))
    return mine, others


class _Enough(Exception):
    """As many new cases were found as are asked for."""


class Growth:
    """An earlier suite of an entry that a run goes on from."""

    def __init__(self, earlier: SomeSuite, only: Path | None = None, enough: int | None = None) -> None:
        self.earlier = earlier
        self._enough = enough
        self._before: Before | None = None
        self._anew = False
        """whether the search knows nothing of the earlier one"""
        self._frontier: list[Frontier] = earlier.frontier
        self._waiting: list[Frontier] = []
        """what nobody has asked to go on from"""
        if only is not None:
            self._frontier, self._waiting = parted(earlier.frontier, only)

    def explore(
        self,
        explorer: Explore | None,
        loaded: Loaded,
        entry: EntryPoint,
        options: Options,
        suite: SomeSuite,
        progress: Progress,
        slot: Slot | None = None,
    ) -> None:
        """Collect the cases that the earlier suite lacks."""
        if _is_exhausted(self.earlier):
            suite.frontier = [*self.earlier.frontier]
        elif explorer is not None:
            self._anew = True
            try:
                explorer(loaded, entry, options, suite, self._until_enough(suite, progress))
            except _Enough:
                suite.stats.complete = False
        else:
            before = self._before = Before(
                tuple(cast("list[CallCase]", self.earlier.cases)), tuple(self._frontier), self._enough
            )
            explore_entry(loaded, entry, options, cast("CallSuite", suite), progress, before, slot)
        suite.cases = new_cases(self.earlier, suite.cases)

    def _until_enough(self, suite: SomeSuite, progress: Progress) -> Progress:
        """Ends a search that knows nothing of earlier ones when it has found as many new cases as are asked for."""
        if self._enough is None:
            return progress
        known = {each for case in self.earlier.cases for each in _identities(case)}
        seen = fresh = 0

        def listen(*counts: int) -> None:
            nonlocal seen, fresh
            progress(*counts)
            for case in suite.cases[seen:]:
                fresh += known.isdisjoint(_identities(case))
            seen = len(suite.cases)
            if fresh >= enough:
                raise _Enough

        enough = self._enough
        return listen

    def join(self, suite: SomeSuite) -> None:
        """Put what the earlier suite has in front of what was found now."""
        join(suite, self.earlier, self._waiting)
        # What there was before was met again, and counted.
        if self._before is not None and (self._before.restarted or not self._frontier):
            suite.stats.paths -= self.earlier.stats.paths
        elif self._anew:
            suite.stats.paths = max(suite.stats.paths - self.earlier.stats.paths, self.earlier.stats.paths)


def _is_exhausted(suite: SomeSuite) -> bool:
    """Whether every path came to its end, so that larger bounds can show nothing else."""
    stats = suite.stats
    left = sum(stats.cut.values()) or stats.unsupported or stats.unknown or stats.left_out or suite.wanted
    open_ends = any(each.leaves for each in suite.frontier)
    return stats.complete and bool(suite.cases) and not left and not open_ends


def carry(run: Run, module: Module, earlier: Callable[[str], SomeSuite | None]) -> None:
    """Keep the earlier suites of what is no entry of a module: its cases come of real runs, and none is looked for."""
    known = {f"{module.source.place}::{entry.qualname}" for loaded in module.programs for entry in loaded.entries}
    asked = [target.partition("::")[2] for target in module.targets]
    for loaded in module.programs:
        functions = [definition.qualname for definition in loaded.definitions]
        classes = [name.rpartition(".")[0] for name in functions if "." in name]
        for name in dict.fromkeys(filter(None, (*functions, *classes, run.language.statements))):
            target = f"{module.source.place}::{name}"
            if target in known or not any(f"{name}.".startswith(f"{each}." if each else "") for each in asked):
                continue
            known.add(target)
            suite = earlier(target)
            if suite is not None and suite.cases:
                module.suites.append(suite)
                module.ways.update(suite.ways)
                run.settle_refusal(name, suite)


def new_cases(earlier: SomeSuite, found: Sequence[SomeCase]) -> list[SomeCase]:
    """Those of the cases that an earlier suite lacks, with numbers that come after its own."""
    known = {each for case in earlier.cases for each in _identities(case)}
    fresh = [case for case in found if known.isdisjoint(_identities(case))]
    first = 1 + max((_number(case) for case in earlier.cases), default=0)
    return [replace(case, id=f"{case.id.rpartition('#')[0]}#{number}") for number, case in enumerate(fresh, first)]


def _identities(case: SomeCase) -> Iterator[str]:
    """Cases with one of these in common show the same."""
    if case.key:
        yield case.key
    if case.schedule:
        # Inputs and outcomes are what cases of actor programs are told apart by; of every execution where it is asked
        # for, which is when they have no keys.
        yield digest((case.inputs, case.expected, () if case.key else case.schedule))


def _number(case: SomeCase) -> int:
    number = case.id.rpartition("#")[2]
    return int(number) if number.isdecimal() else 0


def join(suite: SomeSuite, earlier: SomeSuite, waiting: Sequence[Frontier] = ()) -> None:
    """Put what an earlier suite has in front of what was found now: all of it, just as it was.

    What is still `waiting` of its frontier stays there.
    """
    old, stats = earlier.stats, suite.stats
    unsolved = sum(leaf.kind == UNSOLVED for each in earlier.frontier for leaf in each.leaves)
    suite.cases = [*earlier.cases, *suite.cases]
    suite.plans = {**suite.plans, **earlier.plans}
    suite.problems += [each for each in earlier.problems if each not in suite.problems and each.kind != "cut"]
    stats.cases = len(suite.cases)
    stats.paths += old.paths - unsolved
    stats.concretised += [each for each in old.concretised if each not in stats.concretised]
    stats.decisions = {layer: count + old.decisions.get(layer, 0) for layer, count in stats.decisions.items()}
    for name in ("states", "steps", "infeasible", "duplicates", "seconds"):
        setattr(stats, name, getattr(stats, name) + getattr(old, name))
    if suite.frontier:
        suite.frontier += [each for each in waiting if each.leaves]
        for each in waiting:
            for leaf in each.leaves:
                if leaf.kind in stats.cut:
                    stats.cut[leaf.kind] += 1
