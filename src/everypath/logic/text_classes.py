"""Texts that are known to be equal or different: classes of equal ones, and pairs of classes that differ.

The solver compares unknown texts character by character, which takes a second where this takes no time: members of
two sets, keys of two dicts are compared with each other again and again.
"""

from __future__ import annotations

from everypath.logic.nodes import Term, Value
from everypath.logic.verdicts import FALSE, TRUE, UNSURE

Text = Term | Value


class TextClasses:
    """Equal and different texts; never changed, since what is learnt gives a new object, so that paths can share
    one.
    """

    __slots__ = ("_apart", "_members", "_root")

    def __init__(self) -> None:
        self._root: dict[Text, Text] = {}
        self._members: dict[Text, tuple[Text, ...]] = {}
        """root -> members, for classes with more than one text; a constant is the root of its class"""
        self._apart: dict[Text, frozenset[Text]] = {}

    def decide(self, left: Text, right: Text) -> int:
        """TRUE or FALSE if it is known whether two texts are equal, else UNSURE."""
        left, right = self._root.get(left, left), self._root.get(right, right)
        if left == right:
            return TRUE
        if isinstance(left, str) and isinstance(right, str):
            return FALSE
        return FALSE if right in self._apart.get(left, ()) else UNSURE

    def equated(self, left: Text, right: Text) -> TextClasses:
        """The classes after two texts, which may be equal, are known to be."""
        kept, joining = self._root.get(left, left), self._root.get(right, right)
        if kept == joining:
            return self
        if isinstance(joining, str):
            kept, joining = joining, kept
        new = self._copy()
        members = new._members.pop(joining, (joining,))
        new._members[kept] = new._members.get(kept, (kept,)) + members
        for member in members:
            new._root[member] = kept
        for other in new._apart.pop(joining, ()):
            new._apart[other] = new._apart[other] - {joining}
            new._tell_apart(kept, other)
        return new

    def separated(self, left: Text, right: Text) -> TextClasses:
        """The classes after two texts, which may be different, are known to be."""
        new = self._copy()
        new._tell_apart(self._root.get(left, left), self._root.get(right, right))
        return new

    def _tell_apart(self, left: Text, right: Text) -> None:
        for one, other in ((left, right), (right, left)):
            self._apart[one] = self._apart.get(one, frozenset()) | {other}

    def _copy(self) -> TextClasses:
        new = TextClasses()
        new._root, new._members, new._apart = self._root.copy(), self._members.copy(), self._apart.copy()
        return new


NO_CLASSES = TextClasses()
