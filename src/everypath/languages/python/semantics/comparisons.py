"""Comparing values of any kind: equality, order, identity and membership.

Equality asks the program's `__eq__` methods first, as Python does, then compares by structure: plain values as terms,
lists and dicts element by element. Where elements are objects, a model in the source language compares them, because
their `__eq__` may be code of the program. Identity of plain values follows what CPython does: it keeps small integers
and texts of one character once. Where the interpreter may have two objects for equal values, the path ends.
"""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.arithmetic import CONDITIONS, condition
from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap import mappings
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, equal, is_float, is_text, sort_of
from everypath.heap.inputs import SIMPLEST
from everypath.heap.values import Hash, OneOf, RangeValue, Ref, SliceValue, Unknown, Unread, Value
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.languages.python.natives.iterators import model
from everypath.languages.python.natives.library import operate
from everypath.languages.python.semantics import floating
from everypath.languages.python.semantics.extended import content
from everypath.languages.python.semantics.hashes import need_number, same_hash, token_of_hash
from everypath.languages.python.semantics.host_objects import is_foreign
from everypath.languages.python.semantics.keys import need_hashable
from everypath.languages.python.semantics.kinds import by_identity, misuse, reference, type_name, user_method
from everypath.languages.python.semantics.operations import PLAIN, as_set, concrete, elements, negation, truth
from everypath.languages.python.semantics.reflected import ask, attempts
from everypath.logic import terms
from everypath.logic.terms import Term, Var

_ORDER = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
_MIRRORED = {"<": "__gt__", "<=": "__ge__", ">": "__lt__", ">=": "__le__"}


def compare(st: State, op: str, left: Value, right: Value) -> Value:
    """`left op right` for the six relations by value."""
    if (
        isinstance(left, Term)
        and left.sort == "int"
        and (type(right) is int or (isinstance(right, Term) and right.sort == "int"))
    ):
        return condition(op, left, right)
    if type(left) is Unknown or type(right) is Unknown:
        _take_for_like(st, left, right)
    if is_foreign(left) or is_foreign(right):
        return _with_library_object(st, op, left, right)
    if isinstance(left, Hash) or isinstance(right, Hash):
        return _of_hashes(st, op, left, right)
    if op in ("==", "!="):
        return _equality(st, op == "!=", left, right)
    return _ordering(st, op, left, right)


def _with_library_object(st: State, op: str, left: Value, right: Value) -> Value:
    """A comparison with an object that stands for itself; objects of the program are never equal to one by default."""
    left, right = resolve(st, left), resolve(st, right)
    if not _stands_for_itself(st, left, right):
        return _equality(st, op == "!=", left, right) if op in ("==", "!=") else _ordering(st, op, left, right)
    return operate(st, op, left, right)


def _stands_for_itself(st: State, left: Value, right: Value) -> bool:
    """Whether one side is an object of the library and none is of the program."""
    if not is_foreign(left) and not is_foreign(right):
        return False
    return not any(isinstance(side, Ref) and type(st.heap.cells[side]) is dict for side in (left, right))


def _of_hashes(st: State, op: str, left: Value, right: Value) -> Value:
    if op in ("==", "!="):
        answer = same_hash(token_of_hash(left), token_of_hash(right))
        return terms.not_(answer) if op == "!=" else answer
    return compare(st, op, *(need_number(side) if isinstance(side, Hash) else side for side in (left, right)))


_OPEN = frozenset((Unknown, OneOf))
_SMALLEST, _LARGEST = -5, 256
"""CPython keeps the numbers in between once."""
_REFERENCES = frozenset((Ref, Unknown, OneOf))


def identity(st: State, negated: bool, left: Value, right: Value) -> bool | Term:
    """`left is right` or `left is not right`"""
    answer = same(st, left, right)
    return terms.not_(answer) if negated else answer


def _may_be_plain(value: Value) -> bool:
    """Whether an input may turn out to be a number or a text, which are compared by value."""
    return type(value) is Unknown and any(option in SIMPLEST for option in value.options)


