"""Decorators of `functools` that the front end knows by name: cached properties and single dispatch."""

from __future__ import annotations

import ast

from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionBinding, FunctionNode, ModuleSource, dotted, flatten
from everypath.languages.python.frontend.names import ClassName, FunctionName
from everypath.languages.python.frontend.userclass import UserFunction
from everypath.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Implementation:
    """A function registered for a class with a single-dispatch function."""

    node: FunctionNode
    cls: ast.expr | None


def is_cached_property(linker: Linker, module: ModuleSource, function: UserFunction) -> bool:
    """Whether the method is a `functools.cached_property`."""
    decorators = function.unknown_decorators
    return len(decorators) == 1 and linker.expression(module, decorators[0]) == ClassName("functools.cached_property")


def registrations(module: ModuleSource, name: str) -> list[Implementation]:
    """What is registered with the single-dispatch function of this name, in order."""
    found: list[Implementation] = []
    for statement, _ in flatten(module.tree.body):
        if isinstance(statement, ast.FunctionDef):
            for decorator in statement.decorator_list:
                if isinstance(decorator, ast.Call) and dotted(decorator.func) == f"{name}.register":
                    found.append(Implementation(statement, decorator.args[0] if decorator.args else None))
                elif dotted(decorator) == f"{name}.register":
                    args = [*statement.args.posonlyargs, *statement.args.args]
                    found.append(Implementation(statement, args[0].annotation if args else None))
    return found


def without_registrations(linker: Linker, module: ModuleSource, function: UserFunction) -> UserFunction:
    """The function as registering it with a single-dispatch function leaves it: unchanged."""
    kept = tuple(d for d in function.unknown_decorators if not _registers(linker, module, d))
    return function if len(kept) == len(function.unknown_decorators) else replace(function, unknown_decorators=kept)


def _registers(linker: Linker, module: ModuleSource, decorator: ast.expr) -> bool:
    path = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
    name, _, attribute = path.rpartition(".")
    binding = module.bindings.get(name)
    if attribute != "register" or not isinstance(binding, FunctionBinding):
        return False
    single = FunctionName("functools", "singledispatch")
    return any(linker.expression(module, d) == single for d in binding.node.decorator_list)
