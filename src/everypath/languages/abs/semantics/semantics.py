"""ABS for the machine: exact numbers, equality by structure, and exceptions that are data.

Everything else is as in the plain language of `explore/semantics.py`: objects with fields and methods, integers, null.
"""

from __future__ import annotations

from typing import Any

from everypath.explore import arithmetic
from everypath.explore.arithmetic import INTEGER, is_integer
from everypath.explore.natives import Natives
from everypath.explore.objects import resolve
from everypath.explore.semantics import Semantics
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.equality import is_text
from everypath.heap.values import Data, Ref, Value
from everypath.languages.abs.semantics import rationals, structural
from everypath.logic import terms
from everypath.logic.terms import Term

NATIVES = Natives("everypath.languages.abs.semantics.library")
SETS = "ABS.StdLib.Set"


class AbsSemantics(Semantics):
    """The operations of ABS for one program."""

    natives = NATIVES
    ascending = frozenset((SETS,))

    def operations(self) -> dict[str, Any]:
        return {**super().operations(), "binary": binary, "unary": unary, "compare": compare}

    def fault(self, st: State, fault: Fault) -> Ref | Data:
        """Runtime errors are constructors of the library's data type of exceptions."""
        return Data(fault.cls)


def binary(st: State, op: str, left: Value, right: Value, inplace: bool = False) -> Value:
    """`left op right` on numbers, and `+` on strings."""
    if op in INTEGER and is_integer(left) and is_integer(right):
        return INTEGER[op](left, right)
    left, right = resolve(st, left), resolve(st, right)
    if op == "+" and is_text(left) and is_text(right):
        return terms.concat(left, right)
    return rationals.binary(st, op, left, right)


def unary(st: State, op: str, value: Value) -> Value:
    """`-value` of any kind of number."""
    value = resolve(st, value)
    return -value if isinstance(value, (int, float)) else rationals.negated(rationals.number(value))


def compare(st: State, op: str, left: Value, right: Value) -> bool | Term:
    """Equality and order of integers directly, of everything else by structure."""
    if is_integer(left) and is_integer(right):
        return arithmetic.condition(op, left, right)
    if op in ("==", "!="):
        answer = structural.equal(st, left, right)
        return terms.not_(answer) if op == "!=" else answer
    return structural.ordered(st, op, left, right)
