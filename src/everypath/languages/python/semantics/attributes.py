"""Attributes, classes and dispatch: what `x.name` and `x.name(...)` mean for every kind of value."""

from __future__ import annotations

import builtins
from collections.abc import Callable

from everypath.errors import Unsupported
from everypath.explore.objects import (
    assigned_static,
    class_for,
    program_of,
    resolve,
    set_static,
    short,
    virtual_target,
)
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.equality import as_int, is_float
from everypath.heap.values import (
    UNBOUND,
    BoundMethod,
    InputFunction,
    OneOf,
    RangeValue,
    Ref,
    SliceValue,
    Unknown,
    Unread,
    Value,
)
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef, NewObject
from everypath.ir.names import CELL, decorated, deleter, interface_of, is_nested_function, is_refusing_setter
from everypath.ir.program import Method, Program
from everypath.languages.python.natives.library import ask_kept, attribute_of, read_attribute
from everypath.languages.python.semantics import callables
from everypath.languages.python.semantics.definitions import definition, nested_class
from everypath.languages.python.semantics.exception_attributes import exception_attribute
from everypath.languages.python.semantics.host_objects import (
    Kept,
    is_foreign,
    is_record,
    library_attribute,
    modelled_class,
    record_attribute,
)
from everypath.languages.python.semantics.kinds import (
    get_static,
    has_attribute,
    hidden_by_static,
    reference,
    type_name,
    user_method,
)
from everypath.languages.python.semantics.moments import Moment
from everypath.languages.python.semantics.moments import attribute as moment_attribute
from everypath.languages.python.semantics.presence import sets_computed_names
from everypath.languages.python.semantics.refusals import foreign_base
from everypath.languages.python.semantics.registry import DECLINED, NATIVES, native


def get_field(st: State, value: Value, name: str) -> Value:
    """`value.name` beyond the case of a located object whose field is known."""
    heap = st.heap
    if type(value) is Unknown or type(value) is OneOf:
        if heap.is_null(value):
            value = None
        elif type(value) is OneOf:
            found = heap.field_of_choice(value, name)
            if found is not UNBOUND:
                return found
        value = resolve(st, value)
    if type(value) is Ref and type(heap.cells[value]) is dict:
        return _field(st, value, name)
    reader = _READERS.get(value.__class__)
    found = reader(st, value, name) if reader is not None else UNBOUND
    if found is UNBOUND and is_record(value) and hasattr(value, name) and not hasattr(tuple, name):
        return record_attribute(value, name)
    if found is UNBOUND and type(value) is Moment:
        found = moment_attribute(value, name)
        return read_attribute(st, value, name) if found is UNBOUND else found
    if found is UNBOUND and is_foreign(value):
        return attribute_of(st, value, name)
    return _builtin_attribute(st, value, name) if found is UNBOUND else found


def _field(st: State, ref: Ref, name: str) -> Value:
    """An attribute of an object of the program: its own, one that an input has from the start, or its class's."""
    heap = st.heap
    cell = heap.cells[ref]
    if isinstance(cell, dict) and name in cell:
        found = _present(st, ref, name)
        if found is not UNBOUND:
            return found
    elif ref.input and name not in heap.first_fields(ref):
        bound = heap.class_bound(ref)
        plain = heap.inputs.hierarchy.plain_field(bound.bound, name) if bound.exact else None
        if plain is not None:
            return heap.input_field(ref, name, plain)
    return _object_attribute(st, ref, name)


def _part(st: State, value: RangeValue | SliceValue, name: str) -> Value:
    return getattr(value, name) if name in ("start", "stop", "step") else UNBOUND


def _of_unread(st: State, value: Unread, name: str) -> Value:
    return BoundMethod(value, name) if f"{value.cls}.{value.name}.{name}" in NATIVES else UNBOUND


def _of_input_function(st: State, value: InputFunction, name: str) -> Value:
    return callables.input_attribute(st, value, name)


def _of_native(st: State, value: NativeRef, name: str) -> Value:
    return short(value.name) if name in ("__name__", "__qualname__") else UNBOUND


def _of_function(st: State, value: FunctionRef, name: str) -> Value:
    return callables.attribute(st, value, name) if name in callables.ATTRIBUTES else UNBOUND


def _of_method(st: State, value: BoundMethod, name: str) -> Value:
    return {"__name__": value.name, "__self__": value.receiver}.get(name, UNBOUND)