def _same_unread(st: State, left: Value, right: Value) -> bool:
    """Whether something is a variable whose value is not known; refused where that value may be a singleton."""
    if isinstance(left, Unread) and isinstance(right, Unread):
        return left == right
    unread, other = (left, right) if isinstance(left, Unread) else (right, left)
    assert isinstance(unread, Unread)
    other = resolve(st, other)
    if isinstance(other, Unread):
        return bool(unread == other)
    if other is None or isinstance(other, (bool, ClassRef, FunctionRef, NativeRef)):
        raise unread.refusal()
    return False


def same(st: State, left: Value, right: Value) -> bool | Term:
    """`left is right`: references by object, singletons and scalars by value."""
    if type(left) is Unread or type(right) is Unread:
        return _same_unread(st, left, right)
    if left.__class__ in _REFERENCES or right.__class__ in _REFERENCES:
        # A decision even if the answer is known, so that a loop around a cyclic input is bounded like any other.
        st.decisions += 1
        if left is None or right is None:
            return st.heap.same(left, right)
        if _may_be_plain(left) and _may_be_plain(right):
            left, right = resolve(st, left), resolve(st, right)
            return same(st, left, right)
        if left.__class__ in _REFERENCES and right.__class__ in _REFERENCES:
            return st.heap.same(left, right)
        left, right = resolve(st, left), resolve(st, right)
    return _same_value(st, left, right)


def _same_value(st: State, left: Value, right: Value) -> bool | Term:
    """Whether two resolved values are one object, of which at most one is a reference."""
    if isinstance(left, (ClassRef, FunctionRef, NativeRef)):
        return bool(left == right)
    if sort_of(left) != sort_of(right) or isinstance(left, Ref) or isinstance(right, Ref):
        return left is right
    if type_name(st, left) != type_name(st, right):
        return False
    if left is right:
        return True
    if isinstance(left, tuple):
        # Made in different places, they are two objects, equal or not.
        return False
    if isinstance(left, Term) != isinstance(right, Term) and any(map(_made_anew, (left, right))):
        return False
    if (isinstance(left, Term) and isinstance(right, Term)) or _computed(left, right):
        return _same_plain(st, left, right)
    return equal(st.heap, left, right)


def _computed(left: Value, right: Value) -> bool:
    """Whether one of two plain values was computed: it is neither an input nor a constant of the program."""
    return any(isinstance(value, Term) and not isinstance(value, Var) for value in (left, right))


def _same_plain(st: State, left: Value, right: Value) -> bool | Term:
    """The interpreter keeps small numbers and texts of one character once; others may be two objects when equal."""
    sort = type_name(st, left)
    # A model asks whether something is or equals another: the same for all that can be two objects here.
    if sort == "bool" or (st.frame is not None and st.frame.code.method.model):
        return equal(st.heap, left, right)
    if not decide(st.pc, equal(st.heap, left, right)):
        return False
    if is_text(left) and decide(st.pc, terms.le(terms.str_len(left), 1)):
        return True
    if sort == "int":
        number = as_int(left)
        if decide(st.pc, terms.and_(terms.ge(number, _SMALLEST), terms.le(number, _LARGEST))):
            return True
    raise Unsupported("`is` between equal texts or numbers, which may be two objects; compare them with ==")


def _made_anew(value: Value) -> bool:
    """Whether equal texts in the program and in a test are two objects; those that look like names are kept once."""
    return isinstance(value, str) and len(value) > 1 and not (value.isascii() and value.replace("_", "a").isalnum())


def _equality(st: State, negated: bool, left: Value, right: Value) -> Value:
    if left.__class__ in _OPEN and right is None:
        answer = st.heap.null_of(left)
        return terms.not_(answer) if negated else answer
    unsettled = st.heap.disjunctive and (left.__class__ in _OPEN or right.__class__ in _OPEN)
    if unsettled and by_identity(st, left) and by_identity(st, right):
        return identity(st, negated, left, right)
    left, right = resolve(st, left), resolve(st, right)
    if _stands_for_itself(st, left, right):
        return operate(st, "!=" if negated else "==", left, right)
    if negated:
        asked = attempts(st, left, right, ("__ne__",), "__ne__", same=True)
        if asked:
            ask(st, asked, lambda state: terms.not_(same(state, left, right)), truth)
    # Without a `__ne__` of the program, `!=` is the opposite of what `__eq__` says.
    asked = attempts(st, left, right, ("__eq__",), "__eq__", same=True)
    if asked:
        ask(st, asked, lambda state: identity(state, negated, left, right), negation if negated else truth)
    try:
        result = _structural(st, left, right)
    except Invoke as call:
        raise Invoke(call.method, call.arguments, negation if negated else truth) from None
    return terms.not_(result) if negated else result


