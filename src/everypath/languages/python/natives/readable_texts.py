"""Texts that a function of the library reads without an error.

Where such a function gets a text that is not known, a few values are tried. Hardly any text is a date or a number in
the notation that the function expects, so the card of a library class tells what writes such texts of its objects.
"""

from __future__ import annotations

from collections.abc import Sequence

from everypath.heap.values import Value
from everypath.languages.python.cards.index import HOST
from everypath.languages.python.parameters.samples import TEXTS
from everypath.languages.python.semantics.inputs import sample_objects

_MOST = 2
"""Each is a path of its own."""


def readable(name: str, more: Sequence[Value]) -> tuple[str, ...]:
    """Texts that the function with this dotted name accepts as its first argument, if these are the others."""
    if name in TEXTS:
        return TEXTS[name]
    home, _, method = name.rpartition(".")
    card, method = (HOST[name], "") if name in HOST else (HOST.get(home), method)
    write = None if card is None else card.read.get(method)
    if card is None or write is None or not all(isinstance(each, str) for each in more):
        return ()
    return tuple(write(sample, *more) for sample in sample_objects(card.name)[:_MOST])
