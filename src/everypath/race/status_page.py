"""A page of memory on which a worker notes what it is about to do, for its parent to read when the worker is lost."""

from __future__ import annotations

import mmap
import os
import tempfile

from everypath.workers.process import above_standard

VARIABLE = "EVERYPATH_STATUS_PAGE"
"""The environment variable that tells the worker the descriptor."""
_SIZE = mmap.PAGESIZE


class StatusPage:
    """Memory that the worker shares with its parent.

    A note costs the worker a copy, where a message costs a system call and wakes the parent: there are thousands
    of steps in a second, and only the last one matters, if the worker hangs or dies in it.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        if descriptor is None:
            file = tempfile.TemporaryFile()  # noqa: SIM115
            file.truncate(_SIZE)
            descriptor = above_standard(os.dup(file.fileno()))
            # The child finds it under the same number.
            os.set_inheritable(descriptor, True)
            file.close()
        self.descriptor = descriptor
        self._page = mmap.mmap(descriptor, _SIZE)

    def write(self, text: str) -> None:
        """Note something instead of what is there."""
        data = text.encode()[: _SIZE - 1]
        self._page[: len(data) + 1] = data + b"\0"

    def read(self) -> str:
        """What was written last."""
        return bytes(self._page).partition(b"\0")[0].decode(errors="replace")

    def close(self) -> None:
        """Give the memory back."""
        self._page.close()
        os.close(self.descriptor)

    @staticmethod
    def of_parent() -> StatusPage | None:
        """In the worker: the page that the parent made."""
        given = os.environ.pop(VARIABLE, None)
        if given is None:
            return None
        os.set_inheritable(int(given), False)
        return StatusPage(int(given))
