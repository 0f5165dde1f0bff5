"""Objects, arrays and static fields as on the JVM.

A class is initialised when it is first used: its static fields get zeros, then the code of its initialiser runs, after
those of its superclasses. That is no part of the path. The constants of an enum are the same objects on all paths,
which its initialiser fills in.
"""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore import arrays, objects
from everypath.explore.arithmetic import is_integer
from everypath.explore.concretise import small_value
from everypath.explore.objects import class_for, class_of, located, program_of, resolve
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Interrupted, Post, State
from everypath.heap import sequences
from everypath.heap.choice import decide
from everypath.heap.equality import is_text
from everypath.heap.values import UNBOUND, Fields, InitialList, ListCell, OpenList, Ref, Value
from everypath.ir.instructions import ClassRef
from everypath.ir.types import ArrayType, ClassType, Type
from everypath.languages.java.frontend.initialisers import FAILED
from everypath.languages.java.frontend.invocations import INITIALISED
from everypath.languages.java.frontend.profile import PROFILE
from everypath.languages.java.frontend.program import JavaProgram
from everypath.languages.java.frontend.types import descriptor_of, zero
from everypath.languages.java.semantics.integers import truth_of
from everypath.logic import terms
from everypath.logic.terms import Term

INITIALISER = "<clinit>()V"
BROKEN = "$broken"
"""the static of a class whose initialiser has failed"""
FAILURE, UNUSABLE = "java.lang.ExceptionInInitializerError", "java.lang.NoClassDefFoundError"
"""what the JVM throws where an initialiser fails, and for each later use of its class"""
SYSTEM, PRINTED = "java.lang.System", "java.io.PrintStream"
"""the class with the standard streams, and theirs; what is printed is not looked at"""
STRING = "java.lang.String"
_OF_STRING = frozenset(
    (STRING, "java.lang.Object", "java.lang.CharSequence", "java.lang.Comparable", "java.io.Serializable")
)
_OF_ARRAYS = frozenset(("java.lang.Object", "java.lang.Cloneable", "java.io.Serializable"))


def java_program(st: State) -> JavaProgram:
    """The program under test."""
    program = program_of(st)
    assert isinstance(program, JavaProgram)
    return program


# Classes.


def initialise(st: State, cls: str) -> None:
    """Initialise a class and those above it, unless that was done or is under way on this path."""
    program = java_program(st)
    chain: list[str] = []
    current: str | None = cls
    if (cls, BROKEN) in st.statics:
        raise Fault(UNUSABLE, f"Could not initialize class {cls}")
    while current is not None and (current, INITIALISED) not in st.statics:
        chain.append(current)
        found = program.find_java(current)
        current = found.super if found is not None else None
    for name in reversed(chain):
        found = program.find_java(name)
        if found is None:
            continue
        statics: dict[tuple[str, str], Value] = {
            (name, each.name): each.constant if each.constant is not None else zero(each.descriptor)
            for each in found.fields.values()
            if each.static
        }
        if name == SYSTEM:
            statics |= {(name, each): st.heap.new_object(PRINTED) for each in ("out", "err")}
        st.statics = {**st.statics, **statics, (name, INITIALISED): True}
        if INITIALISER in found.methods and name != SYSTEM:
            raise Invoke(program.classes[name].methods[INITIALISER], [], _without_trace(st), again=True)


def initialiser_failed(st: State, thrown: Value, cls: Value) -> Value:
    """The error that the JVM throws in place of what an initialiser has thrown; the class is of no use from then on."""
    program = java_program(st)
    assert isinstance(thrown, Ref) and isinstance(cls, str)
    found = program.find_java(cls)
    if found is None or program.is_model(found):
        raise Unsupported(f"the initialiser of {cls}, which the JVM runs in other circumstances")
    _drop_trace(st, cls)
    statics = {key: value for key, value in st.statics.items() if key[0] != cls}
    st.statics = {**statics, (cls, BROKEN): True}
    if program.is_subclass(thrown.cls, "java.lang.Error"):
        return thrown
    blank = program.find_java(FAILURE)
    fields: dict[str, Value] = {each: None for each in blank.all_fields} if blank is not None else {}
    return st.heap.new_object(FAILURE, fields)


