"""The Java runtime: cases become classes, run on a JVM, and are compared with what was predicted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from everypath.cases.model import CallCase, CallSuite, Problem, SomeCase, SomeSuite
from everypath.cases.spelling import spelled
from everypath.errors import Unsupported
from everypath.languages.base import (
    Again,
    EntryPoint,
    Failed,
    Loaded,
    Module,
    NotRun,
    Passed,
    Recorded,
    Refused,
    Seen,
    Settled,
    Sought,
    Verdict,
)
from everypath.languages.java.frontend.hierarchy import Hierarchy
from everypath.languages.java.runtime.jdk import usable_jdk
from everypath.languages.java.runtime.junit import find_junit
from everypath.languages.java.runtime.runner import (
    CRASHED,
    FAILED,
    REFUSED,
    TIMEOUT,
    UNCOMPILED,
    UNRUN,
    Ending,
    Setting,
    announce,
    run_cases,
    run_suite,
)
from everypath.languages.java.scripts.body import RAW_TYPES, render_case
from everypath.languages.java.scripts.program import JavaProgram
from everypath.languages.java.scripts.wording import JAVA
from everypath.languages.java.writers.junit_writer import render_class
from everypath.options import Options
from everypath.records import replace

if TYPE_CHECKING:
    from everypath.languages.java.frontend.load import JavaLoaded

UNWRITTEN = "unwritten"
"""There is no test to run: something in it cannot be written down."""
_LIMITS = ("java.lang.StackOverflowError", "java.lang.OutOfMemoryError")
_ORDER = tuple(way for typed in range(RAW_TYPES) for way in (typed, typed + RAW_TYPES))
"""The ways to build inputs, the most readable first; types without arguments only where the others do not compile."""


class JavaRuntime:
    """Runs cases on one JVM for the whole run."""

    batch = 400
    until = float("inf")
    beyond_loops = True

    def __init__(self, options: Options) -> None:
        self._options = options
        self._jdk = usable_jdk()
        self._reached: set[str] = set()
        """the lines and branches that cases of the current module take"""

    def announce(self, loaded: Loaded, entry: EntryPoint) -> None:
        """Have the JVM read the class path while this process explores."""
        announce(self._setting(loaded))

    def run(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Verdict]:
        """Run the cases and keep those that take the predicted lines to the predicted end."""
        for case, ending, way in self._validated(loaded, cases):
            if ending.passed:
                self._reached |= ending.reached
                yield Passed(case, way)
            elif ending.status == UNRUN:
                yield NotRun(case)
            elif ending.status in (REFUSED, UNWRITTEN, UNCOMPILED) or ending.phase in ("arrange", "check"):
                yield Refused(_problem(case, ending))
            else:
                yield Failed(_problem(case, ending))

    def run_again(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Again]:
        """Run recorded cases with what the program is now."""
        for case, ending, way in self._validated(loaded, cases):
            yield Again(case, None if ending.passed else ending.text or ending.status, way)

    def record(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Recorded]:
        """Run cases as before, then once more in classes that tell their steps."""
        # Few runs are looked at.
        from everypath.languages.java.runtime.recording import recordings

        found = self._validated(loaded, cases)
        passed = [(case, way) for case, ending, way in found if ending.passed]
        told = recordings(passed, _program(loaded), replace(self._setting(loaded), until=self.until))
        for case, ending, way in found:
            yield Recorded(case, None if ending.passed else ending.text or ending.status, way, told.get(case.id))

    def left_open(self, loaded: Loaded) -> Collection[str]:
        """Programs depend on nothing else that tests could set."""
        return ()

    def observe(self, loaded: Loaded, sought: Sought, seconds: float) -> Seen:
        """Call the class in many ways, and keep what reaches a line or branch that no case reaches."""
        program = cast("JavaLoaded", loaded)
        # Many runs have nothing to look for.
        from everypath.languages.java.observing.observing import observe

        setting = replace(self._setting(loaded), until=self.until)
        return observe(program, sought, frozenset(self._reached), setting, self._options, seconds)

    def settle(self, module: Module) -> Settled:
        """Compile the file as it will be written, and run all its tests one after the other."""
        if not any(True for _ in module.cases) or not module.programs:
            return Settled()
        loaded = module.programs[0]
        setting = self._setting(loaded)
        suites = cast("list[CallSuite]", module.suites)
        rendered = render_class(suites, _program(loaded).hierarchy, module.name, module.ways)
        ended = run_suite(rendered.name, rendered.text, list(rendered.methods.values()), setting)
        unstable: dict[str, Problem] = {}
        cases = {case.id: cast("CallCase", case) for case in module.cases}
        for case_id, method in rendered.methods.items():
            case, ending = cases[case_id], ended.tests.get(method)
            if ended.errors:
                unstable[case_id] = _defect(case, case.entry.line, f"its file does not compile: {ended.errors[0]}")
            elif ending is not None and not ending.passed:
                message = f"{case.entry.qualified}: its test fails among the others: {ending.text}; no test is written"
                unstable[case_id] = Problem("unstable", case.entry.file, case.entry.line, message)
        return Settled(unstable=unstable)

    def remembered(self) -> set[str]:
        """What the cases have reached."""
        return self._reached

    def remember(self, what: set[str]) -> None:
        """Take over what another process has remembered."""
        self._reached |= what

    def forget(self) -> None:
        """What was reached in the last module is of no more use."""
        # What was handed out before stays as it is.
        self._reached = set()

    def _setting(self, loaded: Loaded) -> Setting:
        places = _program(loaded).classpath
        junit = find_junit(self._options.junit, places)
        probed = "" if is_user_code(loaded) else loaded.module
        own, others = (places[:1], places[1:]) if not probed else ((), places)
        return Setting(self._jdk, own, self._options.fence, others, junit, probed, self.until)

    def _validated(self, loaded: Loaded, cases: Sequence[SomeCase]) -> list[tuple[CallCase, Ending, int]]:
        """Each case with its best run and the way to build its inputs that led to it."""
        # A suite comes back to the language that filled it, so these are calls.
        calls = cast("Sequence[CallCase]", cases)
        search = _Search(calls, _program(loaded).hierarchy, is_user_code(loaded), loaded.program.summarised)
        setting = replace(self._setting(loaded), until=self.until)
        for way in _ORDER:
            sources = search.write(way)
            if sources:
                search.note(way, run_cases(sources, setting))
        return [(case, *search.best[case.id]) for case in calls]


class _Search:
    """What is known so far about the ways to build the inputs of each case."""

    def __init__(
        self, cases: Sequence[CallCase], hierarchy: Hierarchy, compares: bool, summarised: Collection[str]
    ) -> None:
        self._compares = compares
        """whether lines are compared: those of a model of a library class are not the library's"""
        self._summarised = summarised
        """files of which not all was followed"""
        self._cases = list(cases)
        self._hierarchy = hierarchy
        self._tried: dict[str, set[str]] = {}
        self.best: dict[str, tuple[Ending, int]] = {}

    def write(self, way: int) -> dict[str, tuple[str, str]]:
        """The classes of the cases for which this way may do better, without those that ran already."""
        sources: dict[str, tuple[str, str]] = {}
        for number, case in enumerate(self._cases):
            if not self._may_improve(case, way):
                continue
            try:
                source = render_case(case, self._hierarchy, f"Case{number}", way)
            except Unsupported as problem:
                self.best.setdefault(case.id, (Ending(UNWRITTEN, problem.message, "arrange"), way))
                continue
            tried = self._tried.setdefault(case.id, set())
            if source[1] not in tried:
                tried.add(source[1])
                sources[case.id] = source
        return sources

    def note(self, way: int, endings: dict[str, Ending]) -> None:
        """Take in how the runs of a way ended."""
        cases = {case.id: case for case in self._cases}
        for case_id, ending in endings.items():
            case = cases[case_id]
            compared = ending.passed and self._compares
            partly = case.entry.file in self._summarised
            strayed = disagreement(case, ending, self._hierarchy, partly) if compared else None
            if strayed is not None:
                # The objects that this way makes lead to the same end by another path.
                ending = Ending(FAILED, strayed, "act")
            if case_id not in self.best or _tells_more(ending, self.best[case_id][0]):
                self.best[case_id] = ending, way

    def _may_improve(self, case: CallCase, way: int) -> bool:
        known = self.best.get(case.id)
        if known is None:
            return way < RAW_TYPES
        ending, _ = known
        if way >= RAW_TYPES:
            return ending.status == UNCOMPILED
        return ending.status in ("failed", "error", UNCOMPILED, UNWRITTEN) and ending.thrown not in _LIMITS