def _builtin_attribute(st: State, value: Value, name: str) -> Value:
    """An attribute that every value of a builtin class has."""
    kind = type_name(st, value)
    if kind == "set":
        need_unfrozen(st, reference(value), name)
    if name == "__class__":
        return NativeRef(kind)
    if name in _PARTS_OF_NUMBERS.get(kind, ()):
        return _part_of_number(value, name)
    if isinstance(value, NativeRef):
        return library_attribute(value.name, name)
    if _has_builtin(kind, name):
        found = getattr(_REAL.get(kind), name, None)
        return found if isinstance(found, str) or (found is None and kind in _REAL) else BoundMethod(value, name)
    if isinstance(value, (FunctionRef, BoundMethod)):
        raise Unsupported(f"the attribute {name} of a function or class of the library")
    real = type(None) if value is None else getattr(builtins, kind, None)
    if has_attribute(real if isinstance(real, type) else None, name):
        raise Unsupported(f"the attribute {name} of a {kind}")
    raise Fault("AttributeError", f"{kind!r} object has no attribute {name!r}")


def _present(st: State, ref: Ref, name: str) -> Value:
    """The attribute of the object itself; whether it has one is decided where that depends on aliasing."""
    found = st.heap.get(ref, name)
    if type(found) is OneOf and UNBOUND in found.values():
        found = st.heap.resolve(found)
    return found


def _object_attribute(st: State, ref: Ref, name: str) -> Value:
    """An attribute that the object itself is not known to have: Python looks in its class, then asks `__getattr__`."""
    program = program_of(st)
    cls = class_for(st, ref, lambda cls: definition(st, cls, name))
    method = program.find_method(cls, name)
    if method is not None and hidden_by_static(program, cls, method, name):
        return _bound_static(st, ref, cls, name)
    if method is not None and method.kind == "property":
        raise Invoke(method, [ref])
    if ref.input:
        found = _input_attribute(st, ref, cls, name, method)
        if found is not UNBOUND:
            return found
    if method is not None:
        return FunctionRef(method.cls, method.name) if method.kind == "static" else BoundMethod(ref, name)
    for look in _LOOKS:
        found = look(st, ref, cls, name)
        if found is not UNBOUND:
            return found
    _refuse_unknown(program, cls, name)
    if ref.input and sets_computed_names(program, cls):
        raise Unsupported(f"the attribute {name} of a {short(cls)}, whose constructor may set it under a computed name")
    raise Fault("AttributeError", f"{short(cls)!r} object has no attribute {name!r}")


def _input_attribute(st: State, ref: Ref, cls: str, name: str, method: Method | None) -> Value:
    """What an object of the input has from the start, or was assigned through another reference."""
    field = program_of(st).find_field(cls, name)
    if field is None:
        # No class declares it, but it may have been assigned through another reference.
        return _present(st, ref, name)
    if method is not None:
        return UNBOUND
    if name in st.heap.first_fields(ref):
        raise Fault("AttributeError", f"{short(cls)!r} object has no attribute {name!r}")
    return st.heap.input_field(ref, name, field.type)


def _class_variable(st: State, ref: Ref, cls: str, name: str) -> Value:
    if program_of(st).find_static(cls, name) is not None or assigned_static(st, cls, name) is not UNBOUND:
        return _bound_static(st, ref, cls, name)
    nested = nested_class(program_of(st), cls, name)
    if nested is not None:
        return nested
    return ClassRef(cls) if name == "__class__" else UNBOUND


def _own_dict(st: State, ref: Ref, cls: str, name: str) -> Value:
    if name == "__dict__":
        raise Unsupported("reading __dict__ of an object")
    return UNBOUND


def _of_callable(st: State, ref: Ref, cls: str, name: str) -> Value:
    """The name and the like of a closure, or of an object of a model that can be called."""
    if short(cls) == CELL:
        raise _unbound(st, ref)
    program = program_of(st)
    if name in callables.ATTRIBUTES and program.find_method(cls, "__call__") is not None:
        if is_nested_function(cls):
            return callables.attribute(st, ref, name)
        if cls in program.classes and program.classes[cls].model:
            raise Unsupported(f"the attribute {name} of a {short(cls)}")
    return UNBOUND


def _unbound(st: State, cell: Ref) -> Fault:
    """The error of reading a variable that is in a cell and has no value: of this function, or of one around it."""
    assert st.frame is not None
    method = st.frame.code.method
    registers = [number for number, value in enumerate(st.regs) if value is cell]
    named = next((method.register_names[number] for number in registers if number in method.register_names), "")
    made = (i for block in method.blocks.values() for i in block.instructions if isinstance(i, NewObject))
    if any(instruction.dst in registers for instruction in made):
        return Fault(
            "UnboundLocalError", f"cannot access local variable {named!r} where it is not associated with a value"
        )
    return _without_value(named)