def _drop_trace(st: State, cls: str) -> None:
    """What an initialiser has executed is no part of the path, however it ends."""
    left = st.trace
    while left is not None:
        mark, left = left
        if isinstance(mark, Interrupted):
            mark = mark.mark
        if mark.method.cls == cls and mark.method.name == INITIALISER:
            st.trace = left


def _without_trace(st: State) -> Post:
    """The JVM runs this code when it loads the class, so it is no part of the path."""
    trace = st.trace

    def keep(state: State, value: Value) -> Value:
        state.trace = trace
        return value

    return keep


def get_static(st: State, cls: str, name: str) -> Value:
    """A static field; its class is initialised first."""
    found = st.statics.get((cls, name), UNBOUND)
    if found is UNBOUND:
        initialise(st, cls)
        found = st.statics.get((cls, name), UNBOUND)
        if found is UNBOUND:
            raise Unsupported(f"the static field {cls}.{name}, which is not part of the program")
    return found


def set_static(st: State, cls: str, name: str, value: Value) -> None:
    """Assign a static field."""
    initialise(st, cls)
    st.statics = {**st.statics, (cls, name): value}


NATIVES = {FAILED: initialiser_failed}


class Objects:
    """Makes objects; what their fields hold at first is worked out once for each class."""

    def __init__(self, program: JavaProgram) -> None:
        self.program = program
        self._blank: dict[str, Fields] = {}

    def blank(self, cls: str) -> Fields:
        """The fields of a new object before its constructor runs."""
        known = self._blank.get(cls)
        if known is None:
            found = self.program.find_java(cls)
            fields = found.all_fields if found is not None else {}
            known = self._blank[cls] = {name: zero(field.descriptor) for name, field in fields.items()}
        return known

    def new_object(self, st: State, cls: str) -> Ref:
        """A new object with zeros in its fields."""
        member = self._member(st, cls)
        if member is not None:
            return member
        return st.heap.new_object(cls, dict(self.blank(cls)))

    def _member(self, st: State, cls: str) -> Ref | None:
        """The constant of an enum that its initialiser makes next."""
        known = self.program.find_java(cls)
        if known is None or known.kind != "enum":
            return None
        enum = known.super if known.enum_constant_body else cls
        members = st.heap.inputs.enumerations.get(enum or "", {})
        for ref in members.values():
            if not st.heap.cells.get(ref):
                st.heap.cells[ref] = dict(self.blank(cls))
                if cls != enum:
                    st.statics = {**st.statics, (ref.cls, f"$class of {ref.name}"): cls}
                return ref
        return None


def get_field(st: State, value: Value, name: str) -> Value:
    """`value.name` beyond the plain case; constants of an enum have no fields before it is initialised."""
    heap = st.heap
    value = heap.settled(value)
    cell = heap.cells.get(value) if isinstance(value, Ref) and value.input and not value.open else None
    if isinstance(cell, dict) and name not in cell:
        # The first look into an input is what happens most often.
        assert isinstance(value, Ref)
        plain = heap.inputs.hierarchy.plain_field(value.cls, name)
        if plain is not None and value.cls not in heap.inputs.enumerations:
            return heap.input_field(value, name, plain)
    if isinstance(value, Ref) and value.cls in st.heap.inputs.enumerations and not st.heap.cells.get(value):
        initialise(st, value.cls)
    if isinstance(value, Ref) and value.open and name not in st.heap.fields(value):
        # An interface has no fields: only the classes that implement it do.
        program = java_program(st)
        cls = class_for(st, value, lambda each: program.find_field(each, name) is not None)
        field = program.find_field(cls, name)
        if field is not None:
            return st.heap.input_field(value, name, field.type)
    return objects.get_field(st, value, name)


# Arrays.


def array_descriptor(st: State, ref: Ref) -> str | None:
    """The descriptor of an array; None for other objects."""
    if ref.cls.startswith("["):
        return ref.cls
    first = st.heap.first.get(ref)
    return f"[{descriptor_of(first.element)}" if isinstance(first, InitialList) else None


def new_array(st: State, element: Type, size: Value) -> Value:
    """A new array of zeros; a negative length is an error."""
    return filled(st, f"[{descriptor_of(element)}", length_of(st, size))


def filled(st: State, descriptor: str, count: int) -> Ref:
    """A new array with the zero of its type everywhere."""
    return st.heap.new_object(descriptor, ListCell((zero(descriptor[1:]),) * count))


