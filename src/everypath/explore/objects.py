"""Objects of classes: which class they have, which method a call reaches, their fields and those of classes.

Nothing here is about one language. What a language does otherwise stands in its own folder and builds on this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from everypath.errors import Unsupported
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap.choice import Fork
from everypath.heap.heap import Heap
from everypath.heap.store import ClassBound
from everypath.heap.values import UNBOUND, OneOf, Ref, Unknown, Value
from everypath.ir.names import interface_of
from everypath.ir.program import Method, Program
from everypath.logic.condition import PathCondition
from everypath.records import dataclass


@dataclass(slots=True, eq=False)
class Restrict:
    """The input object's class is what the bound says."""

    ref: Ref
    bound: ClassBound

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        heap.restrict(self.ref, self.bound)
        return heap.agrees()


def program_of(st: State) -> Program:
    """The program under test."""
    return st.heap.inputs.program


def resolve(st: State, value: Value) -> Value:
    """The value, with an unknown input decided."""
    if type(value) is Unknown or type(value) is OneOf:
        return st.heap.resolve(value)
    if value is UNBOUND:
        raise Fault(program_of(st).profile.name_error, "local variable referenced before assignment")
    return value


def alternatives(st: State, value: Value) -> Iterator[Value]:
    """What the value may be, depending on which references are the same: nothing is decided."""
    if type(value) is OneOf:
        for inner in value.values():
            yield from alternatives(st, inner)
    elif type(value) is Unknown and value in st.heap.bind:
        yield from alternatives(st, st.heap.bind[value])
    else:
        yield value


def class_of(st: State, ref: Ref) -> str:
    """The name of an object's class; for an input object of open class, of its upper bound."""
    return st.heap.class_bound(ref).bound if ref.open else ref.cls


def short(name: str) -> str:
    """A class name without the module, as messages print it; what stands in for an interface is called like it."""
    return (interface_of(name) or name).rsplit(".", 1)[-1]


def possible_classes(heap: Heap, ref: Ref) -> tuple[str, ...]:
    """The concrete classes that the object may have."""
    bound = heap.class_bound(ref)
    return heap.inputs.hierarchy.concrete_classes(bound.bound, bound.excluded, bound.exact)


def class_for(st: State, ref: Ref, meaning: Callable[[str], object]) -> str:
    """A class of the object that stands for all it may have, forking where these differ in what they mean."""
    if not ref.open:
        return ref.cls
    classes = possible_classes(st.heap, ref)
    if len(classes) == 1:
        return classes[0]
    groups: dict[object, list[str]] = {}
    for cls in classes:
        groups.setdefault(meaning(cls), []).append(cls)
    if len(groups) > 1:
        known = st.heap.class_bound(ref)
        # As at every branch, the path on which a question is answered with yes is the first.
        ordered = [groups[answer] for answer in sorted(groups, key=lambda answer: answer is not True)]
        bounds = [bound for group in ordered for bound in _bounds(program_of(st), known, group, classes)]
        raise Fork(tuple(Restrict(ref, bound) for bound in bounds))
    bound = st.heap.class_bound(ref).bound
    return bound if bound in classes or not classes else classes[0]


def exact_class(st: State, ref: Ref) -> str:
    """The class of the object itself, forking where it may be of several: for what tells any two of them apart."""
    return class_for(st, ref, str)


def _bounds(program: Program, known: ClassBound, group: list[str], classes: tuple[str, ...]) -> list[ClassBound]:
    """Bounds that admit the classes of the group and no other.

    A single one if possible, because only later code may tell these classes apart: each bound is a path of its own.
    """
    for top in group:
        below = [cls for cls in classes if program.is_subclass(cls, top)]
        others = tuple(cls for cls in below if cls not in group)
        admitted = [cls for cls in below if not any(program.is_subclass(cls, out) for out in others)]
        if len(admitted) == len(group):
            return [ClassBound(top, (*known.excluded, *others), exact=len(group) == 1)]
    return [ClassBound(cls, exact=True) for cls in group]


def virtual_target(st: State, ref: Ref, name: str) -> Method | None:
    """The method that a call reaches, forking between the overriding ones of an input object's open class."""
    find = program_of(st).find_method
    if not ref.open:
        return find(ref.cls, name)
    targets = st.heap.inputs.hierarchy.targets(possible_classes(st.heap, ref), name)
    if len(targets) == 1:
        return targets[0]
    return find(class_for(st, ref, lambda cls: id(find(cls, name))), name)


def common_method(st: State, choice: OneOf, name: str) -> Method | None:
    """The method that a call reaches whichever object the value is, None when that differs or is not known."""
    program = program_of(st)
    classes = st.heap.classes_of_choice(choice)
    methods = {id(method): method for method in (program.find_method(cls, name) for cls in classes)}
    if len(methods) != 1 or any(program.find_field(cls, name) is not None for cls in classes):
        return None
    return next(iter(methods.values()))


def located(st: State, value: Value) -> Ref:
    """The object behind a value that is used as one; the language's null error where it is null."""
    if (type(value) is Unknown or type(value) is OneOf) and st.heap.is_null(value):
        value = None
    value = resolve(st, value)
    if value is None:
        raise Fault(program_of(st).profile.null_error)
    if not isinstance(value, Ref):
        raise Unsupported(f"{value!r} used as an object")
    return value


def get_field(st: State, value: Value, name: str) -> Value:
    """`value.name` beyond the case of a located object whose field is known."""
    heap = st.heap
    if type(value) is OneOf and not heap.is_null(value):
        found = heap.field_of_choice(value, name)
        if found is not UNBOUND:
            return found
    ref = located(st, value)
    if name in heap.fields(ref):
        return heap.get(ref, name)
    field = program_of(st).find_field(class_of(st, ref), name)
    if field is None or not ref.input:
        raise Unsupported(f"the field {name} of {short(class_of(st, ref))}, which has no value")
    return heap.input_field(ref, name, field.type)


def set_field(st: State, value: Value, name: str, content: Value) -> None:
    """`value.name = content` beyond the plain case."""
    if type(value) is OneOf and not st.heap.is_null(value) and st.heap.set_field_of_choice(value, name, content):
        return
    st.heap.set_field(located(st, value), name, content)


def get_static(st: State, cls: str, name: str) -> Value:
    """A class or module attribute; its initialiser runs once per path."""
    program = program_of(st)
    found = program.find_static(cls, name)
    assigned = assigned_static(st, cls, name)
    if assigned is not UNBOUND:
        return assigned
    if found is None:
        raise Unsupported(f"{cls}.{name}, which is not part of the program")
    owner, initialiser = found
    trace = st.trace

    def keep(state: State, value: Value) -> Value:
        # The real runtime runs this code when it loads the class, so it is no part of the path.
        state.trace = trace
        state.statics = {**state.statics, (owner, name): value}
        return value

    raise Invoke(program.classes[owner].methods[initialiser], [], keep, again=True)


def assigned_static(st: State, cls: str, name: str) -> Value:
    """The class or module attribute as far as it is known on this path, else UNBOUND."""
    if (cls, name) in st.statics:
        return st.statics[cls, name]
    program = program_of(st)
    for base in program.mro(cls) if cls in program.classes else ():
        if (base, name) in st.statics:
            return st.statics[base, name]
        if name in program.classes[base].statics if base in program.classes else False:
            # The nearest class that defines the name hides what was assigned to those above it.
            break
    return UNBOUND


def set_static(st: State, cls: str, name: str, value: Value) -> None:
    """Assign a class or module attribute on this path."""
    st.statics = {**st.statics, (cls, name): value}
