"""Removing all elements of one linked list from another (Figure 10 of "Test Case Generation by Symbolic Execution")."""

from __future__ import annotations


class Node:
    def __init__(self, data: int, next: Node | None) -> None:
        self.data = data
        self.next = next


class List:
    def __init__(self, first: Node | None) -> None:
        self.first = first

    def rem_all(self, l: List | None) -> None:  # noqa: E741
        lf = l.first
        while lf is not None:
            prev = None
            p = None
            next = self.first
            while next is not None:
                prev = p
                p = next
                next = next.next
                if p.data == lf.data:
                    if prev is None:
                        self.first = next
                        p = None
                    else:
                        prev.next = next
                        p = prev
            lf = lf.next
