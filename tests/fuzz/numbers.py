"""Programs that only compute with numbers and compare them: what is infinite, no number, -0.0 or too large."""

from __future__ import annotations

from tests.fuzz.programs import LEAVES, Maker, Vocabulary, read_forms
from tests.fuzz.statements import ORDINARY, again, assign, augmented, branch, loop, tried

_PARAMETERS = {"int": ("a", "b"), "float": ("x", "y"), "bool": ("flag",)}


def _module(maker: Maker) -> list[str]:
    return ["import math"]


NUMBERS = Vocabulary(
    _PARAMETERS,
    {type: LEAVES[type] for type in _PARAMETERS},
    read_forms("number_expressions.txt"),
    _module,
    [assign, again, augmented, *ORDINARY.plain[-2:]],
    [branch, branch, branch, loop, tried],
)
"""Numbers, most of them floats."""
