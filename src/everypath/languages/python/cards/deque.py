"""`collections.deque`."""

from __future__ import annotations

from everypath.cases.describing import Walk, WalkBefore
from everypath.cases.model import HeapState, SequenceState
from everypath.errors import Unsupported
from everypath.heap.values import InitialList, Ref, Value
from everypath.ir.types import ClassType
from everypath.languages.python.cards.card import CollectionCard


class _Deque(CollectionCard):
    def unread(self, declared: ClassType) -> HeapState:
        return SequenceState(self.short, ())

    def before(self, walk: WalkBefore, declared: ClassType, fields: dict[str, Value]) -> HeapState:
        if walk.chosen(fields.get("maxlen")) is not None:
            raise Unsupported(f"an input of class {self.name}")
        held = self.first_content(walk, fields)
        return SequenceState(self.short, walk.initial_items(held) if isinstance(held, InitialList) else ())

    def after(self, walk: Walk, fields: dict[str, Value], name: str) -> HeapState:
        # How long it may become is nothing that equality looks at.
        if self.content not in fields:
            return walk.before.get(name, SequenceState(self.short, ()))
        content = walk.chosen(fields[self.content])
        assert isinstance(content, Ref)
        items = walk.final_state(content, name)
        return SequenceState(self.short, items.items if isinstance(items, SequenceState) else ())


CARDS = (_Deque("collections.deque", content="_items", aliases=("typing.Deque",)),)
