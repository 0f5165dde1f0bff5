"""The second decision layer: an assignment that satisfies the path, repaired by moving one variable at a time.

To make a condition true, a variable is moved; every constraint that this breaks moves one more variable, and no
variable moves twice. That shifts whole classes of equal variables and chains of ordered ones. A repair is a local
search: finding nothing proves nothing, and the next layer is asked.

A product or a remainder rarely becomes what it should when one variable moves, but small numbers usually do. Trying all
combinations of a few (`nearby`) costs less than one question to the solver, and a small program then never loads it.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from itertools import chain, islice, product
from typing import Any

from everypath.logic import texts
from everypath.logic.evaluate import Move, Witness
from everypath.logic.moves import Known, moves, truth
from everypath.logic.nodes import HEAVY, ZERO, Comparison, Linear, Node, Term, Value, Var, variables

MAX_ATTEMPTS = 30
"""Moves tried in consequence of one move before a repair is given up."""
MAX_MOVES = 40
"""Moves tried to make one condition true; a condition with many cases has many more."""
MAX_TEXT_VARIABLES = 3
MAX_EVALUATED = 60
"""Large constraints evaluated for one repair. What the theory of a heap learns is large, and the solver answers in the
time that more of them take."""

Chain = tuple[Term, Any] | None
"""A linked list of constraints, newest first."""
Occurrences = dict[Var, Chain]


class Effort:
    """How many large constraints a search may still evaluate."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_EVALUATED


def repair_again(goal: Term, witness: Witness, occurrences: Occurrences) -> Witness | None:
    """As `repair`, but what a move breaks is mended newest first; some conditions need that order."""
    effort = Effort()
    for move in islice(moves(goal, witness), MAX_MOVES):
        changed = settle(move, witness, occurrences, newest=True, effort=effort)
        if changed is not None and truth(goal, changed):
            return changed
    return None


def repair(goal: Term, witness: Witness, occurrences: Occurrences) -> Witness | None:
    """A witness of all constraints that satisfies the goal as well; None if none was found nearby."""
    if goal.__class__ is Comparison and goal.plain and goal.left is not None:  # type: ignore[attr-defined]
        quick = _move_unconstrained(goal, witness, occurrences)  # type: ignore[arg-type]
        if quick is not None:
            return quick
    effort = Effort()
    for move in islice(moves(goal, witness), MAX_MOVES):
        changed = settle(move, witness, occurrences, effort=effort)
        # Asked again, because mending what a move breaks may have undone the goal.
        if changed is not None and truth(goal, changed):
            return changed
    # Only strings are left, for which moves are too coarse.
    if not (goal.__class__ is Comparison and goal.plain):  # type: ignore[attr-defined]
        for variable in variables(goal):
            if variable.sort == "str":
                return _repair_strings(goal, witness, occurrences)
    return None


def _move_unconstrained(goal: Comparison, witness: Witness, occurrences: Occurrences) -> Witness | None:
    """The most frequent repair: one side of a difference is a variable that no constraint mentions, so nothing
    breaks.
    """
    left: Any = goal.left
    right: Any = goal.right
    # For `==` and `<=` the variable takes the value at which both sides are equal; for `!=` the next one.
    apart = 1 if goal.op == "!=" else 0
    if right is not ZERO and occurrences.get(right) is None:
        variable, value = right, witness.get(left, left.default) + goal.const + apart
    elif left is not ZERO and occurrences.get(left) is None:
        variable, value = left, witness.get(right, right.default) - goal.const + apart
    else:
        return None
    low, high = variable.lo, variable.hi
    if (low is not None and value < low) or (high is not None and value > high):
        return None
    changed = witness.copy()
    changed[variable] = value
    return changed


# The solver needs milliseconds for strings, so it pays to try many likely ones first.
def _repair_strings(goal: Term, witness: Witness, occurrences: Occurrences) -> Witness | None:
    wanted = texts.constants_in((goal,))
    unknown = sorted((v for v in variables(goal) if v.sort == "str"), key=lambda v: v.index)
    for variable in unknown[:MAX_TEXT_VARIABLES]:
        trial = witness.copy()
        current = str(witness.get(variable, ""))
        tried = {current}
        around = texts.constants_in((goal, *constraints_on(variable, occurrences)))
        for text in chain(texts.edits(current, wanted), texts.likely(around)):
            if text in tried:
                continue
            tried.add(text)
            trial[variable] = text
            if truth(goal, trial):
                changed = settle(((variable, text),), witness, occurrences)
                if changed is not None and truth(goal, changed):
                    return changed
    return None


def constraints_on(variable: Var, occurrences: Occurrences) -> Iterator[Term]:
    """The constraints that mention a variable, newest first."""
    linked = occurrences.get(variable)
    while linked is not None:
        constraint, linked = linked
        yield constraint


def settle(
    move: Move,
    witness: Witness,
    occurrences: Occurrences,
    frozen: Container[Var] = (),
    newest: bool = False,
    effort: Effort | None = None,
) -> Witness | None:
    """The witness after a move and all moves that follow from it; None if they get in each other's way."""
    effort = effort or Effort()
    changed = witness.copy()
    moved: set[Var] = set()
    broken = _apply(move, changed, moved, occurrences, frozen, effort)
    if broken is None:
        return None
    attempts = 0
    while broken:
        constraint = broken.pop(0 if newest else -1)
        if truth(constraint, changed):
            continue
        for follow in moves(constraint, changed):
            attempts += 1
            if attempts > MAX_ATTEMPTS:
                return None
            further = _apply(follow, changed, moved, occurrences, frozen, effort)
            if further is not None:
                broken += further
                break
        else:
            return None
    return changed


