"""Suites and reports of races as one JSON object for other programs, and suites of actor programs back again.

`schema.json` beside this file describes the object; `cases.json_forms` says how its cases look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from everypath.cases.accounts import OrderDependence, Stats
from everypath.cases.actors import ActorCase, ActorSuite, names_in, names_of, renamed
from everypath.cases.codec import Codec, Damaged, Form, Shape
from everypath.cases.findings import grouped, unreached
from everypath.cases.interleavings import switch_text
from everypath.cases.json_forms import JSON
from everypath.cases.kinds import ACTORS, CALLS, AnyCase, AnySuite, Kind, is_actor_case, is_actor_suite, is_call_suite
from everypath.cases.model import CallCase, Finding, Problem, Suite
from everypath.cases.races import RaceFinding, RaceReport, RaceStats, Switch, ThreadTest, Turn, says_little
from everypath.errors import BadInput
from everypath.paths import QueuedTasks, Start
from everypath.records import asdict, fields, replace

VERSION = 1
_OWN_FINDINGS = ("deadlock", "runtime-error", "assertion")
"""Findings that are about one case alone."""
_EARLIER = {"start": JSON.encode(Start, QueuedTasks())}
"""What the cases of earlier versions do not say."""
_COUNTS = tuple(
    "paths cases states steps cut infeasible duplicates unsupported concretised unknown decisions seconds".split()
)
_LEAST = ("saturation",)
"""Counts of which the smallest says what all classes reached."""
Code = Callable[[RaceFinding], str]
"""Writes a finding as a test, which is up to the language of the class."""
_RACES = Codec(
    {
        RaceFinding: Shape(
            "kind title location label places observed serial interleaving=timeline test patterns "
            "seconds_to_find also pairs replays",
            {
                "seconds_to_find": lambda finding: round(finding.seconds_to_find, 3),
                "pairs": lambda finding: list(map(list, finding.pairs)),
            },
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


def render_json(suites: AnySuite | Sequence[AnySuite], problems: Sequence[Problem] = (), kind: Kind = CALLS) -> str:
    """The suites as one object, their cases one after the other and their counts added up.

    `problems` are those that belong to no suite.
    """
    given = [suites] if isinstance(suites, Suite) else list(suites)
    declared, _ = kind.types()
    shown = {
        "version": VERSION,
        # The object for calls is older than other kinds and has no name.
        **({} if kind is CALLS else {"kind": kind.name}),
        "target": " ".join(dict.fromkeys(each.target for each in given)),
        "options": _options(given) if given else {},
        "cases": [shown for each in given for shown in _cases(each, declared)],
        "findings": _call_findings(given) if kind is CALLS else [shown for each in given for shown in _findings(each)],
        **({"unreached": _unreached(given)} if kind is CALLS else {}),
        **({"wanted": wanted} if (wanted := [asdict(each) for suite in given for each in suite.wanted]) else {}),
        "problems": [asdict(p) for p in (*problems, *(each for suite in given for each in suite.problems))],
        "stats": _stats(given, kind),
    }
    return json.dumps(shown, indent=2, default=str, allow_nan=False) + "\n"


def _cases(suite: AnySuite, declared: object) -> list[dict[str, Any]]:
    """The cases; those of actor programs with the short names that the findings use."""
    shown = [JSON.encode(declared, case) for case in suite.cases]
    if is_actor_suite(suite):
        names = names_of(suite)
        for case, each in zip(suite.cases, shown):
            each["names"] = {name: names[name] for name in names_in((case,))}
    return shown


def schema() -> dict[str, Any]:
    """The JSON Schema of what commands print as JSON."""
    from importlib import resources

    loaded = json.loads(resources.files("everypath.cases").joinpath("schema.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def read_suite(document: object) -> ActorSuite:
    """Target and cases of an actor program from the printed object; BadInput says what is wrong with it."""
    if not isinstance(document, dict) or document.get("kind") != ACTORS.name:
        raise BadInput("is no suite of an actor program: `everypath generate FILE.abs --format json` writes one")
    if document.get("version") != VERSION:
        raise BadInput(f"is a suite of version {document.get('version')}; this is for version {VERSION}")
    findings: dict[str, Finding] = {}
    try:
        for shown in document["findings"]:
            if shown["kind"] in _OWN_FINDINGS:
                finding = Finding(shown["kind"], shown["message"], shown["file"], shown["line"])
                findings.setdefault(shown["case"], finding)
        shown_cases = [{**_EARLIER, **shown} for shown in document["cases"]]
        cases: tuple[ActorCase, ...] = JSON.decode(tuple[ActorCase, ...], shown_cases)
    except (Damaged, KeyError, TypeError) as error:
        raise BadInput(f"is not a complete suite: {error}") from None
    found = [replace(case, finding=findings.get(case.id)) for case in cases]
    return ActorSuite(str(document.get("target", "")), {}, found)


def _options(suites: Sequence[AnySuite]) -> dict[str, Any]:
    """The options of the run: only the assumptions differ from suite to suite."""
    shown: dict[str, Any] = _plain(suites[0].options)
    if "assume" in shown:
        shown["assume"] = list(dict.fromkeys(text for each in suites for text in _plain(each.options["assume"])))
    return shown


def _call_findings(suites: Sequence[AnySuite]) -> list[dict[str, Any]]:
    """The same error at the same line is one finding, with the calls that bring it about."""
    return [
        {
            "kind": group.finding.kind,
            **_place(group.finding),
            "case": group.cases[0],
            "cases": list(group.cases),
            "reached_by": list(group.inputs),
        }
        for group in grouped(_call_cases(suites))
    ]


def _unreached(suites: Sequence[AnySuite]) -> list[dict[str, Any]]:
    """Errors that are not known to be within callers' reach."""
    found = unreached(_call_cases(suites))
    return [{"kind": error.kind, **_place(error), "needs": list(error.needs)} for error in found]


