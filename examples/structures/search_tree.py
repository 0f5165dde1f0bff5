"""A binary search tree of entries."""

from __future__ import annotations


class BrokenTree(Exception):
    """The tree promises a subtree that is not there."""


class Entry:
    """A value with the key it is found by."""

    def __init__(self, key: int, value: int) -> None:
        self.key = key
        self.value = value


class Node:
    """One entry with its children and its parent."""

    def __init__(self, entry: Entry, parent: Node | None = None) -> None:
        self.entry = entry
        self.parent = parent
        self.left: Node | None = None
        self.right: Node | None = None

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


class SearchTree:
    """No key on the left of a node is larger and none on its right is smaller; equal keys may occur several times."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.size: int = 0

    def _put_root(self, node: Node | None) -> None:
        """Makes the node the root, or the tree empty."""
        self.root = node
        if node is not None:
            node.parent = None

    def _search(self, key: int, node: Node) -> Node:
        """The highest node with this key from `node` down, else the node that would become its parent."""
        while key != node.entry.key:
            child = node.left if key < node.entry.key else node.right
            if child is None:
                return node
            node = child
        return node

    def find(self, key: int) -> Entry | None:
        """An entry with this key."""
        if self.root is None:
            return None
        node = self._search(key, self.root)
        return node.entry if node.entry.key == key else None

    def _collect(self, key: int, node: Node, found: list[Entry]) -> None:
        """Adds the entries with this key from `node` down, from left to right."""
        top = self._search(key, node)
        if top.entry.key != key:
            return
        if top.left is not None:
            self._collect(key, top.left, found)
        found.append(top.entry)
        if top.right is not None:
            self._collect(key, top.right, found)

    def find_all(self, key: int) -> list[Entry]:
        """All entries with this key."""
        found: list[Entry] = []
        if self.root is not None:
            self._collect(key, self.root, found)
        return found

    def insert(self, key: int, value: int) -> Entry:
        """Adds an entry; one with the same key stays."""
        entry = Entry(key, value)
        node = Node(entry)
        if self.root is None:
            self._put_root(node)
        else:
            below = self.root
            child = below.left if key < below.entry.key else below.right
            while child is not None:
                below = child
                child = below.left if key < below.entry.key else below.right
            if key < below.entry.key:
                below.put_left(node)
            else:
                below.put_right(node)
        self.size += 1
        return entry

    def remove(self, key: int) -> Entry | None:
        """Takes out the highest entry with this key; its successor, or its only child, takes the place."""
        if self.root is None:
            return None
        node = self._search(key, self.root)
        if node.entry.key != key:
            return None
        if node.left is None:
            heir = node.right
        elif node.right is None:
            heir = node.left
        else:
            heir = self._first_cut_off(node)
            heir.put_left(node.left)
        parent = node.parent
        if parent is None:
            self._put_root(heir)
        elif key < parent.entry.key:
            parent.put_left(heir)
        else:
            parent.put_right(heir)
        self.size -= 1
        return node.entry

    def _first_cut_off(self, node: Node) -> Node:
        """The leftmost node on the right of a node, with the rest of that subtree on its own right."""
        heir = node.right
        if heir is None:
            raise BrokenTree("nothing on the right")
        above: Node | None = None
        while heir.left is not None:
            above = heir
            heir = heir.left
        if above is not None:
            above.put_left(heir.right)
            heir.put_right(node.right)
        return heir
