"""A sorted linked list: insertion, and a merge of two lists that may share nodes."""

from __future__ import annotations


class Node:
    def __init__(self, data: int, next: Node | None) -> None:
        self.data = data
        self.next = next


class SortedList:
    def __init__(self, first: Node | None) -> None:
        self.first = first

    def insert(self, x: int) -> None:
        if self.first is None or self.first.data >= x:
            self.first = Node(x, self.first)
            return
        previous = self.first
        current = previous.next
        while current is not None and current.data < x:
            previous = current
            current = current.next
        previous.next = Node(x, current)


def merge(left: Node | None, right: Node | None) -> Node | None:
    """Relinks the nodes of both lists in order; lists with a node in common lose or repeat some of it."""
    if left is None:
        return right
    if right is None:
        return left
    if left.data > right.data:
        left, right = right, left
    head = left
    while left.next is not None and right is not None:
        if left.next.data > right.data:
            left.next, right = right, left.next
        left = left.next
    if right is not None:
        left.next = right
    return head
