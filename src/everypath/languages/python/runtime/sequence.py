"""Whether tests that pass alone also pass one after the other in one process, as pytest runs them."""

from __future__ import annotations

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
_LEFT = "changes are left behind"
_LEAST_SECONDS = 30.0
"""How long all cases of a file together may take, at least."""


@dataclass(frozen=True, slots=True)
class Settled:
    """How to emit a file so that its tests do not disturb each other, and the cases for which nothing helps."""

    restore_state: bool
    unstable: frozenset[str]


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
    setting = rehearsal_setting(root, options, path, until)

    def failing(restore: bool, step: int = 1) -> frozenset[str] | None:
        rehearsal = replace(cases[0], id="all cases in sequence")
        source = _script(cases, ordered[::step], restore)
        verdict = run_cases([rehearsal], {rehearsal.id: source}, setting)[rehearsal.id]
        if verdict.status != FAILED or verdict.text.endswith(_LEFT):
            return frozenset() if verdict.passed else None
        numbers = verdict.text.rpartition(":")[2].split()
        return frozenset(cases[::step][int(number)].id for number in numbers)

    ways = (1, -1) if any(case.observed for case in cases) else (1,)
    if all(failing(False, step) == frozenset() for step in ways):
        return Settled(False, frozenset())
    # Where the rehearsal cannot be finished, restoring is the safe side; no case is blamed without evidence.
    blamed = [failing(True, step) or frozenset[str]() for step in ways]
    return Settled(True, frozenset[str]().union(*blamed))


def _script(cases: Sequence[CallCase], scripts: Sequence[str], restore: bool) -> str:
    """One script that runs the others and names those that fail by their numbers."""
    imports = Imports(())
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
            "    failed = []",
            *(["    before = kept_state()"] if watched else ()),
            "    for number, source in enumerate(scripts):",
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
            "    if failed:",
            "        raise AssertionError('failed in sequence: ' + ' '.join(map(str, failed[:500])))",
            *([_COMPARED.format(_LEFT)] if watched else ()),
            "",
        ]
    )
