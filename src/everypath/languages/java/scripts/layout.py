"""Statements on lines that are not too long."""

from __future__ import annotations

from textwrap import wrap

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


def comment(text: str) -> list[str]:
    """A sentence as comment lines, which fit where members of a class stand."""
    return [f"// {line}" for line in wrap(text, WIDTH - 2 * len(INDENT), break_long_words=False)]


def _folded(line: str) -> list[str]:
    """A line, continued where its outermost brackets allow it; further inside only if that is not enough."""
    if len(line) <= WIDTH or line.lstrip().startswith("//"):
        return [line]
    indent = line[: len(line) - len(line.lstrip())] + _CONTINUED
    pieces = _pieces(line)
    lines = [line]
    for depth in range(1, max((depth for _, depth in pieces), default=0) + 1):
        lines = [""]
        for piece, inside in pieces:
            lines[-1] += piece
            if inside <= depth:
                lines.append("")
        lines = _filled([each for each in lines if each], indent)
        if all(len(each) <= WIDTH for each in lines):
            break
    return lines


def _filled(parts: list[str], indent: str) -> list[str]:
    lines = [parts[0]]
    for part in parts[1:]:
        # What follows an opening bracket begins on a line of its own, the rest goes on as long as it fits.
        if len(lines[-1] + part.rstrip()) <= WIDTH and not lines[-1].endswith(("(", "{")):
            lines[-1] += part
        else:
            lines[-1] = lines[-1].rstrip()
            lines.append(indent + part.lstrip())
    return lines


def _pieces(line: str) -> list[tuple[str, int]]:
    """A line cut after every bracket that opens and every comma, outside of texts, with how deep inside that is."""
    pieces: list[tuple[str, int]] = []
    current, quote, depth, escaped = "", "", 0, False
    for at, char in enumerate(line):
        current += char
        if quote:
            if char == quote and not escaped:
                quote = ""
            escaped = char == "\\" and not escaped
            continue
        if char in "\"'":
            quote = char
        depth += (char in "({") - (char in ")}")
        if char == "," or (char in "({" and line[at + 1 : at + 2] not in ")}"):
            pieces.append((current, depth))
            current = ""
    return [*pieces, (current, 0)] if current else pieces
