"""From the cases of an entry to those that become tests: named, run for real, and chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import monotonic
from typing import cast

from everypath.cases.minimise import fewest, fewest_of_all
from everypath.cases.model import CallCase, Problem, SomeCase, SomeSuite
from everypath.generate.results import Listener, Run
from everypath.generate.surviving import insist, interrupt
from everypath.languages.base import Failed, Loaded, Module, NotRun, Passed, Refused, Runtime
from everypath.options import Options
from everypath.records import replace

_LAST_BATCH = 20
"""How many cases are run together if there is only a moment left."""


def finish_entry(
    run: Run,
    listener: Listener,
    runtime: Runtime,
    module: Module,
    loaded: Loaded,
    suite: SomeSuite,
    options: Options,
    old: Sequence[SomeCase] = (),
) -> None:
    """Name the cases, choose those that are asked for, run them, and keep those that behave as predicted.

    Where a chosen one does not, others are chosen in its place, until all that are chosen have passed or the time is
    over. They run in batches: an interrupt costs the batch, not those before it. `old` cases of the same entry stay as
    they are, and the new ones are named and chosen beside them.
    """
    insist(run, listener, partial(_complete, run, loaded, suite, old), len(suite.cases))
    named = suite.cases
    if not options.validate or not named:
        suite.cases = [case for case in named if _can_be_written(run, suite, case)]
        select(suite, options, old)
        return
    runs = _Runs(run, listener, runtime, module, loaded, suite)
    waiting = usable = named
    try:
        while waiting := [case for case in chosen(usable, options, old) if case.id not in runs.passed]:
            if not runs.run(waiting):
                break
            usable = [case for case in usable if case.id in runs.passed or case.id not in runs.done]
    finally:
        left = sum(case.id not in runs.done for case in waiting)
        run.dropped += left if run.interrupted else 0
        if runs.over:
            _note_over(suite, left)
        if left:
            usable = [case for case in usable if case.id in runs.passed]
        suite.cases = [runs.passed.get(case.id, case) for case in usable]
        _keep_selected(suite, usable, module, options, old)


def _complete(run: Run, loaded: Loaded, suite: SomeSuite, old: Sequence[SomeCase]) -> None:
    """Name the cases; names tell them from old ones, too, which keep theirs."""
    if not old:
        run.language.complete(loaded, suite)
        return
    new = {case.id for case in suite.cases}
    together = replace(suite, cases=[*old, *suite.cases])
    run.language.complete(loaded, together)
    taken = {case.name for case in old}
    named = [case for case in together.cases if case.id in new]
    suite.cases = [replace(case, name=unique_name(case.name, taken)) if case.name else case for case in named]
    suite.plans = together.plans


def unique_name(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken; then it is taken."""
    unique, number = name, 2
    while unique in taken:
        unique, number = f"{name}_{number}", number + 1
    taken.add(unique)
    return unique


def _keep_selected(
    suite: SomeSuite, usable: Sequence[SomeCase], module: Module, options: Options, old: Sequence[SomeCase]
) -> None:
    """Leave those cases in the suite that are asked for; the module remembers the others."""
    select(suite, options, old)
    kept = {case.id for case in suite.cases}
    module.left_out += [case for case in usable if case.id not in kept]
    suite.dependences = [d for d in suite.dependences if d.first in kept and d.second in kept]


class _Runs:
    """The runs of the cases of one entry."""

    def __init__(
        self, run: Run, listener: Listener, runtime: Runtime, module: Module, loaded: Loaded, suite: SomeSuite
    ) -> None:
        self._run = run
        self._listener = listener
        self._runtime = runtime
        self._module = module
        self._loaded = loaded
        self._suite = suite
        self.done: set[str] = set()
        self.passed: dict[str, SomeCase] = {}
        self.over = False
        """whether there was no time for some cases"""

    def run(self, cases: Sequence[SomeCase]) -> bool:
        """Run the cases; return whether there was time for all of them."""
        at = 0
        while at < len(cases):
            if monotonic() >= self._runtime.until:
                self.over = True
                return False
            # All or nothing: after an interrupt the batch is run again, in smaller ones.
            batch = cases[at : at + (_LAST_BATCH if self._run.interrupted else self._runtime.batch)]
            try:
                verdicts = list(self._runtime.run(self._loaded, self._suite, batch))
            except KeyboardInterrupt:
                if self._run.interrupted:
                    raise
                interrupt(self._run, self._listener, len(cases) - at)
                continue
            at += len(batch)
            self.done |= {case.id for case in batch}
            for verdict in verdicts:
                match verdict:
                    case Passed(case=case, way=way):
                        self.passed[case.id] = replace(case, validated=True)
                        self._module.ways[case.id] = way
                    case NotRun(case=case):
                        self.done.discard(case.id)
                    case Refused(problem=problem):
                        _note_refusal(self._suite, problem)
                    case Failed(problem=problem, ours=ours):
                        self._suite.problems.append(problem)
                        self._run.defective |= ours
        self.over = not self.done.issuperset(case.id for case in cases)
        return not self.over


