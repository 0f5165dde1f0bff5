"""Validates a suite: finds for every case a way to build its inputs under which it runs as predicted.

There are several ways to build an object, from calling its constructor to setting its fields past it (`VARIANTS`, the
most readable first). Each is tried with the cases that no earlier one made pass; a case keeps the run that tells most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from everypath.cases.model import CallCase, CallSuite
from everypath.errors import Internal, Unsupported
from everypath.languages.python.runtime.runner import ERROR, FAILED, UNWRITTEN, Setting, Verdict, run_cases
from everypath.languages.python.scripts.arrange import VARIANTS, built_objects, past_constructors, with_constructor
from everypath.languages.python.scripts.body import render_case
from everypath.options import FenceOptions

Strays = Callable[[CallCase, Verdict], bool]
"""Whether a run that passed went another way than the path of its case."""
_TRIAL = 8
"""Where objects of so many cases cannot be built in one way, those of the other cases are not tried in that way."""
_MOST_OBJECTS = 12
"""Beside an object that no constructor makes, so many others are tried."""


def validate(
    suite: CallSuite,
    *,
    root: Path,
    options: FenceOptions,
    path: Sequence[str] = (),
    scripts: dict[str, str] | None = None,
    until: float = float("inf"),
    strays: Strays = lambda case, verdict: False,
) -> list[tuple[CallCase, Verdict, int]]:
    """Each case with the verdict of its best run and the variant of that run; `scripts` receives what ran, by id.

    The constructor comes first. Where it refuses or changes what it is given, or the run is not as
    predicted, the objects are built past it; a case that never passes keeps its most telling verdict.
    A run that passes and still `strays` from the path is not as predicted either: the constructor
    may have changed what the path reads, such as a count of objects in the class.
    """
    setting = Setting(root, options, tuple(path), until=until)
    search = _Search(suite, {} if scripts is None else scripts, strays)
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
    _use_constructors(search, setting)
    return [(case, *search.best[case.id]) for case in suite.cases]


def _use_constructors(search: _Search, setting: Setting) -> None:
    """Where a case needs an object that no constructor makes, have the others made by theirs, one after the other."""
    for number in range(_MOST_OBJECTS):
        ways: dict[str, int] = {}
        for case in search.cases:
            verdict, way = search.best[case.id]
            if verdict.passed and past_constructors(way) and 1 < len(built_objects(case)) > number:
                ways[case.id] = with_constructor(way, number)
        chosen = [case for case in search.cases if case.id in ways]
        if not chosen:
            return
        sources = search.write_each(chosen, ways)
        written = [case for case in chosen if case.id in sources]
        verdicts = run_cases(written, sources, setting)
        for case in written:
            if verdicts[case.id].passed and not search.strays(case, verdicts[case.id]):
                search.accept(case.id, verdicts[case.id], ways[case.id], sources[case.id])


class _Search:
    """What is known so far about the ways to build the inputs of each case."""

    def __init__(self, suite: CallSuite, scripts: dict[str, str], strays: Strays) -> None:
        self.strays = strays
        self._plans = suite.plans
        self._scripts = scripts
        self._tried: dict[str, set[str]] = {}
        self.best: dict[str, tuple[Verdict, int]] = {}
        """case -> the verdict that tells most, and the variant that it came from"""
        self.cases = list(suite.cases)
        self._case = {case.id: case for case in suite.cases}
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

    def write_each(self, cases: Sequence[CallCase], ways: Mapping[str, int]) -> dict[str, str]:
        """The scripts of cases that can be written, each in a way of its own."""
        sources: dict[str, str] = {}
        for case in cases:
            with suppress(Unsupported, Internal):
                sources[case.id] = render_case(case, self._plans, ways[case.id])
        return sources

    def accept(self, case_id: str, verdict: Verdict, way: int, source: str) -> None:
        """Take a way that passed in place of the one before."""
        self.best[case_id] = (verdict, way)
        self._scripts[case_id] = source

    def note(self, variant: int, sources: dict[str, str], verdicts: dict[str, Verdict]) -> None:
        """Take in how the runs of a variant ended."""
        for case_id, verdict in verdicts.items():
            self._tried.setdefault(case_id, set()).add(sources[case_id])
            if case_id not in self.best or self._tells_more(self._case[case_id], verdict):
                self.accept(case_id, verdict, variant, sources[case_id])
        self.pending = [case for case in self.pending if self._may_improve(case)]

    def _may_improve(self, case: CallCase) -> bool:
        if case.id not in self.best:
            return True
        verdict = self.best[case.id][0]
        return verdict.status in (FAILED, ERROR) or (verdict.passed and self.strays(case, verdict))

    def _tells_more(self, case: CallCase, new: Verdict) -> bool:
        """A run that passes tells most, along the path or else anyhow; then one that got as far as the call."""
        old = self.best[case.id][0]
        if old.passed:
            return new.passed and self.strays(case, old) and not self.strays(case, new)
        if new.passed:
            return True
        return old.phase in ("arrange", "check") and new.phase not in ("arrange", "check")
