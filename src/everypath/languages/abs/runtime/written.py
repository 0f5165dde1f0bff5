"""Plans how a case is written as a test in ABS: which objects to make, what to call, what to ask at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from everypath.cases import actors as suite
from everypath.concurrency.names import Reference, TaskName
from everypath.errors import EverypathError
from everypath.languages.abs.frontend.program import Class, Method, Program
from everypath.languages.abs.frontend.types import OBJECT, UNIT, DataType, InterfaceType, Type
from everypath.languages.abs.runtime.building import Applied, alone, calls_to, constructed, public_methods
from everypath.languages.abs.runtime.canonical import references
from everypath.languages.abs.runtime.machine import Machine
from everypath.languages.abs.runtime.outcomes import to_case
from everypath.languages.abs.runtime.replay import follow, state_for
from everypath.languages.abs.runtime.state import State
from everypath.languages.abs.runtime.values import Data


class NotWritten(Exception):
    """Why a case is no test in ABS."""


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
        """All parts; NotWritten when one is missing."""
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
            result if result is not None and call.result.name != UNIT.name and self._known(result) else None,
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
        """Depth first along the arguments of constructors; `above` are those that wait for the one looked at."""
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
        """The interface that says most about the actor."""
        cls = self._class(reference)
        if not cls.implements or cls.implements == (OBJECT.name,):
            raise NotWritten(f"class `{cls.name}` implements no interface, so that a test cannot call its methods")
        mine = [name for name in cls.implements if name in self.program.interfaces]
        return max(mine, key=lambda name: len(self.program.interfaces[name].methods))

    def _given(self, value: Any, wanted: Type) -> suite.Given:
        if _has_future(value):
            raise NotWritten("an argument is a future")
        cast = ""
        if isinstance(value, Reference) and isinstance(wanted, InterfaceType):
            cast = wanted.name if not self._is_a(self.interfaces[value], wanted.name) else ""
        return suite.Given(to_case(value), cast)

    def _is_a(self, interface: str, wanted: str) -> bool:
        return wanted in (interface, OBJECT.name, *self.program.interfaces[interface].supers)

    def _creation(self, reference: Reference, setup: list[suite.Call]) -> suite.Creation:
        cls = self._class(reference)
        wanted = self.state.objects[reference].values
        first = tuple(wanted[: len(cls.parameters)])
        values = constructed(self.machine, reference, first)
        if isinstance(values, str):
            raise NotWritten(f"`{reference}` cannot be made in this state: {values}")
        calls = calls_to(self.machine, reference, values, wanted)
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
            for method in public_methods(self._class(reference)):
                asked = reference is _receiver(self.tasks[0]) and method.name == self.tasks[0].label
                if method.parameters or method.result == UNIT or asked:
                    continue
                applied = Applied(method.name, ())
                ended = alone(self.machine, final, reference, applied)
                if ended is not None and ended.pure:
                    value = to_case(ended.result)
                    if self._known(value):
                        found.append(suite.Observer(self._call(reference, applied), value))
        return found

    def _known(self, value: suite.Value) -> bool:
        """Whether the test can write the value: it names only actors that the test has made."""
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


def written_type(type: Type) -> suite.WrittenType:
    """A type as a test declares variables with it."""
    if isinstance(type, DataType):
        return suite.WrittenType(type.name, tuple(map(written_type, type.arguments)))
    assert isinstance(type, InterfaceType)
    return suite.WrittenType(type.name)


def declared_in(program: Program) -> dict[str, frozenset[str]]:
    """Simple names -> the modules that declare something of that name."""
    found: dict[str, set[str]] = {}
    kinds: tuple[Iterable[str], ...] = (
        program.data, program.constructors, program.interfaces, program.classes, program.functions, program.accessors,
    )  # fmt: skip
    for names in kinds:
        for name in names:
            module, _, simple = name.rpartition(".")
            found.setdefault(simple, set()).add(module)
    return {simple: frozenset(modules) for simple, modules in found.items()}
