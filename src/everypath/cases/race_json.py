"""What a search for thread-safety faults found, as one JSON object; `schema.json` beside this file describes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from everypath.cases.codec import Codec, Form, Shape
from everypath.cases.interleavings import switch_text
from everypath.cases.model import Problem
from everypath.cases.races import RaceFinding, RaceReport, RaceStats, Switch, ThreadTest, Turn
from everypath.records import asdict, fields

VERSION = 1
_LEAST = ("saturation",)
"""Counts of which the smallest says what all classes reached."""
Code = Callable[[RaceFinding], str]
"""Writes a finding as a test, which is up to the language of the class."""
_FORMS = Codec(
    {
        RaceFinding: Shape(
            "kind title location label places observed serial interleaving=timeline test patterns "
            "seconds_to_find also replays",
            {"seconds_to_find": lambda finding: round(finding.seconds_to_find, 3)},
        ),
        ThreadTest: Shape("module class=cls setup before threads schedule"),
        Switch: Form(switch_text),
        Turn: Shape(
            "thread location function text switched",
            {
                "thread": lambda turn: "AB"[turn.thread],
                "location": lambda turn: f"{turn.file}:{turn.line}" if turn.line else turn.file,
            },
        ),
    }
)


def render_race_json(
    target: str,
    options: dict[str, object],
    reports: Sequence[RaceReport],
    problems: Sequence[Problem] = (),
    *,
    code: Code,
) -> str:
    """The reports as one object, their counts added up.

    `problems` belong to none of them; `code` writes a finding as a test.
    """
    return json.dumps(as_object(target, options, reports, problems, code), indent=2, default=str) + "\n"


def as_object(
    target: str,
    options: dict[str, object],
    reports: Sequence[RaceReport],
    problems: Sequence[Problem],
    code: Code,
) -> dict[str, Any]:
    """The object before it is printed."""
    return {
        "version": VERSION,
        "target": target,
        "options": options,
        "cases": [],
        "findings": [_finding(finding, code) for report in reports for finding in report.findings],
        "problems": [asdict(problem) for problem in (*(p for r in reports for p in r.problems), *problems)],
        "notes": [asdict(note) for report in reports for note in report.notes],
        "classes": [_class(report) for report in reports],
        "stats": _total([report.stats for report in reports]),
    }


def _finding(finding: RaceFinding, code: Code) -> dict[str, Any]:
    shown: dict[str, Any] = _FORMS.encode(RaceFinding, finding)
    shown["test"]["code"] = code(finding)
    return shown


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
