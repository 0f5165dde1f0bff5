"""What kind of value something is, as the language names it, and what its class defines."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.answers import note_exact
from everypath.explore.objects import assigned_static, class_of, possible_classes, program_of, short, virtual_target
from everypath.explore.objects import get_static as plain_static
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.values import (
    UNBOUND,
    BoundMethod,
    Hash,
    InputFunction,
    RangeValue,
    Ref,
    SliceValue,
    Unread,
    Value,
)
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.program import Method, Program
from everypath.languages.python.semantics.host_objects import Kept, is_record
from everypath.languages.python.semantics.moments import Moment
from everypath.languages.python.semantics.refusals import foreign_base
from everypath.logic.terms import Term

_PLAIN_TYPES = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    bytes: "bytes",
    tuple: "tuple",
    type(None): "NoneType",
    RangeValue: "range",
    SliceValue: "slice",
    Hash: "int",
    ClassRef: "type",
    FunctionRef: "function",
    NativeRef: "builtin_function_or_method",
    InputFunction: "function",
    BoundMethod: "method",
}


_TERM_TYPES = {"int": "int", "bool": "bool", "str": "str", "float": "float"}


def type_name(st: State, value: Value) -> str:
    """The name of a resolved value's class; for an input object of open class, of its upper bound."""
    if isinstance(value, Ref):
        return class_of(st, value)
    if isinstance(value, Term):
        return _TERM_TYPES[value.sort]
    if type(value) is Unread:
        raise value.refusal()
    if type(value) is Moment:
        return value.kind
    if type(value) is Kept:
        return value.cls
    return "tuple" if is_record(value) else _PLAIN_TYPES.get(type(value), type(value).__name__)


def reference(value: Value) -> Ref:
    """A value that the caller knows to be an object on the heap."""
    assert isinstance(value, Ref)
    return value


def misuse(st: State, message: str, *values: Value) -> Fault:
    """The TypeError of an operation that the values do not have; refused for values that may have it after all."""
    for value in values:
        if isinstance(value, Hash):
            raise Unsupported("a number made from the hash of a text or an object, which differs between runs")
        if isinstance(value, InputFunction):
            # The message names the class.
            note_exact(st, value)
            continue
        foreign = foreign_base(program_of(st), value.cls) if isinstance(value, Ref) else None
        if foreign is not None:
            raise Unsupported(f"an operation on an object whose class extends {foreign}, which may have it")
        if isinstance(value, (ClassRef, FunctionRef, NativeRef, BoundMethod)):
            raise Unsupported(f"an operation on {getattr(value, 'name', 'a class or function')} as a value")
    return Fault("TypeError", message)


def has_attribute(cls: type | None, name: str) -> bool:
    """Whether objects of a builtin class have the attribute; classes themselves have more."""
    return cls is not None and any(name in vars(base) for base in cls.__mro__)


def hidden_by_static(program: Program, cls: str, method: Method, name: str) -> bool:
    """Whether a class attribute of a more special class takes the place of the method."""
    static = program.find_static(cls, name)
    if static is None:
        return False
    order = program.mro(cls)
    return order.index(static[0]) < order.index(method.cls)


def get_static(st: State, cls: str, name: str) -> Value:
    """A class or module attribute; its initialiser runs once per path."""
    if program_of(st).find_static(cls, name) is None and assigned_static(st, cls, name) is UNBOUND:
        raise Fault("NameError", f"name {name!r} is not defined")
    return plain_static(st, cls, name)


def need_makeable(st: State, cls: str) -> None:
    """Objects can be made of a class that is not abstract and whose bases are all understood."""
    program = program_of(st)
    order = program.mro(cls)
    if "BaseException" not in order:
        for base in order:
            if base != "object" and base in program.classes and program.classes[base].external:
                raise Unsupported(f"making an object of class {short(cls)}, which extends {base}")
    if cls in program.classes and program.classes[cls].abstract:
        # Whether Python refuses depends on its metaclass.
        raise Unsupported(f"making an object of {short(cls)}, which has abstract methods")


def tuple_maker(program: Program, cls: str) -> Method | None:
    """The generated constructor of a named tuple, which does the work of the real one's `__new__`."""
    generated, initialiser = program.find_method(cls, "_asdict"), program.find_method(cls, "__init__")
    if generated is None or initialiser is None or not (generated.model and initialiser.model):
        return None
    return initialiser


def by_identity(st: State, value: Value) -> bool:
    """Whether the value is null or an object, known or not, that compares by identity and counts as true."""
    if value is None:
        return True
    program = program_of(st)
    for cls in st.heap.classes_of(value) or ("",):
        if cls not in program.classes or any(program.find_method(cls, name) is not None for name in _BY_CODE):
            return False
    return True


_BY_CODE = ("__eq__", "__ne__", "__bool__", "__len__")


def user_method(st: State, value: Value, name: str) -> Method | None:
    """The program's own method of this name on the value's class, if the value is an object."""
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        method = virtual_target(st, value, name)
        if name != "__hash__":
            for cls in possible_classes(st.heap, value) if value.open else (value.cls,):
                need_written(program_of(st), cls, name)
        return method
    return None


def need_written(program: Program, cls: str, name: str) -> None:
    """An operator is looked up in the class: what its body assigns there comes before a method of a base."""
    for base in program.mro(cls):
        owner = program.classes.get(base)
        if owner is None:
            continue
        if name in owner.methods:
            return
        if name in owner.statics:
            raise Unsupported(f"{short(base)}.{name}, which is assigned in the class body, used as a method")
