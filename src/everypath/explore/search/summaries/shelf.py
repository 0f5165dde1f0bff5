"""Where summaries wait for the next run: a folder with a file for each, named after all that it depends on.

A summary depends on the text of the program, line numbers included, as far as it is loaded; on the bounds; and on the
surroundings, which whoever opens the shelf tells. If any of it differs the name does, and the file is not found. Code
that was only loaded while the summary was made is in no name, so such a summary is not kept.
"""

from __future__ import annotations

import contextlib
import json
import os
from binascii import crc32
from collections.abc import Sequence
from pathlib import Path

from everypath.explore.search.summaries.model import Summary
from everypath.explore.search.summaries.restoring import BadData, summary_of
from everypath.explore.search.summaries.storing import NotStorable, summary_data
from everypath.ir.program import Method, Program
from everypath.ir.text import print_program
from everypath.ir.types import Type
from everypath.records import replace

_MOST = 1_000
"""As many summaries are kept; where there are more, those that were not used for longest go."""


class Folder:
    """A shelf that is a folder: the summaries of one program."""

    def __init__(self, folder: Path, surroundings: str) -> None:
        self._folder = folder
        self._surroundings = surroundings
        self._printed: tuple[int, str] = (0, "")
        self.found = 0
        """how many summaries were there"""

    def name(self, program: Program, method: Method, types: Sequence[Type], bounds: object) -> str:
        """What a summary depends on."""
        # Few runs compose anything.
        from _blake2 import blake2b

        told = "\n".join((self._surroundings, self._text(program), method.qualified, repr(tuple(types)), repr(bounds)))
        return blake2b(told.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()

    def _text(self, program: Program) -> str:
        """The program without models, which are part of this tool, and without what the language's library has."""
        size = sum(len(cls.methods) + 1 for cls in program.classes.values())
        if self._printed[0] != size:
            own = {name: cls for name, cls in program.classes.items() if not (cls.model or cls.external)}
            self._printed = size, print_program(replace(program, classes=own))
        return self._printed[1]

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
        if not summary.timely:
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
