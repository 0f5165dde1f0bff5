"""Evaluation of terms under an assignment of concrete values."""

from __future__ import annotations

from collections.abc import Mapping

from everypath.logic.nodes import HEAVY, Comparison, Linear, Node, Term, Value, Var, postorder
from everypath.logic.semantics import operate

Model = Mapping[Var, Value]
Witness = dict[Var, Value]
"""An assignment that satisfies a path."""
Move = tuple[tuple[Var, Value], ...]
"""Variables with their new values."""

SMALL = 10
"""Parts of less than this weight are evaluated again rather than remembered."""


def evaluate(term: Term | Value, model: Model, known: dict[Term, Value] | None = None) -> Value:
    """The value of a term; a variable that the model lacks has its default value.

    `known` keeps the values of large parts from one evaluation under the same model to the next.
    """
    if not isinstance(term, Term):
        return term
    if term.weight < HEAVY:
        return _light(term, model)
    memo: dict[Term, Value] = {} if known is None else known
    try:
        return _heavy(term, memo, model)
    except RecursionError:
        pass
    # Bottom up nothing is deep: what is below a term is in the memo already, or small.
    for each in postorder(term, memo.__contains__):
        memo[each] = _heavy(each, memo, model)
    return memo[term]


def _heavy(term: Term | Value, memo: dict[Term, Value], model: Model) -> Value:
    """Evaluate shared parts once, and only the side of a conditional that counts."""
    if not isinstance(term, Term):
        return term
    if term.weight < SMALL:
        return _light(term, model)
    known = memo.get(term)
    if known is not None:
        return known
    result: Value
    if isinstance(term, Node):
        if term.op == "ite":
            result = _heavy(term.args[1] if _heavy(term.args[0], memo, model) else term.args[2], memo, model)
        elif term.op == "and" or term.op == "or":
            decisive = term.op == "or"
            result = not decisive
            for arg in term.args:
                if _heavy(arg, memo, model) is decisive:
                    result = decisive
                    break
        else:
            result = operate(term.op, tuple([_heavy(arg, memo, model) for arg in term.args]))
    else:
        assert isinstance(term, (Linear, Comparison))
        total = term.const
        for atom, k in term.parts:
            total += k * _heavy(atom, memo, model)  # type: ignore[operator, assignment]
        if isinstance(term, Linear):
            result = total
        else:
            result = total <= 0 if term.op == "<=" else (total == 0) == (term.op == "==")
    memo[term] = result
    return result


def _light(term: Term, model: Model) -> Value:
    kind = term.__class__
    if kind is Var:
        return model.get(term, term.default)  # type: ignore
    if kind is Comparison and term.plain:  # type: ignore
        return holds(term, model)  # type: ignore
    if kind is Node:
        return _light_node(term.op, term.args, model)  # type: ignore
    total: int = term.const  # type: ignore
    for atom, k in term.parts:  # type: ignore
        total += k * _light(atom, model)
    if kind is Linear:
        return total
    op = term.op
    return total <= 0 if op == "<=" else (total == 0) == (op == "==")


def _light_node(op: str, args: tuple[Term | Value, ...], model: Model) -> Value:
    if op == "and" or op == "or":
        decisive = op == "or"
        for arg in args:
            if _light(arg, model) is decisive:  # type: ignore[arg-type]
                return decisive
        return not decisive
    if op == "ite":
        chosen = args[1] if _light(args[0], model) else args[2]  # type: ignore[arg-type]
        return _light(chosen, model) if isinstance(chosen, Term) else chosen
    return operate(op, tuple([_light(arg, model) if isinstance(arg, Term) else arg for arg in args]))


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
