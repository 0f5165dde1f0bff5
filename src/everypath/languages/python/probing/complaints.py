"""What an error says about the value that caused it: of which type it should be, or what a text should look like."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Told = tuple[Any, ...]
"""What is wished, and its details."""
_NEED_TYPE: tuple[tuple[str, Told], ...] = (
    (r"bytes-like object is required|a bytes-like|must be bytes|can't concat str to bytes", ("of", "bytes")),
    (r"can't be used in 'await' expression|asynchronous|an awaitable|coroutine", ("async",)),
    (r"object is not callable", ("function",)),
    (r"indices must be integers|not subscriptable|item assignment|must be a mapping", ("of", "dict")),
    (r"is not iterable|non-iterable|has no len\(\)|can only join an iterable|not an iterator", ("of", "list")),
    (r"expected str|must be str|string or bytes-like|concatenate str|os\.PathLike|unhashable|not str", ("of", "str")),
    (r"integer is required|as an integer|must be real number|must be an? int|number is required", ("of", "int")),
    (r"arg 1 must be a class|must be a type|expected a type|must be a class", ("of", "type")),
)
_TEXTS = {
    "JSONDecodeError": ('{"a": 1}', "[1, 2]", '"a"'),
    "SyntaxError": ("x = 1", "[1, 2]", "f(1)"),
    "IndentationError": ("x = 1",),
    "ParseError": ("<a b='1'><c>t</c></a>",),
    "MissingSectionHeaderError": ("[a]\nb = 1\n",),
    "ParsingError": ("[a]\nb = 1\n",),
    "TOMLDecodeError": ('[a]\nb = "c"\n',),
    "ScannerError": ("a: 1\nb: [c]\n",),
    "ParserError": ("a: 1\nb: [c]\n",),
    "InvalidVersion": ("1.2.3",),
    "InvalidSpecifier": (">=1.0",),
    "InvalidRequirement": ("name>=1.0",),
    "AddressValueError": ("192.168.0.1",),
}
"""Texts without which certain errors are raised."""
_OPERANDS = re.compile(r"not supported between instances of '(\w+)' and '(\w+)'|for \S+: '(\w+)' and '(\w+)'")
_UNPACKED = re.compile(r"values to unpack \(expected (?:at least )?(\d+)")
_FORMAT = re.compile(r"does not match format '(.*)'", re.DOTALL)
_BUFFER = re.compile(r"requires a buffer of (?:at least )?(\d+) bytes")
_SIMPLE = frozenset({"str", "int", "bytes", "list", "dict", "float", "tuple", "set"})


def complaints(error: BaseException) -> Iterator[Told]:
    """What the value should be instead."""
    text = str(error)
    name = type(error).__name__
    yield from (("text", repr(sample)) for sample in _TEXTS.get(name, ()))
    if isinstance(error, TypeError):
        operands = _OPERANDS.search(text)
        if operands is not None:
            yield from (("of", each) for each in operands.groups() if each in _SIMPLE)
        yield from (told for pattern, told in _NEED_TYPE if re.search(pattern, text))
    elif (buffer := _BUFFER.search(text)) is not None and int(buffer[1]) < 256:
        # Bytes that differ, so that a number that is read from them tells where it stands.
        yield "text", repr(bytes(range(1, int(buffer[1]) + 1)))
    elif isinstance(error, UnicodeError):
        yield "of", "str" if isinstance(error, UnicodeEncodeError) else "bytes"
    elif isinstance(error, ValueError):
        yield from _of_value(text)


def _of_value(text: str) -> Iterator[Told]:
    unpacked, wanted = _UNPACKED.search(text), _FORMAT.search(text)
    if unpacked is not None:
        yield "parts", int(unpacked[1])
    elif wanted is not None:
        # Few programs read dates.
        import datetime

        yield "text", repr(datetime.datetime(2024, 2, 29, 12, 30, 45).strftime(wanted[1]))
    elif "isoformat" in text:
        yield "text", repr("2024-02-29")
    elif "invalid literal for int" in text or "could not convert string to float" in text:
        yield "text", repr("7")
