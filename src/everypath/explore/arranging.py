"""What a path does before the call under test: making input objects by calls, checking an invariant of them.

The calls are frames on top of the one under test. They leave no trace; when the last of them returns, the state
remembers its heap. A path on which one of them fails never comes that far and is no path of the method under test.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.explore.explorer import Call, Exploration
from everypath.explore.generators import observer_of
from everypath.explore.recipes import Constant, Fresh, Ingredient, Make, Same
from everypath.explore.state import Frame, Post, State
from everypath.heap.kinds import make_heap
from everypath.heap.values import Ref, Value
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallVirtual, ClassRef, GetField, Param, Return, Throw, TypeTest, Unary
from everypath.ir.program import Method
from everypath.ir.types import ANY, ClassType, Type, UnionType
from everypath.logic.condition import PathCondition
from everypath.records import dataclass

_INVARIANT = "<invariant>"


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
) -> tuple[State, Call, tuple[Step, ...]]:
    """The state in which the steps that make the inputs are about to run, then the method under test.

    `inputs` has one ingredient for each parameter, None for those that are no inputs: an object that is being
    constructed, or a class.
    """
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
    known.keywords |= {param.name for param in method.params if param.kind == "doublestar"}
    known.roots = {param.name: value for param, value in zip(method.params, values)}
    made = values[0] if constructs else None
    post: Post | None = None if made is None else lambda _, __: made
    machine = exploration.machine
    machine.start(state, method, values, post, observer_of(machine.program) if lazy else None)
    calls: list[tuple[Method, list[Value]]] = [] if before is None else [(before, [])]
    calls += [(s.method, [s.target, *s.values]) for s in kitchen.steps if s.method is not None]
    if invariant is not None:
        for param, value, ingredient in list(zip(method.params, values, inputs))[constructs:]:
            receives = param is method.params[0] and method.kind in ("instance", "property")
            type = ClassType(cls) if receives else param.type
            check = _check_of(exploration, invariant, type) if ingredient is not None else None
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
    return state, Call(method, tuple(values), cls if constructs else None), tuple(kitchen.steps)


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
            case Make(cls=cls, constructor=constructor, arguments=arguments, calls=calls):
                ref = self.state.heap.new_object(cls)
                params = constructor.params[1:] if constructor is not None else ()
                values = self._values(params, arguments)
                self.steps.append(Step(ref, cls, constructor, True, values))
                for method, given in calls:
                    self.steps.append(Step(ref, cls, method, False, self._values(method.params[1:], given)))
                return ref

    def _values(self, params: Sequence[Param], ingredients: Sequence[Ingredient]) -> tuple[Value, ...]:
        values = []
        for param, ingredient in zip(params, ingredients, strict=True):
            name = self._unique(param.name)
            if param.kind == "doublestar":
                self.inputs.keywords.add(name)
            values.append(self.value(ingredient, name))
        return tuple(values)

    def _unique(self, name: str) -> str:
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}{number}"
        self._taken.add(unique)
        return unique


def _check_of(exploration: Exploration, invariant: str, type: Type) -> Method | None:
    """A method that fails for an object of which the invariant does not hold; None where there is no such object."""
    program = exploration.machine.program
    options = type.options if isinstance(type, UnionType) else (type,)
    having = tuple(
        option
        for option in options
        if isinstance(option, ClassType) and program.find_method(option.name, invariant) is not None
    )
    if not having:
        return None
    build = MethodBuilder("builtins", _INVARIANT, (Param("value", ANY),))
    applies, holds, fails, done = map(build.label, ("applies", "holds", "fails", "done"))
    is_object, result, broken = build.register(), build.register(), build.register()
    build.emit(TypeTest(is_object, 0, having))
    build.branch(is_object, applies, done)
    build.start(applies)
    found = program.find_method(having[0].name, invariant)
    if found is not None and found.kind == "property":
        build.emit(GetField(result, 0, invariant))
    else:
        build.emit(CallVirtual(result, 0, invariant, ()))
    build.emit(Unary(broken, "not", result))
    build.branch(broken, fails, holds)
    build.start(holds)
    build.end(Return(result))
    build.start(fails)
    build.end(Throw(build.constant(ClassRef(program.profile.assertion_error))))
    build.start(done)
    build.end(Return(build.constant(None)))
    return build.finish(kind="static", model=True)
