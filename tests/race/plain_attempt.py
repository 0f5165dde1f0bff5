"""Trying calls without any control of threads: on a thread of their own, given up after a moment."""

from __future__ import annotations

import sys
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

from everypath.cases.races import ParameterUse
from everypath.languages.python.frontend.modules import parse_module
from everypath.languages.python.parameter_uses import uses_in
from everypath.race.running import SHARED, Blocked, Outcome, Raised, Returned
from everypath.race.search.call_runner import job
from everypath.race.subject.class_source import Known, ParameterUses
from everypath.race.subject.scope import Scope
from everypath.race.subject.subject import Subject, inspect_class
from everypath.race.subject.trials import Attempt

PATIENCE = 0.05


def attempt_with(module_names: dict[str, Any]) -> Attempt:
    """Attempts that see the names of a module."""

    def attempt(setup: str, call: str | None) -> Outcome:
        scope = Scope(module_names)
        scope.usable(setup)
        scope.usable(call or setup)
        return _on_a_thread(setup, call, scope.namespace())

    return attempt


def _on_a_thread(setup: str, call: str | None, names: dict[str, Any]) -> Outcome:
    """The setup, then the call, on a new thread; what takes too long counts as waiting."""
    results: list[Outcome] = []

    def run() -> None:
        try:
            names[SHARED] = job(setup, names)()
            results.append(Returned(names[SHARED] if call is None else job(call, names)()))
        except BaseException as error:
            results.append(Raised(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return results[0] if results else Blocked(None, -1, ())


def inspected(
    cls: type[Any],
    names: dict[str, Any] | None = None,
    *,
    setup: str | None = None,
    methods: tuple[str, ...] = (),
    args: dict[str, list[str]] | None = None,
    values: dict[tuple[str, str], list[str]] | None = None,
    limit: int = 40,
) -> Subject:
    """`inspect_class` with the names of the class's module."""
    known = dict(vars(sys.modules[cls.__module__])) if names is None else names
    return inspect_class(
        cls,
        known=Known(args or {}, values or {}, uses_of(cls)),
        setup=setup,
        methods=methods,
        names=known,
        attempt=attempt_with(known),
        limit=limit,
    )


@lru_cache(maxsize=64)
def _uses_in(module: str) -> tuple[ParameterUse, ...]:
    file = getattr(sys.modules[module], "__file__", None) or ""
    if not file.endswith(".py"):
        return ()
    path = Path(file)
    return tuple(uses_in(parse_module(module, path, file, path.read_bytes(), user=True)))


def uses_of(cls: type[Any]) -> ParameterUses:
    """What the source of a class and of its bases says about parameters."""
    return ParameterUses(use for module in {base.__module__ for base in cls.__mro__} for use in _uses_in(module))


def sources(subject: Subject) -> list[str]:
    """The calls of a subject."""
    return [call.source for call in subject.calls]
