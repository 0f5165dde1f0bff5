"""Findings in the Static Analysis Results Interchange Format, SARIF 2.1.0, as code hosts and editors show them.

A finding is one *result*: the rule (its kind), the message with the calls that lead to it, the line, and the lines of
the smallest case as a code flow. Its fingerprint does not mention the line, so that a finding stays the same one when
code above it grows. What could not be examined is a notification of the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from everypath import __version__
from everypath.cases.findings import grouped, reached_by
from everypath.cases.keys import digest
from everypath.cases.kinds import AnySuite, is_actor_case
from everypath.cases.model import Problem, Step
from everypath.cases.races import RaceReport
from everypath.records import dataclass

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
"""What relative names of files are relative to: SARIF leaves its place to whoever reads the file."""
_MOST_STEPS = 200
"""Lines of a path that are told; the last ones lead to the error."""
_RULES = {
    "runtime-error": "An error that the code does not raise on purpose.",
    "assertion": "An assertion that can fail.",
    "contract": "A promise of the code that can be broken.",
    "overflow": "An operation whose result does not fit into its type.",
    "deadlock": "Tasks that wait for each other for ever.",
    "order-dependent": "A result that depends on the order of messages.",
    "race-exception": "An exception that no order of the calls raises.",
    "race-deadlock": "Threads that wait for each other for ever.",
    "race-lock-kept": "A lock that is not released.",
    "race-endless": "A call that does not end where another thread comes in between.",
    "race-result": "A result that no order of the calls gives.",
    "race-state": "A state that no order of the calls leads to.",
}
"""What findings of each kind are; the kinds of races have a word in front."""
_UNDONE = ("unsupported", "unknown", "timeout", "cut", "endless", "refused", "defect", "import")
"""Problems that kept something from being examined; the others are remarks."""


@dataclass(frozen=True, slots=True)
class Result:
    """One finding as SARIF tells it."""

    rule: str
    message: str
    file: str
    line: int
    function: str = ""
    reached_by: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    """the lines of the smallest case that shows it"""
    cases: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[str, ...]:
        """What makes it the same finding in another version of the code."""
        return self.rule, self.message.partition("; ")[0], self.file, self.function


def results_of(suites: Iterable[AnySuite]) -> list[Result]:
    """The findings of some suites, each once."""
    found: list[Result] = []
    for suite in suites:
        steps = {case.id: case.trace for case in suite.cases}
        paired = {each for pair in suite.dependences for each in (pair.first, pair.second)}
        # Two cases that differ by order alone are one finding, which the suite tells itself.
        alone = [case for case in suite.cases if not (is_actor_case(case) and _is_paired(case, paired))]
        for group in grouped(alone):
            finding, first = group.finding, group.cases[0]
            found.append(
                Result(
                    finding.kind,
                    finding.message,
                    finding.file,
                    finding.line,
                    finding.function,
                    group.inputs,
                    steps[first],
                    group.cases,
                )
            )
        for pair in suite.dependences:
            both = (pair.first, pair.second)
            found.append(Result("order-dependent", pair.message, pair.file, pair.line, cases=both))
    return found


def _is_paired(case: Any, paired: set[str]) -> bool:
    return case.finding is not None and case.finding.kind == "order-dependent" and case.id in paired


def results_of_races(reports: Iterable[RaceReport]) -> list[Result]:
    """The thread-safety faults of some classes."""
    found: list[Result] = []
    for report in reports:
        for finding in report.findings:
            file, _, line = finding.location.rpartition(":")
            steps = tuple(Step(turn.file, turn.line) for turn in finding.timeline if turn.line)
            place = (file, int(line)) if line.isdigit() else (report.file, 0)
            message = f"{finding.title} ({finding.label})"
            found.append(Result(f"race-{finding.kind}", message, *place, f"{report.module}.{report.cls}", (), steps))
    return found


def render_sarif(results: Sequence[Result], problems: Sequence[Problem] = ()) -> str:
    """One run of Everypath as a SARIF log."""
    rules = sorted({each.rule for each in results})
    same: dict[tuple[str, ...], int] = {}
    shown = []
    for each in results:
        same[each.identity] = same.get(each.identity, 0) + 1
        shown.append(_result(each, rules.index(each.rule), same[each.identity]))
    driver = {
        "name": "Everypath",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [
            {
                "id": rule,
                "shortDescription": {"text": _RULES.get(rule, rule)},
                "defaultConfiguration": {"level": "error"},
            }
            for rule in rules
        ],
    }
    told = [_notification(each) for each in dict.fromkeys(problems)]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, **({"toolExecutionNotifications": told} if told else {})}],
        "results": shown,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(each: Result, rule: int, number: int) -> dict[str, Any]:
    text = f"{each.message}; reached by {reached_by(each.reached_by)}" if each.reached_by else each.message
    location: dict[str, Any] = _location(each.file, each.line)
    if each.function:
        location["logicalLocations"] = [{"fullyQualifiedName": each.function, "kind": "function"}]
    shown: dict[str, Any] = {
        "ruleId": each.rule,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": text},
        "locations": [location],
        "partialFingerprints": {"everypath/v1": f"{digest(each.identity)}:{number}"},
    }
    steps = [step for step in each.steps if step.line][-_MOST_STEPS:]
    if steps:
        flow = [{"location": _location(step.file, step.line)} for step in steps]
        shown["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    if each.cases:
        shown["properties"] = {"cases": list(each.cases), "reachedBy": list(each.reached_by)}
    return shown


def _location(file: str, line: int) -> dict[str, Any]:
    artifact: dict[str, Any] = {"uri": _uri(file)}
    if not PurePath(file).is_absolute():
        artifact["uriBaseId"] = _ROOT
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if line:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}


def _uri(file: str) -> str:
    """A file as URIs name it; one that lies anywhere has no other name."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _notification(problem: Problem) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "level": "warning" if problem.kind in _UNDONE else "note",
        "message": {"text": problem.message},
        "descriptor": {"id": problem.kind},
    }
    if problem.file:
        shown["locations"] = [_location(problem.file, problem.line)]
    return shown
