"""What a path executed, read off its trace: source lines, arcs between them, branches, and its signature."""

from __future__ import annotations

from itertools import islice

from everypath.errors import Span
from everypath.explore.state import Interrupted, Mark, State, unchain
from everypath.ir.instructions import Branch, Jump, Return
from everypath.ir.names import resumable_body
from everypath.ir.operands import targets
from everypath.ir.program import Method, Program

Place = tuple[str, int]


def executed(state: State) -> list[tuple[Mark, int | None]]:
    """The blocks of user code in order, each with the instruction at which an exception left it, if any."""
    blocks: list[tuple[Mark, int | None]] = []
    for element in unchain(state.trace):
        if isinstance(element, Interrupted):
            # Blocks of calls that the exception came out of may lie in between.
            for at in range(len(blocks) - 1, -1, -1):
                if blocks[at] == (element.mark, None):
                    blocks[at] = (element.mark, element.index)
                    break
        else:
            blocks.append((element, None))
    return blocks


def lines(state: State) -> list[Place]:
    """The source lines in order of execution, repetitions next to each other left out."""
    found: list[Place] = []
    for mark, last in executed(state):
        for span in mark.spans(last):
            place = (span.file, span.line)
            if span.line and (not found or found[-1] != place):
                found.append(place)
    return found


def branches(state: State) -> list[tuple[Span, Place]]:
    """Each branch that was taken: where it stands and the line it led to."""
    taken: list[tuple[Span, Place]] = []
    blocks = executed(state)
    for at, (mark, last) in enumerate(blocks):
        terminator = mark.method.blocks[mark.label].terminator
        if last is None and isinstance(terminator, Branch):
            following = _following(blocks, at, targets(terminator))
            if following is not None:
                taken.append((terminator.span, leads_to(mark.method, terminator.span, following.label)))
    return taken


def leads_to(method: Method, branching: Span, label: str) -> Place:
    """The line that a branch leads to: the first one that is not its own, if one comes before the next branch.

    Both ends of a loop's condition begin with what keeps count of the loop, which stands on the line of the condition.
    """
    seen: set[str] = set()
    first: Place | None = None
    while label not in seen:
        seen.add(label)
        block = method.blocks[label]
        for instruction in (*block.instructions, block.terminator):
            span = instruction.span
            if span.line and span.line != branching.line:
                return span.file, span.line
            if span.line and first is None:
                first = span.file, span.line
        if isinstance(block.terminator, Jump):
            label = block.terminator.target
    return first or (method.span.file, method.span.line)


def _following(blocks: list[tuple[Mark, int | None]], at: int, labels: tuple[str, ...]) -> Mark | None:
    """The block with one of the labels that comes next in the same call; what the block calls comes in between."""
    method = blocks[at][0].method
    if at + 1 < len(blocks) and blocks[at + 1][0].method is method and blocks[at + 1][0].label in labels:
        return blocks[at + 1][0]
    # How many recursive calls of the method are open: their blocks look like those of the call itself.
    inner = 0
    for mark, last in islice(blocks, at + 1, None):
        if mark.method is not method:
            continue
        if inner == 0 and mark.label in labels:
            return mark
        if mark.label == method.entry:
            inner += 1
        if last is not None or isinstance(method.blocks[mark.label].terminator, Return):
            inner -= 1
        if inner < 0:
            return None
    return None


def signature(state: State) -> tuple[object, ...]:
    """Equal for two paths just when they execute the same blocks of user code in the same order, with the same errors.

    A handler or `finally` may take two kinds of errors in the same blocks; to the code in front of it they differ.
    """
    blocks = tuple((mark.method.qualified, mark.label, last) for mark, last in executed(state))
    return blocks, tuple(each.error for each in unchain(state.trace) if isinstance(each, Interrupted))


def branches_taken(state: State) -> list[str]:
    """The branches on a path, those of other methods included."""
    return [f"{span.file}:{span.line}->{place[1]}" for span, place in branches(state)]


def branches_of(program: Program, method: Method) -> set[str]:
    """All branches of the method's own body."""
    body = program.find_method(method.cls, resumable_body(method.name))
    found: set[str] = set()
    for part in (method, body):
        if part is None:
            continue
        for block in part.blocks.values():
            if isinstance(block.terminator, Branch):
                span = block.terminator.span
                for label in (block.terminator.if_true, block.terminator.if_false):
                    found.add(f"{span.file}:{span.line}->{leads_to(part, span, label)[1]}")
    return found
