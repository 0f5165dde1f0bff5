"""A priority queue kept as a sorted, doubly linked list of entries."""

from __future__ import annotations


class EmptyQueue(Exception):
    """There is no entry to give."""


class BrokenQueue(Exception):
    """A link or an entry that every queue has is missing."""


class Entry:
    """A value with the key it is ordered by."""

    def __init__(self, key: int, value: int) -> None:
        self.key = key
        self.value = value


class Node:
    """The place of one entry."""

    def __init__(self, entry: Entry | None, previous: Node | None = None, next: Node | None = None) -> None:
        self.entry = entry
        self.previous = previous
        self.next = next

    def content(self) -> Entry:
        """The entry, which only sentinels lack."""
        if self.entry is None:
            raise BrokenQueue("a place without an entry")
        return self.entry

    def after(self) -> Node:
        """The next place."""
        if self.next is None:
            raise BrokenQueue("the list ends early")
        return self.next

    def before(self) -> Node:
        """The previous place."""
        if self.previous is None:
            raise BrokenQueue("the list begins late")
        return self.previous


class SortedQueue:
    """Entries in ascending order of their keys between two sentinels."""

    def __init__(self) -> None:
        self.size: int = 0
        self.header: Node = Node(None)
        self.trailer: Node = Node(None, self.header)
        self.header.next = self.trailer

    def is_empty(self) -> bool:
        """Whether there is no entry."""
        return self.size == 0

    def min(self) -> Entry:
        """An entry with the smallest key."""
        if self.is_empty():
            raise EmptyQueue()
        return self.header.after().content()

    def _put_between(self, entry: Entry, left: Node, right: Node) -> None:
        """Makes a place for the entry between two neighbours, which it must not be out of order with."""
        if left.entry is not None and left.entry.key > entry.key:
            raise BrokenQueue("a larger key in front")
        if right.entry is not None and right.entry.key < entry.key:
            raise BrokenQueue("a smaller key behind")
        node = Node(entry, left, right)
        left.next = node
        right.previous = node
        self.size += 1

    def insert_entry(self, entry: Entry) -> None:
        """Puts the entry behind all entries with the same or a smaller key."""
        if self.is_empty():
            self._put_between(entry, self.header, self.trailer)
            return
        last = self.trailer.before()
        if entry.key >= last.content().key:
            self._put_between(entry, last, self.trailer)
            return
        node = self.header.after()
        while entry.key >= node.content().key:
            node = node.after()
        self._put_between(entry, node.before(), node)

    def insert(self, key: int, value: int) -> Entry:
        """Adds a value with its key."""
        entry = Entry(key, value)
        self.insert_entry(entry)
        return entry

    def add_all(self, first: Entry, second: Entry) -> int:
        """Adds two entries; the result is the new size."""
        self.insert_entry(first)
        self.insert_entry(second)
        return self.size

    def take_min(self, other: SortedQueue) -> int:
        """Moves the smallest entry of another queue into this one; the result is its key."""
        entry = other.remove_min()
        self.insert_entry(entry)
        return entry.key

    def remove_min(self) -> Entry:
        """Takes out an entry with the smallest key."""
        entry = self.min()
        node = self.header.after()
        second = node.after()
        if second.entry is not None and second.entry.key < entry.key:
            raise BrokenQueue("a smaller key behind")
        self.header.next = second
        second.previous = self.header
        node.previous = None
        node.next = None
        self.size -= 1
        return entry

    def change_key(self, entry: Entry, key: int) -> bool:
        """Gives an entry of the queue another key and moves it where it then belongs."""
        node = self.header.after()
        while node is not self.trailer:
            if node.content() is entry:
                left = node.before()
                right = node.after()
                left.next = right
                right.previous = left
                self.size -= 1
                entry.key = key
                self.insert_entry(entry)
                return True
            node = node.after()
        return False
