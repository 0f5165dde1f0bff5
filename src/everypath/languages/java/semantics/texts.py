"""Strings: the engine's own texts, one character for each UTF-16 code unit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import as_int, is_text
from everypath.heap.values import Value
from everypath.languages.java.frontend.types import BOUNDS
from everypath.languages.java.semantics.calls import receiver_of
from everypath.languages.java.semantics.floating import single
from everypath.languages.java.semantics.integers import cast_to
from everypath.languages.java.semantics.library import NATIVES, native
from everypath.languages.java.semantics.objects import get_item
from everypath.logic import terms
from everypath.logic.condition import Infeasible
from everypath.logic.terms import Term
from everypath.logic.verdicts import BOTH, FALSE

__all__ = ["NATIVES"]
_STRING = "java.lang.String."
_TEXT = "Ljava/lang/String;"
_LARGEST = 0xFFFF


def text(st: State, value: Value) -> str | Term:
    """A string that is not null."""
    found = receiver_of(st, value)
    if not is_text(found):
        raise Unsupported("a string made in a way that is not followed")
    return found


@native(f"{_STRING}length()I")
def length(st: State, value: Value) -> Value:
    """The number of characters, which is an `int`."""
    found = terms.str_len(text(st, value))
    if isinstance(found, Term):
        within = terms.le(found, BOUNDS["I"][1])
        if isinstance(within, Term) and not st.pc.holds(within):
            st.pc.assume(within)
    return found


@native(f"{_STRING}at(I)C")
def at(st: State, value: Value, index: Value) -> Value:
    """A character at an index that is inside, as a number."""
    code = terms.ord_(terms.str_at(text(st, value), as_int(resolve(st, index))))
    if isinstance(code, Term):
        # A character is one code unit, and an index inside the string has one.
        within = terms.and_(terms.le(0, code), terms.le(code, _LARGEST))
        if isinstance(within, Term) and not st.pc.holds(within):
            possible = st.pc.decide(within)
            if possible == FALSE:
                raise Infeasible
            if possible == BOTH:
                st.pc.assume(within)
    return code


@native(f"{_STRING}part(II){_TEXT}")
def part(st: State, value: Value, start: Value, stop: Value) -> Value:
    """The characters between two indices."""
    return terms.substring(text(st, value), as_int(resolve(st, start)), as_int(resolve(st, stop)))


@native(f"{_STRING}same({_TEXT})Z")
def same(st: State, value: Value, other: Value) -> Value:
    """Whether two strings have the same characters."""
    return terms.str_eq(text(st, value), text(st, other))


@native(f"{_STRING}find({_TEXT}I)I")
def find(st: State, value: Value, wanted: Value, start: Value) -> Value:
    """The first place of a text from an index on."""
    whole, piece, at = text(st, value), text(st, wanted), as_int(resolve(st, start))
    if isinstance(whole, str) and isinstance(piece, str) and not isinstance(at, Term):
        return whole.find(piece, int(at))
    found = terms.index_of(whole, piece, at)
    return -1 if decide(st.pc, terms.lt(found, 0)) else found


@native(f"{_STRING}joined({_TEXT}){_TEXT}")
def joined(st: State, value: Value, other: Value) -> Value:
    """One string after the other."""
    return terms.concat(text(st, value), text(st, other))


@native(f"{_STRING}known()Z")
def known(st: State, value: Value) -> Value:
    """Whether all characters are known."""
    return isinstance(text(st, value), str)


@native(f"{_STRING}knownHash()I")
def known_hash(st: State, value: Value) -> Value:
    """The hash code of known characters."""
    found = text(st, value)
    assert isinstance(found, str)
    number = 0
    for character in found:
        number = (31 * number + ord(character)) & 0xFFFFFFFF
    return cast_to(number, 32)


@native(f"{_STRING}plain({_TEXT}){_TEXT}")
def plain(st: State, value: Value) -> Value:
    """The text that a pattern without special characters stands for."""
    pattern = fixed(st, text(st, value), "a pattern")
    assert isinstance(pattern, str)
    if len(pattern) == 2 and pattern[0] == "\\" and not pattern[1].isalnum():
        return pattern[1]
    if not pattern or re.search(r"[.$|()\[{^?*+\\]", pattern):
        raise Unsupported(f"splitting at the pattern {pattern!r}")
    return pattern


@native(f"{_STRING}valueOf(C){_TEXT}", "char text")
def character(st: State, value: Value) -> Value:
    """A character as a string."""
    code = as_int(resolve(st, value))
    return terms.chr_(code) if isinstance(code, Term) else chr(int(code))


@native("int text", f"everypath.Engine.text(J){_TEXT}")
def number_text(st: State, value: Value) -> Value:
    """An integer as a string."""
    number = as_int(resolve(st, value))
    if not isinstance(number, Term):
        return str(int(number))
    # The terms know texts of numbers that are not negative.
    if decide(st.pc, terms.lt(number, 0)):
        return terms.concat("-", terms.int_to_str(terms.neg(number)))
    return terms.int_to_str(number)


@native("boolean text")
def boolean_text(st: State, value: Value) -> Value:
    """`true` or `false`"""
    found = resolve(st, value)
    if isinstance(found, Term) and found.sort == "bool":
        return "true" if decide(st.pc, found) else "false"
    return "true" if found else "false"


@native("text or null")
def text_or_null(st: State, value: Value) -> Value:
    """A string, or `null` where there is none."""
    return "null" if st.heap.is_null(value) else text(st, value)


@native("concat")
def concat(st: State, *pieces: Value) -> Value:
    """Several strings one after the other."""
    return terms.concat(*(text(st, piece) for piece in pieces))


@native("double text", f"everypath.Engine.text(D){_TEXT}")
def double_text(st: State, value: Value) -> Value:
    """A `double` as Java writes it: the shortest digits that tell it apart."""
    found = fixed(st, resolve(st, value), "a double as text")
    assert isinstance(found, (int, float))
    return written(float(found), repr(float(found)))


@native("float text", f"everypath.Engine.text(F){_TEXT}")
def float_text(st: State, value: Value) -> Value:
    """A `float` as Java writes it."""
    found = fixed(st, resolve(st, value), "a float as text")
    assert isinstance(found, (int, float))
    number = float(found)
    shortest = next((s for s in (f"{number:.{d}e}" for d in range(10)) if single(float(s)) == number), repr(number))
    return written(number, shortest)


def written(number: float, digits: str) -> str:
    """A number with these digits in Java's form: plain from a thousandth up to ten million, else with an exponent."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    sign = "-" if math.copysign(1, number) < 0 else ""
    if number == 0:
        return f"{sign}0.0"
    exponent = f"{float(digits):.17e}".partition("e")[2]
    exact = re.sub(r"[^0-9]", "", digits.lower().partition("e")[0]).lstrip("0").rstrip("0") or "0"
    power = int(exponent)
    if -3 <= power < 7:
        if power >= 0:
            whole = exact[: power + 1].ljust(power + 1, "0")
            return f"{sign}{whole}.{exact[power + 1 :] or '0'}"
        return f"{sign}0.{'0' * (-power - 1)}{exact}"
    return f"{sign}{exact[0]}.{exact[1:] or '0'}E{power}"


