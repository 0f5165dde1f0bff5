"""Follows the schedule of a test case exactly, and tells what can be observed at its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from everypath.cases import actors as suite
from everypath.concurrency.names import InitialReference, Name, Reference, TaskName
from everypath.errors import BadInput
from everypath.languages.abs.runtime.case_values import to_case
from everypath.languages.abs.runtime.machine import Machine, deep_calls
from everypath.languages.abs.runtime.outcomes import ASSERTION, deadlock
from everypath.languages.abs.runtime.running import Running
from everypath.languages.abs.runtime.start import state_for
from everypath.languages.abs.runtime.state import BLOCKED, READY, WAITING, Failure, State
from everypath.records import dataclass, replace

_FEW = 5
"""Names in a message."""


class Misfit(BadInput):
    """A schedule asks for a step that cannot be taken."""


class _Stable:
    """Names that are the same in every execution."""

    def __getitem__(self, name: Name) -> str:
        return str(name)


STABLE = _Stable()


@dataclass(frozen=True, slots=True)
class Taken:
    """What one macro-step did."""

    turn: suite.Turn
    sent: tuple[suite.Turn, ...]
    created: tuple[str, ...]
    text: str
    """what it printed"""
    end: str
    """`returns`, `fails`, `waits` (its processor is free), `blocks` (it keeps its processor) or `pauses`"""
    value: suite.Value | None
    """the result, or the exception"""


def turn_of(name: TaskName) -> suite.Turn:
    """A step of this task as schedules tell it; the main block runs on no actor."""
    return suite.Turn(str(name), str(name.receiver) if name.receiver is not None else "", name.label)


def follow(machine: Machine, state: State, schedule: Sequence[suite.Turn]) -> State:
    """The state after all steps of the schedule, which is the given one, changed."""
    for _ in steps(machine, state, (turn.task for turn in schedule)):
        pass
    return state


def steps(machine: Machine, state: State, schedule: Iterable[str]) -> Iterator[Taken]:
    """Take the steps of a schedule, given by the names of tasks, one at a time; changes the state.

    Misfit when a task is not there or cannot go on.
    """
    machine.writers = {}
    for number, wanted in enumerate(schedule, 1):
        name = next((name for name in state.tasks if str(name) == wanted), None)
        if name is None or not machine.may_go_on(state, name):
            raise Misfit(f"step {number} of the schedule: {_misfit(machine, state, wanted, name)}")
        with deep_calls():
            running = machine.step(state, name)
        for reference, instance in running.touched.items():
            for bit in range(instance.written.bit_length()):
                if instance.written >> bit & 1:
                    machine.writers[reference, bit] = name
        yield _taken(state, name, running)


def witnessed(
    machine: Machine, inputs: suite.ActorInputs, schedule: Iterable[str]
) -> tuple[suite.ActorInputs, tuple[suite.Turn, ...], suite.ActorExpected]:
    """Run a schedule, given by the names of tasks, for a case of it: its inputs with the random numbers that the
    run was given, its turns and its outcome."""
    state, tasks = state_for(machine, inputs)
    drew: list[tuple[str, int]] = []
    machine.running.drew = drew
    try:
        turns = tuple(taken.turn for taken in steps(machine, state, schedule))
    finally:
        machine.running.drew = None
    draws: dict[str, tuple[int, ...]] = {}
    for task, number in drew:
        draws[task] = (*draws.get(task, ()), number)
    found = observed(machine, state, next(iter(tasks.values())))
    return replace(inputs, draws=tuple(draws.items())), turns, found


def unfinished(machine: Machine, state: State) -> TaskName | None:
    """A task that can still go on."""
    return next(machine.moves(state), None)


def _misfit(machine: Machine, state: State, wanted: str, name: TaskName | None) -> str:
    possible = [str(other) for other in machine.moves(state)]
    more = [f"{len(possible) - _FEW} others"] if len(possible) > _FEW else []
    instead = f"; these can go on: {', '.join(possible[:_FEW] + more)}" if possible else "; no task can go on"
    if name is None:
        return f"there is no task `{wanted}`{instead}"
    task = state.tasks[name]
    holder = state.holders.get(name.cog)
    if task.status is BLOCKED:
        why = f"it waits for the result of `{task.waited}`"
    elif holder is not None:
        why = f"`{holder}` keeps its cog"
    elif task.status is WAITING:
        why = f"what it awaits at {machine.guard(task).span} does not hold"
    else:
        why = "its cog takes another task first"
    return f"`{wanted}` cannot go on: {why}{instead}"


def _taken(state: State, name: TaskName, running: Running) -> Taken:
    task = state.tasks.get(name)
    value: suite.Value | None = None
    if task is not None:
        end = {WAITING: "waits", BLOCKED: "blocks", READY: "pauses"}[task.status]
    else:
        found = running.result
        end = "fails" if isinstance(found, Failure) else "returns"
        value = to_case(found.value if isinstance(found, Failure) else found)
    return Taken(
        turn_of(name),
        tuple(map(turn_of, running.sent)),
        tuple(map(str, running.created)),
        "".join(running.texts),
        end,
        value,
    )


def observed(machine: Machine, state: State, root: TaskName) -> suite.ActorExpected:
    """Everything that can be observed at the end; `root` is the call under test, or the main task."""
    found = state.futures.get(root)
    has_result = root in state.futures and not isinstance(found, Failure) and root.receiver is not None
    failures = tuple(
        suite.Failure(
            str(name), to_case(failed.value), failed.span.file, failed.span.line, failed.value.name == ASSERTION
        )
        for name, failed in sorted(state.failed.items(), key=lambda item: (item[0], str(item[0])))
    )
    return suite.ActorExpected(
        to_case(found) if has_result else None,
        tuple(_actor(machine, state, reference) for reference in _in_order(state)),
        failures,
        _deadlock(machine, state),
        state.printed(),
    )


def _in_order(state: State) -> list[Reference]:
    """Those from the start as they were given, then the others by how they were created."""
    given = [reference for reference in state.objects if isinstance(reference, InitialReference)]
    created = [reference for reference in state.objects if not isinstance(reference, InitialReference)]
    return [*given, *sorted(created, key=lambda reference: (reference, str(reference)))]


def _actor(machine: Machine, state: State, reference: Reference) -> suite.ActorState:
    names = machine.compiled.classes[reference.label].fields
    values = state.objects[reference].values
    fields = tuple((name, to_case(value)) for name, value in zip(names, values))
    return suite.ActorState(str(reference), reference.label, str(reference.cog), fields)


def _deadlock(machine: Machine, state: State) -> suite.Deadlock | None:
    if not state.tasks:
        return None
    found = deadlock(machine, state, STABLE, machine.writers)
    turns = {str(name): turn_of(name) for name in state.tasks}
    waits = tuple(
        suite.Wait(
            wait.task, wait.span.file, wait.span.line, wait.reason, turns[wait.task].actor, turns[wait.task].method
        )
        for wait in found.waits
    )
    return suite.Deadlock(waits, found.cycle)
