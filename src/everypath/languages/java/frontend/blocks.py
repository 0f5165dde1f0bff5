"""The control flow of a method's bytecode: basic blocks, who handles their exceptions, and loops.

Blocks begin at targets of jumps, at handlers, and wherever the set of handlers changes, so that all instructions of a
block are handled alike. Loops are the natural ones: an edge back to a block that dominates its source. Where the
compiler has tests at the head of a loop, an iteration begins behind them, as it does in the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from everypath.languages.java.classfile.constants import DynamicConstant
from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.model import Catch, Code, Instruction, Switch
from everypath.languages.java.classfile.opcodes import NAMES
from everypath.records import dataclass, field

_LEAVING = frozenset("ireturn lreturn freturn dreturn areturn return athrow".split())
_CALLS = frozenset("invokevirtual invokespecial invokestatic invokeinterface invokedynamic".split())


@dataclass(slots=True)
class Block:
    """A straight line of bytecode."""

    start: int
    instructions: list[Instruction]
    successors: tuple[int, ...] = ()
    """where it goes without an exception; for a conditional jump the target first, then what follows"""
    catches: tuple[Catch, ...] = ()
    """the rows of the exception table that cover it, in order"""

    @property
    def last(self) -> str:
        """The name of its last instruction."""
        return NAMES[self.instructions[-1].opcode]

    def everywhere(self) -> Iterable[int]:
        """Where it may go, handlers included."""
        return (*self.successors, *(row.handler for row in self.catches))


@dataclass(slots=True)
class Loop:
    """A loop: its blocks, and where its markers go."""

    number: int
    head: int
    body: set[int] = field(default_factory=set)
    edge: tuple[int, int] | None = None
    """an iteration begins when this edge is taken; None where it begins with the head"""
    counted: bool = False
    again: bool = False
    """whether it only sends a switch on to its next label, where a guard does not hold: that counts for nothing"""
    """whether it counts in a variable up or down to a limit, so that it ends by itself where both are known"""


@dataclass(slots=True)
class Flow:
    """The blocks of a method in the order of their code, and its loops."""

    blocks: dict[int, Block]
    loops: dict[int, Loop]
    """by head"""
    irregular: dict[tuple[int, int], int]
    """edges that lead back to a block that does not dominate their source -> a number for a loop"""


def read_flow(code: Code) -> Flow:
    """The control flow of a method; BadClassFile where jumps lead nowhere."""
    blocks = _blocks(code)
    order = _reverse_postorder(blocks)
    reachable = {start: blocks[start] for start in sorted(order)}
    return _with_loops(reachable, order, code)


def _targets(instruction: Instruction) -> tuple[int, ...]:
    name, operand = NAMES[instruction.opcode], instruction.operand
    if isinstance(operand, Switch):
        return (*dict.fromkeys(target for _, target in operand.cases), operand.default)
    if name.startswith(("if", "goto")):
        assert isinstance(operand, int)
        return (operand,)
    if name in ("jsr", "jsr_w", "ret"):
        raise BadClassFile(f"subroutines ({name} at offset {instruction.offset}), which no compiler since 2004 uses")
    return ()


def _blocks(code: Code) -> dict[int, Block]:
    offsets = [instruction.offset for instruction in code.instructions]
    leaders = {0}
    for at, instruction in enumerate(code.instructions):
        targets = _targets(instruction)
        leaders.update(targets)
        if (targets or NAMES[instruction.opcode] in _LEAVING) and at + 1 < len(offsets):
            leaders.add(offsets[at + 1])
    for row in code.catches:
        leaders.update((row.start, row.handler))
        if row.end <= offsets[-1]:
            leaders.add(row.end)
    if not leaders <= set(offsets):
        raise BadClassFile(f"a jump leads into an instruction, to offset {min(leaders - set(offsets))}")
    blocks: dict[int, Block] = {}
    current: Block | None = None
    for instruction in code.instructions:
        if instruction.offset in leaders:
            following = Block(instruction.offset, [])
            if current is not None:
                current.successors = _successors(current, following.start)
            current = blocks[instruction.offset] = following
            current.catches = _covering(code.catches, instruction.offset)
        assert current is not None
        current.instructions.append(instruction)
    if current is not None:
        current.successors = _successors(current, None)
    return blocks


def _covering(catches: Sequence[Catch], offset: int) -> tuple[Catch, ...]:
    """The rows that handle an instruction, up to the first that handles everything.

    A row that lies in its own range is left out: compilers write such rows for releasing a monitor, which cannot fail.
    """
    found: list[Catch] = []
    for row in catches:
        if row.start <= offset < row.end and row.handler != offset and not row.start <= row.handler < row.end:
            found.append(row)
            if row.type is None:
                break
    return tuple(found)


def _successors(block: Block, following: int | None) -> tuple[int, ...]:
    last = block.instructions[-1]
    name = NAMES[last.opcode]
    if name in _LEAVING:
        return ()
    targets = _targets(last)
    if name.startswith("goto") or isinstance(last.operand, Switch):
        return targets
    if following is None:
        raise BadClassFile(f"the code runs over its end, behind offset {last.offset}")
    return (*targets, following)


def _reverse_postorder(blocks: Mapping[int, Block]) -> list[int]:
    """The blocks that can be reached, each before those that it leads to, except along edges that close a loop."""
    order: list[int] = []
    seen = {0}
    stack = [(0, iter(tuple(blocks[0].everywhere())))]
    while stack:
        block, rest = stack[-1]
        following = next((each for each in rest if each not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(tuple(blocks[following].everywhere()))))
    return order[::-1]


def _dominators(blocks: Mapping[int, Block], order: Sequence[int]) -> dict[int, int]:
    """The immediate dominator of each block (the algorithm of Cooper, Harvey and Kennedy)."""
    place = {block: number for number, block in enumerate(order)}
    before: dict[int, list[int]] = {block: [] for block in order}
    for block in order:
        for following in blocks[block].everywhere():
            before[following].append(block)
    found = {order[0]: order[0]}

    def common(one: int, other: int) -> int:
        while one != other:
            while place[one] > place[other]:
                one = found[one]
            while place[other] > place[one]:
                other = found[other]
        return one

    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [each for each in before[block] if each in found]
            new = known[0]
            for each in known[1:]:
                new = common(new, each)
            if found.get(block) != new:
                found[block] = new
                changed = True
    return found


def _with_loops(blocks: dict[int, Block], order: Sequence[int], code: Code) -> Flow:
    above = _dominators(blocks, order)
    place = {block: number for number, block in enumerate(order)}

    def dominates(one: int, other: int) -> bool:
        while other != one and other != order[0]:
            other = above[other]
        return other == one

    loops: dict[int, Loop] = {}
    irregular: dict[tuple[int, int], int] = {}
    numbers = 0
    for block in order:
        for following in dict.fromkeys(blocks[block].everywhere()):
            if place[following] > place[block]:
                continue
            if not dominates(following, block):
                irregular[block, following] = numbers
                numbers += 1
                continue
            if following not in loops:
                loops[following] = Loop(numbers, following, {following})
                numbers += 1
            _add_body(loops[following], blocks, block)
    for loop in loops.values():
        _place_marker(loop, blocks, code)
    return Flow(blocks, loops, irregular)


def _add_body(loop: Loop, blocks: Mapping[int, Block], source: int) -> None:
    """Add the blocks from which the source of a back edge can be reached without passing the head."""
    before: dict[int, list[int]] = {block: [] for block in blocks}
    for block, content in blocks.items():
        for following in content.everywhere():
            before[following].append(block)
    waiting = [source]
    while waiting:
        block = waiting.pop()
        if block not in loop.body:
            loop.body.add(block)
            waiting.extend(before[block])


def _line(code: Code, offset: int) -> int:
    return max((row for row in code.lines if row[0] <= offset), default=(0, 0))[1]


def _place_marker(loop: Loop, blocks: Mapping[int, Block], code: Code) -> None:
    """Find the edge behind the tests at the head: those on the same line that leave the loop for the same place.

    A test that leaves for another place, or comes after an assignment, is one of the body.
    """
    line = _line(code, loop.head)
    current = loop.head
    way_out: int | None = None
    while True:
        block = blocks[current]
        inside = [each for each in block.successors if each in loop.body]
        leaves = len(block.successors) == 2 and len(inside) == 1 and block.last.startswith("if")
        handled = any(row.handler in loop.body for row in block.catches)
        if not leaves or handled or inside[0] == loop.head or _line(code, block.instructions[-1].offset) != line:
            break
        outside = next(each for each in block.successors if each not in loop.body)
        if way_out is not None and (outside != way_out or _assigns(block)):
            break
        way_out = outside
        loop.edge = (current, inside[0])
        current = inside[0]
    if _asks_again(blocks[loop.head]):
        loop.again = True
        loop.edge = None
    if loop.edge is not None and loop.edge[0] == loop.head:
        loop.counted = _counts(loop, blocks)


def _asks_again(head: Block) -> bool:
    """Whether a block begins with the choice of a label in a switch over patterns."""
    for instruction in head.instructions:
        if isinstance(instruction.operand, DynamicConstant):
            return instruction.operand.name in ("typeSwitch", "enumSwitch")
        if "load" not in NAMES[instruction.opcode]:
            return False
    return False


def _assigns(block: Block) -> bool:
    """Whether a block does more than a condition does."""
    names = [NAMES[instruction.opcode] for instruction in block.instructions]
    return any("store" in name or name.startswith(("put", "iinc")) for name in names)


def _counts(loop: Loop, blocks: Mapping[int, Block]) -> bool:
    """Whether the only test at the head compares a variable that the loop increments."""
    head = blocks[loop.head]
    if not head.last.startswith("if_icmp") or any(NAMES[i.opcode] in _CALLS for i in head.instructions):
        return False
    counted = {
        i.operand[0]
        for block in loop.body
        for i in blocks[block].instructions
        if NAMES[i.opcode] == "iinc" and isinstance(i.operand, tuple) and isinstance(i.operand[0], int)
    }
    return any(loaded_slot(i) in counted for i in head.instructions)


def loaded_slot(instruction: Instruction) -> int | None:
    """The local variable that an instruction loads."""
    name = NAMES[instruction.opcode]
    kind, _, rest = name.partition("load")
    if kind not in ("i", "l", "f", "d", "a"):
        return None
    return int(rest[1:]) if rest else instruction.operand  # type: ignore[return-value]
