"""Floats near a solution among the real numbers, where rounding may decide whether they are one too."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, product

from everypath.logic.evaluate import Witness
from everypath.logic.float_semantics import FLOAT_OPERATIONS
from everypath.logic.nodes import Term, Var, postorder, variables
from everypath.logic.thresholds import above, below, float_at, key_of

MAX_CANDIDATES = 100
"""So many assignments near a solution are tried."""

MAX_STEPS = 8
"""So many floats on either side of the only unknown are tried."""
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
