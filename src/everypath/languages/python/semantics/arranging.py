"""What a path does before the call under test: making input objects by calls, checking an invariant of them.

The calls are frames on top of the one under test. They leave no trace; when the last of them returns, the state
remembers its heap. A path on which one of them fails never comes that far and is no path of the method under test.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.search.recipes import Constant, Fresh, Ingredient, Make, Same, Together
from everypath.explore.state import Frame, Post, State
from everypath.heap.kinds import make_heap
from everypath.heap.values import ListCell, Ref, Value
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import (
    CallVirtual,
    ClassRef,
    GetField,
    Jump,
    Label,
    Param,
    Reg,
    Return,
    Throw,
    TypeTest,
    Unary,
)
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY, ClassType, Type, UnionType
from everypath.languages.python.semantics.arguments import any_keywords
from everypath.languages.python.semantics.callables import callables_of
from everypath.languages.python.semantics.generators import observer_of
from everypath.logic.condition import PathCondition
from everypath.records import dataclass

_INVARIANT = "<invariant>"
_NESTED = 2
"""How many fields away from an argument an object is whose invariant is still assumed."""


@dataclass(frozen=True, slots=True)
class Step:
    """A call that a test makes before the one under test."""

    target: Ref
    cls: str
    method: Method | None
    """None where the class has no constructor of its own"""
    constructs: bool
    values: tuple[Value, ...] = ()
    """one for each parameter but the receiver"""


@dataclass(frozen=True, slots=True)
class Made:
    """The inputs that are no longer unknown: objects by the calls that make them, lists by their elements."""

    steps: tuple[Step, ...] = ()
    lists: tuple[tuple[Ref, str, tuple[Value, ...]], ...] = ()
    """(list, name, elements)"""


def arrange(
    exploration: Exploration,
    method: Method,
    cls: str,
    inputs: Sequence[Ingredient | None],
    *,
    constructs: bool = False,
    lazy: bool = False,
    before: Method | None = None,
    invariant: str | None = None,
) -> tuple[State, Call, Made]:
    """The state in which the steps that make the inputs are about to run, then the method under test.

    `inputs` has one ingredient for each parameter, None for those that are no inputs: an object that is being
    constructed, or a class.
    """
    exploration.inputs.callables = callables_of(method)
    kitchen = _Kitchen(exploration, method)
    state = kitchen.state
    values: list[Value] = []
    given: list[Value] = []
    for param, ingredient in zip(method.params, inputs, strict=True):
        if ingredient is not None:
            if isinstance(ingredient, Same):
                given.append(given[ingredient.place])
            else:
                given.append(kitchen.value(ingredient, param.name))
            values.append(given[-1])
        else:
            values.append(state.heap.new_object(cls) if constructs else ClassRef(cls))
    known = exploration.inputs
    known.method = method
    known.keywords |= any_keywords(method.params)
    known.roots = {param.name: value for param, value in zip(method.params, values)}
    made = values[0] if constructs else None
    post: Post | None = None if made is None else lambda _, __: made
    machine = exploration.machine
    machine.start(state, method, values, post, observer_of(machine.program) if lazy else None)
    calls: list[tuple[Method, list[Value]]] = [] if before is None else [(before, [])]
    calls += [(s.method, [s.target, *s.values]) for s in kitchen.steps if s.method is not None]
    if invariant is not None:
        checked: list[tuple[Value, Type, int]] = [
            (s.target, ClassType(s.cls), 0) for s in kitchen.steps if s.constructs
        ]
        for param, value, ingredient in zip(method.params, values, inputs):
            receives = param is method.params[0] and method.kind in ("instance", "property")
            if isinstance(ingredient, Fresh):
                checked.append((value, ClassType(cls) if receives else param.type, _NESTED))
        for value, type, nested in checked:
            check = _check_of(machine.program, invariant, type, nested)
            if check is not None:
                calls.append((check, [value]))
    ready: Post | None = _ready
    for callee, arguments in reversed(calls):
        code = machine.calls.load(machine.calls.callee(callee))
        state.frame = Frame(code, state.frame, tuple(state.regs), -1, state.next, ready, state.decisions)
        state.regs = [*arguments, *code.blank]
        state.next = code.entry
        ready = None
    if not calls:
        _ready(state, None)
    return (
        state,
        Call(method, tuple(values), cls if constructs else None),
        Made(tuple(kitchen.steps), tuple(kitchen.lists)),
    )


def _ready(state: State, value: Value) -> Value:
    """All inputs are made: what comes now is the path of the method under test."""
    state.trace = None
    state.arranged = state.heap.copy()
    return value


class _Kitchen:
    """Makes the values of ingredients, and the steps that they need, in order."""

    def __init__(self, exploration: Exploration, method: Method) -> None:
        self.inputs = exploration.inputs
        heap = make_heap(exploration.options.heap, exploration.inputs)
        self.state = State(heap, PathCondition(exploration.decider))
        self.steps: list[Step] = []
        self.lists: list[tuple[Ref, str, tuple[Value, ...]]] = []
        self._taken = {param.name for param in method.params}

    def value(self, ingredient: Ingredient, name: str) -> Value:
        """The value, named like the parameter that it is for."""
        match ingredient:
            case Same():
                raise AssertionError("only parameters of the method under test share an object")
            case Fresh(type=type):
                return self.inputs.fresh(type, name)
            case Constant(value=value):
                return value
            case Together(kind=kind, items=items):
                values = tuple(self.value(item, self._unique(f"{name}_{i}")) for i, item in enumerate(items))
                if kind == "tuple":
                    return values
                ref = self.state.heap.new_object("list", ListCell(values))
                self.lists.append((ref, name, values))
                return ref
            case Make(cls=cls, constructor=constructor, arguments=arguments, calls=calls):
                ref = self.state.heap.new_object(cls)
                params = constructor.params[1:] if constructor is not None else ()
                self.steps.append(Step(ref, cls, constructor, True, self._values(params, arguments)))
                for method, given in calls:
                    self.steps.append(Step(ref, cls, method, False, self._values(method.params[1:], given)))
                return ref

    def _values(self, params: Sequence[Param], ingredients: Sequence[Ingredient]) -> tuple[Value, ...]:
        values = []
        taken = any_keywords(params)
        for param, ingredient in zip(params, ingredients, strict=True):
            name = self._unique(param.name)
            if param.name in taken:
                self.inputs.keywords[name] = taken[param.name]
            values.append(self.value(ingredient, name))
        return tuple(values)

    def _unique(self, name: str) -> str:
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}{number}"
        self._taken.add(unique)
        return unique


def _check_of(program: Program, invariant: str, type: Type, nested: int) -> Method | None:
    """A method that fails for an object of which the invariant does not hold; None where there is no such object.

    The objects in declared fields are looked at too, so many fields deep as `nested` says.
    """
    if not _having(program, invariant, type):
        return None
    build = MethodBuilder("builtins", _INVARIANT, (Param("value", ANY),))
    fails = build.label("fails")
    _check(build, program, invariant, (0, type), nested, fails)
    build.end(Return(build.constant(None)))
    build.start(fails)
    build.end(Throw(build.constant(ClassRef(program.profile.assertion_error))))
    return build.finish(kind="static", model=True)


def _check(
    build: MethodBuilder, program: Program, invariant: str, value: tuple[Reg, Type], nested: int, fails: Label
) -> None:
    """Go to `fails` unless the value is no object of a class with the invariant or fulfils it."""
    register, type = value
    done = build.label("done")
    for option in _having(program, invariant, type):
        applies, holds, other = map(build.label, ("applies", "holds", "other"))
        is_object, result, broken = build.register(), build.register(), build.register()
        build.emit(TypeTest(is_object, register, (option,)))
        build.branch(is_object, applies, other)
        build.start(applies)
        found = program.find_method(option.name, invariant)
        if found is not None and found.kind == "property":
            build.emit(GetField(result, register, invariant))
        else:
            build.emit(CallVirtual(result, register, invariant, ()))
        build.emit(Unary(broken, "not", result))
        build.branch(broken, fails, holds)
        build.start(holds)
        for name, declared in program.all_fields(option.name).items() if nested else ():
            if _having(program, invariant, declared.type):
                inner = build.register()
                build.emit(GetField(inner, register, name))
                _check(build, program, invariant, (inner, declared.type), nested - 1, fails)
        build.end(Jump(done))
        build.start(other)
    build.start(done)


def _having(program: Program, invariant: str, type: Type) -> list[ClassType]:
    """The classes of a type that have the invariant."""
    options = type.options if isinstance(type, UnionType) else (type,)
    return [o for o in options if isinstance(o, ClassType) and program.find_method(o.name, invariant) is not None]
