"""Type parameters: what they stand for in classes that fill them in, and interfaces whose parameters are filled in."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from everypath.ir import names
from everypath.ir.types import INT, ClassType, Type
from everypath.languages.python.frontend.interfaces import INTERFACE, is_interface
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import ModuleSource, dotted, place_at
from everypath.languages.python.frontend.names import ClassName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.userclass import UserClass

Arguments = Mapping[str, Type]
"""Type parameter -> the type that it stands for."""


def filled_in(linker: Linker, interface: str, types: tuple[Type, ...]) -> Type | None:
    """The type of objects of an interface with these types for its parameters; None for any other class."""
    info = linker.classes.get(interface)
    if info is None or info.module.model or not is_interface(linker, info):
        return None
    parameters = _parameters(linker, info)
    if len(parameters) != len(types) or all(type_ == INT for type_ in types):
        return None
    qualname = names.filled_in(info.qualname, types)
    node = place_at(ast.ClassDef("<filled in>", [ast.Name(INTERFACE, ast.Load())], [], [ast.Pass()], []), info.node)
    made = linker.user_class(info.module, qualname, node, {INTERFACE: ClassName(interface)})
    made.protocol = True
    made.arguments = dict(zip(parameters, types))
    return ClassType(made.name)


def type_arguments(linker: Linker, info: UserClass) -> Arguments:
    """What the type parameters of a class stand for where the user's modules only ever give them one meaning."""
    parameters = _parameters(linker, info)
    if not parameters or info.module.model or is_interface(linker, info):
        return {}
    modules = {cls.module.name: cls.module for cls in linker.classes.values() if cls.module.user}
    found: set[tuple[Type, ...]] = set()
    for module in modules.values():
        found.update(_uses(linker, module, info, len(parameters)))
    return dict(zip(parameters, found.pop())) if len(found) == 1 else {}


def _uses(linker: Linker, module: ModuleSource, info: UserClass, count: int) -> Iterator[tuple[Type, ...]]:
    """The types that annotations and bases in a module give to the parameters of a class."""
    short = info.node.name
    for node in walk(module.tree):
        if isinstance(node, ast.Subscript) and dotted(node.value).rpartition(".")[2] == short:
            given = _elements(node)
            if len(given) != count or any(_is_parameter(linker, module, part) for part in given):
                continue
            if linker.expression(module, node.value) == ClassName(info.name):
                reader = linker.annotations(module)
                types = tuple(map(reader.read, given))
                if not reader.unknown:
                    yield types


def inherited_arguments(linker: Linker, info: UserClass, own: Arguments) -> dict[str, Arguments]:
    """For a class and what it inherits from: what the type parameters stand for there."""
    found: dict[str, Arguments] = {info.name: own}
    for base in info.node.bases:
        denoted = linker.expression(info.module, base, info)
        parent = linker.classes.get(denoted.name) if isinstance(denoted, ClassName) else None
        if parent is None:
            continue
        passed = own if info.arguments else {}
        if isinstance(base, ast.Subscript):
            reader = linker.annotations(info.module, info)
            reader.bound = own
            passed = dict(zip(_parameters(linker, parent), map(reader.read, _elements(base))))
        for name, arguments in inherited_arguments(linker, parent, passed).items():
            found.setdefault(name, arguments)
    return found


def _parameters(linker: Linker, info: UserClass) -> tuple[str, ...]:
    """The type parameters that a class declares, in order."""
    declared = tuple(param.name for param in getattr(info.node, "type_params", ()))
    if declared:
        return declared
    subscripts = [base for base in info.node.bases if isinstance(base, ast.Subscript)]
    lists = [base for base in subscripts if dotted(base.value).rpartition(".")[2] in ("Generic", "Protocol")]
    parts = (part for base in lists or subscripts for part in _elements(base))
    found = (part.id for part in parts if isinstance(part, ast.Name) and _is_parameter(linker, info.module, part))
    return tuple(dict.fromkeys(found))


def _is_parameter(linker: Linker, module: ModuleSource, node: ast.expr) -> bool:
    definition = linker.annotations(module).alias(node)
    return definition is not None and _is_type_variable(definition[0])


def _is_type_variable(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in ("TypeVar", "ParamSpec")


def _elements(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
