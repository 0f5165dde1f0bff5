"""What every test folder shares: where the examples are, and how to explore a target."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

# The everyday run is the same every time; the slow suite looks for something new.
settings.register_profile("everyday", derandomize=True)
settings.register_profile("search", derandomize=False, print_blob=True)

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure(config: pytest.Config) -> None:
    """Choose how properties are tested; let Ctrl-C work, which a shell ignores in its background jobs."""
    settings.load_profile("search" if config.getoption("-m") == "slow" else "everyday")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def examples() -> Path:
    """The folder of example programs."""
    return ROOT / "examples"


@pytest.fixture
def papers() -> Path:
    """The programs of the papers."""
    return ROOT / "examples" / "papers"
