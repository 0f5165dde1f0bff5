"""What every test folder shares: where the examples are, and how to explore a target."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """A shell starts background jobs with Ctrl-C ignored; the tests of interrupts need it."""
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
