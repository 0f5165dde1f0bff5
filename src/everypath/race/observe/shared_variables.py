"""Which variables of a module several functions assign: those that functions declare `global` or `nonlocal`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from everypath.records import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = (*FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Shared:
    """A variable of the module, or in a cell: of an enclosing function or of the function itself."""

    name: str
    in_cell: bool


@dataclass(slots=True)
class Scope:
    """The names of one function, lambda expression or comprehension."""

    parent: Scope | None
    bound: set[str] = field(default_factory=set)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)
    cells: set[str] = field(default_factory=set)
    """own variables that inner functions assign"""


class Bindings:
    """The scopes of a module; nothing is tracked where no function declares a variable of another."""

    def __init__(self, module: ast.Module, source: str | bytes) -> None:
        self._scopes: dict[ast.AST, Scope] = {}
        self.globals: set[str] = set()
        words = source.encode("utf-8", "replace") if isinstance(source, str) else source
        self.yields = b"yield" in words
        """whether there may be generators at all"""
        if b"global" not in words and b"nonlocal" not in words:
            return
        declares = [node for node in nodes_within([module]) if isinstance(node, (ast.Global, ast.Nonlocal))]
        self.globals.update(name for node in declares if isinstance(node, ast.Global) for name in node.names)
        if declares:
            self._build(module, None)
            for scope in self._scopes.values():
                self._mark_cells(scope)

    def cells(self, function: ast.AST) -> list[str]:
        """The variables of this function that inner functions assign."""
        scope = self._scopes.get(function)
        return sorted(scope.cells) if scope is not None else []

    def shared(self, name: str, function: ast.AST | None) -> Shared | None:
        """What the name means inside this function, if it is a variable that several functions share."""
        scope = self._scopes.get(function) if function is not None else None
        if scope is None:
            return None
        while scope is not None and name not in scope.declared_global:
            if name in scope.bound:
                return Shared(name, True) if name in scope.cells else None
            scope = scope.parent
        return Shared(name, False) if name in self.globals else None

    def _build(self, node: ast.AST, scope: Scope | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, SCOPES):
                made = self._scopes[child] = Scope(scope)
                self._collect(child, made)
                self._build(child, made)
            else:
                self._build(child, scope)

    def _collect(self, owner: ast.AST, scope: Scope) -> None:
        if isinstance(owner, Function):
            arguments = owner.args
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            scope.bound.update(arg.arg for arg in every if arg is not None)
            body: list[Any] = [owner.body] if isinstance(owner, ast.Lambda) else list(owner.body)
        elif isinstance(owner, Comprehension):
            body = [generator.target for generator in owner.generators]
        for node in _inside(body):
            if isinstance(node, ast.Global):
                scope.declared_global.update(node.names)
            elif isinstance(node, ast.Nonlocal):
                scope.declared_nonlocal.update(node.names)
            else:
                scope.bound.update(_names_bound(node))
        scope.bound -= scope.declared_global | scope.declared_nonlocal

    def _mark_cells(self, scope: Scope) -> None:
        for name in scope.declared_nonlocal:
            outer = scope.parent
            while outer is not None and name not in outer.bound:
                outer = outer.parent
            if outer is not None:
                outer.cells.add(name)


def nodes_within(roots: Iterable[ast.AST], borders: tuple[type[ast.AST], ...] = ()) -> Iterator[ast.AST]:
    """All nodes from these on, without what is inside nodes of the given classes.

    Unlike `ast.walk` it imports nothing, since what it would import may be the module at hand.
    """
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, borders):
            waiting.extend(ast.iter_child_nodes(node))


def _inside(body: list[Any]) -> Iterator[ast.AST]:
    """Every node that belongs to this scope itself; of comprehensions only what binds in the function around them."""
    waiting = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Comprehension):
            waiting.extend(inner for inner in nodes_within([node]) if isinstance(inner, ast.NamedExpr))
        elif not isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            waiting.extend(ast.iter_child_nodes(node))


def _names_bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def mangle(name: str, cls: str | None) -> str:
    """The name as Python spells it inside the class: `__data` in class `Cache` is `_Cache__data`."""
    if cls is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = cls.lstrip("_")
    return f"_{stripped}{name}" if stripped else name
