"""Which variables may have no value yet when an instruction reads them.

A forward data-flow analysis: a variable is certainly assigned before a block if it is on every way to it. Sets of
variables are bits; they start full and shrink until nothing changes.
"""

from __future__ import annotations

from everypath.ir.instructions import Instruction, Label, Reg, Terminator
from everypath.ir.operands import reads, targets, writes
from everypath.ir.program import Method

Unsure = dict[tuple[Label, int], tuple[Reg, ...]]


def unsure_reads(method: Method) -> Unsure:
    """The variables, for each place that reads them, that some way there does not assign; models have none."""
    bits = {reg: 1 << reg for reg in method.register_names if reg >= len(method.params)}
    if not bits or method.model:
        return {}
    before = _assigned_before(method, bits)
    found: Unsure = {}
    for label, block in method.blocks.items():
        assigned = before[label]
        for index, instruction in enumerate((*block.instructions, block.terminator)):
            unsure = tuple(reg for reg in reads(instruction) if reg in bits and not assigned & bits[reg])
            if unsure:
                found[label, index] = tuple(dict.fromkeys(unsure))
                # Whoever comes past the first read has found a value.
                assigned |= sum(bits[reg] for reg in set(unsure))
            assigned |= bits.get(_written(instruction), 0)
    return found


def _assigned_before(method: Method, bits: dict[Reg, int]) -> dict[Label, int]:
    """For each block, the variables that are assigned on every way to it."""
    everything = sum(bits.values())
    gained = dict.fromkeys(method.blocks, 0)
    for label, block in method.blocks.items():
        for instruction in block.instructions:
            gained[label] |= bits.get(_written(instruction), 0)
    before = dict.fromkeys(method.blocks, everything)
    before[method.entry] = 0
    waiting = [method.entry]
    while waiting:
        label = waiting.pop()
        after = before[label] | gained[label]
        ways = [(target, after) for target in targets(method.blocks[label].terminator)]
        # An exception may leave the block before any of its assignments.
        ways += [(handler.target, before[label]) for handler in method.handlers if label in handler.blocks]
        for target, assigned in ways:
            if before[target] & assigned != before[target]:
                before[target] &= assigned
                waiting.append(target)
    return before


def _written(instruction: Instruction | Terminator) -> Reg:
    written = writes(instruction)
    return -1 if written is None else written
