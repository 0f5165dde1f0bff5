"""The world that the code under test sees: controlled locks, a clock that stands still, no way out.

Everything is replaced before the class's package is imported, also where other modules have taken a name over
(`from time import monotonic`), and can be put back.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
from _thread import LockType, get_ident
from _thread import RLock as NativeRLock
from itertools import count
from typing import Any, NoReturn

from everypath.race.control.clocks import CLOCK, Chance, DateClock, clock_replacements, polling_replacements
from everypath.race.control.fencing import Fencing, refuse
from everypath.race.control.late_imports import LateImports
from everypath.race.control.locks import ALONE, ControlledLock, ControlledRLock
from everypath.race.control.places import WHEREABOUTS
from everypath.race.control.primitives import primitive_replacements
from everypath.workers.fence import address_space, limit_files, limit_memory

_KEEP = tuple(
    "everypath importlib _frozen_importlib asyncio selectors subprocess multiprocessing ctypes pytest _pytest".split()
)
"""Modules, with everything below them, that keep the names they have taken over, because the worker needs them."""
_KEEP_LOCKS = (*_KEEP, "threading", "_thread")
_YOUNG, _MIDDLE, _OLD = 50_000, 10, 10
"""New objects that make a collection of garbage worthwhile, and collections after which older objects are looked at."""
_RECURSION = 3_000
"""The limit on recursion: hooks lie between the frames of the code under test, which must get as deep as usual."""

Replacement = tuple[Any, str, Any]
"""Owner, name and new value."""


class _NoInput:
    """Stands for the standard input."""

    encoding, errors, closed, name, mode = "utf-8", "strict", False, "<stdin>", "r"

    def _refuse(self, *_: Any) -> NoReturn:
        refuse("reads the standard input")

    read = readline = readlines = __iter__ = __next__ = _refuse

    @property
    def buffer(self) -> _NoInput:
        """The same for bytes."""
        return self

    def isatty(self) -> bool:
        """No terminal."""
        return False

    def readable(self) -> bool:
        """Pretends to be."""
        return True

    def fileno(self) -> int:
        """The real one, which is empty."""
        return 0


class Environment:
    """Installed for the whole process; armed while code under test runs."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        self._fencing = Fencing()
        self._late = LateImports({"_sqlite3": self._replace_in_databases})
        self._chance = Chance()
        self._dates = DateClock()
        self._saved: list[Replacement] = []
        self._settled = False
        WHEREABOUTS.under_test(roots)

    def install(self) -> None:
        """Replace everything."""
        wanted = [
            *clock_replacements(),
            *self._chance.replacements(),
            *primitive_replacements(),
            *self._fencing.replacements(),
            *polling_replacements(),
        ]
        taken_over: dict[int, Any] = {}
        for owner, name, value in wanted:
            native = owner.__dict__.get(name, _ABSENT)
            if callable(native) and not isinstance(owner, type):
                taken_over[id(native)] = value
            self._replace(owner, name, value)
        self._replace_names(taken_over)
        self._replace_locks()
        self._late.install()
        self._dates.install()
        null = open(os.devnull, "r+", encoding="utf-8")  # noqa: SIM115
        for name, stream in (("stdin", _NoInput()), ("stdout", null), ("stderr", null)):
            self._replace(sys, name, stream)
        self._null = null
        self._recursion = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self._recursion, _RECURSION))
        self._replace(sys, "unraisablehook", lambda _: None)
        self._replace(sys, "dont_write_bytecode", True)
        gc.disable()

    def uninstall(self) -> None:
        """Put everything back."""
        self.disarm()
        self._dates.uninstall()
        self._late.uninstall()
        for owner, name, value in reversed(self._saved):
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
        self._saved.clear()
        self._null.close()
        sys.setrecursionlimit(self._recursion)
        self._settled = False
        gc.unfreeze()
        gc.enable()

    def arm(self) -> None:
        """Arm it for code under test: what cannot be undone is refused, and a thread that waits alone gets `Stuck`."""
        self._fencing.armed = True
        ALONE.ident = get_ident()

    def disarm(self) -> None:
        """Disarm it for our own code."""
        self._fencing.armed = False
        ALONE.ident = 0

    def reset(self) -> None:
        """Prepare a run: arm the environment, and reset time, chance and the names of threads.

        Garbage is collected here if there is much of it, and nowhere else, so that no finalizer runs in the middle of a
        run.
        """
        self.arm()
        CLOCK.passed = 0.0
        self._chance.reset()
        threading._counter = count(1).__next__  # type: ignore[attr-defined]
        if not self._settled:
            self._settle()
        young, middle, old = gc.get_count()
        if young > _YOUNG:
            gc.collect(0 if middle < _MIDDLE else 1 if old < _OLD else 2)

    def _settle(self) -> None:
        """Called when everything is imported: make the late replacements, and exempt what is there from collection."""
        for replacement in self._fencing.late_replacements():
            self._replace(*replacement)
        self._settled = True
        gc.collect()
        gc.freeze()

    def _replace_in_databases(self, module: Any) -> None:
        wanted = self._fencing.databases(module)
        taken_over = {id(getattr(owner, name)): value for owner, name, value in wanted}
        for replacement in wanted:
            self._replace(*replacement)
        self._replace_names(taken_over)

    def _replace(self, owner: Any, name: str, value: Any) -> None:
        self._saved.append((owner, name, owner.__dict__.get(name, _ABSENT)))
        setattr(owner, name, value)

    def _replace_names(self, taken_over: dict[int, Any]) -> None:
        for module, name, value in _module_names(_KEEP):
            replacement = taken_over.get(id(value), _ABSENT)
            if replacement is not _ABSENT:
                self._replace(module, name, replacement)

    def _replace_locks(self) -> None:
        """Locks that library modules made when they were imported."""
        owners: list[tuple[Any, str, Any]] = list(_module_names(_KEEP_LOCKS))
        for reference in list(logging._handlerList):  # type: ignore[attr-defined]
            handler = reference()
            if handler is not None:
                owners.append((handler, "lock", handler.lock))
        for owner, name, value in owners:
            if type(value) is LockType and not value.locked():
                self._replace(owner, name, ControlledLock())
            elif type(value) is NativeRLock:
                self._replace(owner, name, ControlledRLock())


_ABSENT: Any = object()


def _module_names(kept: tuple[str, ...]) -> list[Replacement]:
    """Every global of every module but the kept ones."""
    found = []
    for module_name, module in list(sys.modules.items()):
        if module is None or module_name.split(".")[0] in kept or not isinstance(module, type(sys)):
            continue
        found += [(module, name, value) for name, value in list(vars(module).items())]
    return found


def install(roots: tuple[str, ...], memory: int | None = None) -> Environment:
    """Replace everything for code in these files and folders; in a process of its own, limit its memory (megabytes)."""
    environment = Environment(roots)
    environment.install()
    if memory is not None:
        limit_memory(memory, address_space())
        limit_files()
    return environment
