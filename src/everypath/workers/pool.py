"""Spreads items of work over forked processes of our own, and gives their results as they come.

Each process is a copy of the caller, so that it has everything that was loaded and prepared, and no program is sent
anywhere. It gets the number of an item, works on it, sends back what it found, and gets the next number; whoever is
done first takes the next item. A process that dies costs nothing but time: its item is given to a new one, at most
three times in all. What dies every time is told as lost.

Requests to end go through the caller alone: the processes are in a group of their own, so that Ctrl-C reaches each of
them once, as a signal that the caller sends on.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from everypath.errors import debugging
from everypath.records import dataclass
from everypath.workers import reserve
from everypath.workers.child_side import parent_death_watch
from everypath.workers.interrupts import postponed
from everypath.workers.process import above_standard

TRIES = 3
"""How often an item is begun before it counts as lost."""
_FRAME_HEAD = 8
_GRACE = 0.7
"""Seconds in which a process may still send what it has, after the caller wanted to end for the second time."""

Tell = Callable[[object], None]
Work = Callable[[int, Tell], object]
"""Does the item with this number, tells about it on the way, and gives what it found; all of it can be pickled."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the work on an item has told on the way."""

    item: int
    what: Any


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an item."""

    item: int
    result: Any


@dataclass(frozen=True, slots=True)
class Lost:
    """An item whose processes all died."""

    item: int
    code: int
    """how the last one ended, in the form of `subprocess`: an exit code, or minus the signal"""


class Pool:
    """Processes that work on items; to be closed, or used in a `with` block."""

    def __init__(self, jobs: int, work: Work) -> None:
        self._jobs = jobs
        self._work = work
        self._members: list[_Member] = []
        self._waiting: deque[int] = deque()
        self._begun: dict[int, int] = {}
        """item -> how often it was begun"""
        self.ending = False
        """whether the caller wanted to end"""

    def results(self, items: Sequence[int]) -> Iterator[Told | Done | Lost]:
        """What becomes of the items, as it comes.

        After a first KeyboardInterrupt nothing new is begun, the processes are asked to end with what they have, and
        that is still given; after a second one there is only a moment left for it.
        """
        self._waiting = deque(items)
        while self._waiting or any(member.item is not None for member in self._members):
            try:
                self._give_work()
                yield from self._hear(None)
            except KeyboardInterrupt:
                if self.ending:
                    yield from self._last_words()
                    return
                self._ask_to_end()

    def close(self) -> None:
        """End the processes."""
        for member in self._members:
            member.dismiss()
        for member in self._members:
            member.close()
        self._members.clear()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _give_work(self) -> None:
        if self.ending:
            self._waiting.clear()
        for member in self._members:
            if member.item is None and self._waiting:
                self._give(member)
        while self._waiting and len(self._members) < self._jobs:
            self._members.append(_Member(self._work, self._members))
            self._give(self._members[-1])

    def _give(self, member: _Member) -> None:
        item = self._waiting.popleft()
        self._begun[item] = self._begun.get(item, 0) + 1
        member.give(item)

    def _hear(self, seconds: float | None) -> Iterator[Told | Done | Lost]:
        busy = {member.channel: member for member in self._members if member.item is not None}
        for channel in select.select(list(busy), [], [], seconds)[0] if busy else ():
            yield from self._take(busy[channel])

    def _take(self, member: _Member) -> Iterator[Told | Done | Lost]:
        yield from member.read()
        if not member.closed:
            return
        self._members.remove(member)
        item, code = member.item, member.close()
        if item is None:
            return
        if self._begun[item] < TRIES and not self.ending:
            # First of all, so that a result that others wait for does not come last.
            self._waiting.appendleft(item)
        else:
            yield Lost(item, code)

    def _ask_to_end(self) -> None:
        self.ending = True
        for member in self._members:
            member.signal(signal.SIGTERM)

    def _last_words(self) -> Iterator[Told | Done | Lost]:
        deadline = time.monotonic() + _GRACE
        while any(member.item is not None for member in self._members) and time.monotonic() < deadline:
            yield from self._hear(deadline - time.monotonic())
        for member in self._members:
            if member.item is not None:
                yield Lost(member.item, -signal.SIGKILL)


class _Member:
    """One process of a pool, as the caller sees it."""

    def __init__(self, work: Work, others: Sequence[_Member]) -> None:
        self.item: int | None = None
        self.closed = False
        self._received = b""
        theirs_in, self._orders = map(above_standard, os.pipe())
        self.channel, theirs_out = map(above_standard, os.pipe())
        own, self._pid = os.getpid(), os.fork()
        if not self._pid:
            parent_death_watch()(own)
            _live(work, theirs_in, theirs_out, [self._orders, self.channel, *(o._orders for o in others)])
        os.close(theirs_in)
        os.close(theirs_out)

    def give(self, item: int) -> None:
        """Have it work on an item; if it is gone, that is noticed when it does not answer."""
        self.item = item
        with suppress(BrokenPipeError):
            os.write(self._orders, item.to_bytes(_FRAME_HEAD, "little"))

    def read(self) -> Iterator[Told | Done]:
        """The messages that have come in whole."""
        part = os.read(self.channel, 1 << 20)
        self.closed = not part
        self._received += part
        while len(self._received) >= _FRAME_HEAD:
            end = _FRAME_HEAD + int.from_bytes(self._received[:_FRAME_HEAD], "little")
            if len(self._received) < end:
                return
            message = pickle.loads(self._received[_FRAME_HEAD:end])
            self._received = self._received[end:]
            if isinstance(message, Done):
                self.item = None
            yield message

    def signal(self, number: int) -> None:
        """Send it a signal."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, number)

    def dismiss(self) -> None:
        """Let it end by itself if it has nothing to do."""
        os.close(self._orders)
        self._orders = -1

    def close(self) -> int:
        """End it; returns how it ended."""
        if self._orders >= 0:
            self.dismiss()
        os.close(self.channel)
        deadline = time.monotonic() + (_GRACE if self.item is None else 0.0)
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        # One that is idle ends the processes that run its tests, and then itself.
        while not pid and time.monotonic() < deadline:
            time.sleep(0.002)
            pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid:
            self.signal(signal.SIGKILL)
            pid, status = os.waitpid(self._pid, 0)
        return os.waitstatus_to_exitcode(status)


def _live(work: Work, orders: int, answers: int, foreign: Sequence[int]) -> None:
    """What a process of a pool does from its beginning to its end."""
    try:
        os.setpgid(0, 0)
        # The ends of the caller would keep channels open that the caller closes.
        for descriptor in foreign:
            os.close(descriptor)
        reserve.disown()
        # Half a message is worth nothing, and what is idle ends when the caller closes the channel.
        with postponed(), reserve.kept_workers():
            while order := os.read(orders, _FRAME_HEAD):
                item = int.from_bytes(order, "little")
                _send(answers, Done(item, work(item, partial(_tell, answers, item))))
    except BrokenPipeError:
        # The caller is gone.
        pass
    except BaseException:
        if debugging():
            sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


def _tell(channel: int, item: int, what: object) -> None:
    with postponed():
        _send(channel, Told(item, what))


def _send(channel: int, message: object) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    left = memoryview(len(data).to_bytes(_FRAME_HEAD, "little") + data)
    while left:
        left = left[os.write(channel, left) :]
