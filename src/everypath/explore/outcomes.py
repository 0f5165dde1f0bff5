"""Every way a path can end: a closed set, each counted, none silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everypath.errors import Span
from everypath.heap.values import Data, Ref, Value
from everypath.records import dataclass

if TYPE_CHECKING:
    from everypath.concurrency.names import TaskName


@dataclass(frozen=True, slots=True)
class Finished:
    """The entry returned a value."""

    value: Value


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the user's own code raised an exception, and which values that instruction was given."""

    span: Span
    method: str = ""
    called: bool = False
    """whether it calls something, which then raised"""
    operands: tuple[Value, ...] = ()


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
