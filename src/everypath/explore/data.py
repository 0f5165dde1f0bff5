"""Values of algebraic data types: tests of the constructor, arguments, equality and order by structure.

Data has no identity, so nothing here asks which object something is, except for the references inside. An input is
opened only as far as the program looks, one constructor at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.errors import Internal, LimitReached, Unsupported
from everypath.explore import rationals
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.values import Data, Future, OneOf, Ref, Unknown, Value
from everypath.ir.types import ClassType, DataType, FutureType
from everypath.logic import terms
from everypath.logic.terms import Term

Guard = bool | Term
_DATA, _REFERENCE, _FUTURE, _NULL, _SCALAR = "data", "reference", "future", "null", "scalar"
_KINDS = {Data: _DATA, Ref: _REFERENCE, Future: _FUTURE, type(None): _NULL}


def construct(constructor: str, arguments: Sequence[Value]) -> Data:
    """A value made by the constructor."""
    return Data(constructor, tuple(arguments))


def matches(st: State, value: Value, constructor: str, among: tuple[str, ...] = ()) -> bool:
    """Whether the value was made by the constructor; forks when that is open.

    Looking at an input counts as a decision even when its constructor is known by now, so that a loop over input data
    is bounded like any other. Where inputs that no branch expects are left out, an open input is one of `among`.
    """
    if value.__class__ is OneOf:
        st.decisions += 1
        value = st.heap.settled(value)
    if value.__class__ is Unknown:
        st.decisions += 1
        if among and not st.heap.inputs.input_errors and value not in st.heap.bind:
            _expect(st, value, among)
        if value not in st.heap.bind:
            return st.heap.is_made_by(_of_data(st, value), constructor)
        value = st.heap.bind[value]
    if value.__class__ is Data:
        return bool(value.constructor == constructor)
    raise Internal(f"{value!r} was tested for the constructor {constructor}")


def _expect(st: State, unknown: Unknown, among: tuple[str, ...]) -> None:
    """Narrow an input to the constructors that the program has branches for, if it can have one of them."""
    type = st.heap.data_type(_of_data(st, unknown))
    assert type is not None
    possible = st.heap.inputs.constructors(type)
    expected = tuple(name for name in possible if name in among)
    if expected and len(expected) < len(possible):
        st.heap.narrow(unknown, (DataType(type.name, type.arguments, expected),))
        st.heap.learnt()


def _of_data(st: State, unknown: Unknown) -> Unknown:
    if st.heap.data_type(unknown) is None:
        raise Unsupported(f"the input {unknown.name} as a value of a data type")
    return unknown


def argument(st: State, value: Value, constructor: str, index: int) -> Value:
    """An argument of a value that is known to be made by the constructor."""
    value = st.heap.settled(value)
    if value.__class__ is Unknown and st.heap.is_made_by(_of_data(st, value), constructor):
        value = st.heap.bind[value]
    if value.__class__ is not Data or value.constructor != constructor:
        raise Internal(f"{value!r} is not made by {constructor}")
    return value.arguments[index]


def equal(st: State, left: Value, right: Value) -> Guard:
    """`left == right` by structure, of two values of one type.

    An input is opened only when all that stands before it is equal; two inputs of unlimited size are compared up to
    the bound on lengths.
    """
    conditions: list[Guard] = []
    waiting: list[tuple[Value, Value, int]] = [(left, right, 0)]
    while waiting:
        left, right, depth = waiting.pop()
        if left is right:
            if left.__class__ is float and left != left:
                return False
            continue
        kind = _kind(left) if left is not None else _kind(right)
        if kind is _DATA:
            inputs = left.__class__ is Unknown and right.__class__ is Unknown
            if left.__class__ is not Data or right.__class__ is not Data:
                st.decisions += 1
                left, right = st.heap.settled(left), st.heap.settled(right)
                if left is right:
                    continue
                if left.__class__ is Unknown or right.__class__ is Unknown:
                    if not decide(st.pc, terms.and_(*conditions)):
                        return False
                    if not _open_alike(st, left, right, depth):
                        return False
                    left, right = st.heap.settled(left), st.heap.settled(right)
            if left.constructor != right.constructor:
                return False
            depth += inputs
            waiting.extend((a, b, depth) for a, b in zip(reversed(left.arguments), reversed(right.arguments)))
            continue
        condition = _parts_equal(st, kind, left, right)
        if condition is False:
            return False
        if condition is not True:
            conditions.append(condition)
    return terms.and_(*conditions)


def _open_alike(st: State, left: Value, right: Value, depth: int) -> bool:
    """Whether two values, one of them an open input at least, have the same constructor; if so, both are bound."""
    if left.__class__ is Unknown and right.__class__ is Unknown:
        if depth > st.heap.inputs.fixed_length:
            raise LimitReached("loop", f"{left.name} and {right.name} are compared to a depth of {depth} (--lengths)")
        left = st.heap.resolve(left)
    if left.__class__ is Unknown:
        left, right = right, left
    return right.__class__ is not Unknown or st.heap.is_made_by(_of_data(st, right), left.constructor)


def _kind(value: Value) -> str:
    """What comparing must know about a value; a conditional one is what its alternatives are."""
    known = _KINDS.get(value.__class__)
    if known is not None:
        return known
    if value.__class__ is OneOf:
        kinds = [_kind(alternative) for alternative in value.values()]
        return next((kind for kind in kinds if kind is not _NULL), _NULL)
    if value.__class__ is Unknown:
        for option in value.options:
            if isinstance(option, ClassType):
                return _REFERENCE
            if isinstance(option, DataType):
                return _DATA
            if isinstance(option, FutureType):
                return _FUTURE
    return _SCALAR


def _parts_equal(st: State, kind: str, left: Value, right: Value) -> Guard:
    if kind is _REFERENCE:
        st.decisions += 1
        return st.heap.same(left, right)
    if kind is _FUTURE:
        return _same_future(st, left, right)
    return _scalars_equal(st.heap.resolve(left), st.heap.resolve(right))


def _same_future(st: State, left: Value, right: Value) -> bool:
    """Futures are the same by the task; a future from the start is none that was made since, nor another input."""
    left, right = st.heap.settled(left), st.heap.settled(right)
    absent = st.heap.is_null(left), st.heap.is_null(right)
    if any(absent):
        return all(absent)
    return left is right or (left.__class__ is Future and bool(left == right))


def _scalars_equal(left: Value, right: Value) -> Guard:
    if rationals.is_known(left) and rationals.is_known(right):
        return bool(left == right)
    for value in (left, right):
        sort = value.sort if isinstance(value, Term) else ""
        if sort == "bool" or value.__class__ is bool:
            return terms.bool_eq(left, right)
        if sort == "str" or value.__class__ is str:
            return terms.str_eq(left, right)
    return rationals.condition("==", left, right)


def ordered(st: State, op: str, left: Value, right: Value) -> Guard:
    """`left op right` for `<`, `<=`, `>` and `>=`, of two values of one type."""
    if _kind(left) is _SCALAR:
        left, right = st.heap.resolve(left), st.heap.resolve(right)
        return _scalars_ordered(op, left, right)
    if op in (">", "<="):
        left, right = right, left
    answer = less(st, left, right)
    return answer if op in ("<", ">") else terms.not_(answer)


def _scalars_ordered(op: str, left: Value, right: Value) -> Guard:
    if left.__class__ is bool or (isinstance(left, Term) and left.sort == "bool"):
        left, right = terms.bool_to_int(left), terms.bool_to_int(right)
    elif left.__class__ is str or (isinstance(left, Term) and left.sort == "str"):
        if op in (">", ">="):
            left, right = right, left
        return terms.str_lt(left, right) if op in ("<", ">") else terms.str_le(left, right)
    return rationals.condition(op, left, right)


def less(st: State, left: Value, right: Value) -> Guard:
    """Whether the left value is the smaller one: by constructor, then by arguments from the first to the last."""
    before: list[tuple[Guard, Guard]] = []
    """for each scalar on the way, whether the left one is smaller, and whether both are equal"""
    waiting: list[tuple[Value, Value, int]] = [(left, right, 0)]
    answer: Guard = False
    while waiting:
        left, right, depth = waiting.pop()
        kind = _kind(left) if left is not None else _kind(right)
        if left is right:
            continue
        if kind is not _DATA:
            before.append(_compared(st, kind, left, right))
            continue
        inputs = left.__class__ is Unknown and right.__class__ is Unknown
        if left.__class__ is not Data or right.__class__ is not Data:
            st.decisions += 1
            left, right = st.heap.settled(left), st.heap.settled(right)
            if left is right:
                continue
            if left.__class__ is Unknown or right.__class__ is Unknown:
                if not decide(st.pc, terms.and_(*(same for _, same in before))):
                    break
                if inputs and depth > st.heap.inputs.fixed_length:
                    raise LimitReached("loop", f"inputs are compared to a depth of {depth} (--lengths)")
                left, right = st.heap.resolve(left), st.heap.resolve(right)
        if left.constructor != right.constructor:
            answer = left.constructor < right.constructor
            break
        depth += inputs
        waiting.extend((a, b, depth) for a, b in zip(reversed(left.arguments), reversed(right.arguments)))
    for smaller, same in reversed(before):
        answer = terms.or_(smaller, terms.and_(same, answer))
    return answer


def _compared(st: State, kind: str, left: Value, right: Value) -> tuple[Guard, Guard]:
    if kind is _SCALAR:
        left, right = st.heap.resolve(left), st.heap.resolve(right)
        return _scalars_ordered("<", left, right), _scalars_equal(left, right)
    same = decide(st.pc, _parts_equal(st, kind, left, right))
    if same:
        return False, True
    if st.heap.is_null(left) or st.heap.is_null(right):
        return st.heap.is_null(left), False
    if kind is _REFERENCE:
        return identified(st, left) < identified(st, right), False
    left, right = st.heap.settled(left), st.heap.settled(right)
    if left.__class__ is not Future or right.__class__ is not Future:
        raise Unsupported("the order of futures that are there from the start")
    return bool(left.task < right.task), False


def identified(st: State, value: Value) -> tuple[tuple[int, ...], str]:
    """By what objects are ordered and shown: the indices of the creations that led to one, and its class."""
    ref = st.heap.resolve(value)
    if st.world is None:
        raise Unsupported("objects that are no actors as values with an order or a text")
    path = st.world.actors.name(ref).path()
    bound = st.heap.class_bound(ref)
    if not bound.exact:
        raise Unsupported(f"the order or text of {ref.name}, whose class is open")
    return path, bound.bound
