"""Runs in the child: what a case sees of the world around it, and what is seen of the case."""

from __future__ import annotations

import io
import os
import sys
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType
    from typing import Any, NoReturn

    from everypath.workers import fence as fence_module

_SPECIAL = ".^$*+?{}[]|()"
_OWN_PATH = list(sys.path)
_LONGEST_VALUE = 200
_LOADED_EARLY = frozenset(
    "collections contextlib copyreg enum functools itertools json keyword operator re reprlib signal".split()
)
_TO_END = 0.05
"""Seconds in which a thread that has nothing to do any more ends."""


def library(name: str) -> Any:
    """A module of the standard library, loaded when it is needed because it would slow down every start."""
    # The program may have a module of the same name, which must not be found instead.
    path, sys.path = sys.path, _OWN_PATH
    try:
        __import__(name)
        return sys.modules[name]
    finally:
        sys.path = path


def load_what_pytest_has(path: list[str]) -> None:
    """A program's module that is named like one of these is never found, neither here nor by its tests."""
    for folder in path:
        try:
            names = {entry.partition(".")[0] for entry in os.listdir(folder)}
        except OSError:
            continue
        for name in names & _LOADED_EARLY:
            library(name)


def preload(cases: list[dict[str, str]]) -> None:
    """Load once what every fork would load for itself: mocks alone take longer than most cases."""
    lines = {line for case in cases for line in case["source"].splitlines() if line.startswith(("import ", "from "))}
    for name in sorted({line.split()[1] for line in lines}):
        if name.partition(".")[0] in sys.stdlib_module_names:
            try:
                library(name)
            except ImportError:
                # The case that needs it will tell.
                continue


def describers(home: str, find_package: Callable[[str], None]) -> tuple[Any, Any]:
    """What describes the outcome of a run that nobody has predicted; `home` is where this package is found."""
    path = list(sys.path)
    find_package(home)
    from everypath.languages.python.probing import describing, world

    # The program must not find what is in that folder.
    sys.path[:] = path
    return describing, world


class Output(io.TextIOBase):
    """Keeps the first so many characters that code under test prints."""

    encoding = "utf-8"

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._left = limit

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._left > 0:
            kept = text[: self._left]
            self._parts.append(kept)
            self._left -= len(kept)
        return len(text)

    def fileno(self) -> int:
        # As under pytest, there is a descriptor, which is no terminal.
        return _nowhere()

    @property
    def buffer(self) -> Any:
        return _Bytes(self)

    def text(self) -> str:
        return "".join(self._parts)


def _nowhere() -> int:
    if not _NOWHERE:
        _NOWHERE.append(os.open(os.devnull, os.O_WRONLY))
    return _NOWHERE[0]


_NOWHERE: list[int] = []


