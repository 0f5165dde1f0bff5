"""Tables that functions fill, and what fills them while a module is imported.

Variables get their value when a path first reads them. That is too late where making one changes another:
a class that keeps a cache of its objects has some in it when the import is over.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from everypath.ir.instructions import GetStatic
from everypath.languages.python.cards.index import KINDS
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import ClassBinding, ModuleSource, ValueBinding
from everypath.languages.python.frontend.noted import Effect
from everypath.languages.python.frontend.userclass import UserClass

_FILLING = frozenset("append add setdefault update insert extend appendleft".split())
_TABLES = frozenset(("dict", "list", "set", "WeakValueDictionary", *KINDS))


def note_fillers(linker: Linker, module: ModuleSource, name: str, writers: Sequence[ast.stmt | ast.expr]) -> None:
    """Note the variables of the module that must be made before a table is looked into."""
    if not any(_is_table(getattr(writer, "value", writer)) for writer in writers):
        return
    fillers = reaching(module, name)
    if not fillers:
        return
    for owner, variable, statement in _variables(linker, module):
        calls = (part.func for part in ast.walk(statement) if isinstance(part, ast.Call))
        if variable != name and any(_last_name(called) in fillers for called in calls):
            _make_on_import(linker, module, owner, variable, statement)


def _make_on_import(
    linker: Linker, module: ModuleSource, owner: UserClass | None, variable: str, statement: ast.stmt
) -> None:
    if any(effect.node is statement for effect in linker.effects):
        return
    linker.need_static(module, owner, variable)
    home = owner.name if owner is not None else module.name

    def run(ctx: FunctionContext) -> None:
        ctx.emit(GetStatic(ctx.fresh(), home, variable, span=ctx.span(statement)))

    linker.effects.append(Effect(module, statement, run))


def _is_table(value: object) -> bool:
    if isinstance(value, ast.Call):
        return _last_name(value.func) in _TABLES
    return isinstance(value, (ast.Dict, ast.List, ast.Set))


def _variables(linker: Linker, module: ModuleSource) -> Iterator[tuple[UserClass | None, str, ast.stmt]]:
    """The variables of the module and of its classes that one assignment makes."""
    for name, binding in list(module.bindings.items()):
        if isinstance(binding, ValueBinding) and len(binding.writers) == 1:
            yield None, name, binding.writers[0]
        elif isinstance(binding, ClassBinding) and any(isinstance(s, ast.Assign) for s in binding.node.body):
            info = linker.user_class(module, name, binding.node)
            for variable, statements in list(info.statics.items()):
                if len(statements) == 1 and isinstance(statements[0], ast.stmt):
                    yield info, variable, statements[0]


def reaching(module: ModuleSource, table: str) -> set[str]:
    """The functions and classes that may change the table when they are called, by their names."""
    functions = module.functions_read
    if functions is None:
        functions = module.functions_read = list(_functions(module.tree.body, ""))
    found = {name for name, filled, _ in functions if table in filled}
    while found:
        more = {name for name, _, called in functions if not called.isdisjoint(found)}
        if more <= found:
            break
        found |= more
    return found - {""}


def _functions(body: list[ast.stmt], cls: str) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Each function with what it fills and what it calls; a constructor goes by the name of its class."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            calls = [part.func for part in ast.walk(statement) if isinstance(part, ast.Call)]
            called = frozenset(map(_last_name, calls)) - {""}
            name = cls if statement.name == "__init__" else statement.name
            yield name, frozenset(_filled(statement)) - {""}, called
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, statement.name)


def _filled(body: ast.AST) -> Iterator[str]:
    """The names of what a function puts something into."""
    for part in ast.walk(body):
        match part:
            case ast.Subscript(value=held, ctx=ast.Store()):
                yield _last_name(held)
            case ast.Call(func=ast.Attribute(value=held, attr=method)) if method in _FILLING:
                yield _last_name(held)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
