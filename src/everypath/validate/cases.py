"""Validates a suite: finds for every case a way to build its inputs under which it runs as predicted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from everypath.emit.arrange import VARIANTS
from everypath.emit.pytest_writer import render_case
from everypath.errors import Unsupported
from everypath.options import FenceOptions
from everypath.suite.model import Suite, TestCase
from everypath.validate.runner import Setting, run_cases
from everypath.validate.verdict import ERROR, FAILED, Verdict


def validate(
    suite: Suite,
    *,
    root: Path,
    options: FenceOptions,
    path: Sequence[str] = (),
    scripts: dict[str, str] | None = None,
) -> list[tuple[TestCase, Verdict, int]]:
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
            except Unsupported as problem:
                best[case.id] = (Verdict(ERROR, str(problem), "arrange"), variant)
                continue
            if source not in tried.setdefault(case.id, set()):
                tried[case.id].add(source)
                sources[case.id] = source
        for case_id, verdict in run_cases(pending, sources, setting).items():
            if case_id not in best or _tells_more(verdict, best[case_id][0]):
                best[case_id] = (verdict, variant)
                if scripts is not None:
                    scripts[case_id] = sources[case_id]
        pending = [case for case in pending if best[case.id][0].status in (FAILED, ERROR)]
    return [(case, *best[case.id]) for case in suite.cases]


def _tells_more(new: Verdict, old: Verdict) -> bool:
    """A run that passes tells most; then one that got as far as the call."""
    if new.passed or old.passed:
        return new.passed
    return old.phase in ("arrange", "check") and new.phase not in ("arrange", "check")
