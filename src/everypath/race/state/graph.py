"""What a snapshot consists of: numbered nodes that mention each other, one for each object that was reached."""

from __future__ import annotations

from functools import cache
from typing import Any


class Shape:
    """What a node is, apart from what it holds; there is one object for each name and kind."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"

    @property
    def short(self) -> str:
        """The class's name without its module and the function that made it."""
        return self.name.rpartition(".")[2]


@cache
def shape(name: str, kind: str) -> Shape:
    """The only shape of this name and kind."""
    return Shape(name, kind)


class Ref:
    """Refers to the node with this number; there is one object for each number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"#{self.number}"


REFS = [Ref(number) for number in range(64)]


def ref(number: int) -> Ref:
    """The only reference with this number; references with smaller numbers are made, too, if there are none yet."""
    if number >= len(REFS):
        REFS.extend(map(Ref, range(len(REFS), number + 1)))
    return REFS[number]


class Constant:
    """Stands for an object of which there is only one; unlike `True`, it equals no number."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


CUT = Constant("...")
CUT_NODE: Node = (shape("...", "cut"), ())

Token = Any
"""A `str` or `int` for itself, a Constant, a Ref, (shape, value), or a small node of plain values instead of a Ref."""
Node = tuple[Any, ...]
"""Its shape, the names of its attributes, their tokens, then the tokens of its content; of a set one frozenset."""


class Snapshot:
    """The state of some objects; equal snapshots are of states that no code can tell apart, as far as one can look."""

    __slots__ = ("_hash", "key", "opaque", "truncated")

    def __init__(self, key: tuple[Any, ...], opaque: frozenset[str], truncated: bool) -> None:
        self.key = key
        """tokens of the roots, then the nodes"""
        self.opaque = opaque
        """names of classes whose instances have state that was not seen"""
        self.truncated = truncated
        """whether there was more than fits"""
        self._hash: int | None = None

    @property
    def roots(self) -> tuple[Token, ...]:
        """The tokens of the objects that it was taken of."""
        return tuple(self.key[0])

    def node(self, token: Token) -> Node | None:
        """The node that a token mentions or is."""
        if type(token) is Ref:
            return tuple(self.key[1 + token.number])
        return token if type(token) is tuple and type(token[1]) is tuple else None

    def __eq__(self, other: object) -> bool:
        return self.key == other.key if isinstance(other, Snapshot) else NotImplemented

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.key)
        return self._hash
