"""The first part of a test: building its inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from everypath.cases.model import (
    BuildPlan,
    CallCase,
    HeapState,
    Literal,
    MappingState,
    ObjectState,
    Pointer,
    StandInState,
    StreamState,
    UnusedState,
    Value,
    parts,
)
from everypath.languages.python.scripts.graph import children_first, pointers, same_literal
from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.scripts.layout import INDENT, Expr, Item, Text, assignment, call, flat, lay_out
from everypath.languages.python.scripts.literals import set_attribute
from everypath.languages.python.scripts.values import Plans, Writer, is_indexed
from everypath.languages.python.scripts.variables import roots_of
from everypath.records import dataclass

TRUSTING, CONSTRUCTOR, ATTRIBUTES, RAW, BARE = range(5)
"""Ways to build objects: through a constructor that is trusted to set what its parameters are called and to
leave the rest empty; through the constructor, then every field it is not known to set; without the
constructor; without it and past any `__setattr__`; past a `__new__` of the class, too. Only a run shows
whether the first and the last two work."""
VARIANTS = (TRUSTING, CONSTRUCTOR, ATTRIBUTES, RAW, BARE)
_COUNT = 8
"""A way to build all objects of a case is a variant for them, and bits above it for those built as with `TRUSTING`."""


def past_constructors(way: int) -> bool:
    """Whether some objects are built without their constructor."""
    return way % _COUNT > CONSTRUCTOR


def with_constructor(way: int, number: int) -> int:
    """The same way, but for one more object, which its constructor makes."""
    return way | _COUNT << number


def built_objects(case: CallCase) -> list[str]:
    """The objects that ways differ about, in the order of their numbers."""
    return [target for target, state in case.inputs.heap.items() if isinstance(state, ObjectState)]


_FILLING = {"<dict>": "dict.update", "<list>": "list.extend"}
"""How objects get their elements whose class extends a collection."""
_EMPTY = tuple(map(Literal, (None, False, 0, 0.0, "", b"")))


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A statement that can be written once these objects exist."""

    needs: frozenset[str]
    owner: str
    place: str
    value: Value


