"""The terminal report and the progress line."""

from __future__ import annotations

import io
from typing import cast

from rich.console import Console

from everypath.cases.model import CallSuite, Problem, SomeSuite
from everypath.report.summary import print_rows, row_of

from .samples import literal_cases, suite


def print_summary(suites: list[CallSuite], stream: io.StringIO | None = None, console: Console | None = None) -> None:
    print_rows([row_of(cast("SomeSuite", each)) for each in suites], stream, console)


def made() -> CallSuite:
    result = suite(literal_cases(), "shapes.py")
    result.stats.cut["loop"] = 3
    result.stats.infeasible = 2
    result.stats.seconds = 1.5
    result.stats.unsupported.append(Problem("unsupported", "shapes.py", 7, "yield is not [handled]"))
    return result


def test_a_pipe_gets_plain_lines() -> None:
    stream = io.StringIO()
    print_summary([made()], stream)
    assert stream.getvalue().splitlines() == [
        "shapes.py: cases 12, findings 1, cut 3 (3 loop), infeasible 2, unsupported 1, unknown 0, seconds 1.50",
        "shapes.py:111: runtime-error: ZeroDivisionError: division by zero; reached by quotient(1, 0)",
        "shapes.py:7: unsupported: yield is not [handled]",
    ]


def test_a_terminal_gets_a_table() -> None:
    stream = io.StringIO()
    print_summary([made()], console=Console(file=stream, force_terminal=True, width=120))
    text = stream.getvalue()
    assert "infeasible" in text
    assert "3 loop" in text
    assert "\x1b[" in text


def test_repeated_problems_are_told_once() -> None:
    stream = io.StringIO()
    print_summary([made(), made()], stream)
    assert stream.getvalue().count("yield") == 1
