"""Runs toy programs on real integers."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from .frontend import Line, ToyProgram, lines_of

_OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
}


class Failure(Exception):
    """A runtime error."""


def call(program: ToyProgram, name: str, arguments: Sequence[object], fields: dict[str, int]) -> object:
    """The result of a function; a method changes the fields of its object."""
    header, *body = lines_of(program, name)
    skip = 3 if header.words[0] == "method" else 2
    names: dict[str, object] = dict(zip(header.words[skip:], arguments, strict=True))
    found = _run(body, names, fields)
    return None if found is None else found[0]


def _run(lines: Sequence[Line], names: dict[str, object], fields: dict[str, int]) -> tuple[object] | None:
    """The returned value, or None where the block ends without one."""
    for line in lines:
        word, *rest = line.words
        found = None
        if word == "return":
            return (_value(rest, names, fields),)
        if word == "if" and _value(rest, names, fields):
            found = _run(line.block, names, fields)
        while word == "while" and found is None and _value(rest, names, fields):
            found = _run(line.block, names, fields)
        if found is not None:
            return found
        if rest[0] == "=" and word.startswith("self."):
            fields[word[5:]] = _value(rest[1:], names, fields)  # type: ignore[assignment]
        elif rest[0] == "=":
            names[word] = _value(rest[1:], names, fields)
    return None


def _value(words: Sequence[str], names: dict[str, object], fields: dict[str, int]) -> object:
    def atom(word: str) -> object:
        if word.isdigit():
            return int(word)
        return fields[word[5:]] if word.startswith("self.") else names[word]

    if len(words) == 1:
        return atom(words[0])
    left, sign, right = words
    try:
        return _OPERATORS[sign](atom(left), atom(right))
    except ZeroDivisionError:
        raise Failure from None
