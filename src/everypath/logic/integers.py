"""Constructors of integer terms: linear forms are kept normal, products are multisets of factors."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import cast

from everypath.errors import Unsupported
from everypath.logic import ranges
from everypath.logic.nodes import Atom, Linear, Parts, Term, Var, make_linear, make_node, rank
from everypath.logic.ranges import EVERYTHING, Range

IntLike = int | Term
BoolLike = bool | Term

MAX_EXPONENT = 16
MAX_EXPANSION = 64
"""A product of sums with more summands than this stays factored."""
MAX_MASK_RUNS = 8
MAX_BITS = 1_000_000
"""Constants with more binary digits than this are refused before they fill the memory."""

_by_rank = attrgetter("rank")


def int_var(name: str, lo: int | None = None, hi: int | None = None) -> Var:
    """A new integer unknown, within the given bounds."""
    return Var(name, "int", lo, hi)


def split(value: IntLike) -> tuple[int, Parts]:
    """The constant and the parts of an integer value."""
    if value.__class__ is int:
        return value, ()  # type: ignore[return-value]
    if isinstance(value, Linear):
        return value.const, value.parts
    if isinstance(value, Term):
        if value.sort == "bool":
            value = bool_to_int(value)
            return split(value) if isinstance(value, Linear) else (0, ((value, 1),))  # type: ignore[return-value]
        assert value.sort == "int", value.sort
        return 0, ((cast(Atom, value), 1),)
    return int(value), ()


def combine(p: Parts, q: Parts, k: int) -> Parts:
    """The parts of p + k*q."""
    if not q:
        return p
    if not p:
        return q if k == 1 else tuple((atom, k * m) for atom, m in q)
    if len(p) == 1 and len(q) == 1:
        (first, m), (second, n) = p[0], q[0]
        if first is second:
            return ((first, m + k * n),) if m + k * n else ()
        one, two = (first, m), (second, k * n)
        return (one, two) if first.rank < second.rank else (two, one)
    table = dict(p)
    for atom, m in q:
        table[atom] = table.get(atom, 0) + k * m
    return tuple((atom, table[atom]) for atom in sorted(table, key=_by_rank) if table[atom])


def linear(const: int, parts: Parts) -> IntLike:
    """const + sum(parts) as the simplest value."""
    if not parts:
        return const
    if const == 0 and len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    return make_linear(const, parts)


def add(a: IntLike, b: IntLike) -> IntLike:
    """a + b"""
    if a.__class__ is int and b.__class__ is int:
        return a + b  # type: ignore[operator]
    c, p = split(a)
    d, q = split(b)
    return linear(c + d, combine(p, q, 1))


def sub(a: IntLike, b: IntLike) -> IntLike:
    """a - b"""
    if a.__class__ is int and b.__class__ is int:
        return a - b  # type: ignore[operator]
    c, p = split(a)
    d, q = split(b)
    return linear(c - d, combine(p, q, -1))


def neg(a: IntLike) -> IntLike:
    """-a"""
    return scale(a, -1)


def scale(a: IntLike, k: int) -> IntLike:
    """k * a for a constant k."""
    c, p = split(a)
    if k == 0:
        return 0
    return linear(c * k, tuple((atom, m * k) for atom, m in p))


def mul(a: IntLike, b: IntLike) -> IntLike:
    """a * b"""
    c, p = split(a)
    d, q = split(b)
    if not p:
        return scale(b, c)
    if not q:
        return scale(a, d)
    return _expanded(_as_term(a), _as_term(b))


@lru_cache(maxsize=4096)
def _expanded(a: Term, b: Term) -> IntLike:
    """The product of two terms; cached, because many paths multiply the same ones."""
    c, p = split(a)
    d, q = split(b)
    if len(p) * len(q) > MAX_EXPANSION:
        return _product((a, b))
    total: IntLike = add(add(scale(linear(0, p), d), scale(linear(0, q), c)), c * d)
    for first, m in p:
        for second, n in q:
            total = add(total, scale(_product((first, second)), m * n))
    return total


def _as_term(a: IntLike) -> Term:
    if isinstance(a, Term) and a.sort == "bool":
        a = bool_to_int(a)
    assert isinstance(a, Term)
    return a


def _product(factors: tuple[Term, ...]) -> Term:
    flat: list[Term] = []
    for factor in factors:
        if factor.op == "mul":
            flat.extend(factor.args)  # type: ignore[attr-defined]
        else:
            flat.append(factor)
    flat.sort(key=rank)
    around: Range = (1, 1)
    for factor in dict.fromkeys(flat):
        repeated = flat.count(factor)
        one = intrinsic(factor)
        power = (1, 1)
        for _ in range(repeated):
            power = ranges.times(power, one)  # type: ignore[assignment]
        if repeated % 2 == 0:
            power = ranges.meet(power, (0, None))  # type: ignore[assignment]
        around = ranges.times(around, power)
    return make_node("mul", "int", tuple(flat), *around)


def intrinsic(value: IntLike) -> Range:
    """Bounds of an integer value that hold whatever the path."""
    if isinstance(value, Linear):
        total: Range = (value.const, value.const)
        for atom, k in value.parts:
            total = ranges.plus(total, ranges.scale(intrinsic(atom), k))
        return total
    if isinstance(value, Term):
        return (0, 1) if value.sort == "bool" else (value.lo, value.hi)  # type: ignore[attr-defined]
    return int(value), int(value)


def power(a: IntLike, exponent: IntLike) -> IntLike:
    """a ** exponent for a small constant exponent; anything else symbolic is unsupported."""
    if not isinstance(exponent, Term) and exponent >= 0:
        if not isinstance(a, Term):
            if int(a).bit_length() * exponent > MAX_BITS:
                raise Unsupported(f"a power with more than {MAX_BITS} binary digits")
            folded: int = int(a) ** int(exponent)
            return folded
        if exponent <= MAX_EXPONENT:
            result: IntLike = 1
            for _ in range(exponent):
                result = mul(result, a)
            return result
    raise Unsupported(f"power with a symbolic operand: {a} ** {exponent}; only small constant exponents are handled")


def floordiv(a: IntLike, b: IntLike) -> IntLike:
    """a // b, rounding down; b is not zero."""
    if not isinstance(b, Term):
        if not isinstance(a, Term):
            return int(a) // int(b)
        if b < 0:
            a, b = neg(a), -b
        if b == 1:
            return _as_int(a)
        const, parts = split(a)
        outside = tuple((atom, k // b) for atom, k in parts if k % b == 0)
        inside = tuple((atom, k) for atom, k in parts if k % b)
        if outside:
            return add(linear(const // b, outside), floordiv(linear(const % b, inside), b))
        if not isinstance(a, Term):
            return a // b
        lo, hi = ranges.floordiv(intrinsic(a), b)
        return lo if lo is not None and lo == hi else make_node("floordiv", "int", (_as_int(a), b), lo, hi)
    if a.__class__ is int and a == 0:
        return 0
    if a is b:
        return 1
    return make_node("floordiv", "int", (_as_int(a), _as_int(b)), *_shrunk(a))


def floormod(a: IntLike, b: IntLike) -> IntLike:
    """a % b with the sign of b; b is not zero."""
    if not isinstance(b, Term):
        if not isinstance(a, Term):
            return int(a) % int(b)
        return neg(_floormod_by(neg(a), -b)) if b < 0 else _floormod_by(a, b)
    if (a.__class__ is int and a == 0) or a is b:
        return 0
    low, high = intrinsic(b)
    if low is not None and low >= 0:
        return make_node("floormod", "int", (_as_int(a), _as_int(b)), 0, None if high is None else max(high - 1, 0))
    return make_node("floormod", "int", (_as_int(a), _as_int(b)))


def _floormod_by(a: IntLike, b: int) -> IntLike:
    """The remainder by a positive constant: multiples of it fall away, and small numbers are their own remainder."""
    const, parts = split(a)
    rest = tuple((atom, k) for atom, k in parts if k % b)
    inside = linear(const % b if len(rest) < len(parts) or const % b == 0 else const, rest)
    if not isinstance(inside, Term):
        return inside % b
    around = intrinsic(inside)
    if around[0] is not None and around[1] is not None and around[0] >= 0 and around[1] < b:
        return inside
    lo, hi = ranges.floormod(around, b)
    return lo if lo is not None and lo == hi else make_node("floormod", "int", (inside, b), lo, hi)


def truncdiv(a: IntLike, b: IntLike) -> IntLike:
    """a / b rounding towards zero; b is not zero."""
    if not isinstance(b, Term):
        b = int(b)
        if not isinstance(a, Term):
            quotient = abs(int(a)) // abs(b)
            return quotient if (a < 0) == (b < 0) else -quotient
        if b < 0:
            return neg(truncdiv(a, -b))
        low, high = intrinsic(a)
        if (low is not None and low >= 0) or b == 1:
            return floordiv(a, b)
        if high is not None and high <= 0:
            return neg(floordiv(neg(a), b))
        return make_node("truncdiv", "int", (_as_int(a), b), *_trunc_range(low, high, b))
    if a.__class__ is int and a == 0:
        return 0
    if a is b:
        return 1
    return make_node("truncdiv", "int", (_as_int(a), _as_int(b)), *_shrunk(a))


def _trunc_range(low: int | None, high: int | None, b: int) -> Range:
    return None if low is None else -(-low // b), None if high is None else high // b


def truncrem(a: IntLike, b: IntLike) -> IntLike:
    """The remainder of truncdiv, with the sign of a; b is not zero."""
    if not isinstance(b, Term):
        b = abs(int(b))
        if not isinstance(a, Term):
            return int(a) % b if a >= 0 else -(-int(a) % b)
        if b == 1:
            return 0
        low, high = intrinsic(a)
        if low is not None and low >= 0:
            return floormod(a, b)
        if high is not None and high <= 0:
            return neg(floormod(neg(a), b))
        return make_node("truncrem", "int", (_as_int(a), b), 1 - b, b - 1)
    if (a.__class__ is int and a == 0) or a is b:
        return 0
    return make_node("truncrem", "int", (_as_int(a), _as_int(b)), *_shrunk(a))


def _as_int(a: IntLike) -> IntLike:
    if isinstance(a, Term):
        return bool_to_int(a) if a.sort == "bool" else a
    return int(a)


# A quotient or remainder is never further from zero than the dividend, apart from rounding down by one.
def _shrunk(a: IntLike) -> Range:
    low, high = intrinsic(a)
    if low is None or high is None:
        return EVERYTHING
    size = max(abs(low), abs(high))
    return -size, size


def bool_to_int(a: BoolLike) -> IntLike:
    """1 for true, 0 for false."""
    if not isinstance(a, Term):
        return int(a)
    return make_node("int_of_bool", "int", (a,), 0, 1)


def bit_and(a: IntLike, b: IntLike) -> IntLike:
    """a & b; with one constant side it becomes arithmetic."""
    a, b = _as_int(a), _as_int(b)
    if not isinstance(a, Term):
        a, b = b, a
    if isinstance(b, Term):
        return a if a is b else _common_bits(a, b)
    if not isinstance(a, Term):
        return a & b
    if b < 0:
        return sub(a, bit_and(a, ~b))
    total: IntLike = 0
    shift = runs = 0
    while b >> shift:
        if (b >> shift) & 1:
            rest = b >> shift
            width = (~rest & (rest + 1)).bit_length() - 1
            total = add(total, scale(floormod(floordiv(a, 1 << shift), 1 << width), 1 << shift))
            shift += width
            runs += 1
            if runs > MAX_MASK_RUNS:
                return _common_bits(a, b)
        else:
            shift += 1
    return total


def _common_bits(a: IntLike, b: IntLike) -> IntLike:
    if isinstance(a, Term) and isinstance(b, Term) and rank(b) < rank(a):
        a, b = b, a
    tops = [high for low, high in (intrinsic(a), intrinsic(b)) if low is not None and low >= 0]
    if not tops:
        return make_node("bit_and", "int", (a, b))
    known = [high for high in tops if high is not None]
    return make_node("bit_and", "int", (a, b), 0, min(known) if known else None)


def bit_or(a: IntLike, b: IntLike) -> IntLike:
    """a | b"""
    return sub(add(a, b), bit_and(a, b))


def bit_xor(a: IntLike, b: IntLike) -> IntLike:
    """a ^ b"""
    return sub(add(a, b), scale(bit_and(a, b), 2))


def shift_left(a: IntLike, amount: IntLike) -> IntLike:
    """a << amount for a constant amount that is not negative."""
    if isinstance(amount, Term):
        raise Unsupported(f"shift by a symbolic amount: {a} << {amount}")
    if not 0 <= amount <= MAX_BITS:
        raise Unsupported(f"shift by {amount}")
    return scale(a, 1 << amount)


def shift_right(a: IntLike, amount: IntLike) -> IntLike:
    """a >> amount for a constant amount that is not negative."""
    if isinstance(amount, Term):
        raise Unsupported(f"shift by a symbolic amount: {a} >> {amount}")
    if not 0 <= amount <= MAX_BITS:
        raise Unsupported(f"shift by {amount}")
    return floordiv(a, 1 << amount)
