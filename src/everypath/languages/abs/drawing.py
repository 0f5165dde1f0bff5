"""The execution trees of an actor program, from its executions over all orders once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from everypath.cases.actor_cases import ActorCollector
from everypath.cases.actors import ActorCase, ActorSuite, Turn, names_of
from everypath.cases.conditions import describe
from everypath.cases.model import SomeSuite
from everypath.cases.order_tree import Order, leaf, order_tree
from everypath.cases.trees import Node, Tree
from everypath.concurrency.executions import Execution
from everypath.explore.actors.exploration import Start
from everypath.explore.actors.world import world_of
from everypath.explore.state import State
from everypath.languages.abs.generation import exploration_of, files_of, queues_of
from everypath.languages.abs.targets import MAIN, ActorTarget, actors_in
from everypath.languages.base import EntryPoint, Loaded
from everypath.options import Options
from everypath.records import replace

_SECONDS = 10.0
_MOST = 1_500
"""Executions that are drawn."""
_Names = Mapping[str, str]
_Known = Mapping[tuple[tuple[str, ...], tuple[int, ...]], str]
"""Schedule and choices -> the case that follows them."""


def draw(loaded: Loaded, entry: EntryPoint, options: Options, suite: SomeSuite) -> list[Tree]:
    """A tree for each content of the queue at the start; of a main block, what is known of its orders."""
    actors = cast("ActorSuite", suite)
    names = names_of(actors)
    if entry.kind == MAIN:
        return [_of_cases(actors, names)]
    source = actors_in(loaded)
    limits = replace(options.limits, time=min(_SECONDS, options.limits.time))
    drawing = _Drawing(source.target(entry.qualname), entry, replace(options, limits=limits), names)
    known = {(_tasks(case.schedule), case.choices): case.id for case in actors.cases}
    return list(drawing.trees(known))


def _tasks(turns: tuple[Turn, ...]) -> tuple[str, ...]:
    return tuple(turn.task for turn in turns)


def _shown(turns: tuple[Turn, ...], names: _Names) -> tuple[str, ...]:
    """Who makes each step, as findings call it; what no case has is told by its actor."""
    found = []
    for turn in turns:
        actor = names.get(turn.actor, turn.actor.partition("@")[0])
        found.append(f"{names.get(turn.task, f'{actor}.{turn.method}')} goes on")
    return tuple(found)


def _of_cases(suite: ActorSuite, names: _Names) -> Tree:
    """The orders of a main block, as far as there are cases: its search is concrete and keeps no more of them."""
    orders = [Order(_tasks(case.schedule), _shown(case.schedule, names), (), _end_of(case)) for case in suite.cases]
    return Tree("the main block", order_tree(orders), complete=False)


def _end_of(case: ActorCase) -> Node:
    expected, entry = case.expected, case.entry
    ended = "deadlock" if expected.deadlock is not None else "finished"
    return replace(leaf(ended, entry.file, entry.line, well=not expected.failures), case=case.id)


class _Drawing:
    """Follows all executions of one method again."""

    def __init__(self, target: ActorTarget, entry: EntryPoint, options: Options, names: _Names) -> None:
        self._program, self._method, self._options, self._names = target.program, entry.method, options, names
        self._cls = target.program.classes[entry.cls]
        self._entry = target.entry
        self._suite = ActorSuite(target.target, {})

    def trees(self, known: _Known) -> Iterator[Tree]:
        """A tree for each start."""
        exploration = exploration_of(self._program, self._options)
        collector = ActorCollector(exploration, self._entry, self._suite, files_of(self._program))
        left = _MOST
        for queued in queues_of(self._program, self._cls, self._method, self._options):
            start = exploration.start(self._cls.name, self._method, queued)
            orders: list[Order] = []
            numbers: list[int | None] = []
            for execution in exploration.executions(start):
                numbers.append(collector.add(start, execution))
                orders.append(self._order(collector, start, execution))
                left -= 1
                if left <= 0:
                    break
            ids = [known.get((_tasks(case.schedule), case.choices), "") for case in self._suite.cases]
            for number, order in zip(numbers, orders):
                if number is not None and ids[number]:
                    order.end.case = ids[number]
                    order.end.same = self._suite.cases[number].schedule != order.turns
            if orders:
                title = f"{self._method}, then {', '.join(queued)} in the queue" if queued else "an arbitrary actor"
                yield Tree(title, order_tree(orders), exploration.counts.complete and left > 0)
            if left <= 0:
                return

    def _order(self, collector: ActorCollector, start: Start, execution: Execution[State]) -> Order:
        state = execution.state
        turns = collector.schedule(execution)
        ended = execution.ended if execution.ended is not None else execution.outcome
        # Of an execution that a bound has stopped there may be nothing but the trace.
        condition = tuple(describe(state)) if state.world is not None else ()
        span = state.span()
        place = (span.file, span.line) if span.line else (self._entry.file, self._entry.line)
        well = state.world is None or not world_of(state).failed
        steps = tuple((event.task, event.label) for event in execution.events)
        return Order(steps, _shown(turns, self._names), condition, leaf(ended, *place, well=well), turns)
