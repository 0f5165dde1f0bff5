"""Where summaries wait for the next run: a folder with a file for each, named after all that it depends on.

A summary depends on the text of its method and of all that it may run, line numbers included; on how variables of
modules begin, and on what classes there are; on the bounds; and on the surroundings, which whoever opens the shelf
tells. If any of it differs the name does, and the file is not found. A summary for which something ran that was not
known to be possible beforehand is not kept.
"""

from __future__ import annotations

import contextlib
import json
import os
from binascii import crc32
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from everypath.explore.search.guidance.call_graph import CallGraph
from everypath.explore.search.summaries.model import Summary
from everypath.explore.search.summaries.restoring import BadData, summary_of
from everypath.explore.search.summaries.storing import NotStorable, summary_data
from everypath.ir.program import Class, Method, Program
from everypath.ir.text import print_program
from everypath.ir.types import Type
from everypath.records import replace

_MOST = 1_000
"""As many summaries are kept; where there are more, those that were not used for longest go."""


class Folder:
    """A shelf that is a folder: the summaries of one program."""

    def __init__(self, folder: Path, surroundings: str, by_operation: Callable[[str], bool]) -> None:
        """`by_operation` tells the names of methods that operators look up."""
        self._folder = folder
        self._surroundings = surroundings
        self._by_operation = by_operation
        self._graph: tuple[int, CallGraph] | None = None
        self.found = 0
        """how many summaries were there"""

    def name(self, program: Program, method: Method, types: Sequence[Type], bounds: object) -> str:
        """What a summary depends on."""
        # Few runs compose anything.
        from _blake2 import blake2b

        used = self._used(program, method)
        text = print_program(replace(program, classes=dict(_cut_down(program, used))))
        told = "\n".join((self._surroundings, text, method.qualified, repr(tuple(types)), repr(bounds)))
        return blake2b(told.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()

    def _used(self, program: Program, method: Method) -> set[int]:
        """The methods that a call may run, and those that variables begin with."""
        size = sum(len(cls.methods) + 1 for cls in program.classes.values())
        if self._graph is None or self._graph[0] != size:
            self._graph = size, CallGraph(program, self._by_operation)
        graph = self._graph[1]
        own = [cls for cls in program.classes.values() if _is_own(cls)]
        beginning = [cls.methods[name] for cls in own for name in cls.statics.values() if name in cls.methods]
        return {id(each) for start in (method, *beginning) for each in graph.reachable(start)}

    def find(self, name: str, program: Program, method: Method) -> Summary | None:
        """The summary of this name, if there is one that can be read."""
        path = self._folder / name
        try:
            checksum, _, text = path.read_text(encoding="utf-8").partition("\n")
            if checksum != f"{crc32(text.encode()):08x}":
                return None
            summary = summary_of(program, method, json.loads(text))
        except (OSError, ValueError, RecursionError, BadData):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        self.found += 1
        return summary

    def keep(self, name: str, program: Program, summary: Summary) -> None:
        """Keep a summary, as far as that is possible."""
        if not (summary.timely and summary.methods <= self._used(program, summary.method)):
            return
        hidden = self._folder / f".{name}.{os.getpid():x}"
        try:
            text = json.dumps(summary_data(program, summary), separators=(",", ":"))
            self._folder.mkdir(parents=True, exist_ok=True)
            hidden.write_text(f"{crc32(text.encode()):08x}\n{text}", encoding="utf-8")
            os.replace(hidden, self._folder / name)
            self._clear()
        except (OSError, ValueError, RecursionError, NotStorable):
            with contextlib.suppress(OSError):
                hidden.unlink()

    def _clear(self) -> None:
        files = list(os.scandir(self._folder))
        if len(files) > _MOST:
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[: len(files) - _MOST // 2]:
                os.unlink(file.path)


def _is_own(cls: Class) -> bool:
    """Whether a class is neither a model, which is part of this tool, nor one of the language's library."""
    return not (cls.model or cls.external)


def _cut_down(program: Program, used: Collection[int]) -> Iterator[tuple[str, Class]]:
    """The program's own classes, with no other methods than these."""
    for name, cls in program.classes.items():
        if _is_own(cls):
            yield name, replace(cls, methods={n: each for n, each in cls.methods.items() if id(each) in used})
