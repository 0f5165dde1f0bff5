"""Watches the interpreter while a schedule is followed: which lines of the program run, and what is known at each.

Translated code is Python, and every line of it knows the place in the source that it was made from. So Python's own
hook for debuggers is all that is needed, and programs that nobody watches are not slowed down. A call is a Python
frame; of a method that is cut into pieces, each of which is a frame of its own, it is the place of the method on the
stack of its task.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType, TracebackType
from typing import Any, Self

from everypath.cases.json_forms import value_object
from everypath.concurrency.names import Reference, TaskName
from everypath.languages.abs.runtime.compile import Body
from everypath.languages.abs.runtime.expressions import FILE
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.outcomes import to_case
from everypath.languages.abs.runtime.state import Instance, State
from everypath.languages.abs.runtime.statements import RETURNED
from everypath.languages.abs.runtime.values import Data, Died, Raised

MOST = 3_000
"""Steps of one run for which variables are told."""
Place = tuple[str, int]
_Known = dict[str, Any]


class Lines:
    """What is told of a run without its values: the lines in order, and which line followed which in the same call."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.arcs: dict[tuple[Place, Place], None] = {}
        self._last: dict[int, Place] = {}
        self._seen: set[Place] = set()

    def line(self, at: int, place: Place, frame: FrameType, body: Body) -> None:
        """A line is about to be executed, in the call with this number."""
        before = self._last.get(at)
        if before is not None:
            self.arcs[before, place] = None
        self._last[at] = place
        # Of a run that goes round for ever so long it is told what is new.
        if place not in self._seen or (self.places[-1] != place and len(self.places) < MOST):
            self.places.append(place)
            self._seen.add(place)

    def begins(self, at: int, above: tuple[int, ...], body: Body) -> None:
        """A call begins."""

    def fails(self, at: int) -> None:
        """The line where a call is raises an exception, which is a way that begins and ends there."""
        if at in self._last:
            self.arcs[self._last[at], self._last[at]] = None

    def ends(self, at: int, how: str, value: Any) -> None:
        """A call ends: it `returns` a value, or `raises` an exception."""


class Steps(Lines):
    """What a recording tells: lines with the variables and objects that have changed (`cases/recordings.py`)."""

    def __init__(self, machine: Machine, state: State) -> None:
        super().__init__()
        self._machine, self._state = machine, state
        self._variables: dict[int, _Known] = {}
        self._objects: dict[Reference, _Known] = {}
        self._news: dict[int, dict[str, Any]] = {}
        """what the first step of a call tells besides"""
        self.steps: list[dict[str, Any]] = []
        self._told = 0
        self.left_out = 0

    def taken(self) -> list[dict[str, Any]]:
        """The steps since this was asked last."""
        steps, self.steps = self.steps, []
        return steps

    def begins(self, at: int, above: tuple[int, ...], body: Body) -> None:
        """The number of a call may come again where a method rests in between."""
        self._news[at] = {"function": body.name, "above": list(above)}
        self._variables[at] = {}

    def line(self, at: int, place: Place, frame: FrameType, body: Body) -> None:
        """A step; lines of the translation that stand for the same line of the source are one."""
        again = self._last.get(at) == place and bool(self.steps) and self.steps[-1]["at"] == at
        super().line(at, place, frame, body)
        if again:
            return
        if self._told >= MOST:
            self.left_out += 1
            return
        step: dict[str, Any] = {"at": at, "line": place[1]}
        if at in self._news:
            step |= {"file": place[0], **self._news.pop(at)}
        self._changed(step, at, frame, body)
        self._add(step)

    def ends(self, at: int, how: str, value: Any) -> None:
        """The end of a call is a step at the line where it was."""
        if at not in self._last or at in self._news:
            return
        step: dict[str, Any] = {"at": at, "line": self._last[at][1]}
        if how == "raises":
            step["raises"] = value.name.rpartition(".")[2] if value.__class__ is Data else str(value)
        else:
            step["returns"] = _shown(value)
        self._add(step)

    def _add(self, step: dict[str, Any]) -> None:
        self._told += 1
        if self._told <= MOST:
            self.steps.append(step)
        else:
            self.left_out += 1

    def _changed(self, step: dict[str, Any], at: int, frame: FrameType, body: Body) -> None:
        known, now = self._variables[at], dict(_variables(frame, body))
        changed = {name: value for name, value in now.items() if name not in known or known[name] != value}
        gone = [name for name in known if name not in now]
        if changed:
            step["set"] = changed
        if gone:
            step["unset"] = gone
        self._variables[at] = now
        heap = {str(name): state for name, state in self._changed_objects(frame)}
        if heap:
            step["heap"] = heap

    def _changed_objects(self, frame: FrameType) -> Iterator[tuple[Reference, _Known]]:
        """Objects that are new, and the one whose code runs: in a step nothing else can change."""
        objects = self._state.objects
        this = frame.f_locals.get("I")
        watched = [this] if isinstance(this, Instance) else []
        watched += [each for name, each in objects.items() if name not in self._objects]
        for instance in watched:
            names = self._machine.compiled.classes[instance.reference.label].fields
            fields = {name: _shown(value) for name, value in zip(names, instance.values)}
            if self._objects.get(instance.reference) != fields:
                self._objects[instance.reference] = fields
                yield instance.reference, {"class": instance.reference.label, "fields": fields}


