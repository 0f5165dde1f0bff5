"""Whether a run followed the predicted path, judged by the statements it executed."""

from __future__ import annotations

from everypath.cases.model import CallCase
from everypath.languages.python.frontend.observable import ObservableStatements
from everypath.languages.python.runtime.verdict import Verdict


def disagreement(case: CallCase, verdict: Verdict, statements: ObservableStatements) -> str | None:
    """What the run did other than predicted; None when it followed the path, or was not seen at all."""
    if not verdict.lines:
        return None
    traced = statements.executed(step.line for step in case.trace if step.file == case.entry.file)
    predicted = statements.seen(traced, verdict.lines, verdict.compiled)
    actual = statements.executed(verdict.lines)
    if predicted == actual:
        return None
    missing = ", ".join(map(str, sorted(predicted - actual)))
    surplus = ", ".join(map(str, sorted(actual - predicted)))
    parts = [f"did not execute line {missing}"] * bool(missing) + [f"executed line {surplus}"] * bool(surplus)
    return " and ".join(parts)
