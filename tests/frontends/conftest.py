"""Snippets in a folder of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.lowered import Snippets


@pytest.fixture
def snippets(tmp_path: Path) -> Snippets:
    """Lowers source text."""
    return Snippets(tmp_path)
