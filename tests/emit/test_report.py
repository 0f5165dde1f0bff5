"""The terminal report and the progress line."""

from __future__ import annotations

import io
import re
from typing import cast

import pytest
from rich.console import Console

from everypath.cases.accounts import Stats
from everypath.cases.model import CallSuite, Problem, SomeSuite
from everypath.records import replace
from everypath.report.summary import Row, cut_lines, print_rows, row_of

from .samples import literal_cases, suite


def print_summary(suites: list[CallSuite], stream: io.StringIO | None = None, console: Console | None = None) -> None:
    print_rows([row_of(cast("SomeSuite", each)) for each in suites], stream, console, bounds={"loop": 2})


def narrow(stream: io.StringIO) -> Console:
    return Console(file=stream, force_terminal=True, width=40, color_system=None)


def made() -> CallSuite:
    result = suite(literal_cases(), "shapes.py")
    result.stats.cut["loop"] = 3
    result.stats.infeasible = 2
    result.stats.seconds = 1.5
    result.branches = ("shapes.py:111->112", "shapes.py:111->113", "shapes.py:7->8")
    result.cases[0] = replace(result.cases[0], covers=result.branches[:2])
    result.stats.unsupported.append(Problem("unsupported", "shapes.py", 7, "yield is not [handled]"))
    return result


def test_a_pipe_gets_plain_lines() -> None:
    stream = io.StringIO()
    print_summary([made()], stream)
    assert stream.getvalue().splitlines() == [
        "shapes.py:111: runtime-error: ZeroDivisionError: division by zero; reached by quotient(1, 0)",
        "shapes.py: cases 12, findings 1, branches 2 of 3, cut 3 (3 loop), infeasible 2, unsupported 1, unknown 0, "
        "seconds 1.50",
        "3 paths cut by --loops 2; a larger number goes further",
        "shapes.py:7: unsupported: yield is not [handled]",
    ]


def test_a_terminal_gets_a_table() -> None:
    stream = io.StringIO()
    print_summary([made()], console=Console(file=stream, force_terminal=True, width=120))
    text = stream.getvalue()
    assert "infeasible" in text
    assert "3 loop" in text
    assert "\x1b[" in text


def test_a_narrow_terminal_gets_short_lines_instead() -> None:
    stream = io.StringIO()
    print_summary([made()], console=narrow(stream))
    assert stream.getvalue().splitlines() == [
        "shapes.py:111: runtime-error:",
        "  ZeroDivisionError: division by zero;",
        "  reached by quotient(1, 0)",
        "shapes.py",
        "  cases 12, findings 1, branches 2 of 3,",
        "    cut 3 (3 loop), infeasible 2,",
        "    unsupported 1, seconds 1.50",
        "3 paths cut by --loops 2; a larger",
        "  number goes further",
        "shapes.py:7: unsupported: yield is not",
        "  [handled]",
    ]


def test_the_table_of_several_modules_does_not_go_beyond_a_narrow_terminal() -> None:
    stream = io.StringIO()
    rows = [
        row_of(cast("SomeSuite", made()), "shapes"),
        Row("x.py", "other", "", refused=Problem("refused", "x.py", 0, "no")),
    ]
    print_rows(rows, console=narrow(stream), by_module=True)
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= 40
    assert "2 modules: 1 function, 1 refused" in lines and "  refused: x.py: no" in lines


def test_a_log_that_asks_for_colours_is_not_broken_into_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    print_summary([made()], stream)
    assert "reached by quotient(1, 0)" in stream.getvalue() and "\x1b[1;31m" in stream.getvalue()


def test_without_colour_nothing_is_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = io.StringIO()
    print_summary([made()], console=Console(file=stream, force_terminal=True, width=120))
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", stream.getvalue())


def test_columns_without_any_number_are_left_out() -> None:
    stream = io.StringIO()
    print_summary([suite(literal_cases()[:1])], console=Console(file=stream, force_terminal=True, width=120))
    head = stream.getvalue()
    assert "cases" in head and "findings" in head and "infeasible" not in head and "branches" not in head


@pytest.mark.parametrize(
    ("cut", "told"),
    [
        ({"loop": 2, "switch": 0}, ["2 paths cut by --loops 1; a larger number goes further"]),
        ({"time": 1, "operation": 1}, ["2 paths cut by --time 2.5; a larger number goes further"]),
        ({"switch": 1}, ["1 path cut by --switches; a larger number goes further"]),
        ({"overflow": 4}, ["4 paths cut: what needs an overflow; --overflow follows them"]),
        ({"unheard": 3}, ["3 paths cut: unheard"]),
    ],
)
def test_what_was_cut_names_the_option_that_goes_further(cut: dict[str, int], told: list[str]) -> None:
    bounds = {"loop": 1, "time": 2.5, "operation": 2.5, "switch": None, "overflow": False}
    assert cut_lines([Stats(cut=cut)], bounds) == told


def test_repeated_problems_are_told_once() -> None:
    stream = io.StringIO()
    print_summary([made(), made()], stream)
    assert stream.getvalue().count("yield") == 1


def test_branches_that_something_in_a_callee_keeps_from_being_taken_are_named() -> None:
    found = made()
    found.target = "shapes.py::quotient"
    found.branches = ("shapes.py:111->112", "shapes.py:111->113")
    found.cases[0] = replace(found.cases[0], covers=found.branches[:1])
    stream = io.StringIO()
    print_summary([found], stream)
    named = "shapes.py:111: unsupported: 1 of 2 branches from here on have no case in quotient; see what is told of"
    assert f"{named} shapes.py:7" in stream.getvalue()
