"""Exceptions that stand-ins raise: how one is made, and what a context manager around the call does with it."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.errors import Unsupported
from everypath.explore.answers import MADE_WITH
from everypath.explore.handlers import Clause, Waiting
from everypath.explore.objects import class_of, program_of, short
from everypath.explore.semantics import MISUSE
from everypath.explore.signals import Fault, Invoke
from everypath.explore.standins import part_of_answer
from everypath.explore.state import State
from everypath.heap.values import ListCell, Ref, Value
from everypath.ir.instructions import ClassRef, Const, NoDefault, TypeTest
from everypath.ir.operands import reads
from everypath.ir.program import Method, Program
from everypath.ir.types import ClassType
from everypath.languages.python.natives.exceptions import construct_exception
from everypath.languages.python.semantics.generators import suspended
from everypath.languages.python.semantics.kinds import reference
from everypath.languages.python.semantics.registry import native

_EXITS = ("__exit__", "__aexit__")


class PythonRaising:
    """What Python does with exceptions of stand-ins."""

    anything = "Exception"

    def make(self, st: State, cls: str, call: str) -> Ref:
        """An exception that a stand-in raises; what its constructor needs are inputs."""
        program = program_of(st)
        made = st.statics.get(("<raised>", call))
        if isinstance(made, Ref):
            return made
        initialiser = program.find_method(cls, "__init__")
        if initialiser is None:
            try:
                return reference(construct_exception(st, ClassRef(cls)))
            except Fault:
                raise Unsupported(f"{short(cls)} raised by {call}: what its constructor needs is not known") from None
        ref = st.heap.new_object(cls, {"args": ()})
        needed = [p for p in initialiser.params[1:] if isinstance(p.default, NoDefault) and "star" not in p.kind]
        values = {p.name: part_of_answer(st, call, p.name, p.type) for p in needed}
        positional = [values[p.name] for p in needed if p.kind != "keyword"]
        named = {p.name: values[p.name] for p in needed if p.kind == "keyword"}
        # What the test calls the class with.
        st.heap.set_field(ref, MADE_WITH, (tuple(positional), tuple(named), tuple(named.values())))

        trace = st.trace

        def keep(state: State, _: Value) -> Value:
            # The test makes the exception before the call under test, so this is no part of the path.
            state.trace = trace
            state.statics = {**state.statics, ("<raised>", call): ref}
            return None

        raise Invoke(initialiser, [ref, *positional], keep, named, again=True)

    def managed(self, st: State, manager: Value) -> Iterator[Clause | Waiting]:
        """What the manager of a `with` block does with an exception that leaves the block."""
        manager = st.heap.settled(manager)
        if not isinstance(manager, Ref):
            return
        program, cls = program_of(st), class_of(st, manager)
        ends = next((method for name in _EXITS if (method := program.find_method(cls, name)) is not None), None)
        if ends is None:
            return
        if not ends.model:
            yield from _told_apart(program, ends)
            return
        # Managers of the library hand the exception on to what they hold: a generator, or other managers.
        for value in _held(st, tuple(st.heap.fields(manager).values())):
            if (waiting := suspended(st, value)) is not None:
                yield Waiting(waiting.code.method, waiting.resume.label, waiting.regs)
            else:
                yield from self.managed(st, value)


RAISING = PythonRaising()


@native("passed_on")
def passed_on(st: State, exception: Value) -> Value:
    """The program has caught the error by its name, and raises it again on purpose."""
    st.heap.set_field(reference(exception), MISUSE, True)
    return None


def _told_apart(program: Program, ends: Method) -> Iterator[Clause]:
    """The exceptions that a method of the program mentions that ends a `with` block, and any other."""
    parameters = set(range(1, len(ends.params)))
    instructions = [i for block in ends.blocks.values() for i in (*block.instructions, block.terminator)]
    if not any(parameters.intersection(reads(instruction)) for instruction in instructions):
        return
    classes: list[str] = []
    for instruction in instructions:
        match instruction:
            case TypeTest(types=types):
                classes += [type_.name for type_ in types if isinstance(type_, ClassType)]
            case Const(value=ClassRef(name)):
                classes.append(name)
    for cls in classes:
        if program.is_subclass(cls, "BaseException"):
            yield Clause((cls,), passes_on=True)
    yield Clause((PythonRaising.anything,), passes_on=True)


def _held(st: State, values: tuple[Value, ...]) -> Iterator[Ref]:
    """The objects among values, and in lists and tuples of them; the last one comes first."""
    for value in reversed(values):
        value = st.heap.settled(value)
        if isinstance(value, tuple):
            yield from _held(st, value)
        elif isinstance(value, Ref):
            cell = st.heap.cells.get(value)
            if isinstance(cell, ListCell):
                yield from _held(st, cell.items)
            else:
                yield value
