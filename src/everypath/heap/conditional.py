"""Values that hold under guards: what a read gives while it is open which references are the same object.

Scalars of one sort become an if-then-else term, on which the logic works. Anything else becomes a list of rules, of
which the first whose guard holds gives the value. Rules are merged wherever possible, because following a reference
through a conditional reference would multiply them.

A value with many rules gets one rule for each alternative, under a guard of its own that says all: such guards exclude
each other. Following it gives guards of that form again, each a disjunction of conjunctions that begin with a guard of
the value that was followed. So whatever excludes one of its alternatives excludes what follows from it at a glance,
where rules in order would have to be taken apart case by case, for each link of a chain anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from everypath.heap.values import OneOf, Rational, Value
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term

Guard = bool | Term

MAX_RULES = 12
"""A value with more rules than this gets one rule for each different alternative, under a larger guard."""

_SCALARS = (Term, int, str, float)
_SORTS: dict[type, str] = {bool: "bool", int: "int", str: "str", float: "float"}


def _sort(value: Value) -> str | None:
    if isinstance(value, Term):
        return value.sort
    kind = value.__class__
    return _SORTS.get(kind)


def is_scalar(value: Value) -> bool:
    """Whether `choose` may make a term or a number of it, and so must be asked."""
    return _sort(value) is not None or _fraction(value) is not None


def _fraction(value: Value) -> tuple[IntLike, IntLike] | None:
    """Numerator and denominator of an exact number; None for floats and all other values."""
    if isinstance(value, Rational):
        return value.top, value.bottom
    if isinstance(value, Term):
        return (value, 1) if value.sort == "int" else None
    # Integers and fractions; a test for `Fraction` would import its module.
    if value is None or isinstance(value, bool):
        return None
    if hasattr(value, "numerator") and hasattr(value, "denominator"):
        return value.numerator, value.denominator
    return None


def choose(guard: Guard, yes: Value, no: Value) -> Value:
    """`yes` where the guard holds and `no` elsewhere: a term for scalars of one sort, else rules."""
    if not isinstance(guard, Term):
        return yes if guard else no
    # By identity, not equality: equal terms are one object, and other values need not be comparable.
    if yes is no:
        return yes
    sort = _sort(yes)
    if sort is not None and sort == _sort(no):
        assert isinstance(yes, _SCALARS) and isinstance(no, _SCALARS)
        return terms.ite(guard, yes, no)
    if (fraction := _fraction(yes)) is not None and (other := _fraction(no)) is not None:
        return Rational(terms.ite_int(guard, fraction[0], other[0]), terms.ite_int(guard, fraction[1], other[1]))
    return _chosen_by_rules(guard, yes, no)


def _chosen_by_rules(guard: Term, yes: Value, no: Value) -> Value:
    if _is_apart(yes) or _is_apart(no):
        opposite = terms.not_(guard)
        both = [(terms.and_(guard, inner), value) for inner, value in alternatives(yes)]
        return gathered([*both, *((terms.and_(opposite, inner), value) for inner, value in alternatives(no))])
    first: tuple[tuple[Term, Value], ...]
    if type(yes) is OneOf:
        # A choice in a choice is flattened: its rules count only where the outer guard holds, and its last alternative
        # stands for all the rest of that.
        both = [(terms.and_(guard, inner), value) for inner, value in yes.rules]
        first = (*((g, value) for g, value in both if isinstance(g, Term)), (guard, yes.otherwise))
    else:
        first = ((guard, yes),)
    if type(no) is OneOf:
        # A rule with the same guard below can never be reached.
        return _merged((*first, *((g, value) for g, value in no.rules if g is not guard)), no.otherwise)
    return _merged(first, no)


def _is_apart(value: Value) -> bool:
    return type(value) is OneOf and value.rest is not None


def _merged(rules: tuple[tuple[Term, Value], ...], otherwise: Value) -> Value:
    """The same value with fewer rules, so that following references does not multiply them."""
    joined: list[tuple[Term, Value]] = []
    for guard, value in rules:
        if joined and joined[-1][1] is value:
            either = terms.or_(joined[-1][0], guard)
            # The guards cover everything: the rules below them are never asked.
            if not isinstance(either, Term):
                return OneOf(tuple(joined[:-1]), value) if len(joined) > 1 else value
            joined[-1] = (either, value)
        else:
            joined.append((guard, value))
    # A rule in the last place that gives what comes out anyway needs no guard.
    while joined and joined[-1][1] is otherwise:
        joined.pop()
    if not joined:
        return otherwise
    found = OneOf(tuple(joined), otherwise)
    return found if len(joined) <= MAX_RULES else gathered(alternatives(found))


def alternatives(value: Value) -> list[tuple[Guard, Value]]:
    """What the value may be, each under exactly the condition that it is that."""
    if type(value) is not OneOf:
        return [(True, value)]
    if value.rest is not None:
        return [*value.rules, (value.rest, value.otherwise)]
    found: list[tuple[Guard, Value]] = []
    before: Guard = True
    for guard, inner in value.rules:
        found.append((terms.and_(before, guard), inner))
        before = terms.and_(before, terms.not_(guard))
    return [*found, (before, value.otherwise)]


def gathered(parts: Iterable[tuple[Guard, Value]]) -> Value:
    """One value of alternatives whose guards exclude each other; those that are the same share a guard."""
    guards: dict[int, Guard] = {}
    values: dict[int, Value] = {}
    for guard, value in parts:
        if guard is True:
            return value
        values[id(value)] = value
        guards[id(value)] = terms.or_(guards.get(id(value), False), guard)
    found = [(guard, values[at]) for at, guard in guards.items() if isinstance(guard, Term)]
    *rules, (rest, otherwise) = found
    return OneOf(tuple(rules), otherwise, rest) if rules else otherwise


def condition(value: Value, test: Callable[[Value], Guard]) -> Guard:
    """The condition under which the value passes a test of plain values."""
    if type(value) is not OneOf:
        return test(value)
    if value.rest is not None:
        # Each alternative for itself: with the condition refuted, propagation sees at once which of them are excluded.
        return terms.or_(*(terms.and_(guard, test(inner)) for guard, inner in alternatives(value)))
    answer = test(value.otherwise)
    for guard, inner in reversed(value.rules):
        answer = terms.ite_bool(guard, test(inner), answer)
    return answer
