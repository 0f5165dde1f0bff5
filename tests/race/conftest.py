"""Whatever a test observes, the next one starts without hooks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from everypath.race.observe.importing import uninstall


@pytest.fixture(autouse=True)
def _unobserved() -> Iterator[None]:
    yield
    uninstall()
