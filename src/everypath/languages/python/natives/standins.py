"""What stand-ins do when Python code calls them: the test puts mocks and small functions in their place.

Objects of an interface get a class of their own from the front end, each method of which is one call of `answer`.
Functions come here through the model `ask_function`.
"""

from __future__ import annotations

from everypath.explore.answers import Question, note_exact
from everypath.explore.objects import class_of, program_of, resolve
from everypath.explore.signals import Fault
from everypath.explore.standins import ask, note_answer
from everypath.explore.state import State
from everypath.heap.values import InputFunction, Ref, Value
from everypath.ir.names import interface_of, without_arguments
from everypath.ir.program import Method
from everypath.ir.types import ClassType, FutureType, TupleType, Type
from everypath.languages.python.natives.outside import only_if
from everypath.languages.python.natives.raising import RAISING
from everypath.languages.python.semantics.arguments import bind_arguments, spread_arguments
from everypath.languages.python.semantics.kinds import reference
from everypath.languages.python.semantics.registry import native
from everypath.logic import terms
from everypath.logic.terms import Term

PURE = frozenset("__len__ __bool__ __contains__ __eq__ __ne__ __hash__ __lt__ __le__ __gt__ __ge__".split())
"""Methods that give the same for the same arguments, as properties do."""
_ITSELF = frozenset("__enter__ __aenter__".split())
"""Methods that give the object itself where they are declared to give one of its class."""


@native("answer")
def answer(st: State, whom: Value, name: str, args: tuple[Value, ...], named: Value) -> Value:
    """What a method of a stand-in gives, a property as well."""
    ref = reference(resolve(st, whom))
    program, cls = program_of(st), class_of(st, ref)
    method = program.classes[cls].methods[name]
    given, keywords = spread_arguments(st, args, named)
    question = Question(ref, name, tuple(given), tuple(keywords.items()))
    interface = interface_of(cls)
    assert interface is not None
    declared = program.find_method(interface, name)
    if declared is not None and declared.kind == "instance" and not declared.model:
        _check(st, declared, ref, given, keywords)
    if name in _ITSELF and _is_itself(method.returns, interface):
        note_answer(st, question, ref)
        return ref
    pure = method.kind == "property" or name in PURE
    value = ask(st, question, _given(method.returns), raising=RAISING, pure=pure)
    if name == "__len__" and isinstance(value, Term):
        only_if(st, terms.le(0, value))
    return value


@native("answer_of_function")
def answer_of_function(st: State, function: InputFunction, args: tuple[Value, ...], named: Value) -> Value:
    """What a function gives that is an input."""
    given, keywords = spread_arguments(st, args, named)
    taken = function.type.parameters
    assert isinstance(taken, TupleType)
    if taken.rest is None and (len(given) != len(taken.elements) or keywords):
        note_exact(st, function)
        count = len(taken.elements)
        raise Fault("TypeError", f"the function takes {count} positional arguments but {len(given)} were given")
    question = Question(function, "", tuple(given), tuple(keywords.items()))
    return ask(st, question, _given(function.type.result), raising=RAISING)


def _is_itself(result: Type, interface: str) -> bool:
    return isinstance(result, ClassType) and without_arguments(result.name) == without_arguments(interface)


def _given(result: Type) -> Type:
    """What the caller gets in the end."""
    return result.result if isinstance(result, FutureType) else result


def _check(st: State, declared: Method, ref: Ref, given: list[Value], keywords: dict[str, Value]) -> None:
    """The TypeError of a call that does not fit the declaration."""
    try:
        bind_arguments(st, declared, [ref, *given], keywords)
    except Fault:
        note_exact(st, ref)
        raise
