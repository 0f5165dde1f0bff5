"""Tells what kept Everypath from the lines and branches that its tests miss: first obstacles, most frequent first.

`python -m modules.obstacles KEPT` reads the folder that `modules.compare --keep KEPT` left. A missing line belongs to
the function around it; its obstacle is what the output says about that function, or about what the function needs.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = ("internal error", "defect", "import", "unsupported", "types", "unknown", "cut", "concretised")
"""What ends paths, before what only limits them."""
_PROBLEM = re.compile(rf"^(?P<file>[^\s:]+\.py):(?P<line>\d+): (?P<kind>{'|'.join(KINDS)}): (?P<message>.*)$")
_ENTRY = re.compile(r"^(?P<entry>[^\s:]+::\S+): (?:cases (?P<cases>\d+)|(?P<reason>.*))")
_NAMES = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d+\b")


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


def obstacles(folder: Path) -> Iterator[tuple[str, str]]:
    """For every missing line and branch of a subject: its obstacle and where it is."""
    printed = (folder / "output.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    told = [Told(m["file"], int(m["line"]), m["kind"], m["message"]) for m in map(_PROBLEM.match, printed) if m]
    told = [one for one in told if "assumed from the code" not in one.message]
    told.sort(key=lambda one: KINDS.index(one.kind))
    entries = {m["entry"].partition("::")[2]: m for m in map(_ENTRY.match, printed) if m}
    report = next(
        (folder / name for name in ("coverage.json", "measured/empty.json") if (folder / name).exists()), None
    )
    if report is None:
        return
    file, lines = missing(json.loads(report.read_text(encoding="utf-8")))
    known = functions(Path(file).read_text(encoding="utf-8"))
    own = [one for one in told if file.endswith(one.file)]
    others = [one for one in told if not file.endswith(one.file)]
    for line in lines:
        function = next((f for f in known if f.first <= line <= f.last), None)
        where = f"{folder.name}::{function.name if function else '(module)'}"
        yield _first(function, line, own, others, entries, printed), where


def _first(
    function: Function | None,
    line: int,
    own: list[Told],
    others: list[Told],
    entries: dict[str, re.Match[str]],
    printed: list[str],
) -> str:
    if not entries:
        return (
            f"no test at all: {(own or others)[0].general}" if own or others else f"no test at all: {printed[-1][:150]}"
        )
    if function is None:
        return "code outside of functions"
    inside = [one for one in own if function.first <= one.line <= function.last]
    if inside:
        kind = inside[0].kind
        before = [one for one in inside if one.kind == kind and one.line <= line]
        return (before[-1] if before else inside[0]).general
    entry = next((m for name, m in entries.items() if name.removesuffix(".setter") == function.name), None)
    if entry is None:
        private = any(part.startswith("_") and not part.endswith("__") for part in function.name.split("."))
        return (
            "private function, not reached from public ones" if private else "not among the entries, and nothing told"
        )
    if entry["reason"]:
        return _NAMES.sub("…", entry["reason"])
    needed = [one for one in others if one.kind == "unsupported"]
    if " unsupported 0" not in entry.string and needed:
        return f"in another module: {needed[0].general}"
    counts = re.findall(r"(cut|unsupported|unknown) ([1-9]\d*)(?: \(([^)]*)\))?", entry.string)
    if counts:
        return "counted, without a reason in the function: " + ", ".join(
            sorted({f"{what} {_NAMES.sub('', why)}" for what, _, why in counts})
        )
    return "nothing told"


def main(kept: Path) -> None:
    """Prints the obstacles of all subjects."""
    found: Counter[str] = Counter()
    places: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for folder in sorted((kept / "everypath").iterdir()):
        for obstacle, where in obstacles(folder):
            found[obstacle] += 1
            places[obstacle][where] += 1
    total = sum(found.values())
    print(f"{total} lines and branches are missing; by first obstacle:\n")
    for obstacle, count in found.most_common():
        examples = ", ".join(f"{where} ({number})" for where, number in places[obstacle].most_common(4))
        print(f"- {count} ({100 * count / total:.1f} %) {obstacle}\n  {examples}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