def _tells_more(new: Ending, old: Ending) -> bool:
    """A run that passes tells most; then one that got as far as the call."""
    if new.passed or old.passed:
        return new.passed
    early = (UNCOMPILED, UNWRITTEN)
    if (new.status in early) != (old.status in early):
        return old.status in early
    return old.phase in ("arrange", "check") and new.phase not in ("arrange", "check")


def is_user_code(loaded: Loaded) -> bool:
    """Whether the class under test is not one of the JDK."""
    return not _program(loaded).of_jdk


def _program(loaded: Loaded) -> JavaProgram:
    return cast("JavaProgram", loaded)


def disagreement(case: CallCase, ending: Ending, hierarchy: Hierarchy, partly: bool = False) -> str | None:
    """What the run did other than predicted; None when it followed the path, or was not seen at all.

    Where methods of the file were only `partly` followed, it may do more.
    """
    name = case.entry.file.rpartition("/")[2]
    executed = {line for cls, line in ending.lines() if _source_name(cls, hierarchy) == name}
    predicted = {step.line for step in case.trace if step.file == case.entry.file and step.line > 0}
    if not executed or not predicted:
        return None
    missing = ", ".join(map(str, sorted(predicted - executed)))
    surplus = ", ".join(map(str, sorted(executed - predicted))) if not partly else ""
    parts = [f"did not execute line {missing}"] * bool(missing) + [f"executed line {surplus}"] * bool(surplus)
    return " and ".join(parts) or None


