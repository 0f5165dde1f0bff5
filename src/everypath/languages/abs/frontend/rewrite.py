"""Walks over the checked tree, fixed points over its calls, and rebuilding parts: other types, variables, calls."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from everypath.languages.abs.frontend import program as p
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.types import Type
from everypath.records import fields

_PARTS = (
    Type,
    t.Expression,
    t.Pattern,
    t.CaseBranch,
    t.Variable,
    t.NamedFunction,
    t.AnonymousFunction,
    b.Statement,
    b.Branch,
    p.Function,
    p.Field,
    p.Method,
    p.Class,
    p.Main,
)
N = TypeVar("N")
K = TypeVar("K", bound=Hashable)


@cache
def _names(node: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(node))


def parts(node: Any) -> Iterator[Any]:
    """The nodes directly below a node."""
    for name in _names(node.__class__):
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, _PARTS) and not isinstance(part, Type):
                yield part


def nodes(*roots: Any) -> Iterator[Any]:
    """The given nodes and all below them, in the order of the source."""
    pending = list(reversed(roots))
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(tuple(parts(node))))


def grown(found: set[K], others: Iterable[K], belongs: Callable[[K], bool]) -> None:
    """Add every other key that belongs to those found, which `belongs` looks at, until none is left to add."""
    others = list(others)
    size = -1
    while len(found) != size:
        size = len(found)
        found.update(key for key in others if key not in found and belongs(key))


def rebuilt(node: N, change: Callable[[Any], Any]) -> N:
    """The node with `change` applied to every part: child nodes and types, and those in tuples."""
    values = []
    changed = False
    made: Any = type(node)
    for name in _names(made):
        value = getattr(node, name)
        new = value
        if isinstance(value, _PARTS):
            new = change(value)
        elif isinstance(value, tuple):
            parts = tuple(change(v) if isinstance(v, _PARTS) else v for v in value)
            if any(a is not b for a, b in zip(parts, value)):
                new = parts
        changed = changed or new is not value
        values.append(new)
    return made(*values) if changed else node


def retyped(node: N, change: Callable[[Type], Type]) -> N:
    """The tree with every type replaced."""

    def step(part: Any) -> Any:
        if isinstance(part, Type):
            new = change(part)
            return part if new == part else new
        return rebuilt(part, step)

    return rebuilt(node, step)
