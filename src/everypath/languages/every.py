"""The list of languages: the one place that knows them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from everypath.errors import BadInput
from everypath.languages.abs.language import Abs
from everypath.languages.java.language import Java
from everypath.languages.python.language import Python

if TYPE_CHECKING:
    # The program starts here, before anything large is loaded.
    from everypath.languages.base import Language

LANGUAGES: tuple[Language, ...] = (Abs(), Java(), Python())
"""The last one takes every target that no other claims."""


def language_of(target: str, languages: Sequence[Language] = LANGUAGES) -> Language:
    """The language that a target is written in."""
    return next((language for language in languages if language.claims(target)), languages[-1])


def one_language(targets: Sequence[str], languages: Sequence[Language] = LANGUAGES) -> Language:
    """The language of all targets of a run."""
    first, *others = dict.fromkeys(language_of(target, languages) for target in targets)
    if others:
        special = first if first is not languages[-1] else others[0]
        stranger = next(target for target in targets if language_of(target, languages) is not special)
        raise BadInput(f"{stranger} is no {special.name} file, but other targets are; use separate runs")
    return first
