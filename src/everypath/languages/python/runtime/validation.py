"""The Python runtime: cases become scripts, run in processes of their own, and are compared with what was predicted."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from everypath.cases.accounts import Mutated
from everypath.cases.model import CallCase, CallSuite, Problem, SomeCase, SomeSuite
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
from everypath.languages.definitions import Definition
from everypath.languages.python.frontend import Loaded as PythonProgram
from everypath.languages.python.frontend.finder import shown, source_path
from everypath.languages.python.frontend.outline import ObservableStatements
from everypath.languages.python.runtime.cases import validate
from everypath.languages.python.runtime.runner import REFUSED, UNRUN, UNWRITTEN, Setting, announce, run_cases
from everypath.languages.python.runtime.runner import Verdict as Ending
from everypath.languages.python.runtime.sequence import rehearsal_setting, settle
from everypath.options import Options
from everypath.records import replace

_SEEDS = (1, 2, 3, 5, 8)
_MOST = 30
"""Cases that are repeated at most; where more fail, the others most likely fail for the same reason."""
_NEVER_ALLOWED = "read what is typed"
"""What a test would read there depends on how it is started."""
_SET = re.compile(r"""\{b?('[^'\n]*'|"[^"\n]*"),""")
"""A set of several texts in a script: what comes first in it is another one in other processes."""
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_SURROUNDED = re.compile(rb"^[ \t]*(import|from(?! __future__))\b|^\w+[ \t]*[=:]", re.MULTILINE)
"""A module that imports something, or has variables."""


class PythonRuntime:
    """Runs cases on the interpreter that runs this program."""

    batch = 200
    until = float("inf")
    beyond_loops = False

    def __init__(self, options: Options) -> None:
        self._options = options
        self._scripts: dict[str, str] = {}
        """case id -> the script that validated it"""
        self._reached: set[int | tuple[int, int]] = set()
        """lines and branches of the module that the cases have reached"""
        self._tried: list[CallCase] = []
        """the cases that were run, whether or not they did what was predicted"""

    def announce(self, loaded: Loaded, entry: EntryPoint) -> None:
        """Have the other processes import the program while this one explores."""
        fence = self._options.fence
        for setting in (Setting(loaded.root, fence), rehearsal_setting(loaded.root, fence)):
            announce(setting, {entry.module: entry.span.file})

    def run(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Verdict]:
        """Run the cases and keep those that take the predicted lines to the predicted end."""
        found = self._validated(loaded, suite, cases)
        assert isinstance(loaded, PythonProgram)
        statements, summarised = loaded.statements, loaded.program.summarised
        failed: list[tuple[CallCase, Ending, Problem]] = []
        self._tried += [case for case, _, _ in found if not case.observed]
        setting = Setting(loaded.root, self._options.fence, until=self.until)
        ordered = [(each, end) for each, end, _ in found if end.passed and _SET.search(self._scripts.get(each.id, ""))]
        shaken = unsteady(ordered, self._scripts, setting, len(ordered))
        for case, ending, way in found:
            if case.id in shaken:
                yield Failed(_unstable(case))
                continue
            followed = ending.passed and not case.observed
            strayed = disagreement(case, ending, statements, case.entry.file in summarised) if followed else None
            if strayed is not None:
                failed.append((case, ending, _defect(case, case.entry.file, case.entry.line, strayed)))
            elif ending.passed:
                self._reached |= ending.lines | ending.arcs
                yield Passed(case, way)
            elif ending.status == UNRUN:
                yield NotRun(case)
            elif ending.status in (REFUSED, UNWRITTEN) or ending.phase == "arrange":
                yield Refused(_problem(case, ending))
            else:
                failed.append((case, ending, _problem(case, ending)))
        defects = [(case, ending) for case, ending, problem in failed if problem.kind == "defect"]
        changing = unsteady(defects, self._scripts, setting)
        for case, _, problem in failed:
            yield Failed(_unstable(case) if case.id in changing else problem)

    def run_again(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Again]:
        """Run recorded cases with what the program is now."""
        for case, ending, way in self._validated(loaded, suite, cases):
            yield Again(case, None if ending.passed else ending.text, way)

    def record(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterator[Recorded]:
        """Run cases as before, then once more with a recorder; where that one goes wrong there is no recording."""
        from everypath.cases.recordings import LINES, Recording

        found = self._validated(loaded, suite, cases)
        passed = [case for case, ending, _ in found if ending.passed]
        setting = Setting(loaded.root, self._options.fence, until=self.until)
        recorded = run_cases(passed, self._scripts, setting, record=True)
        for case, ending, way in found:
            again = recorded.get(case.id)
            told = again.recording if again is not None and again.passed else None
            steps = None if told is None else Recording(LINES, _with_places(told["steps"]), told["left_out"])
            yield Recorded(case, None if ending.passed else ending.text, way, steps)

    def _validated(
        self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]
    ) -> list[tuple[CallCase, Ending, int]]:
        # A suite comes back to the language that filled it, so these are calls.
        batch = CallSuite(suite.target, suite.options, cast("list[CallCase]", list(cases)), suite.plans)
        statements = loaded.statements if isinstance(loaded, PythonProgram) else None

        def strays(case: CallCase, ending: Ending) -> bool:
            if statements is None or case.observed:
                return False
            return disagreement(case, ending, statements, case.entry.file in loaded.program.summarised) is not None

        return validate(
            batch,
            root=loaded.root,
            options=self._options.fence,
            scripts=self._scripts,
            until=self.until,
            strays=strays,
        )

    def left_open(self, loaded: Loaded) -> Collection[str]:
        """The functions with a branch that the surroundings keep from being taken, not the inputs."""
        assert isinstance(loaded, PythonProgram)
        text = source_path(loaded.module, loaded.root, loaded.file).read_bytes()
        if _SURROUNDED.search(text) is None:
            return ()
        # Small modules import nothing and hold nothing.
        from everypath.languages.python.observing.surroundings import left_open

        return left_open(ast.parse(text), self._reached)

    def observe(self, loaded: Loaded, sought: Sought, seconds: float) -> Seen:
        """Call the module in many ways, and keep what reaches a line or branch that no case reaches."""
        # Many runs have nothing to look for.
        from everypath.languages.python.observing.observing import Subject, observe

        guesses = {e.qualname: {p.name: str(p.type) for p in e.params if p.guessed} for e in loaded.entries}
        private = self._options.private or not any(each.public for each in loaded.definitions)
        subject = Subject(loaded.module, loaded.file, loaded.root, guesses, private)
        left = cast("tuple[CallCase, ...]", sought.predicted)
        subject.tried = [*self._tried, *left]
        reached = self._reached.union(*(_predicted(case, loaded.file) for case in left))
        found = observe(subject, reached, self._options, seconds, sought, self.until)
        return Seen(tuple(found.cases), tuple(found.problems))

    def kills(self, module: Module, owners: Sequence[Definition]) -> Sequence[Mutated]:
        """Run the cases with mutants of functions of the module."""
        # Few runs ask for mutants.
        from everypath.languages.python.runtime.killing import kills

        source = module.source
        text = source.path.read_text(encoding="utf-8", errors="replace")
        cases = [case for case in cast("list[CallCase]", list(module.cases)) if case.id in self._scripts]
        setting = Setting(source.root, self._options.fence, until=self.until)
        names = tuple({source.file, *(case.entry.file for case in cases)})
        return kills(text, str(source.path.resolve()), names, owners, cases, self._scripts, setting)

    def settle(self, module: Module) -> Settled:
        """Run all tests of a file in one process, first as they are, then restoring state in between."""
        settled = settle(
            cast("list[CallSuite]", module.suites),
            module.ways,
            root=module.programs[0].root,
            options=self._options.fence,
            scripts=self._scripts,
            paths_per_test=module.options.paths_per_test,
            until=self.until,
        )
        told = {case.id: _unrehearsed(case) for case in module.cases if case.id in settled.untried}
        told.update({case.id: _unstable(case) for case in module.cases if case.id in settled.unstable})
        return Settled(settled.restore_state, told)

    def remembered(self) -> tuple[dict[str, str], set[int | tuple[int, int]], list[CallCase]]:
        """The scripts of the cases, what they have reached, and those that were tried."""
        return self._scripts, self._reached, self._tried

    def remember(self, what: tuple[dict[str, str], set[int | tuple[int, int]], list[CallCase]]) -> None:
        """Take over what another process has remembered."""
        scripts, reached, tried = what
        self._scripts |= scripts
        self._reached |= reached
        self._tried += tried

    def forget(self) -> None:
        """Drop the scripts of the last module."""
        # Others may still hold what was remembered.
        self._scripts, self._reached, self._tried = {}, set(), []


def _with_places(steps: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The steps with their files as cases name them."""
    return tuple({**step, "file": shown(Path(step["file"]))} if "file" in step else step for step in steps)


def _predicted(case: CallCase, file: str) -> Iterator[int | tuple[int, int]]:
    """The lines and branches of a file that a case takes which was not run."""
    yield from (step.line for step in case.trace if step.file == file)
    for taken in case.covers:
        place, _, lines = taken.rpartition(":")
        start, _, end = lines.partition("->")
        if place == file and start.isdecimal() and end.isdecimal():
            yield int(start), int(end)


def _problem(case: CallCase, ending: Ending) -> Problem:
    """What a run that did not pass means for the user."""
    status, text = ending.status, ending.text
    line = ending.line or case.entry.line
    file = shown(Path(ending.file)) if ending.file else case.entry.file
    if status in ("failed", "error") and ending.phase == "arrange":
        # No way to build the inputs came as far as the call.
        message = f"{case.entry.qualified}: its inputs cannot be built: {text}"
        return Problem("unsupported", case.entry.file, case.entry.line, message)
    if status in ("failed", "error"):
        return _defect(case, file, line, text)
    said = {
        "refused": f"tries to {text}" + "; pass --allow-io to let it" * (text != _NEVER_ALLOWED),
        "timeout": f"{text}; if it would end, raise --case-seconds",
    }
    return Problem(status, file, line, f"{case.entry.qualified}: {said.get(status, text)}")


def _unstable(case: SomeCase) -> Problem:
    message = f"{case.entry.qualified}: the result changes from run to run; no test is written"
    return Problem("unstable", case.entry.file, case.entry.line, message)


def _unrehearsed(case: SomeCase) -> Problem:
    what = "a call that reaches more was not run together with the other tests, because the time is over"
    return Problem("note", case.entry.file, case.entry.line, f"{case.entry.qualified}: {what}; give more time")


def _defect(case: CallCase, file: str, line: int, text: str) -> Problem:
    where = f"when {' and '.join(case.condition[:4])}" if case.condition else "on its only path"
    return Problem("defect", file, line, f"{case.entry.qualified} {where} ran differently than predicted: {text}")


def disagreement(case: CallCase, verdict: Ending, statements: ObservableStatements, partly: bool = False) -> str | None:
    """What the run did other than predicted; None when it followed the path, or was not seen at all.

    Where functions of the file were only `partly` followed, it may do more.
    """
    if not verdict.lines:
        return None
    traced = statements.executed(step.line for step in case.trace if step.file == case.entry.file)
    predicted = statements.seen(traced, verdict.lines, verdict.compiled)
    actual = statements.executed(verdict.lines)
    if partly:
        actual &= predicted
    if predicted == actual:
        return None
    missing = ", ".join(map(str, sorted(predicted - actual)))
    surplus = ", ".join(map(str, sorted(actual - predicted)))
    parts = [f"did not execute line {missing}"] * bool(missing) + [f"executed line {surplus}"] * bool(surplus)
    return " and ".join(parts)


def unsteady(
    found: Sequence[tuple[CallCase, Ending]], scripts: Mapping[str, str], setting: Setting, most: int = _MOST
) -> frozenset[str]:
    """The cases that end in another way when strings have other hashes, by their ids.

    The order of sets changes with those from process to process. So a run that was not as predicted is repeated, and
    so is one with a set of texts: in a set of two, every second process has the same order.
    """
    pending = [(case, _end(verdict)) for case, verdict in found[:most] if case.id in scripts]
    changing: set[str] = set()
    for seed in _SEEDS:
        if not pending:
            break
        verdicts = run_cases([case for case, _ in pending], scripts, replace(setting, hash_seed=seed))
        ended = {case.id for case, _ in pending if verdicts[case.id].status != UNRUN}
        changing |= {case.id for case, end in pending if case.id in ended and _end(verdicts[case.id]) != end}
        pending = [(case, end) for case, end in pending if case.id not in changing]
    return frozenset(changing)


def _end(verdict: Ending) -> tuple[str, str, frozenset[int]]:
    return verdict.status, _ADDRESS.sub("", verdict.text), verdict.lines
