"""Makes the module of ABS tests of a suite: each test is tried in every order of messages before it is written."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

from everypath.cases.actors import ActorCase, ActorInputs, ActorSuite
from everypath.cases.model import Suite
from everypath.languages.abs.runtime.start import Program, machine_of
from everypath.languages.abs.runtime.trial import Problem, Source, Trial, checked
from everypath.languages.abs.runtime.written import declared_in, planned
from everypath.languages.abs.writers.abs_text import camel, fresh
from everypath.languages.abs.writers.abs_writer import Asking, Listed, Module, Test, writable, write_abs
from everypath.records import dataclass, replace

_FILE = "<tests>"
_SECONDS = 2.0
"""For one way to write one test."""
_COMMENT = re.compile(r"//[^\n]*|/\*[\s\S]*?\*/")
_OLDER = re.compile(r"\bnew\s+cog\b")
_NEWER = re.compile(r"\bnew\s+local\b")
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
        self._deadline = time.monotonic() + seconds
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
        found = checked([Source(_FILE, text), *self._sources])
        if isinstance(found, tuple) and tests:
            # Each was accepted by itself; a module that is not must not cost the user the other results.
            self._reasons.update({test.case.id: f"ABS does not accept it: {found[0].message}" for test in tests})
            return self._written(())
        written = tuple(test.case.id for test in tests)
        return TestModule(module.name, text, written, tuple((each.case.id, each.reason) for each in listed))

    def _planned(self) -> Iterator[Test]:
        """All that can be written, each input once, in every way of asking."""
        outcomes: dict[ActorInputs, list[ActorCase]] = {}
        for case in self._cases:
            if not case.inputs.tasks:
                self._reasons[case.id] = "a main block is run, not called"
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
            found = checked([Source(_FILE, written.text), *self._sources])
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
            left = self._deadline - time.monotonic()
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
