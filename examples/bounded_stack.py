"""A stack of integers with a capacity: full and empty stacks refuse with errors of their own."""

from __future__ import annotations


class StackFull(Exception):
    pass


class StackEmpty(Exception):
    pass


class BoundedStack:
    def __init__(self, capacity: int, items: list[int]) -> None:
        self.capacity = capacity
        self.items = items

    def push(self, item: int) -> int:
        if len(self.items) >= self.capacity:
            raise StackFull()
        self.items.append(item)
        return len(self.items)

    def pop(self) -> int:
        if not self.items:
            raise StackEmpty()
        return self.items.pop()

    def peek(self) -> int:
        if len(self.items) == 0:
            raise StackEmpty()
        return self.items[-1]

    def free(self) -> int:
        return self.capacity - len(self.items)


def move(source: BoundedStack, target: BoundedStack) -> bool:
    """Moves the top element when there is one and room for it."""
    if source.items and target.free() > 0:
        target.push(source.pop())
        return True
    return False
