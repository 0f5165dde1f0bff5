"""Finds JML in the sources of a class: what stands before a method, and the invariants of the class.

`//@ requires x > 0;` and `/*@ requires x > 0; @*/` belong to the next method. A clause ends with the semicolon outside
of parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from everypath.records import dataclass, replace

UNNAMED = "$e"
"""what an exception is called that the source gives no name"""
_COMMENT = re.compile(r"//@(?P<line>[^\n]*)|/\*@(?P<block>.*?)@?\*/", re.S)
_CLAUSE = re.compile(r"\b(requires|pre|invariant|ensures|post|signals|signals_only|assignable)\b")
_DECLARATION = re.compile(r"\b([A-Za-z_$][\w$]*)\s*\(([^()]*)\)\s*(?:throws [\w.,\s]+)?[{;]")
_OTHER = re.compile(r"/\*(?!@).*?\*/|//(?!@)[^\n]*", re.S)
_GENERICS = re.compile(r"<[^<>]*>")
_NON_NULL = re.compile(r"/\*@\s*non_null\s*@?\*/\s*(?:final\s+)?[\w.<>\[\], ?]+?\s+(?P<name>\w+)\s*[,)]")
_SIGNALS = re.compile(r"\(\s*(?P<cls>[\w.$]+)(?:\s+(?P<name>\w+))?\s*\)\s*(?P<text>.*)", re.S)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its kind, its expression, and where it stands."""

    kind: str
    text: str
    line: int
    method: str = ""
    """the method that it belongs to; empty for an invariant"""
    parameters: int = 0
    throws: str = ""
    """the class of the exceptions that it is about, as the source names it"""
    name: str = ""
    """what the exception is called in the expression"""


def clauses(path: Path) -> Iterator[Clause]:
    """The clauses of a source file."""
    try:
        source = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    if "@" not in source:
        return
    # Other comments keep their length, so that lines stay where they are.
    plain = _OTHER.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    for comment in _COMMENT.finditer(plain):
        text = comment["line"] if comment["line"] is not None else re.sub(r"(?m)^\s*@", "", comment["block"])
        name, count = _declared(plain, comment.end())
        for clause in _CLAUSE.finditer(text):
            kind = {"pre": "requires", "post": "ensures"}.get(clause[1], clause[1])
            before = comment["line"] is None and text[: clause.start()].count("\n")
            line = plain.count("\n", 0, comment.start()) + 1 + int(before or 0)
            said = Clause(kind, " ".join(_expression(text[clause.end() :]).split()), line, name, count)
            yield _about_exceptions(said) if kind.startswith("signals") else said
    for found in _NON_NULL.finditer(plain):
        # The method begins before its parameters do: at the end of what was said before.
        begin = max(plain.rfind(end, 0, found.start()) for end in "{};")
        name, count = _declared(plain, begin + 1)
        yield Clause("requires", f"{found['name']} != null", plain.count("\n", 0, found.start()) + 1, name, count)


def _about_exceptions(clause: Clause) -> Clause:
    """`signals (Error e) condition` and `signals_only Error, Other`."""
    if clause.kind == "signals_only":
        thrown = [each.strip() for each in clause.text.split(",") if each.strip() not in ("", "\\nothing")]
        text = " || ".join(f"{UNNAMED} instanceof {each}" for each in thrown) or "false"
        return replace(clause, kind="signals", text=text, throws="java.lang.Exception", name=UNNAMED)
    found = _SIGNALS.match(clause.text)
    if found is None:
        # It is told with the conditions that are not understood.
        return replace(clause, throws="java.lang.Exception", name=UNNAMED)
    return replace(clause, text=found["text"] or "true", throws=found["cls"], name=found["name"] or UNNAMED)


def _expression(text: str) -> str:
    """The text up to the semicolon that ends a clause; those of quantifiers are inside of parentheses."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == ";" and depth <= 0:
            return text[:at]
    return text


def _declared(source: str, at: int) -> tuple[str, int]:
    """The name of the next method, and how many parameters it has."""
    rest = re.sub(r"//@[^\n]*|/\*@.*?\*/|@\w+(\([^()]*\))?", " ", source[at:], flags=re.S)
    found = _DECLARATION.search(rest)
    if found is None:
        return "", 0
    inside = found[2]
    while _GENERICS.search(inside):
        inside = _GENERICS.sub("", inside)
    return found[1], len([each for each in inside.split(",") if each.strip()])
