"""The crude caller: calls what a module offers with random values of declared or guessed types, for a few seconds.

It follows nothing and knows nothing, and makes no tests; what its calls reach is a floor for tools that do.
`caller.py SOURCE MODULE SECONDS REPORT` writes coverage.py's report; whatever is called may touch only its folder.
"""

from __future__ import annotations

import ast
import collections.abc
import contextlib
import importlib
import inspect
import io
import os
import random
import signal
import sys
import tempfile
import threading
import time
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coverage

CALL_SECONDS = 0.3
DEPTH = 3
NUMBERS = (0, 1, 2, 3, 5, 9, 17, 1999, -1)
FUNCTIONS = (lambda *given, **named: given[0] if given else 1, lambda *_, **__: True, lambda *_, **__: False)
REFUSED = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.kill", "socket.connect")
CHANGING = ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.symlink", "os.link", "os.truncate")


class Caller:
    """Makes values and calls; everything it does follows from the seed."""

    def __init__(self, module: types.ModuleType, source: str, seed: int = 0) -> None:
        self.module = module
        self.random = random.Random(seed)
        constants = [
            node.value for node in ast.walk(ast.parse(Path(source).read_bytes())) if isinstance(node, ast.Constant)
        ]
        texts = dict.fromkeys(value for value in constants if isinstance(value, str))
        self.texts = [*texts, "", "a", "12", "true"]

    def value(self, hint: Any = None, depth: int = 0) -> Any:
        """A value of a type; where there is none, or nobody knows how to make one, a value of any type."""
        origin, parts = typing.get_origin(hint), typing.get_args(hint)
        chance, pick = self.random.random(), self.random.choice
        if origin in (typing.Union, types.UnionType):
            return self.value(pick(parts), depth)
        if origin is typing.Literal:
            return pick(parts)
        if hint in (list, set, tuple, frozenset) or origin in (
            list,
            set,
            frozenset,
            collections.abc.Sequence,
            collections.abc.Iterable,
        ):
            items = [self.value(parts[0] if parts else None, depth + 1) for _ in range(self.random.randint(0, 3))]
            return (origin or hint)(items) if (origin or hint) in (set, tuple, frozenset) else items
        if hint is dict or origin in (dict, collections.abc.Mapping, collections.abc.MutableMapping):
            key, item = parts if len(parts) == 2 else (str, None)
            return {self.value(key, depth + 1): self.value(item, depth + 1) for _ in range(self.random.randint(0, 2))}
        if origin is tuple:
            return tuple(self.value(part, depth + 1) for part in parts if part is not ...)
        if origin is collections.abc.Callable:
            return pick(FUNCTIONS)
        if hint in (str, int, bool, float, bytes, type(None)):
            simple = {
                str: pick(self.texts),
                int: pick(NUMBERS),
                bool: chance < 0.5,
                float: pick(NUMBERS) / 2,
                bytes: b"ab",
            }
            return simple.get(hint)
        if inspect.isclass(hint) and hint not in (object, type) and depth < DEPTH:
            with contextlib.suppress(Exception):
                return self.made(pick([hint, *hint.__subclasses__()]), depth + 1)
        if chance < 0.3:
            return pick(self.texts)
        if chance < 0.5:
            return pick([0, 1, 2, -1, None, True, 1.5])
        if chance < 0.8:
            return self.value(list if chance < 0.65 else dict, depth + 1) if depth < DEPTH else []
        return pick([*FUNCTIONS, int, str, list, dict, (1, 2), b"ab", {1}, object()])

    def arguments(self, function: Any, depth: int = 0) -> tuple[list[Any], dict[str, Any]]:
        """Random arguments for a callable; a parameter with a default is left out half of the time."""
        try:
            parameters = list(inspect.signature(function).parameters.values())
            hints = typing.get_type_hints(function.__init__ if inspect.isclass(function) else function)
        except Exception:
            parameters, hints = list(_parameters(function)), {}
        given: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in parameters:
            hint = hints.get(parameter.name)
            if parameter.kind is parameter.VAR_POSITIONAL:
                given += [self.value(hint, depth) for _ in range(self.random.randint(0, 3))] if not named else []
            elif parameter.kind is parameter.VAR_KEYWORD or self.omitted(parameter):
                continue
            elif parameter.kind is parameter.POSITIONAL_ONLY:
                given.append(self.value(hint, depth))
            else:
                named[parameter.name] = self.value(hint, depth)
        return given, named

    def omitted(self, parameter: inspect.Parameter) -> bool:
        """Whether a default is left to the callee this time."""
        return parameter.default is not parameter.empty and self.random.random() < 0.5

    def made(self, made: Callable[..., Any], depth: int = 0) -> Any:
        """What a callable gives for random arguments."""
        given, named = self.arguments(made, depth)
        return made(*given, **named)

    def offered(self) -> list[tuple[Any, str | None]]:
        """Functions and classes of the module, with the members of each class; private ones where none is public."""
        own = {
            name: item
            for name, item in vars(self.module).items()
            if getattr(item, "__module__", None) == self.module.__name__
        }
        public = {name: item for name, item in own.items() if not name.startswith("_")}
        found: list[tuple[Any, str | None]] = []
        for item in (public or own).values():
            if callable(item):
                found.append((item, None))
            if inspect.isclass(item):
                found += [
                    (item, name)
                    for name, member in vars(item).items()
                    if callable(member) or hasattr(member, "__get__")
                ]
        return found

    def call(self, item: Any, member: str | None) -> None:
        """One call, and one use of what it gives."""
        result = self.made(item)
        if member is not None:
            result = getattr(result, member)
            result = self.made(result) if callable(result) else result
        if inspect.iscoroutine(result):
            result.send(None)
        elif isinstance(result, collections.abc.Iterator):
            for _ in zip(range(5), result):
                pass
        elif hasattr(result, "__enter__"):
            with result:
                if self.random.random() < 0.5:
                    raise ValueError
        elif callable(result):
            self.made(result)


