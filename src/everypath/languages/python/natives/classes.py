"""Questions about classes and attributes that are asked with values: `isinstance`, `type`, `getattr`, ..."""

from __future__ import annotations

import builtins
from collections.abc import Hashable, Iterator
from types import CoroutineType, EllipsisType, GeneratorType, NotImplementedType

from everypath.errors import Unsupported
from everypath.explore.answers import note_exact
from everypath.explore.objects import alternatives, class_for, exact_class, program_of, resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.values import (
    BoundMethod,
    DictCell,
    InputFunction,
    ListCell,
    OneOf,
    OpenList,
    Ref,
    Unknown,
    Unread,
    Value,
)
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.names import interface_of
from everypath.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    ListType,
    Scalar,
    SetType,
    TupleType,
    Type,
)
from everypath.languages.python.natives.abstract import CALLABLE, KINDS, abstract_class, class_belongs, kind_belongs
from everypath.languages.python.natives.exceptions import is_exception
from everypath.languages.python.natives.library import ask_kept, is_instance_of
from everypath.languages.python.natives.named_attributes import attribute_name
from everypath.languages.python.natives.table import builtin
from everypath.languages.python.natives.text import exception_text, represent
from everypath.languages.python.semantics import host_objects
from everypath.languages.python.semantics.attributes import get_field, set_by_property
from everypath.languages.python.semantics.host_objects import (
    Kept,
    home_of,
    is_foreign,
    library_class,
    real_class,
)
from everypath.languages.python.semantics.kinds import reference, type_name, user_method
from everypath.languages.python.semantics.registry import native
from everypath.languages.python.semantics.type_tests import type_test
from everypath.logic.terms import Term

_TYPES: dict[str, tuple[Type, ...]] = {
    "int": (INT, BOOL),
    "bool": (BOOL,),
    "str": (STR,),
    "float": (FLOAT,),
    "bytes": (BYTES,),
    "list": (ListType(ANY),),
    "dict": (DictType(ANY, ANY),),
    "set": (SetType(ANY),),
    "frozenset": (SetType(ANY),),
    "tuple": (TupleType((), ANY),),
    "NoneType": (NONE,),
    "types.NoneType": (NONE,),
    "numbers.Number": (INT, BOOL, FLOAT),
    "numbers.Real": (INT, BOOL, FLOAT),
    "numbers.Integral": (INT, BOOL),
}
_SETS = frozenset(("set", "frozenset"))
_WRITTEN_FOR = {
    **{f"typing.{name}": name.lower() for name in ("List", "Dict", "Set", "FrozenSet", "Tuple", "Type")},
    "typing.Text": "str",
}
"""names of `typing` -> the builtin classes that they stand for when somebody asks with them"""


@builtin("isinstance")
def isinstance_(st: State, value: Value, classes: Value) -> bool:
    """`isinstance(value, classes)` where the classes are only known now."""
    return any(_is_instance(st, value, cls) for cls in _flatten(st, classes, "isinstance"))


def _flatten(st: State, classes: Value, name: str) -> Iterator[ClassRef | NativeRef]:
    """The classes one by one: what stands behind one that fits is not looked at."""
    classes = resolve(st, classes)
    if isinstance(classes, tuple):
        for each in classes:
            yield from _flatten(st, each, name)
        return
    if not isinstance(classes, (ClassRef, NativeRef)):
        if type(classes) is Unread:
            raise classes.refusal()
        if isinstance(classes, Ref):
            _refuse_own_check(st, classes, name)
        kind = (
            "a type, a tuple of types, or a union"
            if name == "isinstance"
            else "a class, a tuple of classes, or a union"
        )
        raise Fault("TypeError", f"{name}() arg 2 must be {kind}")
    yield NativeRef(_WRITTEN_FOR[classes.name]) if classes.name in _WRITTEN_FOR else classes


def _refuse_own_check(st: State, ref: Ref, name: str) -> None:
    """An object may take the place of a class if its own class says how to ask it."""
    method = "__instancecheck__" if name == "isinstance" else "__subclasscheck__"

    def answers(cls: str) -> bool:
        return program_of(st).find_method(cls, method) is not None

    if type(st.heap.cells[ref]) is dict and answers(class_for(st, ref, answers)):
        raise Unsupported(f"{name}() with an object that defines {method}")


