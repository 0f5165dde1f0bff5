"""Runs in the child: what there is to see after a call, as plain data from which the parent makes an expectation.

A value is a list whose first word says what it is. Objects have an identity: those that the inputs reach keep the
names that the parent gave them, new ones get names of their own.
"""

from __future__ import annotations

import enum
import os
import pathlib
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from everypath.languages.python.probing.expressions import place_of
from everypath.languages.python.probing.world import World

_DEEPEST = 5
_MOST_OBJECTS = 60
_LONGEST = 2_000
_ATOMS = (type(None), bool, int, float, str, bytes)
_SEQUENCES: dict[type, str] = {list: "list", set: "set", frozenset: "frozenset", deque: "deque"}
_MAPPINGS: dict[type, str] = {dict: "dict", OrderedDict: "OrderedDict", Counter: "Counter", defaultdict: "defaultdict"}
_WRITTEN = frozenset({"datetime", "decimal", "fractions", "uuid", "pathlib", "ipaddress"})
"""Modules whose objects show themselves as the expression that makes them."""


class Described:
    """What one run showed: inputs before and after the call, its result or its error."""

    def __init__(self, owns: Callable[[str], bool], world: World) -> None:
        self._owns = owns
        self._world = world
        self._files: dict[str, Any] = {}
        self._inputs: dict[str, Any] = {}
        self._kept: list[Any] = []
        self._before: dict[str, Any] = {}
        self._outcome: list[Any] = ["nothing"]
        self._value: Any = None

    def inputs(self, named: dict[str, Any]) -> None:
        """The objects that the call gets, by the names of the case."""
        self._inputs = named
        self._files = self._world.files()
        self._before = self._walk(None)[1]

    def result(self, value: Any) -> None:
        """What the call gave."""
        self._outcome = ["returned"]
        self._value = value

    def error(self, error: BaseException, file: str) -> None:
        """How the call failed."""
        cls = type(error)
        places = [place for base in cls.__mro__ if (place := place_of(base)) is not None]
        module, name = places[0]
        line, own = 0, False
        trace = error.__traceback__
        while trace is not None:
            where = trace.tb_frame.f_code.co_filename
            own = self._owns(where)
            if where == file:
                line = trace.tb_lineno or 0
            trace = trace.tb_next
        try:
            message = str(error)
        except Exception:
            message = ""
        if isinstance(error, RecursionError) or len(message) >= _LONGEST or self._world.folder in message:
            # Which call was one too many depends on who called the test, and its folder has another name each time.
            message = ""
        self._outcome = ["raised", module, name, message, line, own]

    def told(self) -> dict[str, Any]:
        """Everything as plain data."""
        value, after = self._walk(self._value)
        outcome = [*self._outcome, value] if self._outcome[0] == "returned" else self._outcome
        files = self._world.files()
        changed = {
            name: files.get(name) for name in {**self._files, **files} if files.get(name) != self._files.get(name)
        }
        return {
            "before": self._before,
            "after": after,
            "outcome": outcome,
            "files": changed,
            "needs": self._world.needs,
        }

    def _walk(self, value: Any) -> tuple[Any, dict[str, Any]]:
        walk = _Walk(self._inputs, self._owns, self._world.folder)
        self._kept.append(walk)
        for name, each in self._inputs.items():
            walk.heap[name] = walk.state(each, 0)
        return walk.value(value, 0), walk.heap


