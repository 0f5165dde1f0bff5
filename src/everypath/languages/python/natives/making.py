"""What `object` does when an object is made or an attribute deleted, and the attributes of exceptions."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.objects import program_of, resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.equality import as_text
from everypath.heap.values import Value
from everypath.ir.instructions import ClassRef
from everypath.languages.python.natives.exceptions import is_exception
from everypath.languages.python.natives.text import represent
from everypath.languages.python.semantics.attributes import delete_attribute
from everypath.languages.python.semantics.exception_attributes import CAUSE
from everypath.languages.python.semantics.kinds import need_makeable, reference, tuple_maker, type_name
from everypath.languages.python.semantics.registry import native
from everypath.logic import terms


@native("object.__new__")
def object_new(st: State, cls: Value, *args: Value, **keywords: Value) -> Value:
    """An object of the class, its constructor not run."""
    cls = resolve(st, cls)
    if not isinstance(cls, ClassRef):
        raise Unsupported("object.__new__() of a class outside the program")
    need_makeable(st, cls.name)
    if "BaseException" in program_of(st).mro(cls.name):
        return st.heap.new_object(cls.name, {"args": args})
    ref = st.heap.new_object(cls.name)
    maker = tuple_maker(program_of(st), cls.name)
    if maker is not None:
        raise Invoke(maker, [ref, *args], lambda _, __: ref, keywords)
    return ref


@native("define_class")
def define_class(st: State, cls: ClassRef) -> Value:
    """A class statement in a function whose class uses variables of that function; it may run once per path."""
    key = (cls.name, "<defined>")
    if key in st.statics:
        raise Unsupported(f"class {short(cls.name)} of a function, made several times")
    st.statics = {**st.statics, key: True}
    return None


@native("shown_before")
def shown_before(st: State, value: Value, rest: str) -> Value:
    """The text of an error about a value; where it cannot be computed, something that no program can look at."""
    try:
        return terms.concat(as_text(represent(st, value)), rest)
    except Unsupported:
        return st.heap.new_object("<text>")


@native("need_same_class")
def need_same_class(st: State, result: Value, cls: ClassRef) -> Value:
    """A class decorator must give back the class; another object in its place is not followed."""
    if resolve(st, result) != cls:
        raise Unsupported(f"a decorator that replaces class {short(cls.name)}")
    return None


@native("no_slot")
def no_slot(st: State, obj: Value, name: str) -> Value:
    """An assignment of an attribute for which the class has no slot."""
    kind = short(type_name(st, resolve(st, obj)))
    raise Fault("AttributeError", f"{kind!r} object has no attribute {name!r}")


@native("object.__delattr__")
def object_delattr(st: State, obj: Value, name: str) -> Value:
    """The deletion behind a user-defined one."""
    delete_attribute(st, reference(resolve(st, obj)), name)
    return None


@native("abstract_class")
def abstract_class(st: State, name: str) -> Value:
    """Making an object of an abstract class."""
    raise Fault("TypeError", f"Can't instantiate abstract class {name} with abstract methods")


@native("set_cause")
def set_cause(st: State, exception: Value, cause: Value) -> Value:
    """`raise exception from cause`"""
    exception = resolve(st, exception)
    if is_exception(st, exception):
        st.heap.set_field(reference(exception), CAUSE, cause)
    return None
