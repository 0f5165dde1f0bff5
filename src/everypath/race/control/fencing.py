"""Refuses what would change files, start processes or threads or use the network, by replacing what does it.

What counts as forbidden is the same as in `workers/fence.py`. The audit hook that is used there would see more, but it
makes every `id()` and every look at a frame ten times as slow, and snapshots and lock events consist of little else.
"""

from __future__ import annotations

import _posixsubprocess
import _socket
import _thread
import builtins
import contextlib
import errno
import functools
import io
import os
import posix
import signal
import socket
import sys
import threading
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
    "fchmod": "os.chmod", "lchmod": "os.chmod", "fchown": "os.chown", "lchown": "os.chown", "unlink": "os.remove",
    "replace": "os.rename", "ftruncate": "os.truncate", "execv": "os.exec", "execve": "os.exec",
    "posix_spawnp": "os.posix_spawn",
}  # fmt: skip
_LOOKUPS = "getaddrinfo gethostbyname gethostbyname_ex gethostbyaddr getnameinfo sethostname".split()
_REACHING_OUT = "bind connect connect_ex sendto sendmsg".split()
"""Methods of sockets: a pair of connected local ones is harmless, a name in the file system or the network is not."""
_ENDING = ((os, "_exit"), (os, "abort"), (signal, "raise_signal"), (signal, "pthread_kill"), (signal, "alarm"))
_BY_NUMBER = (
    "read readv pread preadv write writev pwrite pwritev lseek fsync fdatasync set_blocking dup sendfile".split()
)
"""Functions of `os` on open files that are given by their numbers."""
_CLOSING = "close dup2".split()
"""Those after which a number stands for another file or none."""
_STANDARD = frozenset({0, 1, 2})
_MOST_OPEN = 128
_STARTERS = ("start_new_thread", "start_new", "start_joinable_thread")
_PENDING = "_everypath_pending"
"""Marks a timer that was started and will not ring."""

Judge = Callable[..., str | None]
"""Tells from the arguments of a function what a call would do, if that is forbidden."""


class Uncontrolled(BaseException):
    """Something that cannot be controlled or undone was tried; not an `Exception`, so that it is not swallowed."""

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
    """Replaces functions with side effects and those that start threads, with effect only while it is armed."""

    def __init__(self) -> None:
        self.armed = False
        self._ours = _open_numbers() - _STANDARD
        """open files of the process itself, through which it talks to the one that started it"""

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """(owner, name, replacement) of everything that has effects outside of the process or starts threads."""
        opened = self._guarded(builtins.open, self._opening)
        found: list[tuple[Any, str, Any]] = [(owner, "open", opened) for owner in (builtins, io, sys.modules["_io"])]
        found += _for_both("open", _opening_low, self._guarded)
        events = {**{name: f"os.{name}" for name in _CHANGING}, **_NAMED_OTHERWISE}
        for name, event in events.items():
            found += _for_both(name, _event(event), self._guarded)
        found += [(_socket, name, self._guarded(getattr(_socket, name), _event(f"socket.{name}"))) for name in _LOOKUPS]
        forked = self._guarded(_posixsubprocess.fork_exec, _never("would start a process"))
        found.append((_posixsubprocess, "fork_exec", forked))
        found.append((socket.socket, "__init__", self._guarded(socket.socket.__init__, _making_socket)))
        for name in _REACHING_OUT:
            found.append((socket.socket, name, self._guarded(getattr(_socket.socket, name), _event(f"socket.{name}"))))
        sockets = guarded_class(_socket.socket, self._guarded(_socket.socket.__init__, _making_socket))
        found += [(_socket, name, sockets) for name in ("socket", "SocketType")]
        files = guarded_class(io.FileIO, self._guarded(io.FileIO.__init__, self._opening_raw))
        found += [(owner, "FileIO", files) for owner in (io, sys.modules["_io"])]
        for owner, name in _ENDING:
            judge = _never(f"ends or signals the process ({name})")
            found.append((owner, name, _under_control(getattr(owner, name), judge)))
        for name in (*_BY_NUMBER, *_CLOSING):
            protected = self._ours | _STANDARD if name in _CLOSING else self._ours
            judge = _using(protected, 2 if name in ("dup2", "sendfile") else 1)
            found += _for_both(name, judge, _under_control)
        return found + self._starters()

    def _opening(self, file: Any, mode: Any = "r", *_: Any, **__: Any) -> str | None:
        if isinstance(file, int) and file in self._ours | _STANDARD:
            return f"uses the open file number {int(file)}"
        return _would("open", (file, mode, 0))

    def _opening_raw(self, _: Any, file: Any, mode: Any = "r", *__: Any, **___: Any) -> str | None:
        return self._opening(file, mode)

    def databases(self, module: Any) -> list[tuple[Any, str, Any]]:
        """The same in the module behind `sqlite3`, which is large and loaded only if the code under test does so."""
        connect = self._guarded(module.connect, lambda *given, **named: _opening_database(given, named))
        opened = self._guarded(module.Connection.__init__, lambda _, *given, **named: _opening_database(given, named))
        return [(module, "connect", connect), (module, "Connection", guarded_class(module.Connection, opened))]

    def late_replacements(self) -> list[tuple[Any, str, Any]]:
        """The same in a module that the code under test may have imported meanwhile."""
        subprocess = sys.modules.get("subprocess")
        if subprocess is None:
            return []
        return [(subprocess, "_fork_exec", self._guarded(subprocess._fork_exec, _never("would start a process")))]

    def _guarded(self, native: Callable[..., Any], judge: Judge) -> Callable[..., Any]:
        return _guard(native, judge, lambda: self.armed)

    def _starters(self) -> list[tuple[Any, str, Any]]:
        """A thread is refused; a timer can be started but never rings by itself."""
        timer = threading.Timer
        found: list[tuple[Any, str, Any]] = [
            (threading.Thread, "start", self._guarded(threading.Thread.start, _never("starts a thread"))),
            (timer, "start", self._starting_timer(threading.Thread.start)),
            (timer, "is_alive", _timer_alive(timer.is_alive)),
            (timer, "join", _timer_join(timer.join)),
        ]
        for name in _STARTERS:
            native = getattr(_thread, name, None)
            if native is not None:
                guarded = self._guarded(native, _never("starts a thread"))
                found.append((_thread, name, guarded))
                if hasattr(threading, f"_{name}"):
                    found.append((threading, f"_{name}", guarded))
        return found

    def _starting_timer(self, native: Callable[..., None]) -> Callable[..., None]:
        def start(timer: Any) -> None:
            if not self.armed:
                native(timer)
                return
            if timer._started._flag:
                raise RuntimeError("threads can only be started once")
            timer._started._flag = True
            timer.__dict__[_PENDING] = True

        return start


