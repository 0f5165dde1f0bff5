"""Runs in the child: writes down what a case does, line by line, with its variables and the objects that they reach.

A debugger's view of one run, to be looked at later: at every line of the program the recorder notes the variables of
the function that is there and the state of every object that the functions under way can reach. Only what has changed
since the step before is kept. Nothing of the program is called for this, not even `repr`: objects are read past their
own methods, so that looking at them cannot change them.

Objects that were met are kept alive, because their names must not go to others. A program that notices this (weak
references, destructors) may run differently; its case then fails, and the recording is of no use.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType
    from typing import Any

MOST_STEPS = 400
MOST_OBJECTS = 60
"""Objects that one step looks at."""
MOST_ITEMS = 40
"""Elements of a collection, or fields of an object, that are shown."""
LONGEST_TEXT = 200
_LARGEST = 2**53
"""Integers up to here mean the same to every reader of JSON."""
_PLAIN = frozenset("module function builtin_function_or_method method".split())
_OPAQUE = frozenset("builtins types unittest.mock _thread re decimal fractions datetime".split())
"""Modules whose objects are not looked into."""


class Recorder:
    """Traces like the tracer that it wraps, and notes every step."""

    def __init__(self, tracer: Any, owns: Callable[[str], bool]) -> None:
        self._tracer = tracer
        self._owns = owns
        self._own_files: dict[str, bool] = {}
        self._names: dict[int, str] = {}
        self._kept: list[object] = []
        """every object that has a name, so that no other one can have its address"""
        self._told: dict[str, Any] = {}
        """name of an object -> its state as it was last written down"""
        self._frames: list[tuple[int, tuple[Any, ...]]] = []
        """the functions under way, each with the values of its variables"""
        self._variables: dict[int, dict[str, Any]] = {}
        """function under way -> its variables as they were last written down"""
        self._count = 0
        self.steps: list[dict[str, Any]] = []
        self.left_out = 0

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        """What `sys.settrace` calls when a function begins."""
        inner = self._tracer.trace(frame, event, argument)
        code = frame.f_code
        if not self._shows(code):
            return inner
        self._count += 1
        number = self._count
        raising: BaseException | None = None

        def local(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal inner, raising
            if event == "line":
                raising = None
                self._note(number, frame)
            elif event == "exception":
                raising = argument[1]
            elif event == "return":
                end = {"returns": self._value(argument)} if raising is None else {"raises": _error(raising)}
                self._note(number, frame, end)
                self._leave(number)
            if inner is not None:
                inner = inner(frame, event, argument)
            return local

        return local

    def told(self) -> dict[str, Any]:
        """What the tracer tells, and the recording."""
        told: dict[str, Any] = self._tracer.told()
        return {**told, "recording": {"steps": self.steps, "left_out": self.left_out}}

    def _shows(self, code: CodeType) -> bool:
        file = code.co_filename
        if file not in self._own_files:
            self._own_files[file] = self._owns(file)
        return self._own_files[file] and code.co_name != "__del__"

    def _leave(self, number: int) -> None:
        self._frames = [each for each in self._frames if each[0] != number]

    def _note(self, number: int, frame: FrameType, end: dict[str, Any] | None = None) -> None:
        """One more step: where it is, the variables that have changed, the objects that have changed."""
        if len(self.steps) >= MOST_STEPS:
            self.left_out += 1
            return
        variables = dict(_variables(frame))
        roots = tuple(variables.values())
        self._leave(number)
        self._frames.append((number, roots))
        shown = {name: self._value(value) for name, value in variables.items()}
        before = self._variables.get(number)
        step: dict[str, Any] = {"at": number, "line": frame.f_lineno}
        if before is None:
            step["file"], step["function"] = frame.f_code.co_filename, _qualified(frame)
            step["above"] = [each for each, _ in self._frames[:-1]]
        changed = {name: value for name, value in shown.items() if before is None or before.get(name, self) != value}
        gone = [name for name in before or () if name not in shown]
        self._variables[number] = shown
        step.update({"set": changed} if changed else {})
        step.update({"unset": gone} if gone else {})
        heap = self._changed()
        step.update({"heap": heap} if heap else {})
        step.update(end or {})
        self.steps.append(step)

    def _changed(self) -> dict[str, Any]:
        """The objects within reach whose state is not what was last written down."""
        agenda = [value for _, values in self._frames for value in reversed(values)]
        seen: set[int] = set()
        changed: dict[str, Any] = {}
        while agenda and len(seen) < MOST_OBJECTS:
            value = agenda.pop()
            if _has_state(value):
                if id(value) in seen:
                    continue
                seen.add(id(value))
                name, state = self._name(value), self._state(value)
                if self._told.get(name) != state:
                    self._told[name] = changed[name] = state
            agenda += reversed(list(_parts(value)))
        return changed

    def _name(self, value: object) -> str:
        name = self._names.get(id(value))
        if name is None:
            self._kept.append(value)
            name = self._names[id(value)] = f"o{len(self._kept)}"
        return name

    def _value(self, value: Any, depth: int = 0) -> Any:
        """A value in the form that cases have in JSON."""
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if -_LARGEST < value < _LARGEST else {"$int": _digits(value)}
        if kind is float:
            return {"$float": float.__repr__(value)}
        if kind is str:
            return _cut(value)
        if kind in (bytes, bytearray, complex):
            return {"$written": _cut(repr(value))}
        if kind is tuple:
            if depth > 4:
                return {"$opaque": "tuple"}
            return {"$tuple": [self._value(item, depth + 1) for item in value[:MOST_ITEMS]]}
        if _is(value, type) or (kind.__name__ in _PLAIN and kind.__module__ == "builtins"):
            return {"$name": _called(value) or kind.__name__}
        member = _member(value)
        if member:
            return {"$name": member}
        if _has_state(value):
            return {"$ref": self._name(value)}
        return {"$opaque": kind.__qualname__}

    def _state(self, value: Any) -> dict[str, Any]:
        """What an object holds, in the form that heaps of cases have in JSON."""
        kind = type(value)
        more = {} if (size := _size(value)) <= MOST_ITEMS else {"more": size - MOST_ITEMS}
        if _is(value, dict):
            entries = [[self._value(k), self._value(v)] for k, v in _some(dict.items(value))]
            state: dict[str, Any] = {"dict": entries, **more}
        elif _is_collection(value):
            name = "set" if _is(value, set) or _is(value, frozenset) else "list"
            state = {name: [self._value(item) for item in _some(_items(value))], **more}
        else:
            fields = dict(_some(_fields(value)))
            shown = {name: self._value(item) for name, item in fields.items()}
            return {"class": f"{kind.__module__}.{kind.__qualname__}", "fields": shown}
        if kind.__module__ != "builtins":
            state["class"] = kind.__qualname__
            own = {name: self._value(item) for name, item in _some(_fields(value))}
            state.update({"fields": own} if own else {})
        return state


def _is(value: Any, kind: type) -> bool:
    """Whether an object is of a class or one below it; `isinstance` would ask the object itself as well."""
    return kind in type(value).__mro__


def _items(value: Any) -> Iterator[Any]:
    """The elements of a list, deque or set; those of a set in ascending order where they have one."""
    if _is(value, list):
        return list.__iter__(value)
    if _is_deque(value):
        return iter(_deque().__iter__(value))
    items = list(set.__iter__(value) if _is(value, set) else frozenset.__iter__(value))
    kinds = {type(item) for item in items}
    return iter(sorted(items) if len(kinds) == 1 and kinds <= {int, str, bool} else items)


def _variables(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The variables of a function, and those of its module that it mentions and that hold data."""
    local = frame.f_locals
    for name, value in local.items():
        if not name.startswith((".", "__")):
            yield name, value
    if frame.f_code.co_name == "<module>":
        return
    for name in frame.f_code.co_names:
        value = frame.f_globals.get(name)
        if name not in local and type(value) in (list, dict, set):
            yield f"{name} (global)", value


