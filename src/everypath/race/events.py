"""What one thread does, event by event (section 4.1 of the paper: accesses, locks, method entry and exit)."""

from __future__ import annotations

from typing import Any, NamedTuple

from everypath.records import dataclass

READ, WRITE, UPDATE = 1, 2, 3
"""An access to memory; an update reads and writes in one step that no other thread can divide."""
ACQUIRE, RELEASE = 4, 5
WAIT, NOTIFY = 6, 7
"""Waiting on a condition, and waking up whoever waits there."""
ENTER, EXIT = 8, 9
"""A method or function of rewritten code begins or ends; never points at which a schedule can switch."""

FAILED = "failed"
"""The key of an attempt to acquire a lock that came back without it."""

KIND_NAMES = {
    READ: "read",
    WRITE: "write",
    UPDATE: "update",
    ACQUIRE: "acquire",
    RELEASE: "release",
    WAIT: "wait on",
    NOTIFY: "notify",
    ENTER: "enter",
    EXIT: "leave",
}


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the code that causes events."""

    file: str
    line: int
    column: int
    function: str
    """qualified name of the enclosing function"""
    text: str
    """the source of the operand, such as `self._data[key]` or `self.lock`; for ENTER and EXIT the function's name"""


class SiteTable:
    """All sites by number; the rewriter and the locks add to it."""

    def __init__(self) -> None:
        self._sites: list[Site] = []
        self._numbers: dict[Site, int] = {}

    def number(self, site: Site) -> int:
        """The number of a site; equal sites have the same number."""
        found = self._numbers.get(site)
        if found is None:
            found = self._numbers[site] = len(self._sites)
            self._sites.append(site)
        return found

    def __getitem__(self, number: int) -> Site:
        return self._sites[number]


SITES = SiteTable()


class Item(NamedTuple):
    """The key of an access to an element of a container, so that element "n" is not attribute `n`."""

    key: Any


class Event(NamedTuple):
    """One event; it holds the objects, so that their identities remain valid while the trace is looked at."""

    kind: int
    site: int
    target: Any
    """the object accessed, or the lock"""
    key: Any
    """attribute name, `Item(k)`, or `concurrency.access.WHOLE`; None for locks, entries and exits"""
    today: bool
    """whether an interpreter with a global lock could have switched threads since this thread's previous event"""
    held: tuple[Any, ...]
    """the locks that the thread held when it came here"""


def operation(event: Event) -> str:
    """The event as a schedule names it, such as `write self.n`."""
    return f"{KIND_NAMES[event.kind]} {SITES[event.site].text}"
