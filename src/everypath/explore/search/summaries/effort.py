"""How much it takes at most to execute a method: what takes little is executed, and no summary of it is made.

Composing a call costs as much as executing a dozen blocks, whatever the method does. For a method that never executes
so many, not even making the summary would pay; the summary of its caller holds what it does all the same.
"""

from __future__ import annotations

from everypath.ir.instructions import CallStatic, CallValue, CallVirtual, Iterate, Label
from everypath.ir.operands import targets
from everypath.ir.program import Method, Program

ENDLESS = 1 << 30
"""The effort of loops, of recursion, and of calls of which the source does not say what they run."""
_MOST_BLOCKS = 100


class Effort:
    """What calls of a program's methods take."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[int, int] = {}

    def of(self, method: Method) -> int:
        """The most blocks that a call of the method executes; ENDLESS where nothing tells."""
        found = self._known.get(id(method))
        if found is None:
            # Whoever calls itself has no end.
            self._known[id(method)] = ENDLESS
            found = self._known[id(method)] = self._longest_way(method)
        return found

    def _longest_way(self, method: Method) -> int:
        blocks = method.blocks
        # Every cycle of a method passes such an instruction (`ir/check.py`).
        if any(isinstance(each, Iterate) for block in blocks.values() for each in block.instructions):
            return ENDLESS
        longest: dict[Label, int] = {}

        def count(label: Label) -> int:
            if label not in longest:
                handlers = (each.target for each in method.handlers if label in each.blocks)
                after = max(map(count, (*targets(blocks[label].terminator), *handlers)), default=0)
                longest[label] = min(ENDLESS, after + self._of_block(method, label))
            return longest[label]

        return count(method.entry) if len(blocks) <= _MOST_BLOCKS else ENDLESS

    def _of_block(self, method: Method, label: Label) -> int:
        found = 1
        for instruction in method.blocks[label].instructions:
            if isinstance(instruction, CallStatic):
                called = self._program.find_method(instruction.cls, instruction.name)
                found += ENDLESS if called is None else self.of(called)
            elif isinstance(instruction, (CallVirtual, CallValue)):
                return ENDLESS
        return found
