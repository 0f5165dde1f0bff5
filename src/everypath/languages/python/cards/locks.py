"""Locks and events of `threading`.

Only their users change them, so an input is one that nobody has used, and whether somebody used it and put it back
cannot be seen afterwards.
"""

from __future__ import annotations

from everypath.cases.describing import Walk, WalkBefore
from everypath.cases.model import HeapState, UnusedState
from everypath.heap.values import Value
from everypath.ir.types import ClassType
from everypath.languages.python.cards.card import ModelCard


class _Unused(ModelCard):
    def unread(self, declared: ClassType) -> HeapState:
        return UnusedState(self.short, self.module)

    def before(self, walk: WalkBefore, declared: ClassType, fields: dict[str, Value]) -> HeapState:
        return self.unread(declared)

    def after(self, walk: Walk, fields: dict[str, Value], name: str) -> HeapState:
        return UnusedState(self.short, self.module)


CARDS = tuple(_Unused(f"threading.{name}") for name in ("Lock", "RLock", "Condition", "Event"))
