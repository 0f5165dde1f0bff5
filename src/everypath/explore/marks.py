"""What a path leaves on its trace: the blocks that it executed, and where exceptions left them."""

from __future__ import annotations

import itertools

from everypath.errors import Span
from everypath.ir.program import Method
from everypath.records import dataclass

_numbers = itertools.count()


class Mark:
    """A block on a path's trace."""

    __slots__ = ("label", "method", "number", "span")

    def __init__(self, method: Method, label: str) -> None:
        self.method = method
        self.label = label
        self.number = next(_numbers)
        self.span: Span = next((s for s in self.spans() if s.line), method.span)

    def spans(self, last: int | None = None) -> list[Span]:
        """The places of the block's instructions, up to the one that an exception interrupted."""
        block = self.method.blocks[self.label]
        every = (*block.instructions, block.terminator)
        return [i.span for i in (every if last is None else every[: last + 1])]


@dataclass(slots=True, eq=False)
class Interrupted:
    """On a trace: an exception left the block at this instruction."""

    mark: Mark
    index: int

    @property
    def span(self) -> Span:
        """Where the instruction stands."""
        return next((s for s in reversed(self.mark.spans(self.index)) if s.line), self.mark.span)
