"""Runs in the child: refuses side effects of code under test, and limits its time and memory.

The interpreter reports every such operation as an audit event before it happens; a hook that raises prevents it. This
guards against accidents (a path that deletes a file, opens a connection, never ends), not against code that
is out to escape. Children load this file by its path, so it needs nothing but the library.
"""

from __future__ import annotations

import _signal
import _socket
import errno
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
_LOOKING = frozenset({"os.listdir", "os.scandir", "os.walk", "os.fwalk", "glob.glob", "glob.glob/2", "os.chdir"})
_SYSTEM = ("/usr/", "/etc/", "/lib/", "/lib64/", "/bin/", "/opt/", "/proc/", "/dev/", "/sys/", "/System/", "/Library/")
"""Where a machine keeps what everybody may read: libraries, time zones, names of types of files."""
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
_FREQUENT = frozenset(
    "exec compile sys._getframe object.__getattr__ object.__setattr__ object.__delattr__ import marshal.loads"
    " builtins.id code.__new__ function.__new__ gc.get_objects".split()
)
"""What code does all the time, and nothing outside is changed or asked by."""
_NETWORK_PREFIXES = ("ftplib.", "http.client.", "imaplib.", "nntplib.", "poplib.", "smtplib.", "telnetlib.", "urllib.")
_HARMLESS_SOCKET_EVENTS = frozenset({"socket.gethostname", "socket.getservbyname", "socket.getservbyport"})


left_by_imports: list[str] = []
"""Folders in which importing the program has left files, which it finds again."""


class Refused(BaseException):
    """Code under test tried something forbidden; not an `Exception`, so that `except Exception` does not catch it."""


_AGAIN = 0.2
"""Seconds after which code that goes on is interrupted again."""
_NOTHING = 0.01
"""Seconds of the processor that code which waits may need meanwhile."""


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class TimedOut(BaseException):
    """Code under test ran longer than a case may."""


_OUR_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


