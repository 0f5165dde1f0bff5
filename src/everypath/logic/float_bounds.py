"""What is cheaply known about the floats of one path: a range of each, and what follows for conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import combinations, product

from everypath.logic.differences import Differences
from everypath.logic.float_ranges import ANYTHING, TO_WHOLE, FloatRange, hull, of_operation, point
from everypath.logic.floats import bounds_of, outside_of
from everypath.logic.nodes import Node, Term, Value, Var, make_float_node, postorder, variables
from everypath.logic.ranges import EVERYTHING, Range
from everypath.logic.thresholds import LARGEST, LIMIT, above, below, preimage
from everypath.logic.verdicts import FALSE, TRUE, UNSURE

FLOAT_CONDITIONS = frozenset(("flt", "fle", "feq", "isnan", "isinf", "fnegzero"))
_UNUSUAL = (math.nan, math.inf, -math.inf)
_MOST_MIXED = 3
"""Of how many inputs each may be unusual in another way; 63 ways then."""
MAX_RANGE_DEPTH = 12
"""How deep float arithmetic is looked into for its range."""


@lru_cache(maxsize=4096)
def asked_about(condition: Term, questions: tuple[str, ...] = ("isnan", "isinf", "fnegzero")) -> frozenset[Var]:
    """The float inputs about which a condition asks whether they are NaN, infinite or -0.0, or one of these."""
    found: set[Var] = set()
    for each in postorder(condition, lambda _: False):
        if each.op in questions:
            found.update(variable for variable in variables(each) if variable.sort == "float")
    return frozenset(found)


@lru_cache(maxsize=4096)
def compared_inputs(condition: Term) -> tuple[Var, ...]:
    """The float inputs that a condition compares."""
    found = (each for each in variables(condition) if each.sort == "float")
    return tuple(sorted(found, key=lambda variable: variable.index))


_SPECIAL: dict[str, Callable[[float, float, bool], bool]] = {
    "isnan": lambda low, high, nan: nan,
    "isinf": lambda low, high, nan: low == -math.inf or high == math.inf,
    "fnegzero": lambda low, high, nan: low <= 0 <= high,
}
"""Questions about special values -> whether a range admits them."""


def unusual_values(inputs: tuple[Var, ...], known: Iterable[Term]) -> Iterator[dict[Var, float]]:
    """Ways to let some inputs be infinite or NaN, as few as possible first.

    Where a known condition ties them to other inputs, those may have to be unusual as well.
    """
    yield from _some_unusual(inputs)
    tied = frozenset(inputs)
    for condition in known:
        others = compared_inputs(condition)
        if not tied.isdisjoint(others):
            tied = tied.union(others)
    if len(tied) > len(inputs):
        yield from _some_unusual(tuple(sorted(tied, key=lambda variable: variable.index)))


def _some_unusual(inputs: tuple[Var, ...]) -> Iterator[dict[Var, float]]:
    """Of few inputs any may be unusual in any way; of many, one or all alike."""
    few = len(inputs) <= _MOST_MIXED
    for count in range(1, len(inputs) + 1) if few else (1, len(inputs)):
        for chosen in combinations(inputs, count):
            for values in product(_UNUSUAL, repeat=count) if few else zip(*[_UNUSUAL] * count):
                yield dict(zip(chosen, values))


class FloatBounds(Differences):
    """Ranges of float terms; each holds if the term is a number at all."""

    __slots__ = ("_asked", "_facts", "_fixed", "_float_ranges", "_verdicts")

    def __init__(self) -> None:
        super().__init__()
        self._fixed: dict[Var, Value] = {}
        """Truth values, strings and floats that are known."""
        self._facts: dict[Term, bool] = {}
        """Conditions that are not differences, assumed or excluded."""
        self._float_ranges: dict[Term, tuple[float, float]] = {}
        """Replaced, never changed in place, so that copies can share it."""
        self._asked: frozenset[Var] = frozenset()
        """The inputs that may be infinite or NaN."""
        self._verdicts: dict[tuple[Term, int], int] = {}
        """What was found about large conditions, at which depth, since something was last assumed."""

    def interval(self, term: Term | Value, depth: int = 0) -> Range:
        """Bounds of an integer term that hold on this path."""
        raise NotImplementedError

    def decide(self, condition: Term, depth: int = 0) -> int:
        """TRUE, FALSE, BOTH (only while exact) or UNSURE."""
        raise NotImplementedError

    def certain(self, condition: Term) -> int:
        """The same whatever the inputs are; `decide` takes those to be finite about which the program has not asked."""
        inputs = compared_inputs(condition)
        if not inputs:
            return self.decide(condition)
        asked, self._asked = self._asked, self._asked.union(inputs)
        verdicts, self._verdicts = self._verdicts, {}
        try:
            return self.decide(condition)
        finally:
            self._asked, self._verdicts = asked, verdicts

    def ask(self, condition: Term) -> None:
        """Note which inputs may be infinite or NaN from here on, because the program has asked."""
        asked = asked_about(condition)
        if asked:
            self._asked |= asked
            self._verdicts.clear()

    def float_range(self, term: Term | Value, depth: int = 0, anything: bool = False) -> FloatRange:
        """Where a number lies on this path; with `anything`, every input may be infinite."""
        if not isinstance(term, Term):
            return point(term)  # type: ignore[arg-type]
        if term.sort == "int":
            low, high = self.interval(term, depth)
            return (-math.inf if low is None else low), (math.inf if high is None else high), False
        found = self._intrinsic(term, depth, anything)
        known = self._float_ranges.get(term)
        if known is None:
            return found
        return max(found[0], known[0]), min(found[1], known[1]), found[2]

    def _intrinsic(self, term: Term, depth: int, anything: bool) -> FloatRange:
        if isinstance(term, Var):
            if term in self._fixed:
                return point(self._fixed[term])  # type: ignore[arg-type]
            if not anything and term not in self._asked:
                return -LARGEST, LARGEST, False
            nan, inf = (self._facts.get(make_float_node(op, "bool", (term,))) for op in ("isnan", "isinf"))
            return (
                (-math.inf, math.inf, nan is not False) if inf is not False else (-LARGEST, LARGEST, nan is not False)
            )
        assert isinstance(term, Node)
        if depth > MAX_RANGE_DEPTH:
            return ANYTHING
        if term.op == "ite":
            verdict = self.decide(term.args[0], depth + 1)  # type: ignore[arg-type]
            if verdict in (TRUE, FALSE):
                return self.float_range(term.args[verdict], depth + 1, anything)
            return hull(*(self.float_range(arg, depth + 1, anything) for arg in term.args[1:]))
        return of_operation(term.op, [self.float_range(arg, depth + 1, anything) for arg in term.args])

    def whole_range(self, node: Node, depth: int) -> Range:
        """The range of an integer made from a float."""
        low, high, nan = self.float_range(node.args[0], depth)
        if nan:
            return EVERYTHING
        function = TO_WHOLE[node.op]
        least = None if low < -LIMIT else function(low)
        return least, None if high > LIMIT else function(high)

    def decide_float(self, condition: Node, depth: int) -> int:
        """TRUE, FALSE or UNSURE for a condition on floats."""
        op = condition.op
        if op in _SPECIAL:
            possible = _SPECIAL[op](*self.float_range(condition.args[0], depth + 1, anything=True))
            return UNSURE if possible else FALSE
        (a, b, first), (c, d, second) = (self.float_range(arg, depth + 1) for arg in condition.args)
        numbers = not first and not second
        if op == "flt":
            return TRUE if b < c and numbers else FALSE if a >= d else UNSURE
        if op == "fle":
            return TRUE if b <= c and numbers else FALSE if a > d else UNSURE
        if b < c or d < a:
            return FALSE
        return TRUE if a == b == c == d and numbers else self._decide_same(condition)

    def _decide_same(self, condition: Node) -> int:
        """Whether the unknown behind a term is known to have, or not to have, the only value that would do."""
        found = bounds_of(condition)
        if found is None:
            return UNSURE
        inside = preimage(*found)
        if inside is None:
            return FALSE
        root, low, high = inside
        if low != high or root.sort != "float":
            return UNSURE
        known = self._facts.get(make_float_node("feq", "bool", (root, low)))
        return UNSURE if known is None else TRUE if known else FALSE

    def assume_float(self, condition: Node, holds: bool) -> None:
        """Use what a condition on floats, or its negation, says about their ranges."""
        op = condition.op
        if op == "isnan" or op == "isinf":
            if holds and op == "isnan" and isinstance(condition.args[0], Var):
                self._fixed[condition.args[0]] = math.nan
            return
        if op == "fnegzero":
            return
        found = bounds_of(condition) if holds else outside_of(condition)
        if found is not None:
            self._narrow_float(*found, number=holds)
        elif all(isinstance(arg, Term) for arg in condition.args):
            self._narrow_both(op, condition.args, holds)  # type: ignore[arg-type]

    def _narrow_both(self, op: str, args: tuple[Term, Term], holds: bool) -> None:
        left, right = args
        # What is kept must hold for every input. That an input is finite is only taken for granted until it is asked.
        (a, b, first), (c, d, second) = (self.float_range(arg, anything=True) for arg in args)
        if not holds:
            if op == "feq" or first or second:
                return
            op, left, right, a, b, c, d = ("fle" if op == "flt" else "flt"), right, left, c, d, a, b
        if op == "feq":
            self._narrow_float(left, max(a, c), min(b, d), holds)
            self._narrow_float(right, max(a, c), min(b, d), holds)
        else:
            strict = op == "flt"
            self._narrow_float(left, -math.inf, below(d) if strict else d, holds)
            self._narrow_float(right, above(a) if strict else a, math.inf, holds)

    def _narrow_float(self, term: Term, low: float, high: float, number: bool) -> None:
        if term.sort != "float":
            return
        found = preimage(term, low, high)
        if found is None or found[0].sort != "float":
            return
        root, low, high = found
        if number:
            self._facts[make_float_node("isnan", "bool", (root,))] = False
        known = self._float_ranges.get(root)
        if known is not None:
            low, high = max(low, known[0]), min(high, known[1])
        if low > high or known == (low, high):
            return
        self._float_ranges = {**self._float_ranges, root: (low, high)}
        if isinstance(root, Var):
            if low == high and number:
                self._fixed[root] = low
        elif isinstance(root, Node) and root.op == "fabs":
            self._narrow_float(root.args[0], -high, high, number)  # type: ignore[arg-type]
