"""Whether an error is about a value whose type was guessed: then it refutes the guess and shows no fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from everypath.explore.answers import log_of
from everypath.explore.outcomes import Uncaught
from everypath.explore.state import State
from everypath.heap.values import (
    BoundMethod,
    DictCell,
    InputFunction,
    IteratorCell,
    ListCell,
    OneOf,
    Ref,
    Unknown,
    Value,
)
from everypath.ir.instructions import Param
from everypath.ir.program import Program
from everypath.ir.types import (
    ANY,
    ArrayType,
    ClassType,
    DictType,
    ListType,
    SetType,
    TupleType,
    Type,
    options_of,
)
from everypath.logic.nodes import variables
from everypath.logic.terms import Term

_STEP = re.compile(r"\.(?P<field>[A-Za-z_]\w*)|\[")
_MEASURE = re.compile(r"^\w+\((.*)\)$")
_DEEPEST = 3


def refuted_guesses(st: State, params: Sequence[Param]) -> tuple[str, ...]:
    """The parameters, and fields as `Class.field`, whose guessed types a type error on this path is about."""
    outcome, program = st.outcome, st.heap.inputs.program
    type_errors = (program.profile.type_error, program.profile.attribute_error)
    if not isinstance(outcome, Uncaught) or not outcome.implicit or outcome.cls not in type_errors:
        return ()
    values = outcome.origin.operands
    if not outcome.origin.called:
        # What is assigned to an attribute is never to blame for its absence; where one value is null, that is wrong.
        nulls = tuple(value for value in values if st.heap.settled(value) is None)
        values = values[:1] if outcome.cls == program.profile.attribute_error else nulls or values
    # A parameter that is null because null is its default is no guess.
    sure = {param.name for param in params if param.default is None}
    values = tuple(value for value in values if not _is_default(st, value, sure))
    names = dict.fromkeys(name for value in values for name in _names(st, value, 0))
    declared = {param.name: param for param in params}
    unsure = tuple(call.name for call in log_of(st).calls if call.unsure)
    found = (
        next((call for call in unsure if name.startswith(call)), None) or _guessed(program, declared, name)
        for name in names
    )
    return tuple(dict.fromkeys(name for name in found if name is not None))


def is_about_guessed_content(st: State, params: Sequence[Param]) -> bool:
    """Whether an error says what a collection does not hold that is an input of a guessed type: nobody promised it."""
    outcome, profile = st.outcome, st.heap.inputs.program.profile
    about_content = (profile.key_error, profile.index_error, profile.value_error)
    if not isinstance(outcome, Uncaught) or not outcome.implicit or outcome.cls not in about_content:
        return False
    guessed = {param.name for param in params if param.guessed}
    return any(name in guessed for value in outcome.origin.operands[:1] for name in _names(st, value, 0))


def _is_default(st: State, value: Value, names: set[str]) -> bool:
    return isinstance(value, Unknown) and value.name in names and st.heap.settled(value) is None


def _names(st: State, value: Value, depth: int) -> Iterator[str]:
    match value:
        case Term():
            yield from sorted(variable.name for variable in variables(value))
        case Unknown():
            yield value.name
        case InputFunction():
            yield value.input
        case Ref(name=name, input=True):
            yield name
        case Ref() | tuple() | OneOf() | BoundMethod() if depth < _DEEPEST:
            for part in _parts(st, value):
                yield from _names(st, part, depth + 1)
        case _ if value is not None and not isinstance(value, (bool, int)):
            # One of a few values that were tried for an input is that input.
            yield from (unknown.name for unknown, bound in st.heap.bind.items() if bound is value)


def _parts(st: State, value: Ref | tuple[Value, ...] | OneOf | BoundMethod) -> tuple[Value, ...]:
    if isinstance(value, OneOf):
        return value.values()
    if isinstance(value, BoundMethod):
        return (value.receiver,)
    if isinstance(value, tuple):
        return value
    match st.heap.cells.get(value):
        case ListCell(items=parts) | IteratorCell(parts=parts):
            return parts
        case DictCell(entries=entries):
            return tuple(value for _, value in entries)
    return ()


def _guessed(program: Program, params: dict[str, Param], name: str) -> str | None:
    """What was guessed first on the way from a parameter to one of its parts; None if all of it was declared."""
    # The number that stands for a date is named after it.
    name = _MEASURE.sub(r"\1", name)
    steps = _STEP.split(name)
    param = params.get(root := re.split(r"[.\[]", name, maxsplit=1)[0])
    if param is None:
        return None
    if param.guessed:
        return root
    types = options_of(param.type)
    for field_name in steps[1::2]:
        if field_name is None:
            types = tuple(part for type_ in types for part in options_of(_element(type_)))
            continue
        fields = [(t.name, program.find_field(t.name, field_name)) for t in types if isinstance(t, ClassType)]
        known = [(owner, field) for owner, field in fields if field is not None]
        if wrong := next((owner for owner, field in known if field.guessed), None):
            return f"{wrong.rpartition('.')[2]}.{field_name}"
        types = tuple(option for _, field in known for option in options_of(field.type)) or types
    return None


def _element(type_: Type) -> Type:
    match type_:
        case ListType(element) | ArrayType(element) | SetType(element) | DictType(_, element):
            return element
        case TupleType(elements, rest):
            return rest or (elements[0] if elements else ANY)
    return ANY