def _is_instance(st: State, value: Value, cls: ClassRef | NativeRef) -> bool:
    if is_foreign(value):
        return is_instance_of(st, value, cls)
    if isinstance(cls, ClassRef) and abstract_class(cls.name) is None:
        return type_test(st, value, (ClassType(cls.name),))
    if cls.name == "object":
        return True
    if cls.name in _TYPES:
        return type_test(st, value, _TYPES[cls.name]) and (cls.name not in _SETS or _set_class(st, value) == cls.name)
    real = library_class(cls.name)
    if real is not None and isinstance(value, Unknown) and value not in st.heap.bind:
        return type_test(st, value, _standing_for(st, value, real))
    value = resolve(st, value)
    kind = type_name(st, value)
    abstract = abstract_class(cls.name)
    if abstract is not None:
        return _belongs(st, value, kind, abstract)
    if cls.name == "type":
        return isinstance(value, ClassRef) or (isinstance(value, NativeRef) and _real_class(value.name) is not None)
    if cls.name == kind:
        _note_class_asked(st, value)
        return True
    if real is not None:
        return isinstance(value, real)
    if _real_class(cls.name) is not None:
        return False
    raise Unsupported(f"isinstance() with {cls.name}")


def _belongs(st: State, value: Value, kind: str, abstract: type) -> bool:
    """Whether a value is one of those that an abstract class of the library takes for its own."""
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        return class_belongs(st, class_for(st, value, lambda cls: class_belongs(st, cls, abstract)), abstract)
    if abstract is CALLABLE:
        return bool(callable_(st, value))
    if isinstance(value, ClassRef) and value.name in st.heap.inputs.enumerations and abstract is not Hashable:
        raise Unsupported(f"isinstance() of an enumeration with {abstract.__name__}")
    return kind_belongs(_set_class(st, value) if kind == "set" else kind, abstract)


def _set_class(st: State, value: Value) -> str:
    """The class of something that is a set, frozen or not."""
    cell = st.heap.cells[reference(resolve(st, value))]
    return "frozenset" if isinstance(cell, DictCell) and cell.frozen else "set"


def _standing_for(st: State, value: Unknown, cls: type) -> tuple[Type, ...]:
    """The types of an input whose values are objects of the library class."""
    scalars = [option for option in st.heap.options(value) if isinstance(option, Scalar)]
    classes = [(option, library_class(option.name)) for option in scalars]
    return tuple(option for option, found in classes if found is not None and issubclass(found, cls))


_UNNAMED = {
    **{name: cls for name, cls in KINDS.items() if name != "iterator"},
    **{cls.__name__: cls for cls in (CoroutineType, EllipsisType, GeneratorType, NotImplementedType)},
}


def _real_class(name: str) -> type | None:
    if "." in name:
        return library_class(name) or real_class(name)
    found = _UNNAMED.get(name) or getattr(builtins, name, None)
    return found if isinstance(found, type) else None


@builtin("issubclass")
def issubclass_(st: State, cls: Value, classes: Value) -> bool:
    """`issubclass(cls, classes)`"""
    cls = resolve(st, cls)
    if not isinstance(cls, (ClassRef, NativeRef)) or (isinstance(cls, NativeRef) and _real_class(cls.name) is None):
        raise Fault("TypeError", "issubclass() arg 1 must be a class")
    return any(_is_subclass(st, cls, other) for other in _flatten(st, classes, "issubclass"))


def _is_subclass(st: State, cls: ClassRef | NativeRef, other: ClassRef | NativeRef) -> bool:
    if other.name == "object" or cls == other:
        return True
    if isinstance(cls, ClassRef):
        abstract = abstract_class(other.name)
        if abstract is not None:
            return class_belongs(st, cls.name, abstract)
        return program_of(st).is_subclass(cls.name, other.name)
    mine, theirs = _real_class(cls.name), abstract_class(other.name) or _real_class(other.name)
    return mine is not None and theirs is not None and issubclass(mine, theirs)


@builtin("callable")
def callable_(st: State, value: Value) -> bool:
    """`callable(value)`"""
    value = resolve(st, value)
    if isinstance(value, NativeRef):
        return value.name not in ("NotImplemented", "Ellipsis")
    if isinstance(value, (ClassRef, FunctionRef, BoundMethod)):
        return True
    if user_method(st, value, "__call__") is not None:
        return True
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        cls = class_for(st, value, lambda cls: interface_of(cls) is not None)
        # A mock can be called whatever it stands in for, so that a test could not show what objects of the class do.
        if interface_of(cls) is not None:
            raise Unsupported("callable() of an object that stands for any implementation")
    return False


@builtin("type")
def type_(st: State, value: Value, *more: Value) -> Value:
    """`type(value)`"""
    if more:
        raise Unsupported("type() with three arguments")
    value = resolve(st, value)
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        return ClassRef(exact_class(st, value))
    if isinstance(value, Kept):
        return ask_kept(st, "type", value)
    if is_foreign(value):
        cls = host_objects.class_of(value)
        return NativeRef(f"{home_of(cls)}.{cls.__qualname__}")
    _note_class_asked(st, value)
    kind = type_name(st, value)
    return NativeRef(_set_class(st, value) if kind == "set" else kind)


