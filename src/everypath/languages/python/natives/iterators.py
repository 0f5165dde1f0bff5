"""Iterators over everything iterable: one step at a time, so that a loop branches on its own exit test.

An iterator cell is a kind, what it runs over, and a position. `has` says whether there is another element
without changing anything and, where a term can say it, without a decision; `peek` gives the element and
notes the cells to replace, which the caller stores when all its questions are answered.
"""

from __future__ import annotations

from collections.abc import Callable

from everypath.errors import LimitReached, Unsupported
from everypath.explore.objects import program_of
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap import mappings, sequences
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, as_text
from everypath.heap.values import Cell, Fields, IteratorCell, ListCell, Ref, Value
from everypath.ir.program import Method
from everypath.languages.python.semantics.kinds import reference, type_name, user_method
from everypath.logic import terms
from everypath.logic.terms import IntLike, Term


class DictView(tuple[Value, ...]):
    """The content of a dict when the view was made; iterating starts from the dict's content at that time."""

    ref: Ref
    what: str
    """keys, values or items"""


# Their names are what messages of the language print.
_CLASSES = {what: type(f"dict_{what}", (DictView,), {"what": what}) for what in ("keys", "values", "items")}


def make_view(st: State, ref: Ref, what: str) -> DictView:
    """The view; an input dict gets an exact size for it."""
    entries = mappings.entries(st.heap, st.pc, ref)
    view: DictView = _CLASSES[what](pick(what, entry) for entry in entries)
    view.ref = ref
    return view


def pick(what: str, entry: tuple[Value, Value]) -> Value:
    """The part of an entry that the view shows."""
    return entry if what == "items" else entry[0] if what == "keys" else entry[1]


Updates = dict[Ref, Cell]
"""the cells to replace when an element is taken"""
Peeked = tuple[Value, tuple[Value, ...], IntLike]
"""an element, and what the iterator runs over and its position after it"""
NEXT = "$next"
"""the hidden field of a user's iterator that holds the element fetched by asking for one"""
DONE = "$done"
"""the hidden field that says that asking for an element found none"""
ROUNDS = "$rounds"
"""the hidden field that counts the elements of this loop whose existence was a symbolic decision"""


def new_iterator(st: State, kind: str, *parts: Value, position: IntLike = 0) -> Ref:
    """A new iterator object."""
    return st.heap.new_object("iterator", IteratorCell(kind, parts, position))


def has(st: State, it: Ref, updates: Updates) -> bool | Term:
    """Whether the iterator has another element, on top of the updates noted so far."""
    cell = updates[it] if it in updates else st.heap.cells[it]
    if not isinstance(cell, IteratorCell):
        return _user_has(st, it)
    return _HAS[cell.kind](st, cell, updates, it)


def peek(st: State, it: Ref, updates: Updates) -> Value:
    """The next element of an iterator that has one; the advanced cells go into the updates."""
    cell = updates[it] if it in updates else st.heap.cells[it]
    if not isinstance(cell, IteratorCell):
        return _user_peek(st, it, updates)
    value, parts, position = _PEEK[cell.kind](st, cell, updates)
    updates[it] = IteratorCell(cell.kind, parts, position)
    return value


def rest(st: State, it: Ref) -> tuple[tuple[Value, ...], Updates]:
    """All elements that are left, up to the bound where their number is symbolic, and the cells to replace."""
    updates: Updates = {}
    found: list[Value] = []
    decided = 0
    bound = st.heap.inputs.fixed_length
    while True:
        more = has(st, it, updates)
        if isinstance(more, Term):
            if not decide(st.pc, more):
                break
            decided += 1
            if decided > bound:
                raise LimitReached("loop", f"more than {bound} elements are not considered here (--lengths)")
        elif not more:
            break
        found.append(peek(st, it, updates))
    return tuple(found), updates