def keep_validated(run: Run, suite: SomeSuite, options: Options) -> None:
    """Drop the cases that should have been run but were not."""
    if options.validate:
        validated = [case for case in suite.cases if case.validated]
        run.dropped += len(suite.cases) - len(validated) if run.interrupted else 0
        suite.cases = validated
        suite.stats.cases = len(validated)


def settle_module(run: Run, listener: Listener, runtime: Runtime, module: Module, options: Options) -> None:
    """Make sure that tests that pass alone also pass together, in the order of their file."""
    if not module.suites or not options.validate:
        return
    settled = insist(run, listener, partial(runtime.settle, module), sum(1 for _ in module.cases))
    module.restore_state = settled.restore_state
    for suite in module.suites:
        suite.problems += [settled.unstable[case.id] for case in suite.cases if case.id in settled.unstable]
        suite.cases = [case for case in suite.cases if case.id not in settled.unstable]
        suite.stats.cases = len(suite.cases)
    if settled.restore_state and options.paths_per_test > 1:
        # Each path has a test of its own then, so fewer paths fit into as many tests.
        alone = replace(options, paths_per_test=1)
        for suite in module.suites:
            select(suite, alone)
        select_in_module(module, alone)


def select(suite: SomeSuite, options: Options, old: Sequence[SomeCase] = ()) -> None:
    """Keep the cases that are asked for."""
    _keep(suite, chosen(suite.cases, options, old))


def chosen(cases: Sequence[SomeCase], options: Options, old: Sequence[SomeCase] = ()) -> Sequence[SomeCase]:
    """Those of an entry's cases that are asked for, beside old ones that are there in any case."""
    # Choosing needs more of a case than a run knows, but only sequential code has options that ask for it.
    calls, there = cast("list[CallCase]", list(cases)), cast("list[CallCase]", list(old))
    return fewest(calls, options.select, options.tests, options.paths_per_test, there)


def select_in_module(module: Module, options: Options) -> None:
    """Keep at most as many cases of all functions of a module together as are asked for."""
    if options.file_tests is not None:
        found = [cast("list[CallCase]", suite.cases) for suite in module.suites]
        for suite, kept in zip(module.suites, fewest_of_all(found, options.file_tests, options.paths_per_test)):
            _keep(suite, kept)


def _keep(suite: SomeSuite, kept: Sequence[SomeCase]) -> None:
    if len(kept) < len(suite.cases):
        from everypath.cases.frontiers import leave_open

        ids = {case.id for case in kept}
        leave_open(suite, [case for case in suite.cases if case.id not in ids])
    suite.stats.left_out += len(suite.cases) - len(kept)
    suite.cases = list(kept)
    suite.stats.cases = len(kept)


def _can_be_written(run: Run, suite: SomeSuite, case: SomeCase) -> bool:
    """Whether a case that is not run can become a test; the reason is noted if it cannot."""
    language = run.language
    reason = language.writer(language.formats[0]).unwritable(suite, case)
    if reason is not None:
        entry = case.entry
        _note_refusal(suite, Problem("unsupported", entry.file, entry.line, f"{entry.qualified}: {reason}"))
    return reason is None


def _note_over(suite: SomeSuite, cases: int) -> None:
    """Report how many cases do not become tests because there was no time to run them."""
    target = suite.target.partition("::")
    message = f"{target[2]}: {cases} cases were found, but the time was over before they were run; raise the limit"
    suite.stats.cut["time"] += 1
    suite.problems.append(Problem("cut", target[0], 0, message))


def _note_refusal(suite: SomeSuite, problem: Problem) -> None:
    """Count what cannot be run as unsupported, once for each place."""
    unsupported = replace(problem, kind="unsupported")
    if unsupported not in suite.stats.unsupported:
        suite.stats.unsupported.append(unsupported)
