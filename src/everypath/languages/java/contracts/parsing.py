"""Reads an expression of Java or JML into a tree."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everypath.errors import BadInput, Span

if TYPE_CHECKING:
    from lark import Lark, Tree

GRAMMAR = Path(__file__).with_name("grammar.lark")


@cache
def _parser() -> Lark:
    # Few runs have contracts, and the library takes long to load.
    from lark import Lark

    return Lark(GRAMMAR.read_text(encoding="utf-8"), parser="lalr", maybe_placeholders=False)


def parse(text: str, span: Span) -> Tree[Any]:
    """The tree of an expression; BadInput with the place where it stops making sense."""
    from lark.exceptions import UnexpectedInput

    try:
        return _parser().parse(text)
    except UnexpectedInput as problem:
        at = getattr(problem, "column", 0)
        where = f" at column {at}" if isinstance(at, int) and at > 0 else " at its end"
        raise BadInput(f"the condition '{text}' is not understood{where}", span) from None
