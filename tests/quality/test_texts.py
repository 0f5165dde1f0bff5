"""Which texts tests use: as short as their path allows, on both borders of ranges, with results that say something."""

from __future__ import annotations

import json
from pathlib import Path

from ..cli.command import everypath

SPLIT = """\
def split(line: str) -> tuple[str, str]:
    place = line.find("=")
    if place < 0:
        raise ValueError("no sign")
    name = line[:place].strip()
    if name == "":
        raise ValueError("no name")
    return name, line[place + 1 :].strip()
"""
LETTERS = """\
def letters(text: str) -> int:
    found = 0
    for char in text:
        if "a" <= char <= "z":
            found += 1
    return found
"""


def lines(folder: Path, code: str, *options: str) -> list[str]:
    """The text that each test passes."""
    (folder / "sample.py").write_text(code)
    result = everypath(folder, "generate", "sample.py", "--format", "json", *options)
    return [value for case in json.loads(result.out)["cases"] for value in case["inputs"]["arguments"].values()]


def test_a_text_is_no_longer_than_its_path_needs(tmp_path: Path) -> None:
    """The solver once left its own padding behind the sign, and the place of the sign was not on its border."""
    missing, whole, nameless = lines(tmp_path, SPLIT)
    assert len(missing) == 1, "a text is not empty without need, and one letter shows that it has no sign"
    assert nameless == "="
    name, value = whole.split("=")
    assert len(name.strip()) == len(value.strip()) == 1


def test_characters_lie_on_both_borders_of_a_range(tmp_path: Path) -> None:
    found = set("".join(lines(tmp_path, LETTERS, "--loops", "2")))
    assert found >= {"a", "z"}
