"""Names of paths and conditions in the words of Java."""

from __future__ import annotations

import re

_CONDITIONS = (
    (r"\bis not None\b", "!= null"),
    (r"\bis None\b", "== null"),
    (r"\bNone\b", "null"),
    (r"\bTrue\b", "true"),
    (r"\bFalse\b", "false"),
    (r"\blen\(([\w.\[\]$]+)\)", r"\1.length"),
    (r"\bord\(([\w.\[\]$]+)\)", r"\1"),
    (r"\band\b", "&&"),
    (r"\bor\b", "||"),
    (r"\bnot (?=[\w(])", "!"),
    (r" // ", " / "),
)


def java_condition(text: str) -> str:
    """A condition over the inputs as Java would write it."""
    for theirs, ours in _CONDITIONS:
        text = re.sub(theirs, ours, text)
    return text


def java_words(text: str, *, procedure: bool = False) -> str:
    """The name of a path: null and throws; a method without a result returns nothing special."""
    text = re.sub(r"\bthis (?=\w)", "", re.sub(r"\bnone\b", "null", text))
    text = re.sub(r"\braises\b", "throws", text)
    return re.sub(r" ?\breturns null$", "", text).strip() if procedure else text.strip()
