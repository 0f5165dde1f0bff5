"""Runs a state from one choice to the next: segments, calls, exceptions and forks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from everypath.errors import NOWHERE, LimitReached, SolverUnknown, Span, Unsupported
from everypath.explore import comparisons, items, natives, objects, operations
from everypath.explore.arguments import bind_arguments
from everypath.explore.code import Code, Interrupted
from everypath.explore.objects import program_of, resolve, short, type_name, virtual_target
from everypath.explore.outcomes import Cut, Finished, NotSupported, Uncaught, Undecided
from everypath.explore.registry import NATIVES
from everypath.explore.signals import Fault, Invoke, Raise
from everypath.explore.state import Frame, Post, Segment, State
from everypath.heap.choice import Alternative, Assume, Fork, decide
from everypath.heap.heap import without_null
from everypath.heap.values import UNBOUND, BoundMethod, Ref, Unknown, Value
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.program import Method, Program
from everypath.ir.types import NONE
from everypath.logic import terms
from everypath.logic.terms import Term
from everypath.options import Limits

MAX_FRAMES = 400
CHECK_EVERY = 1024
LOOP_CUT = Cut("loop")
assert natives


class Callee:
    """A method that is compiled when it is first entered."""

    __slots__ = ("code", "method")

    def __init__(self, method: Method) -> None:
        self.method = method
        self.code: Code | None = None


class Machine:
    """The engine of one exploration: compiled methods, limits, and counts of what happened."""

    def __init__(self, program: Program, limits: Limits) -> None:
        self.program = program
        self.limits = limits
        self.deadline = float("inf")
        self.infeasible = 0
        self.states = 0
        self.steps = 0
        self._callees: dict[int, Callee] = {}
        self._namespace = self._make_namespace()

    def run(self, st: State) -> None:
        """Advance until the path forks (`successors`) or ends (`outcome`)."""
        segment = st.next
        st.successors = None
        count = 0
        while True:
            try:
                while segment is not None:
                    segment = segment(st, st.regs)
                    count += 1
                    if not count % CHECK_EVERY:
                        self._check_limits(st, count)
                break
            except Fork as fork:
                place = self._place(st, fork.__traceback__)
                st.steps += count
                self.steps += count
                count = 0
                self._fork(st, fork.alternatives, *place)
                break
            except Raise as signal:
                segment = self._unwind(st, signal.exception, *self._place(st, signal.__traceback__))
            except Fault as fault:
                exception = self._new_fault(st, fault)
                segment = self._unwind(st, exception, *self._place(st, fault.__traceback__))
            except Invoke as call:
                segment = self._invoke_operation(st, call)
            except LimitReached as limit:
                st.outcome = Cut(limit.kind, limit.message)
                segment = None
            except Unsupported as problem:
                span = problem.span if problem.span.line else self._span(st, problem.__traceback__)
                st.outcome = NotSupported(span, problem.message)
                segment = None
            except SolverUnknown as problem:
                st.outcome = Undecided(self._span(st, problem.__traceback__), problem.message)
                segment = None
        st.steps += count
        self.steps += count

    def start(self, st: State, method: Method, args: Sequence[Value], post: Post | None = None) -> None:
        """Make the state about to execute a call of the method."""
        code = self._load(self.callee(method))
        st.frame = Frame(code, None, (), 0, None, post, st.decisions)
        st.regs = [*args, *code.blank]
        st.next = code.entry

    def callee(self, method: Method) -> Callee:
        """The method's compiled form, made on demand."""
        found = self._callees.get(id(method))
        if found is None:
            found = self._callees[id(method)] = Callee(method)
        return found

    def _load(self, callee: Callee) -> Code:
        if callee.code is None:
            bound = self.limits.fixed_length if callee.method.model else self.limits.loops
            callee.code = Code(callee.method, self._namespace, bound)
        return callee.code

    def _check_limits(self, st: State, count: int) -> None:
        if st.steps + count > self.limits.depth:
            raise LimitReached("depth", f"more than {self.limits.depth} blocks on one path")
        if time.monotonic() > self.deadline:
            raise LimitReached("time")

    def _place(self, st: State, traceback: TracebackType | None) -> tuple[str, int]:
        """The block and instruction that raised: the frame right below `run`."""
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
        assert st.frame is not None
        frame = st.frame
        span = frame.code.instruction(label, index).span
        while frame.code.method.model and frame.parent is not None:
            place: Any = frame.resume
            frame = frame.parent
            span = frame.code.instruction(place.label, max(0, place.index - 1)).span
        return span

    def _fork(self, st: State, alternatives: Sequence[Alternative], label: str, index: int) -> None:
        assert st.frame is not None
        segment = st.frame.code.again(label, index)
        successors = []
        last = len(alternatives) - 1
        for number, alternative in enumerate(alternatives):
            successor = st.copy() if number < last else st
            try:
                possible = alternative.apply(successor.heap, successor.pc)
            except LimitReached as limit:
                stopped = st.copy()
                stopped.choices = (number, stopped.choices)
                stopped.outcome = Cut(limit.kind, limit.message)
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

    def _branch(
        self, st: State, condition: Value, yes: Segment, no: Segment, yes_spent: bool, no_spent: bool
    ) -> Segment | None:
        """Go on with every side that is possible; a side whose loop bound is spent ends at once."""
        st.decisions += 1
        pc = st.pc
        possible = pc.decide(condition)
        if possible == 1:
            self.infeasible += 1
            return yes
        if possible == 2:
            self.infeasible += 1
            return no
        if no_spent:
            other = st.stopped(1, LOOP_CUT)
        elif yes_spent:
            other = st.stopped(0, LOOP_CUT)
            pc.assume(terms.not_(condition))
            st.choices = (1, st.choices)
            st.next = no
            st.successors = [other, st]
            self.states += 2
            return None
        else:
            other = st.copy(pc.split(terms.not_(condition)))  # type: ignore[arg-type]
            other.choices = (1, st.choices)
            other.next = no
        pc.assume(condition)
        st.choices = (0, st.choices)
        st.next = yes
        st.successors = [st, other]
        self.states += 2
        return None

    def _null_branch(
        self, st: State, unknown: Unknown, null: Segment, other: Segment, null_spent: bool, other_spent: bool
    ) -> Segment | None:
        """Branch on whether an input is null; like every test of an input reference it counts as symbolic."""
        st.decisions += 1
        heap = st.heap
        if unknown in heap.bind:
            if heap.bind[unknown] is None:
                return null
            if other_spent:
                st.outcome = LOOP_CUT
                return None
            return other
        options = heap.options(unknown)
        if NONE not in options:
            return other
        if other_spent and not null_spent:
            successor = st.stopped(1, LOOP_CUT)
        else:
            successor = st.copy()
            successor.heap.narrow(unknown, without_null(options))
            successor.choices = (1, st.choices)
            successor.next = other
        heap.bind[unknown] = None
        st.choices = (0, st.choices)
        st.next = null
        st.successors = [st, successor]
        self.states += 2
        return None

    def _switch(
        self, st: State, value: Value, cases: tuple[tuple[int, Segment], ...], default: Segment
    ) -> Segment | None:
        value = resolve(st, value)
        for number, target in cases:
            if decide(st.pc, terms.eq(value, number)):
                return target
        return default

    def _enter(
        self,
        st: State,
        callee: Callee,
        args: list[Value],
        dst: int,
        resume: Segment | None,
        post: Post | None = None,
        keywords: dict[str, Value] | None = None,
    ) -> Segment:
        code = callee.code or self._load(callee)
        if keywords or not code.plain or len(args) != code.params:
            args = bind_arguments(st, code.method, args, keywords or {})
        parent = st.frame
        stamp = st.decisions
        if parent is not None:
            if parent.depth >= MAX_FRAMES:
                raise LimitReached("depth", f"calls nested more than {MAX_FRAMES} deep")
            self._check_recursion(code, parent, stamp)
        st.frame = Frame(code, parent, tuple(st.regs), dst, resume, post, stamp)
        args.extend(code.blank)
        st.regs = args
        return code.entry

    def _check_recursion(self, code: Code, frame: Frame | None, stamp: int) -> None:
        """Bound the re-entries of a method on this call chain, those without a symbolic decision not counted."""
        reentries = 0
        while frame is not None:
            if frame.code is code and frame.stamp != stamp:
                reentries += 1
                stamp = frame.stamp
                if reentries > code.loop_bound:
                    raise LimitReached("loop", f"{code.method.qualified} re-entered more than {code.loop_bound} times")
            frame = frame.parent

    def _leave(self, st: State, value: Value) -> Segment | None:
        frame = st.frame
        assert frame is not None
        if value is UNBOUND:
            raise Fault(self.program.profile.name_error, "local variable referenced before assignment")
        if frame.post is not None:
            value = frame.post(st, value)
        st.frame = frame.parent
        if frame.parent is None:
            st.outcome = Finished(value)
            return None
        st.regs = [*frame.saved]
        st.regs[frame.dst] = value
        return frame.resume

    def _invoke_operation(self, st: State, call: Invoke) -> Segment | None:
        """An operation in the middle of a block needs a method called; go on behind the instruction."""
        assert st.frame is not None
        label, index = self._place(st, call.__traceback__)
        code = st.frame.code
        dst = -1 if call.again else getattr(code.instruction(label, index), "dst", -1)
        resume = code.again(label, index) if call.again else code.segment(label, index + 1)
        try:
            return self._enter(st, self.callee(call.method), [*call.arguments], dst, resume, call.post, call.keywords)
        except Fault as fault:
            return self._unwind(st, self._new_fault(st, fault), label, index)
        except LimitReached as limit:
            st.outcome = Cut(limit.kind, limit.message)
            return None

    def _invoke(
        self,
        st: State,
        receiver: Value,
        name: str,
        args: list[Value],
        keywords: dict[str, Value] | None,
        dst: int,
        resume: Segment,
    ) -> Segment | None:
        """A virtual call, on an object of the program or on a builtin value."""
        if receiver.__class__ is Unknown and st.heap.is_null(receiver):
            receiver = None
        receiver = resolve(st, receiver)
        if isinstance(receiver, Ref) and type(st.heap.cells[receiver]) is dict:
            return self._invoke_object(st, receiver, name, args, keywords, dst, resume)
        if isinstance(receiver, ClassRef):
            method = self.program.find_method(receiver.name, name)
            if method is not None:
                own = [receiver, *args] if method.kind == "class" else args
                return self._enter(st, self.callee(method), own, dst, resume, None, keywords)
            return self._apply(st, objects.get_field(st, receiver, name), args, keywords, dst, resume)
        kind = type_name(st, receiver)
        function = NATIVES.get(f"{kind}.{name}")
        if function is None:
            method = self.program.find_method(f"builtins.{kind}", name)
            if method is not None:
                return self._enter(st, self.callee(method), [receiver, *args], dst, resume, None, keywords)
            objects.get_field(st, receiver, name)
            raise Unsupported(f"{kind}.{name}() on symbolic values")
        st.regs[dst] = function(st, receiver, *args, **(keywords or {}))
        return resume

    def _invoke_object(
        self,
        st: State,
        receiver: Ref,
        name: str,
        args: list[Value],
        keywords: dict[str, Value] | None,
        dst: int,
        resume: Segment,
    ) -> Segment | None:
        cell = st.heap.cells[receiver]
        if name in cell:
            return self._apply(st, cell[name], args, keywords, dst, resume)
        method = virtual_target(st, receiver, name)
        if method is None or method.kind == "property":
            return self._apply(st, objects.get_field(st, receiver, name), args, keywords, dst, resume)
        if method.kind == "class":
            args = [ClassRef(type_name(st, receiver)), *args]
        elif method.kind != "static":
            args = [receiver, *args]
        return self._enter(st, self.callee(method), args, dst, resume, None, keywords)

    def _apply(
        self,
        st: State,
        function: Value,
        args: list[Value],
        keywords: dict[str, Value] | None,
        dst: int,
        resume: Segment,
    ) -> Segment | None:
        """A call of a function, class or bound method that is a value."""
        function = resolve(st, function)
        if isinstance(function, FunctionRef):
            method = self.program.classes[function.cls].methods[function.name]
            return self._enter(st, self.callee(method), args, dst, resume, None, keywords)
        if isinstance(function, BoundMethod):
            return self._invoke(st, function.receiver, function.name, args, keywords, dst, resume)
        if isinstance(function, ClassRef):
            return self._construct(st, function.name, args, keywords, dst, resume)
        if isinstance(function, NativeRef):
            st.regs[dst] = self._native(st, function.name, tuple(args), keywords)
            return resume
        method_found = objects.user_method(st, function, "__call__")
        if method_found is not None:
            return self._enter(st, self.callee(method_found), [function, *args], dst, resume, None, keywords)
        raise Fault(self.program.profile.type_error, f"{short(type_name(st, function))!r} object is not callable")

    def _construct(
        self,
        st: State,
        cls: str,
        args: list[Value],
        keywords: dict[str, Value] | None,
        dst: int,
        resume: Segment,
    ) -> Segment | None:
        if self.program.find_method(cls, "__new__") is not None:
            raise Unsupported(f"creating {short(cls)}, which defines __new__")
        initialiser = self.program.find_method(cls, "__init__")
        if initialiser is None:
            exception = "BaseException" in self.program.mro(cls)
            if (args or keywords) and not exception:
                raise Fault(self.program.profile.type_error, f"{short(cls)}() takes no arguments")
            st.regs[dst] = st.heap.new_object(cls, {"args": tuple(args)} if exception else {})
            return resume
        ref = st.heap.new_object(cls)
        return self._enter(st, self.callee(initialiser), [ref, *args], dst, resume, lambda _, __: ref, keywords)

    def _native(self, st: State, name: str, args: tuple[Value, ...], keywords: dict[str, Value] | None) -> Value:
        function = NATIVES.get(name)
        if function is not None:
            return function(st, *args, **(keywords or {}))
        method = self.program.find_method("builtins", name)
        if method is not None:
            raise Invoke(method, args, None, keywords)
        raise Unsupported(f"calling {name}() on symbolic values")

    def _new_fault(self, st: State, fault: Fault) -> Ref:
        return st.heap.new_object(fault.cls, {"args": tuple(fault.arguments), "$implicit": True})

    def _throw(self, st: State, value: Value) -> None:
        value = resolve(st, value)
        program = self.program
        if isinstance(value, ClassRef):
            if program.find_method(value.name, "__init__") is not None:
                raise Unsupported(f"raise {short(value.name)} without calling it, when it has an __init__")
            raise Raise(st.heap.new_object(value.name, {"args": ()}))
        if isinstance(value, Ref) and "BaseException" in program.mro(type_name(st, value)):
            raise Raise(value)
        raise Fault(program.profile.type_error, "exceptions must derive from BaseException")

    def _unwind(self, st: State, exception: Ref, label: str, index: int) -> Segment | None:
        """Find the handler: in this method's table, else in a caller's."""
        if st.raised is None or st.raised[0] is not exception:
            st.raised = (exception, self._blame(st, label, index))
            if st.frame is not None and st.frame.code.method.model:
                st.heap.set_field(exception, "$implicit", True)
        while True:
            frame = st.frame
            assert frame is not None
            if not frame.code.method.model:
                st.trace = (Interrupted(frame.code.marks[label], index), st.trace)
            for handler in frame.code.method.handlers:
                if label in handler.blocks:
                    st.regs[handler.exception] = exception
                    return frame.code.segment(handler.target, 0)
            if frame.parent is None:
                cell = st.heap.cells[exception]
                cls = type_name(st, exception)
                st.outcome = Uncaught(exception, cls, "$implicit" in cell, st.raised[1])
                return None
            place: Any = frame.resume
            label, index = place.label, max(0, place.index - 1)
            st.frame = frame.parent
            st.regs = list(frame.saved)

    def _cut(self, st: State, kind: str) -> None:
        raise LimitReached(kind)

    def _unbound(self, st: State, name: str) -> None:
        raise Fault(
            self.program.profile.name_error,
            f"cannot access local variable {name!r} where it is not associated with a value",
        )

    def _concurrency_missing(self, st: State) -> None:
        raise Unsupported("asynchronous calls and futures")

    def _find_callee(self, cls: str, name: str) -> Callee:
        method = self.program.find_method(cls, name)
        if method is None:
            raise Unsupported(f"the method {cls}.{name} is not part of the program")
        return self.callee(method)

    def _new_object(self, st: State, cls: str) -> Ref:
        return st.heap.new_object(cls)

    def _make_namespace(self) -> dict[str, Any]:
        special = {name for cls in self.program.classes.values() for name in cls.setters}
        special |= {m.name for m in self.program.methods() if m.kind == "property"}
        custom = any(m.name == "__setattr__" for m in self.program.methods())
        return {
            "UNBOUND": UNBOUND,
            "Unknown": Unknown,
            "Ref": Ref,
            "SPECIAL_SETTERS": _Everything() if custom else special,
            "branch": self._branch,
            "null_branch": self._null_branch,
            "switch": self._switch,
            "enter": self._enter,
            "leave": self._leave,
            "invoke": self._invoke,
            "apply": self._apply,
            "native": self._native,
            "throw": self._throw,
            "cut": self._cut,
            "unbound": self._unbound,
            "find_callee": self._find_callee,
            "new_object": self._new_object,
            "concurrency_missing": self._concurrency_missing,
            "binary": operations.binary,
            "unary": operations.unary,
            "compare": comparisons.compare,
            "truth": operations.truth,
            "negation": operations.negation,
            "get_field": objects.get_field,
            "set_field": objects.set_field,
            "del_field": objects.del_field,
            "get_static": objects.get_static,
            "set_static": objects.set_static,
            "get_item": items.get_item,
            "set_item": items.set_item,
            "del_item": items.del_item,
            "length": items.length,
            "type_test": items.type_test,
            "cast": items.cast,
            "new_collection": items.new_collection,
            "new_array": items.new_array,
        }


class _Everything:
    """Contains every name: with a user-defined `__setattr__` no assignment is plain."""

    def __contains__(self, name: object) -> bool:
        return True


__all__ = ["Assume", "Callee", "Machine", "Term", "program_of"]
