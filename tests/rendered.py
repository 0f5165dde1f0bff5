"""The tests of a run as text."""

from __future__ import annotations

from pathlib import Path

from everypath.generate.results import Run


def rendered(run: Run, module: str, place: Path | None = None) -> str:
    """The file of a module in the default format, as it would be written to `place`."""
    return run.language.writer(run.language.formats[0]).render([run.modules[module]], place).text
