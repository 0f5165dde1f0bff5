"""Generators and coroutines: a method activation that is put aside at a `yield` and taken up again later.

A generator is an object whose hidden fields hold the method of its body with the arguments, and the activation while it
is suspended. Its methods (`__next__`, `send`, ...) are models in the source language; two calls of them mean more than
that and end here: `__step__` goes on with the body, `__yield__` leaves it. A step gives the pair (True, element)
or (False, returned value).
"""

from __future__ import annotations

from functools import partial

from everypath.errors import Span, Unsupported
from everypath.explore.calls import Calls
from everypath.explore.objects import program_of, resolve, short
from everypath.explore.signals import Fault, Invoke, Raise
from everypath.explore.state import Compiled, Frame, Segment, State
from everypath.heap.choice import Fork
from everypath.heap.heap import Heap
from everypath.heap.values import UNBOUND, IteratorCell, LanguageValue, Ref, Value
from everypath.ir.instructions import FunctionRef
from everypath.ir.program import Method, Program
from everypath.languages.python.semantics.kinds import misuse, reference, type_name, user_method
from everypath.languages.python.semantics.registry import native
from everypath.logic.condition import PathCondition
from everypath.records import dataclass

GENERATOR = "generator"
COROUTINE = "coroutine"
ASYNC_GENERATOR = "async_generator"
RESUMABLE = (GENERATOR, COROUTINE, ASYNC_GENERATOR)
_BODY = "$body"
_ARGUMENTS = "$arguments"
_ACTIVATION = "$activation"
_RUNNING = "$running"
_RESULT = "$result"
_OBSERVED = ("<entry>", "observed")
AS_LIST, AS_START, AS_RUN, AS_BLOCK, AS_FAILING = "list", "start", "run", "with", "failing"
_MANAGER = "contextlib._GeneratorContextManager"
_USED = "$used"
_HIDDEN = (_BODY, _ARGUMENTS, _ACTIVATION, _RUNNING, _RESULT)


@dataclass(slots=True, eq=False)
class Activation(LanguageValue):
    """A suspended body: where it goes on, and with which registers."""

    code: Compiled
    regs: tuple[Value, ...]
    dst: int
    resume: Segment
    stamp: int
    decisions: int
    """how many symbolic decisions had been made when the body was left"""
    guarded: bool
    """whether code of the body runs when the generator is closed here"""
    endless: str
    """the loops around the place that end only with the generator, as a list of numbers"""

    def registers(self, sent: Value, passed: int) -> list[Value]:
        """The registers with which the body goes on after so many decisions that were not its own.

        They do not count as made in its loops; those that only a decision outside can end are the exception.
        """
        regs = list(self.regs)
        regs[self.dst] = sent
        if passed:
            kept = self.endless.split(",")
            # Behind the registers of the method each loop has two (see `segments.py`); the second of them holds the
            # number of decisions at its last iteration.
            for number, at in enumerate(range(self.code.method.registers + 1, len(regs), 2)):
                count = regs[at]
                if type(count) is int and count >= 0 and str(number) not in kept:
                    regs[at] = count + passed
        return regs


@dataclass(slots=True, eq=False)
class Ending:
    """What becomes of the value that a body returns; also tells which frame belongs to which generator."""

    ref: Ref

    def __call__(self, st: State, value: Value) -> Value:
        st.heap.cells[self.ref] = {**_others(st, self.ref), _RESULT: value}
        return (False, value)


@dataclass(slots=True, eq=False)
class Thrown(LanguageValue):
    """An exception sent into a generator, to be raised at the `yield` where it waits."""

    exception: Ref


def _others(st: State, ref: Ref) -> dict[str, Value]:
    return {name: value for name, value in st.heap.fields(ref).items() if name not in _HIDDEN}


def _made(cls: str, st: State, body: FunctionRef, *args: Value) -> Ref:
    """The object that a generator or coroutine function returns; nothing of its body has run."""
    return st.heap.new_object(cls, {_BODY: body, _ARGUMENTS: args})


for _cls in RESUMABLE:
    native(f"new_{_cls}")(partial(_made, _cls))


@native("need_awaitable")
def need_awaitable(st: State, value: Value) -> Value:
    """What `await` is applied to must be a coroutine."""
    value = resolve(st, value)
    if isinstance(value, Ref) and value.cls == COROUTINE:
        return None
    if user_method(st, value, "__await__") is not None:
        raise Unsupported("`await` of an object that defines __await__")
    raise misuse(st, f"object {short(type_name(st, value))} can't be used in 'await' expression", value)


