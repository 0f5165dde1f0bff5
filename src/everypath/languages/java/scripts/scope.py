"""Readable, unique names for the variables and methods of a test."""

from __future__ import annotations

import re
from collections.abc import Collection

KEYWORDS = frozenset(
    "abstract assert boolean break byte case catch char class const continue default do double else enum extends final"
    " finally float for goto if implements import instanceof int interface long native new package private protected"
    " public return short static strictfp super switch synchronized this throw throws transient try void volatile while"
    " true false null var record yield _ sealed permits".split()
)


def camel(text: str) -> str:
    """Words as one name: `other first is null` as `otherFirstIsNull`."""
    words = re.findall(r"[A-Za-z0-9$]+", text)
    return "".join(
        [words[0][:1].lower() + words[0][1:], *(word[:1].upper() + word[1:] for word in words[1:])] if words else []
    )


def variable_name(name: str) -> str:
    """A class or field as a variable is called after it: `BSTNode` as `bstNode`, `_size` as `size`."""
    name = name.rpartition(".")[2].rpartition("$")[2].strip("_") or "value"
    head = re.match(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z]", name)
    return name[: head.end()].lower() + name[head.end() :] if head else name


class Scope:
    """The names of one test method."""

    def __init__(self, reserved: Collection[str] = ()) -> None:
        self._taken = set(reserved)

    def claim(self, base: str, alternative: str = "value") -> str:
        """A free name close to `base`."""
        base = variable_name(base) if base.isidentifier() or "$" in base else alternative
        if not base.isidentifier() or base[0].isdigit():
            base = alternative
        if base in KEYWORDS:
            base = f"{base}Value" if base != "class" else "cls"
        name, number = base, 2
        while name in self._taken or name in KEYWORDS:
            name, number = f"{base}{number}", number + 1
        self._taken.add(name)
        return name
