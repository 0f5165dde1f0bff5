"""What a search for thread-safety faults found, as one JSON object; `race_schema.json` describes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from everypath.cases.interleavings import switch_text
from everypath.cases.model import Problem
from everypath.cases.races import RaceFinding, RaceReport, RaceStats, ThreadTest
from everypath.cases.schemas import packaged_schema
from everypath.languages.python.writers.race_writer import finding_code
from everypath.records import asdict, fields

VERSION = 1
_LEAST = ("saturation",)
"""Counts of which the smallest says what all classes reached."""


def render_race_json(
    target: str, options: dict[str, object], reports: Sequence[RaceReport], problems: Sequence[Problem] = ()
) -> str:
    """The reports as one object, their counts added up; `problems` are those that belong to none of them."""
    return json.dumps(as_object(target, options, reports, problems), indent=2, default=str) + "\n"


def race_schema() -> dict[str, Any]:
    """The JSON Schema of what `render_race_json` prints."""
    return packaged_schema("race_schema.json")


def as_object(
    target: str, options: dict[str, object], reports: Sequence[RaceReport], problems: Sequence[Problem] = ()
) -> dict[str, Any]:
    """The object before it is printed."""
    return {
        "version": VERSION,
        "target": target,
        "options": options,
        "cases": [],
        "findings": [_finding(finding) for report in reports for finding in report.findings],
        "problems": [asdict(problem) for problem in (*(p for r in reports for p in r.problems), *problems)],
        "notes": [asdict(note) for report in reports for note in report.notes],
        "classes": [_class(report) for report in reports],
        "stats": _total([report.stats for report in reports]),
    }


def _finding(finding: RaceFinding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "title": finding.title,
        "location": finding.location,
        "label": finding.label,
        "places": list(finding.places),
        "observed": list(finding.observed),
        "serial": [list(outcome) for outcome in finding.serial],
        "interleaving": [
            {
                "thread": "AB"[turn.thread],
                "location": f"{turn.file}:{turn.line}" if turn.line else turn.file,
                "function": turn.function,
                "text": turn.text,
                "switched": turn.switched,
            }
            for turn in finding.timeline
        ],
        "test": _test(finding.test, finding_code(finding)),
        "patterns": list(finding.patterns),
        "seconds_to_find": round(finding.seconds_to_find, 3),
        "also": finding.also,
        "replays": finding.replays,
    }


def _test(test: ThreadTest, code: str) -> dict[str, Any]:
    return {
        "module": test.module,
        "class": test.cls,
        "setup": test.setup,
        "before": list(test.before),
        "threads": [list(calls) for calls in test.threads],
        "schedule": [switch_text(switch) for switch in test.schedule],
        "code": code,
    }


def _class(report: RaceReport) -> dict[str, Any]:
    return {
        "target": report.target,
        "module": report.module,
        "class": report.cls,
        "file": report.file,
        "findings": len(report.findings),
        "interrupted": report.interrupted,
        "tests": report.tests,
        "stats": _rounded(report.stats),
    }


def _total(all_stats: Sequence[RaceStats]) -> dict[str, Any]:
    total = RaceStats()
    for each in fields(RaceStats):
        values = [getattr(stats, each.name) for stats in all_stats]
        if each.name == "complete":
            total.complete = bool(values) and all(values)
        elif each.name in _LEAST:
            setattr(total, each.name, min(values, default=0))
        else:
            setattr(total, each.name, sum(values))
    return _rounded(total)


def _rounded(stats: RaceStats) -> dict[str, Any]:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(stats).items()}
