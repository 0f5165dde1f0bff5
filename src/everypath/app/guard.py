"""Runs the work of a command so that no traceback reaches the user and Ctrl-C always ends it in order."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import TypeVar

from everypath.app.exit_codes import BAD_INPUT, DONE, INTERRUPTED
from everypath.errors import BadProgram, EverypathError, Internal, debugging
from everypath.report.streams import complain
from everypath.workers.interrupts import end

_T = TypeVar("_T")
_DEFECT = "This is a defect of Everypath; please report it with the target. EVERYPATH_DEBUG=1 shows where it happened."


def guard(work: Callable[[], _T]) -> _T:
    """Run the work; an error becomes one readable paragraph and the right exit code, never a traceback."""
    try:
        result = work()
        if sys.stdout is not None:
            sys.stdout.flush()
        return result
    except KeyboardInterrupt:
        end()
        _complain("interrupted; no results were written")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _abandon_output()
        sys.exit(DONE)
    except BadProgram as bad:
        for problem in bad.problems:
            complain(str(problem))
        sys.exit(BAD_INPUT)
    except EverypathError as error:
        _complain(f"{'internal error' if isinstance(error, Internal) else 'error'}: {error}")
        sys.exit(BAD_INPUT)
    except Exception as error:
        if debugging():
            raise
        _complain(_told(error))
        sys.exit(BAD_INPUT)


def _told(error: Exception) -> str:
    """What to say about an error that nobody raised on purpose."""
    if isinstance(error, OSError):
        _abandon_output()
        place = f"{error.filename}: " if error.filename else ""
        return f"error: {place}{error.strerror or error}; check that there is space and that it may be accessed"
    if isinstance(error, RecursionError):
        return "error: the code is nested too deeply to be translated; split long chains of elif or operators"
    return f"internal error: {type(error).__name__}: {error} - {_DEFECT}"


def _complain(text: str) -> None:
    """One paragraph on the error stream, whatever line breaks the message carries."""
    with contextlib.suppress(OSError):
        complain(" ".join(text.split()))


def _abandon_output() -> None:
    """What is still buffered cannot be delivered; without this, ending would try again and fail."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
