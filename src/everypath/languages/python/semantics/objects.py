"""Attributes, classes and dispatch: what `x.name` and `x.name(...)` mean for every kind of value."""

from __future__ import annotations

import builtins

from everypath.errors import Unsupported
from everypath.explore.objects import (
    Restrict,
    assigned_static,
    class_of,
    possible_classes,
    program_of,
    resolve,
    set_static,
    short,
    virtual_target,
)
from everypath.explore.objects import get_static as plain_static
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.choice import Fork
from everypath.heap.equality import as_int, is_float
from everypath.heap.store import ClassBound
from everypath.heap.values import (
    UNBOUND,
    BoundMethod,
    DictCell,
    Hash,
    InputFunction,
    IteratorCell,
    OneOf,
    RangeValue,
    Ref,
    SliceValue,
    Unknown,
    Unread,
    Value,
)
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.names import CELL, decorated, deleter, is_nested_function, is_refusing_setter
from everypath.ir.program import Method, Program
from everypath.languages.python.semantics import callables
from everypath.languages.python.semantics.host_objects import attribute as foreign_attribute
from everypath.languages.python.semantics.host_objects import (
    is_foreign,
    is_record,
    library_attribute,
    modelled_class,
    record_attribute,
)
from everypath.languages.python.semantics.refusals import foreign_base
from everypath.languages.python.semantics.registry import NATIVES
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
    if value.__class__ is Unread:
        raise value.refusal()
    return "tuple" if is_record(value) else _PLAIN_TYPES.get(type(value), type(value).__name__)


def misuse(st: State, message: str, *values: Value) -> Fault:
    """The type error of an operation that the values do not have; what classes and functions have is not all known."""
    for value in values:
        if isinstance(value, Hash):
            raise Unsupported("a number made from the hash of a text or an object, which differs between runs")
        if isinstance(value, InputFunction):
            continue
        foreign = foreign_base(program_of(st), value.cls) if isinstance(value, Ref) else None
        if foreign is not None:
            raise Unsupported(f"an operation on an object whose class extends {foreign}, which may have it")
        if isinstance(value, (ClassRef, FunctionRef, NativeRef, BoundMethod)):
            raise Unsupported(f"an operation on {getattr(value, 'name', 'a class or function')} as a value")
    return Fault(program_of(st).profile.type_error, message)


def get_field(st: State, value: Value, name: str) -> Value:
    """`value.name` beyond the case of a located object whose field is known."""
    heap = st.heap
    if value.__class__ is Unknown or value.__class__ is OneOf:
        if heap.is_null(value):
            value = None
        elif value.__class__ is OneOf:
            found = heap.field_of_choice(value, name)
            if found is not UNBOUND:
                return found
        value = resolve(st, value)
    if value.__class__ is Ref:
        cell = heap.cells[value]
        if type(cell) is dict:
            if name in cell:
                found = _present(st, value, name)
                if found is not UNBOUND:
                    return found
            elif value.input and name not in heap.first[value]:
                bound = heap.class_bound(value)
                plain = heap.inputs.plain_field(bound.bound, name) if bound.exact else None
                if plain is not None:
                    return heap.input_field(value, name, plain)
            return _object_attribute(st, value, name)
    program = program_of(st)
    if isinstance(value, ClassRef):
        return _class_attribute(st, value, name)
    if isinstance(value, (SliceValue, RangeValue)) and name in ("start", "stop", "step"):
        return getattr(value, name)
    if is_record(value) and hasattr(value, name) and not hasattr(tuple, name):
        return record_attribute(value, name)
    if isinstance(value, Unread) and f"{value.cls}.{value.name}.{name}" in NATIVES:
        return BoundMethod(value, name)
    if isinstance(value, InputFunction):
        return callables.input_attribute(name)
    if isinstance(value, NativeRef) and name in ("__name__", "__qualname__"):
        return short(value.name)
    if isinstance(value, FunctionRef) and name in callables.ATTRIBUTES:
        return callables.attribute(st, value, name)
    if isinstance(value, BoundMethod) and name == "__name__":
        return value.name
    if isinstance(value, BoundMethod) and name == "__self__":
        return value.receiver
    if is_foreign(value):
        found = foreign_attribute(value, name)
        return BoundMethod(value, name) if callable(found) else NATIVES["foreign attribute"](st, value, name)
    kind = type_name(st, value)
    if kind == "set":
        need_unfrozen(st, value, name)
    if name == "__class__":
        return NativeRef(kind)
    if kind in _PARTS_OF_NUMBERS and name in _PARTS_OF_NUMBERS[kind]:
        return _part_of_number(value, name)
    if isinstance(value, NativeRef):
        return library_attribute(value.name, name)
    if _has_builtin(program, kind, name):
        found = getattr(_REAL.get(kind), name, None)
        return found if isinstance(found, str) or (found is None and kind in _REAL) else BoundMethod(value, name)
    if isinstance(value, (FunctionRef, BoundMethod)):
        raise Unsupported(f"the attribute {name} of a function or class of the library")
    real = type(None) if value is None else getattr(builtins, kind, None)
    if has_attribute(real if isinstance(real, type) else None, name):
        raise Unsupported(f"the attribute {name} of a {kind}")
    raise Fault(program.profile.attribute_error, f"{kind!r} object has no attribute {name!r}")