class Tracing:
    """Watches the steps that the interpreter takes inside of a `with`, and tells a listener."""

    def __init__(self, machine: Machine, listener: Lines) -> None:
        self._machine, self._listener = machine, listener
        self._spans = machine.compiled.spans
        self._bodies: Mapping[str, Body] = machine.compiled.bodies
        self._numbers: dict[FrameType, int] = {}
        self._resting: dict[tuple[TaskName, int], int] = {}
        """a task and a place on its stack -> the number of the call there"""
        self._calls = 0
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        sys.settrace(self._begun)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        sys.settrace(self._before)
        self._numbers.clear()

    def _begun(self, frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != FILE:
            return None
        body = self._bodies.get(frame.f_code.co_name)
        if body is None:
            return None
        at = self._number(frame, body)
        raised: list[BaseException] = []

        def watch(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            if event == "line":
                raised.clear()
                span = self._spans[frame.f_lineno - 1]
                if span.line and not span.file.startswith("<"):
                    self._listener.line(at, (span.file, span.line), frame, body)
            elif event == "exception":
                raised[:] = [argument[1]]
                self._listener.fails(at)
            elif event == "return":
                self._ended(at, body, argument, raised)
            return watch

        return watch

    def _ended(self, at: int, body: Body, value: Any, raised: list[BaseException]) -> None:
        # What a frame returns is None both where it ends so and where an exception leaves it.
        if value is None and raised:
            if isinstance(raised[0], (Raised, Died)):
                self._listener.ends(at, "raises", raised[0].value)
            else:
                self._listener.ends(at, "raises", type(raised[0]).__name__)
        elif not body.split:
            self._listener.ends(at, "returns", value)
        elif value == RETURNED:
            self._listener.ends(at, "returns", self._machine.running.result)

    def _number(self, frame: FrameType, body: Body) -> int:
        """Which call of the run a frame belongs to."""
        task = self._machine.running.current
        key = task.name, len(task.frames)
        if body.split and not body.first and key in self._resting:
            return self._resting[key]
        self._calls += 1
        number = self._calls
        above = self._above(
            frame, task.name, len(task.frames) - (body.split or task.frames[-1].code.native is not None)
        )
        if body.split:
            self._resting[key] = number
        else:
            self._numbers[frame] = number
        self._listener.begins(number, above, body)
        return number

    def _above(self, frame: FrameType, task: TaskName, resting: int) -> tuple[int, ...]:
        """The calls around: those that rest on the stack of the task, and native ones on Python's."""
        outer = tuple(self._resting[task, depth + 1] for depth in range(resting) if (task, depth + 1) in self._resting)
        native: list[int] = []
        at = frame.f_back
        while at is not None and at.f_code.co_name != "_run":
            if at in self._numbers:
                native.append(self._numbers[at])
            at = at.f_back
        return (*outer, *reversed(native))


def _variables(frame: FrameType, body: Body) -> Iterator[tuple[str, Any]]:
    """The variables of a body that have values."""
    found = frame.f_locals
    this = found.get("I")
    if isinstance(this, Instance):
        yield "this", {"$ref": str(this.reference)}
    slots = found.get("L")
    for name, place in body.variables.items():
        if isinstance(place, str):
            if place in found:
                yield name, _shown(found[place])
        elif slots is not None and slots[place] is not None:
            yield name, _shown(slots[place])


def _shown(value: Any) -> Any:
    return value_object(to_case(value))
