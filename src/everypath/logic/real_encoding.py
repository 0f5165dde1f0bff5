"""Floats as real numbers of the SMT solver, in two ways.

- Without rounding, as if arithmetic were exact. This finds most solutions; each is checked by evaluating the original
  condition. That it finds none proves nothing.
- With rounding left open: a result lies anywhere within its error (the standard model of floating-point arithmetic, as
  in Higham's "Accuracy and Stability of Numerical Algorithms", section 2.2), beyond the largest float, or is NaN where
  an operand may be infinite. Every execution is a solution of this, so if there is none, the condition is impossible.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace

from everypath.logic.encoding import Encoder, Expression
from everypath.logic.nodes import Node, Term, Value, Var
from everypath.logic.semantics import FLOAT_OPERATIONS
from everypath.logic.thresholds import LARGEST, MAX_POWER

INFINITE = 1 << 1024
"""Stands for infinity: it is larger than every float, so comparisons come out right."""
FINITE = int(LARGEST)
"""The largest float."""
OVERFLOW = INFINITE - (1 << 970)
"""Exact results of at least this size are rounded to infinity."""
ERROR = Fraction(1, 1 << 53)
"""The relative error of one rounding: half a unit in the last of 53 places."""
POWER_ERROR = Fraction(1, 1 << 48)
"""A generous relative error for functions of the C library, which need not be rounded correctly."""
TINY = Fraction(1, 1 << 120)
"""An absolute error that is larger than that of any result close to zero, where the relative one does not hold."""
EXACT_INTEGERS = 1 << 53
"""Integers up to this become floats without rounding."""


class RealEncoder(Encoder):
    """Translates terms about floats; made for one question, which decides what inputs are known to be finite."""

    def __init__(self, functions: SimpleNamespace, context: int, asked: frozenset[Var], rounding: bool) -> None:
        super().__init__(functions, context)
        self._real = self._sorts["float"] = functions.mk_real_sort(context)
        self._asked = asked
        self._rounding = rounding
        self._nan: dict[Term, Expression] = {}
        """Terms that may be no number -> whether they are none."""
        self._always_finite: set[Term] = set()

    def within(self, variable: Var) -> list[Expression]:
        """The bounds that a variable always keeps."""
        if variable.sort != "float" or not self._rounding:
            return super().within(variable)
        most = INFINITE if variable in self._asked else Fraction(LARGEST)
        x = self.encode(variable)
        return [self._le(self.real(-most), x), self._le(x, self.real(most))]

    def read(self, variable: Var, evaluated: Callable[[Expression], Expression]) -> float:
        """The float next to the value of a variable in a model."""
        f, c = self._f, self._c
        flag = self._nan.get(variable)
        if flag is not None and f.get_bool_value(c, evaluated(flag)) == 1:
            return math.nan
        value = evaluated(self.encode(variable))
        if f.is_algebraic_number(c, value):
            number = Fraction(f.get_numeral_decimal_string(c, value, 20).decode().rstrip("?"))
        else:
            number = Fraction(f.get_numeral_string(c, value).decode())
        if abs(number) >= INFINITE and variable in self._asked:
            return math.inf if number > 0 else -math.inf
        most = Fraction(LARGEST)
        return float(max(-most, min(number, most))) + 0.0

    def real(self, value: Fraction | int) -> Expression:
        """A rational number."""
        self.size += 1
        return self._f.mk_numeral(self._c, str(value).encode(), self._real)

    def _arg(self, arg: Term | Value) -> Expression:
        if isinstance(arg, float):
            if not math.isfinite(arg):
                return self.real(0 if math.isnan(arg) else INFINITE if arg > 0 else -INFINITE)
            return self.real(Fraction(arg))
        return super()._arg(arg)

    def _translate(self, term: Term) -> Expression:
        if isinstance(term, Var) and term in self._asked and self._rounding:
            self._nan[term] = self._unknown("bool", b"nan")
        elif isinstance(term, Var):
            self._always_finite.add(term)
        if not isinstance(term, Node):
            return super()._translate(term)
        if term.op == "ite" and term.sort == "float":
            self._nan_of_conditional(term)
        if term.op not in FLOAT_OPERATIONS:
            return super()._translate(term)
        return getattr(self, f"_{term.op}")(term, *map(self._arg, term.args))

    # Small pieces of notation.

    def _if(self, condition: Expression, consequence: Expression) -> None:
        self._side(self.nary("mk_or", self._not(condition), consequence))

    def _size(self, a: Expression) -> Expression:
        return self.choose(self._le(self.real(0), a), a, self.minus(a))

    def _fresh(self, sort: str = "float") -> Expression:
        self.size += 1
        return self._unknown(sort, b"result")

    def _as_real(self, term: Term | Value, x: Expression) -> Expression:
        whole = term.sort == "int" if isinstance(term, Term) else isinstance(term, int)
        return self._as_float(x) if whole else x

    # Rounding.

    def _number(self, *args: Term | Value) -> Expression:
        """The condition that no argument is NaN."""
        flags = [self._nan[arg] for arg in args if isinstance(arg, Term) and arg in self._nan]
        flags += [self._f.mk_true(self._c) for arg in args if isinstance(arg, float) and math.isnan(arg)]
        return self._and(*map(self._not, flags))

    def _usual(self, term: Node) -> Expression:
        """The condition that all operands are finite numbers."""
        if not self._rounding:
            return self._f.mk_true(self._c)
        # Unusual operands leave the result open, which is always sound: it may then be anything, even NaN.
        conditions = [self._number(*term.args)]
        for arg in term.args:
            x = self._as_real(arg, self._arg(arg))
            always = arg in self._always_finite if isinstance(arg, Term) else abs(arg) <= FINITE  # type: ignore[arg-type]
            if not always:
                conditions += [self._le(self.real(-FINITE), x), self._le(x, self.real(FINITE))]
        return self._and(*conditions)

    def _rounded(
        self, term: Node, exact: Expression, usual: Expression, error: Fraction = ERROR, tiny: Fraction = TINY
    ) -> Expression:
        """A result near the exact one, provided that the operands are usual."""
        if not self._rounding:
            return exact
        result = self._fresh()
        most, infinite = self.real(FINITE), self.real(INFINITE)
        size = self._size(exact)
        around = self._add(self._mul(self.real(error), size), self.real(tiny))
        near = self._and(
            self._le(self._add(exact, self.minus(around)), result),
            self._le(result, self._add(exact, around)),
            self._le(self.minus(most), result),
            self._le(result, most),
        )
        signed = self.choose(self._lt(self.real(0), exact), infinite, self.minus(infinite))
        beyond = self._eq(result, signed)
        self._if(usual, self.choose(self._lt(size, self.real(OVERFLOW)), near, beyond))
        self._may_be_none(term, usual)
        return result

    def _may_be_none(self, term: Node, usual: Expression) -> None:
        # Usual operands never give NaN; with others it is left open.
        flag = self._nan[term] = self._fresh("bool")
        self._if(usual, self._not(flag))

    def _nan_of_conditional(self, term: Node) -> None:
        if self._rounding:
            condition, yes, no = term.args
            self._nan[term] = self.choose(
                self._arg(condition), self._not(self._number(yes)), self._not(self._number(no))
            )

    def _same_number(self, term: Node) -> None:
        if self._rounding:
            self._nan[term] = self._not(self._number(*term.args))

    # Operations, by the names of the nodes.

    def _fadd(self, term: Node, a: Expression, b: Expression) -> Expression:
        # Sums that are close to zero are exact.
        result = self._rounded(term, self._add(a, b), self._usual(term), tiny=Fraction(0))
        # Rounding is monotone and keeps a and b themselves, so a sum with a non-negative number is at least the other
        # operand. The solver cannot derive that from the error bounds alone.
        if self._rounding:
            nil = self.real(0)
            for one, other in ((a, b), (b, a)):
                self._if(self._le(nil, other), self._le(one, result))
                self._if(self._le(other, nil), self._le(result, one))
        return result

    def _fsub(self, term: Node, a: Expression, b: Expression) -> Expression:
        result = self._rounded(term, self._add(a, self.minus(b)), self._usual(term), tiny=Fraction(0))
        if self._rounding:
            # As for sums; and comparing a difference with zero is the same as comparing its operands.
            nil = self.real(0)
            self._if(self._le(nil, b), self._le(result, a))
            self._if(self._le(b, nil), self._le(a, result))
            self._if(self._le(a, b), self._le(result, nil))
            self._if(self._le(b, a), self._le(nil, result))
        return result

    def _signs(self, result: Expression, a: Expression, b: Expression) -> None:
        # The sign of a product or quotient survives rounding and underflow.
        if self._rounding:
            nil = self.real(0)
            for p, q, up in ((1, 1, True), (-1, -1, True), (1, -1, False), (-1, 1, False)):
                one = self._le(nil, a) if p > 0 else self._le(a, nil)
                two = self._le(nil, b) if q > 0 else self._le(b, nil)
                self._if(self._and(one, two), self._le(nil, result) if up else self._le(result, nil))

    def _fmul(self, term: Node, a: Expression, b: Expression) -> Expression:
        result = self._rounded(term, self._mul(a, b), self._usual(term))
        self._signs(result, a, b)
        return result

    def _fdiv(self, term: Node, a: Expression, b: Expression) -> Expression:
        a, b = self._as_real(term.args[0], a), self._as_real(term.args[1], b)
        usual = self._and(self._usual(term), self._not(self._eq(b, self.real(0))))
        result = self._rounded(term, self.call("mk_div", a, b), usual)
        self._signs(result, a, b)
        return result

    _true_div = _fdiv

    def _fneg(self, term: Node, a: Expression) -> Expression:
        self._same_number(term)
        return self.minus(a)

    def _fabs(self, term: Node, a: Expression) -> Expression:
        self._same_number(term)
        return self._size(a)

    def _fsqrt(self, term: Node, a: Expression) -> Expression:
        return self._root(term, a, 4 * ERROR)

    def _root(self, term: Node, a: Expression, error: Fraction) -> Expression:
        result = self._fresh()
        # The square of the result is near the operand; that is easier for the solver than a root.
        square, nil = self._mul(result, result), self.real(0)
        self._side(self._le(nil, result))
        usual = self._and(self._usual(term), self._le(nil, a))
        if not self._rounding:
            self._if(usual, self._eq(square, a))
            return result
        around = self._add(self._mul(self.real(error), a), self.real(TINY))
        self._if(usual, self._le(self._add(a, self.minus(around)), square))
        self._if(usual, self._le(square, self._add(a, around)))
        self._may_be_none(term, usual)
        return result

    def _fpow(self, term: Node, a: Expression, exponent: Expression) -> Expression:
        n = term.args[1]
        if n == 0.5:
            return self._root(term, a, POWER_ERROR)
        if not isinstance(n, float) or n != int(n) or not 1 <= n <= MAX_POWER:
            self._open(term)
            return self._fresh()
        result = self._rounded(term, self._mul(*[a] * int(n)), self._usual(term), POWER_ERROR)
        if n % 2 == 0:
            self._side(self._le(self.real(0), result))
        return result

    def _fround(self, term: Node, a: Expression, digits: Expression) -> Expression:
        step = Fraction(10) ** -int(term.args[1])  # type: ignore[arg-type]
        if not self._rounding:
            whole = self._floor(self._add(self._mul(a, self.real(1 / step)), self.real(Fraction(1, 2))))
            return self._mul(self._as_float(whole), self.real(step))
        result = self._fresh()
        usual = self._usual(term)
        # Half a step of the decimal place, widened by the errors of scaling there and back.
        half = self.real(step * Fraction(1, 2) * (1 + ERROR * 4) + TINY)
        around = self._add(half, self._mul(self.real(2 * ERROR), self._size(a)))
        self._if(usual, self._le(self._add(a, self.minus(around)), result))
        self._if(usual, self._le(result, self._add(a, around)))
        self._same_number(term)
        return result

    def _float_of_int(self, term: Node, a: Expression) -> Expression:
        exact = self._as_float(a)
        if not self._rounding:
            return exact
        result = self._rounded(term, exact, self._usual(term))
        # Not only near: conversions of small integers are exact.
        small = self._le(self._size(exact), self.real(EXACT_INTEGERS))
        self._if(small, self._eq(exact, result))
        del self._nan[term]
        return result

    def _open(self, term: Node) -> None:
        if self._rounding:
            self._nan[term] = self._fresh("bool")

    def _ffloordiv(self, term: Node, a: Expression, b: Expression) -> Expression:
        exact = self.call("mk_div", a, b)
        if not self._rounding:
            return self._as_float(self._floor(exact))
        result = self._fresh()
        # Further out a floor may have been rounded to a neighbour; then the result is left open.
        small = self._lt(self._size(exact), self.real(OVERFLOW >> 1))
        usual = self._and(self._usual(term), small, self._not(self._eq(b, self.real(0))))
        around = self._add(self._mul(self.real(8 * ERROR), self._size(exact)), self.real(1 + TINY))
        self._if(usual, self._le(self._add(exact, self.minus(around)), result))
        self._if(usual, self._le(result, self._add(exact, around)))
        self._may_be_none(term, usual)
        return result

    def _fmod(self, term: Node, a: Expression, b: Expression) -> Expression:
        if not self._rounding:
            whole = self._as_float(self._floor(self.call("mk_div", a, b)))
            return self._add(a, self.minus(self._mul(b, whole)))
        result, nil = self._fresh(), self.real(0)
        usual = self._usual(term)
        up, down = self._le(nil, b), self._le(b, nil)
        self._if(self._and(usual, up), self._and(self._le(nil, result), self._le(result, b)))
        self._if(self._and(usual, down), self._and(self._le(b, result), self._le(result, nil)))
        self._may_be_none(term, self._and(usual, self._not(self._eq(b, nil))))
        divisor = term.args[1]
        if isinstance(divisor, float) and 0 < divisor < math.inf:
            # The remainder of a positive number is exact; to that of a negative one the divisor is added.
            whole = self._as_float(self._floor(self._mul(a, self.real(1 / Fraction(divisor)))))
            exact = self._add(a, self.minus(self._mul(b, whole)))
            off = self.choose(self._le(nil, a), nil, self.real(ERROR * Fraction(divisor)))
            self._if(usual, self._le(self._add(exact, self.minus(off)), result))
            self._if(usual, self._le(result, self._add(exact, off)))
        return result

    def _ffloor(self, term: Node, a: Expression) -> Expression:
        return self._floor(a)

    def _fceil(self, term: Node, a: Expression) -> Expression:
        return self.minus(self._floor(self.minus(a)))

    def _ftrunc(self, term: Node, a: Expression) -> Expression:
        return self.choose(self._le(self.real(0), a), self._floor(a), self._fceil(term, a))

    def _fnearest(self, term: Node, a: Expression) -> Expression:
        # Ties go to the even neighbour, as in the language's own rounding.
        raised = self._add(a, self.real(Fraction(1, 2)))
        up = self._floor(raised)
        tie = self._eq(raised, self._as_float(up))
        odd = self._eq(self.call("mk_mod", up, self.number(2)), self.number(1))
        return self.choose(self._and(tie, odd), self._add(up, self.number(-1)), up)

    def _relation(self, name: str, term: Node, a: Expression, b: Expression) -> Expression:
        a, b = self._as_real(term.args[0], a), self._as_real(term.args[1], b)
        return self._and(self._number(*term.args), self.call(name, a, b))

    def _flt(self, term: Node, a: Expression, b: Expression) -> Expression:
        return self._relation("mk_lt", term, a, b)

    def _fle(self, term: Node, a: Expression, b: Expression) -> Expression:
        return self._relation("mk_le", term, a, b)

    def _feq(self, term: Node, a: Expression, b: Expression) -> Expression:
        return self._relation("mk_eq", term, a, b)

    def _fnegzero(self, term: Node, a: Expression) -> Expression:
        # Real numbers have one zero, so that either answer is possible for it.
        zero = self._and(self._number(*term.args), self.call("mk_eq", a, self.real(0)))
        return self._and(zero, self._fresh("bool"))

    def _isnan(self, term: Node, a: Expression) -> Expression:
        return self._not(self._number(*term.args))

    def _isinf(self, term: Node, a: Expression) -> Expression:
        if not self._rounding:
            return self._f.mk_false(self._c)
        return self._and(self._number(*term.args), self._le(self.real(INFINITE), self._size(a)))
