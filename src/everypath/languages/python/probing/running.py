"""Runs candidates in forks of the process that searches, and tells what each of them reached and wished.

In a fork the module is as its import left it, so nothing that a call does to the module, or to the process, is left for
the next batch.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from everypath.languages.python.probing import signatures
from everypath.languages.python.probing.acting import how_used, prepared, used
from everypath.languages.python.probing.asking import Tests
from everypath.languages.python.probing.coverage import Coverage, Reached
from everypath.languages.python.probing.expressions import Call, Expr, Made, children, within
from everypath.languages.python.probing.noticing import Noticed, Wish
from everypath.languages.python.probing.pretending import Endless, asked_often, handed
from everypath.languages.python.probing.sharing import SharedRecords
from everypath.languages.python.probing.world import Ask
from everypath.records import dataclass, field
from everypath.workers.child_side import parent_death_watch

TOO_LONG = "take too long"
ENDLESS = "ask a mock for ever"
_TOLD = 1 << 23
"""Bytes that a fork may tell."""
_PIPE = 60_000
_SILENCE = 10.0
"""Seconds after which a fork that tells nothing is ended."""
_GUESSED = (TypeError, AttributeError)
"""Errors that say more about a wrong input than about the code."""


@dataclass(slots=True)
class Ran:
    """How one candidate ended."""

    reached: Reached = frozenset()
    status: str = "returned"
    """returned, raised, unmade (its inputs) or refused"""
    error: str = ""
    uses: dict[str, Any] = field(default_factory=dict)
    """what the result can be used for"""
    wishes: tuple[Wish, ...] = ()
    """how its inputs should be changed"""
    asks: list[Ask] = field(default_factory=list)
    """what it looked for in vain, or was refused"""
    line: int = 0
    """where in the module it was refused something, 0 if that is not known"""
    leaves: str = ""
    """what it has left behind, such as a thread"""
    acted: bool = True
    """whether its inputs were made, so that it was called"""
    broken: tuple[str, str] | None = None
    """what made no input: the class or function whose call has failed"""
    cost: int = 0
    """how many functions were entered, which is the same in every run; seconds are not"""


class Guard:
    """What surrounds every call: the fence, the time limit and where output goes; given by the worker."""

    def __init__(
        self, enter: Callable[[], Any], leave: Callable[[], tuple[str, int, str]], asks: Callable[[], list[Ask]] = list
    ) -> None:
        self.enter = enter
        self.leave = leave
        """ends it, and says what was refused, or that time was over, and in which line; then what was left behind"""
        self.asks = asks
        """what the call looked for in vain"""


class Forks:
    """Runs one batch of candidates after the other, each in a fork of its own."""

    def __init__(self, coverage: Coverage, tests: Tests, guard: Guard) -> None:
        self._coverage = coverage
        self._tests = tests
        self._guard = guard
        self._end_with_parent = parent_death_watch()
        self._told = SharedRecords(_TOLD)
        self._loaded = set[str]()

    def run(self, exprs: list[Expr], until: float) -> tuple[list[Ran], bool]:
        """What a fork tells about the candidates, and whether it came to the end that it meant to come to."""
        reading, writing = os.pipe()
        self._told.clear()
        own, child = os.getpid(), os.fork()
        if child == 0:
            os.close(reading)
            try:
                self._end_with_parent(own)
                os.setpgid(0, 0)
                before = set(sys.modules)
                self._call_all(exprs)
                loaded = [name for name in sys.modules if name not in before]
                os.write(writing, " ".join([".", *loaded])[:_PIPE].encode())
            finally:
                os._exit(0)
        os.close(writing)
        ended = self._wait(reading, until)
        os.close(reading)
        # The child may not have come as far as to have a group of its own.
        for kill in (os.killpg, os.kill):
            with suppress(OSError):
                kill(child, 9)
        os.waitpid(child, 0)
        return [Ran(frozenset(reached), *told) for reached, *told in self._told], ended

    def _wait(self, reading: int, until: float) -> bool:
        """Wait until the fork has ended, is silent for too long, or time is over; whether it ended as it should."""
        import select

        silent = 0.0
        while (left := until - time.monotonic()) > 0 and silent < _SILENCE:
            if select.select([reading], [], [], min(1.0, left))[0]:
                ended, *loaded = os.read(reading, _PIPE).decode(errors="replace").split(" ")
                self._load(loaded)
                return ended == "."
            silent = 0.0 if self._told.has_grown() else silent + 1.0
        return False

    def _load(self, names: list[str]) -> None:
        """Import what calls have imported, so that the next fork need not do it again."""
        for name in names:
            if name not in self._loaded:
                self._loaded.add(name)
                try:
                    with signatures.importing():
                        __import__(name)
                except BaseException:
                    # A call that needs it will see the same.
                    continue

    def _call_all(self, exprs: list[Expr]) -> None:
        """In the fork: one candidate after the other, up to one that takes too long."""
        for expr in exprs:
            ran = self._call(expr)
            how = ran.status, ran.error, ran.uses, ran.wishes, ran.asks, ran.line, ran.leaves, ran.acted
            told = (list(ran.reached), *how, ran.broken, ran.cost)
            # The last one of this fork: a call that was interrupted may leave it in any state.
            if not self._told.append(told) or ran.error == TOO_LONG:
                return

    def _call(self, expr: Expr) -> Ran:
        """In the fork: make the inputs, make the call, use the result."""
        ran = Ran()
        coverage = self._coverage
        made: Made = []
        noticed = Noticed(self._tests, expr, made, coverage.wanted, coverage.undecided)
        handed.clear()
        asked_often.clear()
        coverage.start(noticed.condition, lambda error, trace: noticed.failure(error, trace, coverage.holds))
        self._guard.enter()
        sys.settrace(coverage.trace)
        acting = False
        try:
            act = prepared(expr, made)
            acting = True
            value = act()
            # Known before it is used, because using it may fail.
            ran.uses = {"how": how_used(value)}
            ran.uses = used(value, coverage.holds)
        except BaseException as error:
            ran.status = "raised" if acting else "unmade"
            ran.error = type(error).__name__
            if isinstance(error, _GUESSED):
                ran.error = "guessed"
            if isinstance(error, Endless):
                ran.status, ran.error = "refused", ENDLESS
            elif not isinstance(error, (Exception, SystemExit)):
                ran.status, ran.error = "refused", f"raise {type(error).__name__}"
            sys.settrace(None)
            noticed.failure(error, error.__traceback__, coverage.holds)
        finally:
            sys.settrace(None)
        ran.acted, ran.cost = acting, coverage.entered
        ran.broken = None if acting else _failed(within(expr)[1], {id(each) for each, _ in made})
        refused, ran.line, ran.leaves = self._guard.leave()
        if refused:
            ran.status, ran.error = "refused", refused
        ran.reached = coverage.found()
        noticed.callbacks()
        # What a call that was ended was doing is noticed last, and matters most.
        ran.wishes = tuple(reversed(noticed.wishes) if refused else noticed.wishes)
        ran.asks = self._guard.asks()
        return ran


def _failed(expr: Expr, made: Collection[int]) -> tuple[str, str] | None:
    """The call inside of an expression all of whose parts were made, but nothing by itself."""
    for each in children(expr):
        if id(each) not in made:
            inner = _failed(each, made)
            return inner or ((each.module, each.name) if isinstance(each, Call) else None)
    return None
