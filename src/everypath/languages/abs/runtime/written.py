"""Plans how a case is written as a test in ABS: which objects to make, what to call, what to ask at the end.

How an object with given fields can be made is found by a breadth-first search over the values of its fields: it starts
with what the constructor gives, tries every public method with arguments taken from the wanted values, and stops at
the shortest sequence of calls that reaches the goal, or when the limits below are used up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any

from everypath.cases import actors as suite
from everypath.concurrency.names import Reference, TaskName
from everypath.errors import EverypathError, LimitReached
from everypath.languages.abs.frontend import types as abs_types
from everypath.languages.abs.frontend.program import INIT, Class, Method, Program
from everypath.languages.abs.runtime.canonical import references
from everypath.languages.abs.runtime.compile import MACHINE, RUN
from everypath.languages.abs.runtime.machine import Machine, deep_calls
from everypath.languages.abs.runtime.outcomes import to_case
from everypath.languages.abs.runtime.replay import follow, state_for
from everypath.languages.abs.runtime.running import slots_for
from everypath.languages.abs.runtime.state import Failure, Frame, Instance, State, Task
from everypath.languages.abs.runtime.values import Data, Died
from everypath.records import dataclass

_DEEPEST = 4
"""The most calls in a row that are tried."""
_MOST = 400
"""The most calls that are tried for one object altogether."""
_ARGUMENTS = 12
"""The most combinations of arguments that are tried for one method."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A method and its arguments."""

    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """What a method did when it ran alone to its end: its result, whether it changed nothing, and the fields then."""

    result: Any
    pure: bool
    values: tuple[Any, ...]


def _constructed(machine: Machine, reference: Reference, arguments: tuple[Any, ...]) -> list[Any] | str:
    """The fields after `new`, with `reference` for the object itself; or the reason why that has other effects."""
    cls = machine.compiled.classes[reference.label]
    init = cls.methods.get(INIT)
    if RUN in cls.methods:
        return "its `run` would begin"
    if init is not None and init.native is None:
        return "its init block waits"
    name = TaskName(None, 0, "new", None)
    running = machine.running
    state = State()
    running.begin(state, Task(name, [], True))
    try:
        with deep_calls():
            made = running.create(reference.label, arguments, None)
    except (*MACHINE, Died, LimitReached):
        return "its constructor fails"
    if running.sent or len(running.created) > 1 or running.texts or running.current.drawn:
        return "its init block does more than set its fields"
    return [reference if value is made else value for value in state.objects[made].values]


def _calls_to(
    machine: Machine, reference: Reference, values: Sequence[Any], wanted: Sequence[Any]
) -> tuple[Applied, ...] | None:
    """The fewest calls of public methods that turn one state of the object into another; None if none are found."""
    goal = tuple(wanted)
    start = tuple(values)
    if start == goal:
        return ()
    program = machine.compiled.program
    possible = _applications(program, program.classes[reference.label], _pool(wanted))
    frontier: list[tuple[tuple[Any, ...], tuple[Applied, ...]]] = [(start, ())]
    seen = {start}
    tried = 0
    for _ in range(_DEEPEST):
        following = []
        for state, way in frontier:
            for applied in possible:
                tried += 1
                if tried > _MOST:
                    return None
                ended = _alone(machine, State({reference: Instance(reference, list(state))}), reference, applied)
                if ended is None or ended.values in seen:
                    continue
                seen.add(ended.values)
                longer = (*way, applied)
                if ended.values == goal:
                    return longer
                following.append((ended.values, longer))
        frontier = following
    return None


def _alone(machine: Machine, state: State, reference: Reference, applied: Applied) -> Ended | None:
    """Run a method on an object that nobody else uses; None if it fails, waits or affects others."""
    if reference in state.dead or reference.cog in state.holders:
        return None
    code = machine.compiled.classes[reference.label].methods[applied.method]
    name = TaskName(None, len(state.tasks), applied.method, reference)
    slots = slots_for(code.slots, applied.arguments) if code.native is None else list(applied.arguments)
    state = state.fork()
    state.tasks[name] = Task(name, [Frame(code, reference, slots)])
    state.enqueue(reference.cog, name)
    try:
        with deep_calls():
            running = machine.step(state, name)
    except (LimitReached, KeyError):
        return None
    result = state.futures.get(name)
    if name not in state.futures or isinstance(result, Failure):
        return None
    if running.sent or running.created or running.texts or running.current.drawn:
        return None
    if any(other is not reference and instance.written for other, instance in running.touched.items()):
        return None
    written = any(instance.written for instance in running.touched.values())
    return Ended(result, not written, tuple(state.objects[reference].values))


