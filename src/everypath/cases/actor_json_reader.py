"""Reads the cases of a stored suite of an actor program, for replaying them."""

from __future__ import annotations

import json
from typing import Any

from everypath.cases.actor_json_values import KIND, VERSION, read_value
from everypath.cases.actors import (
    ActorCase,
    ActorExpected,
    ActorInputs,
    ActorState,
    Deadlock,
    Failure,
    Task,
    Turn,
    Wait,
)
from everypath.cases.model import Entry, Finding, Step
from everypath.cases.start_json import read_start
from everypath.errors import BadInput
from everypath.paths import QueuedTasks

_OWN_FINDINGS = ("deadlock", "runtime-error", "assertion")
"""Findings that are about one case alone."""


def is_actor_suite(document: object) -> bool:
    """Whether a JSON document is what `to_json` prints."""
    return isinstance(document, dict) and document.get("kind") == KIND


def read_cases(text: str) -> list[ActorCase]:
    """The cases in the printed object; BadInput says what is wrong with it."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise BadInput(f"is no JSON: {error}") from None
    if not is_actor_suite(document):
        raise BadInput("is no suite of an actor program: `everypath generate FILE.abs --format json` writes one")
    if document.get("version") != VERSION:
        raise BadInput(f"is a suite of version {document.get('version')}; this is for version {VERSION}")
    findings: dict[str, Finding] = {}
    try:
        for shown in document["findings"]:
            if shown["kind"] in _OWN_FINDINGS:
                finding = Finding(shown["kind"], shown["message"], shown["file"], shown["line"])
                findings.setdefault(shown["case"], finding)
        return [_case(shown, findings) for shown in document["cases"]]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadInput(f"is not a complete suite: {type(error).__name__}: {error}") from None


def _case(shown: dict[str, Any], findings: dict[str, Finding]) -> ActorCase:
    entry = shown["entry"]
    return ActorCase(
        id=shown["id"],
        entry=Entry(entry["module"], entry["file"], entry["class"], entry["name"], entry["kind"], entry["line"]),
        inputs=_inputs(shown["inputs"]),
        expected=_expected(shown["expected"]),
        schedule=tuple(Turn(turn["task"], turn["actor"], turn["method"]) for turn in shown["schedule"]),
        condition=tuple(shown["condition"]),
        trace=tuple(map(_step, shown["trace"])),
        covers=tuple(shown["covers"]),
        choices=tuple(shown["choices"]),
        # Suites of earlier versions do not say where a case starts.
        start=read_start(shown["start"]) if "start" in shown else QueuedTasks(),
        executions=shown.get("executions", 1),
        finding=findings.get(shown["id"]),
        validated=shown["validated"],
        name=shown.get("name", ""),
    )


def _step(text: str) -> Step:
    file, _, line = text.rpartition(":")
    return Step(file, int(line))


def _inputs(shown: dict[str, Any]) -> ActorInputs:
    return ActorInputs(
        _actors(shown["actors"]),
        tuple(
            Task(
                task["task"],
                task["actor"],
                task["method"],
                tuple((name, read_value(value)) for name, value in task["arguments"].items()),
            )
            for task in shown["tasks"]
        ),
        tuple((name, read_value(value)) for name, value in shown["futures"].items()),
        tuple((task, tuple(map(int, numbers))) for task, numbers in shown.get("draws", {}).items()),
    )


def _actors(shown: dict[str, Any]) -> tuple[ActorState, ...]:
    return tuple(
        ActorState(
            name,
            actor["class"],
            actor["processor"],
            tuple((field, read_value(value)) for field, value in actor["fields"].items()),
        )
        for name, actor in shown.items()
    )


def _expected(shown: dict[str, Any]) -> ActorExpected:
    deadlock = shown["deadlock"]
    return ActorExpected(
        read_value(shown["returns"]) if "returns" in shown else None,
        _actors(shown["actors"]),
        tuple(
            Failure(f["task"], read_value(f["exception"]), f["file"], f["line"], f["assertion"])
            for f in shown["failures"]
        ),
        None if deadlock is None else Deadlock(tuple(map(_wait, deadlock["waits"])), tuple(deadlock["cycle"])),
        shown["output"],
    )


def _wait(shown: dict[str, Any]) -> Wait:
    return Wait(
        shown["task"], shown["file"], shown["line"], shown["waits_for"], shown.get("actor", ""), shown.get("method", "")
    )
