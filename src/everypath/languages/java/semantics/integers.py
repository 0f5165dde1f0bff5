"""Integers of 32 and 64 bits: exact, wrapping around as on the JVM.

Terms are mathematical integers. Where a result may lie outside the type, that is another path: a path that exists only
because an operation overflows is cut by default and followed on request, with the wrapped result. Bits that a shift or
a narrowing conversion drops are no overflow: there the programmer asked for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from everypath.errors import LimitReached
from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve
from everypath.explore.remarks import here, remark
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import as_int
from everypath.heap.values import Value
from everypath.languages.java.frontend.profile import PROFILE
from everypath.logic import terms
from everypath.logic.terms import IntLike, Node, Term

_LINEAR: dict[str, Callable[[IntLike, IntLike], IntLike]] = {"+": terms.add, "-": terms.sub, "*": terms.mul}
_BITWISE: dict[str, Callable[[IntLike, IntLike], IntLike]] = {
    "&": terms.bit_and,
    "|": terms.bit_or,
    "^": terms.bit_xor,
}
_TRUTH: dict[str, Callable[[bool | Term, bool | Term], bool | Term]] = {
    "&": lambda a, b: terms.and_(a, b),
    "|": lambda a, b: terms.or_(a, b),
    "^": lambda a, b: terms.or_(terms.and_(a, terms.not_(b)), terms.and_(terms.not_(a), b)),
}
DIVISION_MESSAGE = "/ by zero"


def cast_to(number: int, bits: int) -> int:
    """A known number as a signed integer of so many bits."""
    half = 1 << (bits - 1)
    return ((number + half) & (2 * half - 1)) - half


def narrowed(number: IntLike, bits: int) -> IntLike:
    """The lowest bits of a number as a signed integer."""
    if not isinstance(number, Term):
        return cast_to(int(number), bits)
    half = 1 << (bits - 1)
    if _surely_within(number, bits):
        return number
    return terms.sub(terms.floormod(terms.add(number, half), 2 * half), half)


def _surely_within(number: Term, bits: int) -> bool:
    low, high = terms.intrinsic(number)
    half = 1 << (bits - 1)
    return low is not None and high is not None and -half <= low and high < half


def is_truth(value: Value) -> bool:
    """Whether the value is a boolean, known or not."""
    return value.__class__ is bool or (isinstance(value, Term) and value.sort == "bool")


class Integers:
    """The arithmetic of `int` and `long`."""

    def __init__(self, overflow: bool) -> None:
        self.overflow = overflow
        """whether paths that need an overflow are followed"""
        self._bitwise: dict[Value, tuple[str, IntLike, IntLike]] = {}
        """terms made by bitwise operators, with their operands"""
        self._known: set[Value] = set()
        """terms that were operands or results; what an operator gives back of these (`x | 0`) is not made by it"""

    def fit(self, st: State, number: IntLike, bits: int) -> IntLike:
        """The result of an operation as an integer of so many bits; where it may be outside, that is another path."""
        if not isinstance(number, Term):
            return cast_to(int(number), bits)
        if _surely_within(number, bits):
            return number
        half = 1 << (bits - 1)
        low, high = terms.intrinsic(number)
        # Mostly, only one end can be passed, and then the path is asked about that one alone.
        above = low is not None and low >= -half
        below = high is not None and high < half
        if decide(st.pc, terms.and_(above or terms.le(-half, number), below or terms.lt(number, half))):
            return number
        self._overflows(st)
        return narrowed(number, bits)

    def _overflows(self, st: State) -> None:
        """Here the path goes on only if it may overflow; that it does is worth a look, if it is the program's code."""
        if not self.overflow:
            raise LimitReached("overflow", "needs an operation that overflows (--overflow)")
        place = here(st)
        if place is not None:
            remark(st, "overflow", "the operation on this line can overflow", place)

    def calculate(self, st: State, op: str, left: IntLike, right: IntLike, bits: int) -> IntLike:
        """`left op right`"""
        if op in _LINEAR:
            back = _multiplied_back(left, right) if op == "*" else None
            return self.fit(st, _LINEAR[op](left, right) if back is None else back, bits)
        if op in _BITWISE:
            found = narrowed(_BITWISE[op](left, right), bits)
            # Operands are always known before what is made of them, so that no term is, by way of others, its own.
            self._known.update((left, right))
            if isinstance(found, Term) and found not in self._known:
                self._known.add(found)
                self._bitwise[found] = (op, left, right)
            return found
        if op in ("<<", ">>", ">>>"):
            return _shifted(st, op, left, right, bits)
        if decide(st.pc, terms.eq(right, 0)):
            raise Fault(PROFILE.division_error, DIVISION_MESSAGE)
        if op == "%":
            return terms.truncrem(left, right)
        half = 1 << (bits - 1)
        # Of all quotients a single one does not fit.
        if decide(st.pc, terms.and_(terms.eq(left, -half), terms.eq(right, -1))):
            if isinstance(left, Term) or isinstance(right, Term):
                self._overflows(st)
            return -half
        return terms.truncdiv(left, right)

    def negative(self, number: IntLike) -> bool | Term:
        """Whether a number is negative; the sign of what bitwise operators give is known from their operands."""
        found = self._bitwise.get(number) if isinstance(number, Term) else None
        if found is None:
            return terms.lt(number, 0)
        op, left, right = found
        return _TRUTH[op](self.negative(left), self.negative(right))

    def compare(self, st: State, op: str, left: Value, right: Value) -> bool | Term | None:
        """The sign of a term made by bitwise operators; None for other comparisons."""
        if right.__class__ is int and right == 0 and op in ("<", ">=") and left in self._bitwise:
            answer = self.negative(left)  # type: ignore[arg-type]
            return answer if op == "<" else terms.not_(answer)
        return None

    def binary(self, st: State, op: str, left: Value, right: Value, inplace: bool = False) -> Value:
        """An operator on two `int`, or on two booleans."""
        if left.__class__ is int and right.__class__ is int and op in "+-*":
            number: int = left + right if op == "+" else left - right if op == "-" else left * right  # type: ignore
            return ((number + 0x80000000) & 0xFFFFFFFF) - 0x80000000
        left, right = resolve(st, left), resolve(st, right)
        if op in _TRUTH and is_truth(left) and is_truth(right):
            return _TRUTH[op](left, right)  # type: ignore[arg-type]
        return self.calculate(st, op, as_int(left), as_int(right), 32)

    def unary(self, st: State, op: str, value: Value) -> Value:
        """`-value`"""
        return self.fit(st, terms.neg(as_int(resolve(st, value))), 32)

    def long(self, op: str) -> Callable[[State, Value, Value], Value]:
        """An operator on two `long`; for shifts the second operand is an `int`."""

        def operate(st: State, left: Value, right: Value) -> Value:
            return self.calculate(st, op, as_int(resolve(st, left)), as_int(resolve(st, right)), 64)

        return operate

    def natives(self) -> dict[str, Callable[..., Value]]:
        """The instructions of the JVM that the IR has none for."""
        names = {
            "ladd": "+", "lsub": "-", "lmul": "*", "ldiv": "//", "lrem": "%", "lshl": "<<", "lshr": ">>",
            "lushr": ">>>", "land": "&", "lor": "|", "lxor": "^",
        }  # fmt: skip
        return {
            **{name: self.long(op) for name, op in names.items()},
            "iushr": lambda st, left, right: self.binary(st, ">>>", left, right),
            "lneg": lambda st, value: self.fit(st, terms.neg(as_int(resolve(st, value))), 64),
            "l2i": lambda st, value: narrowed(as_int(resolve(st, value)), 32),
            "i2b": lambda st, value: narrowed(as_int(resolve(st, value)), 8),
            "i2s": lambda st, value: narrowed(as_int(resolve(st, value)), 16),
            "i2c": lambda st, value: unsigned(as_int(resolve(st, value)), 16),
            "i2z": truth_of,
            "lcmp": compare_longs,
        }


