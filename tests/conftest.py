"""What every test folder shares: where the examples are, and how to explore a target."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def examples() -> Path:
    """The folder of example programs."""
    return ROOT / "examples"


@pytest.fixture
def papers() -> Path:
    """The programs of the papers."""
    return ROOT / "examples" / "papers"
