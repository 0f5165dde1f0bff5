"""Stand-ins: inputs of which only the calls are known, and every answer to a call is an input of its own.

An object of an interface, or a function that is passed in, has no code that could be followed. A path keeps a log of
the calls that such inputs have answered. An answer is a fresh value of the declared type, named after the call and
shared by all paths with the same calls before it, or an exception of a class that a handler around the call asks for. A
stand-in that is known to be pure gives the same answer to the same question.
"""

from __future__ import annotations

from typing import Protocol

from everypath.explore.answers import Answered, Log, Question, keep_log, log_of
from everypath.explore.handlers import Managing, callers, caught_around
from everypath.explore.objects import resolve
from everypath.explore.signals import Raise
from everypath.explore.state import State
from everypath.heap.alternatives import Bind
from everypath.heap.choice import Fork, decide
from everypath.heap.equality import equal
from everypath.heap.values import InputFunction, Ref, Unknown, Value
from everypath.ir.operands import reads, writes
from everypath.ir.types import ANY, Type
from everypath.records import fields

_ANSWERS = Unknown("<stand-ins>", ANY)


class Raising(Managing, Protocol):
    """What only a language knows about exceptions that a call may raise."""

    def make(self, st: State, cls: str, call: str) -> Ref:
        """An exception of a class for the call of this name; raises Unsupported if that needs more than is known."""


def ask(st: State, question: Question, type: Type, *, raising: Raising, pure: bool = False) -> Value:
    """The answer to a call; forks between the possible ones, and raises if the answer is an exception."""
    log = log_of(st)
    earlier = [c for c in log.calls if c.question.whom == question.whom and c.question.method == question.method]
    if pure:
        for call in earlier:
            if _asked_the_same(st, call.question, question):
                return call.answer
    name = name_of(question, len(earlier), pure)
    key = (question.whom, question.method, len(earlier))
    # Only exceptions that some handler tells apart are worth a path; any other one would just end it.
    caught = () if pure else tuple(caught_around(st, raising))
    if caught and (cls := _chosen(st, key, name, caught)) is not None:
        exception = raising.make(st, cls, name)
        keep_log(st, _with(log_of(st), Answered(question, exception, name, raised=True)))
        raise Raise(exception)
    value = st.heap.inputs.part(_ANSWERS, key, type, name)
    keep_log(st, _with(log, Answered(question, value, name, pure=pure, ignored=_is_ignored(st), unsure=_is_open(type))))
    return value


def _is_open(type: object) -> bool:
    """Whether nothing declares a type, or a part of it."""
    if isinstance(type, tuple):
        return any(map(_is_open, type))
    return type == ANY or (isinstance(type, Type) and any(_is_open(getattr(type, f.name)) for f in fields(type)))


def note_answer(st: State, question: Question, answer: Value) -> None:
    """Log a call whose answer is known in advance."""
    keep_log(st, _with(log_of(st), Answered(question, answer)))


def part_of_answer(st: State, call: str, name: str, type: Type) -> Value:
    """A fresh value that belongs to the answer of a call."""
    return st.heap.inputs.part(_ANSWERS, (call, name), type, f"{call}.{name}")


def _with(log: Log, call: Answered) -> Log:
    return Log((*log.calls, call), log.exact, log.named)


def name_of(question: Question, earlier: int, pure: bool) -> str:
    """The name of the answer: the call without its arguments, with a number from the second time on."""
    whom = question.whom
    place = whom.input if isinstance(whom, InputFunction) else whom.name
    place = f"{place}.{question.method}" if question.method else place
    if pure and not question.arguments:
        return place
    return f"{place}({earlier + 1})" if earlier else f"{place}()"


def _asked_the_same(st: State, one: Question, other: Question) -> bool:
    """Whether both questions have the same arguments; forks if that depends on the inputs."""
    if len(one.arguments) != len(other.arguments) or one.keywords or other.keywords:
        return False
    for left, right in zip(one.arguments, other.arguments):
        if left is not right and not decide(st.pc, equal(st.heap, resolve(st, left), resolve(st, right))):
            return False
    return True


def _chosen(st: State, key: tuple[object, ...], name: str, caught: tuple[str, ...]) -> str | None:
    """The class of the exception that the call raises on this path; None if it returns an answer."""
    unknown = st.heap.inputs.part(_ANSWERS, (*key, caught), ANY, f"what {name} raises")
    assert isinstance(unknown, Unknown)
    if unknown not in st.heap.bind:
        raise Fork(tuple(Bind(unknown, way) for way in ("", *caught)))
    chosen = st.heap.bind[unknown]
    assert isinstance(chosen, str)
    return chosen or None


def _is_ignored(st: State) -> bool:
    """Whether the call is a statement of its own, so that nothing reads its result."""
    frame, label, index, _ = next(callers(st))
    method = frame.code.method
    if method.model:
        return False
    result = writes(frame.code.instruction(label, index))
    everything = (i for block in method.blocks.values() for i in (*block.instructions, block.terminator))
    return not any(result in reads(instruction) for instruction in everything)
