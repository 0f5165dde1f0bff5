"""Calls: frames are pushed and popped here. Each operation returns the segment to run next.

What calling a *value* means (a function, a class, something with a library method) differs from language to language;
here a virtual call is one on an object of the program, and a native is looked up in the language's table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from everypath.errors import Internal, LimitReached, Unsupported
from everypath.explore.code import Code, Later
from everypath.explore.natives import Native
from everypath.explore.objects import common_method, located, virtual_target
from everypath.explore.outcomes import Finished
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Compiled, Frame, Interrupted, Mark, Post, Segment, State
from everypath.heap.choice import decide
from everypath.heap.values import UNBOUND, OneOf, Value
from everypath.ir.program import Method, Program
from everypath.logic.terms import Term
from everypath.options import Limits

MAX_FRAMES = 400
NO_CASE = " for inputs of no case of its summary"
"""How the name of what is called ends where a summary that a user wrote says nothing."""
"""Deeper calls end the path, long before the recursion limit of a real interpreter would."""
Keywords = dict[str, Value]


class Composer(Protocol):
    """Answers calls by what is known about a method in general, instead of executing it."""

    def result(self, calls: Calls, st: State, code: Compiled, args: list[Value], resume: Segment) -> Value:
        """What the call returns, with its effects on the state; UNBOUND if the method must be executed."""


class Callee:
    """A method that is compiled when it is first entered."""

    __slots__ = ("code", "method")

    def __init__(self, method: Method) -> None:
        self.method = method
        self.code: Code | None = None


class Calls:
    """Everything that enters or leaves a method; a language overrides what calling means there."""

    def __init__(self, program: Program, limits: Limits, natives: Mapping[str, Native]) -> None:
        self.program = program
        self.limits = limits
        self.natives = natives
        self.namespace: dict[str, Any] = {}
        """what generated code may use; the machine fills it"""
        self.composer: Composer | None = None
        """what answers calls by summaries, if anything does"""
        self.traces: dict[int, tuple[object, list[Mark | Interrupted]]] = {}
        """what summary cases add to a trace, as blocks of this machine"""
        self._callees: dict[int, Callee] = {}

    def callee(self, method: Method) -> Callee:
        """The method's compiled form, made on demand."""
        found = self._callees.get(id(method))
        if found is None:
            found = self._callees[id(method)] = Callee(method)
        return found

    def load(self, callee: Callee) -> Code:
        """The callee's code, compiled now if it never was."""
        if callee.code is None:
            callee.code = Code(callee.method, self.namespace, self._bound(callee))
        return callee.code

    def _bound(self, callee: Callee) -> int:
        # Loops of a library model go over collections: what bounds them is the size that an input collection may have.
        return self.limits.fixed_length if callee.method.model else self.limits.loops

    def widen(self, limits: Limits) -> None:
        """Let all code run under other limits from now on."""
        self.limits = limits
        for callee in self._callees.values():
            if callee.code is not None:
                callee.code.bound_loops(self._bound(callee))

    def operation(self, name: str) -> Any:
        """An operation of the language by the name that generated code has for it."""
        found = self.namespace[name]
        if isinstance(found, Later):
            found = self.namespace[name] = getattr(found.module(), found.name)
        return found

    def find_callee(self, cls: str, name: str) -> Callee:
        """The method that a static call names."""
        method = self.program.find_method(cls, name)
        if method is None:
            raise Unsupported(f"the method {cls}.{name} is not part of the program")
        return self.callee(method)

    def enter(
        self,
        st: State,
        callee: Callee,
        args: list[Value],
        dst: int,
        resume: Segment | None,
        post: Post | None = None,
        keywords: dict[str, Value] | None = None,
        repeatable: bool = True,
    ) -> Segment:
        """Begin the method with these arguments; its value goes to `dst` and the caller goes on at `resume`.

        A call that is not `repeatable` is no instruction of its own, which could be executed once more after a fork.
        """
        code = callee.code or self.load(callee)
        if keywords or not code.plain or len(args) != code.params:
            args = self.bind(st, code.method, args, keywords or {})
        if self.composer is not None and repeatable and resume is not None:
            value = self.composer.result(self, st, code, args, resume)
            if value is not UNBOUND:
                st.regs[dst] = value if post is None else post(st, value)
                return resume
        parent = st.frame
        stamp = st.decisions
        if parent is not None:
            self.check_depth(code, parent, stamp)
        st.frame = Frame(code, parent, tuple(st.regs), dst, resume, post, stamp)
        args.extend(code.blank)
        st.regs = args
        return code.entry

    def check_depth(self, code: Compiled, frame: Frame | None, stamp: int) -> None:
        """Bound how often a method is re-entered on this call chain; re-entries without a symbolic decision do not
        count.
        """
        if frame is not None and frame.depth >= MAX_FRAMES:
            raise LimitReached("depth", f"calls nested more than {MAX_FRAMES} deep")
        reentries = 0
        # Recursion over concrete data runs to its end, as loops over concrete data do: a re-entry counts only if
        # something symbolic was decided since the last one.
        every = self.namespace.get("EVERY_ITERATION", False)
        while frame is not None:
            if frame.code is code and (every or frame.stamp != stamp):
                reentries += 1
                stamp = frame.stamp
                if reentries > code.loop_bound:
                    raise LimitReached("loop", f"{code.method.qualified} re-entered more than {code.loop_bound} times")
            frame = frame.parent

    def leave(self, st: State, value: Value) -> Segment | None:
        """Return the value to the caller, or end the path if there is none."""
        frame = st.frame
        assert frame is not None
        if value is UNBOUND:
            raise Fault(self.program.profile.name_error, "local variable referenced before assignment")
        if frame.post is not None:
            try:
                value = frame.post(st, value)
            except Invoke as call:
                # Asks to be repeated: the frame must stay as it is.
                if call.again:
                    raise
                return self._leave_for(st, frame, call)
        if frame.parent is None:
            if isinstance(value, Term) and value.sort == "bool" and frame.post is None and st.world is None:
                # A test needs one of the two answers; the other one is a path of its own.
                value = decide(st.pc, value)
            st.frame = None
            st.outcome = Finished(value)
            return None
        st.frame = frame.parent
        st.regs = [*frame.saved]
        st.regs[frame.dst] = value
        return frame.resume

    def _leave_for(self, st: State, frame: Frame, call: Invoke) -> Segment:
        """Call what turns a returned value into the caller's, such as its `__bool__`, in the name of the caller."""
        # Checked before the frame is given up: a call that does not fit raises here, where the error belongs.
        self.bind(st, call.method, [*call.arguments], call.keywords)
        callee, regs = self.callee(call.method), st.regs
        st.frame, st.regs = frame.parent, [*frame.saved]
        try:
            return self.enter(st, callee, [*call.arguments], frame.dst, frame.resume, call.post, call.keywords, False)
        except BaseException:
            # Whatever forks or stops here finds the state as it was when the instruction began.
            st.frame, st.regs = frame, regs
            raise

    def bind(self, st: State, method: Method, args: list[Value], keywords: Keywords) -> list[Value]:
        """One value for each parameter, in order; in this plain language a compiler has checked that arguments fit."""
        if keywords or len(args) != len(method.params):
            raise Internal(f"{method.qualified} was called with {len(args)} arguments")
        return args

    def invoke(
        self,
        st: State,
        receiver: Value,
        name: str,
        args: list[Value],
        keywords: Keywords | None,
        dst: int,
        resume: Segment,
    ) -> Segment | None:
        """A virtual call on an object of the program."""
        # If all objects that the receiver may be have the same method, which of them it is need not be decided.
        if type(receiver) is OneOf and not st.heap.is_null(receiver):
            common = common_method(st, receiver, name)
            if common is not None:
                return self.enter(st, self.callee(common), [receiver, *args], dst, resume, None, keywords)
        ref = located(st, receiver)
        method = virtual_target(st, ref, name)
        if method is None:
            raise Unsupported(f"the method {name} of {ref.cls}, which is not part of the program")
        return self.enter(st, self.callee(method), [ref, *args], dst, resume, None, keywords)

    def apply(
        self, st: State, function: Value, args: list[Value], keywords: Keywords | None, dst: int, resume: Segment
    ) -> Segment | None:
        """Call a value; in this plain language functions are no values."""
        raise Unsupported("calling a value")

    def native(self, st: State, name: str, args: tuple[Value, ...], keywords: Keywords | None) -> Value:
        """A library function of the language."""
        function = self.natives.get(name)
        if name.endswith(NO_CASE):
            raise Unsupported(f"calling {name}")
        if function is None:
            raise Unsupported(f"the library function {name}, which has no model")
        return function(st, *args, **(keywords or {}))