def guarded_class(native: type[Any], initialise: Callable[..., None]) -> type[Any]:
    """The class with another way to begin; objects of the native one are its instances, too."""

    class Meta(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, native) if cls is made else type.__instancecheck__(cls, instance)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, native) if cls is made else type.__subclasscheck__(cls, subclass)

    known = {"__init__": initialise, "__module__": native.__module__, "__doc__": native.__doc__}
    made: type[Any] = Meta(native.__name__, (native,), known)
    return made


def _guard(native: Callable[..., Any], judge: Judge, applies: Callable[[], bool]) -> Callable[..., Any]:
    @functools.wraps(native)
    def guarded(*arguments: Any, **named: Any) -> Any:
        if applies():
            what = judge(*arguments, **named)
            if what is not None:
                refuse(what)
        return native(*arguments, **named)

    return guarded


def _under_control(native: Callable[..., Any], judge: Judge) -> Callable[..., Any]:
    """A function that our own code may go on using while the fence is armed, but a thread of the arena may not."""
    return _guard(native, judge, lambda: MONITOR.current is not None)


def _for_both(name: str, judge: Judge, guarded: Callable[[Any, Judge], Any]) -> list[tuple[Any, str, Any]]:
    """A function of `os`, if there is one of this name, also where it comes from."""
    owners = [owner for owner in (os, posix) if hasattr(owner, name)]
    replacement = guarded(getattr(os, name), judge) if owners else None
    return [(owner, name, replacement) for owner in owners]


def _opening_low(path: Any, flags: Any, *_: Any, **__: Any) -> str | None:
    return _would("open", (path, None, flags))


def _would(event: str, arguments: tuple[Any, ...]) -> str | None:
    what = forbidden(event, arguments)
    return None if what is None else f"would {what}"


def _never(what: str) -> Judge:
    return lambda *_, **__: what


def _event(name: str) -> Judge:
    return lambda *arguments, **_: _would(name, arguments)


def _using(protected: frozenset[int], files: int) -> Judge:
    """Whether one of the first arguments is an open file through which the process itself works."""

    def judge(*arguments: Any, **named: Any) -> str | None:
        for number in (*arguments, *named.values())[:files]:
            if type(number) is int and number in protected:
                return f"uses the open file number {number}"
        return None

    return judge


def _opening_database(given: tuple[Any, ...], named: dict[str, Any]) -> str | None:
    return _would("sqlite3.connect", given or (named.get("database", ""),))


def _making_socket(_: Any, family: int = -1, *__: Any, fileno: Any = None, **___: Any) -> str | None:
    if fileno is not None:
        return None
    return _would("socket.__new__", (None, _socket.AF_INET if family == -1 else family))


def _open_numbers() -> frozenset[int]:
    found = set()
    for number in range(_MOST_OPEN):
        with contextlib.suppress(OSError):
            os.fstat(number)
            found.add(number)
    return frozenset(found)


def _timer_alive(native: Callable[..., bool]) -> Callable[..., bool]:
    return lambda timer: not timer.finished.is_set() if timer.__dict__.get(_PENDING) else native(timer)


def _timer_join(native: Callable[..., None]) -> Callable[..., None]:
    def join(timer: threading.Timer, timeout: float | None = None) -> None:
        if not timer.__dict__.get(_PENDING):
            native(timer, timeout)
        elif timeout is None and not timer.finished.is_set():
            refuse("waits for a timer")

    return join
