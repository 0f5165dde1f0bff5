"""Moves: small changes of an assignment after which a condition that was false should be true.

A condition is followed to its parts, and a term to its variables: to make a sum larger by some amount one of its parts
is shifted, to lengthen a text characters are added, to change a conditional value its condition is toggled. A move need
not succeed, since whoever tries it evaluates the condition afterwards. Likely moves come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from everypath.logic import texts
from everypath.logic.comparisons import not_
from everypath.logic.evaluate import Move, Witness, evaluate, holds
from everypath.logic.float_bounds import FLOAT_CONDITIONS
from everypath.logic.float_moves import float_moves, whole_moves
from everypath.logic.float_ranges import TO_WHOLE
from everypath.logic.nodes import HEAVY, Comparison, Linear, Node, Term, Value, Var, operands, variables
from everypath.logic.semantics import MAX_CODE

MAX_DEPTH = 20
"""How deep the structure of a condition is followed to its parts."""
MAX_LENGTH = 1000
"""Strings are not made longer than this to satisfy a condition on their length."""

Known = dict[Term, Value]
"""Values of large conditions under one witness."""


def truth(condition: Term, witness: Witness, known: Known | None = None) -> bool:
    """Whether a condition holds under the witness."""
    if condition.__class__ is Comparison and condition.plain:  # type: ignore[attr-defined]
        return holds(condition, witness)  # type: ignore[arg-type]
    return bool(evaluate(condition, witness, known))


def moves(goal: Term, witness: Witness, depth: int = 0, known: Known | None = None) -> Iterator[Move]:
    """Small changes after which a false goal is, or may be, true."""
    if isinstance(goal, Comparison):
        yield from _moves_comparison(goal, witness)
        return
    if depth > MAX_DEPTH:
        return
    if known is None:
        known = {}
    op = goal.op
    if op == "var":
        yield ((goal, True),)  # type: ignore[misc]
    elif op == "and":
        for arg in operands(goal):
            if not truth(arg, witness, known):
                # One false part at a time; the caller tries again for the next one if this move helps.
                yield from moves(arg, witness, depth + 1, known)
                return
    elif op == "or":
        parts = operands(goal)
        if goal.weight >= HEAVY:
            # There are more moves than anybody tries: what lacks least comes first.
            parts = tuple(sorted(parts, key=lambda part: _lacking(part, witness, known)))
        for arg in parts:
            yield from moves(arg, witness, depth + 1, known)
    elif isinstance(goal, Node):
        yield from _moves_other(goal, witness, depth + 1, known)


def _lacking(goal: Term, witness: Witness, known: Known) -> int:
    """How many parts of a conjunction are false."""
    return sum(not truth(part, witness, known) for part in operands(goal)) if goal.op == "and" else 1


def _moves_comparison(goal: Comparison, witness: Witness) -> Iterator[Move]:
    op = goal.op
    if op == "!=":
        yield from _moves_apart(goal, witness)
        return
    total = goal.const
    for atom, k in goal.parts:
        total += k * evaluate(atom, witness)  # type: ignore[operator, assignment]
    for atom, k in goal.parts:
        if op == "==":
            if total % k == 0:
                # Rounded away from the border for `<=`: the shift must be at least large enough.
                yield from shifts(atom, -total // k, witness)
        else:
            yield from shifts(atom, -total // k if k > 0 else -(total // k), witness)
    if op == "<=":
        # Just enough may hit a disequality: one more, or a place where nothing is yet.
        for atom, k in goal.parts:
            yield from shifts(atom, -total // k - 1 if k > 0 else 1 - total // k, witness)
        high, low = _new_places(witness)
        for atom, k in goal.parts:
            if isinstance(atom, Var):
                yield ((atom, low if k > 0 else high),)
    elif goal.plain and goal.left is not None and len(goal.parts) == 2:
        # Neither can go where the other is; a place where nothing is yet may suit both.
        for place in _new_places(witness):
            yield ((goal.left, place), (goal.right, place + goal.const))  # type: ignore[misc]


def _moves_apart(goal: Comparison, witness: Witness) -> Iterator[Move]:
    places = _new_places(witness)
    for atom, _ in goal.parts:
        if isinstance(atom, Var):
            for place in places:
                yield ((atom, place),)
    for atom, _ in goal.parts:
        yield from shifts(atom, 1, witness)
        yield from shifts(atom, -1, witness)


def _new_places(witness: Witness) -> tuple[int, int]:
    # Beyond all values in use, a variable differs from every other one, and lies above or below all of them.
    taken = [value for value in witness.values() if type(value) is int]
    if not taken:
        return 1, -1
    return max(taken) + 1, min(taken) - 1


def shifts(atom: Term, delta: int, witness: Witness) -> Iterator[Move]:
    """Moves after which an integer term is larger by delta, unless they change other parts of it."""
    if isinstance(atom, Var):
        yield ((atom, witness.get(atom, atom.default) + delta),)  # type: ignore[operator]
    elif isinstance(atom, Linear):
        for part, k in atom.parts:
            if delta % k == 0:
                yield from shifts(part, delta // k, witness)
    elif isinstance(atom, Node):
        shift = _SHIFT.get(atom.op)
        if shift is not None:
            yield from shift(atom, delta, witness)


def _shift_length(atom: Node, delta: int, witness: Witness) -> Iterator[Move]:
    text = atom.args[0]
    if isinstance(text, Var):
        current = str(witness.get(text, ""))
        if len(current) + delta <= MAX_LENGTH:
            for resized in texts.resized(current, len(current) + delta):
                yield ((text, resized),)


def _shift_quotient(atom: Node, delta: int, witness: Witness) -> Iterator[Move]:
    dividend, divisor = atom.args
    if isinstance(dividend, Term) and not isinstance(divisor, Term):
        yield from shifts(dividend, delta * int(divisor), witness)


def _shift_remainder(atom: Node, delta: int, witness: Witness) -> Iterator[Move]:
    if isinstance(atom.args[0], Term):
        yield from shifts(atom.args[0], delta, witness)


def _shift_product(atom: Node, delta: int, witness: Witness) -> Iterator[Move]:
    if len(atom.args) == 2:
        # Either factor can be changed if the other one divides the difference.
        for one, other in (atom.args, atom.args[::-1]):
            factor = evaluate(other, witness)
            if factor and delta % factor == 0:  # type: ignore[operator]
                yield from shifts(one, delta // factor, witness)  # type: ignore[arg-type, operator]


def _shift_choice(atom: Node, delta: int, witness: Witness) -> Iterator[Move]:
    condition, yes, no = atom.args
    assert isinstance(condition, Term)
    # First a move within the branch in force, then one that takes the other branch.
    branch = yes if truth(condition, witness) else no
    if isinstance(branch, Term):
        yield from shifts(branch, delta, witness)
    yield from _toggles(condition, witness)


def _shift_truth(atom: Node, delta: int, witness: Witness) -> Iterator[Move]:
    assert isinstance(atom.args[0], Term)
    yield from _toggles(atom.args[0], witness)


def _shift_bits(atom: Node, delta: int, witness: Witness) -> Iterator[Move]:
    # Which bits matter is not worked out; a few numbers with few bits are tried.
    for variable in sorted((v for v in variables(atom) if v.sort == "int"), key=lambda v: v.index):
        for value in (0, 1, 2, 3, 4, 8, -1):
            yield ((variable, value),)


def _shift_code(atom: Node, delta: int, witness: Witness) -> Iterator[Move]:
    character = atom.args[0]
    text = str(evaluate(character, witness))
    code = (ord(text) if len(text) == 1 else -1) + delta
    # Surrogates are no characters of their own.
    if not 0 <= code <= MAX_CODE or 0xD800 <= code <= 0xDFFF:
        return
    if isinstance(character, Var):
        yield ((character, chr(code)),)
    elif isinstance(character, Node) and character.op == "at" and isinstance(character.args[0], Var):
        yield from _put(character, chr(code), witness)


_SHIFT: dict[str, Callable[[Node, int, Witness], Iterator[Move]]] = {
    "len": _shift_length,
    "ord": _shift_code,
    "floormod": _shift_remainder,
    "floordiv": _shift_quotient,
    "mul": _shift_product,
    "ite": _shift_choice,
    "int_of_bool": _shift_truth,
    "bit_and": _shift_bits,
    **dict.fromkeys(TO_WHOLE, lambda atom, delta, witness: whole_moves(atom, delta, witness, shifts)),
}
"""Operator -> moves after which its result is larger by so much."""


def _moves_other(goal: Node, witness: Witness, depth: int, known: Known) -> Iterator[Move]:
    op, args = goal.op, goal.args
    first: Any = args[0]
    if op == "not":
        if isinstance(first, Var):
            yield ((first, False),)
        elif first.op == "str_eq":
            yield from _moves_str_ne(first, witness)
        elif first.op == "bool_eq":
            for arg in first.args:
                yield from _toggles(arg, witness, depth, known)
        elif first.op in FLOAT_CONDITIONS:
            yield from float_moves(first, False, witness, shifts)
    elif op in FLOAT_CONDITIONS:
        yield from float_moves(goal, True, witness, shifts)
    elif op == "str_eq":
        for one, other in ((args[0], args[1]), (args[1], args[0])):
            if isinstance(one, Var):
                yield ((one, evaluate(other, witness)),)
            elif isinstance(one, Node) and one.op == "at" and isinstance(one.args[0], Var):
                yield from _put(one, str(evaluate(other, witness)), witness)
    elif op == "ite":
        condition, yes, no = args
        chosen, avoided = (yes, no) if truth(condition, witness, known) else (no, yes)  # type: ignore[arg-type]
        yield from moves(chosen, witness, depth, known)  # type: ignore[arg-type]
        # Taking the other branch helps only if it is true there.
        if truth(avoided, witness, known):  # type: ignore[arg-type]
            yield from _toggles(condition, witness, depth, known)  # type: ignore[arg-type]
    elif op == "bool_eq":
        for arg in args:
            yield from _toggles(arg, witness, depth, known)


def _toggles(condition: Term, witness: Witness, depth: int = 0, known: Known | None = None) -> Iterator[Move]:
    opposite = not_(condition) if truth(condition, witness, known) else condition
    yield from moves(opposite, witness, depth + 1, known)  # type: ignore[arg-type]


def _put(character: Node, wanted: str, witness: Witness) -> Iterator[Move]:
    text = str(evaluate(character.args[0], witness))
    index = evaluate(character.args[1], witness)
    if len(wanted) == 1 and 0 <= index < len(text):  # type: ignore[operator]
        yield ((character.args[0], text[:index] + wanted + text[index + 1 :]),)  # type: ignore[operator, misc]


def _moves_str_ne(equality: Node, witness: Witness) -> Iterator[Move]:
    for arg in equality.args:
        if isinstance(arg, Var):
            for text in ("", "a", "b", "ab"):
                yield ((arg, text),)
            yield ((arg, str(witness.get(arg, "")) + "a"),)
        elif isinstance(arg, Node) and arg.op == "at" and isinstance(arg.args[0], Var):
            for character in "ab":
                yield from _put(arg, character, witness)
