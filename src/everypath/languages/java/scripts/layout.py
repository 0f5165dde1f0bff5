"""Statements on lines that are not too long."""

from __future__ import annotations

WIDTH = 100
INDENT = "    "
_CONTINUED = INDENT * 2


def indented(lines: list[str], depth: int) -> list[str]:
    """Lines, or texts of several lines, moved to the right, with long ones continued on the next line."""
    found: list[str] = []
    for text in lines:
        for line in text.split("\n"):
            found += _folded(INDENT * depth + line) if line else [""]
    return found


def _folded(line: str) -> list[str]:
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    pieces = _pieces(line)
    if len(pieces) == 1:
        return [line]
    lines = [pieces[0]]
    for piece in pieces[1:]:
        fits = len(lines[-1]) + len(piece) <= WIDTH
        # Whatever is in brackets either fits behind them or begins on a line of its own.
        if fits and (len(lines) > 1 or not lines[-1].endswith(("(", "{"))):
            lines[-1] += piece
        else:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent + _CONTINUED + piece.lstrip())
    return lines


def _pieces(line: str) -> list[str]:
    """A line cut where it may go on on the next one: after a bracket, a comma or an arrow outside of texts."""
    pieces = [""]
    quote = ""
    escaped = False
    for at, char in enumerate(line):
        pieces[-1] += char
        if quote:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif char == "," or (char in "({" and line[at + 1 : at + 2] not in ")}") or line[: at + 1].endswith("->"):
            pieces.append("")
    return [piece for piece in pieces if piece]
