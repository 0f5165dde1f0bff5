"""Evaluation of terms under an assignment of concrete values."""

from __future__ import annotations

from collections.abc import Mapping

from everypath.logic.nodes import Comparison, Linear, Node, Term, Value, Var, postorder
from everypath.logic.semantics import operate

Model = Mapping[Var, Value]


def evaluate(term: Term | Value, model: Model) -> Value:
    """The value of a term; a variable that the model lacks has its default value."""
    if not isinstance(term, Term):
        return term
    if isinstance(term, Comparison) and term.plain:
        return holds(term, model)
    if isinstance(term, Var):
        return model.get(term, term.default)
    memo: dict[Term, Value] = {}
    for each in postorder(term, memo.__contains__):
        memo[each] = _step(each, memo, model)
    return memo[term]


def _step(term: Term, memo: dict[Term, Value], model: Model) -> Value:
    if isinstance(term, Var):
        return model.get(term, term.default)
    if isinstance(term, Node):
        return operate(term.op, tuple(memo[arg] if isinstance(arg, Term) else arg for arg in term.args))
    assert isinstance(term, Linear | Comparison)
    total = term.const
    for atom, k in term.parts:
        total += k * memo[atom]  # type: ignore[operator]
    if isinstance(term, Linear):
        return total
    return total <= 0 if term.op == "<=" else (total == 0) == (term.op == "==")


def holds(term: Comparison, model: Model) -> bool:
    """Whether a comparison of plain variables is true."""
    left, right = term.left, term.right
    get = model.get
    if left is not None and right is not None:
        total: int = get(left, left.default) - get(right, right.default) + term.const  # type: ignore
    else:
        total = term.const
        for atom, k in term.parts:
            total += k * get(atom, atom.default)  # type: ignore
    op = term.op
    if op == "==":
        return total == 0
    return total <= 0 if op == "<=" else total != 0
