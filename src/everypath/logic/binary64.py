"""Floats as those of the SMT solver's own theory, which decides exactly but slowly.

Operations that the theory does not have, and those between integers and floats, may have any result: what
has no solution then has none at all, and a solution is checked by evaluation.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace

from everypath.logic.encoding import Encoder, Expression
from everypath.logic.nodes import Node, Term, Value, Var, postorder
from everypath.logic.semantics import FLOAT_OPERATIONS

_ROUNDED = {
    "fadd": "mk_fpa_add",
    "fsub": "mk_fpa_sub",
    "fmul": "mk_fpa_mul",
    "fdiv": "mk_fpa_div",
    "fsqrt": "mk_fpa_sqrt",
}
_PLAIN = {
    "fneg": "mk_fpa_neg", "fabs": "mk_fpa_abs", "isnan": "mk_fpa_is_nan", "isinf": "mk_fpa_is_infinite",
    "flt": "mk_fpa_lt", "fle": "mk_fpa_leq", "feq": "mk_fpa_eq",
}  # fmt: skip
_CLOSED = frozenset((*_ROUNDED, *_PLAIN, "fnegzero"))
"""Operations that the theory has."""


class Binary64Encoder(Encoder):
    """Translates terms that speak of floats; made for one question, because that decides which inputs are finite."""

    def __init__(self, functions: SimpleNamespace, context: int, asked: frozenset[Var], signed: frozenset[Var]) -> None:
        super().__init__(functions, context)
        self._double = self._sorts["float"] = functions.mk_fpa_sort_double(context)
        self._nearest = functions.mk_fpa_rne(context)
        self._asked = asked
        self._signed = signed
        """those of them that may be -0.0"""

    def within(self, variable: Var) -> list[Expression]:
        """The bounds that a variable always keeps: finite, if nobody asks, and not -0.0, if nobody asks for that."""
        if variable.sort != "float":
            return super().within(variable)
        f, c, x = self._f, self._c, self.encode(variable)
        if variable in self._asked:
            return [] if variable in self._signed else [self._not(self._negative_zero(x))]
        excluded = (self._negative_zero(x), f.mk_fpa_is_nan(c, x), f.mk_fpa_is_infinite(c, x))
        return [self._not(each) for each in excluded]

    def _negative_zero(self, x: Expression) -> Expression:
        f, c = self._f, self._c
        return self.nary("mk_and", f.mk_fpa_is_zero(c, x), f.mk_fpa_is_negative(c, x))

    def read(self, variable: Var, evaluated: Callable[[Expression], Expression]) -> float:
        """The value of a variable in a model."""
        f, c = self._f, self._c
        x = self.encode(variable)
        if f.get_bool_value(c, evaluated(f.mk_fpa_is_nan(c, x))) == 1:
            return math.nan
        bits = int(f.get_numeral_string(c, evaluated(f.mk_fpa_to_ieee_bv(c, x))))
        value: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
        return value

    def _arg(self, arg: Term | Value) -> Expression:
        if isinstance(arg, float):
            self.size += 1
            return self._f.mk_fpa_numeral_double(self._c, arg, self._double)
        return super()._arg(arg)

    def _translate(self, term: Term) -> Expression:
        if not isinstance(term, Node) or term.op not in FLOAT_OPERATIONS:
            return super()._translate(term)
        f, c = self._f, self._c
        if all(_is_float(arg) for arg in term.args):
            args = [self._arg(arg) for arg in term.args]
            if term.op in _ROUNDED:
                return getattr(f, _ROUNDED[term.op])(c, self._nearest, *args)
            if term.op == "fnegzero":
                return self._negative_zero(*args)
            if term.op in _PLAIN:
                return getattr(f, _PLAIN[term.op])(c, *args)
        return self._unknown(term.sort, b"open")


@lru_cache(maxsize=4096)
def is_open(condition: Term) -> bool:
    """Whether the theory would leave the result of an operation in the condition open."""
    return any(
        isinstance(each, Node) and each.op in FLOAT_OPERATIONS and each.op not in _CLOSED
        for each in postorder(condition, lambda _: False)
    )


def _is_float(arg: Term | Value) -> bool:
    return arg.sort == "float" if isinstance(arg, Term) else isinstance(arg, float)
