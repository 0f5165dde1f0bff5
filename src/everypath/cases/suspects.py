"""Errors that a person may have to look at: which paths end with one, or show something else that is wrong.

An error is suspect if the runtime raised it and not the program on purpose, or if an assertion fails. What a called
function refuses about a text or a number (`int("x")`) is raised on purpose as well, by that function.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from everypath.cases import model
from everypath.errors import Span
from everypath.explore.outcomes import Uncaught
from everypath.explore.remarks import remarks_of
from everypath.explore.search.exploration import Call
from everypath.explore.semantics import MISUSE
from everypath.explore.state import State
from everypath.heap.values import DictCell, InputFunction, ListCell, OpenList, Ref, Unknown, Value
from everypath.ir.instructions import Param
from everypath.ir.names import interface_of, without_arguments
from everypath.ir.program import Profile
from everypath.ir.types import ANY, NONE, ClassType, Scalar, Type, options_of
from everypath.logic.terms import Var
from everypath.records import replace


def suspect(state: State, entry: model.Entry) -> model.Finding | None:
    """The error with which the path ends, if nobody raised it on purpose; else the first remark about the path."""
    error = _error(state, entry)
    if error is not None:
        return error
    told = next(remarks_of(state), None)
    return model.Finding(told.kind, told.message, told.span.file, told.span.line, entry.qualified) if told else None


def _error(state: State, entry: model.Entry) -> model.Finding | None:
    outcome = state.outcome
    if not isinstance(outcome, Uncaught) or not isinstance(outcome.exception, Ref):
        return None
    fields = state.heap.fields(outcome.exception)
    # What a model raises in the end is about the function that was called.
    span = Span(entry.file, entry.line) if outcome.span.file.startswith("<") else outcome.span
    function = outcome.origin.method
    if "$assert" in fields:
        return model.Finding("assertion", "the assertion can fail", span.file, span.line, function)
    program = state.heap.inputs.program
    contracts = program.profile.contract_errors.split()
    if any(name in contracts for cls in program.mro(outcome.cls) for name in (cls, cls.rpartition(".")[2])):
        return model.Finding("contract", "the contract on this line can be broken", span.file, span.line, function)
    answers = f"{entry.name}:{outcome.cls}" in state.heap.inputs.program.profile.protocols.split()
    if not outcome.implicit or MISUSE in fields or answers or _refuses(state, outcome) or _is_misnamed(state, outcome):
        return None
    if _is_announced(state, outcome) or _is_the_librarys(state, outcome):
        return None
    args = fields.get("args")
    detail = f": {args[0]}" if isinstance(args, tuple) and args and isinstance(args[0], str) else ""
    return model.Finding("runtime-error", f"{outcome.cls}{detail}", span.file, span.line, function)


def _refuses(state: State, outcome: Uncaught) -> bool:
    """Whether a called function refuses such a text, number or bytes; an empty list is another matter.

    A number that is too large for arithmetic as such is the caller's affair, whoever says so.
    """
    profile, program = state.heap.inputs.program.profile, state.heap.inputs.program
    classes = program.mro(outcome.cls)
    if not outcome.origin.called:
        return profile.size_error in classes
    given = [_bound(state, value) for value in outcome.origin.operands]
    own = _errors_of_the_language(profile).isdisjoint(classes)
    if own and profile.value_error in classes[1:] and not all(isinstance(value, Ref) for value in given):
        # A kind of its own for what it cannot read: that names of parameters come along says nothing.
        return True
    if any(_is_collection(state, value) for value in given):
        return False
    if outcome.cls == profile.lookup_error or not {profile.value_error, profile.size_error}.isdisjoint(classes):
        return True
    # An error of the function's own, such as that of bytes which are no archive; what it says of objects may be
    # the caller's mistake (there is no next one), and errors of the language are one always.
    return own and not any(isinstance(v, Ref) for v in given)


def _errors_of_the_language(profile: Profile) -> set[str]:
    return {
        profile.null_error,
        profile.attribute_error,
        profile.index_error,
        profile.key_error,
        profile.division_error,
        profile.type_error,
        profile.cast_error,
        profile.name_error,
        profile.assertion_error,
    }


def _is_the_librarys(state: State, outcome: Uncaught) -> bool:
    """Whether the error is about a value that a library, whose code is followed, made itself from what it was given.

    That is how the library refuses: a regular expression of its own does not match, a table of its own lacks the key.
    """
    classes = state.heap.inputs.program.classes
    innermost = next(outcome.origin.stack(), None)
    if innermost is None or not classes[innermost.method.cls].library:
        return False
    if any(_is_collection(state, value) for value in outcome.origin.operands):
        return False
    # Only such errors raise the question.
    from everypath.explore.provenance import handed_over
    from everypath.ir.operands import reads

    blamed = reads(innermost.instruction)
    return not handed_over(outcome.origin, blamed, lambda method: classes[method.cls].library or method.model)


def _is_announced(state: State, outcome: Uncaught) -> bool:
    """Whether a function under way is documented to raise the error, so that its callers expect it."""
    announced = frozenset[str]().union(*(each.method.announced for each in outcome.origin.stack()))
    if not announced:
        return False
    classes = state.heap.inputs.program.mro(outcome.cls)
    return not announced.isdisjoint(cls.rpartition(".")[2] for cls in classes)


def _is_misnamed(state: State, outcome: Uncaught) -> bool:
    """Whether the error says that what a computed name stands for is missing, or is something else than expected."""
    profile = state.heap.inputs.program.profile
    if not profile.lookups or outcome.cls not in (profile.attribute_error, profile.type_error):
        return False
    # Only such errors raise the question.
    from everypath.explore.provenance import looked_up
    from everypath.ir.operands import reads

    innermost = next(outcome.origin.stack(), None)
    blamed = () if innermost is None else reads(innermost.instruction)[:1]
    return looked_up(outcome.origin, blamed, profile.lookups.split())


def _is_collection(state: State, value: Value) -> bool:
    value = _bound(state, value)
    cell = state.heap.cells.get(value) if isinstance(value, Ref) else None
    return isinstance(value, tuple) or isinstance(cell, (ListCell, OpenList, DictCell))


def _bound(state: State, value: Value) -> Value:
    while isinstance(value, Unknown) and value in state.heap.bind:
        value = state.heap.bind[value]
    return value


def is_overridden(state: State, call: Call) -> bool:
    """Whether the object's class overrides the method under test, so that callers never get there."""
    if call.constructs is not None or call.method.kind not in ("instance", "property") or not call.values:
        return False
    receiver = _bound(state, call.values[0])
    if not isinstance(receiver, Ref):
        return False
    reached = state.heap.inputs.program.find_method(state.heap.class_bound(receiver).bound, call.method.name)
    return reached is not None and reached.cls != call.method.cls


