"""What decides a condition when no input does: fields of objects, variables of modules, answers of other modules.

A test can set all of them, with an assignment or with pytest's `monkeypatch`. Here the expression that a condition
looks at is read, and every place is named where a test can put another value. A local variable stands for what was
assigned to it last above the condition.
"""

from __future__ import annotations

import ast
import builtins
import os
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import FrameType
from typing import Any

from everypath.records import dataclass

FIELD, PATCH, DEFINE, ITEM, GIVE, MADE = "field", "patch", "define", "item", "give", "made"
OWN = "of the module itself"
"""In the place of what a value is like: it is an answer of the module under test, which is replaced only at the end."""
Origins = Callable[[Any], list[tuple[int, tuple[str, ...]]]]
"""The expressions of a candidate that made a value, each with a path from there."""
Place = tuple[Any, ...]
"""Where in the candidate, path, field, item or patch, name, whether something is called there, what it is like now.

What a module holds and an item of it can be decided together, as a patch with an item inside."""
NEEDED = frozenset(
    "re inspect ast abc types typing collections functools itertools operator contextlib warnings traceback linecache"
    " unittest pytest _pytest pluggy coverage importlib builtins io codecs weakref copy string enum pathlib".split()
)
"""Modules of which nothing is replaced."""
_REPLACEABLE = frozenset(
    "platform argv version_info version executable frozen maxsize byteorder flags stdin exc_info getrecursionlimit"
    " getfilesystemencoding getdefaultencoding getwindowsversion"
    " name sep linesep environ getenv cpu_count getcwd listdir walk scandir access system popen kill getpid getuid"
    " geteuid getlogin uname isatty get_terminal_size execv execvp fork wait umask urandom utime chmod remove unlink"
    " rename replace mkdir makedirs rmdir symlink readlink startfile statvfs getloadavg nice setsid killpg"
    " exists isfile isdir islink expanduser expandvars getsize getmtime ismount samefile realpath".split()
)
"""What can be replaced all the same."""
_MOST_HOPS = 3
_MOST_ASSIGNED = 3
_NOWHERE: tuple[int, tuple[str, ...]] = (-1, ())
_SHOWN = (str, bytes, int, float, bool, type(None))
_LONGEST = 100


Assigned = dict[str, list[tuple[int, ast.expr]]]
"""For each local variable of a function: the lines that assign it, and what they assign."""


@dataclass(slots=True)
class Assignments:
    """What the local variables of each function stand for, by the first line of its code."""

    by_function: dict[int, Assigned]

    def sources(self, node: ast.expr, frame: FrameType) -> list[ast.expr]:
        """What may be behind an expression, where a variable is assigned in several places."""
        found = [self.source(node, frame)]
        known = self.by_function.get(frame.f_code.co_firstlineno, {})
        if isinstance(node, ast.Name) and len(known.get(node.id, ())) > 1:
            found += [self.source(node, frame, before) for before in range(1, _MOST_ASSIGNED)]
        return list({id(each): each for each in found}.values())

    def source(self, node: ast.expr, frame: FrameType, before: int = 0) -> ast.expr:
        """The expression behind another: behind a local variable what it was assigned, in a few steps.

        The last assignments are passed over, so many as are to be `before` it.
        """
        known = self.by_function.get(frame.f_code.co_firstlineno, {})
        line = frame.f_lineno
        for _ in range(_MOST_HOPS):
            match node:
                case ast.Name(id=name) if (behind := assigned_before(known, name, line, before)) is not None:
                    (line, node), before = behind, 0
                case ast.Await(value=inner) | ast.NamedExpr(value=inner):
                    node = inner
                case ast.Call(func=ast.Attribute(value=inner, attr="strip" | "lower" | "upper"), args=[]):
                    node = inner
        return node


def assignments_in(tree: ast.Module) -> Assignments:
    """The local variables of a file that are given a value by plain assignments."""
    found: dict[int, Assigned] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            found[first] = assigned_in(node)
    return Assignments(found)


def assigned_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Assigned:
    """What the plain assignments of a function give to its variables."""
    values: Assigned = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values.setdefault(name, []).append((node.lineno, value))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                values.setdefault(name, []).append((node.lineno, value))
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                values.setdefault(name, []).append((node.lineno, value))
    return values


def assigned_before(known: Assigned, name: str, line: int, before: int = 0) -> tuple[int, ast.expr] | None:
    """The last assignment to a variable above a line: where there are several, mostly the one that counts there.

    So many of the last ones are passed over as are to be `before` it.
    """
    above = sorted((each for each in known.get(name, ()) if each[0] < line), key=lambda each: each[0])
    return above[-1 - before] if len(above) > before else None


