"""Equality and order by structure, of data values and of everything inside them: numbers, strings, references, futures.

Data has no identity, so nothing here asks which object something is, except for the references inside. Both walks go
along the arguments without recursion, since lists may be long. Conditions on scalars are collected and left open; only
where an input of a data type must be opened to go on is it decided whether everything before it is equal.
"""

from __future__ import annotations

from everypath.errors import LimitReached, Unsupported
from everypath.explore.actors.world import world_of
from everypath.explore.arithmetic import note_look
from everypath.explore.data import of_data
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import is_text, is_truth
from everypath.heap.values import Data, Future, OneOf, Rational, Ref, Unknown, Value
from everypath.ir.types import ClassType, DataType, FutureType
from everypath.languages.abs.semantics import rationals
from everypath.logic import terms
from everypath.logic.terms import Term

Guard = bool | Term
_DATA, _REFERENCE, _FUTURE, _NULL, _SCALAR = "data", "reference", "future", "null", "scalar"
_SYMBOLIC = (Term, Rational)
_KINDS: dict[type[Value], str] = {Data: _DATA, Ref: _REFERENCE, Future: _FUTURE, type(None): _NULL}


class _Walk:
    """Two values of one type, compared part by part from the first to the last."""

    def __init__(self, st: State, left: Value, right: Value) -> None:
        self._st = st
        self.waiting = [(left, right)]
        self._sizes: dict[str, int] = {}
        """data type -> pairs of inputs with arguments so far"""

    def look(self, left: Value, right: Value) -> tuple[Value, Value]:
        """What two data values are, as far as that is known; looking at an input counts as a decision."""
        if type(left) is not Data or type(right) is not Data:
            self._st.decisions += 1
            note_look(self._st)
            return self._st.heap.settled(left), self._st.heap.settled(right)
        return left, right

    def limit(self, left: Value, right: Value) -> None:
        """Stop when two inputs would have to be compared beyond the bound on lengths.

        One of them is open. The other may be known already and yet have no end: a list compared with a list of which it
        is the rest.
        """
        if type(left) is Unknown and type(right) is Unknown:
            data = self._st.heap.data_type(of_data(self._st, left))
            assert data is not None
            if self._sizes.get(data.name, 0) > self._st.heap.inputs.fixed_length:
                raise LimitReached("loop", f"larger inputs {left.name} and {right.name} are not compared (--lengths)")

    def enter(self, left: Data, right: Data, inputs: tuple[Value, Value]) -> None:
        """Go on with the arguments of two values of one constructor."""
        # Reversed, because the last one is taken first.
        self.waiting += zip(reversed(left.arguments), reversed(right.arguments))
        if left.arguments and type(inputs[0]) is Unknown and type(inputs[1]) is Unknown:
            option = inputs[0].options[0]
            name = option.name if isinstance(option, DataType) else ""
            self._sizes[name] = self._sizes.get(name, 0) + 1


def equal(st: State, left: Value, right: Value) -> Guard:
    """`left == right`, of two values of one type.

    An input is opened only when all that stands before it is equal; two open inputs are compared up to the bound on
    lengths.
    """
    conditions: list[Guard] = []
    if _kind(left) is _SCALAR:
        return _parts_equal(st, _SCALAR, left, right)
    walk = _Walk(st, left, right)
    while walk.waiting:
        pair = left, right = walk.waiting.pop()
        if left is right:
            # Even the same NaN is not equal to itself.
            if type(left) is float and left != left:
                return False
            continue
        kind = _kind(left) if left is not None else _kind(right)
        if kind is not _DATA:
            condition = _parts_equal(st, kind, left, right)
            if condition is False:
                return False
            if condition is not True:
                conditions.append(condition)
            continue
        left, right = walk.look(left, right)
        if left is right:
            continue
        if type(left) is Unknown or type(right) is Unknown:
            # If something before it differs, the input need not be opened at all: fewer forks.
            if not decide(st.pc, terms.and_(*conditions)):
                return False
            conditions.clear()
            walk.limit(*pair)
            if not _open_alike(st, left, right):
                return False
            left, right = st.heap.settled(left), st.heap.settled(right)
        assert type(left) is Data and type(right) is Data
        if left.constructor != right.constructor:
            return False
        walk.enter(left, right, pair)
    return terms.and_(*conditions)


def _open_alike(st: State, left: Value, right: Value) -> bool:
    """Whether two values, one of them an open input at least, have the same constructor; if so, both are bound."""
    if type(right) is not Unknown:
        left, right = right, left
    left = st.heap.resolve(left)
    assert type(left) is Data and type(right) is Unknown
    return st.heap.is_made_by(of_data(st, right), left.constructor)


