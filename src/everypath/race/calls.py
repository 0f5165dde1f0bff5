"""Calls on the shared object as source text: what is executed is what the generated test shows."""

from __future__ import annotations

from everypath.records import dataclass

SHARED = "sut"
"""The name of the shared object in every call."""
NEXT_CALL = ("<thread>", "read the next call")
"""Function and operation of the point at which a thread begins another of its calls."""


@dataclass(frozen=True, slots=True)
class Call:
    """One edge of the search tree: a method with its arguments, or an operator that stands for a method."""

    method: str
    """the method or property behind it, such as `put`, `__setitem__` or `size`"""
    source: str
    """an expression or a statement over `sut`, such as `sut.put('a', 1)` or `sut['a'] = 1`"""