def model(st: State, name: str) -> Method:
    """The part of a builtin that is written in the source language."""
    method = program_of(st).find_method("builtins", name)
    if method is None:
        raise Unsupported(f"the library model {name} is missing")
    return method


def collector(st: State, value: Value, sized: bool) -> Method:
    """The model that collects the elements of an object of the program."""
    if sized and user_method(st, value, "__len__") is not None:
        return model(st, "collect_sized")
    if sized and user_method(st, value, "__length_hint__") is not None:
        raise Unsupported("an object with __length_hint__ made into a list or tuple")
    return model(st, "collect")


def runs_user_code(st: State, value: Value) -> bool:
    """Whether iterating over the resolved value calls methods of the program."""
    if not isinstance(value, Ref):
        return False
    cell = st.heap.cells[value]
    if isinstance(cell, IteratorCell):
        return cell.kind == "lazy" or any(isinstance(part, Ref) and runs_user_code(st, part) for part in cell.parts)
    return type(cell) is dict


def keep_found(obj: Ref, decisions: int) -> Callable[[State, Value], Value]:
    """Remembers in the user's iterator what asking it for an element gave: (True, element) or (False, anything).

    The loop's own test is then concrete, so its bound is checked here: an element counts when getting it
    took a decision.
    """

    def keep(st: State, answer: Value) -> Value:
        assert isinstance(answer, tuple)
        found, value = answer
        fields = st.heap.fields(obj)
        before = fields.get(ROUNDS, 0)
        assert isinstance(before, int)
        rounds = before + bool(found and st.decisions != decisions)
        caller = st.frame.parent if st.frame is not None else None
        if found and caller is not None and rounds > caller.code.loop_bound:
            raise LimitReached("loop")
        st.heap.cells[obj] = {**fields, NEXT if found else DONE: value, ROUNDS: rounds}
        return None

    return keep


def _without(fields: Fields, *names: str) -> Fields:
    return {name: value for name, value in fields.items() if name not in names}


def _user_has(st: State, obj: Ref) -> bool:
    fields = st.heap.fields(obj)
    if NEXT in fields:
        return True
    if DONE in fields:
        st.heap.cells[obj] = _without(fields, DONE, ROUNDS)
        return False
    raise Invoke(model(st, "advance"), [obj], keep_found(obj, st.decisions), again=True)


def _user_peek(st: State, obj: Ref, updates: Updates) -> Value:
    fields = st.heap.fields(obj)
    updates[obj] = _without(fields, NEXT)
    return fields[NEXT]


def _over(cell: IteratorCell, place: int = 0) -> Ref:
    """The object that an iterator runs over."""
    return reference(cell.parts[place])


def _items(cell: IteratorCell) -> tuple[Value, ...]:
    """The elements that an iterator over a tuple runs over."""
    items = cell.parts[0]
    assert isinstance(items, tuple)
    return items


def _place(cell: IteratorCell) -> int:
    """The position of an iterator that runs over something of known length."""
    assert isinstance(cell.position, int)
    return cell.position


def _has_list(st: State, cell: IteratorCell, _: Updates, __: Ref) -> bool | Term:
    return terms.lt(cell.position, st.heap.sequence(_over(cell)).length)


def _peek_list(st: State, cell: IteratorCell, _: Updates) -> Peeked:
    ref = _over(cell)
    content = st.heap.cells[ref]
    position = _place(cell)
    if isinstance(content, ListCell):
        if position >= len(content.items):
            raise sequences.OutOfRange
        value = content.items[position]
    else:
        value = sequences.get(st.heap, st.pc, ref, position, False)
    return value, cell.parts, position + 1


def _has_list_backwards(st: State, cell: IteratorCell, _: Updates, __: Ref) -> bool | Term:
    length = st.heap.sequence(_over(cell)).length
    return terms.and_(terms.ge(cell.position, 0), terms.lt(cell.position, length))