def _structural(st: State, left: Value, right: Value) -> bool | Term:
    """Equality of builtin values; collections that hold objects are compared by a model in the source language."""
    if isinstance(left, SliceValue) and isinstance(right, SliceValue):
        left, right = ((side.start, side.stop, side.step) for side in (left, right))
    left, right = as_set(st, left), as_set(st, right)
    kinds = (type_name(st, left), type_name(st, right))
    # NaN is not equal to itself; inside a collection it is, because Python asks for identity first there.
    if left is right and kinds[0] != "float":
        return True
    if kinds[0] == kinds[1] and kinds[0] in ("list", "tuple"):
        mine, theirs = elements(st, left), elements(st, right)
        if len(mine) != len(theirs):
            return False
        if all(_plain(st, v) for v in (*mine, *theirs)):
            return terms.and_(*(a is b or equal(st.heap, a, b) for a, b in zip(mine, theirs)))
        raise Invoke(model(st, "seq_eq"), [left, right], truth)
    if kinds == ("dict", "dict") or kinds == ("set", "set"):
        return _mapping_equality(st, reference(left), reference(right))
    if isinstance(left, RangeValue) and isinstance(right, RangeValue):
        return equal(st.heap, elements(st, left), elements(st, right))
    return equal(st.heap, left, right)


def _mapping_equality(st: State, left: Ref, right: Ref) -> bool | Term:
    heap, pc = st.heap, st.pc
    mine, theirs = mappings.entries(heap, pc, left), mappings.entries(heap, pc, right)
    if len(mine) != len(theirs):
        return False
    if not all(_plain(st, value) for _, value in (*mine, *theirs)):
        raise Invoke(model(st, "dict_eq"), [left, right], truth)
    conditions: list[bool | Term] = []
    for key, value in mine:
        place = mappings.find(heap, pc, right, key)
        if place is None:
            return False
        conditions.append(_structural(st, resolve(st, value), resolve(st, theirs[place][1])))
    return terms.and_(*conditions)


def _plain(st: State, value: Value) -> bool:
    value = resolve(st, value)
    if isinstance(value, tuple):
        return all(_plain(st, v) for v in value)
    return not isinstance(value, Ref)


def _ordering(st: State, op: str, left: Value, right: Value) -> Value:
    left, right = resolve(st, left), resolve(st, right)
    if isinstance(left, PLAIN) and isinstance(right, PLAIN):
        return concrete(st, op, left, right)
    kinds = (sort_of(left), sort_of(right))
    if kinds == ("number", "number"):
        if is_float(left) or is_float(right):
            return floating.compare(op, left, right)
        return CONDITIONS[op](as_int(left), as_int(right))
    if is_text(left) and is_text(right):
        low, high = (right, left) if op in (">", ">=") else (left, right)
        return terms.str_lt(low, high) if op in ("<", ">") else terms.str_le(low, high)
    if _stands_for_itself(st, left, right):
        return operate(st, op, left, right)
    asked = attempts(st, left, right, (_ORDER[op],), _MIRRORED[op], same=True)
    if asked:
        ask(st, asked, lambda state: _no_order(state, op, left, right), truth)
    left, right = as_set(st, left), as_set(st, right)
    names = (type_name(st, left), type_name(st, right))
    if names[0] == names[1] and names[0] in ("list", "tuple"):
        raise Invoke(model(st, f"seq_{_ORDER[op].strip('_')}"), [left, right], truth)
    if names == ("set", "set"):
        return _subset(st, op, reference(left), reference(right))
    return _no_order(st, op, left, right)


def _no_order(st: State, op: str, left: Value, right: Value) -> Value:
    names = (short(type_name(st, left)), short(type_name(st, right)))
    raise misuse(st, f"{op!r} not supported between instances of {names[0]!r} and {names[1]!r}", left, right)