def places(node: ast.expr, frame: FrameType, origins: Origins) -> Iterator[Place]:
    """Where a test can put another value for what an expression looks at."""
    if isinstance(node, ast.Subscript):
        yield from _items(node, frame, origins)
        return
    called = isinstance(node, ast.Call)
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        inherited = _inherited(node, frame) if called else None
        if inherited is not None:
            yield (*_NOWHERE, PATCH, inherited, True, "")
            return
        holder = _looked_at(node.value, frame)
        if holder is not None and not isinstance(holder, types.ModuleType):
            own = _home(type(holder), node.attr) == frame.f_globals.get("__name__")
            if not node.attr.startswith("__"):
                like = (OWN if own else "") if called else described(_attribute(holder, node.attr))
                for origin in origins(holder)[:1]:
                    yield (*origin, FIELD, node.attr, called, like)
    place = _global(node, frame)
    if place is None:
        return
    dotted, value = place
    if _is_needed(dotted):
        return
    if not called:
        if not isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            yield (*_NOWHERE, PATCH, dotted, False, described(value))
    elif callable(value) and not dotted.startswith("builtins."):
        yield (*_NOWHERE, PATCH, dotted, True, "" if _is_another(value, dotted, frame) else OWN)


def _items(node: ast.Subscript, frame: FrameType, origins: Origins) -> Iterator[Place]:
    """Where a test can put another item: into an input, or into what a module holds."""
    key = node.slice.value if isinstance(node.slice, ast.Constant) else _looked_at(node.slice, frame)
    if not isinstance(key, (str, int)):
        return
    holder = _looked_at(node.value, frame)
    like = "None"
    with suppress(Exception):
        like = described(holder[key])
    found = origins(holder)[:1] if holder is not None else []
    yield from ((*origin, ITEM, repr(key), False, like) for origin in found)
    place = _global(node.value, frame) if not found else None
    if place is not None and not _is_needed(place[0]) and isinstance(place[1], Mapping):
        yield (*_NOWHERE, PATCH, place[0], False, "{}", ITEM, repr(key), False, like)


def _inherited(node: ast.Attribute, frame: FrameType) -> str | None:
    """The dotted name of the method that `super().name` means, if a class of another module defines it."""
    match node.value:
        case ast.Call(func=ast.Name(id="super")):
            holder = frame.f_locals.get("self")
        case _:
            return None
    own = frame.f_globals.get("__name__")
    for cls in type(holder).__mro__:
        if node.attr in vars(cls) and cls.__module__ not in (own, "builtins"):
            return f"{cls.__module__}.{cls.__qualname__}.{node.attr}"
    return None


def _is_needed(dotted: str) -> bool:
    """Whether pytest needs it while a test runs, so that it cannot be replaced."""
    home, _, name = dotted.rpartition(".")
    if home in ("sys", "os", "os.path"):
        return name not in _REPLACEABLE
    return home.partition(".")[0] in NEEDED


def _home(cls: type, name: str) -> str:
    """The module of the class that defines a method."""
    return next((each.__module__ for each in cls.__mro__ if name in vars(each)), "")


def _is_another(called: Any, dotted: str, frame: FrameType) -> bool:
    """Whether a function belongs to another module than the one under test, and is none that everything needs."""
    home = getattr(called, "__module__", None) or dotted.rpartition(".")[0]
    return home != frame.f_globals.get("__name__")


def described(value: Any) -> str:
    """What a value is like, as source code: the value itself if it is a plain one."""
    if isinstance(value, _SHOWN) and type(value) in _SHOWN:
        text = repr(value)
        return text if len(text) <= _LONGEST else "''"
    for kind, text in ((list, "[]"), (dict, "{}"), (tuple, "()"), (set, "set()")):
        if isinstance(value, kind):
            return text
    return "None"


def _attribute(holder: Any, name: str) -> Any:
    try:
        return getattr(holder, name)
    except Exception:
        return None


def _looked_at(node: ast.expr, frame: FrameType) -> Any:
    """The value of a chain of names and attributes, None for anything else."""
    match node:
        case ast.Name(id=name):
            return frame.f_locals.get(name, frame.f_globals.get(name))
        case ast.Attribute(value=inner, attr=name):
            holder = _looked_at(inner, frame)
            return _attribute(holder, name) if holder is not None else None
    return None


def _global(node: ast.expr, frame: FrameType) -> tuple[str, Any] | None:
    """The dotted name of a variable of a module, or of what it holds, and its value."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.insert(0, node.attr)
        node = node.value
    whole = frame.f_locals is frame.f_globals
    if not isinstance(node, ast.Name) or any(n.startswith("__") for n in names):
        return None
    # What the statements of a module set is set anew whenever it runs; what it has imported can be another thing.
    if not names if whole else node.id in frame.f_locals:
        return None
    if node.id not in frame.f_globals:
        return None if names or not hasattr(builtins, node.id) else (f"builtins.{node.id}", getattr(builtins, node.id))
    dotted, value = f"{frame.f_globals.get('__name__')}.{node.id}", frame.f_globals[node.id]
    for name in names:
        if isinstance(value, types.ModuleType):
            if sys.modules.get(value.__name__) is not value:
                return None
            dotted = "os.path" if value is os.path else value.__name__
        if not hasattr(value, name):
            return None
        dotted, value = f"{dotted}.{name}", _attribute(value, name)
    return dotted, value