def _peek_list_backwards(st: State, cell: IteratorCell, _: Updates) -> Peeked:
    value = sequences.get(st.heap, st.pc, _over(cell), cell.position, False)
    return value, cell.parts, terms.sub(cell.position, 1)


def _has_tuple(st: State, cell: IteratorCell, _: Updates, __: Ref) -> bool:
    return _place(cell) < len(_items(cell))


def _peek_tuple(st: State, cell: IteratorCell, _: Updates) -> Peeked:
    place = _place(cell)
    return _items(cell)[place], cell.parts, place + 1


def _has_text(st: State, cell: IteratorCell, _: Updates, __: Ref) -> bool | Term:
    return terms.lt(cell.position, terms.str_len(as_text(cell.parts[0])))


def _peek_text(st: State, cell: IteratorCell, _: Updates) -> Peeked:
    return terms.str_at(as_text(cell.parts[0]), cell.position), cell.parts, terms.add(cell.position, 1)


def _has_text_backwards(st: State, cell: IteratorCell, _: Updates, __: Ref) -> bool | Term:
    return terms.ge(cell.position, 0)


def _peek_text_backwards(st: State, cell: IteratorCell, _: Updates) -> Peeked:
    return terms.str_at(as_text(cell.parts[0]), cell.position), cell.parts, terms.sub(cell.position, 1)


def _has_range(st: State, cell: IteratorCell, _: Updates, __: Ref) -> bool | Term:
    stop, _step, ascending = cell.parts
    return terms.lt(cell.position, as_int(stop)) if ascending else terms.gt(cell.position, as_int(stop))


def _peek_range(st: State, cell: IteratorCell, _: Updates) -> Peeked:
    return cell.position, cell.parts, terms.add(cell.position, as_int(cell.parts[1]))


def _has_entries(st: State, cell: IteratorCell, _: Updates, __: Ref) -> bool:
    size = cell.parts[2]
    assert isinstance(size, int)
    if len(st.heap.mapping(_over(cell)).entries) != size:
        raise Fault("RuntimeError", "dictionary changed size during iteration")
    return _place(cell) < size


def _peek_entries(st: State, cell: IteratorCell, _: Updates) -> Peeked:
    place = _place(cell)
    return pick(str(cell.parts[1]), st.heap.mapping(_over(cell)).entries[place]), cell.parts, place + 1


def _has_set(st: State, cell: IteratorCell, _: Updates, __: Ref) -> bool:
    keys = _items(cell)
    if len(st.heap.mapping(_over(cell, 1)).entries) != len(keys):
        raise Fault("RuntimeError", "Set changed size during iteration")
    return _place(cell) < len(keys)


def _has_inner(st: State, cell: IteratorCell, updates: Updates, _: Ref) -> bool | Term:
    return has(st, _over(cell), updates)


def _peek_inner(st: State, cell: IteratorCell, updates: Updates) -> Peeked:
    return peek(st, _over(cell), updates), cell.parts, cell.position


def _peek_enumerate(st: State, cell: IteratorCell, updates: Updates) -> Peeked:
    value = peek(st, _over(cell), updates)
    return (cell.position, value), cell.parts, terms.add(cell.position, 1)


def _has_zip(st: State, cell: IteratorCell, updates: Updates, _: Ref) -> bool | Term:
    inner = [reference(part) for part in cell.parts]
    if len(set(inner)) < len(inner):
        return _has_shared(st, inner, updates)
    conditions: list[bool | Term] = []
    for each in inner:
        # User code runs only when the iterators before it have an element.
        if conditions and runs_user_code(st, each) and not decide(st.pc, terms.and_(*conditions)):
            return False
        condition = has(st, each, updates)
        if condition is False:
            return False
        conditions.append(condition)
    return terms.and_(*conditions) if inner else False


