"""Outcomes of concrete runs and of symbolic executions in one form, so that they can be compared."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from everypath.cases import actors as suite
from everypath.concurrency.names import InitialReference, Name, Reference, TaskName
from everypath.explore.actors.exploration import ActorExploration, Start
from everypath.explore.actors.world import Failure as SymbolicFailure
from everypath.explore.state import State as SymbolicState
from everypath.explore.state import unchain
from everypath.heap.values import Data, Future, Rational, Ref, Unknown
from everypath.ir.types import NONE, DataType
from everypath.languages.abs.runtime.replay import InitialFuture
from everypath.languages.abs.runtime.state import Failure, State
from everypath.languages.abs.runtime.values import Data as Value
from everypath.logic import terms
from everypath.logic.nodes import Var
from everypath.logic.terms import Term

Named = Callable[[Name], Hashable]


def _named(name: Name, initial: Named) -> Hashable:
    """A name by the creations that led to it, actors and futures from the start as the inputs call them."""
    if isinstance(name, InitialReference | InitialFuture):
        return initial(name)
    if isinstance(name, TaskName):
        if name.receiver is None and name.parent is None:
            return initial(name)
        receiver = _named(name.receiver, initial) if name.receiver is not None else None
        return "task", name.index, name.label, name.parent and _named(name.parent, initial), receiver
    assert isinstance(name, Reference) and name.parent is not None
    return "new", name.index, name.label, _named(name.parent, initial)


def _plain(value: Any) -> Hashable:
    return type(value).__name__, value


def concrete(state: State, root: TaskName) -> Hashable:
    """The outcome of a run."""

    def initial(name: Name) -> Hashable:
        return str(name)

    def shown(value: Any) -> Hashable:
        if value.__class__ is Value:
            return value.name, *map(shown, value.arguments)
        if isinstance(value, Name):
            return _named(value, initial)
        if isinstance(value, Fraction) and value.denominator == 1:
            value = value.numerator
        return _plain(value)

    result = state.futures.get(root)
    return (
        None if root not in state.futures or isinstance(result, Failure) else shown(result),
        frozenset(
            (_named(reference, initial), reference.label, _named(reference.cog, initial), *map(shown, instance.values))
            for reference, instance in state.objects.items()
        ),
        frozenset((_named(name, initial), shown(failure.value)) for name, failure in state.failed.items()),
        frozenset(_named(name, initial) for name in state.tasks),
        state.printed(),
    )


class Mismatch(Exception):
    """The execution is not about these inputs."""


class Matched:
    """A symbolic execution under concrete inputs; Mismatch when it is about others."""

    def __init__(
        self, exploration: ActorExploration, start: Start, state: SymbolicState, inputs: suite.ActorInputs
    ) -> None:
        self._exploration = exploration
        self._start = start
        self._state = state
        self._heap = state.heap
        self._inputs = inputs
        self._actors = {actor.name: actor for actor in inputs.actors}
        self._futures = dict(inputs.futures)
        self._model: dict[Var, Any] = {}
        self._refs: dict[Ref, str] = {}
        self._ways: dict[str, str] = {}
        self._unknowns: dict[Unknown, suite.Value] = {}
        self._unify(start.this, suite.ActorReference(inputs.tasks[0].actor))
        for queued, task in zip(start.queued, inputs.tasks):
            for (_, symbolic), (_, given) in zip(queued.arguments, task.arguments):
                self._unify(symbolic, given)
        if not all(terms.evaluate(c, self._model) for c in state.pc.constraints()):
            raise Mismatch

    def _unify(self, symbolic: Any, given: suite.Value) -> None:
        if isinstance(symbolic, Unknown):
            self._unify_unknown(symbolic, given)
        elif isinstance(symbolic, Ref):
            self._unify_actor(symbolic, given)
        elif isinstance(symbolic, Data):
            if not isinstance(given, suite.DataValue) or given.constructor != symbolic.constructor:
                raise Mismatch
            for part, argument in zip(symbolic.arguments, given.arguments):
                self._unify(part, argument)
        elif isinstance(symbolic, Var):
            assert isinstance(given, suite.Plain)
            if self._model.setdefault(symbolic, given.value) != given.value:
                raise Mismatch
        elif not (isinstance(given, suite.Plain) and symbolic == given.value):
            assert symbolic is None or isinstance(symbolic, int | bool), symbolic
            raise Mismatch

    def _unify_unknown(self, unknown: Unknown, given: suite.Value) -> None:
        if unknown in self._unknowns:
            if self._unknowns[unknown] != given:
                raise Mismatch
            return
        self._unknowns[unknown] = given
        if unknown in self._heap.bind:
            self._unify(self._heap.bind[unknown], given)
            return
        options = self._heap.options(unknown)
        if isinstance(given, suite.Plain):
            assert given.value is None
            if NONE not in options:
                raise Mismatch
        elif isinstance(given, suite.DataValue):
            (type,) = options
            assert isinstance(type, DataType)
            if type.only and given.constructor not in type.only:
                raise Mismatch
        elif isinstance(given, suite.FutureReference):
            known = self._exploration.actors.input_result(unknown)
            if known is not None:
                self._ways[str(known[0])] = given.task
                self._unify(known[1], self._futures[given.task])
        elif all(option == NONE for option in options):
            raise Mismatch

    def _unify_actor(self, ref: Ref, given: suite.Value) -> None:
        if not isinstance(given, suite.ActorReference):
            raise Mismatch
        if ref in self._refs:
            if self._refs[ref] != given.name:
                raise Mismatch
            return
        if given.name in self._refs.values():
            raise Mismatch
        self._refs[ref] = given.name
        self._ways[str(self._exploration.actors.name(ref))] = given.name
        actor = self._actors[given.name]
        bound = self._heap.class_bound(ref)
        program = self._exploration.program
        fits = bound.bound == actor.cls if bound.exact else program.is_subclass(actor.cls, bound.bound)
        if not fits or any(program.is_subclass(actor.cls, out) for out in bound.excluded):
            raise Mismatch
        fields = dict(actor.fields)
        for name, value in self._heap.first[ref].items():
            self._unify(value, fields[name])

    def _initial(self, name: Name) -> Hashable:
        return self._ways[str(name)]

    def _given(self, value: suite.Value) -> Hashable:
        match value:
            case suite.Plain(value=plain):
                return _plain(plain)
            case suite.DataValue(constructor=constructor, arguments=arguments):
                return constructor, *map(self._given, arguments)
            case suite.ActorReference(name=name) | suite.FutureReference(task=name):
                return name
        raise AssertionError(value)

    def _shown(self, value: Any) -> Hashable:
        if isinstance(value, Unknown):
            if value in self._unknowns:
                return self._given(self._unknowns[value])
            assert value in self._heap.bind, f"{value!r} is no input"
            value = self._heap.bind[value]
        if isinstance(value, Term):
            value = terms.evaluate(value, self._model)
        if isinstance(value, Data):
            return value.constructor, *map(self._shown, value.arguments)
        if isinstance(value, Ref):
            return _named(self._exploration.actors.name(value), self._initial)
        if isinstance(value, Future):
            return _named(value.task, self._initial)
        if isinstance(value, Rational):
            value = Fraction(terms.evaluate(value.top, self._model), terms.evaluate(value.bottom, self._model))
        if isinstance(value, Fraction) and value.denominator == 1:
            value = value.numerator
        return _plain(value)

    def outcome(self) -> Hashable:
        """How the execution ends for the inputs, as `concrete` tells it."""
        world = self._state.world
        assert world is not None
        result = world.results.get(self._start.queued[0].name)
        missing = self._start.queued[0].name not in world.results or isinstance(result, SymbolicFailure)
        actors: set[Hashable] = set()
        for ref in world.met:
            name = self._exploration.actors.name(ref)
            cls = self._heap.class_bound(ref).bound
            content = self._heap.cells[ref]
            first = dict(self._actors[self._refs[ref]].fields) if ref.input else {}
            fields = (
                self._shown(content[field]) if field in content else self._given(first[field])
                for field in self._exploration.program.all_fields(cls)
            )
            actors.add((_named(name, self._initial), cls, _named(name.cog, self._initial), *fields))
        met = {self._refs[ref] for ref in world.met if ref.input}
        for other in self._inputs.actors:
            if other.name not in met:
                fields = (self._given(value) for _, value in other.fields)
                actors.add((other.name, other.cls, other.processor, *fields))
        return (
            None if missing else self._shown(result),
            frozenset(actors),
            frozenset((_named(n, self._initial), self._shown(f.exception)) for n, f in world.failed.items()),
            frozenset(_named(name, self._initial) for name in world.tasks),
            "".join(str(self._text(text)) for text in unchain(world.output)),
        )

    def _text(self, text: Any) -> Any:
        return terms.evaluate(text, self._model) if isinstance(text, Term) else text
