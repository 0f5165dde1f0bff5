"""The decision layers, from the cheapest to the SMT solver, and the one function that stacks them.

A question about a condition is answered in two halves, each by a chain of small functions with one interface, as
KLEE's solver is a chain of wrappers ("KLEE: Unassisted and Automatic Generation of High-Coverage Tests", OSDI 2008):

1. Judges say whether the condition and its opposite are possible: by looking it up among the constraints, then by
   difference bounds and intervals. The first one that is sure is believed.
2. If none is, the current witness satisfies one side, and a witness of the other side is looked for: by moving a few
   variables of the current one, by refuting every case of the goal, by trying likely numbers, and at last by the
   solver. A finder gives a witness, None if there is certainly none, or UNDECIDED, and then the next one is asked.

Any layer can be left out: the others still answer rightly, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum
from typing import Final, NamedTuple

from everypath.errors import SolverUnknown
from everypath.logic.evaluate import Witness
from everypath.logic.facts import Facts
from everypath.logic.nearby import nearby
from everypath.logic.nodes import Term
from everypath.logic.units import impossible
from everypath.logic.verdicts import FALSE, TRUE, UNSURE
from everypath.logic.witness import repair, repair_again


class Undecided(Enum):
    """The answer of a finder that found nothing, though there may be something."""

    UNDECIDED = 0


UNDECIDED: Final = Undecided.UNDECIDED

Judge = Callable[[Term, Term, Facts], int]
"""(condition, its opposite, facts) -> verdict"""
Finder = Callable[[Term, Facts, Witness, bool], Witness | Undecided | None]
"""(goal, facts, their witness, whether a theory looks at all variables) -> a witness of facts and goal"""
Solve = Callable[[Sequence[Term]], Witness | None]


class Layers(NamedTuple):
    """The layers in use, in the order in which they are asked; each with the name under which it is counted."""

    judges: tuple[tuple[str, Judge], ...]
    finders: tuple[tuple[str, Finder], ...]
    last: Callable[[Term, Facts, Witness, bool], Witness | None]
    """asked when no finder knows; it answers, or raises SolverUnknown"""


def stacked(enabled: Collection[str], solve: Solve) -> Layers:
    """The chain of the layers that are enabled: bounds, witness and smt."""
    bounds, witness, smt = (name in enabled for name in ("bounds", "witness", "smt"))
    judges: list[tuple[str, Judge]] = [("folded", by_constraints)]
    finders: list[tuple[str, Finder]] = []
    if bounds:
        judges.append(("bounds", by_bounds))
    if witness:
        finders.append(("witness", by_repair))
    if bounds:
        # Behind the first repair, which is cheaper and finds most witnesses; before the dearer attempts below.
        finders.append(("bounds", by_cases))
    if witness:
        finders += [("witness", by_repair_in_order), ("witness", by_likely_numbers)]
    return Layers(tuple(judges), tuple(finders), _solver(solve, witness) if smt else _no_layer)


def by_constraints(condition: Term, opposite: Term, facts: Facts) -> int:
    """Whether a condition or its opposite is among the constraints."""
    known = facts.known
    if condition in known or (condition.op == "and" and facts.holds(condition)):
        return TRUE
    if opposite in known or (opposite.op == "and" and facts.holds(opposite)):
        return FALSE
    return UNSURE


def by_bounds(condition: Term, opposite: Term, facts: Facts) -> int:
    """What difference bounds and intervals tell."""
    return facts.bounds.decide(condition)


def by_repair(goal: Term, facts: Facts, witness: Witness, theory: bool) -> Witness | Undecided | None:
    """The witness with a few variables moved."""
    found = repair(goal, witness, facts.occurs)
    return UNDECIDED if found is None else found


def by_cases(goal: Term, facts: Facts, witness: Witness, theory: bool) -> Witness | Undecided | None:
    """None if bounds refute the goal in each of its cases; without cases they have been asked before."""
    cases = facts.clauses or goal.op in ("or", "ite", "and")
    return None if cases and impossible(goal, facts.clauses, facts.bounds) else UNDECIDED


def by_repair_in_order(goal: Term, facts: Facts, witness: Witness, theory: bool) -> Witness | Undecided | None:
    """The witness with a few variables moved, where what that breaks is mended in another order."""
    found = repair_again(goal, witness, facts.occurs)
    return UNDECIDED if found is None else found


def by_likely_numbers(goal: Term, facts: Facts, witness: Witness, theory: bool) -> Witness | Undecided | None:
    """The witness with likely numbers for the variables of the goal."""
    found = nearby(goal, facts.related(goal), witness)
    return UNDECIDED if found is None else found


def _solver(solve: Solve, witness_layer: bool) -> Callable[[Term, Facts, Witness, bool], Witness | None]:
    def by_solver(goal: Term, facts: Facts, witness: Witness, theory: bool) -> Witness | None:
        # Without the witness layer nothing is known that satisfies the unrelated constraints, which a theory looks at.
        related = facts.related(goal) if witness_layer or not theory else list(facts.known)
        found = solve([*related, goal])
        return None if found is None else {**witness, **found}

    return by_solver


def _no_layer(goal: Term, facts: Facts, witness: Witness, theory: bool) -> Witness | None:
    raise SolverUnknown(f"no enabled layer decides: {goal}")
