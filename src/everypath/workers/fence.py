"""Runs in the child: refuses side effects of code under test, and limits its time and memory.

The interpreter reports every such operation as an audit event before it happens; a hook that raises prevents it. This
guards against accidents (a path that deletes a file, opens a connection, never ends), not against code that
is out to escape. Children load this file by its path, so it needs nothing but the library.
"""

from __future__ import annotations

import _signal
import _socket
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS_FILES = (os.devnull,)
_FILES = frozenset(
    {
        "os.chflags",
        "os.chmod",
        "os.chown",
        "os.link",
        "os.lockf",
        "os.mkdir",
        "os.mkfifo",
        "os.mknod",
        "os.remove",
        "os.removexattr",
        "os.rename",
        "os.rmdir",
        "os.setxattr",
        "os.symlink",
        "os.truncate",
        "os.utime",
        "tempfile.mkdtemp",
        "tempfile.mkstemp",
    }
)
_PROCESSES = frozenset(
    {
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.kill",
        "os.killpg",
        "os.posix_spawn",
        "os.spawn",
        "os.startfile",
        "os.system",
        "pty.spawn",
        "subprocess.Popen",
        "webbrowser.open",
    }
)
_NETWORK_PREFIXES = ("ftplib.", "http.client.", "imaplib.", "nntplib.", "poplib.", "smtplib.", "telnetlib.", "urllib.")
_HARMLESS_SOCKET_EVENTS = frozenset({"socket.gethostname", "socket.getservbyname", "socket.getservbyport"})


class Refused(BaseException):
    """Code under test tried something forbidden; no `Exception`, so that `except Exception` does not catch it."""


class TimedOut(BaseException):
    """Code under test ran longer than a case may."""


_OUR_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


class Fence:
    """Armed while code under test runs; remembers the first thing it refused, even if the code swallows the refusal."""

    def __init__(self, roots: tuple[str, ...], patience: float) -> None:
        self._roots = roots
        self._patience = patience
        self._armed = False
        self.refusal: tuple[str, str, int] | None = None
        """what, file, line"""
        self.timed_out: tuple[str, int] | None = None
        """file, line"""

    def install(self) -> None:
        """Install the interpreter's hooks, once; they cannot be removed, so they check whether the fence is armed."""
        sys.addaudithook(self._audit)
        self._guard_fork_exec()

    def arm(self) -> None:
        """Refuse side effects from now on."""
        self._armed = True

    def disarm(self) -> None:
        """Allow everything from now on."""
        self._armed = False

    def limit_time(self, seconds: float) -> None:
        """Interrupt Python code that computes or waits too long, repeatedly if it goes on; 0 switches that off."""
        # Again, because code may catch everything; what goes on nevertheless is killed from outside, a little later.
        again = 0.2 if seconds else 0.0
        for kind, number, limit in (
            (_signal.ITIMER_PROF, _signal.SIGPROF, seconds),
            (_signal.ITIMER_REAL, _signal.SIGALRM, self._patience * seconds),
        ):
            _signal.signal(number, self._alarm)
            _signal.setitimer(kind, limit, again)

    def place(self, frame: FrameType | None) -> tuple[str, int]:
        """The innermost line of the program's own files on the stack of a frame."""
        while frame is not None:
            if self.owns(frame.f_code.co_filename):
                return frame.f_code.co_filename, frame.f_lineno or 0
            frame = frame.f_back
        return "", 0

    def owns(self, file: str) -> bool:
        """Whether a file belongs to the program under test."""
        return file.startswith(self._roots) and "site-packages" not in file and not file.startswith(_OUR_FOLDER)

    def _alarm(self, _signal: int, frame: FrameType | None) -> None:
        if self.timed_out is None:
            self.timed_out = self.place(frame)
        raise TimedOut

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._armed:
            return
        what = forbidden(event, arguments)
        if what is not None:
            self._refuse(what)

    def _refuse(self, what: str) -> None:
        file, line = self.place(sys._getframe(2))
        if self.refusal is None:
            self.refusal = (what, file, line)
        raise Refused(what)

    def _guard_fork_exec(self) -> None:
        """Refuse what `multiprocessing` does below the level that the interpreter reports."""
        import _posixsubprocess

        original: Callable[..., int] = _posixsubprocess.fork_exec

        def guarded(*arguments: Any) -> int:
            if self._armed:
                self._refuse("start a process")
            return original(*arguments)

        _posixsubprocess.fork_exec = guarded


def forbidden(event: str, arguments: tuple[Any, ...]) -> str | None:
    """What an audit event is about to do, if that is to be refused."""
    if event == "open":
        return _opening(*arguments[:3])
    if event in _FILES or event.startswith("shutil."):
        return f"change files ({event} {_shown(arguments)})"
    if event in _PROCESSES:
        return f"start or signal a process ({event} {_shown(arguments)})"
    if event == "sqlite3.connect":
        database = arguments[0] if arguments else ""
        return None if database == ":memory:" else f"open a database ({database!r})"
    if event == "socket.__new__":
        # A pair of connected local sockets is how event loops wake themselves up.
        return None if len(arguments) > 1 and arguments[1] == _socket.AF_UNIX else "open a socket"
    if event.startswith("socket.") and event not in _HARMLESS_SOCKET_EVENTS:
        return f"use the network ({event} {_shown(arguments[1:])})"
    if event.startswith(_NETWORK_PREFIXES):
        return f"use the network ({event})"
    return None


def _opening(path: Any, mode: Any, flags: Any) -> str | None:
    if path in _HARMLESS_FILES or isinstance(path, int):
        return None
    writes = isinstance(mode, str) and any(c in mode for c in "wax+")
    if writes or (isinstance(flags, int) and flags & _WRITE_FLAGS):
        return f"write the file {path!r}"
    return None


def _shown(arguments: tuple[Any, ...]) -> str:
    text = ", ".join(repr(a) for a in arguments if a is not None and a != -1)
    return text if len(text) <= 80 else f"{text[:77]}..."


def address_space() -> int | None:
    """How many bytes of address space the process has reserved; None if the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return None


def limit_memory(megabytes: int, current: int | None) -> None:
    """Let a process that has reserved `current` bytes grow by so many megabytes and no more."""
    if current is not None:
        _lower(resource.RLIMIT_AS, current + megabytes * 1024 * 1024)


def limit_cpu(seconds: float) -> None:
    """Make the system kill the process after this much more computing, even inside C code."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + seconds) + 2)


def limit_files() -> None:
    """Make sure, as a second line of defence, that no file can grow and a crash leaves no core dump."""
    _lower(resource.RLIMIT_FSIZE, 0)
    no_core_dumps()


def no_core_dumps() -> None:
    """Make sure that a crash leaves no core dump behind."""
    _lower(resource.RLIMIT_CORE, 0)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, hard))
