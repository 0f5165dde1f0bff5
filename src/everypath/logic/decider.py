"""The decision layers, from the cheapest to the SMT solver, and what all path conditions of one exploration share.

A question about a condition is answered in two halves, each by a chain of small functions with one interface, as
KLEE's solver is a chain of wrappers ("KLEE: Unassisted and Automatic Generation of High-Coverage Tests", OSDI 2008):

1. Judges say whether the condition and its opposite are possible: by looking it up among the constraints, then by
   difference bounds and intervals. The first one that is sure is believed.
2. If none is, the current witness satisfies one side, and a witness of the other side is looked for: by moving a few
   variables of the current one, by refuting every case of the goal, by trying likely numbers, and at last by the
   solver. A finder gives a witness, IMPOSSIBLE if there is certainly none, or None, and then the next one is asked.

Any layer can be left out: the others still give a right answer, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everypath.errors import LimitReached, SolverUnknown
from everypath.logic.clock import now
from everypath.logic.nodes import Comparison, Term, Value, Var, variables
from everypath.options import SolverOptions

if TYPE_CHECKING:
    from everypath.logic.smt import Smt


from collections.abc import Callable, Collection
from enum import Enum
from typing import Final

from everypath.logic.evaluate import Witness
from everypath.logic.facts import Facts
from everypath.logic.units import impossible
from everypath.logic.verdicts import FALSE, TRUE, UNSURE
from everypath.logic.witness import nearby, repair, repair_again
from everypath.records import dataclass


class Impossible(Enum):
    """The answer of a finder that is sure that there is no witness."""

    IMPOSSIBLE = 0


IMPOSSIBLE: Final = Impossible.IMPOSSIBLE

Judge = Callable[[Term, Term, Facts], int]
"""(condition, its opposite, facts) -> verdict"""
Finder = Callable[[Term, Facts, Witness], Witness | Impossible | None]
"""(goal, facts, their witness) -> a witness of facts and goal; None if it found nothing, though there may be one"""
Last = Callable[[Term, Facts, Witness, bool], Witness | None]
"""(goal, facts, their witness, whether a theory looks at all variables) -> a witness of both, if there is one"""
Solve = Callable[[Sequence[Term]], Witness | None]


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers in use, in the order in which they are asked; each with the name under which it is counted."""

    judges: tuple[tuple[str, Judge], ...]
    finders: tuple[tuple[str, Finder], ...]
    last: Last
    """asked when no finder knows; it answers, or raises SolverUnknown"""


def stacked(enabled: Collection[str], solve: Solve) -> Layers:
    """The chain of the layers that are enabled: bounds, witness and smt."""
    bounds, witness, smt = (name in enabled for name in ("bounds", "witness", "smt"))
    judges: list[tuple[str, Judge]] = [("folded", by_constraints)]
    finders: list[tuple[str, Finder]] = []
    if bounds:
        judges.append(("bounds", lambda condition, opposite, facts: facts.bounds.decide(condition)))
    if witness:
        finders.append(("witness", lambda goal, facts, known: repair(goal, known, facts.occurs)))
    if bounds:
        # Behind the first repair, which is cheaper and finds most witnesses; before the dearer attempts below.
        finders.append(("bounds", by_cases))
        finders.append(("bounds", by_remainders))
    if witness:
        # What a move breaks is mended in another order; then likely numbers are tried.
        finders.append(("witness", lambda goal, facts, known: repair_again(goal, known, facts.occurs)))
        finders.append(("witness", lambda goal, facts, known: nearby(goal, facts.related(goal), known)))
    return Layers(tuple(judges), tuple(finders), _solver(solve, witness) if smt else _no_layer)


def by_constraints(condition: Term, opposite: Term, facts: Facts) -> int:
    """Whether a condition or its opposite is among the constraints."""
    known = facts.known
    if condition in known or (condition.op == "and" and facts.holds(condition)):
        return TRUE
    if opposite in known or (opposite.op == "and" and facts.holds(opposite)):
        return FALSE
    return UNSURE


def by_cases(goal: Term, facts: Facts, _: Witness) -> Impossible | None:
    """IMPOSSIBLE if bounds refute every case of the goal; a goal without cases was put to them before."""
    cases = facts.clauses or goal.op in ("or", "ite", "and")
    return IMPOSSIBLE if cases and impossible(goal, facts.clauses, facts.bounds) else None


def by_remainders(goal: Term, facts: Facts, witness: Witness) -> Witness | Impossible | None:
    """An exact answer where the goal is about remainders of one integer, and so are the constraints related to it."""
    if not isinstance(goal, Comparison) or all(atom.op != "floormod" for atom, _ in goal.parts):
        return None
    unknown, *others = variables(goal)
    if others or unknown.sort != "int":
        return None
    related = facts.related(goal)
    if any(len(variables(constraint)) != 1 for constraint in related):
        return None
    # Few programs compute remainders.
    from everypath.logic import congruences

    try:
        found = congruences.solve((goal, *related), unknown)
    except congruences.NoSolution:
        return IMPOSSIBLE
    return None if found is None else {**witness, unknown: found}


def _solver(solve: Solve, witness_layer: bool) -> Last:
    def by_solver(goal: Term, facts: Facts, witness: Witness, theory: bool) -> Witness | None:
        # Without the witness layer nothing is known that satisfies the unrelated constraints, which a theory looks at.
        related = facts.related(goal) if witness_layer or not theory else list(facts.known)
        found = solve([*related, goal])
        return None if found is None else {**witness, **found}

    return by_solver


def _no_layer(goal: Term, facts: Facts, witness: Witness, theory: bool) -> Witness | None:
    raise SolverUnknown(f"no enabled layer decides: {goal}")


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
        """how witnesses were found for conditions that had been decided without one"""
        self.deadline = float("inf")
        """when the exploration must end: later questions are not answered"""
        self._smt: Smt | None = None
        self._answers: dict[tuple[Term, ...], dict[Var, Value] | SolverUnknown | None] = {}

    def solution(self, constraints: Sequence[Term]) -> dict[Var, Value] | None:
        """Values that satisfy all constraints, or None if there are none, as the SMT solver finds them."""
        key = tuple(constraints)
        answers = self._answers
        if key in answers:
            answer = answers[key]
        else:
            if now() > self.deadline:
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
