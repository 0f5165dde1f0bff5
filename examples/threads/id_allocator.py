"""Numbers that are unique in the whole program come from a counter of the module; two threads can get the same one."""

from __future__ import annotations

import threading

_last_number = 0
_number_lock = threading.Lock()


class IdAllocator:
    """Makes identifiers with a prefix."""

    def __init__(self, prefix: str = "id") -> None:
        self._prefix = prefix

    def allocate(self) -> str:
        """An identifier that was never given out before."""
        global _last_number
        _last_number += 1
        return self._format(_last_number)

    def latest(self) -> str:
        """The identifier that was given out last, by any allocator."""
        return self._format(_last_number)

    def _format(self, number: int) -> str:
        return f"{self._prefix}-{number}"


class SafeIdAllocator:
    """Makes identifiers with a prefix."""

    def __init__(self, prefix: str = "id") -> None:
        self._prefix = prefix

    def allocate(self) -> str:
        """An identifier that was never given out before."""
        global _last_number
        with _number_lock:
            _last_number += 1
            return self._format(_last_number)

    def latest(self) -> str:
        """The identifier that was given out last, by any allocator."""
        return self._format(_last_number)

    def _format(self, number: int) -> str:
        return f"{self._prefix}-{number}"
