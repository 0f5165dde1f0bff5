"""Numbers, characters and texts as Java writes them, exactly."""

from __future__ import annotations

import math
import struct

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\\": "\\\\"}


def literal(value: None | bool | int | float | str, descriptor: str, *, cast: bool = True) -> str:
    """A value of the type that a descriptor names; a number of fewer bits needs a cast unless it is assigned.

    For a reference, the kind of value tells the type.
    """
    if value is None:
        return "null"
    if isinstance(value, str):
        return quoted(value)
    if descriptor == "Z" or (isinstance(value, bool) and descriptor not in "BCSIJ"):
        return "true" if value else "false"
    if descriptor == "C":
        return character(int(value))
    if descriptor in ("F", "D") or isinstance(value, float):
        return floating(float(value), single=descriptor == "F")
    if descriptor == "J":
        return _extreme("Long", int(value), 63) or f"{int(value)}L"
    if descriptor in ("B", "S"):
        wrapper, bits = ("Byte", 7) if descriptor == "B" else ("Short", 15)
        plain = f"({wrapper.lower()}) {int(value)}" if cast else str(int(value))
        return _extreme(wrapper, int(value), bits) or plain
    return _extreme("Integer", int(value), 31) or str(int(value))


def _extreme(wrapper: str, value: int, bits: int) -> str | None:
    """The ends of a range have names, which say more than their digits."""
    ends = {-(1 << bits): "MIN_VALUE", (1 << bits) - 1: "MAX_VALUE"}
    return f"{wrapper}.{ends[value]}" if value in ends else None


def character(code: int) -> str:
    """A character literal."""
    char = chr(code)
    return "'\\''" if char == "'" else f"'{_escaped(char)}'"


def quoted(text: str) -> str:
    """A string literal; everything but plain ASCII is escaped, so that no encoding changes it."""
    return '"' + "".join('\\"' if char == '"' else _escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if " " <= char <= "~":
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{unit:04x}" for (unit,) in struct.iter_unpack(">H", units))


def floating(value: float, *, single: bool) -> str:
    """The shortest literal that means exactly this number."""
    wrapper = "Float" if single else "Double"
    if math.isnan(value):
        return f"{wrapper}.NaN"
    if math.isinf(value):
        return f"{wrapper}.{'POSITIVE' if value > 0 else 'NEGATIVE'}_INFINITY"
    if not single:
        return repr(value)
    # Nine digits tell any two of these numbers apart.
    shortest = next(
        text for digits in range(1, 10) if _single(text := f"{value:.{digits}g}") == struct.pack(">f", value)
    )
    return f"{shortest if any(c in shortest for c in '.e') else shortest + '.0'}f"


def _single(text: str) -> bytes:
    """The bits of the number that a text means as one of 32 bits."""
    try:
        return struct.pack(">f", float(text))
    except OverflowError:
        return b""
