"""Runs in the child: the surroundings of one call, and what the call asks of them.

A call finds itself in an empty folder that is its home as well, with few environment variables. What it looks for and
does not find (files, variables), and what it is refused (processes, connections), is noted: the search can prepare it,
as a person would with pytest's fixtures. So is what it has looked at, which a test then has to set.
"""

from __future__ import annotations

import ast
import inspect
import os
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from types import FrameType
from typing import Any

from everypath.workers import scratch

ATTRIBUTE = "setattr"
DEFINED = "define"
"""An attribute that is not there without it."""
MODULE = "setitem"
"""A module that is not installed."""
VARIABLE = "setenv"
FILE = "write_text"
FOLDER = "mkdir"
LISTED = "listed"
"""A folder in which nothing was found."""
_SET = {"COLUMNS": "80", "LINES": "24"}
"""What would be asked of the terminal otherwise."""
_ASKING = ("stat", "lstat", "access", "readlink")
_MOST_FILES = 40
_MOST_LISTED = 4
_LARGEST = 4_000
_LONGEST_SLEEP = 0.05
_PATHS = {os.path.abspath.__code__.co_filename, os.path.exists.__code__.co_filename}
"""Where the functions of `os.path` are written."""
_lstat = os.lstat

_REPLACEABLE = frozenset({"open", "input", "print"})
"""What is built in and can be replaced without harm to whoever runs the test."""
ARGUMENTS = ["program"]
"""What a call finds on the command line."""

Ask = tuple[str, str]
"""How something is prepared, and what."""