def _subset(st: State, op: str, left: Ref, right: Ref) -> bool:
    if op in (">", ">="):
        left, right = right, left
    mine = mappings.entries(st.heap, st.pc, left)
    theirs = mappings.entries(st.heap, st.pc, right)
    if any(mappings.find(st.heap, st.pc, right, key) is None for key, _ in mine):
        return False
    return op in ("<=", ">=") or len(mine) < len(theirs)


def membership(st: State, negated: bool, item: Value, container: Value) -> Value:
    """`item in container` or `item not in container`"""
    container = resolve(st, container)
    method = user_method(st, container, "__contains__")
    if method is not None:
        raise Invoke(method, [container, item], negation if negated else truth)
    if user_method(st, container, "__iter__") is not None or user_method(st, container, "__getitem__") is not None:
        raise Invoke(model(st, "seq_contains"), [container, item], negation if negated else truth)
    result = _contains(st, item, container)
    if result is None:
        raise Invoke(model(st, "seq_contains"), [container, item], negation if negated else truth)
    return terms.not_(result) if negated else result


def _take_for_like(st: State, left: Value, right: Value) -> None:
    """Inputs of which nothing tells the type are of the type of what they are compared with."""
    for value, other in ((left, right), (right, left)):
        if st.heap.is_open(value):
            # Most programs have no such inputs.
            from everypath.languages.python.semantics.first_uses import take_for_like

            take_for_like(st, value, other)


def _contains(st: State, item: Value, container: Value) -> bool | Term | None:
    """Membership in a builtin collection; None where comparing with the elements takes code of the program."""
    kind = type_name(st, container)
    if st.heap.is_open(item):
        from everypath.languages.python.semantics.first_uses import take_for_element

        take_for_element(st, item, container)
    item = resolve(st, item)
    if is_text(container):
        item = content(st, item)
        if not is_text(item):
            raise Fault("TypeError", f"'in <string>' requires string as left operand, not {type_name(st, item)}")
        return terms.contains(container, item)
    if isinstance(container, bytes):
        return _in_bytes(st, item, container)
    if is_foreign(container):
        return bool(operate(st, "in", item, container))
    if kind in ("dict", "set"):
        need_hashable(st, item)
        return mappings.find(st.heap, st.pc, reference(container), item) is not None
    if isinstance(container, RangeValue) and (sort_of(item) == "number" or _compares_by_itself(st, item)):
        return _in_range(st, item, container)
    found = elements(st, container)
    if _plain(st, item) and all(_plain(st, v) for v in found):
        return terms.or_(*(v is item or equal(st.heap, v, item) for v in found))
    if not _compares_by_itself(st, item) or not all(_compares_by_itself(st, value) for value in found):
        return None
    return any(decide(st.pc, _structural(st, resolve(st, value), item)) for value in found)


def _compares_by_itself(st: State, value: Value) -> bool:
    """Whether a value is plain or an object whose class leaves equality to identity."""
    value = resolve(st, value)
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        return user_method(st, value, "__eq__") is None
    return _plain(st, value)


def _in_bytes(st: State, item: Value, container: bytes) -> bool | Term:
    """A part of a byte string, or one of its bytes."""
    if isinstance(item, bytes):
        return item in container
    if sort_of(item) != "number" or is_float(item):
        raise Fault("TypeError", f"a bytes-like object is required, not {type_name(st, item)!r}")
    number = as_int(item)
    if not decide(st.pc, terms.and_(terms.le(0, number), terms.lt(number, 256))):
        raise Fault("ValueError", "byte must be in range(0, 256)")
    return terms.or_(*(terms.eq(number, byte) for byte in sorted(set(container))))


def _in_range(st: State, item: Value, container: RangeValue) -> bool | Term:
    if sort_of(item) != "number":
        return False
    start, stop, step = container.start, container.stop, container.step
    if is_float(item):
        item = fixed(st, item, "a float in a range")
    if isinstance(item, float):
        if not item.is_integer():
            return False
        item = int(item)
    number = as_int(item)
    if decide(st.pc, terms.gt(step, 0)):
        inside, size = terms.and_(terms.le(start, number), terms.lt(number, stop)), step
    else:
        inside, size = terms.and_(terms.gt(number, stop), terms.le(number, start)), terms.neg(step)
    if size == 1:
        return inside
    return terms.and_(inside, terms.eq(terms.floormod(terms.sub(number, start), size), 0))
