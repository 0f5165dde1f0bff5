"""Values of test cases as source expressions."""

from __future__ import annotations

from collections.abc import Mapping

from everypath.cases.model import (
    BuildPlan,
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
)
from everypath.errors import Internal, Unsupported
from everypath.languages.python.cards.index import KINDS
from everypath.languages.python.cards.streams import STREAM
from everypath.languages.python.scripts.graph import same_literal
from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.scripts.layout import Expr, Group, Item, Text, call, flat
from everypath.languages.python.scripts.literals import literal

Plans = Mapping[tuple[str, str], BuildPlan]
"""Module and class -> how objects are made."""
_NONE = Text("None")
_LONG_LIST = 10


class Writer:
    """Writes values over one heap, where some objects have names and the others are written in place."""

    def __init__(self, heap: Heap, names: Mapping[str, str], imports: Imports, plans: Plans | None = None) -> None:
        self.heap = heap
        self.names = names
        self.imports = imports
        self._plans = plans or {}
        """how objects that are compared are made"""

    def value(self, value: Value) -> Expr:
        """The expression that gives the value."""
        match value:
            case Literal(value=atom):
                return Text(literal(atom))
            case TupleValue(items=items):
                return Group("(", tuple(Item(self.value(item)) for item in items), ")")
            case Named(module=module, name=name, bits=bits):
                written = self.imports.name(module, name)
                return Text(written if bits is None else f"{written}({bits})")
            case Opaque(kind=kind):
                raise Unsupported(f"a {kind} cannot be written in a test")
            case Instance(name=name):
                raise Unsupported(f"an object of class {name} cannot be written in a test")
            case Written(module=module, expression=expression):
                if module:
                    self.imports.module(module)
                return Text(expression)
            case Pointer(id=target) if target in self.names:
                return Text(self.names[target])
            case Pointer(id=target) if target in self.heap:
                return self.container(self.heap[target])
            case Pointer(id=target):
                raise Internal(f"the test case refers to the object {target!r}, which its heap does not hold")

    def container(self, state: HeapState, hidden: frozenset[int] = frozenset()) -> Expr:
        """A list, set, dict or stream written in place; the elements at `hidden` are None for now."""
        match state:
            case ObjectState(cls=cls):
                if (plan := self.plan_by_value(state)) is not None:
                    return self._made(state, plan)
                raise Unsupported(f"an object of class {cls} cannot be written in place")
            case MappingState():
                return self._mapping(state, hidden)
            case StandInState():
                from everypath.languages.python.scripts.mocks import StandIns

                return StandIns(self.value, self.imports).expression(state)
            case UnusedState(module=module, cls=cls):
                return call(self.imports.name(module, cls), [])
            case StreamState(text=text):
                written = [Item(Text(literal(text)))] if text else []
                return call(self.imports.name(STREAM.module, STREAM.short), written)
            case SequenceState():
                return self._sequence(state, hidden)

    def plan_by_value(self, state: ObjectState) -> BuildPlan | None:
        """How to make an object that is equal to one in this state, if its class compares all fields."""
        plan = self._plans.get((state.module, state.cls))
        if plan is None or not plan.by_value:
            return None
        return plan if {mapped for _, mapped, _, _ in plan.params} == {name for name, _ in state.fields} else None

    def _made(self, state: ObjectState, plan: BuildPlan) -> Expr:
        fields = dict(state.fields)
        given = [
            Item(self.value(fields[field]), f"{parameter}=")
            for parameter, field, has_default, default in plan.params
            if field is not None and not (has_default and same_literal(fields[field], default))
        ]
        return call(self.imports.name(state.module, state.cls), given)

    def _mapping(self, state: MappingState, hidden: frozenset[int]) -> Expr:
        entries = tuple(
            Item(_NONE if i in hidden else self.value(value), f"{flat(self.value(key))}: ")
            for i, (key, value) in enumerate(state.entries)
        )
        written = Group("{", entries, "}")
        if state.kind == "dict":
            return written
        given = [Item(Text(state.factory))] if state.factory else []
        given += [Item(written)] if entries else []
        return call(self.imports.name(KINDS[state.kind].module, state.kind), given)

    def _sequence(self, state: SequenceState, hidden: frozenset[int]) -> Expr:
        repeated = _repeated(state.items) if state.kind == "list" and not hidden else None
        if repeated is not None:
            return Text(f"[{literal(repeated.value)}] * {len(state.items)}")
        items = tuple(Item(_NONE if i in hidden else self.value(item)) for i, item in enumerate(state.items))
        match state.kind:
            case "list":
                return Group("[", items, "]")
            case "set":
                return Group("{", items, "}") if items else call("set", [])
            case "frozenset":
                return call("frozenset", [Item(Group("{", items, "}"))] if items else [])
        if state.kind in KINDS:
            name = self.imports.name(KINDS[state.kind].module, state.kind)
            return call(name, [Item(Group("[", items, "]"))] if items else [])
        raise Unsupported(f"a {state.kind} cannot be written in a test")


def is_indexed(kind: str) -> bool:
    """Whether elements of a sequence are known by their places, as those of a list are, and not of a set."""
    return kind == "list" or kind in KINDS


def _repeated(items: tuple[Value, ...]) -> Literal | None:
    """The literal that a long list holds throughout."""
    first = items[0] if len(items) >= _LONG_LIST else None
    if isinstance(first, Literal) and all(same_literal(first, item) for item in items):
        return first
    return None
