"""What a path executed, read off its trace: source lines, arcs between them, and its signature."""

from __future__ import annotations

from itertools import pairwise

from everypath.errors import Span
from everypath.explore.code import Interrupted, Mark
from everypath.explore.state import State, unchain
from everypath.ir.instructions import Branch

Place = tuple[str, int]


def executed(state: State) -> list[tuple[Mark, int | None]]:
    """The blocks of user code in order, each with the instruction at which an exception left it, if any."""
    blocks: list[tuple[Mark, int | None]] = []
    for element in unchain(state.trace):
        if isinstance(element, Interrupted):
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
    for (mark, last), (following, _) in pairwise(blocks):
        terminator = mark.method.blocks[mark.label].terminator
        if last is None and isinstance(terminator, Branch) and following.method is mark.method:
            taken.append((terminator.span, (following.span.file, following.span.line)))
    return taken


def signature(state: State) -> tuple[object, ...]:
    """Equal for two paths just when they execute the same blocks of user code in the same order."""
    return tuple((mark.method.qualified, mark.label, last) for mark, last in executed(state))
