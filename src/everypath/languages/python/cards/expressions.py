"""Regular expressions: `re.Pattern`, and what `re` gives besides."""

from __future__ import annotations

import re

from everypath.languages.python.cards.card import HostCard, never

_LONGEST = 150
"""`repr` shows longer patterns only in part."""


def _pattern(value: object) -> str | None:
    return repr(value) if isinstance(value, re.Pattern) and len(value.pattern) < _LONGEST else None


PATTERN = HostCard(
    "re.Pattern",
    _pattern,
    aliases=("typing.Pattern",),
    called=False,
    by_attributes=True,
)
CARDS = (
    PATTERN,
    HostCard("re.Match", expression=never, is_input=False, called=False),
    HostCard("re.RegexFlag", expression=repr, is_input=False, called=False),
)
