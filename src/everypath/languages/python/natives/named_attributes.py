"""Attributes by names that are values: `getattr`, `hasattr`, `setattr`, `dir`."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import exact_class, program_of, resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.values import (
    ListCell,
    Ref,
    Value,
)
from everypath.ir.instructions import ClassRef, FunctionRef
from everypath.languages.python.natives.iterators import model
from everypath.languages.python.natives.table import builtin
from everypath.languages.python.semantics.attributes import get_field, set_field
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.presence import decide_presence
from everypath.languages.python.semantics.registry import NOT_GIVEN, native
from everypath.logic.terms import Term


def attribute_name(st: State, name: Value, function: str, value: Value) -> str:
    """The name of an attribute that a function is given; one that is not known is fixed."""
    name = resolve(st, name)
    if not isinstance(name, str):
        if isinstance(name, Term) and name.sort == "str":
            hints = (*_attribute_names(st, value)[:2], "other")
            return str(fixed(st, name, f"{function}() needs a known name", hints))
        if type_name(st, name) == "str":
            raise Unsupported(f"{function}() with a symbolic name")
        raise Fault("TypeError", f"{function}(): attribute name must be string")
    return name


def _attribute_names(st: State, value: Value) -> tuple[str, ...]:
    """The attributes that the program gives to an object or class, public ones first."""
    value = resolve(st, value)
    program = program_of(st)
    found: dict[str, None] = {}
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        found.update(dict.fromkeys((*program.all_fields(type_name(st, value)), *st.heap.fields(value))))
    cls = value.name if isinstance(value, ClassRef) else type_name(st, value)
    for base in program.mro(cls) if cls in program.classes else ():
        if base in program.classes:
            found.update(dict.fromkeys((*program.classes[base].methods, *program.classes[base].statics)))
    names = [name for name in found if name.isidentifier()]
    return tuple(sorted(names, key=lambda name: name.startswith("_")))


@builtin("dir")
def dir_(st: State, value: Value) -> Value:
    """`dir(value)` of an object or class whose bases are all part of the program."""
    value = resolve(st, value)
    program = program_of(st)
    is_object = isinstance(value, Ref) and type(st.heap.cells[value]) is dict
    if isinstance(value, Ref) and is_object:
        exact_class(st, value)
    cls = value.name if isinstance(value, ClassRef) else type_name(st, value)
    whole = isinstance(value, ClassRef) or is_object
    if not whole or any(base not in program.classes and base != "object" for base in program.mro(cls)):
        raise Unsupported(f"dir() of a {short(cls)}")
    everywhere = ("__dict__", "__module__", "__weakref__", *dir(object))
    names = sorted({*_attribute_names(st, value), *everywhere})
    return st.heap.new_object("list", ListCell(tuple(names)))


@builtin("getattr")
def getattr_(st: State, value: Value, name: Value, default: Value = NOT_GIVEN) -> Value:
    """`getattr(value, name, default)`"""
    name = attribute_name(st, name, "getattr", value)
    if default is not NOT_GIVEN:
        decide_presence(st, value, name)
    try:
        return get_field(st, value, name)
    except Fault as fault:
        if default is NOT_GIVEN or fault.cls != "AttributeError":
            raise
        return default
    except Invoke as call:
        if call.again or default is NOT_GIVEN:
            raise
        asked: list[Value] = [FunctionRef(call.method.cls, call.method.name), tuple(call.arguments), default]
        raise Invoke(model(st, "attribute_or"), asked, call.post) from None


@builtin("getattr_computed")
def getattr_computed(st: State, value: Value, name: Value) -> Value:
    """`getattr(value, name)` where the source does not say the name."""
    return getattr_(st, value, name)


@builtin("hasattr")
def hasattr_(st: State, value: Value, name: Value) -> Value:
    """`hasattr(value, name)`; a property counts as present when reading it does not fail."""
    name = attribute_name(st, name, "hasattr", value)
    decide_presence(st, value, name)
    try:
        get_field(st, value, name)
    except Fault as fault:
        if fault.cls != "AttributeError":
            raise
        return False
    except Invoke as call:
        if call.again:
            raise
        asked: list[Value] = [FunctionRef(call.method.cls, call.method.name), tuple(call.arguments)]
        raise Invoke(model(st, "attribute_exists"), asked) from None
    return True


@builtin("setattr")
def setattr_(st: State, value: Value, name: Value, content: Value) -> Value:
    """`setattr(value, name, content)`"""
    set_field(st, value, attribute_name(st, name, "setattr", value), content)
    return None


@native("may_lack")
def may_lack(st: State, value: Value, name: str) -> Value:
    """An attribute is read where the program is prepared for objects that do not have it."""
    decide_presence(st, value, name)
    return None
