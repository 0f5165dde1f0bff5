"""The values of a test from the symbolic values of a finished execution: actors and tasks before, actors after."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as Exact

from everypath.cases.actors import ActorReference, ActorState, DataValue, Fraction, FutureReference, Plain, Value
from everypath.errors import Unsupported
from everypath.explore.actors.operations import Actors, unimplemented
from everypath.explore.objects import possible_classes
from everypath.explore.state import State
from everypath.heap.values import Data, Future, Rational, Ref, Unknown
from everypath.heap.values import Value as Symbolic
from everypath.ir import types
from everypath.ir.program import Program
from everypath.logic import terms
from everypath.logic.nodes import Var, variables
from everypath.logic.terms import IntLike, Model, Term

_PLAIN: dict[types.Type, Plain] = {
    types.BOOL: Plain(False),
    types.STR: Plain(""),
    types.FLOAT: Plain(0.0),
    types.RATIONAL: Plain(0),
    types.NONE: Plain(None),
}


class Concretiser:
    """The values of one execution under one solution of its path condition."""

    def __init__(self, program: Program, actors: Actors, state: State, model: Model | None = None) -> None:
        self._program = program
        self._actors = actors
        self._state = state
        self._heap = state.heap
        self.model = state.pc.model() if model is None else dict(model)
        """the solution, extended by the values given to inputs on which nothing depends"""
        self._decided = {v for constraint in state.pc.constraints() for v in variables(constraint)}
        self._decided.update(model or ())
        self._given = 0
        self._settled: dict[object, Value] = {}
        self.initial: dict[str, ActorState] = {}
        """the initial actors that were looked at or are needed, by name"""
        self.futures: dict[str, Value] = {}
        """results that are there from the start"""
        self._visited: set[Ref] = set()

    def value(self, value: Symbolic) -> Value:
        """A value as a test writes it."""
        if isinstance(value, Unknown):
            bound = self._heap.bind.get(value, value)
            if bound is value:
                return self._unknown(value)
            value = bound
        if isinstance(value, Term):
            value = self._evaluated(value)
        if value is None or isinstance(value, (bool, int, float, str)):
            return Plain(value)
        if isinstance(value, Data):
            return DataValue(value.constructor, tuple(self.value(argument) for argument in value.arguments))
        if isinstance(value, Ref):
            if value.input:
                self.first(value)
            return ActorReference(str(self._actors.name(value)))
        if isinstance(value, Future):
            return FutureReference(str(value.task))
        if isinstance(value, Rational):
            value = Exact(self.number(value.top), self.number(value.bottom))
        if isinstance(value, Exact):
            return Plain(int(value)) if value.denominator == 1 else Fraction(value.numerator, value.denominator)
        raise Unsupported(f"a value of kind {type(value).__name__} in a test")

    def number(self, value: IntLike) -> int:
        """A whole number under the solution."""
        return int(self._evaluated(value)) if isinstance(value, Term) else int(value)

    def _evaluated(self, term: Term) -> int | bool | str | float:
        """The value under the solution; inputs that nothing depends on get values of their own.

        With zeros everywhere, a lost factor or exchanged elements would not be seen.
        """
        for variable in sorted(variables(term), key=lambda v: v.index):
            if variable not in self._decided:
                self._decided.add(variable)
                self.model[variable] = self._distinct(variable)
        return terms.evaluate(term, self.model)

    def _distinct(self, variable: Var) -> int | bool | str:
        if variable.sort == "bool":
            return bool(self.model.get(variable, variable.default))
        self._given += 1
        if variable.sort == "str":
            return chr(ord("a") + (self._given - 1) % 26)
        low, high = variable.lo, variable.hi
        number = self._given if low is None else max(low, self._given)
        return number if high is None else min(high, number)

    def _unknown(self, unknown: Unknown) -> Value:
        """The simplest value of an input that nothing has looked at."""
        if unknown not in self._settled:
            options = self._heap.options(unknown)
            known = self._actors.input_result(unknown)
            if known is not None:
                name = str(known[0])
                self.futures[name] = self.value(known[1])
                self._settled[unknown] = FutureReference(name)
            else:
                self._settled[unknown] = self._default(
                    types.NONE if types.NONE in options else options[0], unknown.name
                )
        return self._settled[unknown]

    def first(self, ref: Ref) -> None:
        """Note an actor as it was at the start."""
        if ref in self._visited:
            return
        self._visited.add(ref)
        name = str(self._actors.name(ref))
        self.initial[name] = self._actor(ref, self._heap.first_fields(ref), name)

    def _actor(self, ref: Ref, content: Mapping[str, Symbolic], processor: str) -> ActorState:
        """An actor with these fields; those that nothing has looked at have simple values, always the same."""
        cls = self.class_of(ref)
        fields = []
        for field, declared in self._program.all_fields(cls).items():
            if field in content:
                fields.append((field, self.value(content[field])))
                continue
            if (ref, field) not in self._settled:
                self._settled[ref, field] = self._default(declared.type, f"{ref.name}.{field}")
            fields.append((field, self._settled[ref, field]))
        return ActorState(str(self._actors.name(ref)), cls, processor, tuple(fields))

    def last(self, ref: Ref) -> ActorState:
        """An actor as it is at the end."""
        if ref.input:
            self.first(ref)
        return self._actor(ref, self._heap.fields(ref), str(self._actors.name(ref).cog))

    def class_of(self, ref: Ref) -> str:
        """The class of an actor; the first possible one if nothing has decided it."""
        if not ref.open:
            classes = [] if self._program.classes[ref.cls].abstract else [ref.cls]
        else:
            bound = self._heap.class_bound(ref)
            classes = [bound.bound] if bound.exact else list(possible_classes(self._heap, ref))
        if not classes:
            raise unimplemented(self._program, ref.cls, ref.name)
        return classes[0]

    def _default(self, type: types.Type, name: str) -> Value:
        if isinstance(type, types.UnionType):
            return self._default(types.NONE if types.NONE in type.options else type.options[0], name)
        if type == types.INT:
            low, high = self._heap.inputs.int_range or (0, 0)
            return Plain(min(max(0, low), high))
        if type in _PLAIN:
            return _PLAIN[type]
        if isinstance(type, types.DataType):
            inputs = self._heap.inputs
            constructor = inputs.simplest(type)
            return DataValue(constructor, tuple(self._default(p, name) for p in inputs.constructors(type)[constructor]))
        if isinstance(type, types.FutureType):
            self.futures[name] = self._default(type.result, f"{name}.get")
            return FutureReference(name)
        if isinstance(type, types.ClassType):
            return self._default_actor(type, name)
        raise Unsupported(f"the input {name} has the type {type}")

    def _default_actor(self, type: types.ClassType, name: str) -> Value:
        """An actor that is not null but to which nobody has sent anything."""
        cls = next((c for c in self._program.subclasses(type.name) if not self._program.classes[c].abstract), None)
        if cls is None:
            raise unimplemented(self._program, type.name, name)
        if name not in self.initial:
            self.initial[name] = ActorState(name, cls, name, ())
            fields = tuple(
                (field, self._default(declared.type, f"{name}.{field}"))
                for field, declared in self._program.all_fields(cls).items()
            )
            self.initial[name] = ActorState(name, cls, name, fields)
        return ActorReference(name)
