"""Runs in the child: how it settles in, and its half of the channel.

Some children load this file by its path before anything of the package can be found, and every run waits for them: so
it needs nothing but a few fast modules of the library.
"""

from __future__ import annotations

import _signal
import ctypes
import os
import select
import sys
import time

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:
    from json.encoder import encode_basestring_ascii as _quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from typing import Any

_PR_SET_PDEATHSIG = 1
_FRAME_HEAD = 8
"""Bytes of a frame's length, as `process.py` writes it."""


def settle_in(keep: Container[int] = ()) -> None:
    """Begin a session if the parent could not, and close what the caller's own parent left open."""
    if os.getsid(0) != os.getpid():
        os.setsid()
    for name in os.listdir("/dev/fd"):
        if int(name) > 2 and int(name) not in keep:
            quietly(os.close, int(name))


def find_package(home: str) -> None:
    """Make this package importable from the parent's folder, even where another version of it is installed."""
    sys.path.insert(0, home)
    __import__("everypath")
    # Whatever else lies in that folder must not be found before the library's.
    sys.path.append(sys.path.pop(0))


def parent_death_watch() -> Callable[[int], None]:
    """What a process calls with the number of its parent so that both end together, if the system supports that.

    A process with a group of its own is not ended with its parent's group, so every fork that makes one calls this.
    """
    try:
        prctl = ctypes.CDLL(None).prctl
    except (AttributeError, OSError):
        return lambda parent: None

    def end_with(parent: int) -> None:
        prctl(_PR_SET_PDEATHSIG, _signal.SIGKILL)
        # The parent may have ended before that.
        if os.getppid() != parent:
            os._exit(0)

    return end_with


def interrupt_plainly() -> None:
    """Let Ctrl-C raise in code under test, but not by the handler that Python begins with.

    In the place of that one `asyncio.run` puts a handler of its own, and asking for it afterwards writes out the result
    of the coroutine: a `__repr__` of the program would run that no test calls.
    """
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, lambda number, frame: _signal.default_int_handler(number, frame))


def processors() -> int:
    """How many processes can really run at the same time."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def keep_private(*descriptors: int) -> list[int]:
    """Other numbers for these standard descriptors, which lead nowhere from now on.

    Code that prints, reads or closes the standard streams then cannot disturb the channel.
    """
    private = [os.dup(descriptor) for descriptor in descriptors]
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(null, descriptor)
    os.close(null)
    return private


def read_frame(descriptor: int) -> bytes | None:
    """The next message of the parent, None when there will be no more.

    Not a byte beyond it is read, because the next message may be for another process.
    """
    head = _read_exactly(descriptor, _FRAME_HEAD)
    return None if head is None else _read_exactly(descriptor, int.from_bytes(head, "little"))


def _read_exactly(descriptor: int, size: int) -> bytes | None:
    data = b""
    while len(data) < size:
        part = os.read(descriptor, size - len(data))
        if not part:
            return None
        data += part
    return data


def read_line(descriptor: int, deadline: float) -> tuple[bytes, bool]:
    """What arrives until a line ends or the other end closes, and whether that happened in time."""
    data = b""
    while not data.endswith(b"\n"):
        left = max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], left)[0]:
            return data, False
        part = os.read(descriptor, 65_536)
        if not part:
            break
        data += part
    return data, True


def write_all(descriptor: int, data: bytes) -> None:
    """Write everything, in as many parts as the pipe takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def line(message: dict[str, Any]) -> bytes:
    """A message as the parent reads it."""
    return f"{_json(message)}\n".encode()


def _json(value: Any) -> str:
    """JSON for the few types of which messages consist; loading `json` would take longer than writing them."""
    if isinstance(value, str):
        text: str = _quoted(value)
        return text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_json(key)}: {_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_json, value))}]"
    if value is None or isinstance(value, bool):
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


def quietly(call: Any, *arguments: Any) -> None:
    """Ask the system for something, and go on if it refuses."""
    try:  # noqa: SIM105 - contextlib takes long to load
        call(*arguments)
    except OSError:
        pass
