"""Names, types and values as ABS text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from everypath.cases.actors import (
    LIBRARY,
    ActorReference,
    DataValue,
    Fraction,
    FutureReference,
    Given,
    Plain,
    Value,
    WrittenType,
    elements,
)

KEYWORDS = frozenset(
    "adds as assert await builtin case catch class critical data def delta destiny die duration else exception export"
    " extends finally foreach from get if implements import in interface let local modifies module movecogto new null"
    " original product recover removes return root skip suspend switch then this throw trait try type uses when while"
    " list set map call failed result test".split()
)
"""Words that a variable of a test is not called: reserved ones, and those that the test uses itself."""
_STANDARD = LIBRARY.rstrip(".")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Unwritable(Exception):
    """A value that has no text in ABS."""


class Names:
    """How the names of other modules are written, and which modules they need."""

    def __init__(self, declared: Mapping[str, frozenset[str]]) -> None:
        self._declared = declared
        self.modules: dict[str, None] = {}

    def __call__(self, qualified: str) -> str:
        """The simple name, or the qualified one where several modules have it."""
        module, _, simple = qualified.rpartition(".")
        if not self._standard(module):
            self.modules[module] = None
        others = {m for m in self._declared.get(simple, frozenset()) if m != module}
        return qualified if others and not (self._standard(module) and all(map(self._standard, others))) else simple

    @staticmethod
    def _standard(module: str) -> bool:
        return module == _STANDARD or module.startswith(LIBRARY)


def type_text(type: WrittenType, names: Names) -> str:
    """A type."""
    inside = ", ".join(type_text(argument, names) for argument in type.arguments)
    return f"{names(type.name)}<{inside}>" if inside else names(type.name)


def value_text(value: Value, names: Names, variables: Mapping[str, str]) -> str:
    """An expression for a value; Unwritable where there is none."""
    match value:
        case Plain(value=None):
            return "null"
        case Plain(value=str(text)):
            return '"' + "".join(_character(c) for c in text) + '"'
        case Plain(value=float(number)):
            return _float_text(number)
        case Plain(value=atom):
            return str(atom)
        case Fraction(top=top, bottom=bottom):
            return f"{top}/{bottom}"
        case ActorReference(name=name) if name in variables:
            return variables[name]
        case ActorReference(name=name):
            raise Unwritable(f"the actor `{name}` is unknown to the test")
        case FutureReference():
            raise Unwritable("a future cannot be written")
        case DataValue(constructor=constructor, arguments=arguments):
            row = elements(value)
            if row:
                return f"list[{', '.join(value_text(element, names, variables) for element in row)}]"
            inside = ", ".join(value_text(argument, names, variables) for argument in arguments)
            return f"{names(constructor)}({inside})" if inside else names(constructor)


def given_text(given: Given, names: Names, variables: Mapping[str, str]) -> str:
    """An argument, taken for another interface where it has to be."""
    text = value_text(given.value, names, variables)
    return f"{text} as {names(given.interface)}" if given.interface else text


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if not character.isprintable():
        raise Unwritable("a text with control characters cannot be written")
    return character


def _float_text(number: float) -> str:
    if not math.isfinite(number):
        raise Unwritable(f"the float {number} cannot be written")
    text = repr(number)
    return text if "." in text else re.sub("e", ".0e", text, count=1)


def camel(text: str, capital: bool) -> str:
    """Words joined to an identifier."""
    words = re.findall(r"[A-Za-z0-9]+", text)
    joined = "".join(word[:1].upper() + word[1:] for word in words)
    if not joined or not joined[0].isalpha():
        joined = f"N{joined}"
    return joined if capital else joined[:1].lower() + joined[1:]


def fresh(wanted: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; it is taken then."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}{number}", number + 1
    taken.add(name)
    return name
