"""A dict that makes a missing list on first use; two threads can be given different lists for the same key."""

from __future__ import annotations


class GroupDict(dict[str, list[str]]):
    """Members by group."""

    def __missing__(self, group: str) -> list[str]:
        members: list[str] = []
        self[group] = members
        return members

    def sizes(self) -> dict[str, int]:
        """How many members each group has."""
        return {group: len(members) for group, members in list(self.items())}


class SafeGroupDict(dict[str, list[str]]):
    """Members by group."""

    def __missing__(self, group: str) -> list[str]:
        return self.setdefault(group, [])

    def sizes(self) -> dict[str, int]:
        """How many members each group has."""
        return {group: len(members) for group, members in list(self.items())}