def _has_shared(st: State, inner: list[Ref], updates: Updates) -> bool | Term:
    """The same iterator several times, as in `zip(it, it)`: each place takes an element from the one before."""
    if any(runs_user_code(st, each) for each in inner):
        raise Unsupported("zip() of one iterator object of the program several times")
    taken = dict(updates)
    conditions: list[bool | Term] = []
    for each in inner:
        condition = has(st, each, taken)
        if not decide(st.pc, condition):
            return False
        conditions.append(condition)
        peek(st, each, taken)
    # Decided, but as a term: a loop counts the rounds whose test was one.
    return terms.and_(*conditions)


def _has_strict(st: State, cell: IteratorCell, updates: Updates, _: Ref) -> bool | Term:
    """`zip(..., strict=True)`: all iterators must end together."""
    inner = [reference(part) for part in cell.parts]
    if not inner:
        return False
    shared = len(set(inner)) < len(inner)
    if shared and any(runs_user_code(st, each) for each in inner):
        raise Unsupported("zip() of one iterator object of the program several times")
    taken = dict(updates) if shared else updates
    conditions = [has(st, inner[0], taken)]
    first = decide(st.pc, conditions[0])
    for number, each in enumerate(inner[1:], 1):
        if shared and first:
            peek(st, inner[number - 1], taken)
        conditions.append(has(st, each, taken))
        if decide(st.pc, conditions[-1]) != first:
            others = "argument 1" if number == 1 else f"arguments 1-{number}"
            relation = "shorter" if first else "longer"
            raise Fault("ValueError", f"zip() argument {number + 1} is {relation} than {others}")
    # Decided, but as a term: a loop counts the rounds whose test was one.
    return terms.and_(*conditions) if first else False


def _peek_zip(st: State, cell: IteratorCell, updates: Updates) -> Peeked:
    return tuple(peek(st, reference(each), updates) for each in cell.parts), cell.parts, cell.position


def _has_lazy(st: State, cell: IteratorCell, _: Updates, it: Ref) -> bool:
    """An object of the program inside `enumerate` or `zip`, whose `__iter__` was not called yet."""
    (obj,) = cell.parts
    method = user_method(st, obj, "__iter__")
    assert method is not None

    def keep(state: State, result: Value) -> Value:
        state.heap.cells[it] = IteratorCell("inner", (checked_iterator(state, result),))
        return None

    raise Invoke(method, [obj], keep, again=True)


def checked_iterator(st: State, value: Value) -> Ref:
    """What `__iter__` returned, if it is an iterator."""
    value = st.heap.resolve(value)
    if isinstance(value, Ref):
        cell = st.heap.cells[value]
        if isinstance(cell, IteratorCell):
            return value
        if type(cell) is dict and user_method(st, value, "__next__") is not None:
            st.heap.cells[value] = _without(cell, ROUNDS)
            return value
    raise Fault("TypeError", f"iter() returned non-iterator of type {type_name(st, value).rsplit('.', 1)[-1]!r}")


_HAS: dict[str, Callable[[State, IteratorCell, Updates, Ref], bool | Term]] = {
    "list": _has_list,
    "list backwards": _has_list_backwards,
    "tuple": _has_tuple,
    "str": _has_text,
    "str backwards": _has_text_backwards,
    "range": _has_range,
    "dict": _has_entries,
    "set": _has_set,
    "inner": _has_inner,
    "lazy": _has_lazy,
    "enumerate": _has_inner,
    "zip": _has_zip,
    "zip strict": _has_strict,
}
_PEEK: dict[str, Callable[[State, IteratorCell, Updates], Peeked]] = {
    "list": _peek_list,
    "list backwards": _peek_list_backwards,
    "tuple": _peek_tuple,
    "str": _peek_text,
    "str backwards": _peek_text_backwards,
    "range": _peek_range,
    "dict": _peek_entries,
    "set": _peek_tuple,
    "inner": _peek_inner,
    "enumerate": _peek_enumerate,
    "zip": _peek_zip,
    "zip strict": _peek_zip,
}
