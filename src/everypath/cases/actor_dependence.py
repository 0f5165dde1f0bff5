"""Which inputs have outcomes that depend on the order of messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from everypath.cases.actor_wording import dependence_message, finding_of
from everypath.cases.actors import ActorCase
from everypath.cases.model import OrderDependence


def dependences(cases: Iterable[ActorCase]) -> list[OrderDependence]:
    """For each input with several outcomes the two that are easiest to compare.

    Outcomes where all ends well go first, then those with the shortest schedules.
    """
    outcomes: dict[Hashable, dict[Hashable, ActorCase]] = {}
    for case in cases:
        known = outcomes.setdefault(_input(case), {})
        outcome = _outcome(case)
        other = known.get(outcome)
        if other is None or len(case.schedule) < len(other.schedule):
            known[outcome] = case
    return [_dependence(list(known.values())) for known in outcomes.values() if len(known) > 1]


def _dependence(cases: list[ActorCase]) -> OrderDependence:
    def rank(case: ActorCase) -> tuple[bool, int]:
        return finding_of(case) is not None or case.expected.deadlock is not None, len(case.schedule)

    first = min(cases, key=rank)
    # A different result of the call tells more than a different field.
    others = [case for case in cases if case is not first]
    second = min(others, key=lambda case: (rank(case)[0], case.expected.result == first.expected.result, rank(case)[1]))
    return OrderDependence(first.id, second.id, dependence_message(first, second), first.entry.file, first.entry.line)


def _input(case: ActorCase) -> Hashable:
    """Actors are told by their names: in which order they were met is a question of the schedule."""
    inputs = case.inputs
    return frozenset(inputs.actors), inputs.tasks, frozenset(inputs.futures), frozenset(inputs.draws)


def _outcome(case: ActorCase) -> Hashable:
    expected = case.expected
    return (
        frozenset(expected.actors),
        expected.result,
        frozenset(expected.failures),
        expected.deadlock is not None,
        expected.output,
    )
