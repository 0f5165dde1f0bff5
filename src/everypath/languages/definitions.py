"""What a source defines, as its text tells without loading it."""

from __future__ import annotations

from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Inner:
    """A function inside of another one; its lines are those that only a call of it executes."""

    name: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or method of a module."""

    qualname: str
    first: int
    """its first line, with everything that belongs to it"""
    last: int
    public: bool
    """whether tests of the module, or of its class, are also about this one"""
    inside: tuple[Inner, ...] = ()
    """the functions that it defines when it is called"""

    @property
    def name(self) -> str:
        """Its name alone."""
        return self.qualname.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Part:
    """A function, or any other statement of a module or class body, for telling what changed."""

    owner: str
    """the qualified name of the class that it belongs to, empty for the module"""
    text: str
    """equal for parts that mean the same: comments and layout do not matter"""
    names: frozenset[str]
    """every name that a function mentions; the names that another statement gives a value"""
    definition: Definition | None = None
    """the function, if it is one"""
