"""Spreads the work of a run over processes: whole modules, or the functions of one where there are no more modules.

A process does with its item what the run itself would have done, and sends back what that has changed. The run takes
the parts in the order in which it would have made them, so that files, names and messages are the same for any number
of processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from time import monotonic
from typing import Any, Protocol

from everypath.cases.model import Problem
from everypath.generate.results import Listener, Run
from everypath.languages.base import EntryPoint, Load, Loaded, Module, Runtime, Source
from everypath.languages.depending import Notes
from everypath.planning.plan import Plan
from everypath.records import dataclass, replace
from everypath.workers.interrupts import interruptible
from everypath.workers.pool import Done, Lost, Pool, Tell, Told

_EVERY = 0.1
"""Seconds between two messages about how far a process has come."""
_EACH_MB = 400
"""Megabytes that a process of ours, and those that run its tests, may well need."""


@dataclass(slots=True)
class Part:
    """What the work on an item has changed."""

    run: Run
    module: Module
    remembered: Any
    """what the runtime keeps about the cases until their module is complete"""


class Work(Protocol):
    """The work of a run, as far as sharing it needs to know it."""

    run: Run
    plan: Plan
    listener: Listener
    runtime: Runtime
    jobs: int

    @property
    def load(self) -> Load:
        """Makes programs of targets."""

    def do_module(self, name: str) -> Module:
        """All that there is to do about a module, but for writing its file."""

    def do_entry(
        self, module: Module, source: Source, loaded: Loaded, entry: EntryPoint, target: str, left: int
    ) -> None:
        """Explore one entry of a module and run its cases."""

    def conclude(self, module: Module) -> None:
        """Hand a module over, and keep what was found about it for later runs."""

    def become_helper(self, listener: Listener) -> None:
        """Called in a new process: work for a run of its own, and alone."""


def spread_modules(work: Work, names: Sequence[str]) -> None:
    """Have processes do these modules; each is handed to the listener when those before it are."""
    sizes = [sum(_size(source.file) for source in work.plan.modules[name]) for name in names]
    # The largest first, so that none of them is left over when all others are done.
    order = sorted(range(len(names)), key=lambda number: -sizes[number])
    for number, part in _spread(work, order, lambda item: work.do_module(names[item])):
        name = names[number]
        sources = work.plan.modules[name]
        if isinstance(part, Lost):
            _note_lost(work.run, sources[0], "", part)
            work.run.conclude(name)
            continue
        _merge_run(work.run, part.run)
        module = work.run.modules[name] = part.module
        module.programs = [*filter(None, (_loaded_again(work, source) for source in sources))]
        work.conclude(module)


def spread_entries(
    work: Work, module: Module, source: Source, loaded: Loaded, todo: Sequence[tuple[EntryPoint, str, int]]
) -> None:
    """Have processes explore these entries of a module, which is loaded, and run their cases."""

    def do(number: int) -> Module:
        part = replace(module, suites=[], ways={}, left_out=[], untouched=set(), notes=Notes())
        with interruptible():
            work.do_entry(part, source, loaded, *todo[number])
        return part

    for number, part in _spread(work, range(len(todo)), do):
        if isinstance(part, Lost):
            _note_lost(work.run, source, todo[number][0].qualname, part)
            continue
        _merge_run(work.run, part.run)
        _merge_module(module, part.module)
        work.runtime.remember(part.remembered)


def _spread(work: Work, order: Sequence[int], do: Callable[[int], Module]) -> Iterator[tuple[int, Part | Lost]]:
    """Have processes do the items in this order, and give what they found, in the order of their numbers.

    What was not begun because of an interrupt is left out.
    """

    def helped(item: int, tell: Tell) -> Part:
        work.become_helper(_Telling(tell))
        module = do(item)
        # A program is large, and can be loaded again from its source; what the language does is not data.
        module.programs = []
        work.run.modules.clear()
        return Part(replace(work.run, language=None), module, work.runtime.remembered())  # type: ignore[arg-type]

    found: dict[int, Part | Lost] = {}
    at = 0
    with Pool(_affordable(work), helped) as pool:
        for message in pool.results(order):
            match message:
                case Told(what=("progress", *how_far)):
                    work.listener.progress(*how_far)
                case Told(what=("interrupted", cases)) if not work.run.interrupted:
                    work.run.interrupted = True
                    work.listener.interrupted(cases)
                case Done(item=item, result=part):
                    found[item] = part
                case Lost(item=item):
                    found[item] = message
            while at in found:
                yield at, found.pop(at)
                at += 1
        work.run.interrupted |= pool.ending
    for item in sorted(found):
        yield item, found[item]


def _affordable(work: Work) -> int:
    """As many of the processes as there is memory for."""
    try:
        with open("/proc/meminfo", encoding="ascii") as info:
            free = next(int(line.split()[1]) // 1024 for line in info if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        return work.jobs
    jobs = max(1, min(work.jobs, free // _EACH_MB))
    if jobs < work.jobs:
        work.plan.notes.append(f"--jobs {work.jobs}: there is memory for {jobs} at a time, so no more were used")
    return jobs


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:
        return 0


def _loaded_again(work: Work, source: Source) -> Loaded | None:
    """The program of a source, for those who write its tests; what is wrong with it was told before."""
    try:
        return work.plan.loaded.get(source) or work.load(source.target)
    except Exception:
        return None


class _Telling(Listener):
    """Sends what it hears to the process that waits for the result."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._next = 0.0

    def progress(self, target: str, paths: int, cases: int, cuts: int, findings: int) -> None:
        """Send how far it has come, now and then."""
        if monotonic() >= self._next:
            self._tell(("progress", target, paths, cases, cuts, findings))
            self._next = monotonic() + _EVERY

    def interrupted(self, cases: int) -> None:
        """Send that nothing new is begun."""
        self._tell(("interrupted", cases))


def _merge_run(run: Run, part: Run) -> None:
    """Add what a process found to the run."""
    run.rows += part.rows
    run.results += part.results
    run.problems += part.problems
    run.interrupted |= part.interrupted
    run.dropped += part.dropped
    run.defective |= part.defective
    run.unusable |= part.unusable
    run.failed |= part.failed


def _merge_module(module: Module, part: Module) -> None:
    """Add the tests of a function to its module."""
    module.suites += part.suites
    module.ways.update(part.ways)
    module.left_out += part.left_out
    module.untouched |= part.untouched
    module.notes.unchanged += part.notes.unchanged
    module.notes.entries.update(part.notes.entries)


def _note_lost(run: Run, source: Source, function: str, lost: Lost) -> None:
    """Tell that nothing is known about a function or module, because every process that worked on it died."""
    how = f"was ended by signal {-lost.code}" if lost.code < 0 else f"ended with exit code {lost.code}"
    name = function or source.module
    what = f"{name}: lost: the process that worked on it {how}, several times; try --jobs 1 or a larger --memory"
    problem = Problem("refused", source.file, 0, what)
    run.refuse(source, function, problem)
    run.problems.append(problem)
    # Whatever else was found: what was asked for is not there.
    run.failed = True
