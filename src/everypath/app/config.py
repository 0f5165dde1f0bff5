"""Defaults from `[tool.everypath]` in the nearest `pyproject.toml`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from everypath.errors import BadInput, Span

Check = Callable[[object], object]
"""The value of a setting as an option takes it; raises ValueError that says what it must be."""

_TABLE = "[tool.everypath]"


def read_config(start: Path, known: Callable[[], Mapping[str, Check]]) -> dict[str, object]:
    """The settings that apply in this folder; a bad key, value or file is an error that names it."""
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            return _read(file, os.path.relpath(file, start), known)
    return {}


def _read(file: Path, shown: str, checks: Callable[[], Mapping[str, Check]]) -> dict[str, object]:
    try:
        text = file.read_text(encoding="utf-8")
        if "everypath" not in text:
            # Most projects have no settings for us, and loading the reader takes a while.
            return {}
        import tomllib

        table = tomllib.loads(text)
    except (ValueError, OSError) as error:
        raise BadInput(f"cannot be read as TOML: {error}", Span(shown)) from None
    tools = table.get("tool", {})
    settings = tools.get("everypath", {}) if isinstance(tools, dict) else {}
    if not isinstance(settings, dict):
        raise BadInput(f"{_TABLE} must be a table", Span(shown))
    normal: dict[str, object] = {}
    known = checks() if settings else {}
    for name, value in settings.items():
        span = Span(shown, _line(text, name))
        key = name.replace("-", "_")
        if key not in known:
            names = ", ".join(sorted(each.replace("_", "-") for each in known))
            raise BadInput(f"{_TABLE} has an unknown setting {name!r}; known are {names}", span)
        try:
            normal[key] = known[key](value)
        except ValueError as error:
            raise BadInput(f"{_TABLE} {name}: {error}", span) from None
    return normal


def _line(text: str, name: str) -> int:
    """The line that sets a name in our table, as far as plain text tells; zero otherwise."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("["):
            inside = re.sub(r"\s", "", stripped).startswith(_TABLE)
        elif inside and re.match(rf"[\"']?{re.escape(name)}[\"']?\s*=", stripped):
            return number
    return 0
