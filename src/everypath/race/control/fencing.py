"""Refuses what would change files, start processes or use the network, by replacing the functions that do it.

What counts as forbidden is the same as in `workers/fence.py`. The audit hook that is used there would see more, but it
makes every `id()` and every look at a frame ten times as slow, and snapshots and lock events consist of little else.
"""

from __future__ import annotations

import _posixsubprocess
import _socket
import builtins
import contextlib
import errno
import functools
import io
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from everypath.race.control.monitor import MONITOR
from everypath.race.control.places import current_line
from everypath.race.running import Refused
from everypath.workers.fence import forbidden

_CHANGING = (
    "chflags chmod chown link lockf mkdir mkfifo mknod remove removexattr rename rmdir setxattr symlink truncate utime "
    "fork forkpty kill killpg posix_spawn system"
).split()
"""Functions of `os` whose audit event is named after them."""
_NAMED_OTHERWISE = {
    "fchmod": "os.chmod",
    "lchmod": "os.chmod",
    "fchown": "os.chown",
    "lchown": "os.chown",
    "unlink": "os.remove",
    "replace": "os.rename",
    "ftruncate": "os.truncate",
    "execv": "os.exec",
    "execve": "os.exec",
    "posix_spawnp": "os.posix_spawn",
}
_LOOKUPS = "getaddrinfo gethostbyname gethostbyname_ex gethostbyaddr getnameinfo sethostname".split()
_ENDING = ((os, "_exit"), (os, "abort"), (signal, "raise_signal"), (signal, "pthread_kill"), (signal, "alarm"))
_BY_NUMBER = (
    "read readv pread preadv write writev pwrite pwritev lseek fsync fdatasync set_blocking dup sendfile".split()
)
"""Functions of `os` on open files that are given by their numbers."""
_CLOSING = "close dup2".split()
"""Those after which a number stands for another file or none."""
_STANDARD = frozenset({0, 1, 2})

Judge = Callable[..., str | None]
"""Says of the arguments of a function what a call would do, if that is forbidden."""


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


class Fencing:
    """Replaces functions with side effects, with effect only while it is armed."""

    def __init__(self) -> None:
        self.armed = False
        self._ours = _open_numbers() - _STANDARD
        """open files of the process itself, through which it talks to the one that started it"""

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """(owner, name, replacement) of everything that has effects outside of the process."""
        import posix

        found: list[tuple[Any, str, Any]] = []
        opened = self._guarded(builtins.open, self._opening)
        found += [(owner, "open", opened) for owner in (builtins, io, sys.modules["_io"])]
        found += self._for_both(os, posix, "open", _opening_low)
        for name in _CHANGING:
            found += self._for_both(os, posix, name, _event(f"os.{name}"))
        for name, event in _NAMED_OTHERWISE.items():
            found += self._for_both(os, posix, name, _event(event))
        found += [(_socket, name, self._guarded(getattr(_socket, name), _event(f"socket.{name}"))) for name in _LOOKUPS]
        found.append((_posixsubprocess, "fork_exec", self._guarded(_posixsubprocess.fork_exec, _starting)))
        if "socket" not in sys.modules:
            found.append((_socket, "socket", self._guarded_socket()))
        for owner, name in _ENDING:
            found.append((owner, name, _only_outside(getattr(owner, name))))
        for name in (*_BY_NUMBER, *_CLOSING):
            protected = self._ours | _STANDARD if name in _CLOSING else self._ours
            native = _keeping_off(getattr(os, name), protected, 2 if name in ("dup2", "sendfile") else 1)
            found += [(owner, name, native) for owner in (os, posix)]
        return found

    def _opening(self, file: Any, mode: Any = "r", *_: Any, **__: Any) -> str | None:
        if isinstance(file, int) and file in self._ours | _STANDARD:
            return f"uses the open file number {int(file)}"
        return forbidden("open", (file, mode, 0))

    def late_replacements(self) -> list[tuple[Any, str, Any]]:
        """The same in modules that the code under test may have imported meanwhile."""
        found: list[tuple[Any, str, Any]] = []
        socket, sqlite, subprocess = map(sys.modules.get, ("socket", "sqlite3", "subprocess"))
        if socket is not None and not issubclass(socket.socket, _Guarded):
            found.append((socket.socket, "__init__", self._guarded(socket.socket.__init__, _making_socket)))
        if sqlite is not None:
            found.append((sqlite, "connect", self._guarded(sqlite.connect, _event("sqlite3.connect"))))
        if subprocess is not None:
            found.append((subprocess, "_fork_exec", self._guarded(subprocess._fork_exec, _starting)))
        return found

    def _for_both(
        self, one: Any, other: Any, name: str, judge: Callable[..., str | None]
    ) -> list[tuple[Any, str, Any]]:
        native = getattr(one, name, None)
        if native is None:
            return []
        guarded = self._guarded(native, judge)
        return [(owner, name, guarded) for owner in (one, other) if hasattr(owner, name)]

    def _guarded(self, native: Callable[..., Any], judge: Judge) -> Callable[..., Any]:
        @functools.wraps(native)
        def guarded(*arguments: Any, **named: Any) -> Any:
            if self.armed:
                what = judge(*arguments, **named)
                if what is not None:
                    refuse(what)
            return native(*arguments, **named)

        return guarded

    def _guarded_socket(self) -> type[Any]:
        fencing = self

        class socket(_Guarded):
            __slots__ = ()

            def __init__(self, *arguments: Any, **named: Any) -> None:
                if fencing.armed:
                    what = _making_socket(self, *arguments, **named)
                    if what is not None:
                        refuse(what)
                _NATIVE_SOCKET.__init__(self, *arguments, **named)

        return socket


_NATIVE_SOCKET = _socket.socket


class _Guarded(_NATIVE_SOCKET):
    """Marks sockets that ask the fence themselves; without a `__dict__`, as the library's subclass expects."""

    __slots__ = ()


def _opening_low(path: Any, flags: Any, *_: Any, **__: Any) -> str | None:
    return forbidden("open", (path, None, flags))


def _starting(*_: Any) -> str | None:
    return "start a process"


def _making_socket(_: Any, family: int = -1, *__: Any, fileno: Any = None, **___: Any) -> str | None:
    if fileno is not None:
        return None
    return forbidden("socket.__new__", (None, _socket.AF_INET if family == -1 else family))


def _open_numbers() -> frozenset[int]:
    found = set()
    for number in range(_MOST_OPEN):
        with contextlib.suppress(OSError):
            os.fstat(number)
            found.add(number)
    return frozenset(found)


_MOST_OPEN = 128


def _keeping_off(native: Callable[..., Any], protected: frozenset[int], files: int) -> Callable[..., Any]:
    """A function on open files that refuses code under test those through which the process itself works."""

    @functools.wraps(native)
    def guarded(*arguments: Any, **named: Any) -> Any:
        if MONITOR.current is not None:
            for number in (*arguments, *named.values())[:files]:
                if type(number) is int and number in protected:
                    refuse(f"uses the open file number {number}")
        return native(*arguments, **named)

    return guarded


def _event(name: str) -> Callable[..., str | None]:
    return lambda *arguments, **_: forbidden(name, arguments)


def _only_outside(native: Callable[..., Any]) -> Callable[..., Any]:
    """A function that may end the process, refused to code under test."""

    @functools.wraps(native)
    def guarded(*arguments: Any) -> Any:
        if MONITOR.current is not None:
            refuse(f"ends or signals the process ({native.__name__})")
        return native(*arguments)

    return guarded
