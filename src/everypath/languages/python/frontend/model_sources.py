"""The text of our models of library code, with what is written once for several functions written out.

`@written_for("keys", "values", "items")` stands above the text for `keys`, which is repeated with the other words in
its place. Words may be operators: `@written_for("__add__ +", "__sub__ -")` repeats `__add__` with both words replaced.
"""

from __future__ import annotations

import re
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "models"
_REPEATED = (
    r"(?m)^(?P<indent> *)@written_for\((?P<words>[^)]*)\)\n"
    r"(?P<text>(?P=indent)def .*\n(?:(?P=indent) +.*\n|\n+(?=(?P=indent) ))*)"
)


def model_source(name: str) -> str:
    """The text of one file of models."""
    # Through the loader of this module, so that it works from a zip file as well.
    data: bytes = globals()["__spec__"].loader.get_data(str(_FOLDER / f"{name}.py"))
    return re.sub(_REPEATED, _written_out, data.decode())


def _written_out(match: re.Match[str]) -> str:
    """The text once for each group of words; the first group is what it is written with."""
    first, *others = (words.split() for words in re.findall(r'"([^"]*)"', match["words"]))
    places = [rf"\b{word}\b" if word.isidentifier() else rf"(?<= ){re.escape(word)}(?= )" for word in first]
    pattern = re.compile("|".join(places))
    texts = [match["text"]]
    for words in others:
        replaced = dict(zip(first, words, strict=True))
        texts.append(pattern.sub(lambda found, by=replaced: by[found[0]], match["text"]))
    return "\n".join(texts)