class Arrangement:
    """Writes the statements that build the inputs of one case."""

    def __init__(
        self, case: CallCase, names: Mapping[str, str], imports: Imports, plans: Plans, variant: int = CONSTRUCTOR
    ) -> None:
        self._heap = case.inputs.heap
        self._roots = [value for _, value in roots_of(case)]
        self._names = names
        self._imports = imports
        self._plans = plans
        self._variant, constructed = variant % _COUNT, variant // _COUNT
        self._constructed = {t for number, t in enumerate(built_objects(case)) if constructed >> number & 1}
        self._writer = Writer(self._heap, names, imports)
        self._done: set[str] = set()
        self._waiting: list[_Waiting] = []
        self._lines: list[str] = []
        self._late: list[str] = []
        """what is said about stand-ins when everything is there"""
        self._asked_early = self._asked_while_making()

    def lines(self) -> list[str]:
        """The statements, children before the objects that hold them."""
        for target in children_first(self._roots, self._heap):
            if target not in self._names:
                continue
            state = self._heap[target]
            if isinstance(state, ObjectState):
                self._object(target, state)
            elif isinstance(state, StandInState):
                self._stand_in(target, state)
            else:
                self._container(target, state)
            self._flush()
        return self._lines + self._late

    def _asked_while_making(self) -> set[str]:
        """The stand-ins that constructors may call: what they answer is for the call under test."""
        if self._variant not in (TRUSTING, CONSTRUCTOR):
            return set()
        asking = (
            state
            for state in self._heap.values()
            if isinstance(state, ObjectState)
            and (plan := self._plans.get((state.module, state.cls))) is not None
            and plan.asks
        )
        held = (target for state in asking for value in parts(state) for target in pointers(value))
        return {target for target in held if isinstance(self._heap.get(target), StandInState)}

    def _object(self, target: str, state: ObjectState) -> None:
        name = self._names[target]
        cls = self._imports.name(state.module, state.cls)
        plan = self._plans.get((state.module, state.cls))
        given: set[str] = set()
        variant = self._variant_of(target)
        if plan is None and variant == TRUSTING:
            made = call(cls, [])
        elif plan is not None and (plan.only or variant in (TRUSTING, CONSTRUCTOR)):
            trusting = variant == TRUSTING
            arguments, given = self._arguments(state, plan, trusting)
            given |= self._settled_fields(state, plan, given, trusting)
            made = call(cls, arguments)
        else:
            maker = "object" if variant == BARE else cls
            made = call(f"{maker}.__new__", [Item(Text(cls))])
        self._lines += assignment(name, made)
        self._done.add(target)
        for field, value in state.fields:
            if field not in given:
                self._set(target, field, value)

    def _variant_of(self, target: str) -> int:
        return TRUSTING if target in self._constructed else self._variant

    def _arguments(self, state: ObjectState, plan: BuildPlan, trusting: bool) -> tuple[list[Item], set[str]]:
        """Constructor arguments, and the fields that they set."""
        fields = dict(state.fields)
        arguments: list[Item] = []
        given: set[str] = set()
        for parameter, mapped, has_default, fallback in plan.params:
            field = mapped or (_guessed(parameter, state) if trusting or plan.only else None)
            if field is not None and field in fields and field not in given and not self._missing(fields[field]):
                given.add(field)
                if not (trusting and has_default and same_literal(fields[field], fallback)):
                    arguments.append(Item(self._writer.value(fields[field]), f"{parameter}="))
            elif not has_default:
                arguments.append(Item(self._writer.value(fallback), f"{parameter}="))
        return arguments, given

    def _settled_fields(self, state: ObjectState, plan: BuildPlan, given: Iterable[str], trusting: bool) -> set[str]:
        """Fields that the constructor leaves as the state wants them, known or trusted."""
        constants = dict(plan.constants)
        settled = set()
        for field, value in state.fields:
            if field in constants:
                if same_literal(value, constants[field]):
                    settled.add(field)
            elif trusting and self._is_empty(value):
                settled.add(field)
        return settled - set(given)

    def _is_empty(self, value: Value) -> bool:
        if isinstance(value, Pointer):
            state = self._heap[value.id]
            return (
                value.id not in self._names
                and not isinstance(state, StreamState)
                and not any(True for _ in parts(state))
            )
        return any(same_literal(value, empty) for empty in _EMPTY)

    def _stand_in(self, target: str, state: StandInState) -> None:
        """A mock or function, and what it answers, as soon as that exists."""
        from everypath.languages.python.scripts.mocks import StandIns

        written = StandIns(self._writer.value, self._imports)
        self._lines += assignment(self._names[target], written.made(state))
        self._done.add(target)
        settings = written.settings(self._names[target], state)
        if target in self._asked_early:
            self._late += [f"{INDENT}{self._names[target]}.reset_mock()", *settings]
        elif any(self._missing(value) for value in parts(state)):
            self._late += settings
        else:
            self._lines += settings

    def _container(self, target: str, state: HeapState) -> None:
        """A named list, set or dict; elements that do not exist yet are filled in later."""
        name = self._names[target]
        if isinstance(state, StreamState):
            self._lines += assignment(name, self._writer.container(state))
            self._lines += [f"{INDENT}{name}.seek({state.place})"] * bool(state.place)
            self._lines += [f"{INDENT}{name}.close()"] * state.closed
            self._done.add(target)
            return
        if isinstance(state, MappingState):
            late_keys = [i for i, (key, _) in enumerate(state.entries) if self._missing(key)]
            kept = [entry for i, entry in enumerate(state.entries) if i not in late_keys]
            late = [i for i, (_, value) in enumerate(kept) if self._missing(value)]
            self._lines += assignment(
                name, self._writer.container(MappingState(tuple(kept), state.kind, state.factory), frozenset(late))
            )
            self._done.add(target)
            for i in late:
                self._wait(target, f"[{flat(self._writer.value(kept[i][0]))}]", kept[i][1])
            for i in late_keys:
                key, value = state.entries[i]
                self._wait(target, f"[{flat(self._writer.value(key))}]", value, also=key)
            return
        if isinstance(state, UnusedState):
            self._lines += assignment(name, self._writer.container(state))
            self._done.add(target)
            return
        assert not isinstance(state, (ObjectState, StandInState))
        late = [i for i, item in enumerate(state.items) if self._missing(item)]
        if is_indexed(state.kind):
            self._lines += assignment(name, self._writer.container(state, frozenset(late)))
            self._done.add(target)
            for i in late:
                self._wait(target, f"[{i}]", state.items[i])
        else:
            kept_items = tuple(item for i, item in enumerate(state.items) if i not in late)
            self._lines += assignment(name, self._writer.container(type(state)(state.kind, kept_items)))
            self._done.add(target)
            for i in late:
                self._wait(target, ".add", state.items[i])

    def _set(self, target: str, field: str, value: Value) -> None:
        """Assign a field now, or as soon as its value exists."""
        place = field if field in _FILLING else f".{field}"
        if place in _FILLING and isinstance(value, Pointer) and self._is_empty(value):
            return
        if self._missing(value):
            self._wait(target, place, value)
        else:
            self._lines += self._store(target, place, self._writer.value(value))

    def _store(self, target: str, place: str, value: Expr) -> list[str]:
        name = self._names[target]
        if place == ".add":
            return lay_out(f"{name}.add(", value, ")", INDENT)
        if place in _FILLING:
            return lay_out(f"{_FILLING[place]}({name}, ", value, ")", INDENT)
        if place.startswith("."):
            return set_attribute(name, place[1:], value, raw=self._variant_of(target) in (RAW, BARE))
        return assignment(f"{name}{place}", value)

    def _wait(self, owner: str, place: str, value: Value, also: Value | None = None) -> None:
        needs = self._missing(value) | (self._missing(also) if also is not None else frozenset())
        self._waiting.append(_Waiting(needs, owner, place, value))

    def _flush(self) -> None:
        """Write what waited only for objects that exist by now."""
        still: list[_Waiting] = []
        for waiting in self._waiting:
            if waiting.needs <= self._done:
                value = self._writer.value(waiting.value)
                self._lines += self._store(waiting.owner, waiting.place, value)
            else:
                still.append(waiting)
        self._waiting = still

    def _missing(self, value: Value) -> frozenset[str]:
        """The named objects that the expression of a value mentions and that do not exist yet."""
        missing: set[str] = set()
        stack: list[str] = list(pointers(value))
        while stack:
            current = stack.pop()
            if current in self._names:
                if current not in self._done:
                    missing.add(current)
            elif current in self._heap:
                stack += _pointers_of_all(parts(self._heap[current]))
        return frozenset(missing)


def _pointers_of_all(values: Iterable[Value]) -> list[str]:
    return [target for value in values for target in pointers(value)]


def _guessed(parameter: str, state: ObjectState) -> str | None:
    """The field that a parameter sets, judging by its name."""
    fields = dict(state.fields)
    private = f"_{state.cls.rpartition('.')[2].lstrip('_')}__{parameter}"
    return next((name for name in (parameter, f"_{parameter}", private) if name in fields), None)
