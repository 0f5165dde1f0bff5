"""Converts values of the heap to the plain Python objects that they stand for (`lower`), and back (`lift`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed, only_value
from everypath.explore.objects import resolve
from everypath.explore.state import State
from everypath.heap import mappings, sequences
from everypath.heap.values import DictCell, IteratorCell, ListCell, OpenList, RangeValue, Ref, Value
from everypath.ir.instructions import NativeRef
from everypath.languages.python.natives.iterators import DictView
from everypath.languages.python.semantics.host_objects import Kept, is_foreign, is_record
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.moments import Moment
from everypath.logic.terms import Term

_ATOMS = frozenset((int, bool, float, str, bytes, type(None)))
_DEEPEST = 30
_MOST = 100_000


class NotConcrete(Exception):
    """The value has a symbolic part, or is something that has no plain form; the message says what."""


def fix_text(st: State, name: str, args: tuple[Value, ...], keywords: dict[str, Value], what: str) -> None:
    """Let an unknown text be one that the function accepts, among others."""
    values = (resolve(st, value) for value in (*args, *keywords.values()))
    text = next((v for v in values if isinstance(v, Term) and v.sort == "str"), None)
    if text is not None and only_value(st, text) is None:
        # Few functions read texts.
        from everypath.languages.python.natives.readable_texts import readable

        if hints := readable(name, args[1:]):
            fixed(st, text, what, hints)


def lower(st: State, value: Value, depth: int = 0, pin: str = "") -> Any:
    """A plain Python copy of the value; a term that can only have one value on this path is that value.

    With `pin`, which says what for, terms are fixed and input collections get an exact size.
    """
    if value.__class__ in _ATOMS:
        return value
    value = resolve(st, value)
    if depth > _DEEPEST:
        raise NotConcrete("a deeply nested value")
    if isinstance(value, Term):
        known = fixed(st, value, pin) if pin else only_value(st, value)
        if known is None:
            raise NotConcrete(f"a symbolic {value.sort}")
        return known
    if isinstance(value, DictView):
        mapping = lower(st, value.ref, depth + 1, pin)
        return getattr(mapping, value.what)()
    if isinstance(value, tuple):
        return tuple(lower(st, item, depth + 1, pin) for item in value)
    if isinstance(value, RangeValue):
        return range(*(lower(st, part, depth + 1, pin) for part in (value.start, value.stop, value.step)))
    if isinstance(value, Ref):
        return _lower_collection(st, value, depth + 1, pin)
    if isinstance(value, Moment):
        return value.known(lower(st, value.number, depth, pin))
    if value.__class__ in _ATOMS or (is_foreign(value) and not isinstance(value, Kept)):
        return value
    raise NotConcrete(f"a value of type {type_name(st, value)}")


def _lower_collection(st: State, ref: Ref, depth: int, pin: str) -> Any:
    """A list, dict or set of the host with copies of the content."""
    if pin:
        _settle_size(st, ref)
    cell = st.heap.cells[ref]
    if isinstance(cell, ListCell):
        return [lower(st, item, depth, pin) for item in cell.items]
    if not isinstance(cell, DictCell) or cell.open:
        raise NotConcrete(f"a value of type {type_name(st, ref)}")
    try:
        if cell.kind == "dict":
            return {lower(st, key, depth, pin): lower(st, value, depth, pin) for key, value in cell.entries}
        keys = {lower(st, key, depth, pin) for key, _ in cell.entries}
        return frozenset(keys) if cell.frozen else keys
    except TypeError:
        raise NotConcrete(f"a {cell.kind} with keys that cannot be hashed") from None


def _settle_size(st: State, ref: Ref) -> None:
    """Give an input collection an exact size."""
    cell = st.heap.cells[ref]
    if isinstance(cell, OpenList):
        sequences.items(st.heap, st.pc, ref)
    elif isinstance(cell, DictCell):
        mappings.entries(st.heap, st.pc, ref)


def lift(st: State, value: Any) -> Value:
    """The value for a plain Python object; lists, dicts and sets become new objects of the program."""
    if value.__class__ in _ATOMS or is_record(value):
        plain: Value = value
        return plain
    if isinstance(value, tuple):
        return tuple(lift(st, item) for item in value)
    if isinstance(value, list):
        return st.heap.new_object("list", ListCell(tuple(lift(st, item) for item in value)))
    if isinstance(value, (set, frozenset)):
        entries = tuple((lift(st, key), True) for key in value)
        return st.heap.new_object("set", DictCell(entries, kind="set", frozen=isinstance(value, frozenset)))
    if isinstance(value, dict):
        return st.heap.new_object("dict", DictCell(tuple((lift(st, k), lift(st, v)) for k, v in value.items())))
    if is_foreign(value):
        return value
    if isinstance(value, type):
        name = value.__qualname__
        return NativeRef(name if value.__module__ == "builtins" else f"{value.__module__}.{name}")
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Sequence):
        # A view of the library's, such as the folders above a path.
        return tuple(lift(st, item) for item in value[:_MOST])
    if isinstance(value, Iterator):
        items = tuple(lift(st, item) for item in islice(value, _MOST))
        return st.heap.new_object("iterator", IteratorCell("tuple", (items,)))
    raise Unsupported(f"a result of type {type(value).__name__}")
