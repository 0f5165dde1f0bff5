"""Calls on the shared object as source text: what is executed is what the generated test shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any

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


@lru_cache(maxsize=4096)
def _compiled(source: str) -> tuple[CodeType, bool]:
    try:
        return compile(source, "<call>", "eval"), True
    except SyntaxError:
        return compile(source, "<call>", "exec"), False


def job(source: str, names: dict[str, Any]) -> Callable[[], Any]:
    """What runs the call in the given scope; a statement has the value None."""
    code, is_expression = _compiled(source)

    def run() -> Any:
        if is_expression:
            return eval(code, names)
        exec(code, names)
        return None

    return run