def _source_name(cls: str, hierarchy: Hierarchy) -> str:
    found = hierarchy.find(cls)
    return found.source_file.rpartition("/")[2] if found is not None else ""


def _problem(case: CallCase, ending: Ending) -> Problem:
    """What a run that did not pass means for the user."""
    entry, text = case.entry, ending.text
    line = ending.line or entry.line
    if ending.thrown in _LIMITS:
        what = "recursion without an end" if ending.thrown == _LIMITS[0] else "more memory than there is"
        return Problem(
            "endless", entry.file, line, f"{entry.qualified} needs {what} ({ending.thrown}); no test is written"
        )
    if ending.status == UNWRITTEN:
        return Problem("unsupported", entry.file, entry.line, f"{entry.qualified}: {text}")
    if ending.status == UNCOMPILED:
        message = f"{entry.qualified}: the compiler does not take its test: {text}"
        return Problem("unsupported", entry.file, entry.line, message)
    if ending.status == REFUSED:
        return Problem("refused", entry.file, line, f"{entry.qualified}: tries to {text}; pass --allow-io to let it")
    if ending.phase in ("arrange", "check") and ending.status in ("failed", "error"):
        message = f"{entry.qualified}: its inputs cannot be built: {text}"
        return Problem("unsupported", entry.file, entry.line, message)
    if ending.status == TIMEOUT:
        message = f"{entry.qualified}: {text}; if it would end, raise --case-seconds"
        return Problem("timeout", entry.file, line, message)
    if ending.status == CRASHED:
        return Problem("crashed", entry.file, line, f"{entry.qualified}: {text}")
    return _defect(case, line, text)


def _defect(case: CallCase, line: int, text: str) -> Problem:
    where = (
        f"when {' && '.join(spelled(each, JAVA) for each in case.condition[:4])}"
        if case.condition
        else "on its only path"
    )
    message = f"{case.entry.qualified} {where} ran differently than predicted: {text}"
    return Problem("defect", case.entry.file, line, message)
