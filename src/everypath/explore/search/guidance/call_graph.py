"""Which methods a block may run: the call graph of a program, read off its instructions.

A call by name is one edge for each method that the name may mean. Operators and called values can run methods that no
name tells; the language says which names operations look up (`Semantics.runs_by_operation`), and a function that is
used as a value may be called by any of them. What a path turns out to run besides is added as it is seen, so the graph
is complete for the paths that were explored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TypeVar

from everypath.ir.instructions import (
    Block,
    CallNative,
    CallStatic,
    CallValue,
    CallVirtual,
    ClassRef,
    Const,
    DelField,
    FunctionRef,
    GetField,
    GetStatic,
    Instruction,
    Label,
    SetField,
    Terminator,
)
from everypath.ir.names import is_nested_function, resumable_body
from everypath.ir.operands import may_raise
from everypath.ir.program import Class, Method, Program

Name = tuple[str, str]
"""A method's class and name."""


class Group:
    """Methods that some instructions may run, nobody knows which: all those calls share one edge to the group."""

    def __init__(self, members: Callable[[], Iterator[Method]]) -> None:
        self._members = members

    @cached_property
    def members(self) -> tuple[Method, ...]:
        """The methods, each once."""
        return tuple(_distinct(self._members()))


Callee = Method | Group


