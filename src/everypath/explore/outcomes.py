"""Every way a path can end: a closed set, each counted, none silent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from everypath.errors import Span
from everypath.heap.values import Data, Ref, Value
from everypath.ir.instructions import Instruction, Label, Terminator
from everypath.ir.program import Method
from everypath.records import dataclass

if TYPE_CHECKING:
    from everypath.concurrency.names import TaskName


@dataclass(frozen=True, slots=True)
class Finished:
    """The entry returned a value."""

    value: Value


@dataclass(frozen=True, slots=True)
class Activation:
    """A method under way: where it is, and what its registers hold."""

    method: Method
    label: Label
    instruction: Instruction | Terminator
    registers: Sequence[Value]
    called: bool
    """whether the program calls it; otherwise it is the call under test"""


def _nothing() -> Iterator[Activation]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the user's own code raised an exception, and which values that instruction was given."""

    span: Span
    method: str = ""
    called: bool = False
    """whether it calls something, which then raised"""
    operands: tuple[Value, ...] = ()
    stack: Callable[[], Iterator[Activation]] = _nothing
    """the methods under way, the innermost first"""


@dataclass(frozen=True, slots=True)
class Uncaught:
    """An exception left the entry; `implicit` when the program did not raise it on purpose."""

    exception: Ref | Data
    cls: str
    implicit: bool
    origin: Origin

    @property
    def span(self) -> Span:
        """Where it was raised."""
        return self.origin.span


@dataclass(frozen=True, slots=True)
class Died(Uncaught):
    """The actor has ended itself; nothing handles that."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A bound stopped the path: loop, switch, actor, queue, depth, time, operation or memory."""

    kind: str
    message: str = ""
    wider: bool = False
    """whether larger bounds offer further alternatives in the place of the one that ends here"""


@dataclass(frozen=True, slots=True)
class NotSupported:
    """The path reached something that is not handled."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """The solver could not decide a condition of the path."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Paused:
    """The running task released its processor or blocks it; or guards were computed anew.

    `holds` tells whether the conditions among them do, `futures` whose results are awaited now.
    """

    holds: bool = False
    futures: tuple[TaskName, ...] = ()


Outcome = Finished | Uncaught | Cut | NotSupported | Undecided | Paused
