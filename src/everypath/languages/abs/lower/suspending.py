"""Which methods and init blocks may release or block their cog."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import Class, Program
from everypath.languages.abs.frontend.rewrite import parts
from everypath.languages.abs.lower.names import INIT


def nodes(node: Any) -> Iterator[Any]:
    """The node and everything below it."""
    pending = [node]
    while pending:
        found = pending.pop()
        yield found
        pending.extend(parts(found))


class Suspending:
    """The least fixed point over the calls of methods on `this` and the creation of objects."""

    def __init__(self, program: Program) -> None:
        self._found: set[tuple[str, str]] = set()
        bodies = [
            (cls, name, [node for node in nodes(body) if _matters(node)])
            for cls in program.classes.values()
            for name, body in (*((m.name, m.body) for m in cls.methods), (INIT, cls.init))
            if body is not None
        ]
        changed = True
        while changed:
            changed = False
            for cls, name, found in bodies:
                if (cls.name, name) not in self._found and any(self._suspends(node, cls) for node in found):
                    self._found.add((cls.name, name))
                    changed = True

    def init(self, class_name: str) -> bool:
        """Whether the init block of a class may release or block its cog."""
        return (class_name, INIT) in self._found

    def _suspends(self, node: object, cls: Class) -> bool:
        match node:
            case t.SyncCall(_, _, t.This(), method):
                return (cls.name, method) in self._found
            case t.New(_, _, name):
                return self.init(name)
        return True


def _matters(node: object) -> bool:
    return isinstance(node, (b.Await, b.Suspend, t.Get, t.AwaitCall, t.SyncCall, t.New))