def _present(st: State, ref: Ref, name: str) -> Value:
    """The attribute of the object itself; whether it has one is decided where that depends on aliasing."""
    found = st.heap.get(ref, name)
    if found.__class__ is OneOf and UNBOUND in found.values():
        found = st.heap.resolve(found)
    return found


def _object_attribute(st: State, ref: Ref, name: str) -> Value:
    program = program_of(st)
    method = virtual_target(st, ref, name) if program.profile.methods_are_attributes else None
    if method is not None and hidden_by_static(program, type_name(st, ref), method, name):
        return _bound_static(st, ref, name)
    if method is not None and method.kind == "property":
        raise Invoke(method, [ref])
    cls = type_name(st, ref)
    if ref.input:
        field = program.find_field(cls, name)
        if field is None and ref.open:
            field = _narrow_to_field(st, ref, name)
        if field is not None and method is None:
            if name in st.heap.first[ref]:
                raise Fault(program.profile.attribute_error, f"{short(cls)!r} object has no attribute {name!r}")
            return st.heap.input_field(ref, name, field.type)
        # No class declares it, but it may have been assigned through another reference.
        if field is None:
            found = _present(st, ref, name)
            if found is not UNBOUND:
                return found
    if method is not None:
        return FunctionRef(method.cls, method.name) if method.kind == "static" else BoundMethod(ref, name)
    if program.find_static(cls, name) is not None or assigned_static(st, cls, name) is not UNBOUND:
        return _bound_static(st, ref, name)
    nested = _nested_class(program, cls, name)
    if nested is not None:
        return nested
    if name == "__class__":
        return ClassRef(cls)
    if name == "__dict__":
        raise Unsupported("reading __dict__ of an object")
    if short(cls) == CELL:
        raise Fault("NameError", f"cannot access free variable {name!r}")
    if name in callables.ATTRIBUTES and method is None and program.find_method(cls, "__call__") is not None:
        if is_nested_function(cls):
            return callables.attribute(st, ref, name)
        if cls in program.classes and program.classes[cls].model:
            raise Unsupported(f"the attribute {name} of a {short(cls)}")
    if "BaseException" in program.mro(cls):
        found = NATIVES["exception_attribute"](st, ref, name)
        if found is not NotImplemented:
            return found
    if ref.name in st.heap.inputs.enumerations.get(cls, ()) and (cls, ref.name) not in st.statics:
        # Members of an enumeration get their attributes when the class is made.
        get_static(st, cls, ref.name)
    if name.startswith("__") and name.endswith("__") and (hasattr(object, name) or name in _EVERYWHERE):
        raise Unsupported(f"the attribute {name} of an object")
    getter = program.find_method(cls, "__getattr__")
    if getter is not None:
        raise Invoke(getter, [ref, name])
    if program.find_method(cls, "__init_subclass__") is not None:
        raise Unsupported(f"the attribute {name}, which __init_subclass__ of {short(cls)} or a base may set")
    foreign = foreign_base(program, cls)
    if foreign is not None:
        raise Unsupported(f"the attribute {name} of an object whose class extends {foreign}, which may have it")
    modelled = next((b for b in program.mro(cls) if b in program.classes and program.classes[b].model), "")
    if modelled and has_attribute(modelled_class(modelled), name):
        raise Unsupported(f"the attribute {name} of a {short(modelled)}, which its model does not have")
    raise Fault(program.profile.attribute_error, f"{short(cls)!r} object has no attribute {name!r}")


