"""Natives: methods that the JDK implements outside of Java, and those that must look at terms or the heap itself.

Everything else of the library runs as bytecode, the JDK's own or that of a model (`models/`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from everypath.errors import Unsupported
from everypath.explore.answers import Answered, Question, keep_log, log_of
from everypath.explore.concretise import fixed
from everypath.explore.objects import class_for, resolve
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.equality import is_text
from everypath.heap.values import ListCell, Ref, Value
from everypath.ir.instructions import ClassRef
from everypath.ir.types import NONE
from everypath.languages.java.frontend.standins import ANSWER
from everypath.languages.java.frontend.types import exact_type
from everypath.languages.java.semantics.calls import receiver_of
from everypath.languages.java.semantics.collections import IMPOSSIBLE
from everypath.languages.java.semantics.objects import (
    LONGEST,
    STRING,
    array_descriptor,
    filled,
    get_item,
    java_program,
    length,
    length_of,
    set_item,
    type_test,
)
from everypath.logic.condition import Infeasible
from everypath.records import replace

NATIVES: dict[str, Callable[..., Value]] = {}
HASH_CODE = "hashCode()I"
_ENGINE = "everypath.Engine."
_OBJECT = "Ljava/lang/Object;"
_CLASS = "Ljava/lang/Class;"
_TEXT = "Ljava/lang/String;"


def native(*names: str) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register the decorated function under these names."""

    def register(function: Callable[..., Value]) -> Callable[..., Value]:
        NATIVES.update(dict.fromkeys(names, function))
        return function

    return register


@native("monitor")
def monitor(st: State, value: Value) -> Value:
    """Monitors do nothing in sequential code, but null has none."""
    receiver_of(st, value)
    return None


# Objects and classes.


@native("java.lang.Class.desiredAssertionStatus()Z")
def assertions(st: State, cls: Value) -> bool:
    """Assertions are on, as they are in tests, but not those of the JDK."""
    found = java_program(st).find_java(_named(st, cls))
    return found is not None and bool(found.label)


@native("java.lang.Object.<init>()V")
def no_operation(st: State, *_: Value) -> Value:
    """What has no effect that a test could see."""
    return None


@native(
    "jdk.internal.misc.CDS.isDumpingClassList0()Z",
    "jdk.internal.misc.CDS.isDumpingArchive0()Z",
    "jdk.internal.misc.CDS.isSharingEnabled0()Z",
)
def no(st: State, *_: Value) -> bool:
    """Nothing is shared between JVMs."""
    return False


NATIVES["jdk.internal.misc.CDS.getRandomSeedForDumping()J"] = lambda st: 0
NATIVES[f"jdk.internal.misc.CDS.initializeFromArchive({_CLASS})V"] = no_operation
NATIVES["jdk.internal.misc.Unsafe.registerNatives()V"] = no_operation
for _name in ("registerNatives()V", "initIDs()V", "registerNatives0()V"):
    for _owner in ("Object", "Class", "System", "Thread", "ClassLoader", "Float", "Double"):
        NATIVES[f"java.lang.{_owner}.{_name}"] = no_operation


@native(f"java.lang.Object.getClass(){_CLASS}")
def get_class(st: State, value: Value) -> Value:
    """The class of an object; that of an input is decided."""
    found = receiver_of(st, value)
    if is_text(found):
        return ClassRef(STRING)
    if isinstance(found, ClassRef):
        return ClassRef("java.lang.Class")
    assert isinstance(found, Ref)
    return ClassRef(array_descriptor(st, found) or class_for(st, found, lambda cls: cls))


@native("java.lang.Object.hashCode()I", f"java.lang.System.identityHashCode({_OBJECT})I")
def identity_hash(st: State, value: Value) -> Value:
    """It differs from run to run."""
    raise Unsupported("the identity hash code of an object, which differs between runs")


@native(f"java.lang.Object.clone(){_OBJECT}")
def clone(st: State, value: Value) -> Value:
    """A copy of an array, or of an object field by field."""
    ref = receiver_of(st, value)
    assert isinstance(ref, Ref)
    descriptor = array_descriptor(st, ref)
    if descriptor is not None:
        count = length_of(st, st.heap.sequence(ref).length)
        items = tuple(get_item(st, ref, at) for at in range(count))
        return st.heap.new_object(descriptor, ListCell(items))
    cls = class_for(st, ref, lambda name: name)
    if not java_program(st).is_subclass(cls, "java.lang.Cloneable"):
        raise Fault("java.lang.CloneNotSupportedException", cls)
    if ref.input:
        raise Unsupported("a copy of an input object")
    return st.heap.new_object(cls, dict(st.heap.fields(ref)))


@native(f"java.lang.Class.getName(){_TEXT}")
def class_name(st: State, cls: Value) -> Value:
    """The binary name."""
    return _named(st, cls)


@native(f"java.lang.Class.getSimpleName(){_TEXT}")
def simple_name(st: State, cls: Value) -> Value:
    """The name as the source writes it."""
    name = _named(st, cls)
    found = None if name.startswith("[") else java_program(st).find_java(name)
    return "" if found is not None and found.anonymous else found.simple if found is not None else name


