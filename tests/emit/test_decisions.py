"""Names of tests say in the words of the source what their path decided."""

from __future__ import annotations

import re
from pathlib import Path

from everypath.generate.run import generate
from everypath.options import Options
from tests.rendered import rendered

CONFIG = """
def comments(lines: list[str]) -> int:
    found = 0
    for line in lines:
        if line.startswith("#"):
            found += 1
    return found


def number(text: str, fallback: int) -> int:
    try:
        return int(text)
    except ValueError:
        return fallback


def kind(level: int) -> str:
    match level:
        case 1:
            return "low"
        case _:
            return "other"
"""


def names(folder: Path, text: str) -> list[str]:
    (folder / "config.py").write_text(text)
    made = rendered(generate([str(folder / "config.py")], Options()), "config")
    return [function or row for function, row in re.findall(r'def (test_\w+)|id="(\w+)"', made)]


def test_conditions_loops_and_exceptions_are_named(tmp_path: Path) -> None:
    found = names(tmp_path, CONFIG)
    assert any("line_starts_with_hash" in name for name in found)
    assert any("line_does_not_start_with_hash" in name for name in found)
    assert any("no_lines" in name or "empty_lines" in name for name in found)
    assert any("caught_value_error" in name for name in found)
    assert all(len(name) <= 60 for name in found)
    assert not any(re.search(r"line_\d|loop", name) for name in found)


def test_names_stay_when_code_is_added_above(tmp_path: Path) -> None:
    before = names(tmp_path, CONFIG)
    assert before == names(tmp_path, "LIMIT = 3\n\n" + CONFIG)