def _parameters(function: Any) -> collections.abc.Iterable[inspect.Parameter]:
    with contextlib.suppress(TypeError, ValueError):
        return inspect.signature(function).parameters.values()
    return ()


def fence(folder: str) -> None:
    """From now on nothing outside of a folder is written, no process started and no connection made."""

    def inside(path: Any) -> bool:
        return isinstance(path, int) or os.path.realpath(os.fsdecode(path)).startswith((folder, "/dev/"))

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(REFUSED):
            raise PermissionError(event)
        if event in CHANGING and not all(
            inside(path) for path in arguments[:2] if isinstance(path, str | bytes | os.PathLike)
        ):
            raise PermissionError(event)
        if (
            event == "open"
            and isinstance(arguments[2], int)
            and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            and not inside(arguments[0])
        ):
            raise PermissionError(event)

    sys.addaudithook(watch)


def main(source: str, name: str, seconds: float, report: str) -> None:
    """Calls until the processor time is used up, or much more has passed; saves the report every second."""
    home = os.path.realpath(os.path.dirname(report))
    os.chdir(tempfile.mkdtemp(dir=home))
    os.environ.update(HOME=os.getcwd(), TMPDIR=os.getcwd())
    if name.endswith(".py"):
        sys.path.insert(0, str(Path(source).parent))
    measured = coverage.Coverage(branch=True, include=[source], data_file=None, config_file=False)
    measured.start()
    caller = Caller(importlib.import_module(Path(name).stem if name.endswith(".py") else name), source)
    offered = caller.offered()
    calling = False

    def interrupt(_: int, frame: types.FrameType | None) -> None:
        # Not while coverage.py holds its lock: it would hold it for ever.
        if calling and frame is not None and "coverage" not in Path(frame.f_code.co_filename).parts:
            raise TimeoutError

    def save() -> None:
        measured.json_report(outfile=f"{report}.new")
        os.replace(f"{report}.new", report)

    save()
    # What was saved last stays, even if a call never returns or leaves locks behind.
    threading.Timer(4 * seconds + 10, os._exit, (0,)).start()
    fence(home)
    signal.signal(signal.SIGALRM, interrupt)
    # Again and again, since code that catches everything catches the first one too.
    signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS, CALL_SECONDS)
    sys.stdout = sys.stderr = io.StringIO()
    now = time.process_time()
    end, saving = now + seconds, now + 1
    while offered and now < end:
        try:
            calling = True
            caller.call(*caller.random.choice(offered))
            calling = False
        except BaseException:
            calling = False
        now = time.process_time()
        if now >= saving or now >= end:
            save()
            saving = now + 1
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4])
