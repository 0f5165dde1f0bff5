"""Comparing the lines that a run executed with those predicted."""

from __future__ import annotations

import ast
from dataclasses import replace

from everypath.cases.model import CallCase, Step
from everypath.languages.python.frontend.outline import ObservableStatements
from everypath.languages.python.runtime.runner import Verdict
from everypath.languages.python.runtime.validation import disagreement

from ..emit.samples import case, lit, returned

SOURCE = """\
total = 0


class Counter:
    count = 0

    def add(self, n):
        if n > 0:
            self.count += n
            return True
        print(
            "none",
        )
        return False
"""


def predicted(*lines: int) -> CallCase:
    made = case("f", "x", ("n", lit(1)), outcome=returned(True))
    return replace(made, trace=tuple(Step(made.entry.file, line) for line in lines))


def compared(expected: tuple[int, ...], executed: set[int]) -> str | None:
    return disagreement(
        predicted(*expected), Verdict("passed", lines=frozenset(executed)), ObservableStatements(ast.parse(SOURCE))
    )


def test_the_same_statements_agree() -> None:
    assert compared((8, 9, 10), {8, 9, 10}) is None


def test_a_statement_over_several_lines_counts_as_one() -> None:
    assert compared((8, 12, 14), {8, 11, 12, 14}) is None


def test_statements_of_modules_and_classes_run_at_import() -> None:
    assert compared((1, 5, 8, 9, 10), {8, 9, 10}) is None


def test_other_statements_disagree() -> None:
    assert compared((8, 9, 10), {8, 11, 14}) == "did not execute line 9, 10 and executed line 11, 14"


def test_a_run_that_was_not_seen_does_not_count() -> None:
    assert compared((8, 9, 10), set()) is None


REPLACED = """\
def fast(x):
    return slow(x)


def slow(x):
    return x + 1


def call(x):
    y = fast(x)
    return y
"""


def test_compiled_functions_hide_what_they_call() -> None:
    case, statements = predicted(10, 2, 6, 11), ObservableStatements(ast.parse(REPLACED))

    def compare(lines: set[int], *compiled: str) -> str | None:
        return disagreement(case, Verdict("passed", lines=frozenset(lines), compiled=frozenset(compiled)), statements)

    assert compare({10, 11}, "fast") is None
    assert compare({10, 11}, "other") == compare({10, 11}) == "did not execute line 2, 6"
    assert compare({10}, "fast") == "did not execute line 11"
