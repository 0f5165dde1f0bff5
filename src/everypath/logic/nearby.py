"""All combinations of a few likely numbers for the few unknowns of a hard condition, tried before the solver is asked.

A product or a remainder rarely becomes what it should when one variable moves, but small numbers usually do. Trying a
hundred of them costs less than one question to the solver, and a small program then never loads it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, islice, product

from everypath.logic.evaluate import Witness
from everypath.logic.moves import truth
from everypath.logic.nodes import Comparison, Linear, Node, Term, Value, Var, variables

LARGE = 1e12
"""Larger numbers are no likely floats."""
MAX_UNKNOWNS = 4
MAX_TRIALS = 125
MAX_WEIGHT = 60
"""Larger conditions take longer to evaluate than to solve."""


def nearby(goal: Term, related: Sequence[Term], witness: Witness) -> Witness | None:
    """A witness of the goal and the constraints related to it that differs from the given one by likely numbers."""
    if goal.weight + sum(constraint.weight for constraint in related) > MAX_WEIGHT:
        return None
    unknown = sorted(set(chain(variables(goal), *map(variables, related))), key=lambda variable: variable.index)
    if len(unknown) > MAX_UNKNOWNS or any(variable.sort == "str" for variable in unknown):
        return None
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
    return [number for number in found if number > 2 or isinstance(number, float)]
