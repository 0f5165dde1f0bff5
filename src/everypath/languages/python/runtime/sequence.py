"""Whether tests that pass alone also pass one after the other in one process, as pytest runs them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from everypath.cases.model import CallCase, CallSuite
from everypath.languages.python.runtime.runner import FAILED, Setting, run_cases
from everypath.languages.python.runtime.starting import OTHER_SEED
from everypath.languages.python.scripts.arrange import CONSTRUCTOR
from everypath.languages.python.scripts.body import VALIDATION_FUNCTION, render_case
from everypath.languages.python.scripts.grouping import arrange_units, cases_of
from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.scripts.isolation import RESTORING, noticing, packages, restoring
from everypath.languages.python.scripts.replacing import FOLDER
from everypath.options import FenceOptions
from everypath.records import dataclass, replace

# A script that does not name the folder is given none, which saves time.
_FOLDERS = (
    f"            if '{FOLDER}' in source:",
    f"                namespace['{FOLDER}'] = {FOLDER} / str(number)",
    f"                namespace['{FOLDER}'].mkdir()",
)
_COMPARED = """\
    after = kept_state()
    if any(after.get(place) != told for place, told in before.items()):
        raise AssertionError('{}')"""
_UNTRIED = " untried from "
_ENDING = (
    "        if time.monotonic() > end:",
    f"            late = {_UNTRIED!r} + str(number)",
    "            break",
)
_STARTING = 0.2
"""Seconds that pass before the first case of a file runs."""
_LEAST_REHEARSING = 0.3
_LEFT = "changes are left behind"
_LEAST_SECONDS = 30.0
"""How long all cases of a file together may take, at least."""


@dataclass(frozen=True, slots=True)
class Settled:
    """How to emit a file so that its tests do not disturb each other, and the cases for which nothing helps."""

    restore_state: bool
    unstable: frozenset[str]
    untried: frozenset[str] = frozenset()
    """observed cases that nobody has run together with the others, because time was over"""


@dataclass(frozen=True, slots=True)
class _Rehearsed:
    """How a run of all cases of a file ended."""

    failing: frozenset[str] = frozenset()
    untried: frozenset[str] = frozenset()
    """those whose turn did not come"""
    finished: bool = True
    """whether it came to its end"""
    leaves: bool = False
    """whether something was changed that tests of other files meet"""

    @property
    def passed(self) -> bool:
        """Whether every case was run and passed."""
        return self.finished and not self.failing and not self.untried


def rehearsal_setting(
    root: Path, options: FenceOptions, path: Sequence[str] = (), until: float = float("inf")
) -> Setting:
    """How all cases of a file run together: with more time, and with another order of sets."""
    patient = replace(options, case_seconds=max(_LEAST_SECONDS, 4 * options.case_seconds))
    return Setting(root, patient, tuple(path), OTHER_SEED, until)


def settle(
    suites: Sequence[CallSuite],
    variants: Mapping[str, int],
    *,
    root: Path,
    options: FenceOptions,
    path: Sequence[str] = (),
    scripts: Mapping[str, str] | None = None,
    paths_per_test: int = 1,
    until: float = float("inf"),
) -> Settled:
    """Run all cases of one file in its order in one process, first as they are, then restoring state in between.

    State is also restored where cases leave a change behind in their package, which tests of its other modules meet.
    Nobody has followed what observed cases do to the rest of the program, so with such cases the file is also run
    backwards: a test that comes before another one sees what that one leaves only there.
    `scripts` are those that `validate` wrote, which need not be written again.
    """
    found = [case for suite in suites for case in suite.cases]
    cases = [case for unit in arrange_units(found, paths_per_test) for case in cases_of(unit)]
    if len(cases) < 2 and not packages(cases):
        return Settled(False, frozenset())
    plans = {key: plan for suite in suites for key, plan in suite.plans.items()}
    written = scripts or {}
    ordered = [written.get(c.id) or render_case(c, plans, variants.get(c.id, CONSTRUCTOR)) for c in cases]
    return _settled(cases, _Stage(cases, ordered, rehearsal_setting(root, options, path, until)))


def _settled(cases: Sequence[CallCase], stage: _Stage) -> Settled:
    """What rehearsals say about the cases."""
    ways = (1, -1) if any(case.observed for case in cases) else (1,)
    plain = [stage.rehearse(False, step, runs) for runs, step in zip((len(ways) + 2, len(ways) + 1), ways)]
    if all(each.passed and not each.leaves for each in plain):
        return Settled(False, frozenset())
    # Where the rehearsal cannot be finished, restoring is the safe side; no case is blamed without evidence.
    restored = [stage.rehearse(True, step, runs) for runs, step in zip((len(ways), 1), ways)]
    # Predictions say what a case changes; without them only a run can tell whether others are disturbed. Who passes
    # among all that the others leave behind also passes where that is put back.
    unsure = frozenset(case.id for case in cases if case.observed)
    untried = unsure - _always_passing(cases, plain) - _always_passing(cases, restored)
    failing = frozenset[str]().union(*(each.failing for each in restored))
    return Settled(True, failing, untried - failing)


def _always_passing(cases: Sequence[CallCase], seen: Sequence[_Rehearsed]) -> frozenset[str]:
    """The cases that passed in all of some rehearsals."""
    if not all(each.finished for each in seen):
        return frozenset()
    return frozenset(case.id for case in cases).difference(*(each.failing | each.untried for each in seen))


@dataclass(frozen=True, slots=True)
class _Stage:
    """All cases of a file with their scripts, and where they are run together."""

    cases: Sequence[CallCase]
    scripts: Sequence[str]
    setting: Setting

    def rehearse(self, restore: bool, step: int, runs: int) -> _Rehearsed:
        """Run all cases, with a fair part of the time that is left for so many runs."""
        rehearsal = replace(self.cases[0], id="all cases in sequence")
        seconds = (self.setting.until - time.monotonic()) / runs - _STARTING
        source = _script(self.cases, self.scripts[::step], restore, seconds)
        verdict = run_cases([rehearsal], {rehearsal.id: source}, self.setting)[rehearsal.id]
        if verdict.passed:
            return _Rehearsed()
        if verdict.status == FAILED and verdict.text.endswith(_LEFT):
            return _Rehearsed(leaves=True)
        if verdict.status != FAILED:
            return _Rehearsed(finished=False)
        failed, _, last = verdict.text.rpartition(": ")[2].partition(_UNTRIED)
        turns = [case.id for case in self.cases[::step]]
        untried = frozenset(turns[int(last) :]) if last else frozenset[str]()
        return _Rehearsed(frozenset(turns[int(number)] for number in failed.split()), untried)


def _script(cases: Sequence[CallCase], scripts: Sequence[str], restore: bool, seconds: float) -> str:
    """One script that runs the others and names those that fail by their numbers, and the first that comes too late."""
    imports = Imports(())
    limited = seconds < float("inf")
    if limited:
        imports.module("time")
    around = restoring(cases, imports) if restore else [f"def {RESTORING}():", "    yield"]
    watched = bool(packages(cases)) and not restore
    if watched:
        imports.module("contextlib")
        imports.module("sys")
        around += noticing(cases)
    return "\n".join(
        [
            *imports.lines(pytest=False),
            *around,
            f"scripts = {list(scripts)!r}",
            f"def {VALIDATION_FUNCTION}(phase):",
            "    failed, late = [], ''",
            *([f"    end = time.monotonic() + {max(seconds, _LEAST_REHEARSING):.3f}"] if limited else ()),
            *(["    before = kept_state()"] if watched else ()),
            "    for number, source in enumerate(scripts):",
            *(_ENDING if limited else ()),
            f"        state = {RESTORING}()",
            "        try:",
            "            next(state)",
            "            namespace = {'pytest': pytest, 'monkeypatch': monkeypatch}",
            *(_FOLDERS if any(FOLDER in source for source in scripts) else ()),
            "            exec(source, namespace)",
            f"            namespace['{VALIDATION_FUNCTION}'](lambda name: None)",
            "        except Exception:",
            "            failed.append(number)",
            "        monkeypatch.undo()",
            "        next(state, None)",
            "    if failed or late:",
            "        raise AssertionError('failed in sequence: ' + ' '.join(map(str, failed[:500])) + late)",
            *([_COMPARED.format(_LEFT)] if watched else ()),
            "",
        ]
    )
