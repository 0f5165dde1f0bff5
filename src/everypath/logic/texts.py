"""Strings worth trying: made from the constants around a variable, or from its present value by small edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everypath.logic.nodes import Comparison, Node, Term, children

MAX_CONSTANTS = 12
MAX_EDITED = 16
"""Longer strings are edited only at their ends."""

ASCII = 128
_BASIC = ("", "a", "b", "0", "A", " ", "ab", "aaa")
_FILLERS = ("a", "0")
_SUBSTITUTES = "ab0A -"


def constants_in(terms: Iterable[Term]) -> list[str]:
    """The string constants that occur in some terms, each once; only the first few."""
    found: dict[str, None] = {}
    seen: set[Term] = set()
    for term in terms:
        agenda = [term]
        while agenda:
            top = agenda.pop()
            if top in seen:
                continue
            seen.add(top)
            agenda.extend(children(top))
            if isinstance(top, Node) and top.op != "matches":
                found.update((arg, None) for arg in top.args if isinstance(arg, str))
        if len(found) >= MAX_CONSTANTS:
            break
    return list(found)[:MAX_CONSTANTS]


def borders_in(terms: Iterable[Term]) -> set[str]:
    """The characters that some terms compare characters with."""
    terms = list(terms)
    found = {text for text in constants_in(terms) if len(text) == 1}
    for term in terms:
        if isinstance(term, Comparison) and len(term.parts) == 1:
            ((atom, factor),) = term.parts
            code = -term.const // factor
            if atom.op == "ord" and 0 < code < ASCII:
                found.add(chr(code))
    return found


def alike(one: str, other: str) -> bool:
    """Whether both are letters, both digits, or both neither."""
    return one.isalpha() == other.isalpha() and one.isdigit() == other.isdigit()


def likely(constants: Iterable[str]) -> list[str]:
    """Short strings in and around the constants, plainest first."""
    found: dict[str, None] = dict.fromkeys(_BASIC)
    for text in constants:
        for near in (text, text + "a", "a" + text, text[:-1], text[1:], "0" + text, text + text):
            found[near] = None
    return sorted(found, key=plainness)


def plainness(text: str) -> tuple[int, bool, bool, str]:
    """Orders strings: short ones first, then letters, then lower case."""
    return len(text), not text.isalpha(), not text.islower(), text


def edits(current: str, constants: Iterable[str]) -> Iterator[str]:
    """Variants of a string: with a constant put in, pieces taken out, filled up, or characters exchanged."""
    length = len(current)
    places = range(length + 1) if length <= MAX_EDITED else (0, 1, length - 1, length)
    for text in constants:
        if text in current:
            yield current.replace(text, "")
            yield current.replace(text, "a" * len(text))
        for i in places:
            yield current[:i] + text + current[i:]
        for i in places:
            yield current[:i] + text + current[i + len(text) :]
    for i in places:
        yield current[:i] + current[i + 1 :]
        yield current[:i]
        yield current[i:]
    for size in (1, 2, 3, 5, 8):
        for filler in _FILLERS:
            for i in {0, max(length - 1, 0), length}:
                yield current[:i] + filler * size + current[i:]
    yield from (current.upper(), current.lower(), current + current)
    if length <= MAX_EDITED // 2:
        for i in range(length):
            for character in _SUBSTITUTES:
                yield current[:i] + character + current[i + 1 :]


def resized(current: str, length: int) -> Iterator[str]:
    """Variants of a string that have the given length."""
    missing = length - len(current)
    if missing > 0:
        for filler in dict.fromkeys(("a", *current[-1:], "0")):
            for i in dict.fromkeys((len(current), max(len(current) - 1, 0), 0)):
                yield current[:i] + filler * missing + current[i:]
    elif length >= 0:
        yield current[:length]
        if length:
            yield current[: length - 1] + current[-1]
        yield current[-missing:]


def shorter(current: str) -> Iterator[str]:
    """Variants of a string with a piece left out, large pieces first."""
    size = len(current) // 2
    while size:
        for i in range(0, len(current) - size + 1, size):
            yield current[:i] + current[i + size :]
        size //= 2