class World:
    """A folder and an environment for one call after the other."""

    def __init__(self, fence: Any, folder: str) -> None:
        self._fence = fence
        self.folder = folder
        self.asks: dict[Ask, None] = {}
        """what the call looked for in vain, or was refused"""
        self.needs: dict[str, Any] = {}
        """which of the surroundings the call has looked at"""
        self._undo: list[Callable[[], None]] = []
        self._folders_listed: list[str] = []
        self._file = ""

    def of(self, file: str) -> World:
        """The same world, for calls of functions in this file."""
        self._file = file
        return self

    def enter(self) -> None:
        """Set everything up for a call."""
        global current
        current = self
        self.asks, self.needs = {}, {}
        self._folders_listed.clear()
        before = os.getcwd()
        self._undo = [lambda: os.chdir(before)]
        os.chdir(self.folder)
        data = os.environ._data  # type: ignore[attr-defined]
        mine = {**data, **{os.fsencode(k): os.fsencode(v) for k, v in {**_SET, "HOME": self.folder}.items()}}
        self._replace(os.environ, "_data", _Variables(mine, self))
        for name in _ASKING:
            self._replace(os, name, self._asking(getattr(os, name)))
        for name in ("getcwd", "getcwdb"):
            self._replace(os, name, self._noting(getattr(os, name)))
        self._replace(sys, "argv", _Arguments(ARGUMENTS, self))
        if "tempfile" in sys.modules:
            self._replace(sys.modules["tempfile"], "tempdir", self.folder)
        else:
            os.environ["TMPDIR"] = self.folder
        self._fence.folder, self._fence.confined = self.folder, True
        self._fence.noticed, self._fence.on_refusal = self._noticed, self._refused

    def leave(self) -> None:
        """Put everything back."""
        self._fence.noticed = self._fence.on_refusal = None
        for place in dict.fromkeys(self._folders_listed[:_MOST_LISTED]):
            if _is_empty(place):
                self.asks[LISTED, os.path.relpath(place, self.folder)] = None
        while self._undo:
            self._undo.pop()()

    def tidy(self) -> None:
        """Empty the folder for the next call; one that the call before has removed or replaced is made again."""
        if os.path.islink(self.folder) or not os.path.isdir(self.folder):
            with suppress(FileNotFoundError):
                os.unlink(self.folder)
            os.makedirs(self.folder, 0o700)
        os.chmod(self.folder, 0o700)
        scratch.empty(self.folder)

    # Preparing

    def prepare(self, how: str, place: str, value: Any) -> None:
        """Have something there before the call."""
        with self._unnoticed():
            self._prepare(how, place, value)

    def _prepare(self, how: str, place: str, value: Any) -> None:
        if how == VARIABLE:
            os.environ[place] = str(value)
        elif how == ATTRIBUTE:
            holder, name = holder_of(place)
            self._replace(holder, name, value)
        elif how == MODULE:
            before = sys.modules.get(place)
            sys.modules[place] = value
            self._undo.append(partial(_put_back, place, before))
        elif how == DEFINED:
            holder, name = holder_of(place)
            setattr(holder, name, value)
            self._undo.append(lambda: delattr(holder, name))
        elif how == FOLDER:
            os.makedirs(self.path(place))
        else:
            os.makedirs(os.path.dirname(self.path(place)), exist_ok=True)
            with open(self.path(place), "w", encoding="utf-8", newline="") as file:
                file.write(value)

    def path(self, name: str) -> str:
        """Where a file of the folder is."""
        return os.path.join(self.folder, name) if name else self.folder

    @contextmanager
    def _unnoticed(self) -> Iterator[None]:
        """What is done here is not the call's doing."""
        armed = self._fence.armed
        self._fence.disarm()
        try:
            yield
        finally:
            if armed:
                self._fence.arm()

    def files(self) -> dict[str, Any]:
        """What is in the folder: texts, bytes, True for a folder."""
        with self._unnoticed():
            return self._files()

    def _files(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for base, folders, files in os.walk(self.folder):
            for name in sorted(folders):
                found[os.path.relpath(os.path.join(base, name), self.folder)] = ["folder"]
            for name in sorted(files):
                place = os.path.join(base, name)
                found[os.path.relpath(place, self.folder)] = _content(place)
            if len(found) > _MOST_FILES:
                break
        return dict(sorted(found.items()))

    def _replace(self, holder: Any, name: str, value: Any) -> None:
        original = getattr(holder, name)
        own = name in vars(holder) if isinstance(holder, type) else True
        setattr(holder, name, value)
        self._undo.append(lambda: setattr(holder, name, original) if own else delattr(holder, name))

    # Noting

    def read(self, name: str, found: bool) -> None:
        """The call has read a variable."""
        if not self._fence.armed:
            return
        caller = _caller(sys._getframe(2))
        by_program = self._fence.owns(caller) or caller == self._file
        if found and caller and (name in _SET or name == "HOME"):
            self.needs.setdefault("variables", {})[name] = _SET.get(name, "")
        elif not found and by_program:
            self.needs.setdefault("variables", {})[name] = None
            self.asks[VARIABLE, name] = None

    def reads_arguments(self) -> None:
        """The call has looked at the command line."""
        if self._fence.armed:
            self.needs["arguments"] = True
            self.asks[ATTRIBUTE, "sys.argv"] = None

    def _asking(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def asking(path: Any, *arguments: Any, **named: Any) -> Any:
            if self._is_theirs(sys._getframe(1)):
                self._looks_at(path)
            return original(path, *arguments, **named)

        return asking

    def _noting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def noting() -> Any:
            if self._is_theirs(sys._getframe(1)):
                self.needs["folder"] = True
            return original()

        return noting

    def _is_theirs(self, frame: FrameType | None) -> bool:
        """Whether the call asks, and not what watches it."""
        while frame is not None and frame.f_code.co_filename in _PATHS:
            frame = frame.f_back
        return self._fence.armed and frame is not None and not self._fence.watches(frame.f_code.co_filename)

    def _looks_at(self, path: Any) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        try:
            name = os.fsdecode(path)
        except (TypeError, ValueError):
            return
        if not name or name.startswith("<") or not name.isprintable():
            return
        if not os.path.isabs(name):
            self.needs["folder"] = True
        whole = os.path.normpath(os.path.join(self.folder, name))
        if whole.startswith(self.folder + os.sep) and not _exists(whole):
            self.asks[FILE, whole[len(self.folder) + 1 :]] = None

    def _lists(self, path: Any) -> None:
        self._looks_at(path)
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        place = os.path.normpath(os.path.join(self.folder, os.fsdecode(path)))
        if place == self.folder or place.startswith(self.folder + os.sep):
            self._folders_listed.append(place)

    def _noticed(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("os.listdir", "os.scandir"):
            self._lists("." if arguments[0] is None else arguments[0])
        elif event in ("open", "os.mkdir", "os.remove", "os.rmdir", "os.rename"):
            self._looks_at(arguments[0])
        elif event == "os.chdir":
            self.needs["folder"] = True
        elif event in ("tempfile.mkstemp", "tempfile.mkdtemp"):
            self.needs["temporary"] = True
        elif event == "time.sleep" and arguments[0] > _LONGEST_SLEEP:
            self._fence.refuse("wait")
        elif event == "builtins.input":
            self._fence.refuse("read what is typed")

    def _refused(self, frame: FrameType | None) -> None:
        """Find the name under which the module has called what was refused."""
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                place = called_at(frame)
                if place is not None:
                    self.asks[ATTRIBUTE, place] = None
                return
            frame = frame.f_back


class _Variables(dict[bytes, bytes]):
    """The environment, which notes what is read."""

    def __init__(self, given: dict[bytes, bytes], world: World) -> None:
        super().__init__(given)
        self._world = world

    def __getitem__(self, key: bytes) -> bytes:
        self._world.read(os.fsdecode(key), key in self)
        return super().__getitem__(key)


class _Arguments(list[str]):
    """The command line, which notes that it is read."""

    def __init__(self, given: list[str], world: World) -> None:
        super().__init__(given)
        self._world = world

    def __getitem__(self, at: Any) -> Any:
        self._world.reads_arguments()
        return super().__getitem__(at)

    def __iter__(self) -> Iterator[str]:
        self._world.reads_arguments()
        return super().__iter__()

    def __len__(self) -> int:
        self._world.reads_arguments()
        return super().__len__()


current: World | None = None
"""The one in which the call runs."""


def surrounding() -> World:
    """The world in which the call runs."""
    assert current is not None
    return current


def _caller(frame: FrameType | None) -> str:
    """The file of the code that asked for a variable, through the library's mapping; none where it asks for all."""
    library = (os.__file__, "<frozen os>", "<frozen _collections_abc>", "<frozen posixpath>")
    while frame is not None and (frame.f_code.co_filename in library or "_collections_abc" in frame.f_code.co_filename):
        if frame.f_code.co_name == "__iter__":
            return ""
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename


def _put_back(name: str, module: Any) -> None:
    if module is None:
        sys.modules.pop(name, None)
    else:
        sys.modules[name] = module


def holder_of(place: str) -> tuple[Any, str]:
    """What holds the attribute with a dotted name, and its name there."""
    first, *parts, name = place.split(".")
    __import__(first)
    holder: Any = sys.modules[first]
    for part in parts:
        first = f"{first}.{part}"
        if not hasattr(holder, part):
            __import__(first)
        holder = getattr(holder, part)
    return holder, name


def called_at(frame: FrameType) -> str | None:
    """The dotted name of the attribute that is called where a frame stands, if a test can replace it."""
    positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    node = asking_nodes(frame.f_globals["__name__"]).get(positions)
    return _place(_asked(node), frame) if node is not None else None


@lru_cache(maxsize=1)
def asking_nodes(module: str) -> dict[tuple[int | None, ...], ast.AST]:
    """The expressions and loops of a module by where they stand; a search asks again and again."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, SyntaxError, TypeError, KeyError):
        return {}
    found: dict[tuple[int | None, ...], ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.For)):
            found.setdefault((node.lineno, node.end_lineno, node.col_offset, node.end_col_offset), node)
    return found


def _asked(node: Any) -> Any:
    """What an expression or loop calls, reads or goes through."""
    while not isinstance(node, (ast.Name, ast.Attribute)):
        match node:
            case ast.Call(func=inner) | ast.For(iter=inner):
                return inner
            case ast.ListComp(generators=[first, *_]) | ast.SetComp(generators=[first, *_]):
                return first.iter
            case ast.DictComp(generators=[first, *_]) | ast.GeneratorExp(generators=[first, *_]):
                return first.iter
        return None
    return node


def _place(node: Any, frame: FrameType) -> str | None:
    """Where a test replaces what an expression names: the first thing in it that a module holds."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, ast.Call) and names:
        # What a call has given is asked: the call itself is replaced.
        return _place(node.func, frame)
    if not isinstance(node, ast.Name) or node.id in frame.f_code.co_varnames:
        return None
    here, names = frame.f_globals["__name__"], [node.id, *reversed(names)]
    found = frame.f_globals.get(node.id, sys)
    if found is sys and node.id not in frame.f_globals:
        return f"builtins.{node.id}" if node.id in _REPLACEABLE and len(names) == 1 else None
    if not isinstance(found, types.ModuleType):
        return f"{here}.{node.id}"
    for name in names[1:]:
        holder, found = found, getattr(found, name, None)
        if not isinstance(found, types.ModuleType):
            return f"{holder.__name__}.{name}"
    return None


def _is_empty(place: str) -> bool:
    try:
        return not os.listdir(place)
    except OSError:
        return False


def _exists(place: str) -> bool:
    try:
        _lstat(place)
    except (OSError, ValueError):
        return False
    return True


def _content(place: str) -> list[Any]:
    try:
        with open(place, "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError:
        return ["anything"]
    if len(data) > _LARGEST:
        return ["anything"]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ["bytes", repr(data)]
    return ["text", text] if "\r" not in text else ["bytes", repr(data)]
