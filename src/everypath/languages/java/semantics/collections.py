"""Collections of the JDK as inputs: what calls can make of them, and nothing else.

The fields of a library's class hold together in ways that only its own code knows, and no test could set them. So an
input of such a class is an object that the library's code fills: it is made when something first calls a method of it,
with as many elements as the path needs, each of them an input. An `ArrayList` needs no code for that: it is its array,
of any length, without room to spare.

Cases show collections by their elements, before the call and after it: an object with the fields `$0`, `$1`, ... in
order, of a map `$key0`, `$value0` and so on.
"""

from __future__ import annotations

from collections.abc import Callable

from everypath.cases.describing import Walk, WalkBefore
from everypath.cases.model import Heap as CaseHeap
from everypath.cases.model import Literal, ObjectState, Pointer, SequenceState
from everypath.cases.model import Value as Shown
from everypath.errors import LimitReached, Unsupported
from everypath.explore.signals import Invoke
from everypath.explore.state import Post, State
from everypath.heap.choice import decide
from everypath.heap.heap import Heap
from everypath.heap.inputs import declared_class
from everypath.heap.values import InitialList, ListCell, Ref, Unknown, Value
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Param
from everypath.ir.program import Method
from everypath.ir.types import ANY, ArrayType, ClassType, Type, not_null
from everypath.languages.java.frontend.program import IMPLEMENTATIONS, JavaProgram
from everypath.languages.java.frontend.types import INTEGER
from everypath.languages.java.semantics.objects import Objects, java_program
from everypath.logic import terms

_UTIL = "java.util."
LIST = f"{_UTIL}ArrayList"
_HEAP = f"{_UTIL}PriorityQueue"
_ADD, _PUT, _SIZE = (
    "add(Ljava/lang/Object;)Z",
    "put(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
    "size()I",
)
_MAPS = frozenset(f"{_UTIL}{name}" for name in ("HashMap", "LinkedHashMap", "TreeMap"))
_SETS = frozenset(f"{_UTIL}{name}" for name in ("HashSet", "LinkedHashSet", "TreeSet"))
_QUEUES = frozenset(f"{_UTIL}{name}" for name in ("ArrayDeque", "PriorityQueue"))
_OTHERS = frozenset(f"{_UTIL}{name}" for name in ("ArrayList", "LinkedList", "Vector", "Stack"))
COLLECTIONS = _MAPS | _SETS | _QUEUES | _OTHERS
OPEN = "$open"
"""the field of a collection that nothing has looked into"""
GIVEN = "$given"
"""the field with what a collection held at the start: names and values, or the array of an ArrayList"""
_ITEMS = "$items"
IMPOSSIBLE = "impossible"
"""the native that ends a path whose collection would hold the same key twice"""


def implementation(program: JavaProgram, name: str) -> str | None:
    """The collection that stands for a class or interface of the library; None for others, and for one under test."""
    found = name if name in COLLECTIONS else None
    if found is None and name in IMPLEMENTATIONS:
        known = [each for each in program.subclasses(name) if not program.classes[each].abstract]
        found = known[0] if len(known) == 1 and known[0] in COLLECTIONS else None
    if found is None or found in program.tested or len(program.subclasses(found)) > 1:
        return None
    return found


def made_up(program: JavaProgram, heap: Heap, unknown: Unknown, type: Type) -> Ref | None:
    """The object for an input of a collection's type; None for other types."""
    cls = implementation(program, type.name) if isinstance(type, ClassType) else None
    if cls is None:
        return None
    ref = Ref(cls, unknown.name, origin=unknown)
    heap.cells[ref] = {OPEN: True}
    return ref


def is_open(st: State, value: Value) -> bool:
    """Whether a value is a collection that nothing has looked into."""
    if not isinstance(value, Ref) or value.cls not in COLLECTIONS:
        return False
    cell = st.heap.cells.get(value)
    return isinstance(cell, dict) and OPEN in cell


def look_into(st: State, ref: Ref, objects: Objects) -> None:
    """Give an open collection its elements; where code has to run for that, the instruction is repeated afterwards."""
    assert ref.origin is not None
    inputs, arguments = st.heap.inputs, _arguments(ref)
    if ref.cls == LIST:
        # The array is an input of its own, whose length stays open.
        array = st.heap.resolve(inputs.part(ref.origin, _ITEMS, ArrayType(arguments[0]), ref.name))
        assert isinstance(array, Ref)
        size = st.heap.sequence(array).length
        st.heap.cells[ref] = {**objects.blank(LIST), "elementData": array, "size": size, GIVEN: (array,)}
        return
    count = _count(st, ref)
    items: dict[str, Value] = {}
    for number in range(count):
        if ref.cls in _MAPS:
            items[f"$key{number}"] = _part(st, ref, f"key{number}", not_null(arguments[0]))
            items[f"$value{number}"] = _part(st, ref, f"value{number}", arguments[-1])
        else:
            element = arguments[0] if ref.cls in _OTHERS else not_null(arguments[0])
            items[f"${number}"] = _part(st, ref, str(number), element)
    st.heap.cells[ref] = {**objects.blank(ref.cls), GIVEN: tuple(items.items())}
    raise Invoke(_maker(java_program(st), ref.cls, count), [ref, *items.values()], _quietly(st, ref), again=True)


