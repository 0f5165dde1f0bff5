"""Operators on values of any kind.

The code of a segment computes the simple cases of integers itself; everything else ends here. Plain values are left to
Python, and numbers of which one is symbolic become terms. Then the methods of the program are asked (`reflected.py`).
Last come library objects, hashes, texts and collections; the tables below say what each operator means for them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from everypath.errors import LimitReached, Unsupported
from everypath.explore.arithmetic import INTEGER, is_integer
from everypath.explore.concretise import fixed, small_value
from everypath.explore.objects import resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap import mappings, sequences
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, is_float, is_text, is_truth, sort_of
from everypath.heap.values import DictCell, Hash, ListCell, Measured, OneOf, OpenList, RangeValue, Ref, Unknown, Value
from everypath.ir.instructions import ClassRef
from everypath.languages.python.natives.library import ask_kept, items_of_kept, operate
from everypath.languages.python.semantics import conversions, floating, hashes
from everypath.languages.python.semantics.enumerations import members_of
from everypath.languages.python.semantics.host_objects import Kept, is_foreign
from everypath.languages.python.semantics.kinds import by_identity, misuse, type_name, user_method
from everypath.languages.python.semantics.reflected import ask, attempts
from everypath.languages.python.semantics.registry import DECLINED, NATIVES
from everypath.languages.python.semantics.sizes import NO_INDEX, c_size
from everypath.logic import terms
from everypath.logic.terms import BoolLike, IntLike, StrLike, Term

_CONCRETE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
_DUNDER = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor", "@": "matmul",
}  # fmt: skip
_TERM_BITS = {"&": terms.bit_and, "|": terms.bit_or, "^": terms.bit_xor}
_TERM_ARITHMETIC = {"+": terms.add, "-": terms.sub, "*": terms.mul, **_TERM_BITS}
_TRUTH_BITS: dict[str, Callable[[BoolLike, BoolLike], BoolLike]] = {
    "&": terms.and_,
    "|": terms.or_,
    "^": lambda left, right: terms.not_(terms.bool_eq(left, right)),
}
PLAIN = (bool, int, float, str, bytes)
_LARGEST = 1_000_000


def truth(st: State, value: Value) -> bool | Term:
    """The truth value of anything."""
    if type(value) is OneOf and by_identity(st, value):
        st.decisions += 1
        return terms.not_(st.heap.null_of(value))
    if type(value) is Unknown and st.heap.is_open(value):
        # Most programs have no such inputs.
        from everypath.languages.python.semantics.first_uses import take_for_later_use

        take_for_later_use(st, value)
    value = resolve(st, value)
    if isinstance(value, Term):
        if value.sort == "bool":
            return value
        if value.sort == "int":
            return terms.ne(value, 0)
        if value.sort == "float":
            return terms.not_(terms.float_eq(value, 0.0))
        return terms.gt(terms.str_len(value), 0)
    if isinstance(value, Ref):
        cell = st.heap.cells[value]
        if isinstance(cell, (ListCell, OpenList)):
            return terms.gt(cell.length, 0)
        if isinstance(cell, DictCell):
            if cell.entries:
                return True
            return bool(mappings.entries(st.heap, st.pc, value))
        for name, post in (("__bool__", conversions.boolean), ("__len__", conversions.not_empty)):
            method = user_method(st, value, name)
            if method is not None:
                raise Invoke(method, [value], post)
        return True
    if isinstance(value, RangeValue):
        return truth(st, range_length(st, value))
    if isinstance(value, Kept):
        return bool(ask_kept(st, "bool", value))
    return value.truth() if isinstance(value, Measured) else bool(value)


def negation(st: State, value: Value) -> bool | Term:
    """`not value`"""
    try:
        return terms.not_(truth(st, value))
    except Invoke as call:
        # A method of the program has to run first, so the negation is added to what follows it.
        post = call.post or truth
        raise Invoke(
            call.method, call.arguments, lambda state, found: terms.not_(_truth_value(post(state, found)))
        ) from None


def _truth_value(value: Value) -> BoolLike:
    assert is_truth(value)
    return value


def range_length(st: State, value: RangeValue) -> IntLike:
    """The number of elements of a range."""
    start, stop, step = value.start, value.stop, value.step
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        return len(range(start, stop, step))
    if isinstance(step, Term):
        raise Unsupported("a range with a symbolic step")
    if not decide(st.pc, terms.lt(start, stop) if step > 0 else terms.gt(start, stop)):
        return 0
    distance = terms.sub(stop, start) if step > 0 else terms.sub(start, stop)
    # Rounded up, because the last step may be cut short.
    return terms.floordiv(terms.add(distance, abs(step) - 1), abs(step))


def unary(st: State, op: str, value: Value) -> Value:
    """`-value`, `+value`, `~value`"""
    value = resolve(st, value)
    if isinstance(value, Term) and value.sort in ("int", "bool"):
        number = as_int(value)
        if op == "-":
            return terms.neg(number)
        return number if op == "+" else terms.sub(terms.neg(number), 1)
    if isinstance(value, Term) and value.sort == "float" and op != "~":
        return terms.float_neg(value) if op == "-" else value
    if isinstance(value, (bool, int, float)):
        result: Value = _UNARY[op](value)
        return result
    method = user_method(st, value, {"-": "__neg__", "+": "__pos__", "~": "__invert__"}[op])
    if method is not None:
        raise Invoke(method, [value])
    if is_foreign(value):
        return operate(st, f"unary {op}", value, None)
    kind = type_name(st, value)
    raise misuse(st, f"bad operand type for unary {op}: {kind!r}", value)


def binary(st: State, op: str, left: Value, right: Value, inplace: bool) -> Value:
    """`left op right`"""
    if op in INTEGER and is_integer(left) and is_integer(right):
        return INTEGER[op](left, right)
    left, right = resolve(st, left), resolve(st, right)
    if isinstance(left, PLAIN) and isinstance(right, PLAIN):
        return concrete(st, op, left, right)
    kinds = (sort_of(left), sort_of(right))
    if kinds == ("number", "number"):
        return _arithmetic(st, op, left, right)
    name = _DUNDER[op]
    names = (f"__i{name}__", f"__{name}__") if inplace else (f"__{name}__",)
    asked = attempts(st, left, right, names, f"__r{name}__", same=False)
    if asked:
        # Methods of the program go first; what the operator means by itself counts only if all of them decline.
        ask(st, asked, lambda state: _builtin_binary(state, op, left, right, inplace))
    return _builtin_binary(st, op, left, right, inplace)


def _builtin_binary(st: State, op: str, left: Value, right: Value, inplace: bool) -> Value:
    if is_foreign(left) or is_foreign(right):
        return operate(st, op, left, right)
    if isinstance(left, Hash) or isinstance(right, Hash):
        return _of_hashes(st, op, left, right)
    result = _COLLECTIONS[op](st, op, left, right, inplace) if op in _COLLECTIONS else DECLINED
    if result is DECLINED:
        kinds = (short(type_name(st, left)), short(type_name(st, right)))
        shown = f"{op}=" if inplace else op
        raise misuse(st, f"unsupported operand type(s) for {shown}: {kinds[0]!r} and {kinds[1]!r}", left, right)
    return result


def concrete(st: State, op: str, left: Value, right: Value) -> Value:
    """The operator on plain values; errors of the host become errors of the program."""
    if op == "@":
        raise Fault("TypeError", "unsupported operand type(s) for @")
    if op in ("**", "<<") and isinstance(right, int) and abs(right) > 10_000:
        raise Unsupported(f"the result of {op} would be too large")
    if op == "*" and isinstance(left, int) and isinstance(right, (str, bytes)):
        left, right = right, left
    if op == "*" and isinstance(left, (str, bytes)) and isinstance(right, int) and len(left) * right > _LARGEST:
        raise Unsupported("the result of * would be too large")
    try:
        result: Value = _CONCRETE[op](left, right)
        return result
    except ZeroDivisionError as error:
        raise Fault("ZeroDivisionError", str(error)) from None
    except (TypeError, ValueError, OverflowError) as error:
        raise Fault(type(error).__name__, str(error)) from None


def _arithmetic(st: State, op: str, left: Value, right: Value) -> Value:
    if op == "@":
        return concrete(st, op, left, right)
    if op == "/" or is_float(left) or is_float(right):
        return floating.arithmetic(st, op, left, right)
    if op in _TERM_BITS and is_truth(left) and is_truth(right):
        return _TRUTH_BITS[op](left, right)
    return _INTEGER_ARITHMETIC[op](st, op, as_int(left), as_int(right))


def _without_question(st: State, op: str, left: IntLike, right: IntLike) -> IntLike:
    return _TERM_ARITHMETIC[op](left, right)


def _divide(st: State, op: str, left: IntLike, right: IntLike) -> IntLike:
    if decide(st.pc, terms.eq(right, 0)):
        what = "integer division or modulo by zero" if op == "//" else "integer modulo by zero"
        raise Fault("ZeroDivisionError", what)
    return terms.floordiv(left, right) if op == "//" else terms.floormod(left, right)


def _shift(st: State, op: str, number: IntLike, amount: IntLike) -> IntLike:
    if isinstance(amount, Term):
        if decide(st.pc, terms.lt(amount, 0)):
            raise Fault("ValueError", "negative shift count")
        amount = as_int(fixed(st, amount, f"{op} needs a known amount"))
        assert isinstance(amount, int)
    if amount < 0:
        raise Fault("ValueError", "negative shift count")
    return terms.shift_left(number, amount) if op == "<<" else terms.shift_right(number, amount)


def _of_hashes(st: State, op: str, left: Value, right: Value) -> Value:
    """An operator on a hash: a number where it is known, else a token that equals only what is computed alike."""
    numbers = [hashes.number(side) if isinstance(side, Hash) else side for side in (left, right)]
    if None not in numbers:
        return binary(st, op, numbers[0], numbers[1], False)
    for side, other in ((left, right), (right, left)):
        # A text or list that is repeated so often, or a power, needs to know the number.
        if isinstance(side, Hash) and (op == "**" or type_name(st, other) not in ("int", "bool")):
            hashes.need_number(side)
    return hashes.mixed(op, left, right)


def _power(st: State, op: str, base: IntLike, exponent: IntLike) -> Value:
    if isinstance(exponent, Term):
        exponent = small_value(st, exponent, "** with a symbolic exponent beyond the length bound")
    if exponent < 0:
        if decide(st.pc, terms.eq(base, 0)):
            raise Fault("ZeroDivisionError", "0.0 cannot be raised to a negative power")
        return concrete(st, "**", fixed(st, base, "a negative power needs a known base"), exponent)
    return terms.power(base, exponent)


_INTEGER_ARITHMETIC: dict[str, Callable[[State, str, IntLike, IntLike], Value]] = {
    **dict.fromkeys(_TERM_ARITHMETIC, _without_question),
    **dict.fromkeys(("//", "%"), _divide),
    **dict.fromkeys(("<<", ">>"), _shift),
    "**": _power,
}
"""What the operators compute from whole numbers."""


def _added(st: State, op: str, left: Value, right: Value, inplace: bool) -> Value:
    kinds = (type_name(st, left), type_name(st, right))
    if is_text(left) and is_text(right):
        return terms.concat(left, right)
    if kinds == ("tuple", "tuple"):
        assert isinstance(left, tuple) and isinstance(right, tuple)
        return left + right
    if kinds[0] != "list" or not isinstance(left, Ref):
        return DECLINED
    if inplace:
        try:
            NATIVES["list.extend"](st, left, right)
        except Invoke as call:
            raise call.followed_by(lambda state, found: left) from None
        return left
    if kinds[1] != "list" or not isinstance(right, Ref):
        return DECLINED
    both = sequences.items(st.heap, st.pc, left) + sequences.items(st.heap, st.pc, right)
    return st.heap.new_object("list", ListCell(both))


def _multiplied(st: State, op: str, left: Value, right: Value, inplace: bool) -> Value:
    kinds = (type_name(st, left), type_name(st, right))
    if kinds[0] in ("int", "bool"):
        left, right = right, left
        kinds = (kinds[1], kinds[0])
    if kinds[0] in ("list", "tuple", "str", "bytes") and kinds[1] in ("int", "bool"):
        return _repeat(st, left, as_int(right), inplace)
    return DECLINED


def _modulo(st: State, op: str, left: Value, right: Value, inplace: bool) -> Value:
    if is_text(left):
        return NATIVES["str.__mod__"](st, left, right)
    return NATIVES["bytes %"](st, left, right) if isinstance(left, bytes) else DECLINED


def _united(st: State, op: str, left: Value, right: Value, inplace: bool) -> Value:
    """`|` and the other operators of sets; dicts and views of them have some as well."""
    kinds = (type_name(st, left), type_name(st, right))
    if kinds == ("set", "set") or not _VIEWS.isdisjoint(kinds):
        return _set_arithmetic(st, op, left, right, inplace and kinds == ("set", "set"))
    if op != "|" or kinds[0] != "dict" or not isinstance(left, Ref):
        return DECLINED
    if inplace:
        if user_method(st, right, "keys") is not None or user_method(st, right, "__iter__") is not None:
            raise Unsupported("|= of a dict and an object of the program")
        NATIVES["dict.update"](st, left, right)
        return left
    if kinds[1] != "dict" or not isinstance(right, Ref):
        return DECLINED
    result = st.heap.new_object("dict", DictCell(mappings.entries(st.heap, st.pc, left)))
    for key, value in mappings.entries(st.heap, st.pc, right):
        mappings.put(st.heap, st.pc, result, key, value)
    return result


_SET_METHODS = {"|": "union", "&": "intersection", "-": "difference", "^": "symmetric_difference"}
_VIEWS = frozenset(("dict_keys", "dict_items"))
"""Views that act like sets: operators and comparisons are those of a set of their content."""
_COLLECTIONS: dict[str, Callable[[State, str, Value, Value, bool], Value]] = {
    "+": _added,
    "*": _multiplied,
    "%": _modulo,
    **dict.fromkeys(_SET_METHODS, _united),
}
"""What the operators mean for texts and collections."""


def _repeat(st: State, sequence: Value, count: IntLike, inplace: bool) -> Value:
    count = c_size(st, count, NO_INDEX)
    if isinstance(count, Term):
        count = _repetitions(st, count)
    if is_text(sequence):
        result: StrLike = ""
        for _ in range(max(0, count)):
            result = terms.concat(result, sequence)
        return result
    content = sequences.items(st.heap, st.pc, sequence) if isinstance(sequence, Ref) else sequence
    assert isinstance(content, (tuple, bytes))
    if len(content) * count > _LARGEST:
        raise Unsupported("the result of * would be too large")
    repeated = content * count
    if not isinstance(sequence, Ref) or not isinstance(repeated, tuple):
        return repeated
    if inplace:
        sequences.replace(st.heap, sequence, repeated)
        return sequence
    return st.heap.new_object("list", ListCell(repeated))


def _repetitions(st: State, count: Term) -> int:
    """How often something is repeated, up to the bound where that is not known."""
    if decide(st.pc, terms.le(count, 0)):
        return 0
    known = st.pc.value(count)
    if known is not None:
        return int(known)
    return _limited(st, count)


def _limited(st: State, count: Term) -> int:
    """The number as a constant, up to the bound.

    The bound is no part of any question but the last, so that a search with a larger one finds the same choices.
    """
    bound = st.heap.inputs.fixed_length
    for candidate in range(bound + 1):
        if decide(st.pc, terms.eq(count, candidate)):
            return candidate
    raise LimitReached("loop", f"more than {bound} repetitions are not considered (--lengths)")


def as_set(st: State, value: Value) -> Value:
    """A set of what a view of a dict shows; anything else as it is."""
    return NATIVES["set"](st, value) if type_name(st, value) in _VIEWS else value


def _set_arithmetic(st: State, op: str, left: Value, right: Value, inplace: bool) -> Value:
    """An operator of sets, or of a view of a dict with anything that can be iterated over."""
    method = _SET_METHODS[op]
    if inplace and isinstance(left, Ref) and not st.heap.mapping(left).frozen:
        NATIVES["set.update" if op == "|" else f"set.{method}_update"](st, left, right)
        return left
    own = left if type_name(st, left) == "set" else NATIVES["set"](st, left)
    return NATIVES[f"set.{method}"](st, own, right)


def elements(st: State, value: Value) -> tuple[Value, ...]:
    """All elements of a builtin collection, in order of iteration."""
    value = resolve(st, value)
    if isinstance(value, tuple):
        return value
    if isinstance(value, ClassRef) and (members := members_of(st, value)) is not None:
        return members
    if isinstance(value, (str, bytes)):
        return tuple(value)
    if isinstance(value, RangeValue):
        size = range_length(st, value)
        if isinstance(size, Term):
            size = _limited(st, size)
        return tuple(terms.add(value.start, terms.mul(value.step, i)) for i in range(size))
    if isinstance(value, Term) and value.sort == "str":
        length = terms.str_len(value)
        size = _limited(st, length) if isinstance(length, Term) else length
        return tuple(terms.str_at(value, i) for i in range(size))
    if isinstance(value, Ref):
        cell = st.heap.cells[value]
        if isinstance(cell, (ListCell, OpenList)):
            return sequences.items(st.heap, st.pc, value)
        if isinstance(cell, DictCell):
            return tuple(key for key, _ in mappings.entries(st.heap, st.pc, value))
    if isinstance(value, Kept):
        return items_of_kept(st, value)
    raise misuse(st, f"{type_name(st, value)!r} object is not iterable", value)
