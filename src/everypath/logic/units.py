"""Unit propagation: a disjunction of which one part is left makes that part true, and so on.

For the heap solver this is propagation in both directions: an equality of references makes values equal,
and values that differ tell references apart.
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
    """The clauses that are still open under the bounds, and what follows from the others."""
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
"""So many cases of one condition are looked at."""


def impossible(goal: Term, clauses: Clauses, bounds: Bounds) -> bool:
    """Whether propagation alone shows that the goal contradicts the clauses, case by case."""
    return _refuted(goal, clauses, bounds, [MAX_CASES])


def _assumed(part: Term, trial: Bounds) -> bool:
    """Assume a part for the sake of argument; False when that is contradictory."""
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
    trial = bounds.clone()
    choice: Term | None = None
    for part in _parts(goal):
        if not _assumed(part, trial):
            return True
        clauses += clauses_of(part)
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
    """Conditions one of which holds if the condition does."""
    if condition.op == "or":
        yield from operands(condition)
        return
    guard, yes, no = operands(condition)
    for case in (and_(guard, yes), and_(not_(guard), no)):
        if isinstance(case, Term):
            yield case


def _propagate(clauses: Clauses, trial: Bounds) -> Clauses | None:
    """Assume what follows; the clauses that are open then, or None at a contradiction."""
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
    guard, yes, no = operands(condition)
    found = (or_(not_(guard), yes), or_(guard, no))
    return tuple(clause for clause in found if isinstance(clause, Node) and clause.op == "or")


def _parts(condition: Term) -> Iterator[Term]:
    if condition.op == "and":
        yield from operands(condition)
    else:
        yield condition


def _open_part(clause: Node, bounds: Bounds) -> Term | bool | None:
    """True or False when that is what the clause is, its last open part, or None when there are more."""
    found: Term | None = None
    for part in clause.args:
        assert isinstance(part, Term)
        verdict = bounds.decide(part)
        if verdict == TRUE:
            return True
        if verdict != FALSE:
            if found is not None:
                # A later part may still be true, but then nothing follows either.
                return None
            found = part
    return False if found is None else found