def _named(st: State, cls: Value) -> str:
    found = receiver_of(st, cls)
    if not isinstance(found, ClassRef):
        raise Unsupported("a class that is an input")
    return found.name


@native(f"java.lang.Class.isInstance({_OBJECT})Z")
def is_instance(st: State, cls: Value, value: Value) -> Value:
    """As `instanceof`, with a class that is a value."""
    name = _named(st, cls)
    descriptor = name if name.startswith("[") else f"L{name};"
    return type_test(st, value, (exact_type(descriptor.replace(".", "/")),))


@native(f"java.lang.Class.getPrimitiveClass({_TEXT}){_CLASS}")
def primitive_class(st: State, name: Value) -> Value:
    """`int.class` and its like."""
    assert isinstance(name, str)
    return ClassRef(name)


@native("java.lang.Class.isArray()Z")
def is_array(st: State, cls: Value) -> Value:
    """Whether it is the class of arrays."""
    return _named(st, cls).startswith("[")


@native(f"java.lang.Class.getComponentType(){_CLASS}")
def component_type(st: State, cls: Value) -> Value:
    """The class of an array's elements."""
    name = _named(st, cls)
    if not name.startswith("["):
        return None
    inner = name[1:]
    return ClassRef(inner[1:-1] if inner.startswith("L") else inner)


@native(
    f"java.lang.reflect.Array.newArray({_CLASS}I){_OBJECT}", f"java.lang.reflect.Array.newInstance({_CLASS}I){_OBJECT}"
)
def new_instance(st: State, cls: Value, size: Value) -> Value:
    """A new array of elements of a class."""
    name = _named(st, cls)
    inner = name if name.startswith("[") or len(name) == 1 else f"L{name};"
    return filled(st, f"[{inner}", length_of(st, size))


@native(ANSWER)
def answer(st: State, whom: Value, method: Value, *arguments: Value) -> Value:
    """The answer of a stand-in: an input of the type that its method declares."""
    ref = receiver_of(st, whom)
    assert isinstance(ref, Ref) and isinstance(method, str)
    if ref.origin is None:
        raise Unsupported(f"a call of {method.partition('(')[0]} on an object that is no input")
    found = java_program(st).find_method(ref.cls, method)
    assert found is not None
    log = log_of(st)
    earlier = sum(1 for call in log.calls if call.question.whom == ref and call.question.method == method)
    name = f"{ref.name}.{method.partition('(')[0]}(){earlier + 1 if earlier else ''}"
    given: Value = None
    if found.returns != NONE:
        given = st.heap.inputs.part(ref.origin, (method, earlier), found.returns, name)
    asked = Answered(Question(ref, method, tuple(arguments)), given, name)
    keep_log(st, replace(log, calls=(*log.calls, asked)))
    return given


@native(IMPOSSIBLE)
def impossible(st: State) -> Value:
    """There is no such input."""
    raise Infeasible


@native(f"{_ENGINE}hashes({_OBJECT})Z")
def hashes(st: State, value: Value) -> Value:
    """Whether the class of an object has a hash code of the program's own."""
    found = receiver_of(st, value)
    if not isinstance(found, Ref) or array_descriptor(st, found) is not None:
        return False
    find = java_program(st).find_method
    method = find(class_for(st, found, lambda cls: id(find(cls, HASH_CODE))), HASH_CODE)
    return method is not None and not method.model


# Arrays.


def _array(st: State, value: Value) -> Ref:
    ref = receiver_of(st, value)
    if not isinstance(ref, Ref) or array_descriptor(st, ref) is None:
        raise Fault("java.lang.ArrayStoreException")
    return ref


@native(f"{_ENGINE}length({_OBJECT})I", f"java.lang.reflect.Array.getLength({_OBJECT})I")
def array_length(st: State, array: Value) -> Value:
    """The length of an array of any type."""
    return length(st, _array(st, array))


@native(f"{_ENGINE}get({_OBJECT}I){_OBJECT}")
def array_get(st: State, array: Value, index: Value) -> Value:
    """An element of an array of any type."""
    return get_item(st, array, index)


@native(f"{_ENGINE}set({_OBJECT}I{_OBJECT})V")
def array_set(st: State, array: Value, index: Value, value: Value) -> Value:
    """Assigns an element of an array of any type."""
    set_item(st, array, index, value)
    return None


@native("multianewarray")
def nested_array(st: State, descriptor: Value, *sizes: Value) -> Value:
    """A new array of arrays, with a length for each of its outer dimensions; a negative one is told first."""
    assert isinstance(descriptor, str)
    counts = [length_of(st, size) for size in sizes]
    if math.prod(count + 1 for count in counts) > LONGEST:
        raise Unsupported(f"an array of {' times '.join(map(str, counts))} elements")
    return _nested(st, descriptor.replace("/", "."), counts)


def _nested(st: State, descriptor: str, counts: list[int]) -> Ref:
    if len(counts) == 1:
        return filled(st, descriptor, counts[0])
    rows = tuple(_nested(st, descriptor[1:], counts[1:]) for _ in range(counts[0]))
    return st.heap.new_object(descriptor, ListCell(rows))


