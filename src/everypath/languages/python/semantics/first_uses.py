"""Inputs whose type nothing tells: what the code does first with one decides which values are tried.

Asking whether an input is true says nothing about its type, so there the code that follows is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from everypath.explore.state import State
from everypath.heap.alternatives import Narrow
from everypath.heap.choice import Fixed
from everypath.heap.equality import is_float, is_text
from everypath.heap.values import DictCell, ListCell, Ref, SliceValue, Unknown, Value
from everypath.ir.instructions import CallNative, CallVirtual, Const, ConstValue, GetItem, Reg, TypeTest
from everypath.ir.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    SOME,
    STR,
    ClassType,
    DictType,
    ListType,
    TupleType,
    Type,
    options_of,
)

_Taken = tuple[Type, str]
"""a type, and what its values are called"""

_MOST_TESTED = 4
_LARGEST = 8
"""Elements of the tuples that are tried where the code asks for one by its place."""
_KINDS: tuple[tuple[Type, str, type], ...] = (
    (STR, "texts", str),
    (DictType(STR, ANY), "dicts", dict),
    (ListType(ANY), "lists", list),
)


def take_for(st: State, value: Value, type_: Type, kind: str) -> None:
    """Go on with values of this type if nothing tells that of the input."""
    if st.heap.is_open(value):
        assert isinstance(value, Unknown)
        raise Fixed(f"nothing tells the type of {value.name}; {kind} are tried", (Narrow(value, (type_,)),))


def take_for_container(st: State, value: Value, index: Value) -> None:
    """The same for something that the code asks for an element."""
    if (found := _with_element(index)) is not None:
        take_for(st, value, *found)


def take_for_receiver(st: State, value: Value, method: str) -> None:
    """The same for something whose method is called: of the common types, the one that has it."""
    if (found := _with_method(method)) is not None:
        take_for(st, value, *found)


def take_for_like(st: State, value: Value, other: Value) -> None:
    """The same for something that is compared with a text or a number."""
    if is_text(other):
        take_for(st, value, STR, "texts")
    elif is_float(other):
        take_for(st, value, FLOAT, "floats")


def take_for_element(st: State, value: Value, container: Value) -> None:
    """The same for something that is looked for in a text or in a collection."""
    cell = st.heap.cells.get(container) if isinstance(container, Ref) else None
    match cell:
        case ListCell(items=held):
            others = held
        case DictCell(entries=entries):
            others = tuple(key for key, _ in entries)
        case _:
            others = container if isinstance(container, tuple) else (container,)
    for other in others:
        take_for_like(st, value, other)


def take_for_parameters(st: State, function: str, args: Sequence[Value]) -> None:
    """The same for what is given to a library function, which declares a plain type for it."""
    if not any(map(st.heap.is_open, args)):
        return
    # Few programs hand on what nobody knows the type of.
    from everypath.languages.python.frontend import typeshed

    signature = typeshed.signature(function)
    if signature is None:
        return
    for param, value in zip(signature.params, args):
        plain = next((each for each in options_of(signature.param_type(param)) if each in (STR, INT, FLOAT)), None)
        if plain is not None:
            take_for(st, value, plain, f"values of type {plain}")


def take_for_tested(st: State, value: Value, types: tuple[Type, ...]) -> None:
    """The same for something whose type is tested: each type that the running function asks it for, and another one."""
    if not st.heap.is_open(value):
        return
    assert isinstance(value, Unknown)
    asked = [*types]
    for instruction in _instructions_on(st, value):
        if isinstance(instruction, TypeTest):
            asked += instruction.types
    tried = dict.fromkeys(_completed(each) for each in asked if each not in (ANY, NONE, ClassType("object")))
    others = [each for each in (INT, STR, FLOAT) if each not in tried and not (each == INT and BOOL in tried)]
    options = tuple(Narrow(value, (each,)) for each in [*tried, *others[:1]][:_MOST_TESTED])
    raise Fixed(
        f"nothing tells the type of {value.name}; those that it is asked for and another one are tried", options
    )


def _completed(tested: Type) -> Type:
    """A type of which inputs can be made, for one that a test names."""
    return DictType(STR, ANY) if isinstance(tested, DictType) else tested


def _instructions_on(st: State, value: Unknown) -> Iterator[object]:
    """The instructions of the running function that work with an input which it holds in a register."""
    if st.frame is None:
        return
    method = st.frame.code.method
    held = {register for register, content in enumerate(st.regs[: method.registers]) if content is value}
    for block in method.blocks.values():
        yield from (each for each in block.instructions if isinstance(each, TypeTest) and each.obj in held)


def take_for_later_use(st: State, value: Value) -> None:
    """Go on with None and with values of the type for which the running function uses the input elsewhere."""
    if not st.heap.is_open(value):
        return
    assert isinstance(value, Unknown) and st.frame is not None
    method = st.frame.code.method
    held = {register for register, content in enumerate(st.regs[: method.registers]) if content is value}
    for block in method.blocks.values():
        constants = {i.dst: i.value for i in block.instructions if isinstance(i, Const)}
        for instruction in block.instructions:
            found = _used_for(instruction, held, constants)
            if found is not None:
                nothing = () if st.heap.options(value) == (SOME,) else (NONE,)
                tried = f"None and {found[1]}" if nothing else found[1]
                what = f"nothing tells the type of {value.name}; {tried} are tried"
                raise Fixed(what, (Narrow(value, (*nothing, found[0])),))


def _used_for(instruction: object, held: set[Reg], constants: Mapping[Reg, ConstValue]) -> _Taken | None:
    """What an instruction takes one of the registers for."""
    match instruction:
        case GetItem(obj=obj, index=index) if obj in held and index in constants:
            return _with_element(constants[index])
        case CallVirtual(receiver=receiver, name=name) if receiver in held:
            return _with_method(name)
        case CallNative(name="unpack", args=(obj, count)) if obj in held and isinstance(constants.get(count), int):
            return _tuple_of(cast(int, constants[count]))
        case CallNative(name="iter", args=(obj,)) if obj in held:
            return ListType(ANY), "lists"
    return None


def _with_element(index: object) -> _Taken | None:
    if type(index) is int and 0 <= index < _LARGEST:
        return _tuple_of(index + 1)
    if type(index) is int or isinstance(index, SliceValue):
        return ListType(ANY), "lists"
    return (DictType(STR, ANY), "dicts") if isinstance(index, str) else None


def _tuple_of(count: int) -> _Taken:
    return TupleType((ANY,) * count), f"tuples of {count}"


def _with_method(name: str) -> _Taken | None:
    return next(((type_, kind) for type_, kind, real in _KINDS if hasattr(real, name)), None)
