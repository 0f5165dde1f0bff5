"""A child process: how it is started, spoken to, and ended together with everything that it started.

What it runs is for its user to say (a `Command`). It gets a session of its own, little of the caller's environment, and
three pipes: messages go down as frames (a length, then so many bytes) and come up as lines; what it writes to its
standard error is kept to explain its end. `child_side.py` is the other half.

This module imports next to nothing, because a run starts its processes before it loads the rest of the package.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable

from everypath.records import dataclass

_SIGKILL = 9
_KEPT_ERRORS = 20_000
_FRAME_HEAD = 8
"""Bytes of a frame's length; `child_side.py` reads as many."""
_KEPT_ENVIRONMENT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "SYSTEMROOT",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "TZ",
    "TMPDIR",
)


@dataclass(frozen=True, slots=True)
class Command:
    """What a process runs: a program with its arguments, and the environment that it finds."""

    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    """in addition to the few variables of the caller that every process gets"""


def interpreter(text: str, hash_seed: int, **environment: str) -> Command:
    """This same interpreter running a text; with the same seed, sets of strings always have the same order."""
    # -P: a program's modules must not be found before the library's merely because of where the process starts.
    arguments = (sys.executable, "-B", "-P", "-c", text)
    given = {"PYTHONHASHSEED": str(hash_seed), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return Command(arguments, tuple(given.items()))


_meanwhile: list[Callable[[], object]] = []
"""Work that has to be done anyway, for the time in which this process waits for others."""


def meanwhile(work: Callable[[], object]) -> None:
    """Have something done while this process waits for another one; it is not done if there is no waiting."""
    _meanwhile.append(work)


class Process:
    """One child process in a session of its own."""

    started = 0
    """how many were started so far"""

    def __init__(self, command: Command, show_errors: bool = False) -> None:
        """Start it; with `show_errors` it writes to the caller's standard error, else what it writes there is kept."""
        self.command = command
        self.code: int | None = None
        """how it ended, in the form of `subprocess`: an exit code, or minus the signal"""
        self._lines = b""
        self._errors = b""
        theirs_in, self._input = map(above_standard, os.pipe())
        self._output, theirs_out = map(above_standard, os.pipe())
        self._error_output, theirs_error = map(above_standard, os.pipe())
        self._open = [self._output, self._error_output]
        try:
            Process.started += 1
            self._scratch = os.path.join(
                os.environ.get("TMPDIR") or "/tmp", f"everypath-{os.getpid()}-{Process.started}-{time.time_ns():x}"
            )
            streams = (theirs_in, theirs_out, *([] if show_errors else [theirs_error]))
            self.pid = _spawn(command, streams, {"EVERYPATH_SCRATCH": self._scratch})
        finally:
            for descriptor in (theirs_in, theirs_out, theirs_error):
                os.close(descriptor)

    def send(self, message: bytes) -> None:
        """Send one message; if the process is gone, that is noticed when it does not answer."""
        data = memoryview(len(message).to_bytes(_FRAME_HEAD, "little") + message)
        try:
            while data:
                data = data[os.write(self._input, data) :]
        except BrokenPipeError:
            pass

    def receive(self, seconds: float) -> bytes | None:
        """The next line; None if the process is silent for this long or has closed its channel."""
        deadline = time.monotonic() + seconds
        left = max(seconds, 0.0)
        while b"\n" not in self._lines:
            while seconds > 0 and _meanwhile and not select.select(self._open, [], [], 0)[0]:
                _meanwhile.pop()()
            ready = select.select(self._open, [], [], left)[0] if self._output in self._open else []
            for descriptor in ready:
                self._read(descriptor)
            if self._output not in self._open:
                # The exit code follows the last words a little later.
                self._wait(1.0)
            left = deadline - time.monotonic()
            if not ready or left <= 0:
                break
        line, end, rest = self._lines.partition(b"\n")
        if not end:
            return None
        self._lines = rest
        return line

    @property
    def closed(self) -> bool:
        """Whether the process has closed its channel, so that nothing more can come."""
        return self._output not in self._open and b"\n" not in self._lines

    def ended(self) -> bool:
        """Whether the process is gone; `code` then tells how."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def last_error(self) -> str:
        """The last line that it wrote to its standard error; empty if there is none."""
        while self._error_output in self._open and select.select([self._error_output], [], [], 0)[0]:
            self._read(self._error_output)
        return self._errors.decode("utf-8", "replace").strip().rpartition("\n")[2]

    def kill(self) -> None:
        """Have the process and everything it started end, without waiting for that."""
        # The whole group first: its members outlive the process that started them. The process itself once
        # more, for it may not have come so far as to have a group.
        for kill in (os.killpg, os.kill):
            try:
                if kill is os.killpg or self.code is None:
                    kill(self.pid, _SIGKILL)
            except OSError:
                pass

    def close(self) -> None:
        """End the process and everything it started."""
        self.kill()
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        for descriptor in (self._input, self._output, self._error_output):
            if descriptor >= 0:
                os.close(descriptor)
        self._input = self._output = self._error_output = -1
        self._open = []
        try:
            os.rmdir(self._scratch)
        except OSError:
            if os.path.isdir(self._scratch):
                from everypath.workers.scratch import remove

                remove(self._scratch)

    def disown(self) -> None:
        """Leave the process to somebody else, who has the other copies of these channels."""
        for descriptor in (self._input, self._output, self._error_output):
            os.close(descriptor)
        self._input = self._output = self._error_output = -1
        self._open = []

    def _read(self, descriptor: int) -> None:
        part = os.read(descriptor, 1 << 16)
        if not part:
            self._open.remove(descriptor)
        elif descriptor == self._output:
            self._lines += part
        else:
            self._errors = (self._errors + part)[-_KEPT_ERRORS:]

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < deadline:
            time.sleep(0.002)


def _spawn(command: Command, standard: tuple[int, ...], more: dict[str, str]) -> int:
    """Start the process with these descriptors as its first ones; unlike forking, this costs a large caller nothing."""
    actions = [(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in enumerate(standard)]
    environment = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    environment.update(command.environment)
    environment.update(more)
    program, arguments = command.arguments[0], list(command.arguments)
    try:
        return os.posix_spawn(program, arguments, environment, file_actions=actions, setsid=True)
    except NotImplementedError:
        # The child then starts its own session, a little later.
        return os.posix_spawn(program, arguments, environment, file_actions=actions)


def above_standard(descriptor: int) -> int:
    """A descriptor of the same file that is not 0, 1 or 2, which are free if the caller has closed them."""
    if descriptor > 2:
        return descriptor
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved
