"""`copy.copy` and `copy.deepcopy`."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.natives.table import builtin
from everypath.explore.objects import get_field, program_of, resolve, short, type_name, user_method
from everypath.explore.signals import Invoke
from everypath.explore.state import State
from everypath.heap import mappings, sequences
from everypath.heap.values import DictCell, IteratorCell, ListCell, OpenList, Ref, Value


@builtin("copy.copy")
def copy(st: State, x: Value) -> Value:
    """`copy.copy(x)`"""
    value = resolve(st, x)
    if not isinstance(value, Ref):
        return value
    method = user_method(st, value, "__copy__")
    if method is not None:
        raise Invoke(method, [value])
    return st.heap.new_object(_exact(st, value), _content(st, value))


@builtin("copy.deepcopy")
def deepcopy(st: State, x: Value, memo: Value = None) -> Value:
    """`copy.deepcopy(x)`; everything that is reached is looked at before the first copy is made."""
    value = resolve(st, x)
    if isinstance(value, Ref) and user_method(st, value, "__deepcopy__") is not None:
        method = user_method(st, value, "__deepcopy__")
        assert method is not None
        raise Invoke(method, [value, st.heap.new_object("dict", DictCell(()))])
    found: dict[Ref, object] = {}
    _gather(st, value, found)
    copies = {ref: st.heap.new_object(_exact(st, ref), content) for ref, content in found.items()}
    for twin in copies.values():
        st.heap.cells[twin] = _replaced(st, st.heap.cells[twin], copies)
    return _twin(st, value, copies)


def _exact(st: State, ref: Ref) -> str:
    return type_name(st, ref)


def _content(st: State, ref: Ref) -> object:
    """What the object holds, an input being looked at as a whole."""
    cell = st.heap.cells[ref]
    if isinstance(cell, ListCell | OpenList):
        return ListCell(sequences.items(st.heap, st.pc, ref))
    if isinstance(cell, DictCell):
        return DictCell(mappings.entries(st.heap, st.pc, ref), kind=cell.kind, frozen=cell.frozen)
    if isinstance(cell, IteratorCell) or type(cell) is not dict:
        raise Unsupported(f"copying a {short(type_name(st, ref))}")
    if any(user_method(st, ref, name) is not None for name in ("__reduce__", "__reduce_ex__", "__getstate__")):
        raise Unsupported(
            f"copying an object of class {short(type_name(st, ref))}, which says itself how it is pickled"
        )
    if ref.input:
        for name in program_of(st).all_fields(type_name(st, ref)):
            get_field(st, ref, name)
    return {name: value for name, value in st.heap.cells[ref].items() if not name.startswith("$")}


def _parts(content: object) -> list[Value]:
    if isinstance(content, ListCell):
        return list(content.items)
    if isinstance(content, DictCell):
        return [part for entry in content.entries for part in entry]
    assert isinstance(content, dict)
    return list(content.values())


def _gather(st: State, value: Value, found: dict[Ref, object]) -> None:
    value = resolve(st, value)
    if isinstance(value, tuple):
        for part in value:
            _gather(st, part, found)
    elif isinstance(value, Ref) and value not in found:
        if found and user_method(st, value, "__deepcopy__") is not None:
            raise Unsupported("copying an object that contains others with __deepcopy__")
        found[value] = _content(st, value)
        for part in _parts(found[value]):
            _gather(st, part, found)


def _twin(st: State, value: Value, copies: dict[Ref, Ref]) -> Value:
    value = resolve(st, value)
    if isinstance(value, tuple):
        return tuple(_twin(st, part, copies) for part in value)
    return copies.get(value, value) if isinstance(value, Ref) else value


def _replaced(st: State, content: object, copies: dict[Ref, Ref]) -> object:
    if isinstance(content, ListCell):
        return ListCell(tuple(_twin(st, part, copies) for part in content.items))
    if isinstance(content, DictCell):
        entries = tuple((_twin(st, k, copies), _twin(st, v, copies)) for k, v in content.entries)
        return DictCell(entries, kind=content.kind)
    assert isinstance(content, dict)
    return {name: _twin(st, part, copies) for name, part in content.items()}
