"""Suites of actor programs as one JSON object, and their cases back again; `actor_schema.json` describes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from everypath.cases.actor_json_reader import is_actor_suite, read_cases
from everypath.cases.actor_json_values import KIND, VERSION, value_object
from everypath.cases.actors import (
    ActorCase,
    ActorExpected,
    ActorInputs,
    ActorState,
    ActorSuite,
    Deadlock,
    Turn,
    names_of,
    renamed,
)
from everypath.cases.json_writer import plain_object, problem_object, stats_object
from everypath.cases.model import OrderDependence, Problem, Stats, Suite
from everypath.cases.schemas import packaged_schema
from everypath.cases.start_json import start_object

__all__ = ["actor_schema", "as_object", "is_actor_suite", "read_cases", "to_json"]


def to_json(suites: ActorSuite | Sequence[ActorSuite], problems: Sequence[Problem] = ()) -> str:
    """The suites as one object, their cases one after the other and their counts added up.

    `problems` are those that belong to no suite.
    """
    return json.dumps(as_object(suites, problems), indent=2, default=str, allow_nan=False) + "\n"


def actor_schema() -> dict[str, Any]:
    """The JSON Schema of what `to_json` prints."""
    return packaged_schema("actor_schema.json")


def as_object(suites: ActorSuite | Sequence[ActorSuite], problems: Sequence[Problem] = ()) -> dict[str, Any]:
    """The object before it is printed."""
    given = [suites] if isinstance(suites, Suite) else list(suites)
    return {
        "version": VERSION,
        "kind": KIND,
        "target": " ".join(dict.fromkeys(each.target for each in given)),
        "options": plain_object(given[0].options) if given else {},
        "cases": [_case(case) for each in given for case in each.cases],
        "findings": [finding for each in given for finding in _findings(each)],
        "problems": [problem_object(p) for p in (*problems, *(each for s in given for each in s.problems))],
        "stats": _stats([each.stats for each in given]),
    }


def _case(case: ActorCase) -> dict[str, Any]:
    entry = case.entry
    return {
        "id": case.id,
        "name": case.name,
        "entry": {
            "module": entry.module,
            "file": entry.file,
            "line": entry.line,
            "class": entry.cls,
            "name": entry.name,
            "kind": entry.kind,
        },
        "inputs": _inputs(case.inputs),
        "expected": _expected(case.expected),
        "condition": list(case.condition),
        "trace": [f"{step.file}:{step.line}" for step in case.trace],
        "schedule": [_turn(turn) for turn in case.schedule],
        "covers": list(case.covers),
        "start": start_object(case.start),
        "choices": list(case.choices),
        "executions": case.executions,
        "validated": case.validated,
        "names": names_of(case),
    }


def _inputs(inputs: ActorInputs) -> dict[str, Any]:
    return {
        "actors": _actors(inputs.actors),
        "tasks": [
            {
                "task": task.name,
                "actor": task.actor,
                "method": task.method,
                "arguments": {name: value_object(value) for name, value in task.arguments},
            }
            for task in inputs.tasks
        ],
        "futures": {name: value_object(value) for name, value in inputs.futures},
        "draws": {task: list(numbers) for task, numbers in inputs.draws},
    }


def _actors(actors: Sequence[ActorState]) -> dict[str, Any]:
    return {
        actor.name: {
            "class": actor.cls,
            "processor": actor.processor,
            "fields": {name: value_object(value) for name, value in actor.fields},
        }
        for actor in actors
    }


def _expected(expected: ActorExpected) -> dict[str, Any]:
    shown: dict[str, Any] = {} if expected.result is None else {"returns": value_object(expected.result)}
    return {
        **shown,
        "actors": _actors(expected.actors),
        "failures": [
            {
                "task": failure.task,
                "exception": value_object(failure.exception),
                "file": failure.file,
                "line": failure.line,
                "assertion": failure.assertion,
            }
            for failure in expected.failures
        ],
        "deadlock": None if expected.deadlock is None else _deadlock(expected.deadlock),
        "output": expected.output,
    }


def _deadlock(deadlock: Deadlock) -> dict[str, Any]:
    return {
        "waits": [
            {
                "task": wait.task,
                "actor": wait.actor,
                "method": wait.method,
                "file": wait.file,
                "line": wait.line,
                "waits_for": wait.waits_for,
            }
            for wait in deadlock.waits
        ],
        "cycle": list(deadlock.cycle),
    }


def _turn(turn: Turn) -> dict[str, str]:
    return {"task": turn.task, "actor": turn.actor, "method": turn.method}


def _findings(suite: ActorSuite) -> list[dict[str, Any]]:
    """Those of single cases, then results that depend on the order."""
    cases = {case.id: case for case in suite.cases}
    paired = {each for dependence in suite.dependences for each in (dependence.first, dependence.second)}
    found = [
        _finding(case)
        for case in suite.cases
        if case.finding is not None and not (case.finding.kind == "order-dependent" and case.id in paired)
    ]
    return found + [_dependence(dependence, cases) for dependence in suite.dependences]


def _finding(case: ActorCase) -> dict[str, Any]:
    finding = case.finding
    assert finding is not None
    shown = {
        "kind": finding.kind,
        "message": finding.message,
        "location": f"{finding.file}:{finding.line}",
        "file": finding.file,
        "line": finding.line,
        "case": case.id,
        "schedules": [_steps(case)],
    }
    deadlock = case.expected.deadlock
    if finding.kind == "deadlock" and deadlock is not None:
        names = names_of(case)
        shown["waits"] = [
            f"{names.get(wait.task, wait.task)} waits for {renamed(wait.waits_for, names)}" for wait in deadlock.waits
        ]
        shown["cycle"] = [names.get(task, task) for task in deadlock.cycle]
    return shown


def _dependence(dependence: OrderDependence, cases: dict[str, ActorCase]) -> dict[str, Any]:
    """Both schedules, the first one first."""
    both = [cases[each] for each in (dependence.first, dependence.second) if each in cases]
    return {
        "kind": "order-dependent",
        "message": dependence.message,
        "location": f"{dependence.file}:{dependence.line}",
        "file": dependence.file,
        "line": dependence.line,
        "case": dependence.first,
        "other": dependence.second,
        "schedules": [_steps(case) for case in both],
    }


def _steps(case: ActorCase) -> dict[str, Any]:
    names = names_of(case)
    return {"case": case.id, "steps": [names[turn.task] for turn in case.schedule]}


def _stats(all_stats: Sequence[Stats]) -> dict[str, Any]:
    return {
        **stats_object(all_stats),
        "executions": sum(stats.executions for stats in all_stats),
        "blocked": sum(stats.blocked for stats in all_stats),
        "probes": sum(stats.probes for stats in all_stats),
        "complete": all(stats.complete for stats in all_stats),
    }
