"""Names of test cases: the method, and what is special about the path."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from everypath.cases.model import CallSuite, Problem
from everypath.cases.naming import name_cases as named
from everypath.languages.base import Loaded

if TYPE_CHECKING:
    from everypath.languages.java.frontend.program import JavaProgram


def name_cases(loaded: Loaded, suite: CallSuite) -> None:
    """Give each case a name; the words of conditions are not known from bytecode."""
    suite.cases = list(named(suite.cases, lambda _: ()))


def tell_monitors(loaded: Loaded, suite: CallSuite) -> None:
    """Tell where the code that was translated enters monitors: its tests say nothing about other threads."""
    program = cast("JavaProgram", loaded.program)
    while program.monitors:
        span = program.monitors.pop(0)
        if span not in program.told:
            program.told.add(span)
            what = "monitors do nothing in sequential code; what other threads could do is not explored"
            suite.report(Problem("note", span.file, span.line, what))
