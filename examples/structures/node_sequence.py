"""A sequence of elements reached by rank, kept in doubly linked nodes; the element is an object of its own."""

from __future__ import annotations


class BoundaryViolation(Exception):
    """The rank is not one of the sequence."""


class BrokenLink(Exception):
    """A node inside the sequence lacks a neighbour."""


class Item:
    """What a sequence stores."""

    def __init__(self, value: int) -> None:
        self.value = value


class Node:
    """One place of the sequence."""

    def __init__(self, item: Item | None, previous: Node | None = None, next: Node | None = None) -> None:
        self.item = item
        self.previous = previous
        self.next = next


class NodeSequence:
    """Places 0 to `size` - 1 between the sentinels `header` and `trailer`."""

    def __init__(self) -> None:
        self.size: int = 0
        self.header: Node = Node(None)
        self.trailer: Node = Node(None, self.header)
        self.header.next = self.trailer

    def _check_rank(self, rank: int, bound: int) -> None:
        """Refuses ranks outside 0 to `bound` - 1."""
        if rank < 0:
            raise BoundaryViolation("a rank is not negative")
        if rank >= bound:
            raise BoundaryViolation("the rank is past the end")

    def _after(self, node: Node) -> Node:
        """The next place, or the trailer."""
        if node.next is None:
            raise BrokenLink()
        return node.next

    def _before(self, node: Node) -> Node:
        """The previous place, or the header."""
        if node.previous is None:
            raise BrokenLink()
        return node.previous

    def _at_rank(self, rank: int) -> Node:
        """The place of this rank, from whichever end is nearer."""
        if rank <= self.size // 2:
            node = self._after(self.header)
            while rank > 0:
                node = self._after(node)
                rank -= 1
        else:
            node = self._before(self.trailer)
            while rank < self.size - 1:
                node = self._before(node)
                rank += 1
        return node

    def rank_of(self, item: Item) -> int:
        """The first rank at which this very object is stored, or -1."""
        rank = 0
        node = self._after(self.header)
        while node is not self.trailer:
            if node.item is item:
                return rank
            rank += 1
            node = self._after(node)
        return -1

    def item_at(self, rank: int) -> Item | None:
        """The element of this rank."""
        self._check_rank(rank, self.size)
        return self._at_rank(rank).item

    def insert_at(self, rank: int, item: Item) -> None:
        """Stores the element at this rank and moves later ones by one."""
        self._check_rank(rank, self.size + 1)
        right = self.trailer if rank == self.size else self._at_rank(rank)
        left = self._before(right)
        node = Node(item, left, right)
        left.next = node
        right.previous = node
        self.size += 1

    def remove_at(self, rank: int) -> Item | None:
        """Takes the element of this rank out."""
        self._check_rank(rank, self.size)
        node = self._at_rank(rank)
        left = self._before(node)
        right = self._after(node)
        if left.next is None or right.previous is None:
            raise BrokenLink()
        left.next = right
        right.previous = left
        node.previous = None
        node.next = None
        self.size -= 1
        return node.item

    def replace_at(self, rank: int, item: Item) -> Item | None:
        """Stores another element at this rank and gives the old one back."""
        self._check_rank(rank, self.size)
        node = self._at_rank(rank)
        old = node.item
        node.item = item
        return old

    def exchange(self, rank: int, other: NodeSequence, target: int) -> int:
        """Swaps an element with one of a sequence; the result is how much larger the one now here is."""
        self._check_rank(rank, self.size)
        other._check_rank(target, other.size)
        here = self._at_rank(rank)
        there = other._at_rank(target)
        here.item, there.item = there.item, here.item
        if here.item is None or there.item is None:
            raise BrokenLink()
        return here.item.value - there.item.value

    def move(self, rank: int, other: NodeSequence, target: int) -> None:
        """Takes the element of this rank out and stores it in a sequence, maybe the same one, at a rank."""
        item = self.remove_at(rank)
        if item is None:
            raise BrokenLink()
        other.insert_at(target, item)
