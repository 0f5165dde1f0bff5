"""Objects of modelled library classes in a case: queues, mappings, text streams, and locks that nobody has used."""

from __future__ import annotations

from everypath.cases.describing import Walk, WalkBefore
from everypath.cases.model import HeapState, MappingState, SequenceState, StreamState, UnusedState, Value
from everypath.errors import Unsupported
from everypath.explore.state import State
from everypath.heap.values import DictCell, InitialDict, InitialList, Ref
from everypath.heap.values import Value as Symbolic
from everypath.ir.types import ClassType

_DEQUE = "collections.deque"
_MAPPINGS = frozenset(f"collections.{name}" for name in ("OrderedDict", "Counter", "defaultdict"))
_STREAM = "io.StringIO"
_UNUSED = frozenset(f"threading.{name}" for name in ("Lock", "RLock", "Condition", "Event"))
"""Classes whose objects, as long as nobody uses them, are what a call without arguments gives."""


def library_input(walk: WalkBefore, cls: str, declared: ClassType, content: dict[str, Symbolic]) -> HeapState:
    """An input object of such a class, by what the path knows about its fields."""
    if cls == _STREAM:
        return StreamState(walk.scalar(walk.chosen(content.get("_text", ""))), 0, False)
    if cls in _UNUSED:
        return _unused(cls)
    if cls in _MAPPINGS:
        known = _inner(walk, content.get("content"))
        entries = known.entries if isinstance(known, InitialDict) else ()
        return _mapping(walk.state, declared, tuple((walk.first(k), walk.first(v)) for k, v in entries))
    if cls != _DEQUE or walk.chosen(content.get("maxlen")) is not None:
        raise Unsupported(f"an input of class {cls}")
    held = _inner(walk, content.get("_items"))
    return SequenceState("deque", walk.initial_items(held) if isinstance(held, InitialList) else ())


def _inner(walk: WalkBefore, value: Symbolic) -> Symbolic:
    """What the collection inside an input object held at the start."""
    inner = walk.chosen(value)
    return walk.heap.first.get(inner) if isinstance(inner, Ref) else None


def unread_library_input(state: State, declared: ClassType) -> HeapState | None:
    """The simplest object of such a class; None for a class whose objects cannot be written down."""
    cls = declared.name
    if cls == _STREAM:
        return StreamState("", 0, False)
    if cls in _UNUSED:
        return _unused(cls)
    if cls in _MAPPINGS:
        return _mapping(state, declared, ())
    return SequenceState("deque", ()) if cls == _DEQUE else None


def library_state(walk: Walk, cls: str, cell: dict[str, Symbolic], name: str) -> HeapState:
    """An object of such a class after the call: mappings are equal to the dict of their content."""
    if cls == _DEQUE:
        # How long it may become is nothing that equality looks at.
        if "_items" not in cell:
            return walk.before.get(name, SequenceState("deque", ()))
        items = walk.final_state(walk.chosen(cell["_items"]), name)
        return SequenceState("deque", items.items if isinstance(items, SequenceState) else ())
    if cls in _MAPPINGS and "content" not in cell:
        return walk.before.get(name, MappingState((), cls.rpartition(".")[2]))
    if cls == _STREAM:
        return _stream_state(walk, cell, name)
    if cls in _UNUSED:
        return _unused(cls)
    content = walk.chosen(cell.get("content"))
    if not isinstance(content, Ref) or not isinstance(walk.heap.cells[content], DictCell):
        raise Unsupported(f"a {cls} in a test's result")
    return walk.final_state(content, name)


def _stream_state(walk: Walk, cell: dict[str, Symbolic], name: str) -> StreamState:
    """A text stream as it is afterwards; what was never looked at is as it was."""
    start = walk.before.get(name)
    text = start.text if isinstance(start, StreamState) else ""
    if "_text" in cell:
        text = walk.scalar(walk.chosen(cell["_text"]))
    place = walk.scalar(walk.chosen(cell.get("_place")))
    return StreamState(text, place or 0, bool(walk.scalar(walk.chosen(cell.get("_closed")))))


def _mapping(state: State, declared: ClassType, entries: tuple[tuple[Value, Value], ...]) -> MappingState:
    factory = ""
    if declared.name == "collections.defaultdict":
        maker = state.heap.inputs.knowledge.maker_of_missing(declared)
        factory = maker.name if maker is not None else "None" if entries else ""
    return MappingState(entries, declared.name.rpartition(".")[2], factory)


def _unused(cls: str) -> UnusedState:
    module, _, name = cls.rpartition(".")
    return UnusedState(name, module)
