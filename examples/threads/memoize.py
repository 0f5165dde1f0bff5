"""A decorator that remembers results; a result that was just stored can be cleared before it is returned."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable


class Memoize:
    """Calls a function once for each argument."""

    def __init__(self, function: Callable[[int], object]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._results: dict[int, object] = {}
        self._lock = threading.RLock()

    def __call__(self, argument: int) -> object:
        if argument not in self._results:
            with self._lock:
                if argument not in self._results:
                    self._results[argument] = self._function(argument)
        return self._results[argument]

    def clear(self) -> None:
        """Forget all results."""
        with self._lock:
            self._results.clear()

    def known(self) -> int:
        """How many results are remembered."""
        with self._lock:
            return len(self._results)


class SafeMemoize:
    """Calls a function once for each argument."""

    def __init__(self, function: Callable[[int], object]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._results: dict[int, object] = {}
        self._lock = threading.RLock()

    def __call__(self, argument: int) -> object:
        with self._lock:
            if argument not in self._results:
                self._results[argument] = self._function(argument)
            return self._results[argument]

    def clear(self) -> None:
        """Forget all results."""
        with self._lock:
            self._results.clear()

    def known(self) -> int:
        """How many results are remembered."""
        with self._lock:
            return len(self._results)