@native(f"everypath.Engine.text([CII){_TEXT}")
def array_text(st: State, array: Value, start: Value, count: Value) -> Value:
    """Characters of an array as a string; the indices are inside."""
    first, size = (fixed(st, resolve(st, value), "a string of an array") for value in (start, count))
    assert isinstance(first, int) and isinstance(size, int)
    return terms.concat("", *(_one(st, get_item(st, array, first + number)) for number in range(size)))


def _one(st: State, value: Value) -> str | Term:
    code = as_int(resolve(st, value))
    return terms.chr_(code) if isinstance(code, Term) else chr(int(code))


_KINDS: dict[str, Callable[[str], bool]] = {
    "isDigit": str.isdecimal,
    "isLetter": str.isalpha,
    "isAlphabetic": str.isalpha,
    "isLetterOrDigit": lambda c: c.isalpha() or c.isdecimal(),
    "isUpperCase": str.isupper,
    "isLowerCase": str.islower,
    "isWhitespace": lambda c: c.isspace() and c not in "\x85\xa0\u2007\u202f",
    "isSpaceChar": str.isspace,
    "isJavaIdentifierStart": str.isidentifier,
    "isJavaIdentifierPart": lambda c: f"a{c}".isidentifier(),
}


@cache
def _ascii(kind: str) -> tuple[tuple[int, int], ...]:
    """The ranges of ASCII characters that belong to a class."""
    ranges: list[tuple[int, int]] = []
    for code in filter(lambda code: _in_class(kind, code), range(128)):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return tuple(ranges)


def _in_class(kind: str, code: int) -> bool:
    # Java's identifiers may have a dollar sign, and in the middle characters that nobody sees.
    if code < 128 and kind.startswith("isJavaIdentifier"):
        ignored = kind.endswith("Part") and (code <= 8 or 14 <= code <= 27 or code == 127)
        return chr(code) == "$" or ignored or bool(_KINDS[kind](chr(code)))
    return bool(_KINDS[kind](chr(code)))


@native(f"everypath.Engine.is({_TEXT}I)Z")
def character_is(st: State, kind: Value, value: Value) -> Value:
    """What a class says about a character: exactly for ASCII, beyond it for a few characters."""
    found = as_int(resolve(st, value))
    assert isinstance(kind, str)
    if isinstance(found, Term) and decide(st.pc, terms.lt(found, 128)):
        return terms.or_(*(terms.and_(terms.le(low, found), terms.le(found, high)) for low, high in _ascii(kind)))
    code = fixed(st, resolve(st, value), "a character beyond ASCII", hints=(0xE9, 0x4E00))
    assert isinstance(code, int)
    return 0 <= code <= 0x10FFFF and _in_class(kind, code)


@native("everypath.Engine.upper(I)I")
def upper(st: State, value: Value) -> Value:
    """A character beyond ASCII as a capital, if it has a single one."""
    return _other_case(st, value, str.upper)


@native("everypath.Engine.lower(I)I")
def lower(st: State, value: Value) -> Value:
    """A character beyond ASCII as a small letter."""
    return _other_case(st, value, str.lower)


def _other_case(st: State, value: Value, change: Callable[[str], str]) -> Value:
    code = fixed(st, resolve(st, value), "a character beyond ASCII", hints=(0xE9, 0x4E00))
    assert isinstance(code, int)
    if not 0 <= code <= 0x10FFFF:
        return code
    made = change(chr(code))
    return ord(made) if len(made) == 1 else code
