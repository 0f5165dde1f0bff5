"""Worker processes, started ahead of their work so that they are ready when the first cases are.

Starting an interpreter and importing the program takes longer than running a few tests. Whoever knows early
that there will be something to validate says so with `prepare`; `take` then finds the process warm. This
module imports as little as possible, because it is used before anything else is loaded.
"""

from __future__ import annotations

import os
import select
import sys
import time

FIRST_SEED = 0
OTHER_SEED = 20_117
"""Another order of sets than in the first run: a path that depends on it must not look reliable."""

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_WORKER = os.path.join(_HOME, "languages", "python", "runtime", "worker.py")
_START = f"""
import sys
from importlib.machinery import SourceFileLoader
loader = SourceFileLoader("_everypath_worker", {_WORKER!r})
worker = sys.modules[loader.name] = type(sys)(loader.name)
worker.__file__ = loader.path
exec(loader.get_code(loader.name), worker.__dict__)
worker.main()
"""
"""Unlike a script, a module is compiled only once; and none of the program's own modules has its name."""
_SIGKILL = 9
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
)

_spare: dict[int, Process] = {}
"""hash seed -> a process that waits for work"""


class Process:
    """One worker with its own group; it ends by itself when its parent does."""

    def __init__(self, hash_seed: int) -> None:
        self.program = b""
        """the first part of its request, once that is sent"""
        self.code: int | None = None
        """how it ended, as `subprocess` counts: an exit code or minus the signal"""
        self._buffer = b""
        self._errors = _memory_file()
        theirs_in, self._input = map(_above_standard, os.pipe())
        self._output, theirs_out = map(_above_standard, os.pipe())
        try:
            self.pid = _spawn((theirs_in, theirs_out, self._errors), hash_seed)
        finally:
            os.close(theirs_in)
            os.close(theirs_out)

    def send(self, data: bytes, last: bool = False) -> None:
        """Hand over a part of the request; a process that is gone is noticed when it does not answer."""
        try:
            while data:
                data = data[os.write(self._input, data) :]
        except BrokenPipeError:
            pass
        if last:
            os.close(self._input)
            self._input = -1

    def receive(self, seconds: float) -> bytes | None:
        """The next line, or None when the process is silent for too long or has ended."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._output], [], [], left)[0]:
                return None
            part = os.read(self._output, 1 << 16)
            if not part:
                self._wait(1.0)
                return None
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def ended(self) -> bool:
        """Whether the process is gone; `code` then tells how."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def error_text(self) -> str:
        """What it wrote to its standard error."""
        os.lseek(self._errors, 0, os.SEEK_SET)
        return os.read(self._errors, 20_000).decode("utf-8", "replace").strip()

    def close(self) -> None:
        """End the process and everything it started."""
        for kill in (os.killpg, os.kill):
            try:
                if kill is os.killpg or self.code is None:
                    kill(self.pid, _SIGKILL)
            except OSError:
                pass
        if self.code is None:
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        for descriptor in (self._input, self._output, self._errors):
            if descriptor >= 0:
                os.close(descriptor)
        self._input = self._output = self._errors = -1

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < deadline:
            time.sleep(0.002)


def prepare(hash_seed: int, program: bytes = b"") -> None:
    """Start a process for later; with the first part of its request it also imports the program already."""
    process = _spare.get(hash_seed)
    if process is not None and process.program and program and process.program != program:
        _spare.pop(hash_seed).close()
        process = None
    if process is None:
        process = _spare[hash_seed] = Process(hash_seed)
    if program and not process.program:
        process.program = program
        process.send(program)


def take(hash_seed: int, program: bytes) -> Process:
    """A process that has the first part of its request."""
    if hash_seed in _spare and _spare[hash_seed].ended() and not _spare[hash_seed].program:
        _spare.pop(hash_seed).close()
    prepare(hash_seed, program)
    return _spare.pop(hash_seed)


def discard() -> None:
    """End the processes that nobody took."""
    while _spare:
        _spare.popitem()[1].close()


def _spawn(standard: tuple[int, int, int], hash_seed: int) -> int:
    command = [sys.executable, "-B", "-P", "-c", _START]
    actions = [(os.POSIX_SPAWN_DUP2, ours, theirs) for theirs, ours in enumerate(standard)]
    environment = _environment(hash_seed)
    try:
        return os.posix_spawn(sys.executable, command, environment, file_actions=actions, setsid=True)
    except NotImplementedError:
        # The worker then starts its own session, a little later.
        return os.posix_spawn(sys.executable, command, environment, file_actions=actions)


def _environment(hash_seed: int) -> dict[str, str]:
    """Little of the caller's environment, and an order of sets that is the same on every run."""
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    return {**kept, "PYTHONHASHSEED": str(hash_seed), "PYTHONDONTWRITEBYTECODE": "1"}


def _memory_file() -> int:
    try:
        return _above_standard(os.memfd_create("errors"))
    except (AttributeError, OSError):
        import tempfile

        with tempfile.TemporaryFile() as file:
            return os.dup(file.fileno())


def _above_standard(descriptor: int) -> int:
    """The same file under a number that is not 0, 1 or 2, which are free when the caller closed them."""
    if descriptor > 2:
        return descriptor
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved
