"""Constructors of bool terms: comparisons of integers in normal form, connectives in negation normal form."""

from __future__ import annotations

from math import gcd

from everypath.logic.integers import BoolLike, IntLike, bool_to_int, combine, intrinsic, linear, neg, split
from everypath.logic.nodes import (
    HEAVY,
    Comparison,
    Node,
    Parts,
    Term,
    Value,
    Var,
    make_comparison,
    make_float_node,
    make_node,
    operands,
    rank,
    variables,
)
from everypath.logic.ranges import hull

MAX_FLAT = 12
"""A conjunction with more parts than this stays one part of a larger one, which can then share it with others."""
MAX_CASES = 12
"""Conditionals inside a comparison are taken apart if they are nested no deeper than this."""


_CONNECTIVES = frozenset(("var", "not", "and", "or", "ite"))


def bool_var(name: str) -> Var:
    """A new unknown truth value."""
    return Var(name, "bool")


def compare(op: str, const: int, parts: Parts, depth: int = 0) -> BoolLike:
    """`const + sum(parts)` compared with zero, in normal form."""
    if not parts:
        return const <= 0 if op == "<=" else (const == 0) == (op == "==")
    if depth < MAX_CASES:
        for atom, k in parts:
            if atom.op == "ite" or atom.op == "int_of_bool":
                folded = _over_cases(op, const, parts, atom, k, depth)
                if folded is not None:
                    return folded
    if len(parts) == 1:
        divisor = abs(parts[0][1])
    else:
        divisor = 0
        for _, k in parts:
            divisor = gcd(divisor, k)
            if divisor == 1:
                break
    if divisor != 1:
        if op == "<=":
            const = -(-const // divisor)
        elif const % divisor:
            return op == "!="
        else:
            const //= divisor
        parts = tuple((atom, k // divisor) for atom, k in parts)
    if op != "<=" and parts[0][1] < 0:
        const = -const
        parts = tuple((atom, -k) for atom, k in parts)
    return make_comparison(op, const, parts)


# A comparison of a value chosen among constants is a condition on the choice; one of a value that depends on plain
# truth values, as those of the heap solver do, is easier to decide case by case as well.
def _over_cases(op: str, const: int, parts: Parts, atom: Term, k: int, depth: int) -> BoolLike | None:
    assert isinstance(atom, Node)
    if atom.op == "int_of_bool":
        condition, yes, no = atom.args[0], 1, 0
    else:
        condition, yes, no = atom.args  # type: ignore[assignment]
    assert isinstance(condition, Term)
    plain = atom.op == "ite" and all(v.sort == "bool" for v in variables(condition))
    if plain:
        plain = sum(a.weight for a, _ in parts) < HEAVY
    if not plain and len(parts) > 1:
        return None
    others = tuple(part for part in parts if part[0] is not atom)
    outcomes: list[BoolLike] = []
    for case in (yes, no):
        c, own = split(case)
        outcomes.append(compare(op, const + k * c, combine(others, own, k), depth + 1))
    if not plain and isinstance(outcomes[0], Term) and isinstance(outcomes[1], Term):
        return None
    return ite_bool(condition, outcomes[0], outcomes[1])


def _difference(op: str, a: IntLike, b: IntLike, extra: int) -> BoolLike:
    c, p = split(a)
    d, q = split(b)
    return compare(op, c - d + extra, combine(p, q, -1))


def eq(a: IntLike, b: IntLike) -> BoolLike:
    """a == b"""
    return _difference("==", a, b, 0)


def ne(a: IntLike, b: IntLike) -> BoolLike:
    """a != b"""
    return _difference("!=", a, b, 0)


def le(a: IntLike, b: IntLike) -> BoolLike:
    """a <= b"""
    return _difference("<=", a, b, 0)


def lt(a: IntLike, b: IntLike) -> BoolLike:
    """a < b"""
    return _difference("<=", a, b, 1)


def ge(a: IntLike, b: IntLike) -> BoolLike:
    """a >= b"""
    return _difference("<=", b, a, 0)


def gt(a: IntLike, b: IntLike) -> BoolLike:
    """a > b"""
    return _difference("<=", b, a, 1)


def not_(a: BoolLike) -> BoolLike:
    """The negation of a truth value; negating twice gives the same term back."""
    if not isinstance(a, Term):
        return not a
    known = a.negation
    if known is not None:
        return known
    result: Term
    if isinstance(a, Comparison):
        if a.op == "<=":
            result = make_comparison("<=", 1 - a.const, tuple((atom, -k) for atom, k in a.parts))
        else:
            result = make_comparison("!=" if a.op == "==" else "==", a.const, a.parts)
    elif a.op == "and" or a.op == "or":
        opposite = [not_(arg) for arg in operands(a)]
        result = make_node("or" if a.op == "and" else "and", "bool", tuple(opposite))
    elif a.op == "str_lt" or a.op == "str_le":
        first, second = operands(a)
        result = make_node("str_le" if a.op == "str_lt" else "str_lt", "bool", (second, first))
    elif a.op == "ite":
        condition, yes, no = operands(a)
        result = make_node("ite", "bool", (condition, not_(yes), not_(no)))
    else:
        assert a.sort == "bool", a.sort
        result = make_node("not", "bool", (a,))
    a.negation = result
    result.negation = a
    return result


def and_(*conditions: BoolLike) -> BoolLike:
    """All of the conditions; no condition at all is true."""
    return _connect("and", False, conditions)


def or_(*conditions: BoolLike) -> BoolLike:
    """At least one of the conditions; no condition at all is false."""
    return _connect("or", True, conditions)


def _connect(op: str, absorbing: bool, conditions: tuple[BoolLike, ...]) -> BoolLike:
    kept: dict[Term, None] = {}
    for condition in conditions:
        if not isinstance(condition, Term):
            if bool(condition) is absorbing:
                return absorbing
        elif condition.op == op and len(operands(condition)) <= MAX_FLAT:
            kept.update(dict.fromkeys(operands(condition)))
        else:
            kept[condition] = None
    if not kept:
        return not absorbing
    if len(kept) == 1:
        return next(iter(kept))
    for condition in kept:
        # The negation of a connective is only among them if somebody made it; that of a comparison is another one.
        if (condition.negation if condition.op in _CONNECTIVES else not_(condition)) in kept:
            return absorbing
    return make_node(op, "bool", tuple(kept))


def implies(a: BoolLike, b: BoolLike) -> BoolLike:
    """a implies b."""
    return or_(not_(a), b)


def bool_eq(a: BoolLike, b: BoolLike) -> BoolLike:
    """Whether two truth values are the same."""
    if not isinstance(a, Term):
        return b if a else not_(b)
    if not isinstance(b, Term):
        return a if b else not_(a)
    if a is b:
        return True
    if not_(a) is b:
        return False
    # Negations move outside and the sides are ordered, so that opposite conditions are recognised.
    flip = False
    if _reads_as_negation(a):
        a, flip = not_(a), not flip
    if _reads_as_negation(b):
        b, flip = not_(b), not flip
    assert isinstance(a, Term) and isinstance(b, Term)
    result = make_node("bool_eq", "bool", (a, b) if rank(a) <= rank(b) else (b, a))
    return not_(result) if flip else result


def _reads_as_negation(a: Term) -> bool:
    if isinstance(a, Comparison) and a.op == "<=":
        return a.parts[0][1] < 0
    return a.op in ("not", "!=", "str_le", "or")


def ite_bool(condition: BoolLike, yes: BoolLike, no: BoolLike) -> BoolLike:
    """yes if condition else no, for truth values."""
    if not isinstance(condition, Term):
        return yes if condition else no
    if yes is no or (not isinstance(yes, Term) and not isinstance(no, Term) and yes == no):
        return yes
    if not isinstance(yes, Term):
        return or_(condition, no) if yes else and_(not_(condition), no)
    if not isinstance(no, Term):
        return or_(not_(condition), yes) if no else and_(condition, yes)
    yes, no = _under(condition, yes, 1), _under(condition, no, 2)  # type: ignore[assignment]
    if not_(yes) is no:
        return bool_eq(condition, yes)
    return make_node("ite", "bool", (condition, yes, no))


def _sort(value: Value | Term) -> str:
    if isinstance(value, Term):
        return value.sort
    if isinstance(value, bool):
        return "bool"
    return "str" if isinstance(value, str) else "float" if isinstance(value, float) else "int"


def ite_int(condition: BoolLike, yes: IntLike, no: IntLike) -> IntLike:
    """yes if condition else no, for integers."""
    chosen = ite(condition, yes, no)
    assert isinstance(chosen, (int, Term))
    return chosen


def ite(condition: BoolLike, yes: Value | Term, no: Value | Term) -> Value | Term:
    """yes if condition else no; truth values next to integers become integers."""
    sorts = {_sort(yes), _sort(no)}
    if sorts == {"bool"}:
        return ite_bool(condition, yes, no)  # type: ignore[arg-type]
    if sorts == {"float"}:
        return _ite_float(condition, yes, no)
    if "int" in sorts:
        assert "str" not in sorts, "a conditional cannot mix strings and integers"
        yes, no = linear(*split(yes)), linear(*split(no))  # type: ignore[arg-type]
    else:
        assert sorts == {"str"}, "a conditional cannot mix strings and truth values"
    if not isinstance(condition, Term):
        return yes if condition else no
    yes, no = _under(condition, yes, 1), _under(condition, no, 2)
    if yes is no or (not isinstance(yes, Term) and not isinstance(no, Term) and yes == no):
        return yes
    if "str" in sorts:
        return make_node("ite", "str", (condition, yes, no))
    if yes == 1 and no == 0:
        return bool_to_int(condition)
    if yes == 0 and no == 1:
        return bool_to_int(not_(condition))
    lo, hi = hull(intrinsic(yes), intrinsic(no))  # type: ignore[arg-type]
    return make_node("ite", "int", (condition, yes, no), lo, hi)


def _ite_float(condition: BoolLike, yes: Value | Term, no: Value | Term) -> Value | Term:
    if not isinstance(condition, Term):
        return yes if condition else no
    yes, no = _under(condition, yes, 1), _under(condition, no, 2)
    if yes is no or (not isinstance(yes, Term) and not isinstance(no, Term) and repr(yes) == repr(no)):
        return yes
    return make_float_node("ite", "float", (condition, yes, no))


def _under(condition: Term, value: Value | Term, side: int) -> Value | Term:
    """The side of a nested conditional that is left when its condition is decided outside."""
    while isinstance(value, Node) and value.op == "ite" and value.args[0] is condition:
        value = value.args[side]
    return value


def min_(a: IntLike, b: IntLike) -> IntLike:
    """The smaller of two integers."""
    return ite(le(a, b), a, b)  # type: ignore[return-value]


def max_(a: IntLike, b: IntLike) -> IntLike:
    """The larger of two integers."""
    return ite(le(b, a), a, b)  # type: ignore[return-value]


def abs_(a: IntLike) -> IntLike:
    """The absolute value."""
    result = ite(ge(a, 0), a, neg(a))
    if isinstance(result, Node) and result.op == "ite" and (result.lo is None or result.lo < 0):
        result.lo = 0
    return result  # type: ignore[return-value]
