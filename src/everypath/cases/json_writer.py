"""Suites as one JSON object for other programs; `schema.json` beside this file describes it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from everypath.cases.model import (
    BuildStep,
    CallCase,
    CallSuite,
    Expected,
    Heap,
    HeapState,
    Inputs,
    Lambda,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Opaque,
    Pointer,
    Problem,
    Raised,
    SequenceState,
    Stats,
    StreamState,
    Suite,
    TupleValue,
    UnusedState,
    Value,
    Written,
)
from everypath.cases.schemas import packaged_schema
from everypath.cases.start_json import start_object

VERSION = 1


def render_json(suite: CallSuite | Sequence[CallSuite], problems: Sequence[Problem] = ()) -> str:
    """The suites as one object, their cases one after the other and their counts added up.

    `problems` are those that belong to no suite.
    """
    return json.dumps(as_object(suite, problems), indent=2, sort_keys=False, default=str) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of what `render_json` prints."""
    return packaged_schema("schema.json")


def as_object(suite: CallSuite | Sequence[CallSuite], problems: Sequence[Problem] = ()) -> dict[str, Any]:
    """The object before it is printed."""
    suites = [suite] if isinstance(suite, Suite) else list(suite)
    cases = [case for each in suites for case in each.cases]
    return {
        "version": VERSION,
        "target": " ".join(each.target for each in suites),
        "options": _options(suites) if suites else {},
        "cases": [_case(case) for case in cases],
        "findings": [_finding(case) for case in cases if case.finding is not None],
        "problems": [problem_object(p) for p in (*problems, *(each for s in suites for each in s.problems))],
        "stats": {
            **stats_object([each.stats for each in suites]),
            "left_out": sum(each.stats.left_out for each in suites),
        },
    }


def _options(suites: Sequence[CallSuite]) -> dict[str, Any]:
    """The options of the run: only the assumptions differ from suite to suite."""
    shown: dict[str, Any] = plain_object(suites[0].options)
    if "assume" in shown:
        shown["assume"] = list(dict.fromkeys(text for each in suites for text in plain_object(each.options["assume"])))
    return shown


def _case(case: CallCase) -> dict[str, Any]:
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
            **({"observed": entry.observed} if entry.observed else {}),
        },
        "inputs": _inputs(case.inputs),
        "expected": _expected(case.expected),
        "condition": list(case.condition),
        "trace": [f"{step.file}:{step.line}" for step in case.trace],
        "schedule": list(case.schedule),
        "covers": list(case.covers),
        "start": start_object(case.start),
        "choices": list(case.choices),
        "validated": case.validated,
    }


def _inputs(inputs: Inputs) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if inputs.receiver is not None:
        shown["receiver"] = _value(inputs.receiver)
    shown["arguments"] = {name: _value(value) for name, value, _ in inputs.arguments}
    shown["heap"] = _heap(inputs.heap)
    if inputs.steps:
        shown["steps"] = [_step(step) for step in inputs.steps]
        shown["ready"] = _heap(inputs.ready)
    if inputs.replaced:
        shown["replaced"] = [
            {"function": r.function, "places": list(r.places), "answers": [_value(answer) for answer in r.answers]}
            for r in inputs.replaced
        ]
    return shown


def _step(step: BuildStep) -> dict[str, Any]:
    """A call before the call under test; the constructor is the method without a name."""
    return {
        "object": step.target,
        "class": f"{step.module}.{step.cls}",
        "method": step.method,
        "arguments": {name: _value(value) for name, value, _ in step.arguments},
    }


def _expected(expected: Expected) -> dict[str, Any]:
    outcome = expected.outcome
    shown: dict[str, Any]
    if isinstance(outcome, Raised):
        shown = {
            "raises": outcome.cls,
            "module": outcome.module,
            "implicit": outcome.implicit,
            "message": outcome.message,
            "line": outcome.line,
        }
    else:
        shown = {"returns": _value(outcome.value)}
    return {**shown, "heap": _heap(expected.heap)}


def _heap(heap: Heap) -> dict[str, Any]:
    return {target: _state(state) for target, state in heap.items()}


def _state(state: HeapState) -> dict[str, Any]:
    match state:
        case ObjectState(cls=cls, module=module, fields=fields):
            return {"class": f"{module}.{cls}", "fields": {name: _value(value) for name, value in fields}}
        case SequenceState(kind=kind, items=items):
            return {kind: [_value(item) for item in items]}
        case MappingState(kind=kind, entries=entries, factory=factory):
            written: dict[str, Any] = {kind: [[_value(key), _value(value)] for key, value in entries]}
            return {**written, "factory": factory} if factory else written
        case UnusedState(cls=cls, module=module):
            return {"class": f"{module}.{cls}", "fields": {}}
        case StreamState(text=text, place=place, closed=closed):
            return {"class": "io.StringIO", "fields": {"text": text, "place": place, "closed": closed}}


def _value(value: Value) -> Any:
    """JSON for what JSON has; everything else is an object with one key that begins with a dollar."""
    match value:
        case Literal(value=atom):
            if isinstance(atom, bytes):
                return {"$bytes": atom.hex()}
            if isinstance(atom, float) and not math.isfinite(atom):
                return {"$float": repr(atom)}
            return atom
        case TupleValue(items=items):
            return {"$tuple": [_value(item) for item in items]}
        case Pointer(id=target):
            return {"$ref": target}
        case Named(module=module, name=name, bits=bits):
            return {"$name": f"{module}.{name}" if bits is None else f"{module}.{name}({bits})"}
        case Opaque(kind=kind):
            return {"$opaque": kind}
        case Lambda():
            return {"$lambda": str(value)}
        case Written(expression=expression):
            return {"$written": expression}


def _finding(case: CallCase) -> dict[str, Any]:
    finding = case.finding
    assert finding is not None
    return {
        "kind": finding.kind,
        "message": finding.message,
        "location": f"{finding.file}:{finding.line}",
        "file": finding.file,
        "line": finding.line,
        "case": case.id,
    }


def problem_object(problem: Problem) -> dict[str, Any]:
    """A problem, before it is printed."""
    return {"kind": problem.kind, "file": problem.file, "line": problem.line, "message": problem.message}


def stats_object(all_stats: Sequence[Stats]) -> dict[str, Any]:
    """The counts, added up."""
    total = Stats()
    for stats in all_stats:
        for name in ("paths", "cases", "states", "steps", "infeasible", "duplicates", "unknown"):
            setattr(total, name, getattr(total, name) + getattr(stats, name))
        _add(total.cut, stats.cut)
        _add(total.decisions, stats.decisions)
        total.unsupported += stats.unsupported
        total.concretised += stats.concretised
        total.seconds += stats.seconds
    return {
        "paths": total.paths,
        "cases": total.cases,
        "states": total.states,
        "steps": total.steps,
        "cut": total.cut,
        "infeasible": total.infeasible,
        "duplicates": total.duplicates,
        "unsupported": [{"file": p.file, "line": p.line, "message": p.message} for p in total.unsupported],
        "concretised": [{"file": p.file, "line": p.line, "message": p.message} for p in total.concretised],
        "unknown": total.unknown,
        "decisions": total.decisions,
        "seconds": round(total.seconds, 3),
    }


def _add(into: dict[str, int], counts: dict[str, int]) -> None:
    for name, count in counts.items():
        into[name] = into.get(name, 0) + count


def plain_object(value: object) -> Any:
    """Any value made of what JSON has."""
    if isinstance(value, dict):
        return {str(key): plain_object(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain_object(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