@native("need_async_iterable")
def need_async_iterable(st: State, value: Value) -> Value:
    """What `async for` runs over must be able to give an asynchronous iterator."""
    value = resolve(st, value)
    if isinstance(value, Ref) and (value.cls == ASYNC_GENERATOR or user_method(st, value, "__aiter__") is not None):
        return None
    kind = short(type_name(st, value))
    raise misuse(st, f"'async for' requires an object with __aiter__ method, got {kind}", value)


@native("generator_received")
def received(st: State, sent: Value) -> Value:
    """What a `yield` is worth, or the exception that is thrown in there."""
    if isinstance(sent, Thrown):
        raise Raise(sent.exception)
    return sent


@native("generator_delegated")
def delegated(st: State, inner: Value, sent: Value) -> Value:
    """What comes in at a `yield from` is passed on to the inner iterator."""
    if sent is None:
        return None
    if not isinstance(sent, Thrown):
        raise Unsupported("send() of a value into `yield from`")
    inner = resolve(st, inner)
    if isinstance(inner, Ref) and _guarded(st.heap, inner):
        raise Unsupported("throw() or close() into `yield from` of a generator that handles it")
    raise Raise(sent.exception)


@native("generator_result")
def result(st: State, inner: Value) -> Value:
    """What `yield from` is worth: the value that a generator returned, else null."""
    inner = resolve(st, inner)
    if isinstance(inner, Ref) and inner.cls == GENERATOR:
        return st.heap.fields(inner).get(_RESULT)
    return None


@native("generator_thrown")
def thrown(st: State, exception: Value) -> Value:
    """Wraps an exception for `__step__` to raise it inside."""
    return Thrown(reference(resolve(st, exception)))


@native("generator_state")
def state_of(st: State, ref: Value) -> Value:
    """created, suspended, running or closed."""
    ref = reference(resolve(st, ref))
    cell = st.heap.fields(ref)
    if _RUNNING in cell:
        return "running" if _is_running(st, ref) else "closed"
    if _ACTIVATION in cell:
        return "suspended"
    return "created" if _BODY in cell else "closed"


@native("generator_finish")
def finish(st: State, ref: Value) -> Value:
    """Close a generator whose body never began, or has nothing to do when it is closed."""
    ref = reference(resolve(st, ref))
    st.heap.cells[ref] = _others(st, ref)
    return None


@native("generator_guarded")
def guarded(st: State, ref: Value) -> Value:
    """Whether closing the generator runs code of its body."""
    return _guarded(st.heap, reference(resolve(st, ref))) is not None


@native("release_iterator")
def release_iterator(st: State, iterator: Value) -> Value:
    """Nothing refers to the iterator any more: the interpreter closes a generator then."""
    if isinstance(iterator, Ref) and iterator.cls == GENERATOR and _guarded(st.heap, iterator):
        close = program_of(st).find_method(GENERATOR, "close")
        assert close is not None
        raise Invoke(close, [iterator])
    return None


@native("observation")
def observation(st: State, value: Value) -> Value:
    """How a test looks at a result: it lists a generator or iterator, runs a coroutine, enters and leaves what a
    generator is the context manager of, and takes the rest as it is.
    """
    value = resolve(st, value)
    how = ""
    if isinstance(value, Ref):
        if value.cls == COROUTINE:
            how = AS_RUN
        elif value.cls == _MANAGER:
            how = AS_BLOCK
        elif (
            value.cls == GENERATOR or isinstance(st.heap.cells[value], IteratorCell) or _is_library_iterator(st, value)
        ):
            how = AS_LIST
    if how:
        _note(st, how)
    return how


def _is_library_iterator(st: State, ref: Ref) -> bool:
    program = program_of(st)
    known = program.classes.get(ref.cls)
    return known is not None and known.model and program.find_method(ref.cls, "__next__") is not None


@native("observation_cut")
def observation_cut(st: State) -> Value:
    """The iterator goes on, but the test only looks at the first elements."""
    _note(st, AS_START)
    return None


@dataclass(slots=True, eq=False)
class _Used:
    """A test uses a context manager in this way."""

    manager: Ref
    how: str

    def apply(self, heap: object, pc: PathCondition) -> bool:
        assert isinstance(heap, Heap)
        heap.cells[self.manager] = {**heap.fields(self.manager), _USED: self.how}
        return True


@native("block_fails")
def block_fails(st: State, manager: Value) -> Value:
    """Whether the block fails in which a test uses a context manager: tried if the generator does something then."""
    ref = reference(resolve(st, manager))
    fields = st.heap.fields(ref)
    if _guarded(st.heap, reference(resolve(st, fields["gen"]))) is None:
        return False
    if _USED not in fields:
        raise Fork((_Used(ref, AS_BLOCK), _Used(ref, AS_FAILING)))
    _note(st, str(fields[_USED]))
    return fields[_USED] == AS_FAILING


