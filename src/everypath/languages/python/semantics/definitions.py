"""What an attribute is in the classes of an object: a method, a class attribute, a declared field or a nested class."""

from __future__ import annotations

from everypath.explore.objects import program_of
from everypath.explore.state import State
from everypath.ir.instructions import ClassRef
from everypath.ir.program import Program


def definition(st: State, cls: str, name: str) -> object:
    """What the attribute of an object of this class is; classes for which this is equal need not be told apart."""
    classes, statics = program_of(st).classes, st.statics
    method = static = nested = declared = None
    for base in program_of(st).mro(cls):
        owner = classes.get(base)
        if static is None and ((base, name) in statics or (owner is not None and name in owner.statics)):
            static = base
        if nested is None and f"{base}.{name}" in classes:
            nested = f"{base}.{name}"
        if owner is not None:
            method = method or owner.methods.get(name)
            declared = declared or owner.fields.get(name)
    found = declared is not None or method is not None or static is not None or nested is not None
    asked = None if found else program_of(st).find_method(cls, "__getattr__")
    return id(method), static, nested, declared is None, id(asked)


def nested_class(program: Program, cls: str, name: str) -> ClassRef | None:
    """A class that the body of a class or of one of its bases defines."""
    found = (f"{base}.{name}" for base in program.mro(cls))
    return next((ClassRef(nested) for nested in found if nested in program.classes), None)