def _public_methods(cls: Class) -> Iterator[Method]:
    """The methods that others can call."""
    return (method for method in cls.methods if method.public and method.name != RUN)


def _applications(program: Program, cls: Class, pool: Sequence[Any]) -> list[Applied]:
    found = []
    for method in _public_methods(cls):
        choices = [_candidates(program, v.type, pool) for v in method.parameters]
        found += [Applied(method.name, arguments) for arguments in islice(product(*choices), _ARGUMENTS)]
    return found


def _candidates(program: Program, type: abs_types.Type, pool: Sequence[Any], depth: int = 2) -> list[Any]:
    """Values of a type: those at hand, and for data types also those that can be made of them."""
    found = [value for value in pool if _fits(program, value, type)]
    data = program.data.get(type.name) if isinstance(type, abs_types.DataType) else None
    if data is None or not isinstance(type, abs_types.DataType) or depth == 0 or type == abs_types.BOOL:
        return found
    meaning = dict(zip(data.parameters, type.arguments))
    for name in data.constructors:
        types = [abs_types.substituted(argument, meaning) for argument in program.constructors[name].arguments]
        choices = [_candidates(program, argument, pool, depth - 1) for argument in types]
        made = (Data(name, arguments) for arguments in islice(product(*choices), _ARGUMENTS))
        found += [value for value in made if value not in found]
    return found


def _pool(values: Iterable[Any]) -> list[Any]:
    """Values that might be needed as arguments: those in the fields, and what they consist of."""
    found: dict[tuple[type, Any], Any] = {}
    pending = list(reversed(list(values)))
    while pending and len(found) < _MOST:
        value = pending.pop()
        found.setdefault((type(value), value), value)
        if value.__class__ is Data:
            pending.extend(reversed(value.arguments))
    for extra in (None, True, False, 0, 1, ""):
        found.setdefault((type(extra), extra), extra)
    return list(found.values())


def _fits(program: Program, value: Any, type: abs_types.Type) -> bool:
    """Whether a value is of a type, as far as that can be seen."""
    if isinstance(type, abs_types.InterfaceType):
        return value is None or (isinstance(value, Reference) and type.name in program.classes[value.label].supers)
    if isinstance(value, bool):
        return type == abs_types.BOOL
    if isinstance(value, int):
        return type in (abs_types.INT, abs_types.RAT)
    if isinstance(value, Fraction):
        return type == abs_types.RAT
    if isinstance(value, float):
        return type == abs_types.FLOAT
    if isinstance(value, str):
        return type == abs_types.STRING
    if value.__class__ is Data and isinstance(type, abs_types.DataType):
        constructor = program.constructors.get(value.name)
        return constructor is not None and constructor.data == type.name
    return False


class NotWritten(Exception):
    """The reason why a case cannot be written as a test in ABS."""


def planned(machine: Machine, case: suite.ActorCase) -> suite.WrittenTest | str:
    """How the case is written, or why it cannot be."""
    try:
        _check(case)
        state, tasks = state_for(machine, case.inputs)
        return _Plan(machine, case, state, list(tasks.values())).result()
    except NotWritten as why:
        return str(why)
    except EverypathError as error:
        return f"it cannot be replayed: {error}"


def _check(case: suite.ActorCase) -> None:
    expected, inputs = case.expected, case.inputs
    if not inputs.tasks:
        raise NotWritten("a main block is run, not called")
    if expected.deadlock is not None:
        raise NotWritten("it ends in a deadlock, which a test cannot wait for")
    if any(failure.task != inputs.tasks[0].name for failure in expected.failures):
        raise NotWritten("a task fails that the test does not wait for")
    if inputs.draws:
        raise NotWritten("it depends on random numbers")


