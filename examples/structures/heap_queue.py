"""A priority queue kept as a binary heap in an array list; every entry knows its index there."""

from __future__ import annotations


class EmptyQueue(Exception):
    """There is no entry to give."""


class InvalidEntry(Exception):
    """The entry is not one of the queue."""


class Entry:
    """A value with the key it is ordered by; the index is -1 outside any queue."""

    def __init__(self, key: int, value: int, index: int = -1) -> None:
        self.key = key
        self.value = value
        self.index = index


class HeapQueue:
    """The entry at index i has a key no larger than those at 2i + 1 and 2i + 2."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def is_empty(self) -> bool:
        """Whether there is no entry."""
        return len(self.entries) == 0

    def min(self) -> Entry:
        """An entry with the smallest key."""
        if self.is_empty():
            raise EmptyQueue()
        return self.entries[0]

    def _place(self, entry: Entry, index: int) -> None:
        """Stores the entry at an index."""
        self.entries[index] = entry
        entry.index = index

    def _up(self, entry: Entry, index: int) -> None:
        """Stores the entry at the index or, in place of larger ones, closer to the root."""
        while index > 0:
            parent = self.entries[(index - 1) // 2]
            if parent.key <= entry.key:
                break
            self._place(parent, index)
            index = (index - 1) // 2
        self._place(entry, index)

    def _down(self, entry: Entry, index: int) -> None:
        """Stores the entry at the index or, in place of smaller ones, further from the root."""
        size = len(self.entries)
        while 2 * index + 1 < size:
            below = 2 * index + 1
            child = self.entries[below]
            if below + 1 < size and self.entries[below + 1].key < child.key:
                below += 1
                child = self.entries[below]
            if child.key >= entry.key:
                break
            self._place(child, index)
            index = below
        self._place(entry, index)

    def insert_entry(self, entry: Entry) -> None:
        """Adds an entry that is in no queue."""
        if entry.index != -1:
            raise InvalidEntry("already in a queue")
        self.entries.append(entry)
        self._up(entry, len(self.entries) - 1)

    def insert(self, key: int, value: int) -> Entry:
        """Adds a value with its key."""
        entry = Entry(key, value)
        self.insert_entry(entry)
        return entry

    def add_all(self, first: Entry, second: Entry) -> int:
        """Adds two entries; the result is the smallest key."""
        self.insert_entry(first)
        self.insert_entry(second)
        return self.min().key

    def remove_min(self) -> Entry:
        """Takes out an entry with the smallest key."""
        smallest = self.min()
        last = self.entries.pop()
        if not self.is_empty():
            self._down(last, 0)
        smallest.index = -1
        return smallest

    def take_min(self, other: HeapQueue) -> int:
        """Moves the smallest entry of another queue into this one; the result is its key."""
        entry = other.remove_min()
        self.insert_entry(entry)
        return entry.key

    def replace_key(self, entry: Entry, key: int) -> int:
        """Gives an entry of the queue another key; the result is the old one."""
        if entry.index < 0 or entry.index >= len(self.entries):
            raise InvalidEntry("no such index")
        if self.entries[entry.index] is not entry:
            raise InvalidEntry("another entry is there")
        old = entry.key
        entry.key = key
        if key < old:
            self._up(entry, entry.index)
        else:
            self._down(entry, entry.index)
        return old
