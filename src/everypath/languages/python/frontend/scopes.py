"""Which names a function binds, imports, declares global or takes from functions around it."""

from __future__ import annotations

import ast

from everypath.languages.python.frontend.modules import ImportBinding, arguments, bound_names, import_bindings
from everypath.languages.python.frontend.nodes import children, walk
from everypath.records import dataclass, field

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(slots=True)
class Scope:
    """The names of one function body, nested functions not included."""

    bound: dict[str, None] = field(default_factory=dict)
    imports: dict[str, ImportBinding] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: dict[str, ast.Nonlocal] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    catches: bool = False
    """whether it has an `except` clause with a name"""
    has_walrus: bool = False
    yields: ast.expr | None = None
    """the first `yield`, which makes the function a generator"""


def scope_of(body: list[ast.stmt] | list[ast.expr], package: str) -> Scope:
    """Read the names of a function body."""
    scope = Scope()
    for node in body:
        _visit(node, scope, package, False)
    if scope.catches:
        scope.deleted |= _caught_over(body)
    # Declared or imported anywhere in the body, a name is no plain variable in all of it.
    for name in scope.globals | set(scope.nonlocals) | set(scope.imports):
        scope.bound.pop(name, None)
        scope.deleted.discard(name)
    return scope


def _caught_over(body: list[ast.stmt] | list[ast.expr]) -> set[str]:
    """Names of `except` clauses that also stand outside them: variables that are unbound when the clause ends.

    What an inner clause calls the same is such a name, because the outer one goes on after it.
    """
    handlers = [part for node in body for part in walk(node) if isinstance(part, ast.ExceptHandler)]
    caught = {handler.name for handler in handlers if handler.name is not None}
    if not caught:
        return set()
    inside = {id(part) for handler in handlers for part in walk(handler) if _names(part, handler.name)}
    named = (part for node in body for part in walk(node) if isinstance(part, ast.Name))
    again = {handler.name for handler in handlers if handler.name is not None and _is_repeated_inside(handler)}
    return again | {name.id for name in named if name.id in caught and id(name) not in inside}


def _is_repeated_inside(handler: ast.ExceptHandler) -> bool:
    inside = (part for statement in handler.body for part in walk(statement))
    return any(isinstance(part, ast.ExceptHandler) and part.name == handler.name for part in inside)


def _names(node: ast.AST, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _visit(node: ast.AST, scope: Scope, package: str, comprehension: bool) -> None:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            scope.bound[node.name] = None
            for outside in node.decorator_list:
                _visit(outside, scope, package, comprehension)
            return
        case ast.Lambda():
            return
        case ast.Name(id=name, ctx=ast.Store()) if not comprehension:
            scope.bound[name] = None
        case ast.Name(id=name, ctx=ast.Del()):
            scope.bound[name] = None
            scope.deleted.add(name)
        case ast.NamedExpr(target=target, value=value):
            # Also inside a comprehension, where `:=` binds a variable of the function around it.
            scope.bound[target.id] = None
            scope.has_walrus = True
            _visit(value, scope, package, comprehension)
            return
        case ast.Import() | ast.ImportFrom():
            scope.imports.update(import_bindings(node, package))
        case ast.Global(names=names):
            scope.globals.update(names)
        case ast.Nonlocal(names=names):
            scope.nonlocals.update(dict.fromkeys(names, node))
        case (
            ast.MatchAs(name=str() as name)
            | ast.MatchStar(name=str() as name)
            | ast.MatchMapping(rest=str() as name)
            | ast.ExceptHandler(name=str() as name)
        ):
            scope.bound[name] = None
            scope.catches = scope.catches or isinstance(node, ast.ExceptHandler)
        case ast.Yield() | ast.YieldFrom():
            scope.yields = scope.yields or node
    inside = comprehension or isinstance(node, _COMPREHENSIONS)
    for child in children(node):
        _visit(child, scope, package, inside)


def free_names(node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef, package: str) -> set[str]:
    """The names that a function reads but does not bind itself, those of functions inside it included."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    scope = scope_of(body, package)
    own = {argument.arg for argument in arguments(node)} | set(scope.bound) | set(scope.imports) | scope.globals
    used: set[str] = set(scope.nonlocals)
    for part in body:
        _used(part, frozenset(), used, package)
    return used - own


def used_names(node: ast.AST, package: str) -> set[str]:
    """The names that a statement reads, those in the functions inside it included."""
    used: set[str] = set()
    _used(node, frozenset(), used, package)
    return used


def _used(node: ast.AST, hidden: frozenset[str], used: set[str], package: str) -> None:
    match node:
        case ast.Name(id=name, ctx=ast.Load() | ast.Del()):
            if name not in hidden:
                used.add(name)
            return
        case ast.Lambda() | ast.FunctionDef() | ast.AsyncFunctionDef():
            used |= free_names(node, package) - hidden
            outside: list[ast.AST] = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
            if not isinstance(node, ast.Lambda):
                outside += node.decorator_list
            for part in outside:
                _used(part, hidden, used, package)
            return
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            names = {name for generator in node.generators for name in bound_names(generator.target)}
            hidden = hidden | names
        case ast.AnnAssign(value=value, target=target):
            if value is not None:
                _used(value, hidden, used, package)
            _used(target, hidden, used, package)
            return
    for child in children(node):
        _used(child, hidden, used, package)
