"""Code under observation by a monitor that only writes down what it is told."""

from __future__ import annotations

import builtins
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from everypath.race.events import KIND_NAMES, SITES, Item
from everypath.race.observe.accesses import NAME
from everypath.race.observe.hooks import Hooks
from everypath.race.observe.rewrite import rewrite


class Recorder:
    """Writes down events as texts while a party is current."""

    def __init__(self) -> None:
        self.current: Any = None
        self.events: list[tuple[str, Any, Any]] = []
        self.entries: list[str] = []
        self.today: list[bool] = []
        self.rounds = 0
        self._today = True
        self.before: Callable[[], None] = lambda: None

    def access(self, kind: int, site: int, target: object, key: object) -> None:
        if self.current is None:
            return
        self.before()
        self.events.append((f"{KIND_NAMES[kind]} {SITES[site].text}", target, key))
        self.today.append(self._today)
        self._today = False

    def enter(self, site: int) -> None:
        if self.current is not None:
            self._today = True
            self.entries.append(f"+{SITES[site].function}")

    def leave(self, site: int) -> None:
        if self.current is not None:
            self.entries.append(f"-{SITES[site].function}")

    def iteration(self) -> None:
        if self.current is not None:
            self._today = True
            self.rounds += 1

    def native_returned(self) -> None:
        self._today = True

    @property
    def operations(self) -> list[str]:
        """What was done, in order."""
        return [operation for operation, _, _ in self.events]

    def places(self) -> list[tuple[str, Any]]:
        """What was done and to which key; elements as `[key]`."""
        return [(operation, [key.key] if isinstance(key, Item) else key) for operation, _, key in self.events]


class Forgetful(Recorder):
    """Keeps nothing, so that objects live as long as they would."""

    def access(self, kind: int, site: int, target: object, key: object) -> None:
        """Nothing is written down."""


@contextmanager
def hooks_of(recorder: Recorder) -> Iterator[None]:
    """Rewritten code talks to this recorder."""
    before = getattr(builtins, NAME, None)
    setattr(builtins, NAME, Hooks(recorder))
    try:
        yield
    finally:
        if before is None:
            delattr(builtins, NAME)
        else:
            setattr(builtins, NAME, before)


def run(source: str, name: str = "snippet", *, rewritten: bool = True) -> ModuleType:
    """The module that this source makes."""
    text = textwrap.dedent(source)
    module = ModuleType(name)
    module.__file__ = f"{name}.py"
    sys.modules[name] = module
    code = (
        rewrite(text, f"{name}.py", name).code if rewritten else compile(text, f"{name}.py", "exec", dont_inherit=True)
    )
    exec(code, module.__dict__)
    return module


def observed(source: str, call: str, name: str = "snippet", before: str = "None") -> tuple[Recorder, Any]:
    """Run the module, then the call under observation; what it did and its value."""
    recorder = Recorder()
    with hooks_of(recorder):
        module = run(source, name)
        exec(before, module.__dict__)
        recorder.current = object()
        try:
            value = eval(call, module.__dict__)
        finally:
            recorder.current = None
    return recorder, value
