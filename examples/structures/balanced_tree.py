"""A binary search tree whose insertion rotates subtrees that it made too high on one side."""

from __future__ import annotations


class BrokenTree(Exception):
    """The heights promise a subtree that is not there."""


class Entry:
    """A value with the key it is found by."""

    def __init__(self, key: int, value: int) -> None:
        self.key = key
        self.value = value


class Node:
    """One entry with its children, its parent and the height of the tree that it is the root of."""

    def __init__(self, entry: Entry, parent: Node | None = None) -> None:
        self.entry = entry
        self.parent = parent
        self.left: Node | None = None
        self.right: Node | None = None
        self.height: int = 1

    def put_left(self, child: Node | None) -> None:
        """Makes the child, or nothing, the left one."""
        self.left = child
        if child is not None:
            child.parent = self

    def put_right(self, child: Node | None) -> None:
        """Makes the child, or nothing, the right one."""
        self.right = child
        if child is not None:
            child.parent = self

    def lean(self) -> int:
        """How much higher the right subtree is than the left one."""
        left = 0 if self.left is None else self.left.height
        right = 0 if self.right is None else self.right.height
        self.height = 1 + (left if left > right else right)
        return right - left

    def lift_left(self) -> Node:
        """Rotates the left child above this node; the result is the new root."""
        child = self.left
        if child is None:
            raise BrokenTree("nothing to lift on the left")
        self.put_left(child.right)
        child.put_right(self)
        self.lean()
        child.lean()
        return child

    def lift_right(self) -> Node:
        """Rotates the right child above this node; the result is the new root."""
        child = self.right
        if child is None:
            raise BrokenTree("nothing to lift on the right")
        self.put_right(child.left)
        child.put_left(self)
        self.lean()
        child.lean()
        return child

    def balanced(self) -> Node:
        """The root of the same tree after the rotation that its heights ask for, if they do."""
        lean = self.lean()
        if lean < -1:
            return self.lift_left()
        if lean > 1:
            return self.lift_right()
        return self


class BalancedTree:
    """No key on the left of a node is larger and none on its right is smaller; equal keys may occur several times."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.size: int = 0

    def _put_root(self, node: Node | None) -> None:
        """Makes the node the root, or the tree empty."""
        self.root = node
        if node is not None:
            node.parent = None

    def _hang(self, node: Node, below: Node) -> Node:
        """Adds a leaf to the tree below a node; the result is the root of that tree then."""
        if node.entry.key < below.entry.key:
            below.put_left(node if below.left is None else self._hang(node, below.left))
        else:
            below.put_right(node if below.right is None else self._hang(node, below.right))
        return below.balanced()

    def insert(self, key: int, value: int) -> Entry:
        """Adds an entry; one with the same key stays."""
        entry = Entry(key, value)
        node = Node(entry)
        self._put_root(node if self.root is None else self._hang(node, self.root))
        self.size += 1
        return entry
