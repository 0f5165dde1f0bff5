"""Validates a suite: finds for every case a way to build its inputs under which it runs as predicted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from everypath.cases.model import CallCase, CallSuite
from everypath.errors import Internal, Unsupported
from everypath.languages.python.runtime.runner import Setting, run_cases
from everypath.languages.python.runtime.verdict import ERROR, FAILED, UNWRITTEN, Verdict
from everypath.languages.python.writers.arrange import VARIANTS
from everypath.languages.python.writers.pytest_writer import render_case
from everypath.options import FenceOptions

_TRIAL = 8
"""Where objects of so many cases cannot be built in one way, those of the other cases are not tried in that way."""


def validate(
    suite: CallSuite,
    *,
    root: Path,
    options: FenceOptions,
    path: Sequence[str] = (),
    scripts: dict[str, str] | None = None,
) -> list[tuple[CallCase, Verdict, int]]:
    """Each case with the verdict of its best run and the variant of that run; `scripts` receives what ran, by id.

    The constructor comes first. Where it refuses or changes what it is given, or the run is not as
    predicted, the objects are built past it; a case that never passes keeps its most telling verdict.
    """
    setting = Setting(root, options, tuple(path))
    best: dict[str, tuple[Verdict, int]] = {}
    tried: dict[str, set[str]] = {}
    pending = list(suite.cases)
    for variant in VARIANTS:
        sources: dict[str, str] = {}
        for case in pending:
            try:
                source = render_case(case, suite.plans, variant)
            except Internal as problem:
                best[case.id] = (Verdict(ERROR, problem.message, "arrange"), variant)
                continue
            except Unsupported as problem:
                best.setdefault(case.id, (Verdict(UNWRITTEN, problem.message, "arrange"), variant))
                continue
            if source not in tried.setdefault(case.id, set()):
                tried[case.id].add(source)
                sources[case.id] = source
        verdicts: dict[str, Verdict] = {}
        if len(sources) > 2 * _TRIAL and variant != VARIANTS[-1]:
            trial = [case for case in pending if case.id in sources][:_TRIAL]
            verdicts = run_cases(trial, sources, setting)
        if verdicts and all(verdict.phase == "arrange" for verdict in verdicts.values()):
            for case_id in sources.keys() - verdicts.keys():
                tried[case_id].discard(sources[case_id])
        else:
            verdicts |= run_cases([case for case in pending if case.id not in verdicts], sources, setting)
        for case_id, verdict in verdicts.items():
            if case_id not in best or _tells_more(verdict, best[case_id][0]):
                best[case_id] = (verdict, variant)
                if scripts is not None:
                    scripts[case_id] = sources[case_id]
        pending = [case for case in pending if case.id not in best or best[case.id][0].status in (FAILED, ERROR)]
    return [(case, *best[case.id]) for case in suite.cases]


def _tells_more(new: Verdict, old: Verdict) -> bool:
    """A run that passes tells most; then one that got as far as the call."""
    if new.passed or old.passed:
        return new.passed
    return old.phase in ("arrange", "check") and new.phase not in ("arrange", "check")
