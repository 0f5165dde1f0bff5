"""Plain values and attributes as Python source, in the spelling that code formatters keep."""

from __future__ import annotations

import keyword
import math
import unicodedata

from everypath.cases.model import Atom
from everypath.languages.python.scripts.layout import INDENT, Expr, Item, Text, assignment, call, lay_out

_DECIMAL_LIMIT = 10**300
"""Past this an integer is easier to read, and safe to parse, in hexadecimal."""


_LONG_TEXT = 60
"""From this length on, a text of one repeated character is written as a product."""


def literal(value: Atom) -> str:
    """The source of a value; not-a-number and the infinities need no import."""
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return quoted(value)
    return "b" + _requote(repr(value)[1:])


def quoted(text: str) -> str:
    """A string literal with double quotes unless single ones save escapes."""
    if len(text) >= _LONG_TEXT and len(set(text)) == 1:
        return f"{_requote(repr(text[0]))} * {len(text)}"
    return _requote(repr(text))


def harmless(text: str) -> str:
    """A text for comments: what cannot be seen, turns the reading direction or ends a line is escaped."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in " ".join(text.split()))


def _integer(value: int) -> str:
    if abs(value) < _DECIMAL_LIMIT:
        return str(value)
    sign = "-" if value < 0 else ""
    return f"{sign}0x{abs(value):X}"


def _float(value: float) -> str:
    if math.isnan(value):
        return 'float("nan")'
    if math.isinf(value):
        return 'float("inf")' if value > 0 else 'float("-inf")'
    return repr(value).replace("e+", "e")


def _requote(source: str) -> str:
    """Turn the quotes that `repr` chose into those that formatters prefer."""
    quote, body = source[0], source[1:-1]
    if quote == '"':
        # repr uses double quotes only when there are single but no double ones inside.
        return source
    doubles = body.count('"')
    if not doubles:
        return f'"{_unescape_singles(body)}"'
    if doubles > body.count("'"):
        return source
    return '"' + _unescape_singles(body).replace('"', '\\"') + '"'


def _unescape_singles(body: str) -> str:
    """Drop the backslash before single quotes without touching escaped backslashes."""
    parts = body.split("\\\\")
    return "\\\\".join(part.replace("\\'", "'") for part in parts)


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