def _call_cases(suites: Sequence[AnySuite]) -> list[CallCase]:
    return [case for suite in suites if is_call_suite(suite) for case in suite.cases]


def _findings(suite: AnySuite) -> list[dict[str, Any]]:
    """Those of single cases, then results that depend on the order."""
    cases = {case.id: case for case in suite.cases if is_actor_case(case)}
    names = names_of(suite) if is_actor_suite(suite) else {}
    paired = {each for dependence in suite.dependences for each in (dependence.first, dependence.second)}
    found = [
        _finding(case, case.finding, names)
        for case in suite.cases
        if case.finding is not None and not (case.finding.kind == "order-dependent" and case.id in paired)
    ]
    return found + [_dependence(dependence, cases, names) for dependence in suite.dependences]


def _place(found: Finding | OrderDependence) -> dict[str, Any]:
    return {
        "message": found.message,
        "location": f"{found.file}:{found.line}",
        "file": found.file,
        "line": found.line,
    }


def _finding(case: AnyCase, finding: Finding, names: Mapping[str, str]) -> dict[str, Any]:
    shown = {"kind": finding.kind, **_place(finding), "case": case.id}
    if not is_actor_case(case):
        return shown
    shown["schedules"] = [_steps(case, names)]
    deadlock = case.expected.deadlock
    if finding.kind == "deadlock" and deadlock is not None:
        shown["waits"] = [
            f"{names.get(wait.task, wait.task)} waits for {renamed(wait.waits_for, names)}" for wait in deadlock.waits
        ]
        shown["cycle"] = [names.get(task, task) for task in deadlock.cycle]
    return shown


def _dependence(dependence: OrderDependence, cases: dict[str, ActorCase], names: Mapping[str, str]) -> dict[str, Any]:
    """Both schedules, the first one first."""
    both = [cases[each] for each in (dependence.first, dependence.second) if each in cases]
    return {
        "kind": "order-dependent",
        **_place(dependence),
        "case": dependence.first,
        "other": dependence.second,
        "schedules": [_steps(case, names) for case in both],
    }


def _steps(case: ActorCase, names: Mapping[str, str]) -> dict[str, Any]:
    return {"case": case.id, "steps": [names[turn.task] for turn in case.schedule]}


def _stats(suites: Sequence[AnySuite], kind: Kind) -> dict[str, Any]:
    """The counts, added up."""
    shown = _total(Stats, [each.stats for each in suites])
    shown["observed"] = sum(case.observed for each in suites for case in each.cases)
    for name in ("unsupported", "concretised"):
        shown[name] = [{key: place[key] for key in ("file", "line", "message")} for place in shown[name]]
    return {name: shown[name] for name in (*_COUNTS, *kind.counts)}


def _total(kind: type[Stats] | type[RaceStats], all_stats: Sequence[Stats | RaceStats]) -> dict[str, Any]:
    """The counts of several runs in one: sums, the smallest of `_LEAST`, and whether all of them are true."""
    total = kind()
    for each in fields(kind):
        values = [getattr(stats, each.name) for stats in all_stats]
        if values and isinstance(values[0], bool):
            setattr(total, each.name, all(values))
        elif values and isinstance(values[0], dict):
            keys = dict.fromkeys(key for counts in [getattr(total, each.name), *values] for key in counts)
            setattr(total, each.name, {key: sum(counts.get(key, 0) for counts in values) for key in keys})
        elif each.name in _LEAST:
            setattr(total, each.name, min(values, default=0))
        elif values:
            setattr(total, each.name, sum(values, start=type(values[0])()))
    return _rounded(total)


def _plain(value: object) -> Any:
    """Any value made of what JSON has."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


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
    shown = {
        "version": VERSION,
        "target": target,
        "options": options,
        "cases": [],
        "findings": [_race(finding, code) for report in reports for finding in report.findings],
        "problems": [asdict(problem) for problem in (*(p for r in reports for p in r.problems), *problems)],
        "notes": [asdict(note) for report in reports for note in report.notes],
        "classes": [_class(report) for report in reports],
        "stats": _total(RaceStats, [report.stats for report in reports]),
    }
    return json.dumps(shown, indent=2, default=str) + "\n"


def _race(finding: RaceFinding, code: Code) -> dict[str, Any]:
    shown: dict[str, Any] = _RACES.encode(RaceFinding, finding)
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
        "exercised": asdict(report.exercised),
        "tested_little": says_little(report),
    }


def _rounded(stats: Stats | RaceStats) -> dict[str, Any]:
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in asdict(stats).items()}
