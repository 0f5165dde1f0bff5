"""Defaults from `[tool.everypath]` in the nearest `pyproject.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

from everypath.errors import BadInput, Span


def read_config(start: Path, known: set[str]) -> dict[str, object]:
    """The settings that apply in this folder; an unknown key or a broken file is an error that names it."""
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            return _read(file, known)
    return {}


def _read(file: Path, known: set[str]) -> dict[str, object]:
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadInput(f"cannot be read as TOML: {error}", Span(file.name)) from None
    settings = table.get("tool", {}).get("everypath", {})
    if not isinstance(settings, dict):
        raise BadInput("[tool.everypath] must be a table", Span(file.name))
    normal = {str(name).replace("-", "_"): value for name, value in settings.items()}
    unknown = sorted(set(normal) - known)
    if unknown:
        raise BadInput(
            f"[tool.everypath] has unknown settings: {', '.join(unknown)}; known are {', '.join(sorted(known))}",
            Span(file.name),
        )
    return normal