def _note_class_asked(st: State, value: Value) -> None:
    if isinstance(value, InputFunction):
        note_exact(st, value)


@native("super_without")
def super_without(st: State, name: Value) -> Value:
    """`super().name(...)` where no class has such a method."""
    raise Fault("AttributeError", f"'super' object has no attribute {name!r}")


@native("need_function")
def need_function(st: State, value: Value, name: str) -> Value:
    """The value that decorators make of a method; refused where it is an object that does not bind like a function."""
    program = program_of(st)
    if isinstance(value, Ref) and value.cls in program.classes and not program.classes[value.cls].model:
        raise Unsupported(f"the method {name}, of which a decorator makes an object of class {short(value.cls)}")
    return value


@builtin("vars")
def vars_(st: State, value: Value) -> Value:
    """`vars(value)` is not modelled."""
    raise Unsupported("vars()")


_BUILTIN_VALUES = (Term, str, int, float, bytes, tuple)


@native("need_receiver")
def need_receiver(st: State, receiver: Value, name: str) -> Value:
    """Look up the method of a plain value before the arguments of the call are evaluated, as Python does."""
    if receiver is None or (receiver.__class__ in (Unknown, OneOf) and st.heap.is_null(receiver)):
        get_field(st, None, name)
    elif isinstance(receiver, _BUILTIN_VALUES) or _is_builtin(st, receiver):
        get_field(st, receiver, name)
    return None


def _is_builtin(st: State, value: Value) -> bool:
    """Whether a value is known to be a collection, whose class no program defines, whichever it is."""
    return all(_is_collection(st, each) for each in alternatives(st, value))


def _is_collection(st: State, value: Value) -> bool:
    if isinstance(value, Unknown):
        options = st.heap.options(value)
        return len(options) == 1 and isinstance(options[0], (ListType, DictType, SetType))
    return isinstance(value, Ref) and isinstance(st.heap.cells.get(value), (ListCell, OpenList, DictCell))


@native("need_manager")
def need_manager(st: State, manager: Value, waits: bool) -> Value:
    """What `with` asks of a value before anything else: methods to enter and to leave, looked up in its class."""
    for name in ("__aenter__", "__aexit__") if waits else ("__enter__", "__exit__"):
        try:
            get_field(st, manager, name)
        except Fault as fault:
            if fault.cls != "AttributeError":
                raise
            kind = "asynchronous context manager" if waits else "context manager"
            shown = short(type_name(st, resolve(st, manager)))
            raise Fault("TypeError", f"{shown!r} object does not support the {kind} protocol") from None
        except Invoke as call:
            if call.again:
                raise
    return None


@native("object")
def new_object(st: State) -> Value:
    """`object()`, a value that is equal to nothing else."""
    return st.heap.new_object("object")


@native("object.__init__", "object.__init_subclass__", "object.__del__")
def object_init(st: State, obj: Value, *args: Value, **keywords: Value) -> Value:
    """The constructor that every class has."""
    if args or keywords:
        raise Fault("TypeError", f"{short(type_name(st, resolve(st, obj)))}() takes no arguments")
    return None


@native("object.__eq__")
def object_eq(st: State, obj: Value, other: Value) -> Value:
    """Equality of objects that define none: identity, or no answer."""
    return True if decide(st.pc, st.heap.same(obj, other)) else NativeRef("NotImplemented")


@native("object.__setattr__")
def object_setattr(st: State, obj: Value, name: Value, content: Value) -> Value:
    """The assignment behind a user-defined one, which still lets a property or descriptor act."""
    ref, known = reference(resolve(st, obj)), attribute_name(st, name, "setattr", obj)
    set_by_property(st, ref, known, content)
    return store_attribute(st, ref, known, content)


@native("store_attribute")
def store_attribute(st: State, obj: Value, name: Value, content: Value) -> Value:
    """An assignment that runs no code of the program."""
    st.heap.set_field(reference(resolve(st, obj)), attribute_name(st, name, "setattr", obj), content)
    return None


@native("object.__str__")
def object_str(st: State, obj: Value) -> Value:
    """The text of an exception as its base class gives it."""
    obj = resolve(st, obj)
    if is_exception(st, obj):
        return exception_text(st, reference(obj))
    return represent(st, obj)


@native("object.__repr__", "object.__hash__")
def object_repr(st: State, obj: Value) -> Value:
    """What differs between runs."""
    raise Unsupported("the default text or hash of an object, which differs between runs")
