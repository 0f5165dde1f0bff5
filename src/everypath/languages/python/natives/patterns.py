"""Texts that a regular expression matches, made from the expression itself."""

from __future__ import annotations

import re
import warnings
from typing import Any

_MEMBERS = {"digit": "01", "not_digit": "ab", "space": " \n", "not_space": "ab", "word": "ab", "not_word": "-."}
_LONGEST = 200


def examples(pattern: object, method: str) -> tuple[str, ...]:
    """A few short texts for which the method finds something, each of another form where there are several."""
    flags = pattern.flags if isinstance(pattern, re.Pattern) else 0
    text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    if not isinstance(text, str):
        return ()
    try:
        with warnings.catch_warnings():
            # Any text of the program is tried, and what the library thinks of it is nothing for the user.
            warnings.simplefilter("ignore")
            parsed = re._parser.parse(text, flags)
            compiled = pattern if isinstance(pattern, re.Pattern) else re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return ()
    found: dict[str, None] = {}
    for variant in range(8):
        try:
            made = _Writer(variant).sequence(parsed)
        except (RecursionError, KeyError):
            continue
        test = getattr(compiled, method if method in ("match", "fullmatch") else "search")
        if len(made) <= _LONGEST and test(made):
            found[made] = None
    return tuple(found)


class _Writer:
    """Writes a text for a parsed expression; the variant says how often to repeat and which branch to take."""

    def __init__(self, variant: int) -> None:
        self._repeat = variant & 1
        self._branch = variant >> 1 & 1
        self._other = variant >> 2
        self._groups: dict[int, str] = {}

    def sequence(self, parsed: Any) -> str:
        """The text for one item after the other."""
        return "".join(self._item(str(op).lower(), argument) for op, argument in parsed)

    def _item(self, op: str, argument: Any) -> str:
        match op:
            case "literal":
                return chr(argument)
            case "not_literal":
                return "a" if argument != ord("a") else "b"
            case "any":
                return "ab"[self._other]
            case "in":
                return self._member(argument)
            case "max_repeat" | "min_repeat" | "possessive_repeat":
                low, high, inner = argument
                times = min(max(low, self._repeat), int(high))
                return "".join(self.sequence(inner) for _ in range(times))
            case "subpattern":
                group, _, _, inner = argument
                text = self.sequence(inner)
                if group is not None:
                    self._groups[group] = text
                return text
            case "atomic_group":
                return self.sequence(argument)
            case "branch":
                branches = argument[1]
                return self.sequence(branches[min(self._branch, len(branches) - 1)])
            case "groupref":
                return self._groups.get(argument, "")
            case "groupref_exists":
                group, yes, no = argument
                return self.sequence(yes) if group in self._groups else self.sequence(no or ())
            case "assert" if argument[0] == 1:
                return ""
        return ""

    def _member(self, members: Any) -> str:
        """One character of a set."""
        first, argument = members[0]
        negated = str(first).lower() == "negate"
        if negated:
            return next((c for c in "a0 -_.\n" if not any(_contains(m, c) for m in members[1:])), "~")
        kind = str(first).lower()
        if self._other and len(members) > 1:
            kind, argument = str(members[-1][0]).lower(), members[-1][1]
        if kind == "literal":
            return chr(argument)
        if kind == "range":
            return chr(argument[self._other])
        return _MEMBERS.get(str(argument).lower().removeprefix("category_"), "ab")[self._other]


def _contains(member: Any, character: str) -> bool:
    kind, argument = str(member[0]).lower(), member[1]
    if kind == "literal":
        return bool(chr(argument) == character)
    if kind == "range":
        return bool(argument[0] <= ord(character) <= argument[1])
    name = str(argument).lower().removeprefix("category_")
    tests = {
        "digit": character.isdigit(),
        "space": character.isspace(),
        "word": character.isalnum() or character == "_",
    }
    return not tests[name[4:]] if name.startswith("not_") and name[4:] in tests else tests.get(name, False)
