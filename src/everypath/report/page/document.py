"""A page's content as data: a head that is read at once, and pieces that are read when somebody looks at them.

Cases have the one JSON form that `--format json` prints as well. The table needs a few words of every case; all else
about it comes in pieces of some hundred cases, so that a page of many thousand opens as fast as a small one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import everypath
from everypath.cases.actor_wording import input_lines
from everypath.cases.actors import ActorCase, names_in, names_of, renamed, shown_value
from everypath.cases.call_text import call_text, outcome_text
from everypath.cases.findings import grouped, needed, unreached
from everypath.cases.json_forms import JSON
from everypath.cases.kinds import AnyCase, is_actor_case, is_actor_suite, is_call_suite, is_race_case, kind_of
from everypath.cases.model import CallCase, Problem, Returned
from everypath.cases.spelling import Spelling, spelled
from everypath.cases.trees import Node, Tree
from everypath.options import BOUNDS
from everypath.records import asdict, dataclass
from everypath.report.page.content import Content, ShownSuite
from everypath.report.page.covering import alone, coverage

FORMAT = 1
PIECE = 100
"""Cases in one piece."""
_LARGEST = 2**53
_WORDS = ("nothing", "yes", "no", "receiver", "conjunction")


@dataclass(frozen=True, slots=True)
class Document:
    """The data of one page."""

    head: dict[str, Any]
    pieces: list[Any]


def document(content: Content) -> Document:
    """The data of a page."""
    cases = [(shown, case) for shown in content.suites for case in shown.suite.cases]
    numbers = {case.id: number for number, (_, case) in enumerate(cases)}
    own = alone([case for _, case in cases])
    pieces: list[Any] = [[_row(shown, case, content, own.get(case.id, [])) for shown, case in cases]]
    groups = [cases[start : start + PIECE] for start in range(0, len(cases), PIECE)]
    head: dict[str, Any] = {
        "format": FORMAT,
        "everypath": everypath.__version__,
        "title": content.title,
        "language": content.language,
        "words": {each: getattr(content.spelling, each) for each in _WORDS},
        "home": content.home,
        "test_file": content.test_file,
        "options": BOUNDS,
        "functions": [_function(shown) for shown in content.suites],
        "findings": [_finding(found) for found in _findings(content)],
        "unreached": [
            {**_place(each), "message": each.message, "needs": needed(each)}
            for each in unreached([case for shown in content.suites for case in _calls(shown)])
        ],
        "problems": [_problem(each) for each in _problems(content)],
        "cases": len(cases),
        "per_piece": PIECE,
        "files": [{"name": each.name, "note": each.note, "missing": each.text is None} for each in content.sources],
    }
    spelling = content.spelling
    head["rows"] = 0
    head["case_pieces"] = _added(pieces, (_piece(group, spelling) for group in groups))
    head["sources"] = _added(pieces, [{each.name: each.text for each in content.sources}])[0]
    head["coverage"] = _added(pieces, [coverage(content, numbers)])[0]
    head["trees"] = _added(pieces, [[[_tree(tree, spelling) for tree in shown.trees] for shown in content.suites]])[0]
    return Document(exact(head), [exact(piece) for piece in pieces])


def _piece(group: Sequence[tuple[ShownSuite, AnyCase]], spelling: Spelling) -> list[dict[str, Any]]:
    return [_case(shown, case, spelling) for shown, case in group]


def _added(pieces: list[Any], more: Iterable[Any]) -> list[int]:
    first = len(pieces)
    pieces += more
    return list(range(first, len(pieces)))


def exact(value: Any) -> Any:
    """The value, with numbers that JavaScript would change written out: large integers, and floats that are whole."""
    if isinstance(value, dict):
        return {str(key): exact(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [exact(item) for item in value]
    if isinstance(value, float):
        return value if value == value and not value.is_integer() and abs(value) != float("inf") else _float(value)
    if isinstance(value, int) and not isinstance(value, bool) and not -_LARGEST < value < _LARGEST:
        return {"$int": str(value)}
    return value


def _float(value: float) -> dict[str, str]:
    return {"$float": repr(value)}


def _row(shown: ShownSuite, case: AnyCase, content: Content, own: Sequence[str]) -> list[Any]:
    """What the table shows of a case."""
    number = next(number for number, each in enumerate(content.suites) if each is shown)
    given, kind, outcome = _wording(shown, case)
    flags = ("f" if case.finding is not None else "") + ("o" if case.observed else "")
    flags += ("w" if case.id in shown.wrong else "") + ("v" if case.validated else "")
    condition = [spelled(each, content.spelling) for each in case.condition]
    return [case.id, case.name, number, given, kind, outcome, condition, list(own), flags]


def _wording(shown: ShownSuite, case: AnyCase) -> tuple[str, str, str]:
    """The input, the kind of outcome and the outcome, each in one line."""
    if is_actor_case(case):
        names = names_in([case])
        given = "; ".join(" ".join(line.split()) for line in input_lines(case, names)) or "the main block"
        return given, *_actor_outcome(case, names)
    if is_race_case(case):
        test = case.inputs
        given = "; ".join([f"sut = {test.setup}", *test.before, f"A: {', '.join(test.threads[0])}"])
        given = f"{given}; B: {', '.join(test.threads[1])}"
        return given, case.expected.kind, "; ".join(case.expected.observed)
    call = cast("CallCase", case)
    kind = "returns" if isinstance(call.expected.outcome, Returned) else "raises"
    return call_text(call), kind, outcome_text(call)


def _actor_outcome(case: ActorCase, names: dict[str, str]) -> tuple[str, str]:
    expected = case.expected
    if expected.deadlock is not None:
        return "deadlock", f"deadlock of {len(expected.deadlock.waits)} tasks"
    if expected.failures:
        first = expected.failures[0]
        return "fails", f"{names.get(first.task, first.task)} fails with {shown_value(first.exception, names)}"
    if expected.result is not None:
        return "returns", f"returns {shown_value(expected.result, names)}"
    return "ends", renamed(expected.output.strip() or "ends", names)


def _function(shown: ShownSuite) -> dict[str, Any]:
    suite = shown.suite
    entry = suite.cases[0].entry if suite.cases else None
    stats = suite.stats
    names = names_of(suite) if is_actor_suite(suite) else {}
    return {
        "target": suite.target,
        "quoted": _quoted(suite.target),
        "place": shown.place,
        "kind": kind_of(suite).name,
        "name": entry.qualified.rstrip(".") if entry is not None else suite.target.partition("::")[2],
        "file": entry.file if entry is not None else suite.target.partition("::")[0],
        "line": entry.line if entry is not None else 0,
        "cases": len(suite.cases),
        "cut": {bound: count for bound, count in stats.cut.items() if count},
        "counts": {
            "paths": stats.paths,
            "infeasible": stats.infeasible,
            "unknown": stats.unknown,
            "unsupported": len(stats.unsupported),
            "states": stats.states,
            "executions": stats.executions,
            "left_out": stats.left_out,
        },
        "seconds": round(stats.seconds, 2),
        "complete": stats.complete,
        "names": names,
        "dependences": [asdict(each) for each in suite.dependences],
        "wanted": [asdict(each) for each in suite.wanted],
        "trees": len(shown.trees),
    }


@dataclass(frozen=True, slots=True)
class _Found:
    """A finding with where it leads."""

    kind: str
    message: str
    file: str
    line: int
    function: str
    cases: tuple[str, ...]
    inputs: tuple[str, ...]
    replay: str
    number: int
    """of its suite"""
    dependent: bool = False
    """whether its two cases are schedules to be compared"""


def _findings(content: Content) -> Iterator[_Found]:
    for number, shown in enumerate(content.suites):
        suite = shown.suite
        paired = {each for dependence in suite.dependences for each in (dependence.first, dependence.second)}
        single = [
            case
            for case in suite.cases
            if case.finding is not None and not (case.finding.kind == "order-dependent" and case.id in paired)
        ]
        for group in grouped(single):
            found = group.finding
            inputs = group.inputs or (_wording(shown, _by_id(shown, group.cases[0]))[0],)
            yield _Found(
                found.kind, found.message, found.file, found.line, found.function, group.cases, inputs,
                replay_command(shown, group.cases[0]), number,
            )  # fmt: skip
        for each in suite.dependences:
            inputs = (_wording(shown, _by_id(shown, each.first))[0],)
            yield _Found(
                "order-dependent", each.message, each.file, each.line, "", (each.first, each.second), inputs,
                replay_command(shown, each.first), number, dependent=True,
            )  # fmt: skip


def _by_id(shown: ShownSuite, wanted: str) -> AnyCase:
    return next(case for case in shown.suite.cases if case.id == wanted)


def replay_command(shown: ShownSuite, case: str) -> str:
    """What runs a case again."""
    name = _by_id(shown, case).name or case
    return f"everypath replay {_quoted(f'{shown.place or shown.suite.target}::{name}')}"


def _quoted(text: str) -> str:
    """As a word for the shell."""
    import shlex

    return shlex.quote(text)


def _finding(found: _Found) -> dict[str, Any]:
    return asdict(found)


def _place(found: Any) -> dict[str, Any]:
    return {"kind": found.kind, "file": found.file, "line": found.line}


def _calls(shown: ShownSuite) -> Sequence[CallCase]:
    return shown.suite.cases if is_call_suite(shown.suite) else ()


def _problems(content: Content) -> Iterator[Problem]:
    yield from content.problems
    for shown in content.suites:
        stats = shown.suite.stats
        yield from (*shown.problems, *shown.suite.problems, *stats.unsupported, *stats.concretised)


def _problem(problem: Problem) -> dict[str, Any]:
    return asdict(problem)


def _case(shown: ShownSuite, case: AnyCase, spelling: Spelling) -> dict[str, Any]:
    """All about one case: its JSON form, and what its run has shown."""
    told: dict[str, Any] = JSON.encode(kind_of(shown.suite).types()[0], case)
    told["condition"] = [spelled(each, spelling) for each in case.condition]
    if is_actor_suite(shown.suite):
        names = names_of(shown.suite)
        told["names"] = {name: names[name] for name in names_in([cast("ActorCase", case)]) if name in names}
    recording = shown.recordings.get(case.id)
    told["replay"] = replay_command(shown, case.id)
    told["finding"] = None if case.finding is None else asdict(case.finding)
    if recording is not None:
        told["recording"] = asdict(recording)
    if case.id in shown.tests:
        told["test"] = shown.tests[case.id]
    if case.id in shown.wrong:
        told["wrong"] = shown.wrong[case.id]
    return told


def _tree(tree: Tree, spelling: Spelling) -> dict[str, Any]:
    """The nodes in a row, each with the number of the one above it: paths may be longer than JSON can be deep."""
    nodes: list[dict[str, Any]] = []
    agenda: list[tuple[Node, int]] = [(tree.root, -1)]
    while agenda:
        node, above = agenda.pop()
        agenda += [(child, len(nodes)) for child in reversed(node.children)]
        nodes.append({**_bare(node, spelling), "above": above})
    return {"title": tree.title, "complete": tree.complete, "nodes": nodes}


def _bare(node: Node, spelling: Spelling) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": node.kind, "line": node.line}
    for name in ("file", "bound", "told", "case", "same"):
        if getattr(node, name):
            told[name] = getattr(node, name)
    if node.decided:
        told["decided"] = [spelled(each, spelling) for each in node.decided]
    if node.choice >= 0:
        told["choice"] = node.choice
    return told
