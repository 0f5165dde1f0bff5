"""Which methods a block may run: the call graph of a program, read off its instructions.

A call by name is one edge for each method that the name may mean. Operators and called values can run methods that no
name tells; the language says which names operations look up (`Semantics.runs_by_operation`), and a function that is
used as a value may be called by any of them. What a path turns out to run besides is added as it is seen, so the graph
is complete for the paths that were explored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

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
from everypath.ir.program import Method, Program

Name = tuple[str, str]
"""A method's class and name."""


class CallGraph:
    """The methods of a program, without those of library models, and who may call whom."""

    def __init__(self, program: Program, by_operation: Callable[[str], bool]) -> None:
        self.program = program
        self._by_operation = by_operation
        self._seen: dict[Name, None] = {}
        """methods that paths have entered although no call names them"""
        self._blocks: dict[tuple[Name, Label], tuple[Method, ...]] = {}
        self._callees: dict[Name, tuple[Method, ...]] = {}

    def note_entered(self, method: Method, block: Block, caller: Method) -> bool:
        """A path went from the block into the method; True if that was not known to be possible."""
        if method in self.callees_of_block(caller, block.label):
            return False
        if (method.cls, method.name) in self._seen:
            return False
        self._seen[method.cls, method.name] = None
        self._blocks.clear()
        self._callees.clear()
        # The method may belong to a class that the program did not have before.
        for cached in ("_by_name", "_operator_methods", "_values"):
            self.__dict__.pop(cached, None)
        return True

    def callees(self, method: Method) -> tuple[Method, ...]:
        """The methods that some block of the method may run."""
        key = (method.cls, method.name)
        found = self._callees.get(key)
        if found is None:
            every = (callee for label in method.blocks for callee in self.callees_of_block(method, label))
            found = self._callees[key] = tuple(_distinct(every))
        return found

    def callees_of_block(self, method: Method, label: Label) -> tuple[Method, ...]:
        """The methods that one block of the method may run."""
        key = ((method.cls, method.name), label)
        found = self._blocks.get(key)
        if found is None:
            block = method.blocks[label]
            every = (callee for each in (*block.instructions, block.terminator) for callee in self._run_by(each))
            found = self._blocks[key] = tuple(_distinct(every))
        return found

    def reachable(self, method: Method) -> list[Method]:
        """The method and all that it may run, directly or through others; callers before what only they call."""
        found = {id(method): method}
        waiting = [method]
        while waiting:
            for callee in self.callees(waiting.pop(0)):
                if id(callee) not in found:
                    found[id(callee)] = callee
                    waiting.append(callee)
        return list(found.values())

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

    def callers(self, method: Method) -> list[Method]:
        """The methods that may run this one."""
        return [each for each in self.program.methods() if not each.model and method in self.callees(each)]

    def _named(self, instruction: Instruction) -> Iterator[Method | None]:
        if isinstance(instruction, CallStatic):
            yield self.program.find_method(instruction.cls, instruction.name)
        elif isinstance(instruction, CallVirtual) and len(self._by_name.get(instruction.name, ())) == 1:
            yield self._by_name[instruction.name][0]
        elif isinstance(instruction, Const) and isinstance(instruction.value, FunctionRef):
            yield self.program.find_method(instruction.value.cls, instruction.value.name)

    def _body(self, method: Method) -> Method | None:
        return self.program.find_method(method.cls, resumable_body(method.name))

    def _run_by(self, instruction: Instruction | Terminator) -> Iterator[Method]:
        match instruction:
            case CallStatic(cls=cls, name=name):
                method = self.program.find_method(cls, name)
                if method is not None and not method.model:
                    yield method
                    yield from filter(None, [self._body(method)])
                elif method is not None:
                    yield from self._loose
            case CallVirtual(name=name):
                yield from self._called(name)
                yield from self._loose
            case GetField(name=name) | SetField(name=name) | DelField(name=name):
                yield from self._properties(name)
            case GetStatic():
                pass
            case CallValue() | CallNative():
                yield from self._loose
            case _ if may_raise(instruction):
                yield from self._operators

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
        for cls in self.program.classes.values():
            setter = cls.setters.get(name)
            if setter is not None and setter in cls.methods and not cls.methods[setter].model:
                yield cls.methods[setter]
        yield from self._operators

    @cached_property
    def _operator_methods(self) -> tuple[Method, ...]:
        return tuple(m for m in self.program.methods() if not m.model and self._by_operation(m.name))

    @property
    def _operators(self) -> Iterator[Method]:
        """Methods that an operator may run."""
        yield from self._operator_methods
        for cls, name in self._seen:
            method = self.program.find_method(cls, name)
            if method is not None:
                yield method

    @cached_property
    def _values(self) -> tuple[Method, ...]:
        """Methods that are values somewhere, and may be called where nobody sees their name."""
        found: dict[int, Method] = {}
        names: set[str] = set()
        for method in self.program.methods():
            if is_nested_function(method.cls) or is_nested_function(method.name):
                found[id(method)] = method
            for block in method.blocks.values():
                for instruction in block.instructions:
                    if isinstance(instruction, GetField):
                        names.add(instruction.name)
                    for value in self._referred(instruction):
                        found[id(value)] = value
        for method in self.program.methods():
            if method.name in names and method.kind != "property" and method.cls in self.program.classes:
                found[id(method)] = method
        return tuple(m for m in found.values() if not m.model)

    def _referred(self, instruction: Instruction) -> Iterator[Method]:
        if isinstance(instruction, Const) and isinstance(instruction.value, FunctionRef):
            method = self.program.find_method(instruction.value.cls, instruction.value.name)
            yield from filter(None, [method])
        elif isinstance(instruction, Const) and isinstance(instruction.value, ClassRef):
            owner = self.program.classes.get(instruction.value.name)
            if owner is not None and not owner.model:
                yield from (m for m in owner.methods.values() if self._by_operation(m.name))

    @property
    def _loose(self) -> Iterator[Method]:
        yield from self._values
        yield from self._operators

    def loose(self) -> tuple[Method, ...]:
        """Methods that a call of a value, or code of the library, may run."""
        return tuple(_distinct(self._loose))


def _distinct(methods: Iterator[Method]) -> list[Method]:
    return list({id(method): method for method in methods}.values())
