"""From the cases of an entry to those that become tests: named, run for real, and chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from everypath.cases.minimise import fewest, fewest_of_all
from everypath.cases.model import CallCase, Problem, SomeCase, SomeSuite
from everypath.generate.results import Listener, Run
from everypath.generate.surviving import insist, interrupt
from everypath.languages.base import Failed, Loaded, Module, Passed, Refused, Runtime
from everypath.options import Options
from everypath.records import replace

_LAST_BATCH = 20
"""Cases that are run together when there is only a moment left."""


def finish_entry(
    run: Run, listener: Listener, runtime: Runtime, module: Module, loaded: Loaded, suite: SomeSuite, options: Options
) -> None:
    """Name the cases, run them on the real runtime, and keep those that behave as predicted.

    They run in batches: an interrupt costs the batch, not those before it.
    """
    insist(run, listener, partial(run.language.complete, loaded, suite), len(suite.cases))
    named = suite.cases
    if not options.validate or not named:
        suite.cases = [case for case in named if _can_be_written(run, suite, case)]
        select(suite, options)
        return
    suite.cases = []
    done = 0
    try:
        while done < len(named):
            # All or nothing: after an interrupt the batch is run again, in smaller ones.
            batch = named[done : done + (_LAST_BATCH if run.interrupted else runtime.batch)]
            try:
                verdicts = list(runtime.run(loaded, suite, batch))
            except KeyboardInterrupt:
                if run.interrupted:
                    raise
                interrupt(run, listener, len(named) - done)
                continue
            done += len(batch)
            for verdict in verdicts:
                match verdict:
                    case Passed(case=case, way=way):
                        suite.cases.append(replace(case, validated=True))
                        module.ways[case.id] = way
                    case Refused(problem=problem):
                        _note_refusal(suite, problem)
                    case Failed(problem=problem, ours=ours):
                        suite.problems.append(problem)
                        run.defective |= ours
    finally:
        run.dropped += len(named) - done if run.interrupted else 0
        kept = {case.id for case in suite.cases}
        suite.dependences = [d for d in suite.dependences if d.first in kept and d.second in kept]
        select(suite, options)


def keep_validated(run: Run, suite: SomeSuite, options: Options) -> None:
    """Drop the cases that were not run although they should have been."""
    if options.validate:
        validated = [case for case in suite.cases if case.validated]
        run.dropped += len(suite.cases) - len(validated) if run.interrupted else 0
        suite.cases = validated
        suite.stats.cases = len(validated)


def settle_module(run: Run, listener: Listener, runtime: Runtime, module: Module, options: Options) -> None:
    """Make sure that tests which pass alone also pass together, in the order of their file."""
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


def select(suite: SomeSuite, options: Options) -> None:
    """Keep the cases that are asked for; all of them were run."""
    # Choosing needs more of a case than a run knows, but only sequential code has options that ask for it.
    calls = cast("list[CallCase]", suite.cases)
    _keep(suite, fewest(calls, options.select, options.tests, options.paths_per_test))


def select_in_module(module: Module, options: Options) -> None:
    """Keep no more cases of all functions of a module together than are asked for."""
    if options.file_tests is not None:
        found = [cast("list[CallCase]", suite.cases) for suite in module.suites]
        for suite, kept in zip(module.suites, fewest_of_all(found, options.file_tests, options.paths_per_test)):
            _keep(suite, kept)


def _keep(suite: SomeSuite, kept: Sequence[SomeCase]) -> None:
    suite.stats.left_out += len(suite.cases) - len(kept)
    suite.cases = list(kept)
    suite.stats.cases = len(kept)


def _can_be_written(run: Run, suite: SomeSuite, case: SomeCase) -> bool:
    """Whether a case that is not run can become a test; why not is noted."""
    language = run.language
    reason = language.writer(language.formats[0]).unwritable(suite, case)
    if reason is not None:
        entry = case.entry
        _note_refusal(suite, Problem("unsupported", entry.file, entry.line, f"{entry.qualified}: {reason}"))
    return reason is None


def _note_refusal(suite: SomeSuite, problem: Problem) -> None:
    """What cannot be run counts as unsupported, once per place."""
    unsupported = replace(problem, kind="unsupported")
    if unsupported not in suite.stats.unsupported:
        suite.stats.unsupported.append(unsupported)
