"""How emitted code reads and sets attributes, also those whose names are no identifiers."""

from __future__ import annotations

import keyword
import unicodedata

from everypath.languages.python.writers.layout import INDENT, Expr, Item, Text, assignment, call, lay_out
from everypath.languages.python.writers.literals import quoted


def is_name(text: str) -> bool:
    """Whether source code can name it: the compiler reads an identifier in its normal form."""
    return text.isidentifier() and not keyword.iskeyword(text) and unicodedata.normalize("NFKC", text) == text


def attribute(owner: str, name: str) -> str:
    """`owner.name`, or what gives the same for a name that cannot be written so."""
    return f"{owner}.{name}" if is_name(name) else f"getattr({owner}, {quoted(name)})"


def set_attribute(owner: str, name: str, value: Expr, *, raw: bool = False) -> list[str]:
    """The statement that sets an attribute; a `raw` one goes past any `__setattr__` of the class."""
    if is_name(name) and not raw:
        return assignment(f"{owner}.{name}", value)
    setter = "object.__setattr__" if raw else "setattr"
    return lay_out("", call(setter, [Item(Text(owner)), Item(Text(quoted(name))), Item(value)]), "", INDENT)