def mark_made_anew(state: State) -> str | None:
    """The class of an input of which the program makes the only objects itself; None where there is no such input."""
    program = state.heap.inputs.program
    if not any(cls.kept for cls in program.classes.values()):
        return None
    for ref in state.heap.cells:
        if ref.input and ref.cls in program.classes and program.classes[state.heap.class_bound(ref).bound].kept:
            return ref.cls
    return None


def fits_no_overload(state: State, call: Call) -> bool:
    """Whether the arguments are none of the combinations that the function declares one by one."""
    method = call.method
    given = list(zip(method.params[len(method.params) - len(call.values) :], call.values))
    return bool(method.overloads) and not any(
        all(_admits(state, param, overload.get(param.name), _bound(state, value)) for param, value in given)
        for overload in method.overloads
    )


def _admits(state: State, param: Param, declared: Type | None, value: Value) -> bool:
    """Whether an overload that declares the parameter with this type, or not at all, takes the value."""
    kinds = _kinds(state, value)
    if declared is None:
        return NONE in kinds or param.default is not None
    return ANY in (declared, *kinds) or any(_meet(state, a, b) for a in kinds for b in options_of(declared))


def _kinds(state: State, value: Value) -> tuple[Type, ...]:
    """The types that a value may have; ANY where they are not told apart here."""
    if value is None:
        return (NONE,)
    if isinstance(value, Unknown):
        return state.heap.options(value)
    if isinstance(value, Ref) and type(state.heap.cells.get(value)) is dict:
        cls = state.heap.class_bound(value).bound
        return (ClassType(interface_of(cls) or cls),)
    return (_OTHER,)


_OTHER = Scalar("other")


def _meet(state: State, kind: Type, declared: Type) -> bool:
    """Whether a value can be of both types; only objects of classes and null are told from others."""
    if isinstance(kind, ClassType) and isinstance(declared, ClassType):
        program = state.heap.inputs.program
        one, other = without_arguments(kind.name), without_arguments(declared.name)
        return program.is_subclass(one, other) or program.is_subclass(other, one)
    return isinstance(kind, ClassType) == isinstance(declared, ClassType) and (kind == NONE) == (declared == NONE)


def given_params(call: Call) -> list[Param]:
    """The parameters that get inputs, including those of calls that make objects, under the names of the inputs.

    A parameter whose tuple or list is put together from several inputs is there once for each of them.
    """
    params = list(call.method.params)
    made = call.made
    lists = {} if made is None else {ref: values for ref, _, values in made.lists}
    for step in made.steps if made is not None else ():
        for param, value in zip(step.method.params[1:], step.values) if step.method is not None else ():
            # An element of an input is named after it: `value[0]` is one of `value`.
            roots = dict.fromkeys(name.partition("[")[0] for name in _names(value, lists))
            params += [replace(param, name=name) for name in roots]
    return params


def _names(value: Value, lists: Mapping[Ref, tuple[Value, ...]]) -> Iterator[str]:
    """The inputs that a value is, or is put together from."""
    match value:
        case Var(name=name) | Unknown(name=name) | InputFunction(input=name):
            yield name
        case tuple() as items:
            for item in items:
                yield from _names(item, lists)
        case Ref():
            for item in lists.get(value, ()):
                yield from _names(item, lists)