def _apply(
    move: Move, witness: Witness, moved: set[Var], occurrences: Occurrences, frozen: Container[Var], effort: Effort
) -> list[Term] | None:
    """The constraints that a move breaks; None if one of them could not be mended any more, and then nothing moves."""
    if effort.left < 0:
        return None
    for variable, value in move:
        # No variable moves twice, so this ends; and a variable that moved was needed where it is.
        if variable in moved or variable in frozen:
            return None
        if type(value) is int:
            low, high = variable.lo, variable.hi
            if (low is not None and value < low) or (high is not None and value > high):
                return None
    before = [(variable, witness.get(variable)) for variable, _ in move]
    for variable, value in move:
        witness[variable] = value
        moved.add(variable)
    broken: list[Term] = []
    known: Known = {}
    for variable, _ in move:
        linked = occurrences.get(variable)
        while linked is not None:
            constraint, linked = linked
            effort.left -= constraint.weight >= HEAVY
            if truth(constraint, witness, known):
                continue
            # A broken constraint whose variables have all moved cannot be mended: better to know now, before more is
            # moved.
            for each in variables(constraint):
                if each not in moved and each not in frozen:
                    break
            else:
                for changed, old in before:
                    moved.discard(changed)
                    if old is None:
                        del witness[changed]
                    else:
                        witness[changed] = old
                return None
            broken.append(constraint)
    return broken


LARGE = 1e12
"""Larger numbers are not tried for floats."""
MAX_UNKNOWNS = 4
MAX_TRIALS = 125
MAX_WEIGHT = 60
"""Conditions of a larger weight take longer to evaluate for every trial than to solve."""


def nearby(goal: Term, related: Sequence[Term], witness: Witness) -> Witness | None:
    """A witness of the goal and the constraints related to it in which a few variables have other, likely numbers."""
    if goal.weight + sum(constraint.weight for constraint in related) > MAX_WEIGHT:
        return None
    unknown = sorted(set(chain(variables(goal), *map(variables, related))), key=lambda variable: variable.index)
    if len(unknown) > MAX_UNKNOWNS or any(variable.sort == "str" for variable in unknown):
        return None
    # As many values for each variable as make at most MAX_TRIALS combinations.
    most = int(MAX_TRIALS ** (1 / len(unknown)) + 0.001)
    mentioned = _numbers((goal, *related))
    choices = [list(islice(_likely(variable, witness, mentioned), most)) for variable in unknown]
    trial = witness.copy()
    for values in product(*choices):
        trial.update(zip(unknown, values))
        if truth(goal, trial) and all(truth(constraint, trial) for constraint in related):
            return trial
    return None


def _likely(variable: Var, witness: Witness, mentioned: list[float]) -> dict[Value, None]:
    """The values worth trying, in order."""
    current = witness.get(variable, variable.default)
    if variable.sort == "bool":
        return dict.fromkeys((current, not current))
    if variable.sort == "float":
        return _likely_floats(float(current), mentioned)
    assert isinstance(current, int)
    # The current value comes first: most variables need not change. Then what the condition itself mentions, since
    # divisors and factors are where products and remainders come out right.
    around = (current, current + 1, current - 1, 0, 1, -1, current + 2, 2)
    whole = [number for number in mentioned if isinstance(number, int)]
    multiples = (sign * factor * number for factor in (1, 2, 3) for number in whole for sign in (1, -1))
    beside = (number + step for number in whole for step in (1, -1))
    low, high = variable.lo, variable.hi
    return dict.fromkeys(
        value
        for value in chain(around, multiples, beside, range(3, 20))
        if (low is None or value >= low) and (high is None or value <= high)
    )


def _likely_floats(current: float, mentioned: list[float]) -> dict[Value, None]:
    around = [current, 0.0, 1.0, -1.0, current + 1.0, 2.0, 0.5]
    known = [float(number) for number in mentioned if abs(number) < LARGE]
    around += [value for number in known for value in (number, -number, number + 1.0, number / 2)]
    return dict.fromkeys(value + 0.0 for value in (*around, 10.0, 100.0, 1000.0) if math.isfinite(value))


def _numbers(terms: Sequence[Term]) -> list[float]:
    """The numbers that the terms mention."""
    found: dict[float, None] = {}
    agenda: list[Term | Value] = list(terms)
    for term in agenda:
        if isinstance(term, (int, float)) and not isinstance(term, bool):
            found[abs(term)] = None
        elif isinstance(term, (Comparison, Linear)):
            found[abs(term.const)] = None
            agenda += [atom for atom, _ in term.parts]
            found.update(dict.fromkeys(abs(k) for _, k in term.parts))
        elif isinstance(term, Node):
            agenda += term.args
    # Zero, one and two are among the likely numbers anyway.
    return [number for number in found if number > 2 or isinstance(number, float)]