class _Walk:
    """One look at everything that is reached from the inputs and the result."""

    def __init__(self, named: dict[str, Any], owns: Callable[[str], bool], folder: str) -> None:
        self._owns = owns
        self._folder = folder
        self._ids = {id(value): name for name, value in named.items()}
        self._alive: list[Any] = []
        self.heap: dict[str, Any] = {}

    def value(self, value: Any, depth: int) -> list[Any]:
        """A value: a literal, a name, a reference to an object, or only what class it is of."""
        cls = type(value)
        if cls in _ATOMS:
            return self._atom(value)
        if id(value) in self._ids:
            return ["pointer", self._ids[id(value)]]
        if isinstance(value, enum.Enum):
            return self._member(value)
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            place = place_of(value)
            return ["named", *place] if place else ["callable"]
        if depth > _DEEPEST or len(self.heap) > _MOST_OBJECTS:
            return self._class(cls)
        if cls is tuple or (isinstance(value, tuple) and hasattr(cls, "_fields")):
            return ["tuple", [self.value(item, depth + 1) for item in value]]
        if cls.__module__.partition(".")[0] in _WRITTEN:
            return self._written(value)
        if cls in _SEQUENCES or cls in _MAPPINGS or self._is_own(cls):
            name = f"new{len(self.heap) + 1}"
            self._ids[id(value)] = name
            self._alive.append(value)
            self.heap[name] = None
            self.heap[name] = self.state(value, depth)
            return ["pointer", name]
        if callable(value) and not place_of(cls):
            return ["callable"]
        return self._class(cls)

    def _atom(self, value: Any) -> list[Any]:
        text, cls = repr(value), type(value)
        if self._folder in text:
            return ["written", "", _placed(value, self._folder)] if cls is str else self._class(cls)
        return ["literal", text] if len(text) <= _LONGEST else ["instance", "builtins", cls.__name__]

    def _member(self, value: enum.Enum) -> list[Any]:
        place = place_of(type(value))
        # A combination of flags has no name of its own.
        if place and isinstance(value.name, str) and hasattr(type(value), value.name):
            return ["named", place[0], f"{place[1]}.{value.name}"]
        return ["anything"]

    def _class(self, cls: type) -> list[Any]:
        place = place_of(cls)
        if place is None or "mock" in cls.__module__ or place[1].startswith("_") or place[0].startswith("_"):
            return ["anything"]
        return ["instance", *place]

    def _is_own(self, cls: type) -> bool:
        import sys

        module = sys.modules.get(cls.__module__)
        file = getattr(module, "__file__", None)
        return (
            isinstance(file, str)
            and not cls.__module__.startswith("_everypath")  # streams that the runner puts in the place of others
            and self._owns(file)
            and place_of(cls) is not None
            and not isinstance(cls, types.ModuleType)
        )

    def _written(self, value: Any) -> list[Any]:
        module = type(value).__module__.partition(".")[0]
        text = repr(value)
        if self._folder in text:
            inside = str(value)[len(self._folder) + 1 :]
            own = isinstance(value, pathlib.Path) and f"{self._folder}/{inside}".rstrip("/") == str(value)
            if not own:
                return self._class(type(value))
            return ["written", "", f"tmp_path / {_quoted(inside)}" if inside else "tmp_path"]
        if not text.startswith(f"{module}."):
            text = f"{module}.{text}"
        try:
            made = eval(text, {module: __import__(module)})
            if type(made) is type(value) and made == value:
                return ["written", module, text]
        except Exception:
            pass
        return self._class(type(value))

    def state(self, value: Any, depth: int) -> list[Any]:
        """What an object holds."""
        cls = type(value)
        if cls in _SEQUENCES:
            items = list(value)
            if cls is set or cls is frozenset:
                items.sort(key=repr)
            return ["sequence", _SEQUENCES[cls], [self.value(item, depth + 1) for item in items[:200]]]
        if cls in _MAPPINGS:
            factory = getattr(getattr(value, "default_factory", None), "__name__", "")
            pairs = [[self.value(k, depth + 1), self.value(v, depth + 1)] for k, v in list(value.items())[:200]]
            return ["mapping", _MAPPINGS[cls], pairs, factory]
        place = place_of(cls)
        if place is None or not self._is_own(cls):
            return ["other", *self._class(cls)]
        return ["object", *place, [[name, self.value(each, depth + 1)] for name, each in fields_of(value)]]


def _placed(text: str, folder: str) -> str:
    """A text with the folder of the test in it, as a test writes it."""
    inside = text.removeprefix(folder)
    if not inside:
        return "str(tmp_path)"
    if inside != text and inside.startswith("/") and os.path.normpath(inside) == inside and folder not in inside:
        return f"str(tmp_path / {_quoted(inside[1:])})"
    around = _quoted(text.replace("{", "{{").replace("}", "}}"))
    return f"f{around}".replace(folder, "{tmp_path}")


def _quoted(text: str) -> str:
    shown = repr(text)
    return f'"{shown[1:-1]}"' if shown[0] == "'" and '"' not in shown else shown


def fields_of(value: Any) -> list[tuple[str, Any]]:
    """The attributes that an object itself holds, without running any code of its class."""
    found: dict[str, Any] = {}
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            descriptor = vars(cls).get(name)
            if isinstance(descriptor, types.MemberDescriptorType):
                try:
                    found.setdefault(name, descriptor.__get__(value, cls))
                except AttributeError:
                    continue
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict):
        found.update({name: each for name, each in own.items() if isinstance(name, str)})
    return list(found.items())
