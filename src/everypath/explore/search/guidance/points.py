"""The points of a program that a user names as FILE:LINE."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from everypath.errors import BadInput, Span
from everypath.explore.traces import Place
from everypath.ir.program import Method, Program
from everypath.options import POINTS


def points_in(selection: str) -> list[tuple[str, int]]:
    """The files and lines that a selection names, none if it names no points."""
    if not selection.startswith(POINTS):
        return []
    named = (point.strip().rpartition(":") for point in selection.removeprefix(POINTS).split(","))
    return list(dict.fromkeys((file, int(line)) for file, _, line in named))


def resolve(named: Sequence[tuple[str, int]], programs: Sequence[Program]) -> list[Place]:
    """The points as programs name their files; BadInput for a file that is in none, or a line that is no code.

    A program need not hold code that its entries do not use.
    """
    lines: dict[str, set[int]] = {}
    for program in programs:
        for method in program.methods():
            for place in code_lines(method):
                lines.setdefault(place[0], set()).add(place[1])
    return [_resolved(file, line, lines) for file, line in named]


def code_lines(method: Method) -> set[Place]:
    """The lines on which a method has instructions."""
    spans = (each.span for block in method.blocks.values() for each in (*block.instructions, block.terminator))
    return {(span.file, span.line) for span in spans if span.line}


def last_line(method: Method) -> int:
    """The last line on which the method has an instruction."""
    return max((line for file, line in code_lines(method) if file == method.span.file), default=method.span.line)


def _resolved(file: str, line: int, lines: dict[str, set[int]]) -> Place:
    found = [known for known in lines if same_file(file, known)]
    if not found:
        raise BadInput(
            f"{file} is no file of the targets' code, so that no path leads to line {line}", Span(file, line)
        )
    if line in lines[found[0]]:
        return found[0], line
    near = nearest(line, lines[found[0]])
    raise BadInput(f"line {line} is no code that a function executes; {near}", Span(file, line))


def nearest(line: int, lines: Iterable[int]) -> str:
    """Which lines around this one are code."""
    before = max((each for each in lines if each < line), default=None)
    after = min((each for each in lines if each > line), default=None)
    known = [str(each) for each in (before, after) if each is not None]
    return f"the nearest lines that are: {' and '.join(known)}" if known else "there is none in this file"


def same_file(first: str, second: str) -> bool:
    """Whether two names mean one file; a name may leave out the folders in front."""
    if os.path.realpath(first) == os.path.realpath(second):
        return True
    wanted, known = os.path.normpath(first).split(os.sep), os.path.normpath(second).split(os.sep)
    if not os.path.isabs(first):
        return known[-len(wanted) :] == wanted
    # Installed code is named without the folder that it lies in on this machine.
    return not os.path.isabs(second) and not os.path.exists(second) and wanted[-len(known) :] == known
