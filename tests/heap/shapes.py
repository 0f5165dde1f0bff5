"""The classes that random heap programs use, as source text and as a table of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NULLABLE = "?"
"""Ends the type of a field or parameter that may be None."""


@dataclass(frozen=True)
class Shape:
    """A family of classes: what its objects hold and how a program can make and call them."""

    header: str
    root: str
    """the class that parameters are declared with"""
    fields: Mapping[str, Mapping[str, str]]
    """class -> field -> type, inherited fields included"""
    parents: Mapping[str, str]
    """class -> its base class"""
    walk: str
    """the nullable field of the root that loops follow"""
    numbers: tuple[str, ...]
    """calls on an object of the root that give an integer; `#` stands for an integer"""
    references: tuple[str, ...]
    """calls on an object of the root that give a reference or None; `@` stands for a reference"""
    creations: tuple[str, ...]
    """expressions that make an object; `#` stands for an integer, `@` for a reference, `!` for one that is not None"""

    def subclasses(self, cls: str) -> list[str]:
        """The class itself and those below it."""
        return [name for name in self.fields if self.is_subclass(name, cls)]

    def is_subclass(self, cls: str, base: str) -> bool:
        """Whether an object of the first class is one of the second."""
        while cls != base and cls in self.parents:
            cls = self.parents[cls]
        return cls == base

    def holding(self, cls: str, kind: str) -> list[tuple[str, str]]:
        """The fields of a class that hold integers, booleans or references, with their types."""
        return [(name, type) for name, type in self.fields[cls].items() if (type if type in SCALARS else "ref") == kind]


SCALARS = ("int", "bool")

NODES = Shape(
    header="""\
from __future__ import annotations


class Node:
    def __init__(self, f: int, g: int, flag: bool, next: Node | None, other: Node | None) -> None:
        self.f = f
        self.g = g
        self.flag = flag
        self.next = next
        self.other = other

    def cap(self, most: int) -> int:
        if self.f > most:
            self.f = most
        return self.f

    def link(self, to: Node | None) -> Node | None:
        old = self.next
        self.next = to
        return old

    def count(self, most: int) -> int:
        if most <= 0 or self.next is None:
            return 0
        return 1 + self.next.count(most - 1)
""",
    root="Node",
    fields={"Node": {"f": "int", "g": "int", "flag": "bool", "next": "Node?", "other": "Node?"}},
    parents={},
    walk="next",
    numbers=(".cap(#)", ".count(2)"),
    references=(".link(@)",),
    creations=("Node(#, 1, True, @, None)", "Node(0, #, False, None, @)"),
)

FAMILY = Shape(
    header="""\
from __future__ import annotations


class Base:
    def __init__(self, v: int, mate: Base, link: Base | None) -> None:
        self.v = v
        self.mate = mate
        self.link = link

    def size(self) -> int:
        return self.v

    def swap(self, to: Base | None) -> Base | None:
        old = self.link
        self.link = to
        return old


class Left(Base):
    def __init__(self, v: int, mate: Base, link: Base | None, w: int) -> None:
        super().__init__(v, mate, link)
        self.w = w

    def size(self) -> int:
        if self.w > self.v:
            return self.w
        return self.v + 1


class Right(Base):
    def __init__(self, v: int, mate: Base, link: Base | None, left: Left | None) -> None:
        super().__init__(v, mate, link)
        self.left = left

    def size(self) -> int:
        return 2 if self.left is None else self.left.w
""",
    root="Base",
    fields={
        "Base": {"v": "int", "mate": "Base", "link": "Base?"},
        "Left": {"v": "int", "mate": "Base", "link": "Base?", "w": "int"},
        "Right": {"v": "int", "mate": "Base", "link": "Base?", "left": "Left?"},
    },
    parents={"Left": "Base", "Right": "Base"},
    walk="link",
    numbers=(".size()",),
    references=(".swap(@)",),
    creations=("Base(#, !, @)", "Left(#, !, @, 1)", "Right(0, !, @, None)"),
)