def _qualified(frame: FrameType) -> str:
    # `co_qualname` is new in Python 3.11, which is the oldest that is supported.
    return frame.f_code.co_qualname


def _is_collection(value: Any) -> bool:
    return _is_deque(value) or any(_is(value, kind) for kind in (list, dict, set, frozenset))


def _is_atom(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str, bytes, complex)


def _has_state(value: Any) -> bool:
    """Whether a value is drawn as an object of its own."""
    kind = type(value)
    if _is_atom(value) or kind is tuple or _is(value, type):
        return False
    if _is_collection(value):
        return True
    if kind.__module__ in _OPAQUE:
        return False
    return not _member(value) and (_own_dict(value) is not None or any(True for _ in _slots(kind)))


def _parts(value: Any) -> Iterator[Any]:
    """The values that a value holds directly."""
    if type(value) is tuple:
        yield from value[:MOST_ITEMS]
    elif _has_state(value):
        if _is(value, dict):
            for key, item in _some(dict.items(value)):
                yield key
                yield item
        elif _is_collection(value):
            yield from _some(_items(value))
        yield from (item for _, item in _some(_fields(value)))


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    own = _own_dict(value)
    if own is not None:
        yield from ((name, item) for name, item in dict.items(own) if type(name) is str)
    for name, slot in _slots(type(value)):
        try:
            yield name, slot.__get__(value)
        except AttributeError:
            continue