def _count(st: State, ref: Ref) -> int:
    """How many elements a collection has: up to the length bound."""
    assert ref.origin is not None
    size = st.heap.inputs.length(ref.origin)
    for count in range(st.heap.inputs.fixed_length + 1):
        if decide(st.pc, terms.eq(size, count)):
            return count
    raise LimitReached("loop", f"larger collections {ref.name} are not considered (--lengths)")


def _arguments(ref: Ref) -> tuple[Type, ...]:
    options = ref.origin.options if ref.origin is not None else ()
    declared = next((each for each in options if isinstance(each, ClassType)), declared_class(ref))
    return declared.arguments or (INTEGER, INTEGER)


def _part(st: State, ref: Ref, key: str, type: Type) -> Value:
    assert ref.origin is not None
    return st.heap.inputs.part(ref.origin, f"${key}", type, f"{ref.name}.{key}")


def _quietly(st: State, ref: Ref) -> Post:
    """What fills an input is no part of the path, although it may compare elements by code of the program."""
    trace = st.trace

    def keep(state: State, value: Value) -> Value:
        state.trace = trace
        if ref.cls == _HEAP:
            # Elements that are added in the order in which they lie in the heap stay there.
            fields = state.heap.fields(ref)
            array, given = fields["queue"], fields[GIVEN]
            assert isinstance(array, Ref) and isinstance(given, tuple)
            cell = state.heap.cells[array]
            assert isinstance(cell, ListCell)
            lying = tuple((f"${at}", item) for at, item in enumerate(cell.items[: len(given)]))
            state.heap.cells[ref] = {**fields, GIVEN: lying}
        return value

    return keep


def _maker(program: JavaProgram, cls: str, count: int) -> Method:
    """A method that constructs a collection and adds so many elements, or entries, that differ."""
    name = f"make {count}"
    made = program.makers.get((cls, count))
    if made is not None:
        return made
    keyed = cls in _MAPS
    params = tuple(Param(f"arg{number}", ANY) for number in range(count * (2 if keyed else 1) + 1))
    build = MethodBuilder(cls, name, params)
    build.emit(ins.CallStatic(build.register(), cls, "<init>()V", (0,)))
    for number in range(count):
        arguments = (2 * number + 1, 2 * number + 2) if keyed else (number + 1,)
        build.emit(ins.CallVirtual(build.register(), 0, _PUT if keyed else _ADD, arguments))
    if keyed or cls in _SETS:
        size = build.give(ins.CallVirtual(build.register(), 0, _SIZE, ()))
        same = build.give(ins.Compare(build.register(), "==", size, build.constant(count)))
        done, never = build.label("done"), build.label("never")
        build.branch(same, done, never)
        build.start(never)
        build.emit(ins.CallNative(build.register(), IMPOSSIBLE, ()))
        build.end(ins.Jump(done))
        build.start(done)
    program.makers[cls, count] = build.finish(kind="static", model=True)
    return program.makers[cls, count]


# How cases show them.


def input_state(walk: WalkBefore, ref: Ref) -> ObjectState:
    """A collection as a test must make it."""
    package, _, name = ref.cls.rpartition(".")
    # Not from the heap of the solution, which has only what such an object holds in the end.
    cell = walk.state.heap.cells[ref]
    given = cell.get(GIVEN, ()) if isinstance(cell, dict) else ()
    assert isinstance(given, tuple)
    if given and isinstance(given[0], Ref):
        first = walk.heap.first[given[0]]
        assert isinstance(first, InitialList)
        items = walk.initial_items(first)
        return ObjectState(name, package, tuple((f"${at}", item) for at, item in enumerate(items)))
    return ObjectState(name, package, tuple((key, walk.first(value)) for key, value in given))  # type: ignore[misc]


def final_state(walk: Walk, ref: Ref, name: str) -> ObjectState | None:
    """A collection as a test finds it; one that nothing looked into is as it was."""
    cell = walk.heap.cells[ref]
    assert isinstance(cell, dict)
    before = walk.before.get(name)
    if OPEN in cell:
        return before if isinstance(before, ObjectState) else None
    fields = walk.final_object(ref, name)
    assert isinstance(fields, ObjectState)
    held = {key: value for key, value in fields.fields if not key.startswith("$")}
    entries = _read(ref.cls, held, walk.after)
    if entries is None:
        raise Unsupported(f"a {ref.cls} in a state that is not understood")
    return ObjectState(fields.cls, fields.module, tuple(entries.items()))


