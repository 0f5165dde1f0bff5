"""Unit propagation (as in the procedure of Davis, Logemann and Loveland): the last open part of a disjunction must
hold.

The heap solver gets its propagation in both directions from this: an equality of references makes values equal, and
values that differ tell references apart (sections 3.2 and 3.3 of "A CLP Heap Solver for Test Case Generation").

`impossible` goes one step further and splits the goal into cases, each of which is refuted by propagation. It never
wrongly answers yes, and gives up after a few cases.
"""

from __future__ import annotations

from collections.abc import Iterator

from everypath.errors import Internal
from everypath.logic.bounds import Bounds
from everypath.logic.comparisons import and_, not_, or_
from everypath.logic.nodes import Node, Term, operands
from everypath.logic.verdicts import FALSE, TRUE

Clauses = tuple[Node, ...]


def consequences(clauses: Clauses, bounds: Bounds) -> tuple[Clauses, list[Term]]:
    """The clauses that are still open under the bounds, and the parts that must hold because of the others."""
    units: list[Term] = []
    left: list[Node] = []
    for clause in clauses:
        state = _open_part(clause, bounds)
        if state is None:
            left.append(clause)
        elif isinstance(state, Term):
            units.append(state)
    return (clauses if len(left) == len(clauses) else tuple(left)), units


MAX_CASES = 32
"""At most this many cases of one condition are looked at."""


def impossible(goal: Term, clauses: Clauses, bounds: Bounds) -> bool:
    """Whether propagation alone shows, case by case, that the goal contradicts the clauses."""
    return _refuted(goal, clauses, bounds, [MAX_CASES])


def _assumed(part: Term, trial: Bounds) -> bool:
    """Assume a part for the sake of argument; False if that is contradictory."""
    if trial.decide(part) == FALSE:
        return False
    try:
        trial.assume(part)
    except Internal:
        return False
    return True


def _refuted(goal: Term, clauses: Clauses, bounds: Bounds, budget: list[int]) -> bool:
    budget[0] -= 1
    if budget[0] < 0:
        return False
    # On a copy: the bounds of the path must not learn what is only assumed here.
    trial = bounds.clone()
    choice: Term | None = None
    for part in _parts(goal):
        if not _assumed(part, trial):
            return True
        clauses += clauses_of(part)
        # A conditional has two cases, which exclude each other, so it is split before a disjunction of many parts.
        if part.op == "ite" or (choice is None and part.op == "or"):
            choice = part
    left = _propagate(clauses, trial)
    if left is None:
        return True
    if choice is None:
        return False
    cases = [case for case in _cases(choice) if trial.decide(case) != FALSE]
    return all(_refuted(case, left, trial, budget) for case in cases)


def _cases(condition: Term) -> Iterator[Term]:
    """Conditions at least one of which holds if the given one does."""
    if condition.op == "or":
        yield from operands(condition)
        return
    guard, yes, no = operands(condition)
    for case in (and_(guard, yes), and_(not_(guard), no)):
        if isinstance(case, Term):
            yield case


def _propagate(clauses: Clauses, trial: Bounds) -> Clauses | None:
    """Assume what follows from the clauses; return those that stay open, or None at a contradiction."""
    while clauses:
        pending = False
        left: list[Node] = []
        for clause in clauses:
            state = _open_part(clause, trial)
            if state is False:
                return None
            if state is None:
                left.append(clause)
            elif isinstance(state, Term):
                for part in _parts(state):
                    if not _assumed(part, trial):
                        return None
                    left += clauses_of(part)
                pending = True
        clauses = tuple(left)
        if not pending:
            break
    return clauses


def clauses_of(condition: Term) -> Clauses:
    """The disjunctions that a condition amounts to, as far as propagation can use them."""
    if condition.op == "or":
        return (condition,)  # type: ignore[return-value]
    if condition.op != "ite":
        return ()
    # `yes if guard else no` is the same as "not guard or yes" and "guard or no".
    guard, yes, no = operands(condition)
    found = (or_(not_(guard), yes), or_(guard, no))
    return tuple(clause for clause in found if isinstance(clause, Node) and clause.op == "or")


def _parts(condition: Term) -> Iterator[Term]:
    if condition.op == "and":
        yield from operands(condition)
    else:
        yield condition


def _open_part(clause: Node, bounds: Bounds) -> Term | bool | None:
    """True or False if the clause has that value, its last open part, or None if several parts are open."""
    found: Term | None = None
    for part in clause.args:
        assert isinstance(part, Term)
        # What follows is kept, so it must not rest on inputs being finite, which is only taken for granted.
        verdict = bounds.certain(part)
        if verdict == TRUE:
            return True
        if verdict != FALSE:
            if found is not None:
                # A later part may still be true, but then nothing follows either.
                return None
            found = part
    return False if found is None else found