def _own_dict(value: Any) -> dict[str, Any] | None:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return own if type(own) is dict else None


def _slots(kind: type) -> Iterator[tuple[str, Any]]:
    """The slots of a class and of those above it, which are descriptors that C code implements."""
    for each in kind.__mro__:
        if each.__module__ == "builtins":
            continue
        for name, found in type.__getattribute__(each, "__dict__").items():
            if type(found).__name__ == "member_descriptor" and name not in ("__dict__", "__weakref__"):
                yield name, found


def _member(value: Any) -> str:
    """What a member of an enumeration is called."""
    kind = type(value)
    if not any(each.__module__ == "enum" and each.__name__ == "Enum" for each in kind.__mro__):
        return ""
    own = _own_dict(value) or {}
    name = own.get("_name_")
    return f"{kind.__name__}.{name}" if type(name) is str else kind.__name__


def _called(value: Any) -> str:
    """The name of a class, function or module."""
    for name in ("__qualname__", "__name__"):
        found = type.__getattribute__(value, name) if _is(value, type) else getattr(value, name, None)
        if type(found) is str:
            return found
    return ""


def _deque() -> Any:
    return vars(sys.modules["collections"])["deque"]


def _is_deque(value: Any) -> bool:
    return "collections" in sys.modules and _is(value, _deque())


def _size(value: Any) -> int:
    for kind in (dict, list, set, frozenset):
        if _is(value, kind):
            return int(kind.__len__(value))
    return int(_deque().__len__(value)) if _is_deque(value) else 0


def _some(items: Any) -> Iterator[Any]:
    for number, item in enumerate(items):
        if number == MOST_ITEMS:
            return
        yield item


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({len(text)} characters)"


def _digits(value: int) -> str:
    """An integer in full, or its size where it is longer than anybody reads."""
    return str(value) if value.bit_length() < 3_000 else f"an integer of {value.bit_length()} bits"


def _error(error: BaseException) -> str:
    """The class of an exception and its first argument if that is a text; no code of the program is asked."""
    arguments = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    text = arguments[0] if arguments and type(arguments[0]) is str else ""
    return f"{type(error).__name__}: {_cut(text)}" if text else type(error).__name__