def length_of(st: State, size: Value) -> int:
    """The length of a new array, known from here on."""
    count = resolve(st, size)
    if not is_integer(count):
        raise Unsupported("an array whose length is no integer")
    if decide(st.pc, terms.lt(count, 0)):
        known = st.pc.value(count) if isinstance(count, Term) else count
        raise Fault(PROFILE.size_error, *((str(known),) if known is not None else ()))
    if isinstance(count, Term):
        count = small_value(st, count, "a new array of symbolic length beyond the length bound")
    if count > LONGEST:
        raise Unsupported(f"an array of {count} elements")
    return int(count)


LONGEST = 1_000_000
"""elements of an array; more are not followed"""


def _array(st: State, value: Value) -> Ref:
    ref = located(st, value)
    if not isinstance(st.heap.cells[ref], (ListCell, OpenList)):
        raise Unsupported(f"an index into {ref.cls}")
    return ref


def get_item(st: State, container: Value, index: Value) -> Value:
    """`container[index]`"""
    ref = _array(st, container)
    at = resolve(st, index)
    try:
        return sequences.get(st.heap, st.pc, ref, at, False)  # type: ignore[arg-type]
    except sequences.OutOfRange:
        raise Fault(PROFILE.index_error, *_index_message(st, ref, at)) from None


def set_item(st: State, container: Value, index: Value, value: Value) -> None:
    """`container[index] = value`; what an array of references cannot hold is an error."""
    ref = _array(st, container)
    descriptor = array_descriptor(st, ref) or ""
    if descriptor == "[Z":
        value = truth_of(st, value)
    at = resolve(st, index)
    try:
        sequences.put(st.heap, st.pc, ref, at, value, False)  # type: ignore[arg-type]
    except sequences.OutOfRange:
        raise Fault(PROFILE.index_error, *_index_message(st, ref, at)) from None


def _index_message(st: State, ref: Ref, index: Value) -> tuple[Value, ...]:
    length = st.heap.sequence(ref).length
    if isinstance(index, int) and isinstance(length, int):
        return (f"Index {index} out of bounds for length {length}",)
    return ()


def length(st: State, container: Value) -> Value:
    """The number of elements."""
    return st.heap.sequence(_array(st, container)).length


# Classes of objects.


def type_test(st: State, value: Value, types: tuple[Type, ...]) -> bool:
    """`instanceof`; null is of no class."""
    if st.heap.is_null(value):
        return False
    value = resolve(st, value)
    return value is not None and _is_of(st, value, types[0])


def _is_of(st: State, value: Value, wanted: Type) -> bool:
    if isinstance(value, ClassRef):
        return isinstance(wanted, ClassType) and wanted.name in ("java.lang.Class", "java.lang.Object")
    if is_text(value):
        return isinstance(wanted, ClassType) and wanted.name in _OF_STRING
    assert isinstance(value, Ref), value
    descriptor = array_descriptor(st, value)
    if descriptor is not None:
        return _array_is_of(st, descriptor, wanted)
    if not isinstance(wanted, ClassType):
        return False
    program, cls = java_program(st), wanted.name
    if program.is_subclass(class_of(st, value), cls):
        return True
    return program.is_subclass(class_for(st, value, lambda name: program.is_subclass(name, cls)), cls)


def _array_is_of(st: State, descriptor: str, wanted: Type) -> bool:
    if isinstance(wanted, ClassType):
        return wanted.name in _OF_ARRAYS
    if not isinstance(wanted, ArrayType):
        return False
    asked = descriptor_of(wanted)
    if asked == descriptor:
        return True
    inner, outer = descriptor[1:], asked[1:]
    if inner.startswith("["):
        return _array_is_of(st, inner, wanted.element)
    return inner.startswith("L") and outer.startswith("L") and java_program(st).is_subclass(inner[1:-1], outer[1:-1])


def cast(st: State, value: Value, wanted: Type) -> Value:
    """The value, or the error that it is of another class; null passes."""
    if st.heap.is_null(value):
        return value
    if type_test(st, value, (wanted,)):
        return value
    raise Fault(PROFILE.cast_error)


OPERATIONS = {
    "get_field": get_field,
    "get_static": get_static,
    "set_static": set_static,
    "get_item": get_item,
    "set_item": set_item,
    "length": length,
    "new_array": new_array,
    "type_test": type_test,
    "cast": cast,
}
"""what generated code calls"""
__all__ = ["OPERATIONS", "Objects", "arrays"]
