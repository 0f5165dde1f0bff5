"""Whether a condition only looks: a test could not show the state before the call if a precondition had changed it.

Names decide, as everywhere before anything has run: calls by names that stand for changes, and functions of the same
file that assign, or put something into, what is not their own. A method may be that of any class of the file, so it
counts only if all methods of its name change something.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from everypath.errors import BadInput, Span
from everypath.languages.python.frontend.modules import FunctionNode, arguments
from everypath.languages.python.frontend.nodes import walk

_CHANGING = frozenset(
    "add append appendleft clear close discard extend insert open pop popitem popleft print push put read remove "
    "reverse send setattr delattr exec eval input setdefault sort update write next".split()
)
"""Calls by these names change something, or depend on what is outside."""


def check_harmless(condition: ast.expr, text: str, span: Span, tree: ast.Module) -> None:
    """Refuse a precondition of a module that changes something."""
    for part in walk(condition):
        if isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)):
            raise BadInput(f"requires {text}: a precondition must not change or await anything", span)
        if isinstance(part, ast.Call):
            called = _name(part.func)
            if called in _CHANGING:
                message = f"requires {text}: {called}() may change something, which a precondition must not"
                raise BadInput(message, span)
            what = _changed_by(called, tree, set())
            if what:
                message = f"requires {text}: {called}() may change something ({what}), which a precondition must not"
                raise BadInput(message, span)


def _changed_by(called: str, tree: ast.Module, known: set[str]) -> str:
    """What every function of this name changes; nothing for one that the file does not define."""
    if called in known:
        return ""
    known.add(called)
    found = [each for each in walk(tree) if isinstance(each, FunctionNode) and each.name == called]
    changes = [next(_changes(each, tree, known), "") for each in found]
    return changes[0] if changes and all(changes) else ""


def _changes(function: FunctionNode, tree: ast.Module, known: set[str]) -> Iterator[str]:
    params = {arg.arg for arg in arguments(function)}
    stored = {p.id for p in walk(function) if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
    own = stored - params
    for part in walk(function):
        match part:
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield f"line {part.lineno} assigns {names[0]}"
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                if _root(part) not in own:
                    yield f"line {part.lineno} assigns {ast.unparse(part)}"
            case ast.Call(func=func) if _name(func) in _CHANGING:
                if isinstance(func, ast.Name) or _root(func) not in own:
                    yield f"line {part.lineno} calls {ast.unparse(func)}"
            case ast.Call(func=func) if what := _changed_by(_name(func), tree, known):
                yield what


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _root(place: ast.expr) -> str:
    """The name that an attribute or an element is reached from."""
    while isinstance(place, (ast.Attribute, ast.Subscript)):
        place = place.value
    return getattr(place, "id", "")
