"""Runs a state from one choice to the next: segments, calls, exceptions and forks.

A block is a rule of the CLP-translated program (section 3.2 of "Test Case Generation by Symbolic Execution"). Generated
code runs a straight piece of a method and returns the next piece; whatever is not straight leaves that loop as an
exception. For `Fork` the state is copied once for each alternative, and each copy executes the same instruction again:
no operation may change anything before it asks. Branches are so frequent that they fork without one (`branching.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import ModuleType, TracebackType
from typing import Any

from everypath.errors import NOWHERE, LimitReached, SolverUnknown, Span, Unsupported
from everypath.explore.answers import gave
from everypath.explore.branching import LOOP_CUT, Branching
from everypath.explore.code import Later
from everypath.explore.objects import resolve, short
from everypath.explore.outcomes import Cut, NotSupported, Origin, Outcome, Undecided
from everypath.explore.semantics import IMPLICIT, SEQUENTIAL, Semantics
from everypath.explore.signals import Ended, Fault, Invoke, Raise
from everypath.explore.state import Frame, Interrupted, Post, Segment, State, activations
from everypath.explore.watch import WATCH
from everypath.heap.choice import Alternative, Assume, Fixed, Fork, Unsolved, decide
from everypath.heap.equality import as_int
from everypath.heap.knowledge import NeedsCode
from everypath.heap.values import UNBOUND, Data, OneOf, Ref, Unknown, Value
from everypath.ir.instructions import CallNative, CallStatic, CallValue, CallVirtual
from everypath.ir.operands import reads
from everypath.ir.program import Method
from everypath.logic import terms
from everypath.logic.clock import now
from everypath.logic.condition import Infeasible
from everypath.logic.terms import Term
from everypath.options import Limits

CHECK_EVERY = 1024
"""Steps between two looks at the limits: often enough to stop in time, seldom enough to cost nothing."""
_CALLS = (CallStatic, CallVirtual, CallNative, CallValue)
MEMORY_CUT = Cut("memory", "exploring takes more than it may; raise --memory")


class Machine(Branching):
    """The engine of one exploration: compiled methods, limits, and counts of what happened."""

    def __init__(
        self,
        semantics: Semantics,
        limits: Limits,
        disjunctive: bool = False,
        actors: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.semantics = semantics
        self.program = semantics.program
        self.limits = limits
        self.disjunctive = disjunctive
        """whether the heap has conditional values, which generated code must then expect"""
        self.deadline = float("inf")
        self.steps = 0
        self.calls = semantics.calls(limits)
        namespace = self.calls.namespace
        namespace.update(self._operations())
        namespace.update(semantics.operations())
        namespace.update(SEQUENTIAL if actors is None else actors)
        namespace["LATER"] = frozenset(name for name, meaning in namespace.items() if type(meaning) is Later)

    def widen(self, limits: Limits) -> None:
        """Go on under other limits, and count anew."""
        self.limits = limits
        self.steps = self.states = self.infeasible = 0
        self.calls.widen(limits)

    def run(self, st: State) -> None:
        """Advance until the path forks (`successors`) or ends (`outcome`)."""
        segment = st.next
        st.successors = None
        count = 0
        due = CHECK_EVERY
        while True:
            try:
                while segment is not None:
                    # Calls and exceptions leave this loop, but do not put off the check.
                    for count in range(count + 1, due):  # noqa: B007, B020
                        segment = segment(st, st.regs)
                        if segment is None:
                            break
                    else:
                        due = count + CHECK_EVERY
                        self._check_limits(st, count)
                break
            except Fork as fork:
                # The line of generated code at which it was raised tells which instruction it was, so the hot loop
                # keeps no account of it.
                place = self._place(st, fork.__traceback__)
                st.steps += count
                self.steps += count
                count = 0
                if isinstance(fork, Fixed):
                    self.fixed.setdefault((self._blame(st, *place), fork.what))
                    st.fixed = fork.what
                self._fork(st, fork.alternatives, *place)
                break
            except Raise as signal:
                segment = self._unwind(st, signal.exception, *self._place(st, signal.__traceback__))
            except Fault as fault:
                exception = self.semantics.fault(st, fault)
                segment = self._unwind(st, exception, *self._place(st, fault.__traceback__))
            except Invoke as invoked:
                segment = self._invoke_operation(st, invoked)
            except NeedsCode as need:
                segment = self._invoke_at(
                    st, self.semantics.run_for_heap(st, need), *self._place(st, need.__traceback__)
                )
            except Unsupported as problem:
                stopped, segment = segment, self.semantics.recover(self.calls, st, problem)
                if segment is None:
                    # Whoever asks what would have come after it looks here.
                    st.next = stopped
                    span = problem.span if problem.span.line else self._span(st, problem.__traceback__)
                    st.outcome = NotSupported(span, problem.message)
            except (LimitReached, SolverUnknown, Infeasible, Ended, MemoryError) as problem:
                st.steps += count
                self.steps += count
                count = 0
                st.next = segment
                self._stop(st, problem)
                break
        st.steps += count
        self.steps += count

    def _stop(self, st: State, problem: LimitReached | SolverUnknown | Infeasible | Ended | MemoryError) -> None:
        """End the path, or let it go on along the side of a condition that is known to be possible."""
        match problem:
            case LimitReached():
                st.outcome = Cut(problem.kind, problem.message)
                if self.keeps and problem.kind == "loop":
                    # What asks for a limit has changed nothing yet, as what asks for a choice has not.
                    label, index = self._place(st, problem.__traceback__)
                    st.kept = self._kept(st, st.frame.code.again(label, index))  # type: ignore[union-attr]
            case MemoryError():
                # What the path holds is needed no more, and others need the room.
                st.outcome, st.regs, st.heap.cells = MEMORY_CUT, [], {}
            case Infeasible():
                self.infeasible += 1
                st.successors = []
            case Ended():
                st.outcome = problem.outcome
            # Not if the side was assumed already: then the same question would come again for ever.
            case SolverUnknown(possible=Term() as possible) if not st.pc.holds(possible):
                place = self._place(st, problem.__traceback__)
                self._fork(st, (Assume(possible), Unsolved(problem)), *place)
            case SolverUnknown():
                st.outcome = Undecided(self._span(st, problem.__traceback__), problem.message)

    def start(
        self,
        st: State,
        method: Method,
        args: Sequence[Value],
        post: Post | None = None,
        observer: Method | None = None,
        before: Method | None = None,
    ) -> None:
        """Make the state about to execute a call of the method; an observer, if given, is then called with its result.

        What comes `before` leaves no trace: it is what the interpreter does when it imports the program.
        """
        code = self.calls.load(self.calls.callee(method))
        if observer is None:
            st.frame = Frame(code, None, (), 0, None, post, st.decisions)
        else:
            after = self.calls.load(self.calls.callee(observer))
            below = Frame(after, None, (), 0, None, None, st.decisions)
            st.frame = Frame(code, below, (UNBOUND, *after.blank), 0, after.entry, post, st.decisions)
        st.regs = [*args, *code.blank]
        st.next = code.entry
        if before is not None:
            importing = self.calls.load(self.calls.callee(before))
            st.frame = Frame(importing, st.frame, tuple(st.regs), -1, code.entry, _without_trace, st.decisions)
            st.regs = [*importing.blank]
            st.next = importing.entry

    def _check_limits(self, st: State, count: int) -> None:
        if st.steps + count > self.limits.depth:
            raise LimitReached("depth", f"more than {self.limits.depth} blocks on one path")
        if now() > self.deadline:
            raise LimitReached("time")
        if WATCH.swollen:
            raise MemoryError

    def _place(self, st: State, traceback: TracebackType | None) -> tuple[str, int]:
        """The block and instruction that raised the exception: that of the frame right below `run`."""
        assert traceback is not None and traceback.tb_next is not None and st.frame is not None
        inner = traceback.tb_next
        return st.frame.code.locate(inner.tb_frame.f_code.co_filename, inner.tb_lineno)

    def _span(self, st: State, traceback: TracebackType | None) -> Span:
        """The source line to blame: the innermost instruction of the user's own code."""
        if st.frame is None or traceback is None or traceback.tb_next is None:
            return NOWHERE
        label, index = self._place(st, traceback)
        return self._blame(st, label, index)

    def _blame(self, st: State, label: str, index: int) -> Span:
        return self._origin(st, label, index).span

    def _origin(self, st: State, label: str, index: int) -> Origin:
        """The innermost instruction of the user's own code, with its operands; library models are skipped."""
        assert st.frame is not None
        frame, registers = st.frame, st.regs
        instruction = frame.code.instruction(label, index)
        while frame.code.method.model and frame.parent is not None:
            place = frame.resume
            assert place is not None
            frame, registers = frame.parent, list(frame.saved)
            label, index = place.label, place.calling
            instruction = frame.code.instruction(label, index)
        operands = tuple(registers[register] for register in reads(instruction))
        # A function, since only errors that nobody raised on purpose are ever asked for their stack.
        stack = partial(activations, frame, label, index, tuple(registers))
        return Origin(instruction.span, frame.code.method.name, isinstance(instruction, _CALLS), operands, stack)

    def _fork(self, st: State, alternatives: Sequence[Alternative], label: str, index: int) -> None:
        assert st.frame is not None
        segment = st.frame.code.again(label, index)
        successors = []
        last = len(alternatives) - 1
        before = self._kept(st, segment)
        for number, alternative in enumerate(alternatives):
            # The last alternative takes the state itself: one copy less at every fork.
            successor = st.copy() if number < last else st
            ended: Outcome | None = None
            kept: State | None = None
            possible = False
            try:
                possible = alternative.apply(successor.heap, successor.pc)
            except LimitReached as limit:
                ended = Cut(limit.kind, limit.message, limit.wider)
                kept = before if limit.wider else None
            except SolverUnknown as problem:
                ended = Undecided(self._blame(st, label, index), problem.message)
            except Unsupported as problem:
                ended = NotSupported(self._blame(st, label, index), problem.message)
            except Fork:
                ended = NotSupported(self._blame(st, label, index), "keys of an input that only choices tell apart")
            except Infeasible:
                pass
            if ended is not None:
                # The alternative may have changed its copy half-way, so the end of the path is taken from the original.
                stopped = st.copy()
                stopped.choices = (number, stopped.choices)
                stopped.next, stopped.outcome, stopped.kept = segment, ended, kept
                successors.append(stopped)
                continue
            if not possible:
                self.infeasible += 1
                continue
            successor.choices = (number, successor.choices)
            successor.decisions += 1
            successor.next = segment
            successors.append(successor)
        self.states += len(successors)
        st.successors = successors

    def _switch(
        self, st: State, value: Value, cases: tuple[tuple[int, Segment], ...], default: Segment
    ) -> Segment | None:
        chosen = as_int(resolve(st, value))
        for number, target in cases:
            if decide(st.pc, terms.eq(chosen, number)):
                return target
        return default

    def _invoke_operation(self, st: State, call: Invoke) -> Segment | None:
        """Call the method that an operation in the middle of a block needs, and go on behind the instruction."""
        return self._invoke_at(st, call, *self._place(st, call.__traceback__))

    def _invoke_at(self, st: State, call: Invoke, label: str, index: int) -> Segment | None:
        assert st.frame is not None
        code = st.frame.code
        # An instruction that is repeated makes its result itself; the call only finds something out for it.
        dst = -1 if call.again else getattr(code.instruction(label, index), "dst", -1)
        resume = code.again(label, index) if call.again else code.segment(label, index + 1)
        try:
            callee = self.calls.callee(call.method)
            return self.calls.enter(st, callee, [*call.arguments], dst, resume, call.post, call.keywords, False)
        except Fault as fault:
            return self._unwind(st, self.semantics.fault(st, fault), label, index)
        except Invoke as needed:
            # A default of the method is computed first; then the instruction starts anew.
            return self._invoke_at(st, needed, label, index)
        except LimitReached as limit:
            st.next, st.outcome = code.again(label, index), Cut(limit.kind, limit.message)
            return None
        except Unsupported as problem:
            st.next, st.outcome = code.again(label, index), NotSupported(self._blame(st, label, index), problem.message)
            return None

    def _throw(self, st: State, value: Value) -> None:
        raise Raise(self.semantics.thrown(st, value))

    def _unwind(self, st: State, exception: Ref | Data, label: str, index: int) -> Segment | None:
        """Find the handler of an exception: in this method's table, or else in a caller's."""
        # The origin is that of the first raise; the same exception passing through callers keeps it.
        if st.raised is None or st.raised[0] is not exception:
            st.raised = (exception, self._origin(st, label, index))
            in_model = st.frame is not None and st.frame.code.method.model
            # An error inside a library model is one that the library's code would raise, not one that the user's code
            # raises on purpose.
            if in_model and isinstance(exception, Ref) and not gave(st, exception):
                st.heap.set_field(exception, IMPLICIT, True)
        while True:
            frame = st.frame
            assert frame is not None
            if not frame.code.method.model:
                error = exception.cls if isinstance(exception, Ref) else exception.constructor
                st.trace = (Interrupted(frame.code.marks[label], index, error), st.trace)
            for handler in frame.code.method.handlers:
                if label in handler.blocks:
                    st.regs[handler.exception] = exception
                    return frame.code.segment(handler.target, 0)
            if frame.parent is None:
                st.outcome = self.semantics.uncaught(st, exception)
                return None
            # Nothing of the user's call ran yet: the module itself cannot be imported.
            if frame.post is _without_trace:
                shown = short(exception.cls if isinstance(exception, Ref) else exception.constructor)
                st.outcome = NotSupported(st.raised[1].span, f"what the module does when it is imported raises {shown}")
                return None
            place = frame.resume
            assert place is not None
            label, index = place.label, place.calling
            st.frame = frame.parent
            st.regs = list(frame.saved)

    def _cut(self, st: State, kind: str) -> None:
        raise LimitReached(kind)

    def _unbound(self, st: State, name: str) -> None:
        raise Fault(
            self.program.profile.name_error,
            f"cannot access local variable {name!r} where it is not associated with a value",
        )

    def _new_object(self, st: State, cls: str) -> Ref:
        return st.heap.new_object(cls)

    def _operations(self) -> dict[str, Any]:
        """The names that generated segments use, whatever the language is."""
        return {
            "DISJUNCTIVE": self.disjunctive,
            "UNBOUND": UNBOUND,
            "LOOP_CUT": LOOP_CUT,
            "Unknown": Unknown,
            "OneOf": OneOf,
            "Ref": Ref,
            "branch": self._branch,
            "null_branch": self._null_branch,
            "null_branch_of_choice": self._null_branch_of_choice,
            "negated": terms.not_,
            "switch": self._switch,
            "enter": self.calls.enter,
            "leave": self.calls.leave,
            "invoke": self.calls.invoke,
            "apply": self.calls.apply,
            "native": self.calls.native,
            "throw": self._throw,
            "cut": self._cut,
            "unbound": self._unbound,
            "find_callee": self.calls.find_callee,
            "new_object": self._new_object,
            "Data": Data,
            "matches": Later(_data, "matches"),
            "argument": Later(_data, "argument"),
        }


def _data() -> ModuleType:
    from everypath.explore import data

    return data


def _without_trace(st: State, value: Value) -> Value:
    st.trace = None
    return value
