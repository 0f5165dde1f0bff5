"""Which variables of a function may have no value where its text reads them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence

from everypath.languages.python.frontend.nodes import walk

Names = frozenset[str]
FUNCTIONS_INSIDE: tuple[type[ast.expr], ...] = (ast.GeneratorExp,)
"""Expressions that are functions of their own, for which the variables around them are free ones."""
if sys.version_info < (3, 12):
    FUNCTIONS_INSIDE += (ast.ListComp, ast.SetComp, ast.DictComp)


class Unsure:
    """The names of which some read is not preceded, on every way to it, by an assignment.

    Follows the text; where it does not know, a variable counts as not assigned.
    """

    def __init__(self, body: Sequence[ast.AST], params: Iterable[str]) -> None:
        self.names: set[str] = set()
        self.in_comprehensions: set[str] = set()
        """those that are read in what the interpreter runs as a function inside"""
        self._block([node for node in body if isinstance(node, ast.stmt)], frozenset(params))

    def _block(self, statements: Sequence[ast.stmt], bound: Names) -> Names | None:
        """The names that have a value behind the statements; None if nothing comes there."""
        after: Names | None = bound
        for statement in statements:
            if after is None:
                return None
            after = self._statement(statement, after)
        return after

    def _statement(self, node: ast.stmt, bound: Names) -> Names | None:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                bound = self._reads(test, bound)
                return _either(self._block(body, bound), self._block(orelse, bound))
            case ast.For() | ast.AsyncFor():
                bound = self._reads(node.iter, bound)
                self._block(node.body, bound | _stored(walk(node.target)))
                self._block(node.orelse, bound)
                return bound
            case ast.While(test=test, body=body, orelse=orelse):
                bound = self._reads(test, bound)
                self._block(body, bound)
                self._block(orelse, bound)
                return bound
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    bound = self._reads(item.context_expr, bound)
                    bound |= _stored(walk(item.optional_vars)) if item.optional_vars is not None else frozenset()
                self._block(node.body, bound)
                # The manager may swallow what the body raises before it has assigned anything.
                return bound
            case ast.Try() | ast.TryStar():
                return self._try(node, bound)
            case ast.Match(subject=subject, cases=cases):
                bound = self._reads(subject, bound)
                after: Names | None = bound
                for case in cases:
                    inside = bound | _stored(walk(case.pattern))
                    if case.guard is not None:
                        inside = self._reads(case.guard, inside)
                    after = _either(after, self._block(case.body, inside))
                return after
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return bound | {node.name}
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                self._reads(node, bound)
                return None
        return self._reads(node, bound)

    def _try(self, node: ast.Try | ast.TryStar, bound: Names) -> Names | None:
        after = self._block(node.body, bound)
        after = self._block(node.orelse, after) if after is not None else None
        for handler in node.handlers:
            caught = bound | {handler.name} if handler.name is not None else bound
            after = _either(after, self._block(handler.body, caught))
        last = self._block(node.finalbody, bound)
        if after is None or last is None:
            return None
        return after | last

    def _reads(self, node: ast.AST, bound: Names) -> Names:
        """Note what a statement or expression reads; the names that have a value behind it."""
        parts = walk(node)
        self.names |= _read(parts) - bound
        for part in parts:
            if isinstance(part, FUNCTIONS_INSIDE):
                self.in_comprehensions |= _read(walk(part)) - bound
            elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
                self.names |= {part.target.id} - bound
        return bound | _stored(parts) - _deleted(parts)


def _read(parts: Iterable[ast.AST]) -> Names:
    return frozenset([part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)])


def _either(one: Names | None, other: Names | None) -> Names | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _stored(parts: Sequence[ast.AST]) -> Names:
    """What a statement, target or pattern assigns; `:=` is left out, since it may stand behind `and`."""
    names: set[str] = set()
    for part in parts:
        match part:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                names.add(name)
            case ast.MatchMapping(rest=str() as name):
                names.add(name)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                names |= {(alias.asname or alias.name).partition(".")[0] for alias in imported}
    conditional = {part.target.id for part in parts if isinstance(part, ast.NamedExpr)}
    return frozenset(names - conditional)


def _deleted(parts: Iterable[ast.AST]) -> Names:
    return frozenset([part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Del)])
