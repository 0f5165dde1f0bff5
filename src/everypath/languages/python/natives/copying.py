"""`copy.copy` and `copy.deepcopy`."""

from __future__ import annotations

from everypath.errors import LimitReached, Unsupported
from everypath.explore.objects import exact_class, program_of, resolve, short
from everypath.explore.signals import Invoke
from everypath.explore.state import State
from everypath.heap import mappings, sequences
from everypath.heap.values import Cell, DictCell, IteratorCell, ListCell, OpenList, Ref, Value
from everypath.ir.names import interface_of
from everypath.languages.python.cards.index import COLLECTIONS
from everypath.languages.python.natives.table import builtin
from everypath.languages.python.semantics.attributes import get_field
from everypath.languages.python.semantics.extended import CONTENT, base_of
from everypath.languages.python.semantics.kinds import type_name, user_method

_HOLDING = {
    **CONTENT,
    "builtin_bases.SetBase": "_content",
    **{card.name: card.content for card in COLLECTIONS.values()},
}
"""classes that stand for collections, and the field that holds what is in them"""
_TAKE_PART = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
_REBUILD = ("__init__", "__setitem__", "append", "extend")
"""methods by which the library fills the copy of a collection"""


@builtin("copy.copy")
def copy(st: State, x: Value) -> Value:
    """`copy.copy(x)`"""
    value = resolve(st, x)
    if not isinstance(value, Ref) or _unchanging(st, value):
        return value
    method = user_method(st, value, "__copy__")
    if method is not None:
        raise Invoke(method, [value])
    content = _content(st, value)
    held = {name: (type_name(st, ref), _content(st, ref)) for name, ref in _held(st, value, content)}
    if isinstance(content, dict):
        content |= {name: st.heap.new_object(kind, inner) for name, (kind, inner) in held.items()}
    return st.heap.new_object(type_name(st, value), content)


@builtin("copy.deepcopy")
def deepcopy(st: State, x: Value, memo: Value = None) -> Value:
    """`copy.deepcopy(x)`; everything that is reached is looked at before the first copy is made."""
    value = resolve(st, x)
    if isinstance(value, Ref) and user_method(st, value, "__deepcopy__") is not None:
        method = user_method(st, value, "__deepcopy__")
        assert method is not None
        raise Invoke(method, [value, st.heap.new_object("dict", DictCell(()))])
    found: dict[Ref, Cell] = {}
    _gather(st, value, found)
    copies = {ref: st.heap.new_object(type_name(st, ref), content) for ref, content in found.items()}
    for twin in copies.values():
        st.heap.cells[twin] = _replaced(st, st.heap.cells[twin], copies)
    return _twin(st, value, copies)


def _unchanging(st: State, ref: Ref) -> bool:
    """Whether a shallow copy is the object itself."""
    cell = st.heap.cells.get(ref)
    return ref.cls in st.heap.inputs.enumerations or (isinstance(cell, DictCell) and cell.frozen)


def _held(st: State, ref: Ref, content: Cell) -> list[tuple[str, Ref]]:
    """For an object of a collection class: the fields that hold its content, and the collections in them."""
    order = program_of(st).mro(type_name(st, ref))
    names = {_HOLDING[cls] for cls in order if cls in _HOLDING}
    if not isinstance(content, dict) or not names:
        return []
    found = [(name, resolve(st, content[name])) for name in names if name in content]
    return [(name, part) for name, part in found if isinstance(part, Ref)]


def _content(st: State, ref: Ref) -> Cell:
    """What the object holds; an input object gets a value for every field."""
    cell = st.heap.cells[ref]
    if isinstance(cell, (ListCell, OpenList)):
        return ListCell(sequences.items(st.heap, st.pc, ref))
    if isinstance(cell, DictCell):
        return DictCell(mappings.entries(st.heap, st.pc, ref), kind=cell.kind, frozen=cell.frozen)
    if isinstance(cell, IteratorCell) or type(cell) is not dict:
        raise Unsupported(f"copying a {short(type_name(st, ref))}")
    exact_class(st, ref)
    _need_plain(st, ref)
    if ref.input:
        for name in program_of(st).all_fields(type_name(st, ref)):
            get_field(st, ref, name)
    return {name: value for name, value in st.heap.fields(ref).items() if not name.startswith("$")}


def _need_plain(st: State, ref: Ref) -> None:
    """Refuse objects whose copies are made by methods of the program, and those that are mocks in a test."""
    cls = type_name(st, ref)
    if interface_of(cls) is not None:
        raise Unsupported("copying an object of an interface, which stands for any implementation")
    names: tuple[str, ...] = (*_TAKE_PART, "__new__")
    if any(base in _HOLDING for base in program_of(st).mro(cls)):
        names += _REBUILD
    if base_of(program_of(st), cls) in CONTENT:
        names = tuple(name for name in names if name != "__init__")
    for name in names:
        method = user_method(st, ref, name)
        if method is not None and not method.model:
            raise Unsupported(f"copying an object of class {short(cls)}, in which {name} takes part")


def _parts(content: Cell) -> list[Value]:
    if isinstance(content, ListCell):
        return list(content.items)
    if isinstance(content, DictCell):
        return [part for entry in content.entries for part in entry]
    assert isinstance(content, dict)
    return list(content.values())


def _gather(st: State, value: Value, found: dict[Ref, Cell], around: tuple[str, ...] = ()) -> None:
    """What is reached from a value, in `found`; `around` are the classes of the input objects that hold it."""
    value = resolve(st, value)
    if isinstance(value, tuple):
        for part in value:
            _gather(st, part, found, around)
    elif isinstance(value, Ref) and value not in found and value.cls not in st.heap.inputs.enumerations:
        if found and user_method(st, value, "__deepcopy__") is not None:
            raise Unsupported("copying an object that contains others with __deepcopy__")
        if value.input:
            around = (*around, value.cls)
            if st.frame is not None and around.count(value.cls) - 1 > st.frame.code.loop_bound:
                raise LimitReached(
                    "loop", f"objects of class {short(value.cls)} nested deeper are not copied (--loops)"
                )
        found[value] = _content(st, value)
        for part in _parts(found[value]):
            _gather(st, part, found, around)


def _twin(st: State, value: Value, copies: dict[Ref, Ref]) -> Value:
    value = resolve(st, value)
    if isinstance(value, tuple):
        return tuple(_twin(st, part, copies) for part in value)
    return copies.get(value, value) if isinstance(value, Ref) else value


def _replaced(st: State, content: Cell, copies: dict[Ref, Ref]) -> Cell:
    if isinstance(content, ListCell):
        return ListCell(tuple(_twin(st, part, copies) for part in content.items))
    if isinstance(content, DictCell):
        entries = tuple((_twin(st, k, copies), _twin(st, v, copies)) for k, v in content.entries)
        return DictCell(entries, kind=content.kind, frozen=content.frozen)
    assert isinstance(content, dict)
    return {name: _twin(st, part, copies) for name, part in content.items()}
