"""Which variables of a function its nested functions share, and how each of them must be kept.

A nested function keeps a copy of each variable that it uses from the functions around it, as long as nobody can tell
the copy from the variable: the variable has its final value when the nested function is made. Any other variable lives
in a cell, an object of its own that both functions refer to, as CPython does it for all of them. Copies are worth the
trouble, because a value in a register is known where one in a cell has to be read from the heap.

A nested function that uses no variables at all, except other such functions, is no value that has to be made: it is a
constant. Which ones are is found by striking out, until nothing changes, those that use anything else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from everypath.languages.python.frontend.comprehensions import AT_ONCE
from everypath.languages.python.frontend.resumable import generator_function
from everypath.languages.python.frontend.scopes import Scope, free_names
from everypath.records import dataclass, field

NestedFunction = ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(slots=True)
class Captures:
    """What nested functions need from the function around them."""

    cells: set[str] = field(default_factory=set)
    """variables that may change after a nested function was made, or inside one"""
    constants: dict[str, ast.FunctionDef] = field(default_factory=dict)
    """nested functions that use no variables: they are the same function every time"""
    once: set[str] = field(default_factory=set)
    """variables bound by exactly one statement"""
    stable: set[str] = field(default_factory=set)
    """parameters that are never assigned, and variables that are assigned once and outside loops"""


def captures_of(
    body: Sequence[ast.AST], params: set[str], scope: Scope, package: str, held: frozenset[str] = frozenset()
) -> Captures:
    """Analyse one function body; `held` are the variables that it takes itself from a function around it."""
    nested = list(_nested(body))
    found = Captures()
    if not nested and not any(isinstance(part, ast.ClassDef) for node in body for part in ast.walk(node)):
        return found
    stores = _Stores()
    for node in body:
        stores.visit(node, False)
    _note_stability(found, stores, params, held)
    variables = params | set(scope.bound) | held
    free = {id(f): free_names(f, package) & variables for f in nested}
    rebound = {name for f in nested for name in _nonlocals(f)}
    found.constants = _constant_functions(nested, free, found.once)
    for function in nested:
        for name in free[id(function)] - set(found.constants) - held:
            if name in rebound or not _stable(name, function, params, stores):
                found.cells.add(name)
    return found


def _note_stability(found: Captures, stores: _Stores, params: set[str], held: frozenset[str]) -> None:
    """Which variables are assigned once, and which of them never change while the function runs."""
    found.once = {n for n, places in stores.places.items() if len(places) == 1 and n not in params}
    found.stable = {name for name in found.once if not stores.places[name][0][2]}
    found.stable |= (params | held) - stores.places.keys()


def _constant_functions(
    nested: list[NestedFunction], free: dict[int, set[str]], once: set[str]
) -> dict[str, ast.FunctionDef]:
    candidates = {
        f.name: f
        for f in nested
        if isinstance(f, ast.FunctionDef) and f.name in once and not f.decorator_list and _plain_defaults(f)
    }
    while True:
        kept = {name: f for name, f in candidates.items() if free[id(f)] <= set(candidates)}
        if len(kept) == len(candidates):
            return kept
        candidates = kept


def _plain_defaults(node: NestedFunction) -> bool:
    return all(isinstance(d, ast.Constant) for d in [*node.args.defaults, *node.args.kw_defaults] if d is not None)


def _stable(name: str, function: NestedFunction, params: set[str], stores: _Stores) -> bool:
    """Whether the variable has its final value when the nested function is made."""
    places = stores.places.get(name, [])
    if name in params:
        return not places
    if len(places) != 1:
        return False
    line, column, in_loop, node = places[0]
    if node is function:
        return True
    return not in_loop and (line, column) < (function.lineno, function.col_offset)


def _nonlocals(function: NestedFunction) -> set[str]:
    return {name for part in ast.walk(function) if isinstance(part, ast.Nonlocal) for name in part.names}


def _nested(body: Sequence[ast.AST], at_once: bool = False) -> Iterator[NestedFunction]:
    for node in body:
        if isinstance(node, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif isinstance(node, ast.GeneratorExp) and not at_once:
            yield generator_function(node)
            yield from _nested([node.generators[0].iter])
        elif not isinstance(node, ast.ClassDef):
            yield from _nested(list(ast.iter_child_nodes(node)), isinstance(node, ast.Call) and _uses_up(node))


def _uses_up(call: ast.Call) -> bool:
    """Whether a generator expression among the arguments is used up by the call itself."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in AT_ONCE
    return False


class _Stores:
    """Where each variable of a function is bound."""

    def __init__(self) -> None:
        self.places: dict[str, list[tuple[int, int, bool, ast.AST]]] = {}

    def visit(self, node: ast.AST, in_loop: bool) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._add(node.name, node, in_loop)
                return
            case ast.Lambda():
                return
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                self._add(name, node, in_loop)
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                self._add(name, node, True)
        inside = in_loop or isinstance(node, _LOOPS)
        for child in ast.iter_child_nodes(node):
            self.visit(child, inside)

    def _add(self, name: str, node: ast.AST, in_loop: bool) -> None:
        place = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0), in_loop, node)
        self.places.setdefault(name, []).append(place)
