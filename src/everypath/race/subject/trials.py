"""Trying a constructor or a call for real, and what the outcome says about the arguments."""

from __future__ import annotations

import dis
import os
from collections.abc import Callable
from enum import IntEnum
from types import TracebackType

from everypath.race.control.clocks import CLOCK
from everypath.race.events import SITES
from everypath.race.running import Blocked, Endless, NotReached, Outcome, Raised, Refused, Returned

Attempt = Callable[[str, str | None], Outcome]
"""Evaluates the setup, then one call on the object made; without a call the value returned is the object."""

_RAISE = dis.opmap["RAISE_VARARGS"]
_ANOTHER_STATE = (LookupError, StopIteration)
_NEVER = (NotImplementedError, RecursionError, MemoryError, NameError)


class Fit(IntEnum):
    """How well arguments suit a call, best first."""

    WORKS = 0
    ANOTHER_STATE = 1
    """it waits, or raises an error that only another state of the object could change"""
    DOUBTFUL = 2
    WRONG = 3
    """the error is about the arguments"""
    UNUSABLE = 4
    """it does not end, is refused or not implemented"""


def fit_of(outcome: Outcome) -> Fit:
    """What one outcome says about the arguments."""
    match outcome:
        case Returned():
            return Fit.WORKS
        case Blocked():
            return Fit.ANOTHER_STATE
        case Raised(error):
            return _fit_of_error(error)
        case Endless() | Refused() | NotReached():
            return Fit.UNUSABLE


def _fit_of_error(error: BaseException) -> Fit:
    if isinstance(error, _NEVER) or not isinstance(error, Exception):
        return Fit.UNUSABLE
    if isinstance(error, _ANOTHER_STATE):
        return Fit.ANOTHER_STATE
    if isinstance(error, (TypeError, AttributeError)):
        if isinstance(error, AttributeError) and on_purpose(error):
            return Fit.ANOTHER_STATE
        # None inside the object is what other calls have not filled yet.
        return Fit.DOUBTFUL if "NoneType" in str(error) and _inside(error) else Fit.WRONG
    if on_purpose(error) and not isinstance(error, (ValueError, AssertionError, OSError)):
        return Fit.ANOTHER_STATE
    return Fit.DOUBTFUL


def on_purpose(error: BaseException) -> bool:
    """Whether a `raise` statement made the exception, not an operation that failed."""
    last = innermost(error)
    return last is not None and last.tb_lasti >= 0 and last.tb_frame.f_code.co_code[last.tb_lasti] == _RAISE


def innermost(error: BaseException) -> TracebackType | None:
    """Where an exception was raised."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last


def _inside(error: BaseException) -> bool:
    """Whether it happened in code of the class, not at the call itself."""
    last = innermost(error)
    return last is not None and last.tb_frame.f_code.co_filename not in ("<call>", "<setup>")


def describe(outcome: Outcome) -> str:
    """Why a call is of no use, in words for people."""
    match outcome:
        case Returned():
            return "works"
        case Raised(error):
            text = str(error).splitlines()
            message = f": {text[0]}" if text else ""
            return f"raises {type(error).__name__}{message}{_where(error)}"
        case Blocked():
            return f"waits for something that only another thread can do{_site(outcome.site)}"
        case Endless(site):
            return f"does not end{_site(site)}"
        case Refused(what, file, line):
            return f"{what} ({os.path.basename(file)}:{line})" if file else what
        case NotReached():
            return "was not reached"


def _where(error: BaseException) -> str:
    last = innermost(error)
    if last is None or not _inside(error):
        return ""
    return f" ({os.path.basename(last.tb_frame.f_code.co_filename)}:{last.tb_lineno})"


def _site(number: int) -> str:
    try:
        site = SITES[number]
    except IndexError:
        return ""
    return f" ({os.path.basename(site.file)}:{site.line})" if number >= 0 else ""


class Trials:
    """Runs attempts, each at most once, up to a limit."""

    def __init__(self, attempt: Attempt, limit: int = 2000) -> None:
        self._attempt = attempt
        self._left = limit
        self._known: dict[tuple[str, str | None], Outcome] = {}
        self._clock_reads: dict[tuple[str, str | None], int] = {}

    def outcome(self, setup: str, call: str | None) -> Outcome:
        """The outcome of a call on a new object, or of the setup alone."""
        found = self._known.get((setup, call))
        if found is None:
            if self._left <= 0:
                return NotReached()
            self._left -= 1
            reads = CLOCK.read_count
            found = self._known[(setup, call)] = self._attempt(setup, call)
            self._clock_reads[(setup, call)] = CLOCK.read_count - reads
        return found

    def fit(self, setup: str, call: str | None) -> Fit:
        """How well the arguments of an attempt suit."""
        return fit_of(self.outcome(setup, call))

    def holds(self, setup: str, expression: str) -> bool:
        """Whether an expression over the shared object gives True."""
        outcome = self.outcome(setup, expression)
        return isinstance(outcome, Returned) and outcome.value is True

    def asks_the_time(self, setup: str, call: str) -> bool:
        """Whether the call, and not only the setup, looks at a clock."""
        self.outcome(setup, None)
        self.outcome(setup, call)
        return self._clock_reads.get((setup, call), 0) > self._clock_reads.get((setup, None), 0)
