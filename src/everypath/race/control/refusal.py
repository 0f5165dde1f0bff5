"""What the code under test may not do, and how that ends its call."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

from everypath.race.control.monitor import MONITOR
from everypath.race.control.places import current_line
from everypath.race.running import Refused


class Uncontrolled(BaseException):
    """Something that cannot be controlled or undone was tried; not an Exception, so that it is not swallowed."""

    def __init__(self, what: str, file: str, line: int) -> None:
        super().__init__(f"{file}:{line}: {what}" if file else what)
        self.what = what
        self.file = file
        self.line = line


class _Manner:
    """How refusals are told."""

    importing = False


MANNER = _Manner()


def refuse(what: str) -> NoReturn:
    """End the call that tries this; a call under control is over even if it swallows the error.

    A module that is being imported is told as the system would tell it: many try what they can do without.
    """
    if MANNER.importing:
        raise PermissionError(errno.EPERM, f"{os.strerror(errno.EPERM)}: it may not {what} while it is tested")
    file, line = current_line()
    error = Uncontrolled(what, file, line)
    party = MONITOR.current
    if party is not None:
        party.end(Refused(what, file, line), error)
    raise error