def _note(st: State, how: str) -> None:
    st.statics = {**st.statics, _OBSERVED: how}


def observed(st: State) -> str:
    """How the path looked at the result of the entry, empty when it was taken as it is."""
    return str(st.statics.get(_OBSERVED, ""))


def observer_of(program: Program) -> Method | None:
    """The model that looks at the result of an entry."""
    return program.find_method(GENERATOR, "observed")


def _guarded(heap: Heap, ref: Ref) -> Activation | None:
    """The suspended body of a generator, if closing it runs code."""
    cell = heap.cells[ref]
    activation = cell.get(_ACTIVATION) if type(cell) is dict else None
    return activation if isinstance(activation, Activation) and activation.guarded else None


def abandoned(heap: Heap) -> Span | None:
    """Where a generator waits that is left over, and whose body runs code when the interpreter closes it."""
    for ref in heap.cells:
        activation = _guarded(heap, ref) if ref.cls in RESUMABLE else None
        if activation is not None:
            waiting = activation.resume
            spans = activation.code.marks[waiting.label].spans(waiting.calling)
            return next((span for span in reversed(spans) if span.line), activation.code.method.span)
    return None


def suspended(st: State, value: Value) -> Activation | None:
    """Where the body of a generator waits, if the value is one that does."""
    if not isinstance(value, Ref) or value.cls not in RESUMABLE:
        return None
    activation = st.heap.fields(value).get(_ACTIVATION)
    return activation if isinstance(activation, Activation) else None


def _is_running(st: State, ref: Ref) -> bool:
    """Whether the body is on the stack; one that an exception has left is not."""
    frame = st.frame
    while frame is not None:
        if isinstance(frame.post, Ending) and frame.post.ref is ref:
            return True
        frame = frame.parent
    return False


def call(calls: Calls, st: State, ref: Ref, name: str, args: list[Value], dst: int, resume: Segment) -> Segment | None:
    """`ref.__step__(sent)` or `ref.__yield__(value, guarded, endless)`, which no method of the class is."""
    if name == "__step__":
        return _step(calls, st, ref, args[0], dst, resume)
    if name == "__yield__":
        return _suspend(st, ref, args, dst, resume)
    raise Fault("AttributeError", f"{ref.cls!r} object has no attribute {name!r}")


def _step(calls: Calls, st: State, ref: Ref, sent: Value, dst: int, resume: Segment) -> Segment:
    cell = st.heap.fields(ref)
    if _RUNNING in cell and _is_running(st, ref):
        raise Fault("ValueError", f"{ref.cls} already executing")
    if _BODY in cell and _RUNNING not in cell and _ACTIVATION not in cell:
        body, args = cell[_BODY], cell[_ARGUMENTS]
        assert isinstance(body, FunctionRef) and isinstance(args, tuple)
        method = calls.program.classes[body.cls].methods[body.name]
        segment = calls.enter(st, calls.callee(method), [*args, ref], dst, resume, Ending(ref), None, False)
        st.heap.cells[ref] = {**_others(st, ref), _RUNNING: True}
        return segment
    activation = cell.get(_ACTIVATION)
    if not isinstance(activation, Activation):
        st.regs[dst] = (False, None)
        return resume
    calls.check_depth(activation.code, st.frame, st.decisions)
    passed = st.decisions - activation.decisions
    st.frame = Frame(activation.code, st.frame, tuple(st.regs), dst, resume, Ending(ref), activation.stamp + passed)
    st.regs = activation.registers(sent, passed)
    st.heap.cells[ref] = {**_others(st, ref), _RUNNING: True}
    return activation.resume


def _suspend(st: State, ref: Ref, args: list[Value], dst: int, resume: Segment) -> Segment | None:
    frame = st.frame
    value, guarded, endless = args
    assert frame is not None and frame.parent is not None and isinstance(guarded, bool) and isinstance(endless, str)
    if value is UNBOUND:
        raise Fault("UnboundLocalError", "local variable referenced before assignment")
    activation = Activation(frame.code, tuple(st.regs), dst, resume, frame.stamp, st.decisions, guarded, endless)
    st.heap.cells[ref] = {**_others(st, ref), _ACTIVATION: activation}
    st.frame = frame.parent
    st.regs = [*frame.saved]
    st.regs[frame.dst] = (True, value)
    return frame.resume
