"""What arithmetic says about the types of its operands."""

from __future__ import annotations

import ast

from everypath.ir.types import FLOAT, INT, STR, ListType
from everypath.languages.python.frontend.evidence import Slot, known

_NUMERIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.LShift, ast.RShift)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)


def arithmetic(left: Slot, op: ast.operator, right: Slot, node: ast.expr) -> Slot:
    """What `left op right` says about both sides, and its result; `node` is the right side as it is written."""
    left, right = left.find(), right.find()
    if isinstance(op, ast.Mod) and (STR in left.types or left.text or isinstance(node, (ast.Tuple, ast.Dict))):
        # `"%s" % value`: the right side may be anything.
        left.text = True
        return known(STR)
    if isinstance(op, ast.Add):
        # Numbers, texts and lists can all be added; both sides are the same of these.
        left.lend(right)
        result = Slot()
        result.borrow(left)
        result.borrow(right)
        if FLOAT in left.types or FLOAT in right.types:
            left.types.setdefault(FLOAT)
            right.types.setdefault(FLOAT)
            result.types.setdefault(FLOAT)
        return result
    if isinstance(op, ast.Mult):
        for one, other in ((left, right), (right, left)):
            if STR in one.types or isinstance(next(iter(one.types), None), ListType):
                # A sequence is repeated, so that only the other side is a number.
                other.number = True
                return one
    if isinstance(op, _BITS):
        # Sets are combined like this as well as numbers.
        left.lend(right)
        return left
    left.number = right.number = True
    result = Slot()
    result.number = True
    if FLOAT in left.types or FLOAT in right.types:
        for one in (left, right):
            one.types[FLOAT] = None
        result.types[FLOAT] = None
    elif INT in left.types or INT in right.types or isinstance(op, _NUMERIC):
        result.borrow(left)
        result.borrow(right)
    return result