Held = dict[str, Shown]


def _read(cls: str, held: Held, heap: CaseHeap) -> Held | None:
    """The elements of a collection, given its fields; None if these do not hold together."""
    simple = cls.removeprefix(_UTIL)
    if cls in _MAPS:
        pairs = _tree(held, heap) if simple == "TreeMap" else _entries(held, heap)
        return None if pairs is None else _numbered(pairs)
    if cls in _SETS:
        inner = _fields(held.get("m" if simple == "TreeSet" else "map"), heap)
        pairs = _tree(inner, heap) if simple == "TreeSet" else _shown_keys(inner, heap)
        return None if pairs is None else {f"${at}": key for at, (key, _) in enumerate(pairs)}
    items = _SEQUENCES[simple](held, heap)
    return None if items is None else {f"${at}": item for at, item in enumerate(items)}


def _numbered(pairs: list[tuple[Shown, Shown]]) -> Held:
    found: Held = {}
    for at, (key, value) in enumerate(pairs):
        found[f"$key{at}"], found[f"$value{at}"] = key, value
    return found


def _fields(value: Shown | None, heap: CaseHeap) -> Held:
    state = heap.get(value.id) if isinstance(value, Pointer) else None
    return dict(state.fields) if isinstance(state, ObjectState) else {}


def _items(value: Shown | None, heap: CaseHeap) -> tuple[Shown, ...]:
    state = heap.get(value.id) if isinstance(value, Pointer) else None
    return state.items if isinstance(state, SequenceState) else ()


def _number(value: Shown | None) -> int | None:
    return value.value if isinstance(value, Literal) and isinstance(value.value, int) else None


def _entries(held: Held, heap: CaseHeap) -> list[tuple[Shown, Shown]] | None:
    """Those of the model of `HashMap`."""
    count, array = _number(held.get("count")), _items(held.get("entries"), heap)
    if count is None or count > len(array):
        return None
    inside = [_fields(each, heap) for each in array[:count]]
    return [(each["key"], each["value"]) for each in inside] if all("key" in each for each in inside) else None


def _shown_keys(inner: Held, heap: CaseHeap) -> list[tuple[Shown, Shown]] | None:
    """The keys of the map inside a set, which a case shows as a map already."""
    count = sum(key.startswith("$key") for key in inner)
    return [(inner[f"$key{at}"], inner[f"$value{at}"]) for at in range(count)]


def _tree(held: Held, heap: CaseHeap) -> list[tuple[Shown, Shown]] | None:
    """Those of a `TreeMap`, in order; the one of a set is shown as a map already."""
    if any(key.startswith("$") for key in held) or "root" not in held:
        return _shown_keys(held, heap)
    found: list[tuple[Shown, Shown]] = []

    def walk(node: Shown | None) -> None:
        inside = _fields(node, heap)
        if inside:
            walk(inside.get("left"))
            found.append((inside["key"], inside["value"]))
            walk(inside.get("right"))

    walk(held.get("root"))
    return found if _number(held.get("size")) == len(found) else None


def _array(array: str, size: str) -> Callable[[Held, CaseHeap], list[Shown] | None]:
    def read(held: Held, heap: CaseHeap) -> list[Shown] | None:
        count, items = _number(held.get(size)), _items(held.get(array), heap)
        return list(items[:count]) if count is not None and 0 <= count <= len(items) else None

    return read


def _linked(held: Held, heap: CaseHeap) -> list[Shown] | None:
    found: list[Shown] = []
    seen: set[str] = set()
    node = held.get("first")
    while isinstance(node, Pointer) and node.id not in seen:
        seen.add(node.id)
        inside = _fields(node, heap)
        found.append(inside.get("item", Literal(None)))
        node = inside.get("next")
    return found if _number(held.get("size")) == len(found) else None


def _ring(held: Held, heap: CaseHeap) -> list[Shown] | None:
    items, at, tail = _items(held.get("elements"), heap), _number(held.get("head")), _number(held.get("tail"))
    found: list[Shown] = []
    while at is not None and at != tail and len(found) < len(items) and 0 <= at < len(items):
        found.append(items[at])
        at = (at + 1) % len(items)
    return found if at is not None and at == tail and Literal(None) not in found else None


_SEQUENCES: dict[str, Callable[[Held, CaseHeap], list[Shown] | None]] = {
    "ArrayList": _array("elementData", "size"),
    "Vector": _array("elementData", "elementCount"),
    "Stack": _array("elementData", "elementCount"),
    "PriorityQueue": _array("queue", "size"),
    "LinkedList": _linked,
    "ArrayDeque": _ring,
}