def _without_value(name: str) -> Fault:
    place = "where it is not associated with a value in enclosing scope"
    return Fault("NameError", f"cannot access free variable {name!r} {place}")


@native("free_variable")
def free_variable(st: State, cell: Ref, name: str) -> Value:
    """A variable of the function around a comprehension, read in the function that the comprehension is."""
    contents = st.heap.fields(cell).values()  # of its only field
    if not contents:
        raise _without_value(name)
    return next(iter(contents))


def _of_exception(st: State, ref: Ref, cls: str, name: str) -> Value:
    if "BaseException" not in program_of(st).mro(cls):
        return UNBOUND
    found = exception_attribute(st, ref, name)
    return UNBOUND if found is DECLINED else found


def _of_member(st: State, ref: Ref, cls: str, name: str) -> Value:
    """Make the enumeration before its members are looked at, because they get their attributes then."""
    if ref.name in st.heap.inputs.enumerations.get(cls, ()) and (cls, ref.name) not in st.statics:
        get_static(st, cls, ref.name)
    return UNBOUND


def _of_getattr(st: State, ref: Ref, cls: str, name: str) -> Value:
    if name.startswith("__") and name.endswith("__") and (hasattr(object, name) or name in _EVERYWHERE):
        raise Unsupported(f"the attribute {name} of an object")
    getter = program_of(st).find_method(cls, "__getattr__")
    if getter is not None:
        raise Invoke(getter, [ref, name])
    return UNBOUND


def _refuse_unknown(program: Program, cls: str, name: str) -> None:
    """Refuse to call an attribute missing where something that is not known may define it."""
    if program.find_method(cls, "__init_subclass__") is not None:
        raise Unsupported(f"the attribute {name}, which __init_subclass__ of {short(cls)} or a base may set")
    foreign = foreign_base(program, cls)
    if foreign is not None:
        raise Unsupported(f"the attribute {name} of an object whose class extends {foreign}, which may have it")
    modelled = next((b for b in program.mro(cls) if b in program.classes and program.classes[b].model), "")
    if modelled and has_attribute(modelled_class(modelled), name):
        raise Unsupported(f"the attribute {name} of a {short(modelled)}, which its model does not have")


def _bound_static(st: State, ref: Ref, cls: str, name: str) -> Value:
    """A class attribute read through an object; a function becomes a method of it."""
    value = get_static(st, cls, name)
    function = isinstance(value, FunctionRef) or (isinstance(value, Ref) and is_nested_function(value.cls))
    return BoundMethod(ref, name) if function else value


def _class_attribute(st: State, cls: ClassRef, name: str) -> Value:
    program = program_of(st)
    if name in ("__name__", "__qualname__"):
        if interface_of(cls.name) is not None:
            raise Unsupported("the name of the class of an object that stands for any implementation")
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
    nested = nested_class(program, cls.name, name)
    if nested is not None:
        return nested
    if hasattr(type, name) or name in _EVERYWHERE:
        raise Unsupported(f"the attribute {name} of a class")
    outside = foreign_base(program, cls.name)
    if outside is not None:
        raise Unsupported(f"the attribute {name} of class {short(cls.name)}, which {outside} may define")
    raise Fault("AttributeError", f"type object {short(cls.name)!r} has no attribute {name!r}")


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


_EVERYWHERE = frozenset("__annotations__ __dict__ __doc__ __module__ __slots__ __weakref__".split())
"""Attributes that classes and objects have without anybody writing them."""


def need_unfrozen(st: State, ref: Ref, name: str) -> None:
    """Raise the AttributeError of a frozenset for a method that only a mutable set has."""
    if st.heap.mapping(ref).frozen and not hasattr(frozenset, name):
        raise Fault("AttributeError", f"'frozenset' object has no attribute {name!r}")


def _has_builtin(kind: str, name: str) -> bool:
    real = _REAL.get(kind)
    return has_attribute(real, name) or f"{kind}.{name}" in NATIVES


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
    if (type(value) is Unknown or type(value) is OneOf) and st.heap.is_null(value):
        value = None
    if type(value) is OneOf:
        plain = not any(_assigned_by_code(st, cls, name) for cls in st.heap.classes_of_choice(value))
        if plain and st.heap.set_field_of_choice(value, name, content):
            return
    value = resolve(st, value)
    if isinstance(value, Ref) and type(st.heap.cells[value]) is dict:
        _set_by_code(st, value, name, content)
        st.heap.set_field(value, name, content)
    elif isinstance(value, ClassRef):
        set_static(st, value.name, name, content)
    elif isinstance(value, FunctionRef) and name == "__name__":
        callables.rename(st, value, content)
    elif isinstance(value, (FunctionRef, BoundMethod, NativeRef)):
        raise Unsupported(f"assigning the attribute {name} of a function")
    elif isinstance(value, Kept):
        ask_kept(st, "setattr", value, name, content)
    else:
        raise Fault("AttributeError", f"{type_name(st, value)!r} object has no attribute {name!r}")


