"""The condition that a term has a given value, whatever its sort."""

from __future__ import annotations

import math

from everypath.logic.comparisons import bool_eq, eq
from everypath.logic.floats import float_eq, is_nan
from everypath.logic.integers import BoolLike
from everypath.logic.nodes import Term, Value
from everypath.logic.strings import str_eq


def same(term: Term, value: Value) -> BoolLike:
    """The condition that the term has the value; NaN counts as the same as NaN."""
    if isinstance(value, bool):
        return bool_eq(term, value)
    if isinstance(value, float):
        return is_nan(term) if math.isnan(value) else float_eq(term, value)
    return str_eq(term, value) if isinstance(value, str) else eq(term, value)