@native(f"{_ENGINE}like({_OBJECT}I){_OBJECT}")
def array_like(st: State, array: Value, size: Value) -> Value:
    """A new array of the same type as another one."""
    descriptor = array_descriptor(st, _array(st, array))
    assert descriptor is not None
    return filled(st, descriptor, length_of(st, size))


@native(f"{_ENGINE}copy({_OBJECT}I{_OBJECT}II)Z")
def array_copy(st: State, source: Value, start: Value, target: Value, at: Value, count: Value) -> Value:
    """Copies in one step where everything is known; indices are inside."""
    one, other = _array(st, source), _array(st, target)
    start, at, count = resolve(st, start), resolve(st, at), resolve(st, count)
    mine, theirs = st.heap.cells[one], st.heap.cells[other]
    known = isinstance(start, int) and isinstance(at, int) and isinstance(count, int)
    if not known or not isinstance(mine, ListCell) or not isinstance(theirs, ListCell) or other.input:
        return False
    assert isinstance(start, int) and isinstance(at, int) and isinstance(count, int)
    if start + count > len(mine.items) or at + count > len(theirs.items):
        return False
    items = theirs.items[:at] + mine.items[start : start + count] + theirs.items[at + count :]
    st.heap.set_cell(other, ListCell(items, theirs.length))
    return True


# Mathematics on known numbers.


def _on_known(name: str, function: Callable[..., float]) -> Callable[..., Value]:
    def operate(st: State, *values: Value) -> Value:
        numbers = [fixed(st, resolve(st, value), f"Math.{name}") for value in values]
        try:
            return float(function(*numbers))
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return operate


def _power(base: float, exponent: float) -> float:
    if math.isnan(exponent) or (abs(base) == 1 and math.isinf(exponent)):
        return math.nan
    if base == 0 and exponent < 0:
        odd = exponent == int(exponent) and int(exponent) % 2 == 1 if not math.isinf(exponent) else False
        return math.copysign(math.inf, base) if odd else math.inf
    try:
        return math.pow(base, exponent)
    except OverflowError:
        odd = abs(exponent) < 2**53 and int(exponent) % 2 == 1
        return -math.inf if base < 0 and odd else math.inf


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    def apply(number: float) -> float:
        if math.isnan(number) or math.isinf(number) or number == 0:
            return number
        return math.copysign(float(function(number)), number)

    return apply


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "exp": math.exp, "atan": math.atan,
    "asin": math.asin, "acos": math.acos, "cbrt": math.cbrt, "hypot": math.hypot, "atan2": math.atan2, "pow": _power,
    "log": lambda x: -math.inf if x == 0 else math.log(x),
    "log10": lambda x: -math.inf if x == 0 else math.log10(x),
    "floor": _whole(math.floor), "ceil": _whole(math.ceil), "rint": _whole(round),
}  # fmt: skip
for _name, _function in _FUNCTIONS.items():
    _types = "DD" if _name in ("pow", "hypot", "atan2") else "D"
    for _owner in ("Math", "StrictMath"):
        NATIVES[f"java.lang.{_owner}.{_name}({_types})D"] = _on_known(_name, _function)

REPLACED = frozenset(name for name in NATIVES if name.startswith(("java.lang.Math.", "java.lang.StrictMath."))) | {
    "java.lang.Object.<init>()V",
    f"java.lang.Class.getName(){_TEXT}",
    f"java.lang.Class.getSimpleName(){_TEXT}",
    "java.lang.Class.desiredAssertionStatus()Z",
    f"java.lang.Class.getComponentType(){_CLASS}",
    f"java.lang.reflect.Array.newInstance({_CLASS}I){_OBJECT}",
}
"""methods with bytecode of which the natives take the place"""


@native("java.lang.Double.doubleToRawLongBits(D)J")
def double_bits(st: State, value: Value) -> Value:
    """The bits of a known number."""
    import struct

    known = fixed(st, resolve(st, value), "the bits of a double")
    assert isinstance(known, (int, float))
    return int.from_bytes(struct.pack(">d", float(known)), "big", signed=True)


@native("java.lang.Double.longBitsToDouble(J)D")
def bits_double(st: State, value: Value) -> Value:
    """The number with these bits."""
    import struct

    known = fixed(st, resolve(st, value), "a double made of bits")
    assert isinstance(known, int)
    found: float = struct.unpack(">d", known.to_bytes(8, "big", signed=True))[0]
    return found


@native("java.lang.Float.floatToRawIntBits(F)I")
def float_bits(st: State, value: Value) -> Value:
    """The bits of a known number."""
    import struct

    known = fixed(st, resolve(st, value), "the bits of a float")
    assert isinstance(known, (int, float))
    return int.from_bytes(struct.pack(">f", float(known)), "big", signed=True)


@native("java.lang.Float.intBitsToFloat(I)F")
def bits_float(st: State, value: Value) -> Value:
    """The number with these bits."""
    import struct

    known = fixed(st, resolve(st, value), "a float made of bits")
    assert isinstance(known, int)
    found: float = struct.unpack(">f", known.to_bytes(4, "big", signed=True))[0]
    return found
