"""What `docs/threads.md` and the README show of `everypath race` is what it really prints and writes."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.transcripts import Block, blocks, dialogue, printed

_COUNTED = re.compile(r"sequences|requirements|interleaving|seconds|passed in|failed in")
"""Lines with times and amounts of work, which differ from machine to machine."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples" / "threads", tmp_path / "examples" / "threads")
    return tmp_path


def _stable(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return [_without_numbers(line) if _COUNTED.search(line) else line for line in lines]


def _without_numbers(line: str) -> str:
    return re.sub(r"\b(interleaving|sequence|test|trace)s?\b", r"\1", re.sub(r"\d+(\.\d+)?", "N", line))


def _check(block: Block, folder: Path) -> None:
    for command, output in dialogue(block.text):
        assert _stable(printed(command, folder)) == _stable(output), command


def _contains(whole: Any, part: Any) -> bool:
    """Whether an object has everything that an excerpt of it shows."""
    match part:
        case dict():
            return all(name in whole and _contains(whole[name], value) for name, value in part.items())
        case list():
            return len(whole) == len(part) and all(map(_contains, whole, part))
        case _:
            return bool(whole == part)


def test_the_walk_through_is_real(folder: Path) -> None:
    """The blocks in their order: commands are run, the fix is made, and files are compared with what was written."""
    cache = folder / "examples" / "threads" / "lru_cache.py"
    checked = []
    wrong = ""
    for block in blocks(ROOT / "docs" / "threads.md"):
        if block.kind == "console":
            _check(block, folder)
        elif block.kind == "json":
            assert _contains(json.loads((folder / "found.json").read_text(encoding="utf-8")), json.loads(block.text))
        elif block.text.startswith('"""'):
            assert (folder / "test_lru_cache_threads.py").read_text(encoding="utf-8") == block.text
        elif block.text.startswith("    def get") and not wrong:
            wrong = block.text
            assert wrong in cache.read_text(encoding="utf-8")
        elif block.text.startswith("    def get"):
            cache.write_text(cache.read_text(encoding="utf-8").replace(wrong, block.text, 1), encoding="utf-8")
        else:
            continue
        checked.append(block.kind)
    assert checked.count("console") >= 5
    assert checked.count("python") == 3
    assert checked.count("json") == 1


def test_the_example_of_the_readme_is_real(folder: Path) -> None:
    shown = [block for block in blocks(ROOT / "README.md") if block.text.startswith("$ everypath race")]
    assert shown
    for block in shown:
        _check(block, folder)


def test_the_options_are_those_that_there_are(folder: Path) -> None:
    """Every option of the command is explained, and no other."""
    (block,) = (b for b in blocks(ROOT / "docs" / "threads.md") if b.text.startswith("everypath race TARGET"))
    explained = {found.split()[0] for found in re.findall(r"^ +(-.*)", block.text, re.MULTILINE)}
    offered = set(
        re.findall(r"^  (?:-o, )?(--[a-z]+(?:-[a-z]+)?)", printed("everypath race --help", folder), re.MULTILINE)
    )
    assert explained - {"-o"} == offered - {"--output"}
