"""Terms as they read once some truth values are known.

Whether two references are the same object is a truth value, and conditional values are made of those. Once they are
settled, a condition on such a value is a plain comparison, which is cheaper to evaluate and shows its borders.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everypath.logic.comparisons import and_, compare, ite, not_, or_
from everypath.logic.evaluate import Witness
from everypath.logic.integers import bool_to_int, combine, floordiv, floormod, linear, split
from everypath.logic.nodes import Comparison, Linear, Node, Parts, Term, Value, Var, variables

_AGAIN: dict[str, Callable[..., Term | Value]] = {
    "floordiv": floordiv,
    "floormod": floormod,
    "int_of_bool": bool_to_int,
}


class Reading:
    """What terms amount to for the given values of some variables."""

    __slots__ = ("_known", "_memo")

    def __init__(self, known: Witness) -> None:
        self._known = known
        self._memo: dict[Term, Term | Value] = {}

    def __call__(self, term: Any) -> Any:
        if not isinstance(term, Term):
            return term
        found = self._memo.get(term)
        if found is None:
            found = self._memo[term] = self._read(term)
        return found

    def _read(self, term: Term) -> Term | Value:
        if isinstance(term, Var):
            return self._known.get(term, term)
        if variables(term).isdisjoint(self._known):
            return term
        if isinstance(term, (Linear, Comparison)):
            return self._sum(term)
        assert isinstance(term, Node)
        args = term.args
        if term.op == "ite":
            guard = self(args[0])
            if not isinstance(guard, Term):
                return self(args[1] if guard else args[2])  # type: ignore[no-any-return]
            return ite(guard, self(args[1]), self(args[2]))
        if term.op == "and":
            return and_(*map(self, args))
        if term.op == "or":
            return or_(*map(self, args))
        if term.op == "not":
            return not_(self(args[0]))
        again = _AGAIN.get(term.op)
        # Other operations are left as they are: their operands rarely depend on what is known.
        return term if again is None else again(*map(self, args))

    def _sum(self, term: Linear | Comparison) -> Term | Value:
        const = term.const
        parts: Parts = ()
        for atom, k in term.parts:
            own, more = split(self(atom))
            const += k * own
            parts = combine(parts, more, k)
        return linear(const, parts) if isinstance(term, Linear) else compare(term.op, const, parts)
