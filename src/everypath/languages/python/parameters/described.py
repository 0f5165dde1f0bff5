"""Types of parameters that docstrings give in words, in the styles of Sphinx, Google and numpy."""

from __future__ import annotations

import ast
import re

_STYLES = (
    r"^\s*:param\s+(?P<type>[\w.\[\], |]+?)\s+(?P<name>\w+)\s*:",
    r"^\s*:type\s+(?P<name>\w+)\s*:\s*(?P<type>.+?)\s*$",
    r"^\s*\*{0,2}(?P<name>\w+)\s*\((?P<type>[^()]+)\)\s*:",
    r"^\s*\*{0,2}(?P<name>\w+)\s+:\s+(?P<type>.+?)\s*$",
)
"""How docstrings give the types of parameters: two ways of Sphinx, that of Google and that of numpy."""
_SPOKEN = (
    (r",?\s*\b(optional|default\b.*|defaults to.*)$", ""),
    (r"\b(list|tuple|set|dict|iterable|sequence) of (\w+?)s?\b", r"\1[\2]"),
    (r"\s+or\s+", " | "),
    (r"\b(string|unicode)\b", "str"),
    (r"\binteger\b", "int"),
    (r"\bboolean\b", "bool"),
    (r"\b(callable|function)\b", "Callable"),
    (r"\b(iterable|sequence)\b", "list"),
)
"""What people write in place of annotations."""


def described_types(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> dict[str, ast.expr]:
    """The types that the docstring of a function gives its parameters, as annotations."""
    found: dict[str, ast.expr] = {}
    text = ast.get_docstring(node) or ""
    for match in (match for style in _STYLES for match in re.finditer(style, text, re.M)):
        said = match["type"].strip(" `")
        for pattern, written in _SPOKEN:
            said = re.sub(pattern, written, said)
        try:
            found.setdefault(match["name"], ast.parse(said, mode="eval").body)
        except (SyntaxError, ValueError):
            continue
    return found
