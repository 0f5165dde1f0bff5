"""Whatever a test observes, the next one starts without hooks."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import pytest

from everypath.race.observe.accesses import NAME
from everypath.race.observe.attributes import forget
from everypath.race.observe.containers import DISCOVERIES, FACTS
from everypath.race.observe.importing import undo


@pytest.fixture(autouse=True)
def _unobserved() -> Iterator[None]:
    yield
    if hasattr(builtins, NAME):
        delattr(builtins, NAME)
    DISCOVERIES.tell = lambda cls: None
    undo()
    FACTS.clear()
    forget()
