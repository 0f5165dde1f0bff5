"""Texts that docstrings show: blocks of examples, their lines, literals in what is typed at a prompt, quoted code.

What a function reads, its author often shows right there: a command line, a cell of a notebook, a piece of a file. Such
a text is seldom met by chance, and a part of it is rarely of use without the rest.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_HEADING = re.compile(
    r"^(args|arguments|parameters|params|keyword args|keyword arguments|other parameters|returns?|yields?|raises"
    r"|attributes|notes?|see also|references|warnings?|todo)\s*:?$",
    re.IGNORECASE,
)
"""After these lines of a docstring something is described, not shown."""
_FIELD = re.compile(r"^(:\w|\.\. |[-*] |\d+\. )")
_PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?(.*)$", re.MULTILINE)
_QUOTED = re.compile(r"(?<!:)(`{1,2})([^`\n]{1,60})\1")
_NAMED = re.compile(r"[~.]?\w+(\.\w+)*(\(\))?")
"""Quoted so that it is known for the name of something."""
_LONGEST = 400
_MOST_LINES = 8
_MOST = 24
"""Texts that are taken from one docstring."""


def shown_texts(docstring: str) -> list[str]:
    """What a docstring shows, each text once; it is one without the indentation of the source."""
    found: dict[str, None] = {}
    for block in _blocks(docstring.splitlines()):
        typed = "\n".join(_PROMPT.findall(block))
        found |= dict.fromkeys(_literals(typed) if typed else _with_lines(block))
    for match in _QUOTED.finditer(docstring):
        quoted = match[2].strip()
        if not _NAMED.fullmatch(quoted):
            found |= dict.fromkeys(_literals(quoted) if quoted[0] in "'\"" else [quoted])
    return [text for text in found if 0 < len(text) <= _LONGEST][:_MOST]


def _blocks(lines: list[str]) -> Iterator[str]:
    """The indented blocks after text that announces them, without their indentation; prompts need none."""
    at, before = 0, ""
    while at < len(lines):
        line = lines[at]
        first = line.lstrip()
        if not first:
            at += 1
            continue
        indent = len(line) - len(first)
        if not (indent or first.startswith(">>>")):
            before, at = first, at + 1
            continue
        end = at
        while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) >= indent):
            if not indent and not lines[end].strip():
                break
            end += 1
        if not _HEADING.match(before) and not _FIELD.match(before):
            yield "\n".join(each[indent:] for each in lines[at:end]).strip("\n")
        at = end


def _with_lines(block: str) -> Iterator[str]:
    yield block
    lines = [line.strip() for line in block.splitlines()]
    if len(lines) > 1:
        yield from [line for line in lines if line][:_MOST_LINES]


def _literals(typed: str) -> Iterator[str]:
    """The texts among what is typed at a prompt."""
    try:
        tree = ast.parse(typed)
    except (SyntaxError, ValueError):
        return
    yield from (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
