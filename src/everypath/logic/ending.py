"""Stops the solver when the process is asked to end.

A signal handler runs in the main thread only after a call of C code has returned, and a call of the solver may last for
seconds. But the interpreter also writes the number of the signal into a pipe at once, which another thread can read.
"""

from __future__ import annotations

import _thread
import os
import signal
from collections.abc import Callable

_REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def on_request(stop: Callable[[], None]) -> None:
    """Call `stop` in another thread whenever the process is asked to end."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        previous = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        if previous == -1:
            _thread.start_new_thread(_listen, (reading, stop))
            return
        # An event loop has a pipe of its own.
        signal.set_wakeup_fd(previous)
    except ValueError:
        # Only the main thread may do that; without it the solver answers a little later.
        pass
    os.close(reading)
    os.close(writing)


def _listen(reading: int, stop: Callable[[], None]) -> None:
    while numbers := os.read(reading, 64):
        if any(number in _REQUESTS for number in numbers):
            stop()