class _Bytes:
    """The output as a stream of bytes."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.flush = output.flush

    def write(self, data: Any) -> int:
        return self._output.write(bytes(data).decode("utf-8", "replace"))


class Unasked(io.TextIOBase):
    """A standard input at which nobody types, as tests have it; whoever wants to read there is refused.

    What a test would read depends on how it is started, so that one which reads has to bring its own input.
    """

    encoding = "utf-8"

    def __init__(self, fence: Any) -> None:
        self._fence = fence

    def isatty(self) -> bool:
        return False

    @property
    def buffer(self) -> Any:
        return self

    def fileno(self) -> int:
        if self._fence.gently:
            raise io.UnsupportedOperation("fileno")
        self._refuse()

    def read(self, *_: Any) -> Any:
        self._refuse()

    readline = readlines = readable = __iter__ = __next__ = read1 = readinto = read

    def _refuse(self) -> NoReturn:
        self._fence.refuse("read what is typed")
        raise AssertionError


_KEPT: list[BaseException | None] = []


class _Caught:
    type: type[BaseException] | None = None
    value: BaseException | None = None


class _Raises:
    """Stands in for `pytest.raises`."""

    def __init__(self, expected: type[BaseException], match: str | None = None) -> None:
        self._expected = expected
        self._match = match
        self._caught = _Caught()

    def __enter__(self) -> _Caught:
        return self._caught

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if kind is None:
            raise AssertionError(f"did not raise {self._expected.__name__}")
        if not issubclass(kind, self._expected):
            return False
        self._caught.type, self._caught.value = kind, error
        # What the exception holds must not be destroyed while the case is watched.
        _KEPT.append(error)
        if self._match is not None and not _found(self._match, str(error)):
            raise AssertionError(f"the message is {str(error)!r}, not like {self._match!r}")
        return True


def _found(pattern: str, text: str) -> bool:
    """`re.search`, without compiling patterns that are plain text, as most are: every case would do it for itself."""
    plain = ""
    characters = iter(pattern)
    for character in characters:
        escaped = character == "\\"
        character = next(characters, "n") if escaped else character
        if character.isalnum() if escaped else character in _SPECIAL:
            return library("re").search(pattern, text) is not None
        plain += character
    return plain in text


class Pytest:
    """Stands in for the module, so that the child does not depend on it."""

    raises = _Raises


class MonkeyPatch:
    """Stands in for the fixture that replaces attributes for the time of one test."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []
        self._entries: list[tuple[Any, Any, Any]] = []
        self._environment: dict[str, str | None] = {}
        self._folder = ""

    def setattr(self, target: str, value: Any, raising: bool = True) -> None:
        first, *parts, name = target.split(".")
        __import__(first)
        holder: Any = sys.modules[first]
        for part in parts:
            first = f"{first}.{part}"
            if not hasattr(holder, part):
                __import__(first)
            holder = getattr(holder, part)
        # Found in a class above, it is not the holder's own, and is taken away again.
        missing = isinstance(holder, type) or not raising
        own = vars(holder).get(name, self) if missing else getattr(holder, name)
        self._saved.append((holder, name, own))
        setattr(holder, name, value)

    def setitem(self, mapping: Any, name: Any, value: Any) -> None:
        self._entries.append((mapping, name, mapping.get(name, self)))
        mapping[name] = value

    def delitem(self, mapping: Any, name: Any, raising: bool = True) -> None:
        self._entries.append((mapping, name, mapping.get(name, self)))
        mapping.pop(name, None)

    def chdir(self, folder: Any) -> None:
        self._folder = self._folder or os.getcwd()
        os.chdir(folder)

    def setenv(self, name: str, value: str) -> None:
        self._environment.setdefault(name, os.environ.get(name))
        os.environ[name] = str(value)

    def delenv(self, name: str, raising: bool = True) -> None:
        self._environment.setdefault(name, os.environ.get(name))
        os.environ.pop(name, None)

    def undo(self) -> None:
        """Put back what was replaced, the last first."""
        while self._saved:
            holder, name, value = self._saved.pop()
            if value is self:
                delattr(holder, name)
            else:
                setattr(holder, name, value)
        while self._entries:
            mapping, name, value = self._entries.pop()
            if value is self:
                mapping.pop(name, None)
            else:
                mapping[name] = value
        if self._folder:
            os.chdir(self._folder)
            self._folder = ""
        for name, value in self._environment.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        self._environment.clear()


def assertion_text(error: BaseException, source: str, script: str, limited: Any) -> str:
    """The assertion as written, and what its left side really is; empty where that cannot be told."""
    ast = library("ast")
    # A program may have a module of that name itself.
    if not hasattr(ast, "unparse"):
        return ""
    trace = error.__traceback__
    frame = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == script:
            frame, line = trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next
    if frame is None or str(error):
        return described(error)
    statement = next((n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Assert) and n.lineno == line), None)
    if statement is None:
        return described(error)
    text: str = ast.unparse(statement)
    if isinstance(statement.test, ast.Compare):
        left = ast.unparse(statement.test.left)
        try:
            limited(True)
            try:
                shown = repr(eval(left, frame.f_globals, frame.f_locals))
            finally:
                limited(False)
            text += f", but {left} is {shown[:_LONGEST_VALUE]}"
        except BaseException:
            pass
    return text


