"""Whether an error is about a value whose type was guessed: then the error refutes the guess and shows no fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from everypath.explore.answers import log_of
from everypath.explore.outcomes import Origin, Uncaught
from everypath.explore.provenance import arguments_behind, behind, deciding
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
from everypath.ir.instructions import Param, Reg
from everypath.ir.operands import reads
from everypath.ir.program import Field, Program
from everypath.ir.types import (
    ANY,
    ArrayType,
    ClassType,
    DictType,
    FunctionType,
    ListType,
    Scalar,
    SetType,
    TupleType,
    Type,
    options_of,
)
from everypath.logic.nodes import variables
from everypath.logic.terms import Term

_STEP = re.compile(r"\.(?P<field>[A-Za-z_]\w*)|\[|\(")
_ROOT = re.compile(r"[.\[(]")
_MEASURE = re.compile(r"^\w+\((.+)\)$")
_DEEPEST = 3
_QUOTED = re.compile(r"'(\w+)'")
_SCALARS = frozenset(("int", "bool", "str", "float", "bytes"))
"""Types that messages call as they are called here."""


def refuted_guesses(st: State, params: Sequence[Param]) -> tuple[str, ...]:
    """The parameters, and fields as `Class.field`, whose guessed types a type error on this path is about."""
    outcome, profile = st.outcome, st.heap.inputs.program.profile
    if not isinstance(outcome, Uncaught) or not outcome.implicit:
        return ()
    if outcome.cls not in (profile.type_error, profile.attribute_error):
        return ()
    origin = outcome.origin
    values = origin.operands
    if not origin.called:
        # What is assigned to an attribute is never to blame for its absence; where one value is null, that is wrong.
        nulls = tuple(value for value in values if st.heap.settled(value) is None)
        values = values[:1] if outcome.cls == profile.attribute_error else nulls or values
    guesses = _Guesses(st, params, wide=True)
    # An attribute is missing in what it is asked of, which comes first, and only seldom in what a method is given.
    asked = guesses.among(values[:1]) if outcome.cls == profile.attribute_error else ()
    return asked or guesses.among(values) or guesses.behind(origin, values)


def to_blame(names: tuple[str, ...], params: Sequence[Param], message: str) -> tuple[str, ...]:
    """Those of the guesses that a message about types can mean: one that complains about a text means no number."""
    complained = set(_QUOTED.findall(message))
    plain = {param.name: {each.name for each in options_of(param.type) if isinstance(each, Scalar)} for param in params}
    whole = {param.name for param in params if len(plain[param.name]) == len(options_of(param.type))}
    if not complained & _SCALARS:
        return names
    return tuple(name for name in names if name not in whole or plain[name] & complained) or names


def is_about_guessed_content(st: State, params: Sequence[Param]) -> bool:
    """Whether an error or assertion says what an input of a guessed type does not hold: nobody promised it."""
    outcome, profile = st.outcome, st.heap.inputs.program.profile
    if not isinstance(outcome, Uncaught):
        return False
    guesses = _Guesses(st, params, wide=False)
    if not outcome.implicit:
        tested = deciding(outcome.origin)
        return any(not _is_field(name) for name in guesses.computed(outcome.origin, tested))
    about_content = (profile.key_error, profile.index_error, profile.value_error, profile.end_error)
    origin = outcome.origin
    asked = origin.operands[:1]
    if outcome.cls == profile.attribute_error and any(isinstance(st.heap.settled(v), InputFunction) for v in asked):
        # Anything that can be called may be given, and what else it has nobody declares.
        return True
    if outcome.cls == profile.key_error and _asks_a_record(st, origin, params):
        return True
    names = guesses.among(origin.operands) or guesses.behind(origin, origin.operands)
    # What the fields of an object hold is a question of its state.
    return outcome.cls in about_content and any(not _is_field(name) for name in names)


def _asks_a_record(st: State, origin: Origin, params: Sequence[Param]) -> bool:
    """Whether a key is missing in a dict of values of any type that a caller gives, or in what is made of such a dict.

    It is a record, whose fields nobody has declared: that the code asks for one says that it has to be there.
    """
    operands = origin.operands
    if len(operands) < 2:
        return False
    records = {param.name for param in params if any(map(_is_record, options_of(param.type)))}
    asked = reads(next(origin.stack()).instruction)[:1] if records else ()
    if records and not records.isdisjoint(arguments_behind(origin, asked)):
        return True
    if not isinstance(operands[1], str):
        return False
    given = st.heap.settled(operands[0])
    cell = st.heap.cells.get(given) if isinstance(given, Ref) and given.input else None
    # What is declared key by key lacks only what it may lack, and nothing is found out to be absent.
    return isinstance(cell, DictCell) and cell.value == ANY and operands[1] in cell.absent


def _is_record(type_: Type) -> bool:
    return isinstance(type_, DictType) and type_.value == ANY


def _is_field(name: str) -> bool:
    """Whether a guess is about a field, `Class.field`; what a call gives is named after the call: `self.load()`."""
    return "." in name and not name.endswith(")")


class _Guesses:
    """What was guessed of the inputs of one path."""

    def __init__(self, st: State, params: Sequence[Param], *, wide: bool) -> None:
        self._st = st
        self._wide = wide
        """whether one type in place of many that are declared counts as a guess, too"""
        self._params = {param.name: param for param in params}
        self._unsure = tuple(call.name for call in log_of(st).calls if call.unsure)
        # A parameter that is null because null is its default is no guess.
        self._sure = {param.name for param in params if param.default is None}

    def among(self, values: Sequence[Value]) -> tuple[str, ...]:
        """The guesses that these values are about."""
        names = (name for value in values if not self._is_default(value) for name in _names(self._st, value, 0))
        return self._guessed(names)

    def behind(self, origin: Origin, values: Sequence[Value]) -> tuple[str, ...]:
        """The guesses that led to those of the values which do not tell where they come from."""
        silent = [value for value in values if value is not None and not any(_names(self._st, value, 0))]
        operands = zip(reads(next(origin.stack()).instruction), origin.operands) if silent else ()
        return self.computed(origin, [register for register, value in operands if any(value is s for s in silent)])

    def computed(self, origin: Origin, registers: Sequence[Reg]) -> tuple[str, ...]:
        """The guesses that some registers were computed from."""
        if not registers:
            return ()
        # Nobody knows any more what an iterator was made of that is used up after the call.
        late = all(activation.method.model for activation in origin.stack())
        given = self._guessed(self._params if late else arguments_behind(origin, registers))
        return tuple(dict.fromkeys((*given, *self.among(tuple(behind(origin, registers))))))

    def _guessed(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(found for name in names if (found := self._guess_of(name)) is not None))

    def _guess_of(self, name: str) -> str | None:
        unsure = next((call for call in self._unsure if name.startswith(call)), None)
        return unsure or _guessed(self._st.heap.inputs.program, self._params, name, self._wide)

    def _is_default(self, value: Value) -> bool:
        return isinstance(value, Unknown) and value.name in self._sure and self._st.heap.settled(value) is None


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


def _guessed(program: Program, params: dict[str, Param], name: str, wide: bool) -> str | None:
    """What was guessed first on the way from a parameter to one of its parts; None if all of it was declared.

    What is declared as a collection without saying of what, such as `dict`, leaves its parts to guesses.
    """
    # The number that stands for a date is named after it.
    name = _MEASURE.sub(r"\1", name)
    param = params.get(root := _ROOT.split(name, maxsplit=1)[0])
    if param is None:
        return None
    if param.guessed or (wide and param.wide):
        return root
    return _guessed_part(program, param, _STEP.split(name)[1::2], wide)


def _guessed_part(program: Program, param: Param, steps: Sequence[str | None], wide: bool) -> str | None:
    """The same for the part of a parameter to which these fields lead; None stands for an element or a result."""
    types, declared, keys = options_of(param.type), param.name, False
    for field_name in steps:
        if field_name is None:
            types = tuple(part for type_ in types for part in options_of((_key if keys else _element)(type_)))
            if ANY in types:
                return declared
        keys = field_name == "keys" and any(isinstance(type_, (DictType, SetType)) for type_ in types)
        known = [] if keys or field_name is None else list(_fields(program, types, field_name))
        if wrong := next((owner for owner, field in known if field.guessed or (wide and field.wide)), None):
            return f"{wrong.rpartition('.')[2]}.{field_name}"
        if known:
            declared = f"{known[0][0].rpartition('.')[2]}.{field_name}"
            types = tuple(option for _, field in known for option in options_of(field.type))
        elif field_name is not None:
            # What a call gives is as much declared as the method says.
            types = _methods(program, types, field_name)
    return None


def _fields(program: Program, types: Iterable[Type], name: str) -> Iterator[tuple[str, Field]]:
    """The fields of a name in those of the types that are classes, each with its class."""
    for type_ in types:
        field = program.find_field(type_.name, name) if isinstance(type_, ClassType) else None
        if isinstance(type_, ClassType) and field is not None:
            yield type_.name, field


def _methods(program: Program, types: tuple[Type, ...], name: str) -> tuple[Type, ...]:
    """What the methods of a name are, in those of the types that are classes; the types if there is none."""
    found = (program.find_method(type_.name, name) for type_ in types if isinstance(type_, ClassType))
    return tuple(FunctionType(each.returns, TupleType((), ANY)) for each in found if each is not None) or types


def _key(type_: Type) -> Type:
    return type_.key if isinstance(type_, DictType) else _element(type_)


def _element(type_: Type) -> Type:
    match type_:
        case ListType(element) | ArrayType(element) | SetType(element) | DictType(_, element):
            return element
        case TupleType(elements, rest):
            return rest or (elements[0] if elements else ANY)
        case FunctionType(result):
            return result
    return ANY
