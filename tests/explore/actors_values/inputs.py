"""A small program with data types, its values half known and half input, and every path through an operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import everypath.languages.abs.semantics.library  # noqa: F401 - fills the table
from everypath.errors import LimitReached, Unsupported
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import Fork
from everypath.heap.inputs import Inputs
from everypath.heap.solver import make_heap
from everypath.heap.values import Data, Rational, Unknown
from everypath.ir.program import Class, Field, Profile, Program
from everypath.ir.program import Data as DataDeclaration
from everypath.ir.types import (
    BOOL,
    INT,
    RATIONAL,
    STR,
    ClassType,
    DataType,
    Type,
    TypeParameter,
    optional,
)
from everypath.languages.abs.runtime import values as real
from everypath.logic.condition import PathCondition
from everypath.logic.decider import Decider
from everypath.logic.terms import Term, Var, evaluate

LIBRARY = "ABS.StdLib."
ZERO = f"{LIBRARY}Exceptions.DivisionByZeroException"
ABS_LIKE = Profile(
    name="abs",
    floor_division=False,
    integer_bits=None,
    null_error=f"{LIBRARY}Exceptions.NullPointerException",
    attribute_error="",
    index_error="",
    key_error="",
    division_error=ZERO,
    type_error="",
    value_error="",
    cast_error="",
    name_error="",
    assertion_error=f"{LIBRARY}Exceptions.AssertionFailException",
    negative_indices=False,
)
A, B = TypeParameter("A"), TypeParameter("B")
NIL, CONS, NOTHING, JUST, PAIR = (f"{LIBRARY}{name}" for name in ("Nil", "Cons", "Nothing", "Just", "Pair"))
RED, GREEN, BLUE = "M.Red", "M.Green", "M.Blue"
MOST_PATHS = 500


def listing(element: Type) -> DataType:
    return DataType(f"{LIBRARY}List", (element,))


def maybe(inner: Type) -> DataType:
    return DataType(f"{LIBRARY}Maybe", (inner,))


def pair(first: Type, second: Type) -> DataType:
    return DataType(f"{LIBRARY}Pair", (first, second))


COLOUR = DataType("M.Colour")
TREE = DataType("M.Tree")


def program() -> Program:
    """Lists, Maybe, Pair, an enumeration, a tree, and a class with fields of such types."""
    fields = {"items": listing(INT), "next": optional(ClassType("M.Node")), "size": RATIONAL, "id": INT}
    node = Class("M.Node", fields={name: Field(name, type) for name, type in fields.items()})
    declared = (
        DataDeclaration(f"{LIBRARY}List", ("A",), {NIL: (), CONS: (A, DataType(f"{LIBRARY}List", (A,)))}),
        DataDeclaration(f"{LIBRARY}Maybe", ("A",), {NOTHING: (), JUST: (A,)}),
        DataDeclaration(f"{LIBRARY}Pair", ("A", "B"), {PAIR: (A, B)}),
        DataDeclaration("M.Colour", (), {RED: (), GREEN: (), BLUE: ()}),
        DataDeclaration("M.Tree", (), {"M.Fork": (TREE, INT, TREE), "M.Leaf": ()}),
        DataDeclaration(f"{LIBRARY}Unit", (), {f"{LIBRARY}Unit": ()}),
    )
    return Program(ABS_LIKE, {"M.Node": node}, {data.name: data for data in declared})


def new_state(heap: str = "noalias", lengths: int = 3) -> State:
    """A state with nothing in it."""
    return State(make_heap(heap, Inputs(program(), None, lengths)), PathCondition(Decider()))


@dataclass
class Path:
    """One way through an operation: the state at its end and what happened."""

    state: State
    value: Any = None
    fault: str = ""
    stopped: str = ""


def follow(state: State, run: Callable[[State], Any], inputs: Assigned | None = None) -> list[Path]:
    """Every path through `run` that the inputs take, if they are given; it is executed again after each fork."""
    paths: list[Path] = []
    agenda = [state]
    while agenda:
        state = agenda.pop()
        try:
            paths.append(Path(state, run(state)))
        except Fork as fork:
            for alternative in reversed(fork.alternatives):
                copy = state.copy()
                if alternative.apply(copy.heap, copy.pc):
                    agenda += [copy] if inputs is None or inputs.model(copy) is not None else []
        except Fault as fault:
            paths.append(Path(state, fault=fault.cls))
        except (Unsupported, LimitReached) as problem:
            paths.append(Path(state, stopped=str(problem)))
        assert len(paths) + len(agenda) < MOST_PATHS
    return paths


@dataclass
class Assigned:
    """Which concrete value each input is meant to have."""

    pairs: list[tuple[Any, Any]] = field(default_factory=list)

    def add(self, value: Any, concrete: Any) -> Any:
        self.pairs.append((value, concrete))
        return value

    def model(self, state: State) -> dict[Var, Any] | None:
        """The values of variables in this state, None if these inputs do not lead to it."""
        model: dict[Var, Any] = {}
        if not all(_assign(state, value, concrete, model) for value, concrete in self.pairs):
            return None
        return model if all(evaluate(c, model) for c in state.pc.constraints()) else None

    def only(self, state: State, run: Callable[[State], Any]) -> Any:
        """What happens for these inputs: the value as the interpreter has it, or a fault; there is just one path."""
        (path,) = follow(state, run, self)
        assert not path.stopped
        model = self.model(path.state)
        assert model is not None
        return path.fault or concretised(path.state, path.value, model)


def _assign(state: State, value: Any, concrete: Any, model: dict[Var, Any]) -> bool:
    if isinstance(value, Unknown):
        if value not in state.heap.bind:
            type = state.heap.data_type(value)
            assert type is not None
            return concrete.name in state.heap.inputs.constructors(type)
        value = state.heap.bind[value]
    if isinstance(value, Data):
        if value.constructor != concrete.name:
            return False
        return all(_assign(state, a, b, model) for a, b in zip(value.arguments, concrete.arguments))
    if isinstance(value, Rational):
        model[value.top], model[value.bottom] = concrete.numerator, concrete.denominator
    elif isinstance(value, Var):
        model[value] = concrete
    return True


def concretised(state: State, value: Any, model: dict[Var, Any]) -> Any:
    """A value of the engine as the interpreter has it, once the inputs are known."""
    if isinstance(value, Unknown):
        value = state.heap.bind[value]
    if isinstance(value, Term):
        return evaluate(value, model)
    if isinstance(value, Rational):
        number = Fraction(evaluate(value.top, model), evaluate(value.bottom, model))
        return number.numerator if number.denominator == 1 else number
    if isinstance(value, Data):
        return real.Data(value.constructor, tuple(concretised(state, a, model) for a in value.arguments))
    return value


def types(depth: int = 2) -> st.SearchStrategy[Type]:
    """Types of values without references."""
    scalars = st.sampled_from((INT, BOOL, STR, RATIONAL, COLOUR, TREE))
    if not depth:
        return scalars
    inner = types(depth - 1)
    return st.one_of(scalars, st.builds(listing, inner), st.builds(maybe, inner), st.builds(pair, inner, inner))


def concrete(type: Type, depth: int = 3) -> st.SearchStrategy[Any]:
    """Values of the type as the interpreter has them; small ones, so that two are often equal."""
    if type == INT:
        return st.integers(-2, 2)
    if type == BOOL:
        return st.booleans()
    if type == STR:
        return st.sampled_from(("", "a", "b", "ab"))
    if type == RATIONAL:
        numbers = st.builds(Fraction, st.integers(-3, 3), st.integers(1, 3))
        return numbers.map(lambda n: n.numerator if n.denominator == 1 else n)
    assert isinstance(type, DataType)
    options = Inputs(program(), None, 3).constructors(type).items()
    made = [
        st.builds(
            lambda *arguments, name=name: real.Data(name, arguments), *(concrete(a, depth - 1) for a in arguments)
        )
        for name, arguments in options
        if depth > 0 or not arguments or type.name == f"{LIBRARY}Pair"
    ]
    return st.one_of(made)


def partly(draw: st.DrawFn, state: State, type: Type, value: Any, assigned: Assigned, name: str) -> Any:
    """The value for the engine, some of its parts replaced by inputs that are meant to be what they replace."""
    if draw(st.integers(0, 3)) == 0:
        return assigned.add(state.heap.inputs.fresh(type, name), value)
    if not isinstance(value, real.Data):
        return value
    assert isinstance(type, DataType)
    arguments = state.heap.inputs.constructors(type)[value.name]
    parts = [
        partly(draw, state, argument, part, assigned, f"{name}.{i}")
        for i, (argument, part) in enumerate(zip(arguments, value.arguments))
    ]
    return Data(value.name, tuple(parts))
