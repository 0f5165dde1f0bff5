"""Exception objects: what the interpreter itself puts into them, and how they read as text."""

from __future__ import annotations

from types import FunctionType

from everypath.errors import Unsupported
from everypath.explore.objects import program_of, resolve
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.values import Ref, Value
from everypath.ir.instructions import ClassRef
from everypath.languages.python.natives.concrete import lift
from everypath.languages.python.natives.table import as_fault, exception_fields, plain_arguments
from everypath.languages.python.semantics.externals import real_exception
from everypath.languages.python.semantics.kinds import reference, type_name
from everypath.languages.python.semantics.registry import native

ASSERT = "$assert"
"""the hidden field of an exception made by an assert statement"""


def new_exception(st: State, cls: str, args: tuple[Value, ...]) -> Ref:
    """An exception object of the class, not raised yet."""
    return st.heap.new_object(cls, {"args": tuple(args)})


def is_exception(st: State, value: Value) -> bool:
    """Whether a resolved value is an exception object."""
    return (
        isinstance(value, Ref)
        and type(st.heap.cells[value]) is dict
        and "BaseException" in program_of(st).mro(type_name(st, value))
    )


@native("new_exception")
def construct_exception(st: State, cls: Value, *args: Value, **keywords: Value) -> Value:
    """`Cls(*args)` for an exception class of the language."""
    cls = resolve(st, cls)
    assert isinstance(cls, ClassRef)
    if keywords and _made_by_code(st, cls.name) is None:
        raise Fault("TypeError", f"{cls.name}() takes no keyword arguments")
    ref = new_exception(st, cls.name, args)
    _made_by_library(st, ref, args, keywords)
    return ref


def _made_by_code(st: State, cls: str) -> type[BaseException] | None:
    """The library class behind an exception class, if its constructor does more than keep the arguments."""
    real = real_exception(program_of(st), cls)
    return real if real is not None and isinstance(real.__init__, FunctionType) else None


def _made_by_library(st: State, ref: Ref, args: tuple[Value, ...], keywords: dict[str, Value]) -> bool:
    """Do what the constructor of a library exception does, if the class has one of its own."""
    real = _made_by_code(st, type_name(st, ref))
    if real is None:
        return False
    plain, named = plain_arguments(st, real.__name__, args, keywords)
    try:
        made = real(*plain, **named)
    except Exception as error:
        raise as_fault(st, f"{real.__name__}()", error) from None
    st.heap.set_field(ref, "args", tuple(lift(st, value) for value in made.args))
    for name, value in exception_fields(st, made).items():
        st.heap.set_field(ref, name, value)
    return True


@native("assertion_error")
def assertion_error(st: State, *message: Value) -> Value:
    """The exception that a failed assert statement raises."""
    ref = new_exception(st, "AssertionError", message)
    st.heap.set_field(ref, ASSERT, True)
    return ref


@native("init_exception")
def init_exception(st: State, obj: Value, *args: Value, **keywords: Value) -> Value:
    """What `BaseException` does with the arguments of a constructor."""
    obj = reference(resolve(st, obj))
    if _made_by_library(st, obj, args, keywords):
        return None
    if keywords:
        raise Fault("TypeError", f"{type_name(st, obj).rsplit('.', 1)[-1]}() takes no keyword arguments")
    st.heap.set_field(obj, "args", tuple(args))
    return None


@native("unsupported")
def unsupported(st: State, message: str) -> Value:
    """A construct that the front end could not translate."""
    raise Unsupported(message)
