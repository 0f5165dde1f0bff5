"""The one dependence relation: when two accesses do not commute."""

from __future__ import annotations

from everypath.records import dataclass

WHOLE = "*"
"""The key of an access that concerns every element of a container, such as its length or an iteration step."""


@dataclass(frozen=True, slots=True)
class Access:
    """One look at, or change of, a place in shared memory."""

    owner: str
    """the object, under a name that means the same object in every run from the same state"""
    key: object
    """the attribute or element, `WHOLE` for all of them"""
    reads: bool
    writes: bool

    def same_place(self, other: Access) -> bool:
        """Whether both concern the same memory, one of them perhaps among more."""
        return self.owner == other.owner and overlapping(self.key, other.key)


def overlapping(mine: object, theirs: object) -> bool:
    """Whether two keys of one object concern the same memory.

    Attributes are named by strings, elements by anything else; all elements together do not touch attributes.
    """
    return mine == theirs or (mine == WHOLE and type(theirs) is not str) or (theirs == WHOLE and type(mine) is not str)


def dependent(first: Access, second: Access) -> bool:
    """Whether the order of the two can matter: same place, and at least one writes."""
    return (first.writes or second.writes) and first.same_place(second)
