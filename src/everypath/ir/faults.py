"""A fault of a program in the intermediate representation."""

from __future__ import annotations

from everypath.errors import NOWHERE, Span
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that makes the program meaningless, and where: `index` is the instruction's place in its block."""

    method: str
    """`Class.method`, or the class for a fault of its own"""
    block: str
    """label, empty for a fault of the whole method or class"""
    message: str
    span: Span = NOWHERE
    index: int | None = None
    """position in the block, the terminator last; None for a fault of the whole block"""

    def __str__(self) -> str:
        where = f"{self.method}, block {self.block}" if self.block else self.method
        return f"{self.span}: {where}: {self.message}" if self.span.file else f"{where}: {self.message}"