class _Plan:
    """The plan of one case."""

    def __init__(self, machine: Machine, case: suite.ActorCase, state: State, tasks: list[TaskName]) -> None:
        self.machine = machine
        self.program: Program = machine.compiled.program
        self.case = case
        self.state = state
        self.tasks = tasks
        self.interfaces: dict[Reference, str] = {}
        """the type of the variable for each actor"""

    def result(self) -> suite.WrittenTest:
        """All parts of the plan; raises NotWritten if one is missing."""
        arguments = {task: self._arguments(task) for task in self.tasks}
        needed = self._needed(arguments)
        for reference in needed:
            self.interfaces[reference] = self._interface(reference)
        setup: list[suite.Call] = []
        creations = []
        for reference in needed:
            creations.append(self._creation(reference, setup))
        call, *queued = [self._call(_receiver(task), Applied(task.label, arguments[task])) for task in self.tasks]
        observers = self._observers(needed)
        result = self.case.expected.result
        failures = self.case.expected.failures
        raises = failures[0].exception if failures else None
        return suite.WrittenTest(
            tuple(creations),
            tuple(setup),
            call,
            tuple(queued),
            tuple(observers),
            result if result is not None and call.result.name != abs_types.UNIT.name and self._known(result) else None,
            raises if isinstance(raises, suite.DataValue) else None,
        )

    def _arguments(self, task: TaskName) -> tuple[Any, ...]:
        frame = self.state.tasks[task].frames[0]
        count = len(self._method(_receiver(task), task.label).parameters)
        return tuple(frame.slots[:count] if frame.code.native is not None else frame.slots[3 : 3 + count])

    def _class(self, reference: Reference) -> Class:
        return self.program.classes[reference.label]

    def _method(self, reference: Reference, name: str) -> Method:
        method = self._class(reference).method(name)
        assert method is not None
        if not method.public:
            raise NotWritten(f"`{name}` is in no interface, so that a test cannot call it")
        return method

    def _needed(self, arguments: dict[TaskName, tuple[Any, ...]]) -> list[Reference]:
        """The actors that the calls lead to, each after those that its constructor needs."""
        reached: dict[Reference, None] = {}
        pending = [r for task, values in arguments.items() for r in (_receiver(task), *references(values))]
        while pending:
            at = pending.pop(0)
            if at not in reached:
                reached[at] = None
                pending += references(self.state.objects[at].values)
        order: dict[Reference, None] = {}
        for reference in reached:
            if reference.cog is not reference:
                raise NotWritten(f"`{reference}` lives in the cog of another actor")
            if any(map(_has_future, self.state.objects[reference].values)):
                raise NotWritten(f"a field of `{reference}` holds a future")
            self._visit(reference, order)
        return list(order)

    def _visit(self, reference: Reference, order: dict[Reference, None]) -> None:
        """Walk depth first along the arguments of constructors; `above` are those that wait for the current one."""
        above: list[Reference] = []
        pending: list[tuple[Reference, bool]] = [(reference, False)]
        while pending:
            at, ready = pending.pop()
            if ready:
                above.remove(at)
                order[at] = None
            elif at in above:
                raise NotWritten(f"the constructors of `{at}` and of others need each other")
            elif at not in order:
                above.append(at)
                pending.append((at, True))
                first = self.state.objects[at].values[: len(self._class(at).parameters)]
                pending += [(other, False) for other in reversed(references(first))]

    def _interface(self, reference: Reference) -> str:
        """The interface of the actor that has the most methods."""
        cls = self._class(reference)
        if not cls.implements or cls.implements == (abs_types.OBJECT.name,):
            raise NotWritten(f"class `{cls.name}` implements no interface, so that a test cannot call its methods")
        mine = [name for name in cls.implements if name in self.program.interfaces]
        return max(mine, key=lambda name: len(self.program.interfaces[name].methods))

    def _given(self, value: Any, wanted: abs_types.Type) -> suite.Given:
        if _has_future(value):
            raise NotWritten("an argument is a future")
        cast = ""
        if isinstance(value, Reference) and isinstance(wanted, abs_types.InterfaceType):
            cast = wanted.name if not self._is_a(self.interfaces[value], wanted.name) else ""
        return suite.Given(to_case(value), cast)

    def _is_a(self, interface: str, wanted: str) -> bool:
        return wanted in (interface, abs_types.OBJECT.name, *self.program.interfaces[interface].supers)

    def _creation(self, reference: Reference, setup: list[suite.Call]) -> suite.Creation:
        cls = self._class(reference)
        wanted = self.state.objects[reference].values
        first = tuple(wanted[: len(cls.parameters)])
        values = _constructed(self.machine, reference, first)
        if isinstance(values, str):
            raise NotWritten(f"`{reference}` cannot be made in this state: {values}")
        calls = _calls_to(self.machine, reference, values, wanted)
        if calls is None:
            names = self.machine.compiled.classes[reference.label].fields
            wrong = [name for name, has, wants in zip(names, values, wanted) if has != wants]
            raise NotWritten(f"no call was found that gives `{reference}` its first value of {', '.join(wrong)}")
        setup += [self._call(reference, applied) for applied in calls]
        given = tuple(self._given(value, v.type) for value, v in zip(first, cls.parameters))
        return suite.Creation(str(reference), cls.name, self.interfaces[reference], given)

    def _call(self, reference: Reference, applied: Applied) -> suite.Call:
        method = self._method(reference, applied.method)
        declaring = [
            name
            for name in self._class(reference).supers
            if name in self.program.interfaces
            and any(signature.name == applied.method for signature in self.program.interfaces[name].methods)
        ]
        fits = any(self._is_a(self.interfaces[reference], name) for name in declaring)
        return suite.Call(
            str(reference),
            applied.method,
            tuple(self._given(value, v.type) for value, v in zip(applied.arguments, method.parameters)),
            written_type(method.result),
            "" if fits else declaring[0],
        )

    def _observers(self, needed: Sequence[Reference]) -> list[suite.Observer]:
        """Calls without arguments that change nothing, tried at the end of the case."""
        final = follow(self.machine, self.state.fork(), self.case.schedule)
        found = []
        for reference in needed:
            for method in _public_methods(self._class(reference)):
                asked = reference is _receiver(self.tasks[0]) and method.name == self.tasks[0].label
                if method.parameters or method.result == abs_types.UNIT or asked:
                    continue
                applied = Applied(method.name, ())
                ended = _alone(self.machine, final, reference, applied)
                if ended is not None and ended.pure:
                    value = to_case(ended.result)
                    if self._known(value):
                        found.append(suite.Observer(self._call(reference, applied), value))
        return found

    def _known(self, value: suite.Value) -> bool:
        """Whether the test can write the value, which may name only actors that the test has made."""
        names = {str(reference) for reference in self.interfaces}
        pending = [value]
        while pending:
            match pending.pop():
                case suite.ActorReference(name=name) if name not in names:
                    return False
                case suite.FutureReference():
                    return False
                case suite.DataValue(arguments=arguments):
                    pending.extend(arguments)
        return True


def _receiver(task: TaskName) -> Reference:
    assert task.receiver is not None
    return task.receiver


def _has_future(value: Any) -> bool:
    pending = [value]
    while pending:
        at = pending.pop()
        if isinstance(at, TaskName):
            return True
        if at.__class__ is Data and not at.plain:
            pending.extend(at.arguments)
    return False


def written_type(type: abs_types.Type) -> suite.WrittenType:
    """A type as a test declares variables with it."""
    if isinstance(type, abs_types.DataType):
        return suite.WrittenType(type.name, tuple(map(written_type, type.arguments)))
    assert isinstance(type, abs_types.InterfaceType)
    return suite.WrittenType(type.name)


def declared_in(program: Program) -> dict[str, frozenset[str]]:
    """Simple names -> the modules that declare something with this name."""
    found: dict[str, set[str]] = {}
    kinds: tuple[Iterable[str], ...] = (
        program.data, program.constructors, program.interfaces, program.classes, program.functions, program.accessors,
    )  # fmt: skip
    for names in kinds:
        for name in names:
            module, _, simple = name.rpartition(".")
            found.setdefault(simple, set()).add(module)
    return {simple: frozenset(modules) for simple, modules in found.items()}