def _set_by_code(st: State, ref: Ref, name: str, content: Value) -> None:
    """Call a `__setattr__`, or else the setter of a property, where the object's class has one."""
    custom = virtual_target(st, ref, "__setattr__")
    if custom is not None and interface_of(type_name(st, ref)) is None:
        raise Invoke(custom, [ref, name, content])
    _set_by_setter(st, ref, name, content, generated=True)


def set_by_property(st: State, ref: Ref, name: str, content: Value) -> None:
    """What `object.__setattr__` does: it lets a property of the program act, but knows of no class that is frozen."""
    _set_by_setter(st, ref, name, content, generated=False)


def _set_by_setter(st: State, ref: Ref, name: str, content: Value, *, generated: bool) -> None:
    # Of an object of the input only some class is known, so the classes below it are told apart by what they do.
    program = program_of(st)
    cls = class_for(st, ref, lambda cls: _setting(program, cls, name))
    setter, refuses = _setting(program, cls, name)
    if setter is not None:
        method = program.classes[setter].methods[program.classes[setter].setters[name]]
        if generated or not method.model:
            raise Invoke(method, [ref, content])
    elif refuses:
        raise Fault("AttributeError", f"property {name!r} of {short(cls)!r} object has no setter")


def _setting(program: Program, cls: str, name: str) -> tuple[str | None, bool]:
    """What assigning the attribute does: the class whose setter is called, and whether a property refuses it."""
    if interface_of(cls) is not None:
        return None, False  # the mock that stands in for it keeps what it is given, whatever the interface declares
    for base in program.mro(cls):
        owner = program.classes.get(base)
        setter = owner.setters.get(name) if owner is not None else None
        # Objects of a class without slots can have any attribute, whatever its bases say.
        if setter is not None and (base == cls or not is_refusing_setter(setter)):
            return base, False
    return None, getattr(program.find_method(cls, name), "kind", "") == "property"


def _assigned_by_code(st: State, cls: str, name: str) -> bool:
    program = program_of(st)
    if program.find_method(cls, name) is not None or program.find_method(cls, "__setattr__") is not None:
        return True
    owners = [program.classes[base] for base in program.mro(cls) if base in program.classes]
    return any(name in owner.setters for owner in owners)


def del_field(st: State, value: Value, name: str) -> None:
    """`del value.name`"""
    value = resolve(st, value)
    if not isinstance(value, Ref) or type(st.heap.cells[value]) is not dict:
        raise Fault("AttributeError", f"{type_name(st, value)!r} object has no attribute {name!r}")
    custom = virtual_target(st, value, "__delattr__")
    if custom is not None:
        raise Invoke(custom, [value, name])
    delete_attribute(st, value, name)


def delete_attribute(st: State, ref: Ref, name: str) -> None:
    """What `object.__delattr__` does: the deleter of a property is called, any other attribute is the object's own."""
    own = virtual_target(st, ref, deleter(name))
    if own is not None:
        raise Invoke(own, [ref])
    if name not in st.heap.fields(ref):
        method = virtual_target(st, ref, name)
        if method is not None and method.kind == "property":
            raise Fault("AttributeError", f"property {name!r} of {type_name(st, ref)!r} object has no deleter")
        # An input may have it from the start; if nobody has it, this is the error.
        get_field(st, ref, name)
    elif ref.input and name not in st.heap.first_fields(ref):
        # It was assigned before anything read it: without a value from the start it would look untouched again.
        if (field := program_of(st).find_field(type_name(st, ref), name)) is not None:
            st.heap.first_value(ref, name, field.type)
    st.heap.delete_field(ref, name)


_READERS: dict[type, Callable[..., Value]] = {
    ClassRef: _class_attribute,
    SliceValue: _part,
    RangeValue: _part,
    Unread: _of_unread,
    InputFunction: _of_input_function,
    NativeRef: _of_native,
    FunctionRef: _of_function,
    BoundMethod: _of_method,
}
"""kind of value -> what reads the attributes that only values of this kind have; UNBOUND for the others"""
_LOOKS: tuple[Callable[[State, Ref, str, str], Value], ...] = (
    _class_variable,
    _own_dict,
    _of_callable,
    _of_exception,
    _of_member,
    _of_getattr,
)
"""Where an attribute of an object is looked for when no field or method has its name, in this order."""
