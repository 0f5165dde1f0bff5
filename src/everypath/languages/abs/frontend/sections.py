"""Cuts deltas, product lines and feature models out of a file: they are recognised, reported and not translated."""

from __future__ import annotations

from lark import Token

from everypath.errors import Span
from everypath.languages.abs.frontend.problems import UNSUPPORTED, Problems

_SECTIONS = {
    "delta": "deltas",
    "productline": "product lines",
    "product": "products",
    "root": "feature models",
    "extension": "feature models",
}
_BOUNDARY = {"SEMICOLON", "RBRACE"}


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
