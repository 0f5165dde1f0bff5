"""From source text to tokens: the terminals of the grammar, with what a grammar cannot say about words and dots.

Deltas, product lines and feature models are cut out: they are recognised, reported and not translated.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from lark import Token
from lark.lexer import PatternStr, TerminalDef

from everypath.errors import Span
from everypath.languages.abs.frontend.problems import SYNTAX, UNSUPPORTED, Problems

_IGNORED = {"SPACE", "LINE_COMMENT", "BLOCK_COMMENT"}
_BROKEN = r"(?P<UNCLOSED_STRING>\"([^\"\\\r\n]|\\.)*)|(?P<UNCLOSED_COMMENT>/\*[\s\S]*)|(?P<UNCLOSED_TEMPLATE>`[^`$]*)"
_UNCLOSED = {
    "UNCLOSED_STRING": 'this string is not closed: `"` is missing at its end (a string ends on its own line)',
    "UNCLOSED_COMMENT": "this comment is not closed: `*/` is missing",
    "UNCLOSED_TEMPLATE": "this string is not closed: a backtick is missing at its end",
}
_VALUES = frozenset({"EQUAL", "COMMA", "RPAR", "SEMICOLON", "QMARK", "DOT", "EQ", "NE", "PLUS", "LE", "GE"})
_METHODS = frozenset({"TYPE_IDENTIFIER", "LBRACE", "LSQB"})
_SOFT: dict[str, tuple[bool, frozenset[str]]] = {
    **dict.fromkeys(("AS", "LOCAL", "TRAIT"), (True, frozenset({"TYPE_IDENTIFIER"}))),
    **dict.fromkeys(("USES", "ADDS", "MODIFIES", "REMOVES"), (True, _METHODS)),
    **dict.fromkeys(("DURATION", "SWITCH", "FOREACH"), (True, frozenset({"LPAR"}))),
    **dict.fromkeys(("WHEN", "DIE", "MOVECOGTO"), (False, _VALUES)),
    "RECOVER": (True, frozenset({"LBRACE"})),
    "DESTINY": (False, frozenset({"EQUAL"})),
}
"""Words that became reserved later, and that older programs use as names: word -> what must (True) or
must not (False) follow it to be the keyword."""

_SECTIONS = {
    "delta": "deltas",
    "productline": "product lines",
    "product": "products",
    "root": "feature models",
    "extension": "feature models",
}
_BOUNDARY = {"SEMICOLON", "RBRACE"}


class Scanner:
    """Reads the terminals of a grammar."""

    def __init__(self, terminals: Iterable[TerminalDef]) -> None:
        strings = {t.pattern.value: str(t.name) for t in terminals if isinstance(t.pattern, PatternStr)}
        patterns = [t for t in terminals if not isinstance(t.pattern, PatternStr)]
        patterns.sort(key=lambda t: -t.priority)
        self.words = {text: name for text, name in strings.items() if text[0].isalpha()}
        self.signs = {text: name for text, name in strings.items() if not text[0].isalpha()}
        signs = "|".join(map(re.escape, sorted(self.signs, key=len, reverse=True)))
        groups = [*map(self._group, patterns), _BROKEN, f"(?P<SIGN>{signs})"]
        self.pattern = re.compile("|".join(groups))

    @staticmethod
    def _group(terminal: TerminalDef) -> str:
        return f"(?P<{terminal.name}>{terminal.pattern.to_regexp()})"

    def tokens(self, text: str, file: str, problems: Problems) -> list[Token]:
        """The tokens of a file; characters that begin none are reported and left out."""
        lines = [0, *(m.end() for m in re.finditer("\n", text))]
        found: list[Token] = []
        position, end = 0, len(text)
        match = self.pattern.match
        line = 0
        last_bad = -1
        while position < end:
            while line + 1 < len(lines) and lines[line + 1] <= position:
                line += 1
            column = position - lines[line] + 1
            hit = match(text, position)
            if hit is None:
                if last_bad != position - 1:
                    shown = text[position]
                    problems.add(SYNTAX, Span(file, line + 1, column), f"the character `{shown}` begins nothing in ABS")
                last_bad = position
                position += 1
                continue
            kind = hit.lastgroup or ""
            value = hit.group()
            stop = hit.end()
            if kind in _UNCLOSED:
                problems.add(SYNTAX, Span(file, line + 1, column), _UNCLOSED[kind])
                if kind == "UNCLOSED_STRING":
                    value = value[:1] + value[1:].rstrip(" \t;)")
                    stop = position + len(value)
                kind = "SPACE" if kind == "UNCLOSED_COMMENT" else "STRING"
            if kind == "IDENTIFIER":
                kind = self.words.get(value, kind)
            elif kind == "SIGN":
                kind = self.signs[value]
            if kind not in _IGNORED:
                last = bisect_right(lines, stop - 1) - 1 if "\n" in value else line
                found.append(Token(kind, value, position, line + 1, column, last + 1, stop - lines[last] + 1, stop))
            position = stop
        return _retagged(found)


def _retagged(tokens: list[Token]) -> list[Token]:
    """Soft keywords that are names here, and the dots of qualified names."""
    for i, token in enumerate(tokens):
        kind = token.type
        if kind in _SOFT:
            follows = tokens[i + 1].type if i + 1 < len(tokens) else ""
            must, kinds = _SOFT[kind]
            if (follows in kinds) is not must:
                tokens[i] = _named(token, "IDENTIFIER")
        elif kind == "DOT" and 0 < i < len(tokens) - 1 and tokens[i - 1].type == "TYPE_IDENTIFIER":
            follows = tokens[i + 1].type
            if follows == "TYPE_IDENTIFIER" or (follows != "GET" and not _cast_before(tokens, i - 1)):
                tokens[i] = _named(token, "QUALIFIER")
    return tokens


def _cast_before(tokens: list[Token], i: int) -> bool:
    """Whether the type name that ends here follows `as` or `implements`, so that `x as I.m()` calls a method."""
    while i >= 2 and tokens[i - 1].type == "QUALIFIER":
        i -= 2
    return i >= 1 and tokens[i - 1].type in ("AS", "IMPLEMENTS")


def _named(token: Token, kind: str) -> Token:
    return Token.new_borrow_pos(kind, token.value, token)


def core_tokens(tokens: list[Token], file: str, problems: Problems) -> list[Token]:
    """The tokens of the modules; every other section is reported with its name."""
    kept: list[Token] = []
    depth = 0
    section = ""
    for i, token in enumerate(tokens):
        kind = token.type
        if depth == 0 and (i == 0 or tokens[i - 1].type in _BOUNDARY):
            if kind == "MODULE":
                section = ""
            elif kind == "IDENTIFIER" and _begins(tokens, i) and not (section == "productline" and token == "delta"):
                section = str(token)
                name = str(tokens[i + 1])
                problems.add(
                    UNSUPPORTED,
                    Span(file, token.line or 0, token.column or 0),
                    f"`{section} {name}`: {_SECTIONS[section]} are not supported; flatten the product first",
                )
        if kind == "LBRACE":
            depth += 1
        elif kind == "RBRACE":
            depth = max(0, depth - 1)
        if not section:
            kept.append(token)
    return kept


def _begins(tokens: list[Token], i: int) -> bool:
    return str(tokens[i]) in _SECTIONS and i + 1 < len(tokens) and tokens[i + 1].type == "TYPE_IDENTIFIER"
