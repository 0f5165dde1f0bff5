"""Decides conditions on remainders of one integer exactly: `x % 2 == 0`, `(3 * x + 1) % 7 != 2`, beside bounds on x.

Such a condition is periodic: whether x satisfies it depends only on x modulo its period. So the
remainders that satisfy all of them are a set, kept as the bits of one integer, and intersecting sets costs next to
nothing. Comparisons of x with constants bound the interval in which a number with one of these remainders is looked
for. The one nearest to zero is taken, because people read it; if there is none, there is none at all.

A chain of tests for divisibility asks such a question at every branch, and the solver's time for it grows with the
number of divisors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import lcm

from everypath.logic.evaluate import evaluate
from everypath.logic.moves import truth
from everypath.logic.nodes import Comparison, Linear, Node, Parts, Term, Value, Var, variables

MOST_REMAINDERS = 1 << 16
"""Periods longer than this are left to the solver."""


class NoSolution(Exception):
    """No integer satisfies the conditions."""


def solve(conditions: Iterable[Term], unknown: Var) -> int | None:
    """The integer nearest to zero that satisfies all conditions, which are about nothing else.

    None if one of them is neither periodic nor a comparison with a constant; NoSolution if there is no such integer.
    """
    period, remainders = 1, 1
    low, high = unknown.lo, unknown.hi
    excluded: set[int] = set()
    for condition in conditions:
        found = _remainders(condition, unknown)
        if found is not None:
            common = lcm(period, found[0])
            if common > MOST_REMAINDERS:
                return None
            remainders = _repeated(remainders, period, common) & _repeated(found[1], found[0], common)
            period = common
        elif isinstance(condition, Comparison) and len(condition.parts) == 1 and condition.parts[0][0] is unknown:
            factor, const = condition.parts[0][1], condition.const
            if condition.op == "!=":
                if const % factor == 0:
                    excluded.add(-const // factor)
                continue
            # factor * x + const <= 0, or == 0
            if factor > 0 or condition.op == "==":
                high = _least(high, -const // factor)
            if factor < 0 or condition.op == "==":
                low = _most(low, -(const // factor))
        else:
            return None
    return _nearest(period, remainders, low, high, excluded)


def _least(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _most(one: int | None, other: int) -> int:
    return other if one is None else max(one, other)


def _nearest(period: int, remainders: int, low: int | None, high: int | None, excluded: set[int]) -> int:
    """The number nearest to zero with one of the remainders, in an interval and not excluded."""
    found: list[int] = []
    if remainders:
        upwards = _first(period, remainders, max(0, low) if low is not None else 0, excluded)
        if high is None or upwards <= high:
            found.append(upwards)
        # Downwards is upwards in the mirror, where a number has the remainder of its opposite.
        mirrored = (_reversed(remainders, period) << 1 | remainders & 1) & ((1 << period) - 1)
        downwards = -_first(period, mirrored, max(1, -high) if high is not None else 1, {-each for each in excluded})
        if low is None or downwards >= low:
            found.append(downwards)
    if not found:
        raise NoSolution
    return min(found, key=lambda number: (abs(number), number < 0))


def _first(period: int, remainders: int, start: int, excluded: set[int]) -> int:
    """The first number from `start` on with one of the remainders that is not excluded."""
    while True:
        shift = start % period
        # The remainders from that of `start` on, and once around.
        turned = (remainders >> shift) | ((remainders & ((1 << shift) - 1)) << (period - shift))
        start += (turned & -turned).bit_length() - 1
        if start not in excluded:
            return start
        start += 1


def _reversed(bits: int, width: int) -> int:
    return int(format(bits, f"0{width}b")[::-1], 2)


def _repeated(bits: int, period: int, width: int) -> int:
    """The bits over and over, up to this width, which is a multiple of their period."""
    return bits * (((1 << width) - 1) // ((1 << period) - 1))


@lru_cache(maxsize=4096)
def _remainders(condition: Term, unknown: Var) -> tuple[int, int] | None:
    """The period of a condition, and as bits the remainders that satisfy it; None if it has no period."""
    period = _period(condition, unknown)
    if period is None or period > MOST_REMAINDERS:
        return None
    if not isinstance(condition, Comparison):
        return period, sum(1 << each for each in range(period) if truth(condition, {unknown: each}))
    sums = _sums(condition.const, condition.parts, unknown, range(period))
    holds = _HOLDS[condition.op]
    return period, sum([1 << each for each, value in enumerate(sums) if holds(value, 0)])


_HOLDS: dict[str, Callable[[int, int], bool]] = {"==": operator.eq, "!=": operator.ne, "<=": operator.le}


def _values(term: Term | Value, unknown: Var, numbers: range) -> list[int]:
    """What a term is for each of the numbers in turn: each operation goes over all of them at once."""
    if isinstance(term, Linear):
        return _sums(term.const, term.parts, unknown, numbers)
    if isinstance(term, Node) and term.op == "floormod" and isinstance(divisor := term.args[1], int) and divisor > 0:
        return [value % divisor for value in _values(term.args[0], unknown, numbers)]
    if isinstance(term, Node) and term.op == "mul":
        one, other = (_values(each, unknown, numbers) for each in term.args)
        return list(map(operator.mul, one, other))
    return list(numbers) if term is unknown else [evaluate(term, {unknown: each}) for each in numbers]  # type: ignore[misc]


def _sums(const: int, parts: Parts, unknown: Var, numbers: range) -> list[int]:
    sums = [const] * len(numbers)
    for atom, factor in parts:
        sums = [value + factor * part for value, part in zip(sums, _values(atom, unknown, numbers))]
    return sums


def _period(term: Term | Value, unknown: Var) -> int | None:
    """A number by which the unknown can be moved without any effect on the term; None if there is none known."""
    if not isinstance(term, Term) or unknown not in variables(term):
        return 1
    if isinstance(term, Node) and term.op == "floormod":
        divisor = term.args[1]
        if isinstance(divisor, int) and divisor > 0 and _is_polynomial(term.args[0]):
            return divisor
    if isinstance(term, (Comparison, Linear)):
        parts: Iterable[Term | Value] = (atom for atom, _ in term.parts)
    elif isinstance(term, Node):
        parts = term.args
    else:
        return None
    period = 1
    for part in parts:
        own = _period(part, unknown)
        if own is None:
            return None
        period = lcm(period, own)
        if period > MOST_REMAINDERS:
            return None
    return period


def _is_polynomial(term: Term | Value) -> bool:
    """Whether a term is made of sums and products alone: then its remainders repeat with the divisor."""
    if isinstance(term, Linear):
        return all(_is_polynomial(atom) for atom, _ in term.parts)
    if isinstance(term, Node):
        return term.op == "mul" and all(map(_is_polynomial, term.args))
    return isinstance(term, (int, Var)) and (not isinstance(term, Var) or term.sort == "int")
