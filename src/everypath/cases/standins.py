"""How the stand-ins of a path become part of a case: what they answer, and what they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from everypath.cases import model
from everypath.cases.describing import Describer, Walk, WalkBefore
from everypath.errors import Unsupported
from everypath.explore.answers import Answered, Whom, log_of
from everypath.heap.values import InputFunction, Ref
from everypath.heap.values import Value as Symbolic
from everypath.ir import types
from everypath.ir.names import interface_of, without_arguments
from everypath.records import replace


class Describing(WalkBefore, Protocol):
    """The walk before the call, as far as stand-ins need it."""

    describer: Describer
    ids: dict[Ref, str]

    def named_class(self, name: str) -> model.Named:
        """A class by its module and name."""

    def default(self, type: types.Type, name: str) -> model.Value:
        """The simplest value of a type."""


class DescribingAfter(Walk, Describing, Protocol):
    """The walk after the call."""


def function_value(walk: Describing, function: InputFunction) -> model.Value:
    """A function that is an input, with its answers."""
    # What it gives has names of its own, such as `f()`.
    name = function.input
    if name not in walk.before:
        taken = function.type.parameters
        assert isinstance(taken, types.TupleType)
        log = log_of(walk.state)
        # Taken before the answers are described, which may hold the function itself.
        walk.before[name] = walk.after[name] = model.StandInState("", "")
        walk.before[name] = walk.after[name] = model.StandInState(
            "",
            "",
            answers=_answers(walk, function),
            takes=None if taken.rest is not None else len(taken.elements),
            strict=function in log.exact,
            name=function.input.rpartition(".")[2] if function in log.named else "",
            awaited=("",) if isinstance(function.type.result, types.FutureType) else (),
        )
    return model.Pointer(name)


def object_state(walk: Describing, ref: Ref, cls: str, content: Mapping[str, Symbolic]) -> model.StandInState:
    """The stand-in for an object of an interface, with its fields and answers."""
    interface = interface_of(cls)
    assert interface is not None
    named = walk.named_class(without_arguments(interface))
    fields = [(field, walk.first(content[field])) for field in walk.program.all_fields(cls) if field in content]
    computed = [c for c in _calls(walk, ref) if c.pure and not c.question.arguments and _is_computed(walk, cls, c)]
    fields += [(call.question.method, walk.first(call.answer)) for call in computed]
    answers = _answers(walk, ref, cls)
    methods = walk.program.classes[cls].methods
    awaited = tuple(name for name, _ in answers if isinstance(methods[name].returns, types.FutureType))
    strict = ref in log_of(walk.state).exact
    return model.StandInState(named.name, named.module, tuple(fields), answers, strict=strict, awaited=awaited)


def changed_object(walk: DescribingAfter, name: str, cell: Mapping[str, Symbolic]) -> model.HeapState:
    """The stand-in after the call: its attributes may have been assigned."""
    before = walk.before[name]
    assert isinstance(before, model.StandInState)
    fields = dict(before.fields)
    fields.update({field: walk.last(value) for field, value in cell.items() if not field.startswith("$")})
    return replace(before, fields=tuple(fields.items()))


def asked_calls(walk: DescribingAfter) -> tuple[model.Asked, ...]:
    """What the code asked its stand-ins, if that is more than reading an attribute."""
    asked = []
    for call in log_of(walk.state).calls:
        question = call.question
        if call.pure:
            continue
        keywords = tuple((name, _argument(walk, value)) for name, value in question.keywords)
        arguments = tuple(_argument(walk, value) for value in question.arguments)
        asked.append(model.Asked(_id(walk, question.whom), question.method, arguments, keywords))
    return tuple(asked)


def _id(walk: DescribingAfter, whom: Whom) -> str:
    value = walk.last(whom)
    assert isinstance(value, model.Pointer)
    return value.id


def _argument(walk: DescribingAfter, value: Symbolic) -> model.Value:
    try:
        return walk.last(value)
    except Unsupported:
        # It cannot be written down, so the test does not ask what it is.
        return model.Opaque("anything")


def _calls(walk: Describing, whom: Whom) -> list[Answered]:
    return [call for call in log_of(walk.state).calls if call.question.whom == whom]


def _is_computed(walk: Describing, cls: str, call: Answered) -> bool:
    method = walk.program.find_method(cls, call.question.method)
    return method is not None and method.kind == "property"


def _answers(walk: Describing, whom: Whom, cls: str = "") -> tuple[tuple[str, tuple[model.Answer, ...]], ...]:
    """The answers of each method in the order of its calls, without methods whose answers nobody looks at."""
    calls: dict[str, list[Answered]] = {}
    for call in _calls(walk, whom):
        if not (cls and _is_computed(walk, cls, call)):
            calls.setdefault(call.question.method, []).append(call)
    return tuple(
        (method, tuple(_answer(walk, call) for call in given))
        for method, given in calls.items()
        if not all(call.ignored for call in given)
    )


def _answer(walk: Describing, call: Answered) -> model.Answer:
    if not call.raised:
        return model.Gives(walk.first(call.answer))
    assert isinstance(call.answer, Ref)
    arguments, keywords = walk.describer.raised(walk, call.answer)
    cls = walk.named_class(call.answer.cls)
    named = tuple((name, walk.first(value)) for name, value in keywords.items())
    return model.Throws(cls.name, cls.module, tuple(map(walk.first, arguments)), named)
