"""A doubly linked list of integers between two sentinels; a position is the node that holds the element."""

from __future__ import annotations


class InvalidPosition(Exception):
    """The node is not, or no longer, a place of an element."""


class EmptyList(Exception):
    """There is no element to give."""


class Node:
    """One element with its neighbours; a node outside any list has none."""

    def __init__(self, element: int, previous: Node | None = None, next: Node | None = None) -> None:
        self.element = element
        self.previous = previous
        self.next = next

    def before(self) -> Node:
        """The neighbour on the left."""
        if self.previous is None:
            raise InvalidPosition("nothing on the left")
        return self.previous

    def after(self) -> Node:
        """The neighbour on the right."""
        if self.next is None:
            raise InvalidPosition("nothing on the right")
        return self.next


class DoublyLinkedList:
    """Elements in an order that the caller chooses."""

    def __init__(self) -> None:
        self.size: int = 0
        self.header: Node = Node(0)
        self.trailer: Node = Node(0, self.header)
        self.header.next = self.trailer

    def is_empty(self) -> bool:
        """Whether there is no element."""
        return self.size == 0

    def _check(self, position: Node) -> Node:
        """The same position, if it is one of an element."""
        if position is self.header or position is self.trailer:
            raise InvalidPosition("a sentinel holds no element")
        return position

    def first(self) -> Node:
        """The first position."""
        if self.is_empty():
            raise EmptyList()
        return self.header.after()

    def last(self) -> Node:
        """The last position."""
        if self.is_empty():
            raise EmptyList()
        return self.trailer.before()

    def _link(self, element: int, left: Node, right: Node) -> Node:
        """Puts a new node between two neighbours."""
        node = Node(element, left, right)
        left.next = node
        right.previous = node
        self.size += 1
        return node

    def _unlink(self, node: Node) -> int:
        """Joins the neighbours of the node and sets it free."""
        left = node.before()
        right = node.after()
        left.next = right
        right.previous = left
        node.previous = None
        node.next = None
        self.size -= 1
        return node.element

    def add_first(self, element: int) -> Node:
        """Puts the element in front of all others."""
        return self._link(element, self.header, self.header.after())

    def add_last(self, element: int) -> Node:
        """Puts the element behind all others."""
        return self._link(element, self.trailer.before(), self.trailer)

    def add_before(self, position: Node, element: int) -> Node:
        """Puts the element in front of a position."""
        node = self._check(position)
        return self._link(element, node.before(), node)

    def _node_at(self, index: int) -> Node:
        """The node with `index` elements in front of it, from the nearer end; past the last one the trailer."""
        if index < 0 or index > self.size:
            raise IndexError("no such place")
        if index + index < self.size:
            node = self.header.after()
            while index > 0:
                node = node.after()
                index -= 1
        else:
            node = self.trailer
            while index < self.size:
                node = node.before()
                index += 1
        return node

    def add(self, index: int, element: int) -> Node:
        """Puts the element so that `index` others are in front of it."""
        right = self._node_at(index)
        return self._link(element, right.before(), right)

    def add_range(self, index: int, other: DoublyLinkedList, start: int, end: int) -> None:
        """Moves the elements `start` to `end` - 1 of another list here, behind the first `index` elements."""
        if other is self:
            raise InvalidPosition("a list cannot be moved into itself")
        if start >= end:
            return
        right = self._node_at(index)
        left = right.before()
        first = other._node_at(start)
        before_first = first.before()
        after_last = other._node_at(end)
        last = after_last.before()
        before_first.next = after_last
        after_last.previous = before_first
        left.next = first
        first.previous = left
        last.next = right
        right.previous = last
        self.size += end - start
        other.size -= end - start

    def remove(self, position: Node) -> int:
        """Takes the element away from its position."""
        return self._unlink(self._check(position))

    def remove_value(self, element: int) -> bool:
        """Takes away the first occurrence of the element, if there is one."""
        node = self.header.after()
        while node is not self.trailer:
            if node.element == element:
                self._unlink(node)
                return True
            node = node.after()
        return False

    def move_to_front(self, position: Node) -> None:
        """Makes the position the first one."""
        node = self._check(position)
        left = node.before()
        right = node.after()
        if left is self.header:
            return
        left.next = right
        right.previous = left
        second = self.header.after()
        node.previous = self.header
        node.next = second
        self.header.next = node
        second.previous = node

    def exchange(self, position: Node, other: Node) -> None:
        """Swaps the places of two nodes by changing links only."""
        one = self._check(position)
        two = self._check(other)
        if one is two:
            return
        if two.next is one:
            one, two = two, one
        left = one.before()
        right = two.after()
        if one.next is two:
            two.next = one
            one.previous = two
        else:
            inner_left = one.after()
            inner_right = two.before()
            two.next = inner_left
            inner_left.previous = two
            one.previous = inner_right
            inner_right.next = one
        left.next = two
        two.previous = left
        one.next = right
        right.previous = one
