"""What a document shows of commands: its fenced blocks, the commands in them, and what these print here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_BUILD_SERVER = ("CI", "BUILD_NUMBER", "PYTEST_ADDOPTS")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced part of a document."""

    kind: str
    text: str


def blocks(document: Path) -> list[Block]:
    """The fenced parts, in order."""
    return [Block(*found) for found in _BLOCK.findall(document.read_text(encoding="utf-8"))]


def printed(command: str, folder: Path) -> str:
    """What the command prints to a pipe, with the tools of the running Python and lines of 80 characters.

    On a build server pytest prints its summary in full, however long the lines; here it is to print as it does for
    a user.
    """
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    user = {name: value for name, value in os.environ.items() if name not in _BUILD_SERVER}
    environment = {**user, "PATH": path, "COLUMNS": "80", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.stdout


def dialogue(text: str) -> Iterator[tuple[str, str]]:
    """Every command of a block with what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output
