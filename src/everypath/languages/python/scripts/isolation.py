"""What an emitted file adds when its paths change state that a module or its classes keep."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.cases.model import CallCase, ObjectState
from everypath.languages.python.scripts.imports import Imports
from everypath.languages.python.scripts.layout import Group, Item, Text, assignment
from everypath.languages.python.scripts.literals import quoted

RESTORING = "restored_state"
"""The generator that puts the state back after its one `yield`.

Every object stays the same one, and gets back what it held: other modules have it, too, and compare it with `is`.
"""

_BODY = """\
    places = [sys.modules[name] for name in modules]
    for module in list(places):
        classes = [c for c in vars(module).values() if isinstance(c, type)]
        places += [c for c in classes if c.__module__ == module.__name__]
    own = {id(place) for place in places}
    seen, saved, agenda = {}, [], places
    while agenda:
        value = agenda.pop()
        kind = type(value)
        if id(value) in seen:
            continue
        seen[id(value)] = value
        library = kind.__module__ in ("builtins", "collections")
        if library and isinstance(value, (list, set, dict)):
            held = dict(value) if isinstance(value, dict) else list(value)
            saved.append((value, held, True))
            agenda += held.values() if isinstance(value, dict) else held
        elif isinstance(value, tuple):
            agenda += value
        elif {id(value), id(kind)} & own and hasattr(value, "__dict__"):
            held = {n: v for n, v in vars(value).items() if not n.startswith("__")}
            saved.append((value, held, False))
            agenda += held.values()
    yield
    for value, held, is_collection in saved:
        if is_collection:
            value.clear()
            (value.extend if isinstance(value, list) else value.update)(held)
            continue
        for name, kept in held.items():
            if vars(value).get(name) is not kept:
                with contextlib.suppress(AttributeError, TypeError):
                    setattr(value, name, kept)
"""
_NOTICING = """\
    places = [m for name, m in list(sys.modules.items()) if name.partition(".")[0] in packages]
    for module in list(places):
        classes = [c for c in vars(module).values() if isinstance(c, type)]
        places += [c for c in classes if c.__module__ == module.__name__]
    kinds = {int, float, str, bytes, tuple, list, dict, set, type(None)}
    found = {}
    for place in places:
        for name, value in list(vars(place).items()):
            if type(value) in kinds | {bool} and not name.startswith("__"):
                with contextlib.suppress(Exception):
                    found[place.__name__, name] = repr(value)
    return found
"""


def restoring(cases: Sequence[CallCase], imports: Imports) -> list[str]:
    """A generator function that remembers the state of the tested modules and restores it afterwards."""
    imports.module("contextlib")
    imports.module("sys")
    names = Group("[", tuple(Item(Text(quoted(name))) for name in _modules(cases)), "]")
    listed = assignment("modules", names)
    if within := packages(cases):
        # Modules of a package change each other's state, and tests of all of them may run in one process.
        roots = Group("[", tuple(Item(Text(quoted(name))) for name in within), "]")
        listed = [
            *assignment("packages", roots),
            '    modules = [m for m in sys.modules if m.partition(".")[0] in packages]',
        ]
    return [
        f"def {RESTORING}():",
        '    """Some paths change what the program keeps; put it back after each test."""',
        *listed,
        *_BODY.splitlines(),
    ]


def packages(cases: Sequence[CallCase]) -> list[str]:
    """The packages, if the tests import from modules of any; a module beside them counts as one."""
    modules = _modules(cases)
    return sorted({name.partition(".")[0] for name in modules}) if any("." in name for name in modules) else []


def noticing(cases: Sequence[CallCase]) -> list[str]:
    """A function that tells what the modules of the tested packages keep, as a text; always the same without one."""
    return [
        "def kept_state():",
        f"    packages = {packages(cases)!r}",
        *_NOTICING.splitlines(),
    ]


def _modules(cases: Sequence[CallCase]) -> list[str]:
    """The modules that the tests import from."""
    found = {case.entry.module for case in cases}
    for case in cases:
        found |= {state.module for state in case.inputs.heap.values() if isinstance(state, ObjectState)}
    return sorted(found - {"", "builtins"})
