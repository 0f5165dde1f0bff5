"""What each step of a schedule does: who creates and calls whom, and which fields change."""

from __future__ import annotations

from typing import Any

from everypath.cases.actors import ActorCase, ActorExpected, Value
from everypath.cases.json_forms import value_object
from everypath.cases.recordings import TURNS, Recording
from everypath.languages.abs.runtime.machine import Machine, resting_place
from everypath.languages.abs.runtime.outcomes import observed, to_case
from everypath.languages.abs.runtime.replay import Taken, state_for, steps
from everypath.languages.abs.runtime.state import State
from everypath.languages.abs.runtime.tracing import Steps, Tracing

MOST_TURNS = 1_000


def record(machine: Machine, case: ActorCase, taken: list[Taken]) -> tuple[Recording, ActorExpected]:
    """The steps of a case on the interpreter, and its outcome; `taken` gets the steps as they are taken."""
    told: list[dict[str, Any]] = []
    state, tasks = state_for(machine, case.inputs)
    fields = _fields(machine, state)
    watched = Steps(machine, state)
    for step in steps(machine, state, (turn.task for turn in case.schedule), Tracing(machine, watched)):
        taken.append(step)
        before, fields = fields, _fields(machine, state)
        lines = watched.taken()
        told.append({**_told(machine, state, step, _changes(before, fields)), **({"lines": lines} if lines else {})})
    found = observed(machine, state, next(iter(tasks.values())))
    return Recording(TURNS, tuple(told[:MOST_TURNS]), max(0, len(told) - MOST_TURNS)), found


_Fields = dict[str, dict[str, Value]]


def _fields(machine: Machine, state: State) -> _Fields:
    """The fields of every actor."""
    return {
        str(reference): {
            name: to_case(value)
            for name, value in zip(machine.compiled.classes[reference.label].fields, instance.values)
        }
        for reference, instance in state.objects.items()
    }


def _changes(before: _Fields, after: _Fields) -> dict[str, dict[str, Any]]:
    changed: dict[str, dict[str, Any]] = {}
    for name, fields in after.items():
        known = before.get(name, {})
        new = {field: value_object(value) for field, value in fields.items() if known.get(field) != value}
        if new or name not in before:
            changed[name] = new
    return changed


def _told(machine: Machine, state: State, step: Taken, changed: dict[str, dict[str, Any]]) -> dict[str, Any]:
    turn = step.turn
    told: dict[str, Any] = {"task": turn.task, "actor": turn.actor, "method": turn.method, "end": step.end}
    if step.sent:
        told["sent"] = [
            {
                "task": sent.task,
                "actor": sent.actor,
                "method": sent.method,
                "arguments": _arguments(machine, state, sent.task),
            }
            for sent in step.sent
        ]
    if step.created:
        told["created"] = list(step.created)
    if changed:
        told["actors"] = changed
    if step.text:
        told["prints"] = step.text
    if step.value is not None:
        told["value"] = value_object(step.value)
    resting = next((task for name, task in state.tasks.items() if str(name) == turn.task), None)
    if resting is not None:
        span = resting_place(resting.frames[-1])
        told["file"], told["line"] = span.file, span.line
    return told


def _arguments(machine: Machine, state: State, sent: str) -> list[Any]:
    """What a task that has not begun yet was called with."""
    name, task = next(((name, task) for name, task in state.tasks.items() if str(name) == sent), (None, None))
    if name is None or task is None or name.receiver is None:
        return []
    method = machine.compiled.program.classes[name.receiver.label].method(name.label)
    given = task.frames[0].slots[: len(method.parameters) if method is not None else 0]
    return [value_object(to_case(value)) for value in given]
