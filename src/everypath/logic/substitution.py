"""Replaces the variables of a term by values, building the term anew, so that everything that now folds does.

A summary of a method speaks of the method's own inputs; where it is called these are terms of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from everypath.logic import comparisons, floats, integers, strings
from everypath.logic.nodes import Comparison, Linear, Node, Term, Value, Var, postorder

Actual = Callable[[Var], Term | Value]
"""What stands for a variable now."""


class CannotRebuild(Exception):
    """A term has an operation that is not built from its operands here, or operands of another sort."""


_BUILD: Mapping[str, Callable[..., Term | Value]] = {
    "floordiv": integers.floordiv,
    "floormod": integers.floormod,
    "truncdiv": integers.truncdiv,
    "truncrem": integers.truncrem,
    "bit_and": integers.bit_and,
    "int_of_bool": integers.bool_to_int,
    "ite": comparisons.ite,
    "not": comparisons.not_,
    "and": comparisons.and_,
    "or": comparisons.or_,
    "bool_eq": comparisons.bool_eq,
    "concat": strings.concat,
    "len": strings.str_len,
    "at": strings.str_at,
    "substring": strings.substring,
    "str_eq": strings.str_eq,
    "str_lt": strings.str_lt,
    "str_le": strings.str_le,
    "contains": strings.contains,
    "starts_with": strings.starts_with,
    "ends_with": strings.ends_with,
    "index_of": strings.index_of,
    "replace_first": strings.replace_first,
    "str_of_int": strings.int_to_str,
    "int_of_str": strings.str_to_int,
    "ord": strings.ord_,
    "chr": strings.chr_,
    "matches": strings.matches,
    "float_of_int": floats.int_to_float,
    "true_div": floats.int_div,
}
"""How the operations of nodes are built; those of floats and of formatted text are left out."""


def substitute(term: Term, actual: Actual, known: dict[Term, Term | Value]) -> Term | Value:
    """The term with every variable replaced; `known` keeps what was built, for the next term about the same call."""
    found = known.get(term)
    if found is not None:
        return found
    for each in postorder(term, known.__contains__):
        known[each] = _built(each, actual, known)
    return known[term]


def _built(term: Term, actual: Actual, known: Mapping[Term, Term | Value]) -> Term | Value:
    if isinstance(term, Var):
        return actual(term)
    if isinstance(term, (Linear, Comparison)):
        op = term.op if isinstance(term, Comparison) else ""
        return sum_of(op, term.const, [(known[atom], coefficient) for atom, coefficient in term.parts])
    assert isinstance(term, Node)
    return rebuilt(term.op, [known[arg] if isinstance(arg, Term) else arg for arg in term.args])


def sum_of(op: str, const: int, parts: Iterable[tuple[Term | Value, int]]) -> Term | Value:
    """A sum of products with coefficients, or the comparison of one with zero if there is an `op`."""
    total: integers.IntLike = const
    for part, coefficient in parts:
        if isinstance(part, (str, float)):
            raise CannotRebuild(op)
        total = integers.add(total, integers.scale(part, coefficient))
    if not op:
        return total
    if op == "<=":
        return comparisons.le(total, 0)
    return comparisons.eq(total, 0) if op == "==" else comparisons.ne(total, 0)


def is_rebuilt(op: str) -> bool:
    """Whether `rebuilt` knows the operation."""
    return op == "mul" or op in _BUILD


def rebuilt(op: str, arguments: Sequence[Term | Value]) -> Term | Value:
    """The operation of a node on other operands."""
    if op == "mul":
        product: integers.IntLike = 1
        for factor in arguments:
            if isinstance(factor, (str, float)):
                raise CannotRebuild(op)
            product = integers.mul(product, factor)
        return product
    build = _BUILD.get(op)
    if build is None:
        raise CannotRebuild(op)
    try:
        return build(*arguments)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as problem:
        # A part that no path looks at, such as the other side of a conditional, may divide by zero now.
        raise CannotRebuild(op) from problem
