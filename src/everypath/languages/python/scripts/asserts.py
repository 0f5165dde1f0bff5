"""The last part of a test: what must be observed, one assertion per observable."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from everypath.cases.model import (
    ELEMENTS,
    Heap,
    HeapState,
    Instance,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Opaque,
    Pointer,
    SequenceState,
    StandInState,
    StreamState,
    TupleValue,
    UnusedState,
    Value,
    Written,
    parts,
)
from everypath.languages.python.cards.dates import CLOCKS
from everypath.languages.python.scripts.graph import is_nan, on_cycle, owners, plain, pointers
from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.scripts.layout import (
    INDENT,
    Expr,
    Group,
    Item,
    Text,
    assertion,
    assignment,
    call,
    fits,
    flat,
    lay_out,
)
from everypath.languages.python.scripts.literals import attribute
from everypath.languages.python.scripts.values import Plans, Writer, is_indexed
from everypath.languages.python.scripts.variables import Scope, snake_case

RESULT = "result"
"""The variable that holds what the call gave."""
_LONGEST_PATH = 2
"""Attribute and index steps after which an object gets a name of its own."""
_TYPE_UNKNOWN = frozenset(("", *(cls.rpartition(".")[0] for cls in CLOCKS)))
"""Modules of objects whose exact type is not compared: a test that sets the clock puts a class below in its place."""


_INNER = {"<dict>": "dict(dict.items({}))", "<list>": "list.copy({})"}
"""What an object that extends a collection holds is no attribute, and its methods may hide it."""


class Changes:
    """What the code of a call could have changed."""

    def __init__(self, heap: Heap, names: tuple[str, ...] | None) -> None:
        self._names = names
        self._holders: dict[str, set[str]] = {}
        for state in heap.values():
            if isinstance(state, ObjectState):
                for name, value in state.fields:
                    for target in pointers(value):
                        self._holders.setdefault(target, set()).add(name)

    def field(self, name: str, value: Value) -> bool:
        """Whether a field could have another value."""
        if self._names is None or name in self._names or name in _INNER:
            return True
        return isinstance(value, Pointer) and f"{name}{ELEMENTS}" in self._names

    def elements(self, target: str) -> bool:
        """Whether a collection could have other elements."""
        if self._names is None or ELEMENTS in self._names:
            return True
        held = {f"{name}{ELEMENTS}" for name in self._holders.get(target, ())}
        # A collection that no object holds may have become a field's on the way.
        return any(name in held or (not held and name.endswith(ELEMENTS)) for name in self._names)


class Observer:
    """Writes assertions about a heap, given the names of the objects that the test already holds.

    With `exact_types`, 1, 1.0 and True are different things: too pedantic to read, right for checking predictions.
    """

    def __init__(
        self,
        heap: Heap,
        names: Mapping[str, str],
        imports: Imports,
        scope: Scope,
        plans: Plans | None = None,
        *,
        exact_types: bool = False,
    ) -> None:
        self._exact_types = exact_types
        self._heap = heap
        self._bound = dict(names)
        self._named = frozenset(names)
        self._imports = imports
        self._scope = scope
        self._shared = frozenset(target for target, by in owners(heap).items() if by.total() > 1)
        self._writer = Writer(heap, self._bound, imports, plans)
        self._queue: deque[tuple[str, str]] = deque()
        self._lines: list[str] = []

    def lines(self) -> list[str]:
        """The assertions written so far."""
        return self._lines

    def result(self, value: Value, path: str = RESULT) -> None:
        """Assert about a returned value and everything new behind it."""
        self._value(path, value)
        self._drain()

    def input(self, target: str, before: HeapState | None, changes: Changes) -> None:
        """Assert what a call has changed in an object that the test built, and shortly the rest that it could have."""
        state = self._heap.get(target)
        if state is None or (state == before and isinstance(state, StandInState)):
            return
        path = self._bound[target]
        if isinstance(state, ObjectState) and isinstance(before, ObjectState):
            was = dict(before.fields)
            same = [name for name, value in state.fields if was.get(name) == value]
            self._together(path, [(name, value) for name, value in state.fields if name not in same])
            could = [(name, value) for name, value in state.fields if name in same and changes.field(name, value)]
            self._together(path, could, by_value=True)
        elif state != before or changes.elements(target):
            self._state(path, state)
        self._drain()

    def _drain(self) -> None:
        while self._queue:
            path, target = self._queue.popleft()
            self._state(path, self._heap[target])

    def _together(self, path: str, fields: Sequence[tuple[str, Value]], *, by_value: bool = False) -> None:
        """One comparison for the fields that can be written in place, if it fits on a line, then the others.

        An object that was there before is compared by its identity unless the call has left the field alone.
        """
        simple: Sequence[tuple[str, Value]] = ()
        if not self._exact_types:
            simple = [(n, v) for n, v in fields if self._in_place(v) and (by_value or not isinstance(v, Pointer))]
        left = Group("(", tuple(Item(Text(_at(path, name))) for name, _ in simple), ")")
        right = Group("(", tuple(Item(self._writer.value(value)) for _, value in simple), ")")
        if len(simple) > 1 and fits(f"{INDENT}assert {flat(left)} == {flat(right)}"):
            self._lines += assertion(left, "==", right)
            fields = [each for each in fields if each not in simple]
        for name, value in fields:
            self._value(_at(path, name), value)

    def _in_place(self, value: Value) -> bool:
        """Whether `==` with an expression of literals, and of names unless types are exact, says all about a value."""
        if self._exact_types:
            return plain(value, self._heap, self._not_in_place())
        match value:
            case Named():
                return True
            case TupleValue(items=items):
                return all(map(self._in_place, items))
            case Pointer(id=target) if target in self._bound:
                return isinstance(self._heap.get(target), (ObjectState, StandInState))
            case Pointer(id=target) if target in self._heap and target not in self._shared:
                state = self._heap[target]
                if isinstance(state, (SequenceState, MappingState)) or self._is_by_value(state):
                    return not on_cycle(target, self._heap) and all(map(self._in_place, parts(state)))
        return plain(value, self._heap, self._not_in_place())

    def _is_by_value(self, state: HeapState) -> bool:
        return isinstance(state, ObjectState) and self._writer.plan_by_value(state) is not None

    def _value(self, path: str, value: Value) -> None:
        match value:
            case Literal(value=atom):
                if atom is None or isinstance(atom, bool):
                    self._assert(path, "is", Text(repr(atom)))
                elif is_nan(value):
                    self._imports.module("math")
                    self._lines += lay_out("assert ", call("math.isnan", [Item(Text(path))]), "", INDENT)
                else:
                    self._assert(path, "==", self._writer.value(value))
                    if self._exact_types:
                        self._assert_of("type", path, "is", type(atom).__name__)
            case Named():
                self._assert(path, "is", self._writer.value(value))
            case Opaque(kind="callable"):
                self._assert_of("callable", path, "is", "True")
            case Opaque(kind="integer"):
                self._assert_of("type", path, "is", "int")
            case Opaque(kind="anything"):
                return
            case Opaque():
                self._assert(f"iter({path})", "is", Text(path))
            case Instance(module=module, name=name):
                cls = Item(Text(self._imports.name(module, name)))
                self._lines += lay_out("assert ", call("isinstance", [Item(Text(path)), cls]), "", INDENT)
            case Written(module=module):
                self._assert(path, "==", self._writer.value(value))
                if self._exact_types and module not in _TYPE_UNKNOWN:
                    self._assert_of("type", path, "is", f"type({flat(self._writer.value(value))})")
            case TupleValue(items=items):
                if self._in_place(value):
                    self._assert(path, "==", self._writer.value(value))
                else:
                    self._assert_of("len", path, "==", str(len(items)))
                    for i, item in enumerate(items):
                        self._value(f"{path}[{i}]", item)
            case Pointer(id=target):
                self._reference(path, target)

    def _reference(self, path: str, target: str) -> None:
        """An object known by name or by an earlier path must be that very object; a new one is looked into."""
        state = self._heap.get(target)
        if target in self._bound:
            if self._bound[target] != path:
                self._assert(path, "is", Text(self._bound[target]))
        elif isinstance(state, ObjectState) and self._in_place(Pointer(target)):
            self._assert(path, "==", self._writer.container(state))
            self._bound[target] = path
        elif isinstance(state, ObjectState):
            self._assert_of("type", path, "is", self._imports.name(state.module, state.cls))
            if state.fields:
                path = self._shorten(path, target, snake_case(state.cls.rpartition(".")[2]))
                self._queue.append((path, target))
            self._bound[target] = path
        elif state is not None:
            self._bound[target] = path
            self._state(path, state)

    def _shorten(self, path: str, target: str, name: str) -> str:
        """A local variable for a new object that is far away or reached in several ways."""
        steps = path.count(".") + path.count("[")
        if path == RESULT or (steps < _LONGEST_PATH and target not in self._shared):
            return path
        variable = self._scope.claim(f"new_{name}")
        self._lines += assignment(variable, Text(path))
        return variable

    def _state(self, path: str, state: HeapState) -> None:
        match state:
            case ObjectState(fields=fields):
                self._together(path, fields)
            case SequenceState(kind=kind, items=items):
                self._sequence(path, state, kind, items)
            case MappingState(entries=entries):
                self._mapping(path, state, entries)
            case UnusedState():
                # Whether it was used in between cannot be seen.
                return
            case StandInState(fields=fields):
                for field, value in fields:
                    self._value(f"{path}.{field}", value)
            case StreamState(text=text, place=place, closed=closed):
                if closed:
                    self._assert(f"{path}.closed", "is", Text("True"))
                    return
                self._value(f"{path}.getvalue()", Literal(text))
                self._value(f"{path}.tell()", Literal(place))

    def _sequence(self, path: str, state: SequenceState, kind: str, items: tuple[Value, ...]) -> None:
        if self._plain_parts(items):
            self._assert(path, "==", self._writer.container(state))
            return
        self._assert_of("len", path, "==", str(len(items)))
        if is_indexed(kind):
            for i, item in enumerate(items):
                self._value(f"{path}[{i}]", item)
            return
        for item in items:
            if self._writable(item):
                self._assert(flat(self._writer.value(item)), "in", Text(path))
        if len(items) == 1 and isinstance(items[0], Pointer) and items[0].id not in self._bound:
            only = self._scope.claim("only")
            self._lines.append(f"{INDENT}({only},) = {path}")
            self._value(only, items[0])

    def _mapping(self, path: str, state: MappingState, entries: tuple[tuple[Value, Value], ...]) -> None:
        if self._plain_parts(tuple(part for entry in entries for part in entry)):
            self._assert(path, "==", self._writer.container(state))
            return
        self._assert_of("len", path, "==", str(len(entries)))
        for key, value in entries:
            if self._writable(key):
                self._value(f"{path}[{flat(self._writer.value(key))}]", value)

    def _plain_parts(self, values: tuple[Value, ...]) -> bool:
        return all(map(self._in_place, values))

    def _not_in_place(self) -> frozenset[str]:
        """Objects whose identity matters: named ones, and those that several others hold."""
        return self._named | self._shared

    def _writable(self, value: Value) -> bool:
        """Whether a key or set element can be written down: no new object is involved."""
        if isinstance(value, TupleValue):
            return all(self._writable(item) for item in value.items)
        if isinstance(value, Pointer):
            return value.id in self._bound or plain(value, self._heap, self._not_in_place())
        return not is_nan(value) and not isinstance(value, (Opaque, Instance))

    def _assert_of(self, function: str, path: str, operator: str, right: str) -> None:
        self._lines += assertion(call(function, [Item(Text(path))]), operator, Text(right))

    def _assert(self, left: str, operator: str, right: Expr) -> None:
        line = f"{INDENT}assert {left} {operator} {flat(right)}"
        if not fits(line) and isinstance(right, Text) and operator == "==" and right.text[-1:] in "\"'0123456789":
            # A long constant reads better under a name than wrapped inside the assertion.
            name = self._scope.claim("expected")
            self._lines += assignment(name, right)
            right = Text(name)
        self._lines += assertion(Text(left), operator, right)


def _at(path: str, field: str) -> str:
    """What a field holds, as an expression."""
    return _INNER[field].format(path) if field in _INNER else attribute(path, field)
