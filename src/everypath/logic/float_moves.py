"""Moves that change floats: a result is aimed at by undoing one operation after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from everypath.logic.evaluate import Move, Witness, evaluate
from everypath.logic.float_bounds import FLOAT_CONDITIONS
from everypath.logic.nodes import Node, Term, Value, Var, variables
from everypath.logic.semantics import nearest
from everypath.logic.thresholds import above, below

MAX_STEPS = 12
"""How deep float arithmetic is followed to its inputs."""
BIG = 1e200
"""A float whose square is infinite."""
SMALL = 1e-200
"""A float whose square is zero."""

Shift = Callable[[Term, int, Witness], Iterator[Move]]


def float_moves(goal: Node, wanted: bool, witness: Witness, shift: Shift) -> Iterator[Move]:
    """Moves that make a condition on floats true, or false, or at least may; `shift` changes integers."""
    assert goal.op in FLOAT_CONDITIONS
    if goal.op in ("isnan", "isinf", "fnegzero"):
        yield from _special(goal, wanted, witness, shift)
        return
    left, right = goal.args
    a, b = (_as_float(evaluate(side, witness)) for side in (left, right))
    for term, targets in (
        (left, _targets(goal.op, wanted, b)),
        (right, _targets(_MIRRORED[goal.op], wanted, a)),
    ):
        if isinstance(term, Term):
            for target in targets:
                yield from aim(term, target, witness, shift)


def _as_float(value: Value) -> float:
    return nearest(value) if isinstance(value, int) else value  # type: ignore[return-value]


_MIRRORED = {"flt": "fgt", "fle": "fge", "feq": "feq"}
_OPPOSITE = {"flt": "fge", "fle": "fgt", "fgt": "fle", "fge": "flt"}


def _targets(op: str, wanted: bool, other: float) -> tuple[float, ...]:
    """Values that compare with the other one as is wanted, plain ones first."""
    if math.isnan(other):
        return ()
    if op == "feq":
        return (other,) if wanted else (other + 1, other - 1, 0.0, above(other))
    if not wanted:
        op = _OPPOSITE[op]
    size = max(1.0, abs(other) / 2)
    if op == "flt" or op == "fgt":
        away = -1 if op == "flt" else 1
        return other + away, other + away * size, (below if away < 0 else above)(other), other + away / 4
    away = -1 if op == "fle" else 1
    return other, other + away, other + away * size


def _special(goal: Node, wanted: bool, witness: Witness, shift: Shift) -> Iterator[Move]:
    term = goal.args[0]
    assert isinstance(term, Term)
    values: tuple[float, ...] = (0.0, 1.0)
    if wanted:
        values = {"isnan": (math.nan,), "isinf": (math.inf, -math.inf), "fnegzero": (-0.0, 0.0, -1.0)}[goal.op]
    if isinstance(term, Var):
        for value in values:
            yield ((term, value),)
        return
    for variable in sorted((v for v in variables(term) if v.sort == "float"), key=lambda v: v.index):
        for value in (*values, BIG, -BIG) if wanted else values:
            yield ((variable, value),)


def aim(term: Term | Value, target: float, witness: Witness, shift: Shift, depth: int = 0) -> Iterator[Move]:
    """Moves after which a number should be close to the target."""
    if not isinstance(term, Term) or depth > MAX_STEPS or math.isnan(target):
        return
    if isinstance(term, Var) and term.sort == "float":
        # An input is never -0.0.
        if math.isfinite(target):
            yield ((term, target + 0.0),)
        return
    if term.sort == "int":
        yield from _aim_whole(term, target, witness, shift)
        return
    assert isinstance(term, Node)
    if term.op == "ite":
        condition, yes, no = term.args
        yield from aim(yes if evaluate(condition, witness) else no, target, witness, shift, depth + 1)
        return
    if term.op == "float_of_int":
        yield from _aim_whole(term.args[0], target, witness, shift)
        return
    values = [_as_float(evaluate(arg, witness)) for arg in term.args]
    for place, arg in enumerate(term.args):
        if isinstance(arg, Term):
            for value in _undone(term.op, place, target, values):
                yield from aim(arg, value, witness, shift, depth + 1)


def _aim_whole(term: Term | Value, target: float, witness: Witness, shift: Shift) -> Iterator[Move]:
    if not isinstance(term, Term) or not math.isfinite(target):
        return
    current: int = evaluate(term, witness)  # type: ignore[assignment]
    for value in dict.fromkeys((math.floor(target), math.ceil(target), math.floor(target) - 1, math.ceil(target) + 1)):
        if value != current:
            yield from shift(term, value - current, witness)


def _undone(op: str, place: int, target: float, values: list[float]) -> tuple[float, ...]:
    """What the operand at a place must be, about, for the result to be the target."""
    other = values[1 - place] if len(values) == 2 else 0.0
    undo = _UNDO.get((op, place))
    if undo is None:
        return (target,) if place == 0 else ()
    return undo(target, other)


def _undo_product(target: float, other: float) -> tuple[float, ...]:
    if target == 0:
        return 0.0, SMALL
    return (target / other,) if other else ()


def _undo_absolute(target: float, _: float) -> tuple[float, ...]:
    return (target, -target) if target >= 0 else ()


def _undo_square_root(target: float, _: float) -> tuple[float, ...]:
    return (target * target,) if target >= 0 else ()


def _divisor(target: float, dividend: float) -> tuple[float, ...]:
    return (dividend / target,) if target else (dividend * 2 + 1,)


def _root(target: float, exponent: float) -> tuple[float, ...]:
    if exponent <= 0 or not math.isfinite(target):
        return ()
    if target == 0:
        return 0.0, SMALL
    size = abs(target) ** (1.0 / exponent)
    near = (size, float(round(size)))
    if target < 0:
        return tuple(-value for value in near) if exponent % 2 == 1 else ()
    return near if exponent % 2 else (*near, *(-value for value in near))


_UNDO: dict[tuple[str, int], Callable[[float, float], tuple[float, ...]]] = {
    ("fneg", 0): lambda target, _: (-target,),
    ("fadd", 0): lambda target, other: (target - other,),
    ("fadd", 1): lambda target, other: (target - other,),
    ("fsub", 0): lambda target, other: (target + other,),
    ("fsub", 1): lambda target, other: (other - target,),
    ("fmul", 0): _undo_product,
    ("fmul", 1): _undo_product,
    ("fdiv", 0): lambda target, other: (target * other,),
    ("fdiv", 1): _divisor,
    ("true_div", 0): lambda target, other: (target * other,),
    ("true_div", 1): _divisor,
    ("fabs", 0): _undo_absolute,
    ("fsqrt", 0): _undo_square_root,
    ("fpow", 0): _root,
    ("ffloordiv", 0): lambda target, other: (target * other, (target + 0.5) * other),
}
"""Operator and place of an operand -> what it must be for the result, given the other operand.

Of an operator that is not listed the first operand is aimed at the result itself.
"""


def whole_moves(atom: Node, delta: int, witness: Witness, shift: Shift) -> Iterator[Move]:
    """Moves after which the integer made from a float is larger by delta."""
    wanted = _as_float(evaluate(atom, witness) + delta)  # type: ignore[operator]
    for target in (wanted, wanted + 0.5, wanted - 0.5):
        yield from aim(atom.args[0], target, witness, shift)
