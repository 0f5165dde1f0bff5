"""Tells what kept Everypath from the lines and branches that its tests miss: first obstacles, most frequent first.

`python -m modules.obstacles KEPT` reads the folder that `modules.compare --keep KEPT` left. A missing line belongs to
the function around it; its obstacle is what the output says about that function, or about what the function needs.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = ("internal error", "defect", "import", "unsupported", "types", "unknown", "cut", "concretised")
"""What ends paths, before what only limits them."""
_PROBLEM = re.compile(rf"^(?P<file>[^\s:]+\.py):(?P<line>\d+): (?P<kind>{'|'.join(KINDS)}): (?P<message>.*)$")
_ENTRY = re.compile(r"^(?P<entry>[^\s:]+::\S+): (?:cases (?P<cases>\d+)|(?P<reason>.*))")
_NAMES = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d+\b")
_DETAILS = re.compile(
    r"`[^`]*`|(?<=class )\S+|(?<=calling )\S+|(?<=extends ).*(?=, (?:whose|is))|\b\w+(?:\.\w+)+(?:\(\))?| \(.*\)"
)


@dataclass(frozen=True, slots=True)
class Told:
    """A line of the output about something that could not be done."""

    file: str
    line: int
    kind: str
    message: str

    @property
    def general(self) -> str:
        """The obstacle without the names of one program."""
        message = re.sub(r"^\S+: (?=the time|known inputs)", "", self.message)
        message = re.sub(r" of \S+\.\S+ (?=\()| at line \d+", " ", message)
        return f"{self.kind}: {_NAMES.sub('…', message)}"


@dataclass(frozen=True, slots=True)
class Function:
    """Where a function of the module is; functions inside of it belong to it."""

    name: str
    first: int
    last: int


def functions(source: str) -> list[Function]:
    """The functions and methods of a module."""

    def found(body: list[ast.stmt], prefix: str) -> Iterator[Function]:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                yield Function(prefix + node.name, first, node.end_lineno or first)
            elif isinstance(node, ast.ClassDef):
                yield from found(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.If | ast.Try | ast.With):
                yield from found(node.body, prefix)
                yield from found(getattr(node, "orelse", []), prefix)

    return list(found(ast.parse(source).body, ""))


def missing(report: dict[str, Any]) -> tuple[str, list[int]]:
    """The file of a report, and a line number for each line and each branch that is missing."""
    ((file, found),) = report["files"].items()
    return file, [*found["missing_lines"], *(abs(start) for start, _ in found["missing_branches"])]


@dataclass(slots=True)
class Output:
    """What Everypath said about one module."""

    entries: dict[str, re.Match[str]]
    own: list[Told]
    others: list[Told]
    """about modules that it needs, and about the run"""
    last: str

    @classmethod
    def read(cls, file: Path, source: str) -> Output:
        """Takes the printed lines apart; what ends paths comes before what only limits them."""
        printed = file.read_text(encoding="utf-8", errors="replace").splitlines() or ["nothing was printed"]
        told = [Told(m["file"], int(m["line"]), m["kind"], m["message"]) for m in map(_PROBLEM.match, printed) if m]
        told = [one for one in told if "assumed from the code" not in one.message]
        told.sort(key=lambda one: KINDS.index(one.kind))
        own = [one for one in told if source.endswith(one.file)]
        others = [one for one in told if one not in own]
        entries = {m["entry"].partition("::")[2].removesuffix(".setter"): m for m in map(_ENTRY.match, printed) if m}
        return cls(entries, own, others, printed[-1][:150])

    def first_obstacle(self, function: Function | None, line: int) -> str:
        """Why a line has no test: what is said about the module, the function around it, or what that needs."""
        every = [*self.own, *self.others]
        refused = [one for one in every if one.kind == "import"]
        if refused:
            return refused[0].general
        cases = sum(int(entry["cases"] or 0) for entry in self.entries.values())
        if not self.entries or (function is None and not cases):
            return f"no test at all: {every[0].general if every else self.last}"
        if function is None:
            return "code outside of functions"
        if any(one.kind == "defect" and one.message.startswith(f"{function.name} ") for one in every):
            return "defect: ran differently than predicted"
        inside = [one for one in self.own if function.first <= one.line <= function.last]
        if inside:
            before = [one for one in inside if one.kind == inside[0].kind and one.line <= line]
            return (before[-1] if before else inside[0]).general
        return self._about(function)

    def _about(self, function: Function) -> str:
        """What the row of a function says, if nothing is said about its lines."""
        entry = self.entries.get(function.name)
        if entry is None:
            private = any(part.startswith("_") and not part.endswith("__") for part in function.name.split("."))
            return "private function, not reached from public ones" if private else "no entry, and nothing told"
        if entry["reason"]:
            return _NAMES.sub("…", entry["reason"])
        needed = [one for one in self.others if one.kind == "unsupported"]
        if needed and re.search(r" unsupported [1-9]", entry.string):
            return f"in another module: {needed[0].general}"
        counts = re.findall(r"(cut|unsupported|unknown) [1-9]\d*(?: \(([^)]*)\))?", entry.string)
        if counts:
            return (
                f"counted, but no reason told in the function: {' '.join(_NAMES.sub('', ' '.join(counts[0])).split())}"
            )
        return "nothing told"


def obstacles(folder: Path) -> Iterator[tuple[str, str]]:
    """For every missing line and branch of a subject: its obstacle and where it is."""
    report = next(
        (folder / name for name in ("coverage.json", "measured/empty.json") if (folder / name).exists()), None
    )
    if report is None:
        return
    file, lines = missing(json.loads(report.read_text(encoding="utf-8")))
    output = Output.read(folder / "output.txt", file)
    known = functions(Path(file).read_text(encoding="utf-8"))
    for line in lines:
        function = next((f for f in known if f.first <= line <= f.last), None)
        where = f"{folder.name}::{function.name if function else '(module)'}"
        yield output.first_obstacle(function, line), where


def kind_of(obstacle: str) -> str:
    """The obstacle without what it is about, so that those of one kind are counted together."""
    return _DETAILS.sub("…", obstacle.removeprefix("in another module: "))


def show(title: str, named: list[tuple[str, str]]) -> None:
    """Prints what there is under each name, most frequent first."""
    found = Counter(name for name, _ in named)
    print(f"\n## {title}\n")
    for name, count in found.most_common():
        places = Counter(where for other, where in named if other == name)
        examples = ", ".join(f"{where} ({number})" for where, number in places.most_common(4))
        print(f"- {count} ({100 * count / len(named):.1f} %) {name}\n  {examples}")


def main(kept: Path) -> None:
    """Prints the obstacles of all subjects."""
    found = [pair for folder in sorted((kept / "everypath").iterdir()) for pair in obstacles(folder)]
    print(f"{len(found)} lines and branches are missing, each counted with its first obstacle.")
    show("Kinds", [(kind_of(obstacle), where) for obstacle, where in found])
    show("Modules", [(where.partition("::")[0], kind_of(obstacle)) for obstacle, where in found])
    show("One by one", found)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
