"""What is known about a module's body before anything runs: versions, platforms, imports, names that are read early."""

from __future__ import annotations

import ast
import builtins
import importlib
import operator
import os
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import PathFinder
from itertools import dropwhile
from pathlib import Path
from typing import Any

from everypath.languages.python.frontend.hierarchy import BUILTIN_NAMES
from everypath.languages.python.frontend.nodes import children, walk

TYPING_ONLY = ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def dotted(node: ast.expr) -> str:
    """`a.b.c` for a chain of attributes on a name, else an empty string."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def known_test(test: ast.expr) -> bool | None:
    """The value of a module-level condition where it can be told without running anything."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = known_test(test.operand)
        return None if inner is None else not inner
    if dotted(test) in TYPING_ONLY:
        return True
    if isinstance(test, ast.Compare) and dotted(test.left) == "__name__" and isinstance(test.ops[0], ast.Eq):
        return False
    try:
        return bool(_known_value(test))
    except (_NotKnown, TypeError, LookupError):
        return None


class _NotKnown(Exception):
    """An expression depends on more than the running Python."""


_ENVIRONMENT: dict[str, object] = {
    "sys.version_info": sys.version_info, "version_info": sys.version_info, "sys.platform": sys.platform,
    "sys.hexversion": sys.hexversion, "hexversion": sys.hexversion, "sys.maxsize": sys.maxsize, "os.name": os.name,
    "sys.byteorder": sys.byteorder, "sys.version_info.major": sys.version_info.major,
    "sys.version_info.minor": sys.version_info.minor, "sys.implementation.name": sys.implementation.name,
    "six.PY2": False, "six.PY3": True, "six.PY34": True,
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}  # fmt: skip


