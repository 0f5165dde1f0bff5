"""Whether an input object has an attribute at all, where its class leaves that open: asked by `hasattr` and the like.

An attribute that the constructor always sets is there. One that only other methods set, such as a cache that is made
when it is first needed, may be missing; so may a slot or an annotated attribute that nothing sets.
"""

from __future__ import annotations

from collections.abc import Iterator

from everypath.explore.objects import alternatives, program_of, resolve
from everypath.explore.state import State
from everypath.heap.choice import Fork
from everypath.heap.heap import Heap
from everypath.heap.values import UNBOUND, Ref, Unknown, Value
from everypath.ir.instructions import CallNative, CallStatic, CallVirtual, Const, GetField, SetField
from everypath.ir.names import interface_of, without_arguments
from everypath.ir.program import Method, Program
from everypath.ir.types import ANY, ClassType
from everypath.logic.condition import PathCondition
from everypath.records import dataclass

_SETTING = ("setattr", "object.__setattr__")
_SETTING_ANY = ("become", "unsupported")
_MAKING = ("__new__", "__init__", "__post_init__", "__attrs_post_init__")


@dataclass(slots=True, eq=False)
class Has:
    """The input object has the attribute from the start."""

    ref: Ref
    name: str

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        field = heap.inputs.program.find_field(heap.class_bound(self.ref).bound, self.name)
        assert field is not None
        heap.input_field(self.ref, self.name, field.type)
        return heap.agrees()


@dataclass(slots=True, eq=False)
class Lacks:
    """The input object does not have the attribute at the start."""

    ref: Ref
    name: str

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        heap.remember(self.ref, {**heap.first_fields(self.ref), self.name: UNBOUND})
        return heap.agrees()


def decide_presence(st: State, value: Value, name: str) -> None:
    """Fork over whether an input object has the attribute, if that is open."""
    if not any(_may_be_open(st, each, name) for each in alternatives(st, value)):
        # Which object it is need not be decided.
        return
    value = resolve(st, value)
    heap = st.heap
    if not isinstance(value, Ref) or not value.input or type(heap.cells[value]) is not dict:
        return
    if name in heap.fields(value) or name in heap.first_fields(value):
        return
    if _is_open(st, heap.class_bound(value).bound, name):
        raise Fork((Has(value, name), Lacks(value, name)))


def _may_be_open(st: State, value: Value, name: str) -> bool:
    """Whether a value may be an object that has the attribute or lacks it."""
    if isinstance(value, Ref):
        return type(st.heap.cells[value]) is dict and _is_open(st, st.heap.class_bound(value).bound, name)
    if not isinstance(value, Unknown):
        return False
    kinds = st.heap.options(value)
    classes = (without_arguments(kind.name) for kind in kinds if isinstance(kind, ClassType))
    return ANY in kinds or any(_is_open(st, cls, name) for cls in classes)


def _is_open(st: State, cls: str, name: str) -> bool:
    """Whether the class leaves open whether its objects have the attribute."""
    program = program_of(st)
    if st.heap.inputs.hierarchy.plain_field(cls, name) is None or program.find_static(cls, name) is not None:
        return False
    made = any(program.find_method(cls, each) is not None for each in ("__getattr__", "__getattribute__"))
    settled = made or interface_of(cls) is not None or cls in st.heap.inputs.enumerations
    return not settled and not _sets(program, cls, name)


def _sets(program: Program, cls: str, name: str) -> bool:
    """Whether making an object of the class sets the attribute, or does something that is not known."""
    constructor = program.constructor_of(cls)
    if constructor is not None and (name in constructor.sets.values() or name in constructor.constants):
        return True
    lines = [program.classes[each] for each in program.mro(cls) if each in program.classes and each != "object"]
    if any(each.external or each.model for each in lines):
        return True
    instructions = list(_making(program, cls))
    return any(isinstance(i, SetField) and i.obj == 0 and i.name == name for i in instructions) or any(
        isinstance(i, CallNative) and i.name in (*_SETTING, "become") and i.args[:1] == (0,) for i in instructions
    )


def sets_computed_names(program: Program, cls: str) -> bool:
    """Whether making an object of the class sets attributes whose names the source does not say, as far as is known."""
    instructions = list(_making(program, cls))
    known = {i.dst for i in instructions if isinstance(i, Const)}
    return any(
        (isinstance(i, CallNative) and (i.name in _SETTING_ANY or (i.name in _SETTING and i.args[1] not in known)))
        or (isinstance(i, GetField) and i.name == "__dict__")
        for i in instructions
    )


def _making(program: Program, cls: str) -> Iterator[object]:
    """The instructions that are executed on an object of the class while it is made."""
    lines = [program.classes[each] for each in program.mro(cls) if each in program.classes]
    agenda = [method for each in lines for start in _MAKING if (method := each.methods.get(start)) is not None]
    seen: dict[tuple[str, str], None] = {}
    while agenda:
        method = agenda.pop()
        if (method.cls, method.name) not in seen:
            seen[method.cls, method.name] = None
            yield from _instructions(method)
            agenda += _called(program, cls, method)


def _called(program: Program, cls: str, method: Method) -> list[Method]:
    """The methods that are called on the same object."""
    found = []
    for instruction in _instructions(method):
        if isinstance(instruction, CallVirtual) and instruction.receiver == 0:
            found.append(program.find_method(cls, instruction.name))
        elif isinstance(instruction, CallStatic) and instruction.args[:1] == (0,):
            found.append(program.find_method(instruction.cls, instruction.name))
    return [each for each in found if each is not None]


def _instructions(method: Method) -> list[object]:
    return [instruction for block in method.blocks.values() for instruction in block.instructions]
