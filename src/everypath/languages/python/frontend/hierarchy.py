"""The classes of the language itself: the exception hierarchy and the names that Python predefines."""

from __future__ import annotations

import builtins

from everypath.ir.instructions import ClassRef, ConstValue, NativeRef
from everypath.ir.names import CELL
from everypath.ir.program import Class, Field
from everypath.ir.types import ANY, BOOL, BYTES, FLOAT, INT, NONE, STR, DictType, ListType, SetType, TupleType, Type

CELL_FIELD = "contents"
"""A variable that nested functions share lives in the field of an object of this class."""

BUILTIN_NAMES = frozenset(n for n in dir(builtins) if not n.startswith("_")) | {"__import__"}

EXCEPTION_NAMES = {
    name: value.__name__
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
"""Every predefined exception name and the name of the class it denotes (`IOError` is `OSError`)."""

BUILTIN_BASES = {name: f"{name.capitalize()}Base" for name in "dict list set tuple str int float property".split()}
"""Classes of the language that classes of the program extend, and what these inherit instead."""

_METHOD_HOLDERS = frozenset("int str bytes float list dict set tuple object bool property".split())
"""Predefined classes whose methods are called through the class, as in `str.upper(s)`."""
_OBJECT_METHODS = ("__setattr__", "__new__", "__delattr__")
_OF_CLASSES = frozenset("__class__ __subclasshook__ __init_subclass__ __class_getitem__ __doc__ __reduce__".split())

BUILTIN_TYPES: dict[str, tuple[Type, ...]] = {
    "int": (INT, BOOL),
    "bool": (BOOL,),
    "str": (STR,),
    "float": (FLOAT,),
    "bytes": (BYTES,),
    "list": (ListType(ANY),),
    "dict": (DictType(ANY, ANY),),
    "set": (SetType(ANY),),
    "tuple": (TupleType((), ANY),),
    "NoneType": (NONE,),
    "object": (ANY,),
}
"""What `isinstance(x, T)` tests for a predefined T; an int test also accepts booleans."""


def exception_classes() -> dict[str, Class]:
    """The whole predefined exception hierarchy as external classes."""
    classes = {"object": Class("object", external=True, module="builtins")}
    for name in dict.fromkeys(EXCEPTION_NAMES.values()):
        bases = tuple(base.__name__ for base in getattr(builtins, name).__bases__)
        classes[name] = Class(name, bases, external=True, module="builtins")
    classes[CELL] = Class(CELL, fields={CELL_FIELD: Field(CELL_FIELD, ANY)}, model=True)
    classes["BaseException"].fields["args"] = Field("args", TupleType((), ANY))
    return classes


def is_method(cls: str, name: str) -> bool:
    """Whether a predefined class has the method, special ones included where their objects have a native for it."""
    if name in _OBJECT_METHODS or cls not in _METHOD_HOLDERS:
        return name in _OBJECT_METHODS
    if not name.startswith("__"):
        return True
    return cls in BUILTIN_BASES and name not in _OF_CLASSES and callable(getattr(getattr(builtins, cls), name, None))


def builtin_value(name: str) -> ConstValue:
    """A predefined name used as a value."""
    if name in EXCEPTION_NAMES:
        return ClassRef(EXCEPTION_NAMES[name])
    return NativeRef(name)
