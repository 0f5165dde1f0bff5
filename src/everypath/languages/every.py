"""The list of languages: the one place that knows them all."""

from __future__ import annotations

from collections.abc import Sequence

from everypath.languages.abs.language import Abs
from everypath.languages.base import Language
from everypath.languages.python.language import Python

LANGUAGES: tuple[Language, ...] = (Abs(), Python())
"""The last one takes every target that no other claims."""


def language_of(target: str, languages: Sequence[Language] = LANGUAGES) -> Language:
    """The language that a target is written in."""
    return next((language for language in languages if language.claims(target)), languages[-1])
