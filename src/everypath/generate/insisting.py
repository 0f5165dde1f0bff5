"""What a run survives: impatient users and defects of our own.

The first Ctrl-C means that nothing new is begun, but the cases at hand are still run, because tests are only worth
having when they are validated. The second one leaves them out. A defect costs the entry where it shows, not the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from everypath.cases.model import Problem, SomeSuite
from everypath.errors import Internal
from everypath.generate.listener import Listener
from everypath.generate.results import Run
from everypath.languages.base import EntryPoint

_T = TypeVar("_T")
OUR_DEFECT = (
    "this is a defect of Everypath: please report it with the target, EVERYPATH_DEBUG=1 shows where it happened"
)


def debugging() -> bool:
    """Whether the user wants to see where a defect of ours happened."""
    return bool(os.environ.get("EVERYPATH_DEBUG"))


def interrupt(run: Run, listener: Listener, cases: int) -> None:
    """Begin nothing new; the cases at hand are still run."""
    run.interrupted = True
    listener.interrupted(cases)


def insist(run: Run, listener: Listener, work: Callable[[], _T], cases: int) -> _T:
    """The work's result, which a first interrupt does not cost; a second one ends the work."""
    try:
        return work()
    except KeyboardInterrupt:
        if run.interrupted:
            raise
        interrupt(run, listener, cases)
        return work()


def note_defect(run: Run, suite: SomeSuite, entry: EntryPoint, error: Exception) -> None:
    """Note a defect of ours where it showed, and go on."""
    if debugging():
        raise error
    run.defective = True
    described = error.message if isinstance(error, Internal) else f"{type(error).__name__}: {error}"
    message = f"{entry.qualname}: {described}; {OUR_DEFECT}"
    suite.problems.append(Problem("internal error", entry.span.file, entry.span.line, message))