def described(error: BaseException) -> str:
    """An exception as the last lines of its traceback tell it."""
    try:
        lines: list[str] = library("traceback").format_exception_only(error)
        return "".join(lines).strip()
    except BaseException:
        return type(error).__name__


def missing(error: BaseException) -> dict[str, str]:
    """The module that an import has not found, and the package that is there but lacks it, if so."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    if not name:
        return {}
    package = name.rpartition(".")[0]
    return {"missing": name, "package": package if package in sys.modules else ""}


class Tracer:
    """Records the lines and arcs of one file while the case acts."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._known = {file: True, __file__: False}
        self.lines: set[int] = set()
        self.arcs: set[tuple[int, int]] = set()
        self._destroying = False

    def trace(self, frame: FrameType, event: str, _argument: Any) -> Any:
        code = frame.f_code
        ours = self._known.get(code.co_filename)
        if ours is None:
            ours = self._known[code.co_filename] = os.path.realpath(code.co_filename) == self._file
        if not ours or self._destroying:
            return None
        if code.co_name == "__del__":
            self._destroying = True
            return self._destructor
        previous = -code.co_firstlineno
        raised = False

        def local(frame: FrameType, event: str, _argument: Any) -> Any:
            nonlocal previous, raised
            if event == "line" and frame.f_lineno is not None:
                # An exception in a `finally` part or handler passes code that tidies up, under its last line.
                if raised and code.co_code[frame.f_lasti] == library("opcode").opmap["COPY"]:
                    return local
                raised = False
                self.lines.add(frame.f_lineno)
                self.arcs.add((previous, frame.f_lineno))
                previous = frame.f_lineno
            elif event == "exception":
                raised = True
            elif event == "return":
                self.arcs.add((previous, -1))
            return local

        return local

    def told(self) -> dict[str, Any]:
        """What was executed, in order."""
        return {"lines": sorted(self.lines), "arcs": sorted(self.arcs)}

    def _destructor(self, frame: FrameType, event: str, _argument: Any) -> Any:
        """When objects are destroyed is no part of a path, nor is what is run for it."""
        if event == "return":
            self._destroying = False
        return self._destructor


def tracer(case: dict[str, str], file: str, owns: Callable[[str], bool], find_package: Callable[[str], None]) -> Any:
    """What follows a case through a file; one that is to be recorded is followed with its variables."""
    plain = Tracer(file)
    if "record" not in case:
        return plain
    path = list(sys.path)
    find_package(case["record"])
    from everypath.languages.python.runtime.recording import Recorder

    # The program must not find what is in that folder.
    sys.path[:] = path
    return Recorder(plain, owns)


def be_elsewhere(place: str) -> None:
    """Have one more place where modules are looked for, and another main program: no test may depend on either."""
    if place:
        sys.path.append(place)
        sys.modules["__main__"].__package__ = "elsewhere"


def comes_from(error: BaseException | None, causes: list[BaseException]) -> bool:
    """Whether an exception is one of the causes, or was raised while one of them was handled."""
    while error is not None:
        if any(error is each for each in causes):
            return True
        error = error.__cause__ or error.__context__
    return False


def note_threads(fence: fence_module.Fence) -> None:
    """Refuse to have left a thread behind that a process would wait for when it ends.

    The clock is the one from before the case, which may have put another one in its place.
    """
    threading = sys.modules.get("threading")
    if threading is None or not fence.armed or fence.refusal is not None:
        return
    end = monotonic() + _TO_END
    while any(each is not threading.main_thread() and not each.daemon for each in threading.enumerate()):
        if monotonic() > end:
            fence.refusal = ("leave a thread running", "", 0)
            return
        sleep(_TO_END / 20)
