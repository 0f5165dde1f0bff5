"""Defaults from `[tool.everypath]` in the `pyproject.toml` that is nearest to a target."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.records import dataclass

Check = Callable[[object], object]
"""The value of a setting as an option takes it; raises ValueError that says what it must be."""

_FILE = "pyproject.toml"
_TABLE = "[tool.everypath]"
_MENTIONED = r"""(?<![\w-])tool([^\n]*|["']?\s*[]=][\s\S]*)everypath"""
"""What a file says that has settings: both names on a line, or ours further down in the table of all tools."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file says about this program, as it stands there."""

    file: str
    """as seen from the working directory"""
    folder: Path
    text: str
    table: dict[str, object]


def start_of(word: str) -> Path:
    """Where to look from for the settings of a target: the folder that it is or lies in, else the working directory."""
    place = word.partition("::")[0].partition(",")[0]
    named, colon, line = place.rpartition(":")
    path = Path(named if colon and line.isdecimal() else place)
    if not place or not path.exists():
        return Path.cwd()
    return Path(os.path.abspath(path if path.is_dir() else path.parent))


def find_settings(start: Path) -> Settings | None:
    """The settings for this folder, None if there are none; a file that cannot be read is an error that names it."""
    here = Path.cwd()
    # What lies outside of every project is looked at on behalf of the one in which the command is given.
    folders = (start, *start.parents, here, *here.parents)
    file = next((folder / _FILE for folder in folders if (folder / _FILE).is_file()), None)
    if file is None:
        return None
    shown = os.path.relpath(file)
    try:
        text = file.read_text(encoding="utf-8")
        if not re.search(_MENTIONED, text):
            # Most projects have no settings for us, and loading the reader takes a while.
            return None
        import tomllib

        tools = tomllib.loads(text).get("tool", {})
    except (ValueError, OSError) as error:
        raise BadInput(f"cannot be read as TOML: {error}", Span(shown)) from None
    table = tools.get("everypath", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise BadInput(f"{_TABLE} must be a table", Span(shown))
    return Settings(shown, file.parent, text, table) if table else None


def read_config(found: Settings, checks: Callable[[], Mapping[str, Check]]) -> dict[str, object]:
    """The settings that a file says, by their keys; a bad key or value is an error that names it."""
    normal: dict[str, object] = {}
    known = checks()
    for name, value in found.table.items():
        span = Span(found.file, _line(found.text, name))
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
