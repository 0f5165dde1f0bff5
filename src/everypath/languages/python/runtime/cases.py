"""Validates a suite: finds for every case a way to build its inputs under which it runs as predicted.

There are several ways to build an object, from calling its constructor to setting its fields past it (`VARIANTS`, the
most readable first). Each is tried with the cases that no earlier one made pass; a case keeps the run that tells most.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from everypath.cases.model import CallCase, CallSuite
from everypath.errors import Internal, Unsupported
from everypath.languages.python.runtime.runner import ERROR, FAILED, UNWRITTEN, Setting, Verdict, run_cases
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
    search = _Search(suite, {} if scripts is None else scripts)
    for variant in VARIANTS:
        sources = search.write(variant)
        chosen = [case for case in search.pending if case.id in sources]
        verdicts: dict[str, Verdict] = {}
        if len(chosen) > 2 * _TRIAL and variant != VARIANTS[-1]:
            verdicts = run_cases(chosen[:_TRIAL], sources, setting)
        # Where no object of the trial could be built, the others would only cost time.
        if not verdicts or any(verdict.phase != "arrange" for verdict in verdicts.values()):
            verdicts |= run_cases(chosen[len(verdicts) :], sources, setting)
        search.note(variant, sources, verdicts)
    return [(case, *search.best[case.id]) for case in suite.cases]


class _Search:
    """What is known so far about the ways to build the inputs of each case."""

    def __init__(self, suite: CallSuite, scripts: dict[str, str]) -> None:
        self._plans = suite.plans
        self._scripts = scripts
        self._tried: dict[str, set[str]] = {}
        self.best: dict[str, tuple[Verdict, int]] = {}
        """case -> the verdict that tells most, and the variant that it came from"""
        self.pending = list(suite.cases)
        """the cases for which another variant may do better"""

    def write(self, variant: int) -> dict[str, str]:
        """The scripts of the pending cases in this variant, by id, without those that ran already.

        Variants differ only where objects are built, so many cases read the same in all of them.
        """
        sources: dict[str, str] = {}
        for case in self.pending:
            try:
                source = render_case(case, self._plans, variant)
            except Internal as problem:
                self.best[case.id] = (Verdict(ERROR, problem.message, "arrange"), variant)
            except Unsupported as problem:
                self.best.setdefault(case.id, (Verdict(UNWRITTEN, problem.message, "arrange"), variant))
            else:
                if source not in self._tried.get(case.id, ()):
                    sources[case.id] = source
        return sources

    def note(self, variant: int, sources: dict[str, str], verdicts: dict[str, Verdict]) -> None:
        """Take in how the runs of a variant ended."""
        for case_id, verdict in verdicts.items():
            self._tried.setdefault(case_id, set()).add(sources[case_id])
            if case_id not in self.best or _tells_more(verdict, self.best[case_id][0]):
                self.best[case_id] = (verdict, variant)
                self._scripts[case_id] = sources[case_id]
        self.pending = [case for case in self.pending if self._may_improve(case)]

    def _may_improve(self, case: CallCase) -> bool:
        return case.id not in self.best or self.best[case.id][0].status in (FAILED, ERROR)


def _tells_more(new: Verdict, old: Verdict) -> bool:
    """A run that passes tells most; then one that got as far as the call."""
    if new.passed or old.passed:
        return new.passed
    return old.phase in ("arrange", "check") and new.phase not in ("arrange", "check")
