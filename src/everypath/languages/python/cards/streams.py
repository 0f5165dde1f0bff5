"""`io.StringIO`, which stands for every text file that is read or written."""

from __future__ import annotations

from everypath.cases.describing import Walk, WalkBefore
from everypath.cases.model import HeapState, StreamState
from everypath.heap.values import Value
from everypath.ir.types import ClassType
from everypath.languages.python.cards.card import ModelCard


class _Stream(ModelCard):
    def unread(self, declared: ClassType) -> HeapState:
        return StreamState("", 0, False)

    def before(self, walk: WalkBefore, declared: ClassType, fields: dict[str, Value]) -> HeapState:
        # It is opened and at its beginning, as callers pass streams.
        return StreamState(_text(walk, fields.get("_text", "")), 0, False)

    def after(self, walk: Walk, fields: dict[str, Value], name: str) -> HeapState:
        """What was never looked at is as it was."""
        start = walk.before.get(name)
        text = start.text if isinstance(start, StreamState) else ""
        if "_text" in fields:
            text = _text(walk, fields["_text"])
        place = walk.scalar(walk.chosen(fields.get("_place")))
        assert place is None or isinstance(place, int)
        return StreamState(text, place or 0, bool(walk.scalar(walk.chosen(fields.get("_closed")))))


def _text(walk: WalkBefore, value: Value) -> str:
    text = walk.scalar(walk.chosen(value))
    assert isinstance(text, str)
    return text


STREAM = _Stream("io.StringIO", aliases=("typing.TextIO", "typing.IO", "io.TextIOBase", "io.TextIOWrapper"))
CARDS = (STREAM,)