def _bound_static(st: State, ref: Ref, name: str) -> Value:
    """A class attribute read through an object; a function becomes a method of it."""
    value = get_static(st, type_name(st, ref), name)
    function = isinstance(value, FunctionRef) or (isinstance(value, Ref) and is_nested_function(value.cls))
    return BoundMethod(ref, name) if function else value


def _narrow_to_field(st: State, ref: Ref, name: str):  # type: ignore[no-untyped-def]
    """An input of open class may be of a subclass that declares the field."""
    program = program_of(st)
    classes = possible_classes(st.heap, ref)
    having = [c for c in classes if program.find_field(c, name) is not None]
    if having and len(having) < len(classes):
        lacking = next(c for c in classes if c not in having)
        raise Fork((Restrict(ref, ClassBound(having[0], exact=True)), Restrict(ref, ClassBound(lacking, exact=True))))
    return program.find_field(having[0], name) if having else None


def _class_attribute(st: State, cls: ClassRef, name: str) -> Value:
    program = program_of(st)
    if name in ("__name__", "__qualname__"):
        return short(cls.name)
    if name == "__new__" and program.find_method(cls.name, name) is None:
        return NativeRef("object.__new__")
    method = program.find_method(cls.name, name)
    if method is not None and method.kind == "property":
        return _property_of_class(st, cls, method)
    if method is not None:
        return BoundMethod(cls, name) if method.kind == "class" else FunctionRef(method.cls, method.name)
    if program.find_static(cls.name, name) is not None or assigned_static(st, cls.name, name) is not UNBOUND:
        return get_static(st, cls.name, name)
    nested = _nested_class(program, cls.name, name)
    if nested is not None:
        return nested
    if hasattr(type, name) or name in _EVERYWHERE:
        raise Unsupported(f"the attribute {name} of a class")
    outside = foreign_base(program, cls.name)
    if outside is not None:
        raise Unsupported(f"the attribute {name} of class {short(cls.name)}, which {outside} may define")
    raise Fault(program.profile.attribute_error, f"type object {short(cls.name)!r} has no attribute {name!r}")


def _property_of_class(st: State, cls: ClassRef, method: Method) -> Value:
    """What reading a property through its class gives: an object with `__get__` is asked."""
    program = program_of(st)
    made = decorated(method.name)
    if made in program.classes[method.cls].statics:
        descriptor = get_static(st, method.cls, made)
        getter = user_method(st, descriptor, "__get__")
        if getter is not None:
            raise Invoke(getter, [descriptor, None, cls])
    raise Unsupported(f"the property {method.name} of the class {short(cls.name)} itself")


def _nested_class(program: Program, cls: str, name: str) -> ClassRef | None:
    """A class that the body of a class or of one of its bases defines."""
    found = (f"{base}.{name}" for base in program.mro(cls))
    return next((ClassRef(nested) for nested in found if nested in program.classes), None)


_EVERYWHERE = frozenset("__annotations__ __dict__ __doc__ __module__ __slots__ __weakref__".split())
"""Attributes that classes and objects have without anybody writing them."""


def need_unfrozen(st: State, ref: Value, name: str) -> None:
    """Fail for what only sets that may change have, when the set is a frozenset."""
    if st.heap.cells[ref].frozen and not hasattr(frozenset, name):
        raise Fault(program_of(st).profile.attribute_error, f"'frozenset' object has no attribute {name!r}")


def _has_builtin(program: Program, kind: str, name: str) -> bool:
    real = _REAL.get(kind)
    return has_attribute(real, name) or f"{kind}.{name}" in NATIVES


def has_attribute(cls: type | None, name: str) -> bool:
    """Whether objects of a builtin class have the attribute; classes themselves have more."""
    return cls is not None and any(name in vars(base) for base in cls.__mro__)