class Fence:
    """Armed while code under test runs; remembers the first thing it refused, even if the code swallows the refusal."""

    def __init__(self, roots: tuple[str, ...], patience: float, around: tuple[str, ...] = ()) -> None:
        self._roots = roots
        self._around = (_OUR_FOLDER, *around)
        self._patience = patience
        self.armed = False
        """whether side effects are refused at the moment"""
        self.folder: str | None = None
        """where code may write; without one it writes nowhere"""
        self.confined = False
        """whether code may read only what is in the folder, or belongs to the program, a library or the system"""
        self.gently = False
        """whether what is refused is an error that code may be prepared for, such as a disk that cannot be written"""
        self.noticed: Callable[[str, tuple[Any, ...]], None] | None = None
        """hears of every event while the fence is armed, and may refuse it"""
        self.on_refusal: Callable[[FrameType | None], None] | None = None
        """hears where something is refused, before the code does"""
        self.refusal: tuple[str, str, int] | None = None
        """what, file, line"""
        self.denied: list[BaseException] = []
        """the errors by which the code has heard of it"""
        self.timed_out: tuple[str, int] | None = None
        """file, line"""
        self._glances, self._computed = 0, 0.0
        """how many more times it is looked whether code goes on, and what was computed when that was done last"""

    def install(self) -> None:
        """Install the interpreter's hooks, once; they cannot be removed, so they check whether the fence is armed."""
        sys.addaudithook(self._audit)
        self._guard_fork_exec()

    def arm(self) -> None:
        """Refuse side effects from now on."""
        self.armed = True

    def disarm(self) -> None:
        """Allow everything from now on."""
        self.armed = False

    def leave_home(self) -> bool:
        """Have an empty home for a program that keeps files at home; False if that was done already."""
        if self.refusal is None or self.folder is None or self.folder in left_by_imports:
            return False
        os.environ["HOME"] = self.folder
        left_by_imports.append(self.folder)
        self.refusal = None
        self.denied.clear()
        return True

    def limit_time(self, seconds: float, waiting: float = 0.0) -> None:
        """Interrupt Python code that computes or waits too long, repeatedly if it goes on; 0 switches that off.

        Code that has computed next to nothing for so many seconds is `waiting`, and interrupted then; otherwise a busy
        machine is given some patience.
        """
        # Again, because code may catch everything; what goes on nevertheless is killed from outside, a little later.
        again = _AGAIN if seconds else 0.0
        self._glances = 0 if not waiting else 1 + round((self._patience * seconds - waiting) / _AGAIN)
        self._computed = _processor()
        _signal.signal(_signal.SIGPROF, self._alarm)
        _signal.signal(_signal.SIGALRM, self._glance if waiting else self._alarm)
        _signal.setitimer(_signal.ITIMER_PROF, seconds, again)
        _signal.setitimer(_signal.ITIMER_REAL, waiting or self._patience * seconds, again)

    def place(self, frame: FrameType | None) -> tuple[str, int]:
        """The innermost line of the program's own files on the stack of a frame."""
        while frame is not None:
            if self.owns(frame.f_code.co_filename):
                return frame.f_code.co_filename, frame.f_lineno or 0
            frame = frame.f_back
        return "", 0

    def owns(self, file: str) -> bool:
        """Whether a file belongs to the program under test, and not to us or a library that lies in the same place."""
        return file.startswith(self._roots) and "site-packages" not in file and not file.startswith(self._around)

    def watches(self, file: str) -> bool:
        """Whether a file belongs to what runs and watches the program."""
        return file.startswith(self._around)

    def _glance(self, signal: int, frame: FrameType | None) -> None:
        """Some time has passed: it was long enough, or nothing was computed meanwhile."""
        before, self._computed = self._computed, _processor()
        self._glances -= 1
        if self._glances <= 0 or self._computed - before < _NOTHING:
            self._alarm(signal, frame)

    def _alarm(self, _signal: int, frame: FrameType | None) -> None:
        if self.timed_out is None:
            self.timed_out = self.place(frame)
        raise TimedOut

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.armed or event in _FREQUENT:
            return
        # Finding out may cause audit events of its own, which are not those of the code under test.
        self.armed = False
        try:
            if self.noticed is not None:
                self.noticed(event, arguments)
            what = forbidden(event, arguments, self.folder, self.confined)
            if what is not None:
                self.refuse(what)
        finally:
            self.armed = True

    def refuse(self, what: str) -> None:
        """Keep code from doing something."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename == __file__:
            frame = frame.f_back
        file, line = self.place(frame)
        if self.refusal is None:
            self.refusal = (what, file, line)
            if self.on_refusal is not None:
                self.on_refusal(frame)
        error = PermissionError(errno.EPERM, f"not allowed to {what}") if self.gently else Refused(what)
        self.denied.append(error)
        raise error

    def _guard_fork_exec(self) -> None:
        """Refuse processes that `multiprocessing` starts below the level that the interpreter reports."""
        import _posixsubprocess

        original: Callable[..., int] = _posixsubprocess.fork_exec

        def guarded(*arguments: Any) -> int:
            if self.armed:
                self.refuse("start a process")
            return original(*arguments)

        _posixsubprocess.fork_exec = guarded


def forbidden(event: str, arguments: tuple[Any, ...], folder: str | None = None, confined: bool = False) -> str | None:
    """What an audit event would do, if that is something to refuse; files in a folder are free, if there is one."""
    if event == "open":
        path, mode, flags = arguments[:3]
        return _opening(path, mode, flags, folder, confined)
    if event in _LOOKING:
        place = arguments[0] if arguments else None
        return None if not confined or _readable(place, folder) else f"look at the folder {place!r}"
    if event in _FILES or event.startswith("shutil."):
        if folder is not None and all(_inside(place, folder) for place in _places(event, arguments)):
            return None
        return f"change files ({event} {_shown(arguments)})"
    if event in _PROCESSES:
        return f"start or signal a process ({event} {_shown(arguments)})"
    if event == "sqlite3.connect":
        database = arguments[0] if arguments else ""
        free = database == ":memory:" or (folder is not None and _inside(database, folder))
        return None if free else f"open a database ({database!r})"
    return _connecting(event, arguments)


def _is_number(host: object) -> bool:
    """Whether a host is a number already, so that nobody has to be asked for it."""
    for family in (_socket.AF_INET, _socket.AF_INET6):
        try:
            _socket.inet_pton(family, host)  # type: ignore[arg-type]
        except (OSError, TypeError, ValueError):
            continue
        return True
    return False


def _connecting(event: str, arguments: tuple[Any, ...]) -> str | None:
    if event == "socket.__new__":
        # A pair of connected local sockets is how event loops wake themselves up.
        return None if len(arguments) > 1 and arguments[1] == _socket.AF_UNIX else "open a socket"
    if event == "socket.getaddrinfo" and _is_number(arguments[0]):
        return None
    if event.startswith("socket.") and event not in _HARMLESS_SOCKET_EVENTS:
        return f"use the network ({event} {_shown(arguments[1:])})"
    return f"use the network ({event})" if event.startswith(_NETWORK_PREFIXES) else None


def _opening(path: Any, mode: Any, flags: Any, folder: str | None, confined: bool) -> str | None:
    if confined and isinstance(path, int) and path <= 2:
        return "take a standard stream for a file"
    if path in _HARMLESS_FILES or isinstance(path, int) or (folder is not None and _inside(path, folder)):
        return None
    writes = isinstance(mode, str) and any(c in mode for c in "wax+")
    if writes or (isinstance(flags, int) and flags & _WRITE_FLAGS):
        return f"write the file {path!r}"
    return None if not confined or _readable(path, folder) else f"read the file {path!r}"


def _places(event: str, arguments: tuple[Any, ...]) -> list[Any]:
    """The files that an event is about, with the open folder that their names begin at, if there is one."""
    names = [each for each in arguments if isinstance(each, (str, bytes, os.PathLike))]
    if event in ("os.symlink", "shutil.make_archive"):
        # Where a link leads to is asked when somebody follows it.
        names = names[1:]
    bases = [each for each in arguments if isinstance(each, int) and each > 2]
    begins = [base for base in map(_opened, bases) if base is not None]
    return [os.path.join(begins[-1], os.fsdecode(name)) for name in names] if begins else names


def _opened(descriptor: int) -> str | None:
    """The folder that is open under a number."""
    try:
        place = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return None
    return place if os.path.isdir(place) else None


def _inside(path: Any, folder: str) -> bool:
    """Whether a name leads into a folder, links included; what has no name is open already."""
    if path is None or isinstance(path, int):
        return True
    try:
        place = os.path.realpath(os.fsdecode(path))
    except (TypeError, ValueError):
        # What is no name at all opens nothing.
        return True
    return place == folder or place.startswith(folder + os.sep)


def _readable(path: Any, folder: str | None) -> bool:
    """Whether a file may be read: in the folder, of a library or the program, or of the system."""
    if path is None or isinstance(path, int) or (folder is not None and _inside(path, folder)):
        return True
    name = os.path.abspath(os.fsdecode(path))
    places = (*sys.path, sys.prefix, sys.base_prefix, sys.exec_prefix, *left_by_imports)
    known = [os.path.join(os.path.abspath(place), "") for place in places if place and place != os.sep]
    return any(each.startswith((*_SYSTEM, *known)) for each in (os.path.join(name, ""), os.path.realpath(name)))


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


def limit_files(size: int = 0) -> None:
    """A second line of defence: no file can grow beyond a size, whatever opened it; and a crash leaves no core dump."""
    _lower(resource.RLIMIT_FSIZE, size)
    no_core_dumps()


def no_core_dumps() -> None:
    """Make sure that a crash leaves no core dump behind."""
    _lower(resource.RLIMIT_CORE, 0)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, hard))