def unsigned(number: IntLike, bits: int) -> IntLike:
    """The lowest bits of a number as one that is not negative."""
    if isinstance(number, Term):
        low, high = terms.intrinsic(number)
        if low is not None and high is not None and low >= 0 and high < 1 << bits:
            return number
    return terms.floormod(number, 1 << bits)


def truth_of(st: State, value: Value) -> bool | Term:
    """A number that stands for a boolean, as one; only its lowest bit counts."""
    value = resolve(st, value)
    if value.__class__ is bool or (isinstance(value, Term) and value.sort == "bool"):
        return value  # type: ignore[return-value]
    number = as_int(value)
    return terms.ne(number, 0)


def compare_longs(st: State, left: Value, right: Value) -> int:
    """-1, 0 or 1"""
    one, other = as_int(resolve(st, left)), as_int(resolve(st, right))
    if decide(st.pc, terms.lt(one, other)):
        return -1
    return 0 if decide(st.pc, terms.eq(one, other)) else 1


def _multiplied_back(left: IntLike, right: IntLike) -> IntLike | None:
    """The product of a quotient and its divisor, which is the dividend without the remainder."""
    for quotient, divisor in ((left, right), (right, left)):
        if isinstance(quotient, Node) and quotient.op == "truncdiv" and quotient.args[1] == divisor:
            dividend = cast(IntLike, quotient.args[0])
            return terms.sub(dividend, terms.truncrem(dividend, divisor))
    return None


def _shifted(st: State, op: str, left: IntLike, right: IntLike, bits: int) -> IntLike:
    amount = terms.bit_and(right, bits - 1)
    if isinstance(amount, Term):
        known = fixed(st, amount, "a shift by a symbolic amount")
        assert isinstance(known, int)
        amount = known
    if op == "<<":
        return narrowed(terms.shift_left(left, amount), bits)
    if op == ">>" or amount == 0:
        return terms.shift_right(left, amount)
    return terms.shift_right(unsigned(left, bits), amount)
