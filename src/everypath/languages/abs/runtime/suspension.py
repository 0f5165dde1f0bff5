"""Which statements and methods may release or block their cog, so that only those are cut into resumable pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import Class, Program
from everypath.records import fields

INIT = "<init>"
"""The init block, as a method."""


def nodes(node: Any) -> Iterator[Any]:
    """The node and everything below it."""
    stack = [node]
    while stack:
        at = stack.pop()
        if isinstance(at, tuple):
            stack.extend(reversed(at))
        elif isinstance(at, (t.Expression, t.Pattern, t.CaseBranch, b.Statement, b.Branch)):
            yield at
            stack.extend(getattr(at, f.name) for f in reversed(fields(at)) if f.name not in ("span", "type"))


def fields_read(node: Any) -> frozenset[str]:
    """The fields of `this` that an expression may look at."""
    return frozenset(each.name for each in nodes(node) if isinstance(each, t.Field))


class Suspension:
    """What may suspend, found as the least fixed point over the calls of methods on `this`."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._methods: set[tuple[str, str]] = set()
        bodies = [
            (cls, name, body)
            for cls in program.classes.values()
            for name, body in [*((m.name, m.body) for m in cls.methods), (INIT, cls.init)]
            if body is not None
        ]
        changed = True
        while changed:
            changed = False
            for cls, name, body in bodies:
                if (cls.name, name) not in self._methods and self.statement(body, cls):
                    self._methods.add((cls.name, name))
                    changed = True

    def method(self, class_name: str, name: str) -> bool:
        """Whether a method may release or block its cog."""
        return (class_name, name) in self._methods

    def statement(self, statement: b.Statement, cls: Class | None) -> bool:
        """Whether anything in the statement may."""
        return any(self._suspends(node, cls) for node in nodes(statement))

    def expression(self, expression: t.Expression, cls: Class | None) -> bool:
        """Whether the effect at the top of an expression may."""
        return self._suspends(expression, cls)

    def _suspends(self, node: Any, cls: Class | None) -> bool:
        match node:
            case b.Await() | b.Suspend() | t.Get() | t.AwaitCall():
                return True
            case t.SyncCall(_, _, t.This(), method):
                return cls is None or (cls.name, method) in self._methods
            case t.SyncCall():
                return True
            case t.New(_, _, name):
                return (name, INIT) in self._methods
        return False


def has_return(statement: b.Statement) -> bool:
    """Whether the method may end in this statement."""
    return any(isinstance(node, b.Return) for node in nodes(statement))
