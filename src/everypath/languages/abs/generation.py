"""The tests of one method of an actor program: explored symbolically, collected, compared over orders."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable

from everypath.cases.actor_cases import ActorCollector
from everypath.cases.actor_wording import dependences
from everypath.cases.actors import ActorSuite
from everypath.cases.model import Entry
from everypath.concurrency.system import Policy
from everypath.errors import BadInput
from everypath.explore.actors.exploration import ActorExploration
from everypath.explore.traces import branches_of
from everypath.ir.program import Program as LoweredProgram
from everypath.languages.abs.frontend.program import Class, Program
from everypath.languages.abs.frontend.related import queues, related
from everypath.languages.abs.lower import lower
from everypath.languages.abs.runtime.system import statics_of
from everypath.languages.abs.semantics.semantics import AbsSemantics
from everypath.logic.clock import now
from everypath.options import Options

Progress = Callable[[int, int, int], None]


def policies_of(program: Program, options: Options) -> dict[str, Policy]:
    """The policy of each class that has one."""
    found = {}
    for name, policy in options.actors.policies:
        cls = program.named_class(name)
        if cls is None:
            raise BadInput(f"there is no class `{name}`")
        found[cls.name] = Policy(policy)
    return found


def exploration_of(program: Program, options: Options, lowered: LoweredProgram | None = None) -> ActorExploration:
    """The symbolic exploration of a checked program; `lowered` saves lowering it again."""
    return ActorExploration(
        AbsSemantics(lowered or lower(program)),
        options,
        statics_of(program, options.actors.input_errors),
        policies_of(program, options),
    )


def generate_method(
    program: Program,
    cls: Class,
    method: str,
    options: Options,
    suite: ActorSuite,
    progress: Progress | None = None,
    lowered: LoweredProgram | None = None,
) -> None:
    """Collect the cases of one method into the suite; the counts are right even after an interrupt."""
    body = cls.method(method)
    assert body is not None
    started = now()
    exploration = exploration_of(program, options, lowered)
    module, _, name = cls.name.rpartition(".")
    entry = Entry(module, body.span.file, name, method, "method", body.span.line)
    lowered_body = exploration.program.find_method(cls.name, method)
    assert lowered_body is not None
    suite.branches = tuple(sorted(branches_of(exploration.program, lowered_body)))
    collector = ActorCollector(exploration, entry, suite, files_of(program))
    stats = suite.stats
    # States are many and short-lived, but rarely cyclic: frequent collections only cost time.
    thresholds = gc.get_threshold()
    gc.set_threshold(50_000, 20, 20)
    try:
        for queued in queues_of(program, cls, method, options):
            start = exploration.start(cls.name, method, queued)
            for execution in exploration.executions(start):
                collector.add(start, execution)
                if progress is not None:
                    progress(stats.paths, stats.cases, sum(stats.cut.values()))
        # One more task in the queue would have been a start of its own: that is what the bound cuts off.
        bound = options.actors.queue or 0
        stats.cut["queue"] += sum(len(queue) > bound for queue in queues_of(program, cls, method, options, 1))
        collector.finish(exploration.counts.complete)
    finally:
        gc.set_threshold(*thresholds)
        counts = exploration.counts
        stats.states = counts.states
        stats.executions = counts.executions
        stats.blocked = counts.blocked
        stats.probes = counts.probes
        stats.complete = counts.complete
        stats.steps = exploration.machine.steps
        stats.infeasible = exploration.machine.infeasible
        stats.decisions = dict(exploration.decider.counts)
        suite.dependences += dependences(suite.cases)
        stats.seconds = now() - started


def files_of(program: Program) -> frozenset[str]:
    """The user's own sources."""
    return frozenset(c.span.file for c in program.classes.values() if c.name.rpartition(".")[0] in program.modules)


def queues_of(program: Program, cls: Class, method: str, options: Options, more: int = 0) -> Iterable[tuple[str, ...]]:
    """The other tasks in the queue at the start: those that can make a difference, up to the bound and so many more."""
    bound = options.actors.queue or 0
    others = related(program, cls.name, method)[-1] if bound else frozenset()
    return queues(others, bound + more, _ordered(program, cls, options))


def _ordered(program: Program, cls: Class, options: Options) -> bool:
    return any(program.named_class(name) is cls and policy != "any" for name, policy in options.actors.policies)