_REAL: dict[str, type] = {
    real.__name__: real for real in (list, dict, set, str, tuple, int, bool, float, bytes, range, slice)
}
_WHOLE = frozenset("real imag numerator denominator".split())
_PARTS_OF_NUMBERS = {"int": _WHOLE, "bool": _WHOLE, "float": frozenset("real imag".split())}


def _part_of_number(value: Value, name: str) -> Value:
    """The attributes of numbers that are no methods."""
    if name == "imag":
        return 0.0 if is_float(value) else 0
    if name == "denominator":
        return 1
    return as_int(value)


def set_field(st: State, value: Value, name: str, content: Value) -> None:
    """`value.name = content` beyond the plain case."""
    if (value.__class__ is Unknown or value.__class__ is OneOf) and st.heap.is_null(value):
        value = None
    if value.__class__ is OneOf:
        plain = not any(_assigned_by_code(st, cls, name) for cls in st.heap.classes_of_choice(value))
        if plain and st.heap.set_field_of_choice(value, name, content):
            return
    value = resolve(st, value)
    program = program_of(st)
    if isinstance(value, ClassRef):
        set_static(st, value.name, name, content)
        return
    if isinstance(value, FunctionRef) and name == "__name__":
        callables.rename(st, value, content)
        return
    if isinstance(value, (FunctionRef, BoundMethod, NativeRef)):
        raise Unsupported(f"assigning the attribute {name} of a function")
    if not isinstance(value, Ref) or type(st.heap.cells[value]) is not dict:
        raise Fault(program.profile.attribute_error, f"{type_name(st, value)!r} object has no attribute {name!r}")
    cls = type_name(st, value)
    for base in program.mro(cls):
        owner = program.classes.get(base)
        setter = owner.setters.get(name) if owner is not None else None
        # Objects of a class without slots can have any attribute, whatever its bases say.
        if owner is not None and setter is not None and (base == cls or not is_refusing_setter(setter)):
            raise Invoke(owner.methods[owner.setters[name]], [value, content])
    method = program.find_method(cls, name)
    if method is not None and method.kind == "property":
        raise Fault(program.profile.attribute_error, f"property {name!r} of {short(cls)!r} object has no setter")
    custom = program.find_method(cls, "__setattr__")
    if custom is not None:
        raise Invoke(custom, [value, name, content])
    st.heap.set_field(value, name, content)


def _assigned_by_code(st: State, cls: str, name: str) -> bool:
    program = program_of(st)
    if program.find_method(cls, name) is not None or program.find_method(cls, "__setattr__") is not None:
        return True
    owners = [program.classes[base] for base in program.mro(cls) if base in program.classes]
    return any(name in owner.setters for owner in owners)


def del_field(st: State, value: Value, name: str) -> None:
    """`del value.name`"""
    value = resolve(st, value)
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        own = virtual_target(st, value, deleter(name))
        if own is not None:
            raise Invoke(own, [value])
        custom = virtual_target(st, value, "__delattr__")
        if custom is not None:
            raise Invoke(custom, [value, name])
        if name not in st.heap.cells[value]:
            get_field(st, value, name)
        st.heap.delete_field(value, name)
        return
    raise Fault(program_of(st).profile.attribute_error, f"{type_name(st, value)!r} object has no attribute {name!r}")


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


def is_iterator(st: State, value: Value) -> bool:
    """Whether the value is one of the engine's own iterators."""
    return isinstance(value, Ref) and isinstance(st.heap.cells[value], IteratorCell)


def is_mapping(st: State, value: Value) -> bool:
    """Whether the value is a dict or set of the engine."""
    return isinstance(value, Ref) and isinstance(st.heap.cells[value], DictCell)


def need_makeable(st: State, cls: str) -> None:
    """Objects can be made of a class that is not abstract and whose bases are all understood."""
    program = program_of(st)
    order = program.mro(cls)
    if "BaseException" not in order:
        for base in order:
            if base != "object" and base in program.classes and program.classes[base].external:
                raise Unsupported(f"making an object of class {short(cls)}, which extends {base}")
    if program.find_method(cls, "<abstract>") is not None:
        raise Fault(program.profile.type_error, f"Can't instantiate abstract class {short(cls)}")


def tuple_maker(program: Program, cls: str) -> Method | None:
    """What sets the fields of a named tuple, for which a real one has a `__new__`."""
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
