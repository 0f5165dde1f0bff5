"""What a value was computed from, if it does not tell itself: the registers behind it, through all active calls.

A term names its inputs. What a library operation made of known values does not, and neither does the result of a test.
So this is a backward slice (Weiser, "Program Slicing", 1984), without regard to control flow: the instructions that may
have written a register are asked for what they read, and the callers for what they passed on. It finds more than took
part, but misses nothing, except for what went through the heap otherwise than by way of these registers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from everypath.explore.outcomes import Activation, Origin
from everypath.heap.values import UNBOUND, Value
from everypath.ir.instructions import Branch, CallNative, CallVirtual, Instruction, Reg, SetField, SetItem, Terminator
from everypath.ir.operands import reads, targets, writes
from everypath.ir.program import Method


def behind(origin: Origin, registers: Iterable[Reg]) -> Iterator[Value]:
    """The values that some registers of the instruction were computed from."""
    for activation, wanted in _slices(origin, registers):
        values = (activation.registers[register] for register in sorted(wanted))
        yield from (value for value in values if value is not UNBOUND)


def arguments_behind(origin: Origin, registers: Iterable[Reg]) -> Iterator[str]:
    """The parameters of the call under test that some registers of the instruction were computed from."""
    *_, (first, wanted) = _slices(origin, registers)
    if not first.called:
        yield from (param.name for number, param in enumerate(first.method.params) if number in wanted)


def looked_up(origin: Origin, registers: Iterable[Reg], natives: Collection[str]) -> bool:
    """Whether the instruction is a call of one of these natives, or works with what one has given."""
    for activation, wanted in _slices(origin, registers):
        for instruction in (activation.instruction, *_instructions(activation.method)):
            used = instruction is activation.instruction or writes(instruction) in wanted
            if used and isinstance(instruction, CallNative) and instruction.name in natives:
                return True
    return False


def handed_over(origin: Origin, registers: Iterable[Reg], outside: Callable[[Method], bool]) -> bool:
    """Whether code from outside of the program got one of the registers from the program as it is."""
    wanted = set(registers)
    below: Activation | None = None
    for activation in origin.stack():
        if below is not None:
            wanted = _arguments(activation.instruction, below.method, wanted)
        if not outside(activation.method):
            return bool(wanted)
        # Parameters come first. One that is assigned anew counts as well: that is seldom, and a miss would be silent.
        wanted = {register for register in wanted if register < len(activation.method.params)}
        below = activation
    return False


def deciding(origin: Origin) -> tuple[Reg, ...]:
    """The registers that were tested right before the instruction was reached."""
    activation = next(origin.stack())
    ends = (block.terminator for block in activation.method.blocks.values())
    tests = (end for end in ends if isinstance(end, Branch) and activation.label in targets(end))
    return tuple(register for test in tests for register in reads(test))


def _slices(origin: Origin, registers: Iterable[Reg]) -> Iterator[tuple[Activation, set[Reg]]]:
    """The active methods, innermost first, each with the registers that the given ones were computed from."""
    wanted = set(registers)
    below: Activation | None = None
    for activation in origin.stack():
        if below is not None:
            wanted = _arguments(activation.instruction, below.method, wanted)
        wanted = _computed_from(activation.method, wanted)
        yield activation, wanted
        below = activation


def _computed_from(method: Method, registers: set[Reg]) -> set[Reg]:
    sources: dict[Reg, set[Reg]] = {}
    for instruction in _instructions(method):
        if (written := writes(instruction)) is not None:
            sources.setdefault(written, set()).update(reads(instruction))
        # What is put into an object, or given to one of its methods, is part of it from then on.
        if isinstance(instruction, (SetField, SetItem)):
            sources.setdefault(instruction.obj, set()).add(instruction.value)
        elif isinstance(instruction, CallVirtual):
            sources.setdefault(instruction.receiver, set()).update(instruction.args)
    found, agenda = set(registers), list(registers)
    while agenda:
        more = sources.get(agenda.pop(), set()) - found
        found |= more
        agenda += more
    return found


def _instructions(method: Method) -> Iterator[Instruction | Terminator]:
    return (each for block in method.blocks.values() for each in (*block.instructions, block.terminator))


def _arguments(call: Instruction | Terminator, method: Method, wanted: set[Reg]) -> set[Reg]:
    """The registers that a call passes for some parameters; all of its registers if it is not clear which goes
    where.
    """
    given, passed = reads(call), [number for number in range(len(method.params)) if number in wanted]
    if len(given) == len(method.params):
        return {given[number] for number in passed}
    return set(given) if passed else set()
