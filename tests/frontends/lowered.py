"""Lowers snippets for the tests of the front end, and looks into what came out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from everypath.ir.check import check
from everypath.ir.instructions import Const, Instruction, Terminator
from everypath.ir.program import Method
from everypath.languages.python.frontend import Loaded, load_target


class Snippets:
    """A folder of snippets; each is lowered and checked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, text: str, name: str = "snippet.py") -> Path:
        """Store a source file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def load(self, text: str, member: str = "", types: tuple[str, ...] = (), name: str = "snippet.py") -> Loaded:
        """Lower a snippet; its IR has no faults."""
        path = self.write(text, name)
        target = str(path) + (f"::{member}" if member else "")
        loaded = load_target(target, types, self.folder)
        assert [str(fault) for fault in check(loaded.program)] == []
        return loaded

    def method(self, text: str, name: str = "f") -> Method:
        """Lower a snippet without problems and return one of its functions."""
        loaded = self.load(text)
        assert [str(problem) for problem in loaded.problems if problem.kind != "types"] == []
        method = loaded.program.find_method("snippet", name)
        assert method is not None
        return method


def steps(method: Method) -> Iterator[Instruction | Terminator]:
    """Every instruction and terminator, block by block."""
    for block in method.blocks.values():
        yield from block.instructions
        yield block.terminator


def of_kind(method: Method, *kinds: type) -> list[Instruction | Terminator]:
    """The instructions of some kinds, in order."""
    return [step for step in steps(method) if isinstance(step, kinds)]


def constants(method: Method) -> list[object]:
    """The values of all constants, in order."""
    return [step.value for step in steps(method) if isinstance(step, Const)]
