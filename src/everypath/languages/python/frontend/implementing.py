"""Classes that fit an interface without inheriting from it: they have its members, with the same types."""

from __future__ import annotations

import ast

from everypath.ir import names
from everypath.ir.program import Field, Method
from everypath.ir.types import ANY, Type, options_of
from everypath.languages.python.frontend.generics import inherited_arguments
from everypath.languages.python.frontend.interfaces import is_answered
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import FunctionNode
from everypath.languages.python.frontend.userclass import UserClass


def note_implementations(linker: Linker) -> None:
    """Tell the program which classes can take the place of each interface besides those below it."""
    made = [info for info in linker.classes.values() if _is_made(linker, info)]
    for interface in list(linker.classes.values()):
        if interface.is_written_protocol:
            fitting = tuple(info.name for info in made if _fits(linker, info, interface))
            if fitting:
                linker.program.implementing[interface.name] = fitting


def _is_made(linker: Linker, info: UserClass) -> bool:
    if not info.module.user or info.protocol or info.typed_dict or info.enum:
        return False
    if names.interface_of(info.name) is not None or info.name in linker.opaque:
        return False
    return linker.is_translated(info.name) and not linker.has_abstract_methods(info.name)


def _fits(linker: Linker, info: UserClass, interface: UserClass) -> bool:
    if linker.program.is_subclass(info.name, interface.name):
        return False
    if interface.arguments:
        plain = names.without_arguments(interface.name)
        if plain in linker.program.mro(info.name):
            return inherited_arguments(linker, info, {}).get(plain) == interface.arguments
    answers = linker.classes[names.stand_in(interface.name)].answers
    if not all(_has_field(linker, info, field.name, field.type) for field in _fields(linker, interface)):
        return False
    return bool(answers) and all(_has(linker, info, interface, name, type_) for name, type_ in answers.items())


def _has(linker: Linker, info: UserClass, interface: UserClass, name: str, type_: Type) -> bool:
    """Whether a class has a member of an interface, which gives values of this type."""
    program = linker.program
    asked, found = program.find_method(interface.name, name), program.find_method(info.name, name)
    if asked is None or asked.kind == "property":
        if found is not None:
            return found.kind == "property" and _gives(found.returns, type_)
        return _has_field(linker, info, name, type_)
    return (
        found is not None
        and _takes_the_same(found, asked)
        and _gives(found.returns, type_)
        and _same_kind(linker, info, interface, name)
    )


def _fields(linker: Linker, interface: UserClass) -> list[Field]:
    return list(linker.program.all_fields(interface.name).values())


def _has_field(linker: Linker, info: UserClass, name: str, type_: Type) -> bool:
    declared = linker.program.all_fields(info.name).get(name)
    if declared is None:
        return linker.program.find_static(info.name, name) is not None
    return not declared.guessed and _gives(declared.type, type_)


def _gives(found: Type, asked: Type) -> bool:
    return asked == ANY or (found != ANY and set(options_of(found)) <= set(options_of(asked)))


def _takes_the_same(found: Method, asked: Method) -> bool:
    """Whether both have the same parameters, by name, kind and type."""
    one, other = ([(p.name, p.kind, p.type) for p in method.params[1:]] for method in (found, asked))
    return found.kind == asked.kind and one == other


def _same_kind(linker: Linker, info: UserClass, interface: UserClass, name: str) -> bool:
    """Whether both are awaited, or none."""
    return _is_async(linker, info, name) == _is_async(linker, interface, name)


def _is_async(linker: Linker, info: UserClass, name: str) -> bool:
    nodes = (owner.functions[name].node for owner in linker.line(info.name) if name in owner.functions)
    return isinstance(next(nodes, None), ast.AsyncFunctionDef)


def may_fit(node: ast.ClassDef, interface: UserClass) -> bool:
    """Whether a class that is not part of the program yet defines all methods that an interface names itself."""
    if interface.arguments:
        return False
    asked = {name for name in interface.functions if is_answered(name)}
    return bool(asked) and asked <= {part.name for part in node.body if isinstance(part, FunctionNode)}
