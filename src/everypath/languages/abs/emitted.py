"""Makes the module of ABS tests of a suite: each test is tried in every order of messages before it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from everypath.cases.actors import ActorCase, ActorInputs, ActorSuite
from everypath.cases.model import Problem as RunProblem
from everypath.cases.model import SomeCase, SomeSuite, Suite
from everypath.cases.sealing import sealed
from everypath.languages.abs.frontend.check import Source, check_program
from everypath.languages.abs.frontend.problems import Problem
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.runtime.explore import Trial
from everypath.languages.abs.runtime.replay import machine_of
from everypath.languages.abs.runtime.written import declared_in, planned
from everypath.languages.abs.targets import actors_in
from everypath.languages.abs.writers.abs_writer import (
    Asking,
    Listed,
    Module,
    Test,
    camel,
    fresh,
    writable,
    write_abs,
)
from everypath.languages.base import Module as LoadedModule
from everypath.languages.base import Source as BaseSource
from everypath.languages.base import Written
from everypath.logic.clock import now
from everypath.records import dataclass, replace

_FILE = "<tests>"
_SECONDS = 2.0
"""For one way to write one test."""
_COMMENT = re.compile(r"//[^\n]*|/\*[\s\S]*?\*/")
_OLDER = re.compile(r"\bnew\s+cog\b")
_NEWER = re.compile(r"\bnew\s+local\b")
_MAIN = "a main block is run, not called"
_ADVICE = "--format json writes every case"
_TRYING, _TRYING_AFTER_INTERRUPT = 30.0, 3.0
"""Seconds for trying the tests of one file in every order."""
_DEPENDS = "the outcome depends on the order of messages, which ABS cannot force"


@dataclass(frozen=True, slots=True)
class TestModule:
    """A module of tests for a program."""

    __test__ = False

    name: str
    text: str
    tests: tuple[str, ...]
    """ids of the cases that are tests"""
    listed: tuple[tuple[str, str], ...]
    """ids of the other cases, and why"""


class AbsWriter:
    """Writes the cases of a file as one module of ABS tests."""

    format = "abs"
    whole = False
    tries = True

    def file_name(self, source: BaseSource) -> str:
        """`test_<file>_generated.abs`."""
        return f"test_{Path(source.file).stem}_generated.abs"

    def unwritable(self, suite: SomeSuite, case: SomeCase) -> str | None:
        """What is no test is listed in comments, so that every case can be written."""
        return None

    def render(
        self, modules: Sequence[LoadedModule], place: Path | None = None, problems: Sequence[RunProblem] = ()
    ) -> Written:
        """The tests of the methods; main blocks are no tests, and neither is what depends on the order."""
        [module] = modules
        methods = cast("list[ActorSuite]", [suite for suite in module.suites if _is_of_method(suite)])
        mains = [case.id for suite in module.suites if not _is_of_method(suite) for case in suite.cases]
        left_out = tuple((case, _MAIN) for case in mains)
        if not methods:
            return Written("", (), left_out, f"no ABS tests were written: {_MAIN}; {_ADVICE}" if mains else "")
        target = next(iter(actors_in(module.programs[0]).targets.values()))
        seconds = _TRYING_AFTER_INTERRUPT if module.interrupted else _TRYING
        made = abs_tests(target.program, target.sources, methods, seconds)
        left_out = (*made.listed, *left_out)
        if made.tests:
            more = f", {len(made.listed)} more cases in comments" if made.listed else ""
            count = f"{len(made.tests)} test{'s' * (len(made.tests) != 1)}"
            return Written(made.text, made.tests, left_out, f": {count}{more}")
        reasons = [reason for _, reason in made.listed]
        why = max(dict.fromkeys(reasons), key=reasons.count, default="")
        return Written("", (), left_out, f"no ABS tests were written: {why}; {_ADVICE}" if why else "")


def _is_of_method(suite: SomeSuite) -> bool:
    return any(case.entry.cls for case in suite.cases)


def abs_tests(
    program: Program, sources: Sequence[Source], suites: ActorSuite | Sequence[ActorSuite], seconds: float = 30.0
) -> TestModule:
    """The module for all cases of the suites; `sources` are the files of the program, `seconds` is for trying."""
    given = [suites] if isinstance(suites, Suite) else list(suites)
    return _Making(program, sources, [case for suite in given for case in suite.cases], seconds).result()


class _Making:
    """Makes one module."""

    def __init__(self, program: Program, sources: Sequence[Source], cases: Sequence[ActorCase], seconds: float) -> None:
        self._program = program
        self._sources = sources
        self._cases = cases
        self._deadline = now() + seconds
        self._reasons: dict[str, str] = {}
        """case -> why it is no test"""
        self._trial: Trial | None = None
        declared = declared_in(program)
        self._taken = set(declared)
        text = _COMMENT.sub(" ", "\n".join(source.text for source in sources))
        first = next((case.entry.module for case in cases), program.modules[0])
        self._module = Module(
            fresh(f"{first}Test", set(program.modules)),
            (),
            (),
            declared,
            bool(_OLDER.search(text)) and not _NEWER.search(text),
            fresh("TestCase", self._taken),
        )

    def result(self) -> TestModule:
        """Plan, try, write."""
        return self._written(self._tried(self._checked(list(self._planned()))))

    def _written(self, tests: Sequence[Test]) -> TestModule:
        known = {test.case.id for test in tests}
        listed = [
            Listed(case, self._reasons[case.id])
            for case in self._cases
            if case.id not in known and case.id in self._reasons
        ]
        module = replace(self._module, tests=tests, listed=listed)
        text = write_abs(module).text
        found = check_program([Source(_FILE, text), *self._sources])
        if isinstance(found, tuple) and tests:
            # Each was accepted by itself; a module that is not must not cost the user the other results.
            self._reasons.update({test.case.id: f"ABS does not accept it: {found[0].message}" for test in tests})
            return self._written(())
        written = tuple(test.case.id for test in tests)
        return TestModule(module.name, sealed(text), written, tuple((each.case.id, each.reason) for each in listed))

    def _planned(self) -> Iterator[Test]:
        """All that can be written, each input once, in every way of asking."""
        outcomes: dict[ActorInputs, list[ActorCase]] = {}
        for case in self._cases:
            if not case.inputs.tasks:
                self._reasons[case.id] = _MAIN
                continue
            same = outcomes.setdefault(case.inputs, [])
            if not any(case.expected == other.expected for other in same):
                same.append(case)
        machine = machine_of(self._program)
        for cases in outcomes.values():
            if len(cases) > 1:
                for case in cases:
                    self._reasons[case.id] = _DEPENDS
                continue
            case = cases[0]
            plan = planned(machine, case)
            if isinstance(plan, str):
                self._reasons[case.id] = plan
                continue
            name = fresh(f"{camel(case.name or case.id.rpartition('::')[2], capital=True)}Test", self._taken)
            ways = (Asking.ONCE, Asking.UNTIL, Asking.NEVER) if plan.observers else (Asking.NEVER,)
            for asking in ways:
                test = Test(case, plan, asking, f"{name}_{asking.value}")
                why = writable(test, self._module)
                if why is None:
                    yield test
                else:
                    self._reasons[case.id] = why

    def _checked(self, tests: list[Test]) -> list[Test]:
        """Those that the checker accepts together with the program."""
        while tests:
            written = write_abs(replace(self._module, tests=tests))
            found = check_program([Source(_FILE, written.text), *self._sources])
            if not isinstance(found, tuple):
                self._trial = Trial(found)
                return tests
            wrong = {name: problem for problem in found for name in _owners(problem, written.lines)}
            for test in tests:
                if test.cls in wrong or not wrong:
                    self._reasons[test.case.id] = f"ABS does not accept it: {(wrong.get(test.cls) or found[0]).message}"
            tests = [test for test in tests if wrong and test.cls not in wrong]
        return tests

    def _tried(self, tests: Sequence[Test]) -> list[Test]:
        """For each case the first way to write it that passes in every order."""
        passed: dict[str, Test] = {}
        for test in tests:
            case = test.case.id
            if case in passed:
                continue
            left = self._deadline - now()
            if left <= 0:
                self._reasons.setdefault(case, "there was no time left to try it in every order")
                continue
            assert self._trial is not None
            why = self._trial.failing(f"{self._module.name}.{test.cls}", "test", min(left, _SECONDS))
            if why is None:
                passed[case] = replace(test, cls=test.cls.rpartition("_")[0])
            else:
                self._reasons[case] = why
        return list(passed.values())


def _owners(problem: Problem, lines: dict[str, tuple[int, int]]) -> list[str]:
    if problem.span.file != _FILE:
        return []
    return [name for name, (first, last) in lines.items() if first <= problem.span.line <= last]