def _kind(value: Value) -> str:
    """The kind of a value, as far as comparing needs it; that of a conditional value is the kind of its
    alternatives.
    """
    known = _KINDS.get(value.__class__)
    if known is not None:
        return known
    if type(value) is OneOf:
        kinds = [_kind(alternative) for alternative in value.values()]
        return next((kind for kind in kinds if kind is not _NULL), _NULL)
    if type(value) is Unknown:
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
        if type(left) is Unknown or type(right) is Unknown:
            note_look(st)
        return st.heap.same(left, right)
    if kind is _FUTURE:
        return _same_future(st, left, right)
    return _scalars_equal(st.heap.resolve(left), st.heap.resolve(right))


def _same_future(st: State, left: Value, right: Value) -> bool:
    """Whether two futures are of one task; an input is never one that was made since, nor another input."""
    left, right = st.heap.settled(left), st.heap.settled(right)
    absent = st.heap.is_null(left), st.heap.is_null(right)
    if any(absent):
        return all(absent)
    return left is right or (type(left) is Future and left == right)


def _scalars_equal(left: Value, right: Value) -> Guard:
    if not isinstance(left, _SYMBOLIC) and not isinstance(right, _SYMBOLIC):
        return bool(left == right)
    if is_truth(left) and is_truth(right):
        return terms.bool_eq(left, right)
    if is_text(left) and is_text(right):
        return terms.str_eq(left, right)
    return rationals.condition("==", rationals.number(left), rationals.number(right))


def ordered(st: State, op: str, left: Value, right: Value) -> Guard:
    """`left op right` for `<`, `<=`, `>` and `>=`, of two values of one type."""
    if _kind(left) is _SCALAR:
        left, right = st.heap.resolve(left), st.heap.resolve(right)
        return _scalars_ordered(op, left, right)
    # `a > b` is `b < a`, and `a <= b` is `not b < a`.
    if op in (">", "<="):
        left, right = right, left
    answer = less(st, left, right)
    return answer if op in ("<", ">") else terms.not_(answer)


def _scalars_ordered(op: str, left: Value, right: Value) -> Guard:
    if is_truth(left) and is_truth(right):
        return rationals.condition(op, terms.bool_to_int(left), terms.bool_to_int(right))
    if is_text(left) and is_text(right):
        if op in (">", ">="):
            left, right = right, left
        return terms.str_lt(left, right) if op in ("<", ">") else terms.str_le(left, right)
    return rationals.condition(op, rationals.number(left), rationals.number(right))


def less(st: State, left: Value, right: Value) -> Guard:
    """Whether the left value is the smaller one: by constructor, then by arguments from the first to the last."""
    before: list[tuple[Guard, Guard]] = []
    walk = _Walk(st, left, right)
    answer: Guard = False
    while walk.waiting:
        pair = left, right = walk.waiting.pop()
        if left is right:
            continue
        kind = _kind(left) if left is not None else _kind(right)
        if kind is not _DATA:
            before.append(_compared(st, kind, left, right))
            if before[-1][1] is False:
                break
            continue
        left, right = walk.look(left, right)
        if left is right:
            continue
        if type(left) is Unknown or type(right) is Unknown:
            if not decide(st.pc, terms.and_(*(same for _, same in before))):
                break
            before.clear()
            walk.limit(*pair)
            left, right = st.heap.resolve(left), st.heap.resolve(right)
        assert type(left) is Data and type(right) is Data
        if left.constructor != right.constructor:
            answer = left.constructor < right.constructor
            break
        walk.enter(left, right, pair)
    # Lexicographic: smaller at the first place that differs, so the answer is built from the last place backwards.
    for smaller, same in reversed(before):
        answer = terms.or_(smaller, terms.and_(same, answer))
    return answer


def _compared(st: State, kind: str, left: Value, right: Value) -> tuple[Guard, Guard]:
    """Whether the left of two values that are no data is smaller, and whether they are equal."""
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
    if type(left) is not Future or type(right) is not Future:
        raise Unsupported("the order of futures that are there from the start")
    return bool(left.task < right.task), False


def identified(st: State, value: Value) -> tuple[tuple[int, ...], str]:
    """What objects are ordered and shown by: the indices of the creations that led to one, and its class."""
    ref = st.heap.resolve(value)
    if st.world is None:
        raise Unsupported("objects that are no actors as values with an order or a text")
    assert isinstance(ref, Ref)
    if ref.input:
        note_look(st)
        world_of(st).actors.decide_class(st, ref)
    return world_of(st).actors.name(ref).path(), st.heap.class_bound(ref).bound
