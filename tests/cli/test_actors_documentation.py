"""What `docs/actors.md` and the README show of actor programs is what the commands really print and write."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from everypath.options import ACTORS, ORDERS, SWITCHES
from tests.conftest import ROOT
from tests.transcripts import blocks, dialogue, printed

DOCUMENT = ROOT / "docs" / "actors.md"
_SECONDS = re.compile(r"seconds [\d.]+")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples" / "actors", tmp_path / "examples" / "actors")
    return tmp_path


def _stable(text: str) -> list[str]:
    return [_SECONDS.sub("seconds", line.rstrip()) for line in text.strip("\n").splitlines()]


def _contains(real: Any, shown: Any) -> bool:
    """Whether the shown JSON is a part of the real one."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(k in real and _contains(real[k], v) for k, v in shown.items())
    if isinstance(shown, list):
        return isinstance(real, list) and all(any(_contains(each, part) for each in real) for part in shown)
    return bool(real == shown)


def _patch(file: Path, diff: str) -> None:
    """Make the change that a part of a diff shows."""
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if not line.startswith("+"))
    after = "".join(line[1:] for line in lines if not line.startswith("-"))
    text = file.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_the_guide_is_real(folder: Path) -> None:
    """The blocks in their order: commands are run, the fix is made, and files are compared with what was written."""
    sources = {path: path.read_text(encoding="utf-8") for path in (folder / "examples" / "actors").glob("*.abs")}
    fact = folder / "examples" / "actors" / "fact.abs"
    checked = []
    for block in blocks(DOCUMENT):
        if block.kind == "console":
            for command, output in dialogue(block.text):
                assert _stable(output) == _stable(printed(command, folder)), command
        elif block.kind == "json":
            assert _contains(json.loads((folder / "fact.json").read_text(encoding="utf-8")), json.loads(block.text))
        elif block.kind == "abs":
            written = [path.read_text(encoding="utf-8") for path in folder.glob("test_*_generated.abs")]
            assert any(block.text in text for text in (*sources.values(), *written)), block.text
        elif block.kind == "diff":
            _patch(fact, block.text)
        else:
            continue
        checked.append(block.kind)
    assert checked.count("console") >= 8
    assert checked.count("abs") >= 3
    assert checked.count("json") == 1


def test_the_readme_is_real(folder: Path) -> None:
    """The defaults are those of the guide's walk-through."""
    shown = [block for block in blocks(ROOT / "README.md") if "examples/actors/" in block.text]
    assert shown
    for block in shown:
        for command, output in dialogue(block.text):
            assert _stable(output) == _stable(printed(command, folder)), command


def test_every_option_for_actors_is_explained(folder: Path) -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    offered = set(re.findall(r"^  (--[a-z-]+)", printed("everypath generate --help", folder), re.MULTILINE))
    for option in offered & {
        "--switches", "--actors", "--queue", "--order", "--policy", "--apet", "--every-order", "--spare-actor",
        "--bound-concrete", "--bound-references", "--oldest-first", "--static-independence", "--loops", "--depth",
        "--poll", "--time",
    }:  # fmt: skip
        assert option in document, option
    assert all(f"`{order}`" in document for order in ORDERS)
    assert f"from its queue ({SWITCHES})" in document and f"new actors of the input ({ACTORS})" in document
    assert "`--no-input-errors`" in document
