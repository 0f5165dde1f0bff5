"""Unit propagation: a disjunction of which one part is left makes that part true, and so on.

For the heap solver this is propagation in both directions: an equality of references makes values equal,
and values that differ tell references apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from everypath.logic.bounds import FALSE, TRUE, Bounds
from everypath.logic.nodes import Node, Term

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


def impossible(goal: Term, clauses: Clauses, bounds: Bounds) -> bool:
    """Whether propagation alone shows that the goal contradicts the clauses."""
    trial = bounds.clone()
    for part in _parts(goal):
        if trial.decide(part) == FALSE:
            return True
        trial.assume(part)
    while clauses:
        pending = False
        left: list[Node] = []
        for clause in clauses:
            state = _open_part(clause, trial)
            if state is False:
                return True
            if state is None:
                left.append(clause)
            elif isinstance(state, Term):
                for part in _parts(state):
                    if trial.decide(part) == FALSE:
                        return True
                    trial.assume(part)
                pending = True
        if not pending:
            return False
        clauses = tuple(left)
    return False


def _parts(condition: Term) -> Iterator[Term]:
    if condition.op == "and":
        yield from condition.args  # type: ignore[attr-defined]
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