class CallGraph:
    """The methods of a program, without those of library models, and who may call whom."""

    def __init__(self, program: Program, by_operation: Callable[[str], bool]) -> None:
        self.program = program
        self._by_operation = by_operation
        self._seen: dict[Name, None] = {}
        """methods that paths have entered although no call names them"""
        self._calls: dict[tuple[Name, Label], tuple[tuple[int, Callee], ...]] = {}
        self._following: dict[Name, tuple[Callee, ...]] = {}
        self._begin()

    def _begin(self) -> None:
        self._operators = Group(self._run_by_operators)
        self._values = Group(self._used_as_values)
        self._calls.clear()
        self._following.clear()
        for cached in ("_by_name", "_setters"):
            self.__dict__.pop(cached, None)

    def note_entered(self, method: Method, block: Block, caller: Method) -> bool:
        """A path went from the block into the method; True if that was not known to be possible."""
        for _, callee in self._calls_in(caller, block.label):
            if callee is method or (isinstance(callee, Group) and method in callee.members):
                return False
        if (method.cls, method.name) in self._seen:
            return False
        self._seen[method.cls, method.name] = None
        # The method may belong to a class that the program did not have before.
        self._begin()
        return True

    def following(self, caller: Callee) -> tuple[Callee, ...]:
        """What some block of a method, or some method of a group, may run."""
        if isinstance(caller, Group):
            return caller.members
        key = (caller.cls, caller.name)
        found = self._following.get(key)
        if found is None:
            every = (callee for label in caller.blocks for _, callee in self._calls_in(caller, label))
            found = self._following[key] = tuple(_distinct(every))
        return found

    def callees(self, method: Method) -> tuple[Method, ...]:
        """The methods that some block of the method may run."""
        every = self.following(method)
        return tuple(_distinct(m for each in every for m in (each.members if isinstance(each, Group) else (each,))))

    def run_from(self, method: Method, label: Label, index: int = 0) -> Iterator[Callee]:
        """What a block of the method may run from one of its instructions on."""
        return (callee for at, callee in self._calls_in(method, label) if at >= index)

    def _calls_in(self, method: Method, label: Label) -> tuple[tuple[int, Callee], ...]:
        """What the instructions of a block may run."""
        key = ((method.cls, method.name), label)
        found = self._calls.get(key)
        if found is None:
            block = method.blocks[label]
            every = enumerate((*block.instructions, block.terminator))
            # The last place is kept, since everything before it may still come to the same.
            last = {id(callee): (at, callee) for at, each in every for callee in self._run_by(each)}
            found = self._calls[key] = tuple(last.values())
        return found

    def reachable(self, method: Method) -> list[Method]:
        """The method and all that it may run, directly or through others; callers before what only they call."""
        found: dict[int, Callee] = {id(method): method}
        waiting = deque[Callee]([method])
        while waiting:
            for callee in self.following(waiting.popleft()):
                if id(callee) not in found:
                    found[id(callee)] = callee
                    waiting.append(callee)
        return [each for each in found.values() if isinstance(each, Method)]

    def exact(self, method: Method) -> list[Method]:
        """The method and all that it reaches by calls, or uses as values, that can mean one method only."""
        found = {id(method): method}
        waiting = [method]
        while waiting:
            each = waiting.pop(0)
            named = [callee for b in each.blocks.values() for i in b.instructions for callee in self._named(i)]
            for callee in (*named, self._body(each)):
                if callee is not None and not callee.model and id(callee) not in found:
                    found[id(callee)] = callee
                    waiting.append(callee)
        return list(found.values())

    def _named(self, instruction: Instruction) -> Iterator[Method | None]:
        if isinstance(instruction, CallStatic):
            yield self.program.find_method(instruction.cls, instruction.name)
        elif isinstance(instruction, CallVirtual) and len(self._by_name.get(instruction.name, ())) == 1:
            yield self._by_name[instruction.name][0]
        elif isinstance(instruction, Const) and isinstance(instruction.value, FunctionRef):
            yield self.program.find_method(instruction.value.cls, instruction.value.name)

    def _body(self, method: Method) -> Method | None:
        return self.program.find_method(method.cls, resumable_body(method.name))

    def _run_by(self, instruction: Instruction | Terminator) -> Iterator[Callee]:
        match instruction:
            case CallStatic(cls=cls, name=name):
                method = self.program.find_method(cls, name)
                if method is not None and not method.model:
                    yield method
                    yield from filter(None, [self._body(method)])
                elif method is not None:
                    yield from self.loose
            case CallVirtual(name=name):
                yield from self._called(name)
                yield from self.loose
            case GetField(name=name) | SetField(name=name) | DelField(name=name):
                yield from self._properties(name)
                yield self._operators
            case GetStatic():
                pass
            case CallValue() | CallNative():
                yield from self.loose
            case _ if may_raise(instruction):
                yield self._operators

    @property
    def loose(self) -> tuple[Group, Group]:
        """What a call of a value, or code of the library, may run."""
        return self._values, self._operators

    @cached_property
    def _by_name(self) -> dict[str, list[Method]]:
        found: dict[str, list[Method]] = {}
        for method in self.program.methods():
            if not method.model:
                found.setdefault(method.name, []).append(method)
        return found

    def _called(self, name: str) -> Iterator[Method]:
        yield from self._by_name.get(name, ())
        yield from self._by_name.get(resumable_body(name), ())

    def _properties(self, name: str) -> Iterator[Method]:
        for method in self._by_name.get(name, ()):
            if method.kind == "property":
                yield method
        for cls in self._setters.get(name, ()):
            setter = cls.setters[name]
            if setter in cls.methods and not cls.methods[setter].model:
                yield cls.methods[setter]

    @cached_property
    def _setters(self) -> dict[str, list[Class]]:
        """The classes with a setter, by the names of the fields that are set."""
        found: dict[str, list[Class]] = {}
        for cls in self.program.classes.values():
            for name in cls.setters:
                found.setdefault(name, []).append(cls)
        return found

    def _run_by_operators(self) -> Iterator[Method]:
        """Methods that an operator may run."""
        yield from (m for m in self.program.methods() if not m.model and self._by_operation(m.name))
        for cls, name in self._seen:
            method = self.program.find_method(cls, name)
            if method is not None:
                yield method

    def _used_as_values(self) -> Iterator[Method]:
        """Methods that are values somewhere, and may be called where nobody sees their name."""
        names: set[str] = set()
        for method in self.program.methods():
            if not method.model and (is_nested_function(method.cls) or is_nested_function(method.name)):
                yield method
            for block in method.blocks.values():
                for instruction in block.instructions:
                    if isinstance(instruction, GetField):
                        names.add(instruction.name)
                    yield from (value for value in self._referred(instruction) if not value.model)
        for method in self.program.methods():
            named = method.name in names and method.kind != "property" and method.cls in self.program.classes
            if named and not method.model:
                yield method

    def _referred(self, instruction: Instruction) -> Iterator[Method]:
        if isinstance(instruction, Const) and isinstance(instruction.value, FunctionRef):
            method = self.program.find_method(instruction.value.cls, instruction.value.name)
            yield from filter(None, [method])
        elif isinstance(instruction, Const) and isinstance(instruction.value, ClassRef):
            owner = self.program.classes.get(instruction.value.name)
            if owner is not None and not owner.model:
                yield from (m for m in owner.methods.values() if self._by_operation(m.name))


_Any = TypeVar("_Any")


def _distinct(every: Iterable[_Any]) -> list[_Any]:
    return list({id(each): each for each in every}.values())
