"""Looks for calls of a module that reach what no case reaches, runs them, and makes cases of what the runs show.

    search (in a worker) --calls--> two runs in processes with other orders of sets --what both show--> cases

A case that comes out of it is run once more like any other before it counts.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from everypath.cases.model import (
    BuildStep,
    CallCase,
    Case,
    Entry,
    Expected,
    Literal,
    Problem,
    Returned,
    Step,
    Written,
)
from everypath.errors import Internal, Unsupported
from everypath.languages.base import Sought
from everypath.languages.python.frontend.finder import source_path
from everypath.languages.python.observing.candidates import fixture_step, read_candidate
from everypath.languages.python.observing.expectations import (
    ANYTHING,
    agreed,
    agreed_heap,
    expected_of,
    files_of,
    heap_of,
)
from everypath.languages.python.observing.seeds import seeds_of
from everypath.languages.python.probing.coverage import Coverage
from everypath.languages.python.probing.expressions import from_data, to_data
from everypath.languages.python.probing.running import TOO_LONG
from everypath.languages.python.probing.search import LEAVES_THREAD
from everypath.languages.python.probing.world import ARGUMENTS
from everypath.languages.python.runtime.runner import (
    ERROR,
    EXITED,
    PASSED,
    UNRUN,
    Setting,
    Verdict,
    run_cases,
    search,
)
from everypath.languages.python.runtime.starting import OTHER_SEED
from everypath.languages.python.scripts.body import renamed_observation, render_observation
from everypath.languages.python.scripts.rerunning import SCRIPT
from everypath.options import Options
from everypath.paths import RealRun
from everypath.records import dataclass, field, replace

Reached = Iterable[int | tuple[int, int]]
_PATIENCE = 3.0
"""So many seconds may pass for one that a search computes."""
_SEARCHING = 0.85
"""The part of the time after which a search has ended, even if it found next to nothing."""
_FIRST = 0.6
"""The share of the time after which the calls that were found are run for the first time."""
_SHORTEST = 2.0
"""Seconds without which no search is begun a second time."""
_EACH = 0.25
"""Seconds that are kept for each call that was found: it is run three times before it counts."""
_LEAST_SEARCHING = 0.4
"""The part of the time that a search has, however much it finds."""
_FOLDER, _FOLDER_TEXT = Written("", "tmp_path"), Written("", "str(tmp_path)")
_ENDED = frozenset({PASSED, ERROR, EXITED})
_MOST_NAMED = 5
_UNWRITTEN = "some calls cannot be written in a test"


@dataclass(slots=True)
class Subject:
    """The module that is searched."""

    module: str
    file: str
    """how its file is shown, which is relative for an installed one"""
    root: Path
    guesses: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """function -> parameter -> the type that it is taken to have"""
    private: bool = False
    """whether functions that are not public are called as well"""
    tried: Sequence[CallCase] = ()
    """cases of the module whose inputs were solved, which the search begins with"""

    @property
    def path(self) -> Path:
        """Where the file is."""
        return source_path(self.module, self.root, self.file)


@dataclass(slots=True)
class Observed:
    """What a search has come to."""

    cases: list[CallCase] = field(default_factory=list)
    told: dict[str, Any] = field(default_factory=dict)
    """how the search ended, as the worker tells"""
    problems: list[Problem] = field(default_factory=list)
    unrun: list[str] = field(default_factory=list)
    """functions of which a call was found for whose runs there was no time"""

    def leave_out(self, case: str, kind: str, file: str, line: int, why: str) -> None:
        """Tell why there are no tests of some calls of a function, once for each kind of reason."""
        function = case.partition("::")[2].rpartition("#")[0]
        if all((each.kind, each.message.partition(": ")[0]) != (kind, function) for each in self.problems):
            self.problems.append(Problem(kind, file, line, f"{function}: {why}"))


_EVERYTHING = Sought()


def observe(
    subject: Subject,
    reached: Reached,
    options: Options,
    seconds: float,
    sought: Sought = _EVERYTHING,
    until: float = float("inf"),
) -> Observed:
    """Search for calls that reach lines and branches which are not among those that were reached, and observe them.

    The search takes so many seconds at most, and everything is over at the time `until`.
    """
    setting = Setting(subject.root, options.fence, until=until)
    source = subject.path.read_text(encoding="utf-8")
    request: dict[str, Any] = {
        "module": subject.module,
        "file": str(subject.path.resolve()),
        "source": source,
        "seed": options.seed,
        "reached": list(reached),
        "settled": list(sought.settled),
        "members": list(sought.members),
        "left_out": sorted(sought.left_out),
        "guesses": {name: dict(guesses) for name, guesses in subject.guesses.items()},
        "private": subject.private,
        "seeds": [to_data(each) for each in seeds_of(subject.tried)],
        "known": [],
        "dropped": [],
        "doubtful": [],
        "allow_io": options.fence.allow_io,
    }
    observed = Observed()
    coverage = Coverage(source, subject.file, request["reached"])
    coverage.restrict(sought.members, sought.left_out)
    coverage.settle(sought.settled)
    if not coverage.wanted:
        return observed
    first = _found_by(subject, setting, request | _bounds(seconds, until, _FIRST, 0.0), observed)
    observed.cases = list(_observed([case for case, _ in first], setting, observed))
    second, share = _after(first, observed, request), 0.5
    while second is not None:
        # The calls that made no test may have kept better ones from being looked for. What was found is run once more
        # later, so that searches beyond the second must not use the time for it.
        end = until - share * _EACH * len(observed.cases)
        left = min(seconds, _PATIENCE * (1 - _FIRST) * seconds, end - time.monotonic())
        if left < _SHORTEST * share:
            break
        bounds, share = _bounds(left, end, 1.0, _EACH), 1.0
        more = _found_by(subject, setting, second | bounds, observed, len(first))
        kept = list(_observed([case for case, _ in more], setting, observed))
        observed.cases += kept
        first += more
        # One that has found nothing is the last: another one would hardly find more.
        second = _after(first, observed, second, bool(kept))
    if observed.unrun:
        observed.problems.append(_untried(subject.file, observed.unrun))
    names = {told["qualname"]: told["line"] for _, told in first if told["private"] and not subject.private}
    observed.problems += _private(subject.file, names, observed.cases)
    return observed


_Told = tuple[CallCase, dict[str, Any]]
"""A case that is to be run, and what the search told about its call."""


def _bounds(seconds: float, until: float, share: float, each: float) -> dict[str, float]:
    """How long a search may take, if it has this share of the time."""
    left = share * (until - time.monotonic())
    searching = left * _SEARCHING
    return {
        "seconds": max(0.0, min(share * seconds, searching)),
        "wall": max(0.0, min(share * _PATIENCE * seconds, searching)),
        "each": each if left < float("inf") else 0.0,
        "least": left * _LEAST_SEARCHING,
    }


def _found_by(
    subject: Subject, setting: Setting, request: dict[str, Any], observed: Observed, number: int = 0
) -> list[_Told]:
    """What one search finds; how it ended is noted."""
    found: list[_Told] = []
    for message in search(setting, {subject.module: str(subject.path)}, request):
        if "finished" in message:
            observed.told = message["finished"]
            refusals = [_refusal(subject.file, *each) for each in observed.told["refused"]]
            observed.problems += [each for each in refusals if each not in observed.problems]
        elif "failed" in message:
            what = f"the search for observed cases ended with {message['failed']}; this is a defect of Everypath"
            observed.problems.append(Problem("internal error", subject.file, 0, what))
        elif "found" in message:
            try:
                found.append((_candidate(subject, message, number + len(found) + 1), message))
            except Unsupported as error:
                case = f"{subject.module}::{message['qualname']}#"
                observed.leave_out(case, "unsupported", subject.file, message["line"], f"{_UNWRITTEN}: {error.message}")
    return found


def _after(
    found: Sequence[_Told], observed: Observed, request: dict[str, Any], gained: bool | None = None
) -> dict[str, Any] | None:
    """What to search after the calls that were found have been run, and where nothing more is to be expected, None.

    After the first search that is where nothing was lost and time was not over, later where nothing was `gained`.
    """
    kept = {case.id for case in observed.cases}
    reached = list(dict.fromkeys(map(_hashable, (*request["reached"], *_reached_by(observed.cases)))))
    dropped = [told for case, told in found if case.id not in kept]
    there = set(map(_hashable, reached))
    lost = {_hashable(each): each for told in dropped for each in told["reached"]}
    doubtful = [each for thing, each in lost.items() if thing not in there]
    stopped = observed.told.get("stopped")
    if gained is False or (not doubtful and (stopped == "all reached" or (gained is None and stopped != "time"))):
        return None
    return request | {
        "seed": request["seed"] + 1,
        "reached": reached,
        "known": [[told["qualname"], told["kind"], told["found"]] for case, told in found if case.id in kept],
        "dropped": [told["found"] for told in dropped],
        "doubtful": doubtful,
    }


def _reached_by(cases: Sequence[CallCase]) -> Iterable[int | tuple[int, int]]:
    """The lines and branches that runs of these cases have shown."""
    for case in cases:
        yield from (step.line for step in case.trace)
        for each in case.covers:
            start, _, end = each.rpartition(":")[2].partition("->")
            yield int(start), int(end)


def _hashable(thing: Any) -> Any:
    """A branch, which messages hold as a list."""
    return tuple(thing) if isinstance(thing, list) else thing


def _candidate(subject: Subject, message: Mapping[str, Any], number: int) -> CallCase:
    qualname, kind = message["qualname"], message["kind"]
    outer, _, name = qualname.rpartition(".")
    cls = None if kind in ("function", SCRIPT) else (qualname if kind == "constructor" else outer)
    entry = Entry(
        subject.module, subject.file, cls, "__init__" if kind == "constructor" else name, kind, message["line"]
    )
    candidate = read_candidate(from_data(message["found"]), entry, message["how"])
    return Case(
        id=f"{subject.module}::{qualname}#observed{number}",
        entry=candidate.entry,
        inputs=candidate.inputs,
        expected=Expected(Returned(ANYTHING)),
        start=RealRun(),
        observed=True,
    )


def _observed(found: Sequence[CallCase], setting: Setting, observed: Observed) -> Iterable[CallCase]:
    """The cases with what two runs of each have shown."""
    scripts: dict[str, str] = {}
    for case in found:
        try:
            scripts[case.id] = render_observation(case)
        except (Unsupported, Internal) as error:
            why = f"{_UNWRITTEN}: {error.message}"
            observed.leave_out(case.id, "unsupported", case.entry.file, case.entry.line, why)
    first = run_cases(found, scripts, setting, observe=True)
    others = {case: renamed_observation(script) for case, script in scripts.items()}
    second = run_cases(found, others, replace(setting, hash_seed=OTHER_SEED), observe=True)
    for case in found:
        if case.id in scripts:
            made = _with_outcome(case, first[case.id], second[case.id])
            if made is not None:
                yield made
            elif UNRUN not in (first[case.id].status, second[case.id].status):
                observed.leave_out(case.id, *_difference(case, first[case.id], second[case.id]))
            else:
                observed.unrun.append(case.entry.qualified)


def _untried(file: str, functions: Sequence[str]) -> Problem:
    """That time was over before some calls could be run."""
    count = Counter(functions)
    shown = ", ".join(f"{name} ({number})" for name, number in count.most_common(_MOST_NAMED))
    more = ", ..." if len(count) > _MOST_NAMED else ""
    what = f"{len(functions)} calls that reach more were found and not run, because the time is over: {shown}{more}"
    return Problem("note", file, 0, f"{what}; give more time")


def _private(file: str, names: Mapping[str, int], cases: Sequence[CallCase]) -> Iterable[Problem]:
    """Which private functions are called, although there are public ones."""
    kept = {case.id.partition("::")[2].rpartition("#")[0] for case in cases}
    shown = [name for name in names if name in kept]
    if shown:
        listed = ", ".join(shown[:_MOST_NAMED]) + ", ..." * (len(shown) > _MOST_NAMED)
        yield Problem("note", file, names[shown[0]], f"private, and not reached through public ones: {listed}")


def _refusal(file: str, qualname: str, what: str, line: int) -> Problem:
    """Why the calls of a function that reach more are left out, as the search tells."""
    if what == TOO_LONG:
        return Problem("timeout", file, line, f"{qualname}: some calls take too long, and are left out")
    if what == LEAVES_THREAD:
        return Problem("note", file, line, f"{qualname}: some calls {what}")
    return Problem("refused", file, line, f"{qualname}: some calls try to {what}, and are left out")


def _difference(case: CallCase, one: Verdict, other: Verdict) -> tuple[str, str, int, str]:
    """Why two runs of a call make no test: both end in the same bad way, or each in its own."""
    line = one.line or case.entry.line
    if one.status != other.status or one.status in _ENDED:
        return "unstable", case.entry.file, case.entry.line, "the result changes from run to run; no test is written"
    return one.status, one.file or case.entry.file, line, f"some calls are left out: {one.text}"


def _with_outcome(case: CallCase, one: Verdict, other: Verdict) -> CallCase | None:
    """The case with the expectation on which both runs agree; None if they do not come to the same end."""
    if one.seen is None or other.seen is None or one.status not in _ENDED or other.status != one.status:
        return None
    before = agreed_heap(one.seen["before"], other.seen["before"])
    after = agreed_heap(one.seen["after"], other.seen["after"])
    expected = expected_of({"outcome": agreed(one.seen["outcome"], other.seen["outcome"]), "after": after})
    if expected is None:
        return None
    if case.entry.kind == SCRIPT and isinstance(expected.outcome, Returned):
        # All that the module holds is no result.
        expected = Expected(Returned(ANYTHING))
    file = case.entry.file
    steps = (*_rerun(case.entry), *_surroundings(one.seen["needs"], case.inputs.steps), *case.inputs.steps)
    files = files_of(one.seen["files"], other.seen["files"])
    return replace(
        case,
        inputs=replace(case.inputs, ready=heap_of(before), steps=steps),
        expected=replace(expected, files=files),
        trace=tuple(Step(file, line) for line in sorted(one.lines & other.lines)),
        covers=tuple(f"{file}:{a}->{b}" for a, b in sorted(one.arcs & other.arcs) if a > 0 and b > 0),
    )


def _rerun(entry: Entry) -> Iterable[BuildStep]:
    """Where a module of a package is run once more, it must not be found imported, or there would be a warning."""
    if entry.kind == SCRIPT and "." in entry.module:
        given = Written("sys", "sys.modules"), Literal(entry.module), Literal(False)
        yield fixture_step("monkeypatch", "delitem", *given)


def _surroundings(needs: Mapping[str, Any], steps: Sequence[BuildStep]) -> Iterable[BuildStep]:
    """Set those of the surroundings as they were that the run has looked at."""
    set_already = {step.arguments[0][1] for step in steps if not step.module and step.method == "setenv"}
    if needs.get("folder"):
        yield fixture_step("monkeypatch", "chdir", _FOLDER)
    for name, value in sorted(needs.get("variables", {}).items()):
        if Literal(name) in set_already:
            continue
        if value is None:
            yield fixture_step("monkeypatch", "delenv", Literal(name), Literal(False))
        else:
            # The home of the test is its folder.
            yield fixture_step("monkeypatch", "setenv", Literal(name), Literal(value) if value else _FOLDER_TEXT)
    replaced = {step.arguments[0][1] for step in steps if not step.module and step.method == "setattr"}
    if needs.get("arguments") and Literal("sys.argv") not in replaced:
        yield fixture_step("monkeypatch", "setattr", Literal("sys.argv"), Written("", repr(ARGUMENTS)))
    if needs.get("temporary"):
        yield fixture_step("monkeypatch", "setattr", Literal("tempfile.tempdir"), _FOLDER_TEXT)
