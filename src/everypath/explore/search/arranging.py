"""What a path does before the call under test: making input objects by calls, checking an invariant of them.

The calls are frames on top of the one under test. They leave no trace; when the last of them returns, the state
remembers its heap. A path on which one of them fails never gets that far, so it is no path of the method under test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everypath.errors import Internal
from everypath.explore.search.exploration import Call, Exploration, Made, Step
from everypath.explore.search.recipes import MOST_CALLS, recipes_of
from everypath.explore.search.subject import Subject
from everypath.explore.state import Frame, Post, State
from everypath.heap.values import ListCell, Ref, Value
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY, ClassType, Type, UnionType
from everypath.options import Options
from everypath.paths import (
    AnyState,
    AnyValue,
    Ingredient,
    LeftOut,
    MadeInputs,
    NewObject,
    OpenInputs,
    Recipe,
    SameObject,
    Several,
    bounds_of,
)
from everypath.records import replace

_NESTED = 2
"""The invariant is assumed for objects up to this many fields away from an argument."""


Reachable = MadeInputs | OpenInputs


def reachable_starts(subject: Subject, options: Options) -> Iterator[Reachable]:
    """The starts that `--reachable` and `--invariant` ask for; raises Unsupported if an object cannot be made."""
    if options.reachable:
        yield from made_starts(subject, options, MOST_CALLS)
    else:
        yield OpenInputs(bounds_of(options.limits), options.invariant)


def made_starts(
    subject: Subject, options: Options, most: int, lenient: bool = False, ways: int | None = None
) -> Iterator[MadeInputs]:
    """The starts whose inputs are made by at most so many calls, of which the caller takes no more than `ways`.

    A `lenient` search leaves open what no call makes.
    """
    bounds = bounds_of(options.limits)
    types = [type for _, type in subject.inputs() if type is not None]
    recipes = recipes_of(subject.semantics, subject.exploration(options).inputs, lenient, ways)
    if not recipes.makes_objects(types):
        yield MadeInputs(bounds, (AnyValue(),) * len(types), options.invariant)
        return
    for calls in range(most + 1):
        for recipe in recipes.of(types, calls):
            yield MadeInputs(bounds, recipe, options.invariant)


def arrange(
    exploration: Exploration, subject: Subject, recipe: Recipe | None, invariant: str | None = None
) -> tuple[State, Call]:
    """The state in which the calls that make the inputs are about to run, then the method under test.

    The recipe has an ingredient for each input; without a recipe the inputs are arbitrary.
    """
    kitchen = _Kitchen(exploration, subject)
    values = kitchen.inputs_of(recipe)
    call = exploration.call(kitchen.state, subject.method, values, subject.cls, subject.constructs, subject.lazy)
    calls: list[tuple[Method, list[Value]]] = [] if subject.before is None else [(subject.before, [])]
    calls += [(step.method, [step.target, *step.values]) for step in kitchen.steps if step.method is not None]
    if invariant is not None:
        for value, type, nested in [*kitchen.made(), *kitchen.open]:
            check = check_of(subject.program, invariant, type, nested)
            if check is not None:
                calls.append((check, [value]))
    for method, positions in subject.requires:
        calls.append((keeping(subject.program, method), [values[position] for position in positions]))
    _put_before(exploration, kitchen.state, calls)
    return kitchen.state, replace(call, made=Made(tuple(kitchen.steps), tuple(kitchen.lists)))


def _put_before(exploration: Exploration, state: State, calls: Sequence[tuple[Method, list[Value]]]) -> None:
    """Make these calls run before the one that the state is about to make."""
    load = exploration.machine.calls
    ready: Post | None = _ready
    # A frame on top runs first, so the last call is put there first; when it returns, all is ready.
    for callee, arguments in reversed(calls):
        code = load.load(load.callee(callee))
        state.frame = Frame(code, state.frame, tuple(state.regs), -1, state.next, ready, state.decisions)
        state.regs = [*arguments, *code.blank]
        state.next = code.entry
        ready = None
    if not calls:
        _ready(state, None)


def _ready(state: State, value: Value) -> Value:
    """Note that all inputs are made: what comes now is the path of the method under test."""
    state.trace = None
    state.arranged = state.heap.copy()
    return value


class _Kitchen:
    """Makes the values of ingredients, and notes in order the calls that they need."""

    def __init__(self, exploration: Exploration, subject: Subject) -> None:
        self._inputs = exploration.inputs
        self._subject = subject
        self._recipes = recipes_of(subject.semantics, exploration.inputs)
        self.state = exploration.blank(subject.method)
        self.steps: list[Step] = []
        self.lists: list[tuple[Ref, str, tuple[Value, ...]]] = []
        self.open: list[tuple[Value, Type, int]] = []
        """inputs for which nothing is called, each with its type and how many fields deep an invariant is checked"""
        self._taken = {param.name for param in subject.method.params}

    def made(self) -> list[tuple[Value, Type, int]]:
        """The objects that are made, in the form of `open`."""
        return [(step.target, ClassType(step.cls), 0) for step in self.steps if step.constructs]

    def inputs_of(self, recipe: Recipe | None) -> list[Value]:
        """The values of all parameters of the method under test."""
        subject = self._subject
        values: list[Value] = []
        given: list[Value] = []
        rest = iter(recipe or ())
        for param, type in subject.inputs():
            if type is None:
                receiver = subject.semantics.receiver
                values.append(receiver(self._inputs, self.state, subject.method, subject.cls, subject.constructs))
                continue
            ingredient = None if recipe is None else next(rest, None)
            _still(recipe is None or ingredient is not None)
            given.append(self._input(ingredient, param, type, given))
            values.append(given[-1])
        _still(next(rest, None) is None)
        return values

    def _input(self, ingredient: Ingredient | None, param: ins.Param, type: Type, before: Sequence[Value]) -> Value:
        """One input; without an ingredient it is arbitrary."""
        if isinstance(ingredient, SameObject):
            _still(ingredient.place < len(before))
            return before[ingredient.place]
        if ingredient is not None and not isinstance(ingredient, AnyValue):
            return self._value(ingredient, ins.Param(param.name, type), param.name)
        value = self._inputs.fresh(type if ingredient is None else self._open_part(type), param.name)
        self.open.append((value, type, _NESTED))
        return value

    def _open_part(self, type: Type) -> Type:
        part = self._recipes.open_part(type)
        _still(part != UnionType(()))
        return part

    def _value(self, ingredient: Ingredient, param: ins.Param, name: str) -> Value:
        """The value for a parameter, under a name of its own."""
        match ingredient:
            case AnyValue():
                return self._inputs.fresh(self._open_part(param.type), name)
            case AnyState():
                return self._inputs.fresh(param.type, name)
            case LeftOut():
                if param.kind == "star":
                    return ()
                if isinstance(param.default, (ins.NoDefault, ins.StaticDefault)):
                    raise _gone()
                return param.default
            case SameObject():
                raise AssertionError("only inputs of the method under test share an object")
            case Several(kind=kind, items=items):
                types = self._recipes.item_types(param.type, ingredient)
                _still(len(types) == len(items))
                values = tuple(
                    self._value(item, ins.Param("", type), self._unique(f"{name}_{number}"))
                    for number, (item, type) in enumerate(zip(items, types))
                )
                if kind == "tuple":
                    return values
                ref = self.state.heap.new_object("list", ListCell(values))
                self.lists.append((ref, name, values))
                return ref
            case NewObject(cls=cls, arguments=arguments, calls=calls):
                _still(cls in self._subject.program.classes)
                constructor = self._subject.semantics.constructor(cls)
                ref = self._subject.semantics.blank_object(self.state, cls)
                params = constructor.params[1:] if constructor is not None else ()
                self.steps.append(Step(ref, cls, constructor, True, self._values(params, arguments)))
                for called, given in calls:
                    method = self._subject.program.find_method(cls, called)
                    if method is None:
                        raise _gone()
                    self.steps.append(Step(ref, cls, method, False, self._values(method.params[1:], given)))
                return ref

    def _values(self, params: Sequence[ins.Param], ingredients: Sequence[Ingredient]) -> tuple[Value, ...]:
        _still(len(params) == len(ingredients))
        values = []
        taken = self._subject.semantics.any_keywords(params)
        for param, ingredient in zip(params, ingredients):
            name = self._unique(param.name)
            if param.name in taken:
                self._inputs.keywords[name] = taken[param.name]
            values.append(self._value(ingredient, param, name))
        return tuple(values)

    def _unique(self, name: str) -> str:
        unique, number = name, 1
        while unique in self._taken:
            number += 1
            unique = f"{name}{number}"
        self._taken.add(unique)
        return unique


def _still(fits: bool) -> None:
    """Make sure that a recorded recipe still fits the program."""
    if not fits:
        raise _gone()


def _gone() -> Internal:
    return Internal("the recorded inputs can no longer be made; was the code changed?")


_INVARIANT = "<invariant>"


def check_of(program: Program, invariant: str, type: Type, nested: int) -> Method | None:
    """A method that fails for objects that violate the invariant; None if no such object is possible.

    Objects in declared fields are looked at, too, `nested` fields deep.
    """
    # The check is itself a method of the program: the machine forks over its outcomes, and the paths on which it fails
    # end before the call under test.
    if not _having(program, invariant, type):
        return None
    build = MethodBuilder("builtins", _INVARIANT, (ins.Param("value", ANY),))
    fails = build.label("fails")
    _check(build, program, invariant, (0, type), nested, fails)
    build.end(ins.Return(build.constant(None)))
    build.start(fails)
    build.end(ins.Throw(build.constant(ins.ClassRef(program.profile.assertion_error))))
    return build.finish(kind="static", model=True)


def keeping(program: Program, precondition: Method) -> Method:
    """A method that fails where a precondition does not hold for its arguments."""
    params = tuple(ins.Param(param.name, ANY) for param in precondition.params)
    build = MethodBuilder("builtins", precondition.name, params)
    fails, fine = build.label("fails"), build.label("fine")
    result, broken = build.register(), build.register()
    build.emit(ins.CallStatic(result, precondition.cls, precondition.name, tuple(range(len(params)))))
    build.emit(ins.Unary(broken, "not", result))
    build.branch(broken, fails, fine)
    build.start(fine)
    build.end(ins.Return(build.constant(None)))
    build.start(fails)
    build.end(ins.Throw(build.constant(ins.ClassRef(program.profile.assertion_error))))
    return build.finish(kind="static", model=True)


def _check(
    build: MethodBuilder, program: Program, invariant: str, value: tuple[ins.Reg, Type], nested: int, fails: ins.Label
) -> None:
    """Go to `fails` if the value is an object with the invariant that does not fulfil it."""
    register, type = value
    done = build.label("done")
    for option in _having(program, invariant, type):
        applies, holds, other = map(build.label, ("applies", "holds", "other"))
        is_object, result, broken = build.register(), build.register(), build.register()
        build.emit(ins.TypeTest(is_object, register, (option,)))
        build.branch(is_object, applies, other)
        build.start(applies)
        found = program.find_method(option.name, invariant)
        if found is not None and found.kind == "property":
            build.emit(ins.GetField(result, register, invariant))
        else:
            build.emit(ins.CallVirtual(result, register, invariant, ()))
        build.emit(ins.Unary(broken, "not", result))
        build.branch(broken, fails, holds)
        build.start(holds)
        for name, declared in program.all_fields(option.name).items() if nested else ():
            if _having(program, invariant, declared.type):
                inner = build.register()
                build.emit(ins.GetField(inner, register, name))
                _check(build, program, invariant, (inner, declared.type), nested - 1, fails)
        build.end(ins.Jump(done))
        build.start(other)
    build.start(done)


def _having(program: Program, invariant: str, type: Type) -> list[ClassType]:
    """The classes of a type that have the invariant."""
    options = type.options if isinstance(type, UnionType) else (type,)
    return [o for o in options if isinstance(o, ClassType) and program.find_method(o.name, invariant) is not None]
