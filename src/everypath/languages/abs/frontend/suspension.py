"""Which statements, methods and init blocks may release or block their cog.

A least fixed point over the calls of methods on `this` and the creation of objects: a method may suspend if its body
contains an operation that may, or a call of a method that may. It starts with no method and grows.
"""

from __future__ import annotations

from typing import Any

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import INIT, Class, Key, Program
from everypath.languages.abs.frontend.rewrite import grown, nodes


class Suspension:
    """What may suspend its task."""

    def __init__(self, program: Program) -> None:
        self._methods: set[Key] = set()
        bodies = {
            key: (cls, [node for node in nodes(*roots) if isinstance(node, _MAY)])
            for key, cls, roots in program.bodies()
        }

        def suspends(key: Key) -> bool:
            cls, found = bodies[key]
            return any(self.expression(node, cls) for node in found)

        grown(self._methods, bodies, suspends)

    def init(self, class_name: str) -> bool:
        """Whether the init block of a class may release or block its cog."""
        return (class_name, INIT) in self._methods

    def statement(self, statement: b.Statement, cls: Class | None) -> bool:
        """Whether anything in the statement may suspend the task."""
        return any(self.expression(node, cls) for node in nodes(statement))

    def expression(self, node: Any, cls: Class | None) -> bool:
        """Whether the operation at the top of an expression, or a statement itself, may suspend the task."""
        match node:
            case t.SyncCall(_, _, t.This(), method):
                return cls is None or (cls.name, method) in self._methods
            case t.New(_, _, name):
                return self.init(name)
        return isinstance(node, _MAY)


_MAY = (b.Await, b.Suspend, t.Get, t.AwaitCall, t.SyncCall, t.New)
"""What may suspend; the last two only if what they run may."""


def fields_read(*found: t.Expression | t.Pattern) -> frozenset[str]:
    """The fields of `this` that expressions or patterns may look at."""
    return frozenset(node.name for node in nodes(*found) if isinstance(node, t.Field))


def has_return(statement: b.Statement) -> bool:
    """Whether the method may end in this statement."""
    return any(isinstance(node, b.Return) for node in nodes(statement))
