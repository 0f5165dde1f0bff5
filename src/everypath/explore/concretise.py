"""Fixes symbolic values for operations that need known ones: a few values are tried, and the result says so.

Each value that is tried becomes a condition and a path of its own. What the path condition leaves over is where the
next value is looked for, so that values differ, and it turns out if there is only one.
"""

from __future__ import annotations

from everypath.errors import SolverUnknown, Unsupported
from everypath.explore.state import State
from everypath.heap.choice import Assume, Fixed, decide
from everypath.heap.equality import equal
from everypath.heap.values import Value
from everypath.logic import terms
from everypath.logic.condition import Infeasible, PathCondition
from everypath.logic.terms import Model, Term
from everypath.logic.verdicts import BOTH, FALSE, TRUE, UNSURE

VALUES = 3
"""How many values are tried for a term that is fixed."""
FLOATS = (-2.5, 100.0, 0.25)
"""Tried for floats in addition to the first values, which are close to zero."""


def only_value(st: State, term: Term) -> Value:
    """The only value that a term can have on this path; None if there are several."""
    known = st.pc.value(term)
    if known == 0 and term.sort == "float":
        # The two zeros are equal, but not for everything that needs a known number.
        return -0.0 if decide(st.pc, terms.is_negative_zero(term)) else 0.0
    return known


def fixed(st: State, value: Value, what: str, hints: tuple[Value, ...] = ()) -> Value:
    """The value itself, or for a term the value that it has on this path from here on.

    `what` tells in the result which operation needed it; other values of the term are not explored. The hints are tried
    first, if they are possible.
    """
    if not isinstance(value, Term):
        return value
    known = only_value(st, value)
    if known is not None:
        return known
    tried = _Tried(st.pc)
    only = _try_hints(st, tried, value, hints)
    if only is not None:
        return only
    # Few values, since every one of them is a path; fewer if there are others besides.
    for _ in range(2 if hints or value.sort == "float" else VALUES):
        model = _model(tried.rest)
        if model is None:
            break
        candidate: Value = terms.evaluate(value, model)
        condition = _inputs(value, model) if _computed(value) else _is(st, value, candidate)
        if not isinstance(condition, Term):
            return candidate
        # The candidate is possible even if the solver does not know whether there are others.
        possible = _possible(tried.rest, condition, unknown=UNSURE)
        if possible == TRUE and not tried.conditions:
            return candidate
        if possible == FALSE or not tried.keep(condition, possible):
            break
    else:
        tried.conditions += _spread(tried.rest, value)
    if not tried.conditions:
        raise SolverUnknown(f"no value is known for which {what} could be computed")
    raise Fixed(what, tuple(Assume(condition) for condition in tried.conditions))


class _Tried:
    """The values that are tried, as conditions, and the path condition of what they leave over."""

    def __init__(self, pc: PathCondition) -> None:
        self.rest = pc
        self.conditions: list[Term] = []

    def keep(self, condition: Term, possible: int) -> bool:
        """Try one more value; return whether there are others."""
        self.conditions.append(condition)
        if possible == BOTH:
            self.rest = self.rest.split(terms.not_(condition))  # type: ignore[arg-type]
        return possible == BOTH


def _try_hints(st: State, tried: _Tried, value: Term, hints: tuple[Value, ...]) -> Value:
    """Keep the hints that are possible; return the one that turns out to be the only value, or None."""
    for hint in hints:
        condition = equal(st.heap, value, hint)
        if isinstance(condition, Term) and len(tried.conditions) < VALUES:
            possible = _possible(tried.rest, condition)
            if possible == TRUE and not tried.conditions:
                return hint
            if possible != FALSE and not tried.keep(condition, possible):
                break
    return None


def _is(st: State, term: Term, value: Value) -> bool | Term:
    return terms.same(term, value) if isinstance(value, float) else equal(st.heap, term, value)


def _spread(pc: PathCondition, term: Term) -> list[Term]:
    """Further values of a float, or of the floats that it is computed from."""
    if term.sort != "float":
        return []
    inputs = sorted((v for v in terms.variables(term) if v.sort == "float"), key=lambda v: v.index)
    open_inputs = [v for v in inputs if pc.value(v) is None]
    found = []
    for number in FLOATS:
        others = {v: number * (place + 1) for place, v in enumerate(open_inputs)}
        condition = terms.and_(*(terms.same(v, number) for v, number in others.items()))
        if isinstance(condition, Term) and _possible(pc, condition) in (TRUE, BOTH):
            found.append(condition)
    return found


def _possible(pc: PathCondition, condition: Term, unknown: int = FALSE) -> int:
    try:
        return pc.decide(condition)
    except SolverUnknown:
        return unknown


def _model(pc: PathCondition) -> Model | None:
    try:
        return pc.model()
    except (SolverUnknown, Infeasible):
        return None


# Whether a computed float can have just this value is hard to tell; its inputs have theirs.
def _computed(term: Term) -> bool:
    return term.sort == "float" and term.op != "var"


def _inputs(term: Term, model: Model) -> bool | Term:
    variables = sorted(terms.variables(term), key=lambda variable: variable.index)
    return terms.and_(*(terms.same(variable, model.get(variable, variable.default)) for variable in variables))


def small_value(st: State, term: Term, otherwise: str) -> int:
    """The value of a term that must be concrete here: from zero to the length bound, else not supported."""
    known = st.pc.value(term)
    if known is not None:
        return int(known)
    for candidate in range(st.heap.inputs.fixed_length + 1):
        if decide(st.pc, terms.eq(term, candidate)):
            return candidate
    raise Unsupported(otherwise)
