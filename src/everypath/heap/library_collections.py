"""What collections of the library hold that are inputs, as far as their declared types tell."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.heap.inputs import Inputs
from everypath.heap.values import Ref, Value
from everypath.ir.instructions import NativeRef
from everypath.ir.types import BOOL, FLOAT, INT, STR, ClassType, DictType, ListType, SetType, Type

_DEFAULTING = "collections.defaultdict"
_FACTORIES: dict[Type | type[Type], str] = {
    INT: "int",
    BOOL: "bool",
    STR: "str",
    FLOAT: "float",
    ListType: "list",
    DictType: "dict",
    SetType: "set",
}


def declared(ref: Ref) -> ClassType:
    """The class of an input object, with what it is declared to hold."""
    options = ref.origin.options if ref.origin is not None else ()
    return next((o for o in options if isinstance(o, ClassType) and o.name == ref.cls), ClassType(ref.cls))


def initial(inputs: Inputs, ref: Ref, name: str, type: Type) -> Value:
    """What a field of an input object holds at the start."""
    assert ref.origin is not None
    if ref.cls == _DEFAULTING and name == "default_factory":
        return factory(ref)
    return inputs.part(ref.origin, name, held_type(ref, type), f"{ref.name}.{name}")


def held_type(ref: Ref, type: Type) -> Type:
    """The type of a field of a library object, with what the declaration of the object says about its elements."""
    if not isinstance(type, (ListType, DictType)):
        return type
    arguments = declared(ref).arguments
    if isinstance(type, ListType) and len(arguments) == 1:
        return ListType(arguments[0])
    if isinstance(type, DictType) and len(arguments) == 2:
        return DictType(*arguments)
    return type


def factory(ref: Ref) -> Value:
    """What makes the values that a dict does not have yet: the class of its values."""
    made = factory_name(declared(ref).arguments)
    if made is None:
        raise Unsupported("an input of class collections.defaultdict, since nothing tells what its missing values are")
    return NativeRef(made)


def factory_name(arguments: tuple[Type, ...]) -> str | None:
    """The class whose objects are the missing values of a dict that holds such keys and values."""
    if len(arguments) != 2:
        return None
    return _FACTORIES.get(arguments[1]) or _FACTORIES.get(arguments[1].__class__)
