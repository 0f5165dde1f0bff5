"""What a language is: everything the rest of Everypath needs to know to make tests for programs in it.

The list of all languages is `languages/every.py`. Describing a language must be cheap, because every run looks at
all of them: whatever is large, such as a front end, is loaded when a method needs it.
"""

from __future__ import annotations

from typing import Protocol


class Language(Protocol):
    """One programming language."""

    name: str
    """as people write it"""
    code: str
    """what its programs are called in a sentence, such as `an ABS program`"""
    formats: tuple[str, ...]
    """what results can be written as; the first is the default"""
    settings: frozenset[str]
    """options of `generate` that mean something for this language alone"""

    def claims(self, target: str) -> bool:
        """Whether a target is about a program in this language, going by its text."""

    def start_early(self) -> None:
        """Begin whatever will run tests for real: a process that is under way now is ready when the first cases are."""
