"""What a callable takes, and what it passes on.

Types come from annotations and comments, also with names that only a type checker imports, or else from docstrings.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from everypath.languages.python.parameters.comments import parsed
from everypath.languages.python.parameters.described import described_types
from everypath.languages.python.parameters.hints import EMPTY, evaluated, meant
from everypath.records import dataclass, field


@dataclass(slots=True)
class Uses:
    """What code does with a parameter that has no type."""

    attributes: tuple[str, ...] = ()
    classes: tuple[type, ...] = ()
    """what it is tested to be"""
    guess: Any = None
    """a type that somebody guessed"""


@dataclass(slots=True)
class Parameter:
    """A parameter, and what is known about its values."""

    name: str
    kind: inspect._ParameterKind
    hint: Any = None
    optional: bool = False
    """whether it has a default"""
    default: Any = None
    uses: Uses = field(default_factory=Uses)


_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_imported: dict[str, dict[str, Any]] = {}
importing: Callable[[], AbstractContextManager[None]] = nullcontext
"""Surrounds every import that the program itself does not do; who has a fence puts it there."""


def hints_of(called: Any) -> dict[str, Any]:
    """The types of parameters; an annotation that cannot be evaluated costs only its own parameter."""
    function = _maker(called)
    found = evaluated(function, {})
    if any(hint is EMPTY for hint in found.values()):
        found = evaluated(function, typing_names(getattr(function, "__module__", None) or ""))
    return {name: hint for name, hint in found.items() if hint is not EMPTY}


def commented_hints(definition: ast.AST | None, module: types.ModuleType) -> dict[str, Any]:
    """The types that comments give the parameters of a function: they declare as much as annotations."""
    if not isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return {}
    given = definition.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return _meant({arg.arg: arg.annotation for arg in every if arg.annotation is not None}, module)


def described_hints(*definitions: ast.AST | None, module: types.ModuleType) -> dict[str, Any]:
    """The types that docstrings give parameters: they are written for people, who may call a type by any name."""
    found: dict[str, ast.expr] = {}
    for each in definitions:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.update(described_types(each))
    return _meant(found, module)


def _meant(written: Mapping[str, ast.expr], module: types.ModuleType) -> dict[str, Any]:
    names = {**typing_names(module.__name__), **vars(module)} if written else {}
    found = {name: meant(ast.unparse(node), names) for name, node in written.items()}
    types_ = (type, types.GenericAlias, types.UnionType)
    known = {name: hint for name, hint in found.items() if hint is not EMPTY}
    return {name: hint for name, hint in known.items() if isinstance(hint, types_) or hasattr(hint, "__origin__")}


def _maker(called: Any) -> Any:
    """The function that has the parameters: that of a class is its `__init__`."""
    return getattr(called, "__init__", called) if isinstance(called, type) else called


def typing_names(module: str) -> dict[str, Any]:
    """What a module imports for type checkers alone, imported now."""
    if module not in _imported:
        found: dict[str, Any] = {}
        _imported[module] = found
        live = sys.modules.get(module)
        scope = {"__name__": module, "__package__": getattr(live, "__package__", None)}
        try:
            tree = ast.parse(inspect.getsource(live)) if live is not None else ast.Module([], [])
        except (OSError, TypeError, SyntaxError):
            return found
        for node in tree.body:
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                for statement in node.body:
                    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)):
                        _run(statement, scope)
        found.update({name: value for name, value in scope.items() if not name.startswith("__")})
    return _imported[module]


def _run(statement: ast.stmt, scope: dict[str, Any]) -> None:
    parts: list[ast.stmt] = [statement]
    if isinstance(statement, ast.ImportFrom):
        parts = [ast.ImportFrom(statement.module, [alias], statement.level) for alias in statement.names]
    for part in parts:
        tree = ast.fix_missing_locations(ast.Module([part], []))
        try:
            with importing():
                exec(compile(tree, "<type checking>", "exec"), scope)
        except BaseException:
            # Whatever it does, also to end the process or to take for ever, costs only this name.
            continue


def definition_of(called: Any, module: types.ModuleType) -> tuple[_Definition | None, types.ModuleType]:
    """The definition of a function, or of what makes objects of a class, and the module where it stands."""
    function = inspect.unwrap(_maker(called))
    function = getattr(function, "__func__", function)
    if not isinstance(function, types.FunctionType):
        return None, module
    try:
        [found] = parsed(textwrap.dedent(inspect.getsource(function))).body
    except Exception:
        return None, module
    where = sys.modules.get(function.__module__, module)
    return (found if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef)) else None), where


def forwarded(definition: ast.AST | None, called: Any, module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """What `**kwargs` of a function is good for.

    Yields the name of a keyword that it takes out, with None, and every function to which it passes the rest.
    """
    if not isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)) or definition.args.kwarg is None:
        return
    kwargs = definition.args.kwarg.arg
    for node in ast.walk(definition):
        match node:
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=[ast.Constant(value=str(key)), *_])
                | ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key)))
                | ast.Compare(left=ast.Constant(value=str(key)), comparators=[ast.Name(id=name)])
                | ast.Call(args=[ast.Name(id=name), ast.Constant(value=str(key)), *_])
            ) if name == kwargs and key.isidentifier():
                yield key, None
            case ast.Call(func=function, keywords=keywords) if any(
                k.arg is None and isinstance(k.value, ast.Name) and k.value.id == kwargs for k in keywords
            ):
                target = _called(function, called, module)
                if target is not None:
                    yield "", target


def _called(function: ast.expr, called: Any, module: types.ModuleType) -> Any:
    match function:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__") if isinstance(called, type):
            mine = next((number for number, c in enumerate(called.__mro__) if "__init__" in vars(c)), 0)
            return next((c for c in called.__mro__[mine + 1 :] if "__init__" in vars(c)), None)
        case ast.Name() | ast.Attribute():
            try:
                return eval(compile(ast.Expression(function), "<called>", "eval"), {**vars(module)})
            except Exception:
                return None
    return None