def _known_value(node: ast.expr) -> Any:
    """The value of an expression over what is known about the running Python."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name() | ast.Attribute() if dotted(node) in _ENVIRONMENT:
            return _ENVIRONMENT[dotted(node)]
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return tuple(_known_value(element) for element in elements)
        case ast.Subscript(value=value, slice=ast.Slice(lower=low, upper=high, step=None)):
            bounds = [None if bound is None else _known_value(bound) for bound in (low, high)]
            return _known_value(value)[slice(*bounds)]
        case ast.Subscript(value=value, slice=index):
            return _known_value(value)[_known_value(index)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _known_value(operand)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            one, other = _known_value(left), _known_value(right)
            if one is sys.version_info and isinstance(other, tuple) and isinstance(op, (ast.Eq, ast.NotEq)):
                one = sys.version_info[: len(other)]
            return _COMPARISONS[type(op)](one, other)
        case ast.BoolOp(op=op, values=values):
            return _known_connective(isinstance(op, ast.And), values)
        case ast.Call(func=ast.Attribute(value=text, attr="startswith"), args=[prefix], keywords=[]):
            return str(_known_value(text)).startswith(_known_value(prefix))
    raise _NotKnown


def _known_connective(conjunction: bool, values: list[ast.expr]) -> bool:
    """`and` and `or`: one part may decide although another one is not known."""
    open_parts = False
    for value in values:
        known = known_test(value)
        open_parts |= known is None
        if known is not None and known is not conjunction:
            return known
    if open_parts:
        raise _NotKnown
    return conjunction


def imports_succeed(statement: ast.Try | ast.TryStar) -> bool | None:
    """Whether a `try` that begins with imports gets past them, and to its end if there is nothing else; None: open.

    One that begins with a name that nothing defines does not.
    """
    if hasattr(statement, _FAILS):
        return False
    if not any(_catches(handler, _IMPORT_ERRORS) for handler in statement.handlers):
        return None
    for part in statement.body:
        for module, names in _imported(part):
            found = _provides(module, names)
            if not found:
                return found
        if not isinstance(part, ast.Import) and (not isinstance(part, ast.ImportFrom) or part.level):
            return None
    return True


def missing_module(statement: ast.Import | ast.ImportFrom, path: Path) -> str | None:
    """The first package that the statement imports and that a module at the path does not find, if there is one."""
    folders = _searched(path)
    tops = (module.partition(".")[0] for module, _ in _imported(statement))
    return next((top for top in tops if _is_missing(top, folders)), None)


def note_missing(body: list[ast.stmt], path: Path) -> None:
    """Mark each `try` of a module that begins with an import that fails here, or a name that nothing defines."""
    _note_missing(body, _searched(path), body)


def _note_missing(body: list[ast.stmt], folders: list[str], module: list[ast.stmt]) -> None:
    for statement in body:
        if isinstance(statement, ast.If):
            _note_missing([*statement.body, *statement.orelse], folders, module)
        elif isinstance(statement, (ast.Try, ast.TryStar)):
            handled = [part for handler in statement.handlers for part in handler.body]
            inside = [*statement.body, *statement.orelse, *statement.finalbody, *handled]
            _note_missing(inside, folders, module)
            if _begins_with_no_name(statement, module):
                setattr(statement, _FAILS, True)
            if not any(_catches(handler, _IMPORT_ERRORS) for handler in statement.handlers):
                continue
            for part in statement.body:
                imported = list(_imported(part))
                if any(_is_missing(module.partition(".")[0], folders) for module, _ in imported):
                    setattr(statement, _FAILS, True)
                if not imported:
                    break


_FAILS = "import_fails"


def _searched(path: Path) -> list[str]:
    # A package's own folder is none of those in which its modules look for others.
    outside = dropwhile(lambda folder: (folder / "__init__.py").is_file(), path.parents)
    return [*map(str, outside), "", *sys.path]


def _imported(statement: ast.stmt) -> Iterator[tuple[str, list[str]]]:
    """The modules that a statement imports, each with the names that it takes out of it."""
    if isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
        yield statement.module, [alias.name for alias in statement.names]
    elif isinstance(statement, ast.Import):
        yield from ((alias.name, []) for alias in statement.names)


def _is_missing(name: str, folders: list[str]) -> bool:
    if name in sys.stdlib_module_names or name in sys.modules:
        return False
    return PathFinder.find_spec(name, folders) is None


def _begins_with_no_name(statement: ast.Try | ast.TryStar, module: list[ast.stmt]) -> bool:
    """Whether the first statement reads a name of an older Python, such as `basestring`, and that is caught."""
    first = statement.body[0]
    caught = len(statement.handlers) == 1 and _catches(statement.handlers[0], _NAME_ERRORS)
    if not caught or not isinstance(first, (ast.Assign, ast.Expr)):
        return False
    inside = walk(first.value)
    if any(isinstance(node, _MAY_NOT_RUN) for node in inside):
        return False
    read = {node.id for node in inside if isinstance(node, ast.Name)}
    read = {name for name in read if not hasattr(builtins, name) and not name.startswith("__")}
    return bool(read) and not read <= _defined(module, statement, read)


_MAY_NOT_RUN = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.Compare, ast.comprehension, ast.NamedExpr)
"""What may skip a part of itself."""


def _defined(module: list[ast.stmt], besides: ast.stmt, wanted: set[str]) -> set[str]:
    """The names that anything in a module may define, without one of its statements; with `*`, those wanted."""
    names: set[str] = set()
    rest: list[ast.AST] = list(module)
    while rest:
        node = rest.pop()
        if node is besides:
            continue
        match node:
            case ast.alias(name="*"):
                return wanted
            case ast.alias(name=name, asname=other):
                names.add(other or name.partition(".")[0])
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
        rest.extend(children(node))
    return names


def _catches(handler: ast.ExceptHandler, names: tuple[str, ...]) -> bool:
    kinds: list[ast.expr | None] = [*handler.type.elts] if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or dotted(kind) in names for kind in kinds)


_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")
_NAME_ERRORS = ("NameError", "Exception", "BaseException")


def _provides(module: str, names: list[str]) -> bool | None:
    """Whether a module of the standard library has these names; None for modules of others.

    Compiled twins of Python code are left open too: they replace what the module defines itself.
    """
    if module.partition(".")[0] not in sys.stdlib_module_names or module in _NOISY or module.startswith("_"):
        return None
    try:
        found = importlib.import_module(module)
    except ImportError:
        return False
    return all(name == "*" or hasattr(found, name) for name in names)


_NOISY = frozenset(("antigravity", "this"))
"""Modules that do more than define something when they are imported."""


_LATER = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)


def mark_early(statement: ast.stmt, bound: set[str], defined: set[str]) -> Iterator[tuple[str, str]]:
    """Give builtins that the module defines later another name in a statement; yields each with the builtin's own."""
    names = [node for node in _evaluated(statement) if isinstance(node, ast.Name)]
    # What the statement itself binds, also inside a comprehension, may be that.
    bound = bound.union(node.id for node in names if isinstance(node.ctx, ast.Store))
    for node in names:
        name = node.id
        if name in defined and name not in bound and name in BUILTIN_NAMES:
            node.id = f"<builtin {name}>"
            yield node.id, name


def _evaluated(statement: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are evaluated where the statement stands, not when something is called."""
    yield statement
    for child in children(statement):
        if not isinstance(child, _LATER):
            yield from _evaluated(child)


TAKEN = "a value taken out of a variable while the module is imported is not supported"
_TAKING = frozenset("pop popitem popleft __next__".split())


def taken_from(value: ast.AST) -> ast.Call | None:
    """A call that takes something out of a variable, so that another value is left for whoever comes next."""
    for node in _evaluated(value):
        match node:
            case ast.Call(func=ast.Name(id="next"), args=[ast.Name(), *_]):
                return node
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr=method)) if method in _TAKING:
                return node
    return None
