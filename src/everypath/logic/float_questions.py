"""What comes before and after a question about floats to the solver: fewer inputs, and floats near a solution.

Inputs that are known to be equal, to each other or to a constant, are replaced by one of them. That is sound because an
input is never -0.0: floats that compare equal are then the same, and so is what is computed from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import Any

from everypath.logic import comparisons, floats
from everypath.logic.evaluate import Witness
from everypath.logic.float_bounds import asked_about
from everypath.logic.nodes import Node, Term, Value, Var, postorder, variables
from everypath.logic.semantics import FLOAT_OPERATIONS
from everypath.logic.thresholds import above, below, float_at, key_of, preimage

_CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    "fadd": floats.float_add,
    "fsub": floats.float_sub,
    "fmul": floats.float_mul,
    "fdiv": floats.float_div,
    "ffloordiv": floats.float_floordiv,
    "fmod": floats.float_mod,
    "fneg": floats.float_neg,
    "fabs": floats.float_abs,
    "fsqrt": floats.float_sqrt,
    "fpow": floats.float_power,
    "fround": floats.float_round,
    "flt": floats.float_lt,
    "fle": floats.float_le,
    "feq": floats.float_eq,
    "isnan": floats.is_nan,
    "isinf": floats.is_inf,
    "fnegzero": floats.is_negative_zero,
    "not": comparisons.not_,
    "and": comparisons.and_,
    "or": comparisons.or_,
    "ite": comparisons.ite,
}


def simplified(constraints: Sequence[Term]) -> tuple[list[Term] | None, dict[Var, Var | float]]:
    """The constraints with fewer inputs, or None if they turn out to be contradictory; and what was replaced.

    Inputs that may be infinite or NaN are kept.
    """
    kept = frozenset[Var]().union(*map(asked_about, constraints))
    replaced: dict[Var, Var | float] = {}
    left = [part for term in constraints for part in (term.args if term.op == "and" else (term,))]  # type: ignore[attr-defined]
    while True:
        found = next(((term, pair) for term in left if (pair := _equality(term, kept)) is not None), None)
        if found is None:
            return left, replaced
        equality, (variable, other) = found
        for earlier, value in replaced.items():
            if value is variable:
                replaced[earlier] = other
        replaced[variable] = other
        results: list[Term] = []
        known: dict[Term, Term | Value] = {}
        for term in left:
            result = True if term is equality else _substituted(term, variable, other, known)
            if result is False:
                return None, replaced
            if isinstance(result, Term):
                results.append(result)
        left = results


def completed(model: Witness, replaced: dict[Var, Var | float]) -> Witness:
    """The model with the values of the inputs that were replaced."""
    return model | {v: model.get(o, o.default) if isinstance(o, Var) else o for v, o in replaced.items()}


def _equality(term: Term, kept: frozenset[Var]) -> tuple[Var, Var | float] | None:
    """The input that a condition determines, and what it is equal to."""
    if not isinstance(term, Node) or term.op != "feq":
        return None
    a, b = term.args
    if isinstance(a, Var) and isinstance(b, Var):
        plain = a.sort == b.sort == "float" and a not in kept and b not in kept
        return (a, b) if plain else None
    around = floats.bounds_of(term)
    inside = None if around is None else preimage(*around)
    if inside is None:
        return None
    root, low, high = inside
    if low != high or not isinstance(root, Var) or root.sort != "float" or root in kept:
        return None
    # An input that equals -0.0 is 0.0.
    return root, low + 0.0


def _substituted(
    term: Term | Value, variable: Var, other: Var | float, known: dict[Term, Term | Value]
) -> Term | Value:
    """The term with a variable replaced; terms of other kinds, which are rare, keep it."""
    if term is variable:
        return other
    if not isinstance(term, Node) or term.op not in _CONSTRUCTORS:
        return term
    found = known.get(term)
    if found is None:
        args = [_substituted(arg, variable, other, known) for arg in term.args]
        same = all(new is old for new, old in zip(args, term.args))
        found = known[term] = term if same else _CONSTRUCTORS[term.op](*args)
    return found


MAX_CANDIDATES = 100
"""At most this many assignments near a solution are tried."""

MAX_STEPS = 8
"""At most this many floats on either side of the only unknown are tried."""
COARSE = tuple(
    sign * (2.0**n + k * 2.0 ** (n - 52)) for n in (49, 50, 51) for k in range(1, 2 ** (52 - n)) for sign in (1, -1)
)
"""Floats of which few have the same whole part, so that fractions are rounded to one of them."""
EXTREMES = (1e16, -1e16, 2.0**52 + 0.5, 1e200, -1e200, 1e-200)
"""Floats with which arithmetic is far from exact."""


@lru_cache(maxsize=8192)
def speaks_of_floats(condition: Term) -> bool:
    """Whether a condition has floats in it."""
    return any(each.op in FLOAT_OPERATIONS or each.sort == "float" for each in postorder(condition, lambda _: False))


def around_solution(model: Witness, constraints: Sequence[Term]) -> Iterator[Witness]:
    """The model itself, then models that differ a little in their floats."""
    yield model
    mentioned = frozenset[Var]().union(*map(variables, constraints))
    floats = sorted((v for v in mentioned if v.sort == "float"), key=lambda v: v.index)
    if not floats:
        return
    choices = [_around(float(model[variable])) for variable in floats]
    for values in islice(product(*choices), MAX_CANDIDATES):
        yield {**model, **dict(zip(floats, values))}
    for variable in floats:
        for value in EXTREMES:
            yield {**model, variable: value}
    if len(floats) == 1:
        at = key_of(float(model[floats[0]]))
        near = [float_at(at + step) for step in range(-MAX_STEPS, MAX_STEPS + 1)] if at < key_of(1e308) else []
        for value in (*near, *COARSE):
            yield {**model, floats[0]: value + 0.0}


def _around(value: float) -> tuple[float, ...]:
    if not math.isfinite(value):
        return (value,)
    shorter = [float(f"{value:.{digits}g}") for digits in (3, 6, 12)]
    around = (value, *shorter, above(value), below(value), math.floor(value) + 0.0, math.ceil(value) + 0.0)
    return tuple(dict.fromkeys(number + 0.0 for number in around if math.isfinite(number)))
