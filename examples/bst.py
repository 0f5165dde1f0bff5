"""A binary search tree of integers: insert, find and remove."""

from __future__ import annotations


class Node:
    def __init__(self, key: int, left: Node | None = None, right: Node | None = None) -> None:
        self.key = key
        self.left = left
        self.right = right


class Tree:
    def __init__(self, root: Node | None = None) -> None:
        self.root = root

    def find(self, key: int) -> bool:
        node = self.root
        while node is not None:
            if key == node.key:
                return True
            node = node.left if key < node.key else node.right
        return False

    def insert(self, key: int) -> bool:
        if self.root is None:
            self.root = Node(key)
            return True
        node = self.root
        while True:
            if key == node.key:
                return False
            if key < node.key:
                if node.left is None:
                    node.left = Node(key)
                    return True
                node = node.left
            else:
                if node.right is None:
                    node.right = Node(key)
                    return True
                node = node.right

    def remove(self, key: int) -> bool:
        parent: Node | None = None
        node = self.root
        while node is not None and node.key != key:
            parent = node
            node = node.left if key < node.key else node.right
        if node is None:
            return False
        if node.left is not None and node.right is not None:
            parent = node
            heir = node.right
            while heir.left is not None:
                parent = heir
                heir = heir.left
            node.key = heir.key
            node = heir
        child = node.left if node.left is not None else node.right
        if parent is None:
            self.root = child
        elif parent.left is node:
            parent.left = child
        else:
            parent.right = child
        return True
