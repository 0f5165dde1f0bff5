"""What all path conditions of one exploration share: the layers, the SMT solver and its answers, the counts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from everypath.errors import LimitReached, SolverUnknown
from everypath.logic.layers import stacked
from everypath.logic.nodes import Term, Value, Var
from everypath.options import SolverOptions

if TYPE_CHECKING:
    from everypath.logic.smt import Smt

MAX_ANSWERS = 10_000
"""Answers of the SMT solver that are remembered; paths that differ elsewhere ask the same questions again."""


class Decider:
    """The layers in use, the SMT solver with its answers, and how often each layer has decided."""

    __slots__ = (
        "_answers",
        "_smt",
        "afterwards",
        "bounds",
        "counts",
        "deadline",
        "layers",
        "options",
        "smt",
        "witness",
    )

    def __init__(self, options: SolverOptions | None = None) -> None:
        self.options = options or SolverOptions()
        self.bounds = "bounds" in self.options.layers
        self.witness = "witness" in self.options.layers
        self.smt = "smt" in self.options.layers
        self.layers = stacked(self.options.layers, self.solution)
        self.counts = {"folded": 0, "bounds": 0, "witness": 0, "smt": 0}
        self.afterwards = self.counts.copy()
        """how witnesses were found of conditions that were decided without one"""
        self.deadline = float("inf")
        """when the exploration must end: questions that come later are not answered any more"""
        self._smt: Smt | None = None
        self._answers: dict[tuple[Term, ...], dict[Var, Value] | SolverUnknown | None] = {}

    def solution(self, constraints: Sequence[Term]) -> dict[Var, Value] | None:
        """Values that satisfy all constraints, or None if there are none, as the SMT solver finds them."""
        key = tuple(constraints)
        answers = self._answers
        if key in answers:
            answer = answers[key]
        else:
            if time.monotonic() > self.deadline:
                raise LimitReached("time")
            if len(answers) >= MAX_ANSWERS:
                answers.clear()
            if self._smt is None:
                # Many a run never needs the solver, and loading it costs more than such a run.
                from everypath.logic.smt import Smt

                self._smt = Smt(self.options.timeout_ms)
            try:
                answer = self._smt.solution(key)
            except SolverUnknown as unknown:
                answer = unknown
            answers[key] = answer
        if isinstance(answer, SolverUnknown):
            raise SolverUnknown(answer.message)
        return answer
