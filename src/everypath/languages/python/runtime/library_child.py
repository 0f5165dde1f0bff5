"""Runs in a child: functions of the library on known values, each call in a fork behind the fence.

    interpreter: imports the modules that are asked for  --fork-->  the calls that the path has made, and one more

A result counts only if it depends on the arguments alone. So the fork notices whatever else a function asks for: files,
variables of the environment, the network, waiting. What nothing can notice (the clock, the time zone, the order of
sets, chance) is different in two such processes, and whoever asks compares what both say.

A result that is no plain value stays here and gets a number, by which the next calls of the path name it. They find it
as it was, because each fork makes the calls before them again.
"""

from __future__ import annotations

import _signal
import base64
import importlib
import io
import os
import pickle
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from everypath.records import dataclass
from everypath.workers import child_side as channel
from everypath.workers import fence as fence_module

OTHER_WORLD = "EVERYPATH_OTHER_WORLD"
"""A variable that is set for the process that lives at another time and in another place."""
_LATER = 34_300_000.0
"""Seconds by which its clock is ahead: another year, month, day of the week and hour."""
_PATIENCE = 3.0
_GRACE = 0.5
_MOST = 100_000
_NO_TIME: Any = ()
_ATOMS = (type(None), bool, int, float, str, bytes)
_PLAIN_ITERATORS = ("builtins", "itertools")
_CODE = (".py", ".pyc", ".so", ".zip")
_ASKING = (
    "stat lstat access getcwd getcwdb getpid getppid getuid getlogin uname cpu_count sched_getaffinity umask times "
    "get_terminal_size urandom"
).split()
"""Functions of `os` that the interpreter does not report."""
_NOT_FOR_ONE_CALL = {
    "time.sleep": "waits",
    "sys.settrace": "changes the interpreter",
    "sys.setprofile": "changes the interpreter",
    "sys.addaudithook": "changes the interpreter",
    "os.putenv": "changes the environment",
    "os.unsetenv": "changes the environment",
    "builtins.input": "reads what somebody types",
}
"""Audit events that a call has no business to cause, beside those that the fence refuses anyway."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """Stands for an object that stays in the child: which one, and its class by a name that imports it."""

    number: int
    cls: str


@dataclass(frozen=True, slots=True)
class Operation:
    """A call of a function by its dotted name, or of a method by its name with a dot in front."""

    name: str
    arguments: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...] = ()


class Unfit(BaseException):
    """The result of a call cannot be relied on, or cannot be told; the message says why."""


def main() -> None:
    """Answer one program after the other (there is only one: the library) until the parent is gone."""
    channel.settle_in()
    end_with_parent = channel.parent_death_watch()
    end_with_parent(os.getppid())
    fence_module.no_core_dumps()
    work, answers, _ = channel.keep_private(0, 1, 2)
    sys.stdin = io.StringIO()
    if os.environ.pop(OTHER_WORLD, ""):
        _live_later()
    fence = fence_module.Fence((), _PATIENCE)
    fence.confined = True
    fence.install()
    while channel.read_frame(work) is not None:
        channel.write_all(answers, channel.line({"ready": True}))
        while frame := channel.read_frame(work):
            answer = _in_a_fork(frame, fence, end_with_parent, (work, answers))
            channel.write_all(answers, channel.line({"answer": answer}))
    os._exit(0)


def _live_later() -> None:
    """Move the clock, also for dates, whose fast version asks the system by itself."""
    sys.modules["_datetime"] = None  # type: ignore[assignment]
    for name in ("time", "monotonic", "perf_counter"):
        setattr(time, name, _shifted(getattr(time, name)))
    time.time_ns = lambda: int(time.time() * 1e9)
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, _of_now(getattr(time, name)))
    strftime, asctime = time.strftime, time.asctime
    time.strftime = lambda form, parts=_NO_TIME: strftime(form, parts or time.localtime())
    time.asctime = lambda parts=_NO_TIME: asctime(parts or time.localtime())


def _shifted(clock: Callable[[], float]) -> Callable[[], float]:
    return lambda: clock() + _LATER


def _of_now(conversion: Callable[[float], Any]) -> Callable[..., Any]:
    return lambda seconds=None: conversion(time.time() if seconds is None else seconds)


def _in_a_fork(
    frame: bytes, fence: fence_module.Fence, end_with_parent: Callable[[int], None], private: tuple[int, ...]
) -> str:
    """What a call gives, pickled; why it gives nothing that counts, where that is so."""
    request = pickle.loads(frame)
    try:
        # Here, where the next calls find it, too.
        found(request["operations"][-1].name)
    except Exception as error:
        return _told(("unfit", f"is not there ({type(error).__name__}: {error})"))
    size = fence_module.address_space()
    reading, writing = os.pipe()
    own, child = os.getpid(), os.fork()
    if child == 0:
        try:
            end_with_parent(own)
            os.setpgid(0, 0)
            for descriptor in (reading, *private):
                os.close(descriptor)
            fence_module.limit_memory(request["memory"], size)
            fence_module.limit_cpu(2 * request["seconds"])
            fence_module.limit_files(0)
            told = _Session(fence, request).run()
            channel.write_all(writing, told.encode() + b"\n")
        finally:
            os._exit(0)
    os.close(writing)
    data, _ = channel.read_line(reading, time.monotonic() + _PATIENCE * request["seconds"] + _GRACE)
    os.close(reading)
    channel.quietly(os.killpg, child, _signal.SIGKILL)
    channel.quietly(os.kill, child, _signal.SIGKILL)
    os.waitpid(child, 0)
    return data.decode().strip() if data.endswith(b"\n") else _told(("unfit", "takes too long, or too much memory"))


def found(name: str) -> Any:
    """The function or class behind a dotted name."""
    if name.startswith("."):
        return _method(name[1:])
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            value = getattr(value, part)
        return value
    value = sys.modules["builtins"]
    for part in parts:
        value = getattr(value, part)
    return value


def _told(answer: tuple[Any, ...]) -> str:
    return base64.b64encode(pickle.dumps(answer, 4)).decode()


def _method(name: str) -> Callable[..., Any]:
    """What calls a method of its first argument."""

    def call(receiver: Any, *arguments: Any, **keywords: Any) -> Any:
        return getattr(receiver, name)(*arguments, **keywords)

    return call


def attribute(receiver: Any, name: str) -> Any:
    """An attribute; a method of the object is told as such."""
    value = getattr(receiver, name)
    bound = callable(value) and getattr(value, "__self__", None) is receiver
    return _METHOD if bound else value


def iterated(receiver: Any) -> list[Any]:
    """What iterating over an object gives, if that ends."""
    items = [item for item, _ in zip(receiver, range(_MOST + 1))]
    if len(items) > _MOST:
        raise Unfit("gives too many values")
    return items


class _Method:
    """The type of what stands for a method of an object."""


_METHOD = _Method()


class _Session:
    """The calls of a path, in a process of its own."""

    def __init__(self, fence: fence_module.Fence, request: Mapping[str, Any]) -> None:
        self._fence = fence
        self._operations: Sequence[Operation] = request["operations"]
        self._known: frozenset[str] = request["known"]
        self._quiet: bool = request["quiet"]
        self._seconds: float = request["seconds"]
        self._objects: list[Any] = []
        """those that stay here, by their numbers"""
        self._asked = ""
        """what else a call has asked for, first of all"""

    def run(self) -> str:
        """What the last call gives, pickled."""
        sys.stdout = sys.stderr = io.StringIO()
        self._notice()
        answer: tuple[Any, ...] = ("unfit", "has no calls")
        for operation in self._operations:
            try:
                answer = self._made(operation)
            except Unfit as problem:
                answer = ("unfit", str(problem))
            finally:
                self._fence.disarm()
                self._fence.limit_time(0)
        return _told(("unfit", self._asked) if self._asked else answer)

    def _made(self, operation: Operation) -> tuple[Any, ...]:
        function = found(operation.name)
        arguments = tuple(map(self._meant, operation.arguments))
        keywords = {name: self._meant(value) for name, value in operation.keywords}
        given = (*arguments, *keywords.values())
        plain = [value for value in given if all(value is not kept for kept in self._objects)]
        before = [_image(value) for value in plain]
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        state = _fingerprint(module)
        answer = self._called(function, arguments, keywords)
        if [_image(value) for value in plain] != before:
            raise Unfit("changes what it is given")
        silent = answer == ("value", None) and len(plain) == len(given) and not self._quiet
        if silent and not (_is_python(function) and state == _fingerprint(module)):
            # It is called for something that cannot be seen here.
            raise Unfit("gives nothing back and may change what its module holds")
        return answer

    def _called(self, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
        try:
            self._fence.limit_time(self._seconds)
            self._fence.arm()
            result = function(*arguments, **keywords)
            # Counted right here: what only this variable holds belongs to nobody else.
            fresh = sys.getrefcount(result) <= _COUNT_OF_OWN
            return self._of_result(result, fresh, (*arguments, *keywords.values()))
        except Unfit:
            raise
        except (fence_module.Refused, fence_module.TimedOut):
            raise Unfit(f"tries to {self._fence.refusal[0]}" if self._fence.refusal else "takes too long") from None
        except (MemoryError, RecursionError):
            raise Unfit("takes too much memory") from None
        except BaseException as error:
            cls = type(error)
            if self._fence.refusal is not None:
                raise Unfit(f"tries to {self._fence.refusal[0]}") from None
            if not all(map(self._tells, error.args)) or getattr(sys.modules[cls.__module__], cls.__name__, None) != cls:
                raise Unfit(f"raises {cls.__module__}.{cls.__qualname__}") from None
            fields = {name: value for name, value in vars(error).items() if type(value) in _ATOMS}
            return "error", cls.__module__, cls.__qualname__, error.args, fields

    def _of_result(self, result: Any, fresh: bool, given: tuple[Any, ...]) -> tuple[Any, ...]:
        if result is _METHOD:
            return ("method",)
        for number, argument in enumerate(given):
            if result is argument and type(result) not in _ATOMS:
                return "argument", number
        mutable = {id(part) for argument in given for part in _parts(argument) if _is_collection(part)}
        if any(id(part) in mutable for part in _parts(result)):
            raise Unfit("gives back parts of what it is given")
        if isinstance(result, Iterator) and type(result).__module__ in _PLAIN_ITERATORS:
            result, fresh = tuple(iterated(result)), True
            return "items", self._shown(result, fresh)
        return "value", self._shown(result, fresh)

    def _meant(self, value: Any) -> Any:
        """An argument: what stays here is named by number."""
        if isinstance(value, Numbered):
            return self._objects[value.number]
        if type(value) in (tuple, list):
            return type(value)(map(self._meant, value))
        return {key: self._meant(each) for key, each in value.items()} if type(value) is dict else value

    def _shown(self, value: Any, fresh: bool) -> Any:
        """A result as it is handed over: a collection that somebody else holds, too, is an object that stays here."""
        if type(value) is tuple:
            return tuple([self._shown(item, fresh and sys.getrefcount(item) <= _COUNT_OF_ITEM) for item in value])
        if fresh and type(value) is list:
            return [self._shown(item, sys.getrefcount(item) <= _COUNT_OF_ITEM) for item in value]
        if fresh and type(value) is dict and all(map(self._tells, value)):
            return {key: self._shown(item, False) for key, item in value.items()}
        if self._tells(value) and (fresh or not _is_collection(value)):
            return value
        cls = type(value)
        if isinstance(value, (type, types.ModuleType, types.FunctionType, types.FrameType)):
            raise Unfit(f"gives a {cls.__module__}.{cls.__qualname__}")
        number = next((at for at, known in enumerate(self._objects) if known is value), len(self._objects))
        self._objects[number:] = self._objects[number:] or [value]
        return Numbered(number, f"{cls.__module__}.{cls.__qualname__}")

    def _tells(self, value: Any) -> bool:
        """Whether a value can be handed over: a plain one, an object that never changes, or a class of the library."""
        cls = type(value)
        if cls in _ATOMS or f"{cls.__module__.partition('._')[0]}.{cls.__qualname__}" in self._known:
            return True
        if cls in (tuple, list, set, frozenset):
            return all(map(self._tells, value))
        if cls is dict:
            return all(map(self._tells, value)) and all(map(self._tells, value.values()))
        if cls is type:
            return getattr(sys.modules.get(value.__module__), value.__qualname__, None) is value
        if isinstance(value, tuple):
            named = hasattr(cls, "_fields") or hasattr(cls, "n_sequence_fields")
            own = getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls
            return named and own and all(type(part) in _ATOMS for part in value)
        return False

    def _notice(self) -> None:
        """Hear what the function asks for beside its arguments."""
        self._fence.noticed = self._hear
        asks = self._ask

        class Noticing(os._Environ):  # type: ignore[type-arg]
            def __getitem__(self, key: str) -> str:
                asks("depends on variables of the environment")
                return str(super().__getitem__(key))

            def __iter__(self) -> Iterator[str]:
                asks("depends on variables of the environment")
                return super().__iter__()

        os.environ.__class__ = Noticing
        for name in _ASKING:
            setattr(os, name, self._noticed(name, getattr(os, name)))

    def _noticed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def noticed(*arguments: Any, **keywords: Any) -> Any:
            self._ask(f"asks the system ({name})")
            return function(*arguments, **keywords)

        return noticed

    def _ask(self, what: str) -> None:
        if self._fence.armed:
            self._asked = self._asked or what

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _NOT_FOR_ONE_CALL:
            self._asked = self._asked or _NOT_FOR_ONE_CALL[event]
        elif event == "open" and not str(arguments[0]).endswith(_CODE):
            self._asked = self._asked or f"reads the file {arguments[0]!r}"


def _image(value: Any) -> Any:
    """What tells whether a plain value was changed."""
    return pickle.dumps(value, 4) if any(map(_is_collection, _parts(value))) else None


def _parts(value: Any, depth: int = 0) -> Iterator[Any]:
    """A value and what it holds."""
    yield value
    if depth < 20:
        if isinstance(value, (tuple, list, set, frozenset)):
            for item in value:
                yield from _parts(item, depth + 1)
        elif isinstance(value, dict):
            for pair in value.items():
                yield from _parts(pair, depth + 1)


def _is_collection(value: Any) -> bool:
    return isinstance(value, (list, dict, set))


def _is_python(function: Any) -> bool:
    return isinstance(function, (types.FunctionType, type))


def _count_of_own() -> int:
    own: list[Any] = []
    return sys.getrefcount(own)


_COUNT_OF_OWN = _count_of_own()
"""How often an object is referred to that one variable holds."""
_COUNT_OF_ITEM = max([sys.getrefcount(item) for item in [list[Any]()]])
"""The same while a loop looks at it in the collection that holds it."""


def _fingerprint(module: types.ModuleType | None) -> dict[str, str]:
    """What a module holds, as far as that is plain data, so that a change of it is seen."""
    held = {} if module is None else vars(module)
    return {
        name: f"{id(value)} {repr(value)[:_MOST] if isinstance(value, (list, dict, set)) else ''}"
        for name, value in held.items()
    }
