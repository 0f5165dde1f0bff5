"""Texts that a regular expression matches, made by walking through its parsed form.

Where the expression leaves a choice, a number decides, so that the first text is the plainest and later ones take other
alternatives and more rounds. What looks ahead or behind is not understood; a text that does not match is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_MOST = 5
_TRIES = 8
_MOST_ROUNDS = 3
_CATEGORIES = {"CATEGORY_DIGIT": "7", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "w", "CATEGORY_NOT_DIGIT": "d"}
_PLAIN = "xyz0 -_"


def matching(pattern: re.Pattern[Any]) -> Iterator[str]:
    """A few texts that a regular expression matches, each once."""
    if not isinstance(pattern.pattern, str):
        return
    from re import _parser

    try:
        parsed = _parser.parse(pattern.pattern, pattern.flags)
    except Exception:
        return
    told = set[str]()
    for number in range(_TRIES):
        text = _Sampler(number).sample(parsed)
        try:
            fits = text not in told and pattern.search(text) is not None
        except Exception:
            return
        if fits:
            told.add(text)
            yield text
        if len(told) >= _MOST:
            return


class _Sampler:
    """Makes one text; its number chooses between alternatives and lengths, differently in each place."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._choices = 0
        self._groups: dict[int, str] = {}

    def sample(self, parsed: Any) -> str:
        return "".join([self._part(str(kind), argument) for kind, argument in parsed])

    def _choice(self, count: int) -> int:
        """One of so many alternatives: the first ones go the same way everywhere, later ones mix."""
        self._choices += 1
        mixed = self._number // 3 * self._choices
        return (self._number + mixed) % count

    def _part(self, kind: str, argument: Any) -> str:
        match kind:
            case "LITERAL":
                return chr(argument)
            case "NOT_LITERAL":
                return next(sign for sign in _PLAIN if ord(sign) != argument)
            case "ANY":
                return "a"
            case "IN":
                return self._member(argument)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeated(*argument)
            case "SUBPATTERN":
                made = self.sample(argument[-1])
                if argument[0] is not None:
                    self._groups[argument[0]] = made
                return made
            case "GROUPREF":
                return self._groups.get(argument, "")
            case "GROUPREF_EXISTS":
                group, then, otherwise = argument
                return self.sample((then if self._groups.get(group) else otherwise) or ())
            case "BRANCH":
                return self.sample(argument[1][self._choice(len(argument[1]))])
            case "ATOMIC_GROUP":
                return self.sample(argument)
        return ""

    def _repeated(self, least: Any, most: Any, inner: Any) -> str:
        rounds = min(int(most), int(least) + self._choice(_MOST_ROUNDS))
        # Each round makes its own choices, so that a list of several kinds of things comes about.
        return "".join([self.sample(inner) for _ in range(rounds)])

    def _member(self, members: Any) -> str:
        if str(members[0][0]) == "NEGATE":
            taken = {sign for sign in _PLAIN if any(_holds(member, sign) for member in members[1:])}
            return next((sign for sign in _PLAIN if sign not in taken), "~")
        kind, argument = members[self._choice(len(members))]
        if str(kind) == "RANGE":
            return chr(argument[0])
        if str(kind) == "CATEGORY":
            return _CATEGORIES.get(str(argument), "n")
        return chr(argument) if isinstance(argument, int) else "x"


def _holds(member: Any, sign: str) -> bool:
    """Whether a part of a set contains a sign."""
    kind, argument = str(member[0]), member[1]
    if kind == "RANGE":
        return bool(argument[0] <= ord(sign) <= argument[1])
    if kind == "CATEGORY":
        known = {"DIGIT": sign.isdigit(), "SPACE": sign.isspace(), "WORD": sign.isalnum() or sign == "_"}
        name = str(argument).removeprefix("CATEGORY_")
        return not known[name[4:]] if name.startswith("NOT_") and name[4:] in known else known.get(name, False)
    return bool(argument == ord(sign))
