"""Calls: static, virtual, of builtins and of values; frames are pushed here and popped here."""

from __future__ import annotations

from typing import Any

from everypath.errors import LimitReached, Unsupported
from everypath.explore.code import Code
from everypath.explore.outcomes import Finished
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Frame, Post, Segment, State
from everypath.heap.choice import decide
from everypath.heap.values import UNBOUND, BoundMethod, DictCell, OneOf, Ref, Unknown, Unread, Value
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.program import Method, Program
from everypath.languages.python.natives import exceptions, library
from everypath.languages.python.semantics import extended, generators, objects
from everypath.languages.python.semantics.arguments import SPREAD, bind_arguments, spread_arguments
from everypath.languages.python.semantics.host_objects import is_foreign, library_function
from everypath.languages.python.semantics.objects import resolve, short, type_name, virtual_target
from everypath.languages.python.semantics.refusals import refusal
from everypath.languages.python.semantics.registry import NATIVES
from everypath.logic.terms import Term
from everypath.options import Limits

MAX_FRAMES = 400
_OF_THE_CLASS = frozenset(
    "str.maketrans bytes.maketrans bytes.fromhex dict.fromkeys int.from_bytes bool.from_bytes float.fromhex".split()
)
"""Methods that ignore the object through which they are called."""
_AT_ONCE = (exceptions, library)
"""Natives that most programs need; the table imports the others when one is asked for."""


class Callee:
    """A method that is compiled when it is first entered."""

    __slots__ = ("code", "method")

    def __init__(self, method: Method) -> None:
        self.method = method
        self.code: Code | None = None


class Calls:
    """Everything that enters or leaves a method; each operation returns the segment to run next."""

    def __init__(self, program: Program, limits: Limits) -> None:
        self.program = program
        self.limits = limits
        self.extending = extended.extends_any(program)
        self.namespace: dict[str, Any] = {}
        """what generated code may use; the machine fills it"""
        self._callees: dict[int, Callee] = {}
        self.statics = {name for cls in program.classes.values() for name in cls.statics}

    def callee(self, method: Method) -> Callee:
        """The method's compiled form, made on demand."""
        found = self._callees.get(id(method))
        if found is None:
            found = self._callees[id(method)] = Callee(method)
        return found

    def load(self, callee: Callee) -> Code:
        """The callee's code, compiled now if it never was."""
        if callee.code is None:
            bound = self.limits.fixed_length if callee.method.model else self.limits.loops
            callee.code = Code(callee.method, self.namespace, bound)
        return callee.code

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
    ) -> Segment:
        """Begin the method with these arguments; its value goes to `dst` and the caller goes on at `resume`."""
        code = callee.code or self.load(callee)
        if keywords or not code.plain or len(args) != code.params:
            args = bind_arguments(st, code.method, args, keywords or {})
        parent = st.frame
        stamp = st.decisions
        if parent is not None:
            self.check_depth(code, parent, stamp)
        st.frame = Frame(code, parent, tuple(st.regs), dst, resume, post, stamp)
        args.extend(code.blank)
        st.regs = args
        return code.entry

    def check_depth(self, code: Code, frame: Frame | None, stamp: int) -> None:
        """Bound the re-entries of a method on this call chain, those without a symbolic decision not counted."""
        if frame is not None and frame.depth >= MAX_FRAMES:
            raise LimitReached("depth", f"calls nested more than {MAX_FRAMES} deep")
        reentries = 0
        every = self.namespace.get("EVERY_ITERATION", False)
        while frame is not None:
            if frame.code is code and (every or frame.stamp != stamp):
                reentries += 1
                stamp = frame.stamp
                if reentries > code.loop_bound:
                    raise LimitReached("loop", f"{code.method.qualified} re-entered more than {code.loop_bound} times")
            frame = frame.parent

    def leave(self, st: State, value: Value) -> Segment | None:
        """Return the value to the caller, or end the path when there is none."""
        frame = st.frame
        assert frame is not None
        if value is UNBOUND:
            raise Fault(self.program.profile.name_error, "local variable referenced before assignment")
        if frame.post is not None:
            try:
                value = frame.post(st, value)
            except Invoke as call:
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

    def invoke(
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
        if (receiver.__class__ is Unknown or receiver.__class__ is OneOf) and st.heap.is_null(receiver):
            receiver = None
        if receiver.__class__ is OneOf:
            common = objects.common_method(st, receiver, name)
            if common is not None and common.kind == "instance":
                return self.enter(st, self.callee(common), [receiver, *args], dst, resume, None, keywords)
        receiver = resolve(st, receiver)
        if receiver.__class__ is Unread:
            st.regs[dst] = self._of_the_library(st, receiver, name, args, keywords)
            return resume
        if isinstance(receiver, Ref) and type(st.heap.cells[receiver]) is dict:
            return self._invoke_object(st, receiver, name, args, keywords, dst, resume)
        if isinstance(receiver, ClassRef):
            method = self.program.find_method(receiver.name, name)
            if method is not None:
                own = [receiver, *args] if method.kind == "class" else args
                return self.enter(st, self.callee(method), own, dst, resume, None, keywords)
            return self.apply(st, objects.get_field(st, receiver, name), args, keywords, dst, resume)
        kind = type_name(st, receiver)
        if kind == "set":
            objects.need_unfrozen(st, receiver, name)
        function = NATIVES.get(f"{kind}.{name}")
        if function is None:
            method = self.program.find_method(f"builtins.{kind}", name)
            if method is not None:
                return self.enter(st, self.callee(method), [receiver, *args], dst, resume, None, keywords)
            if is_foreign(receiver):
                st.regs[dst] = library.call_method(st, receiver, name, tuple(args), keywords or {})
                return resume
            objects.get_field(st, receiver, name)
            raise Unsupported(f"the method {name} of {kind}, which has no model")
        if self.extending:
            args = [*extended.plain_arguments(st, f"{kind}.{name}", tuple(args))]
        own = args if f"{kind}.{name}" in _OF_THE_CLASS else [receiver, *args]
        st.regs[dst] = function(st, *own, **(keywords or {}))
        return resume

    def _of_the_library(
        self, st: State, receiver: Unread, name: str, args: list[Value], keywords: dict[str, Value] | None
    ) -> Value:
        """A method of an object that the library holds, such as `sys.stdout`, of which only the name is known."""
        function = NATIVES.get(f"{receiver.cls}.{receiver.name}.{name}")
        if function is None:
            raise receiver.refusal()
        return function(st, *args, **(keywords or {}))

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
            return self.apply(st, st.heap.get(receiver, name), args, keywords, dst, resume)
        method = virtual_target(st, receiver, name)
        if method is None and receiver.cls in generators.RESUMABLE:
            return generators.call(self, st, receiver, name, args, dst, resume)
        hidden = (
            method is not None
            and name in self.statics
            and objects.hidden_by_static(self.program, type_name(st, receiver), method, name)
        )
        if method is None or method.kind == "property" or hidden:
            try:
                function = objects.get_field(st, receiver, name)
            except Invoke as call:
                if call.again:
                    raise
                return self._call_result(st, call, args, keywords, dst, resume)
            if isinstance(function, BoundMethod) and function.receiver is receiver and function.name == name:
                # The class attribute is a function that was made at run time.
                function = objects.get_static(st, type_name(st, receiver), name)
                args = [receiver, *args]
            return self.apply(st, function, args, keywords, dst, resume)
        if method.kind == "class":
            args = [ClassRef(type_name(st, receiver)), *args]
        elif method.kind != "static":
            args = [receiver, *args]
        return self.enter(st, self.callee(method), args, dst, resume, None, keywords)

    def _leave_for(self, st: State, frame: Frame, call: Invoke) -> Segment:
        """What becomes of a returned value takes another call, such as that of its `__bool__`: made for the caller."""
        bind_arguments(st, call.method, [*call.arguments], call.keywords)
        st.frame = frame.parent
        st.regs = [*frame.saved]
        callee = self.callee(call.method)
        return self.enter(st, callee, [*call.arguments], frame.dst, frame.resume, call.post, call.keywords)

    def _call_result(
        self,
        st: State,
        call: Invoke,
        args: list[Value],
        keywords: dict[str, Value] | None,
        dst: int,
        resume: Segment,
    ) -> Segment:
        """Call what a property or `__getattr__` gives: a model that waits for it below makes that call."""
        code = self.load(self.find_callee("builtins", "call_spread"))
        bind_arguments(st, call.method, [*call.arguments], call.keywords)
        named = st.heap.new_object("dict", DictCell(tuple((keywords or {}).items())))
        st.frame = Frame(code, st.frame, tuple(st.regs), dst, resume, None, st.decisions)
        st.regs = [UNBOUND, tuple(args), named, *code.blank]
        return self.enter(st, self.callee(call.method), [*call.arguments], 0, code.entry, call.post, call.keywords)

    def apply(
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
            return self.enter(st, self.callee(method), args, dst, resume, None, keywords)
        if isinstance(function, BoundMethod):
            return self.invoke(st, function.receiver, function.name, args, keywords, dst, resume)
        if isinstance(function, ClassRef):
            return self._construct(st, function.name, args, keywords, dst, resume)
        if isinstance(function, NativeRef):
            if function.name == SPREAD:
                return self.apply(st, args[0], *spread_arguments(st, args[1], args[2]), dst, resume)
            st.regs[dst] = self.native(st, function.name, tuple(args), keywords)
            return resume
        method_found = objects.user_method(st, function, "__call__")
        if method_found is not None:
            return self.enter(st, self.callee(method_found), [function, *args], dst, resume, None, keywords)
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
        lookup = self.program.find_method(cls, "<lookup>")
        if lookup is not None:
            return self.enter(st, self.callee(lookup), [ClassRef(cls), *args], dst, resume, None, keywords)
        maker = self.program.find_method(cls, "__new__")
        if maker is not None:
            named = st.heap.new_object("dict", DictCell(tuple((keywords or {}).items())))
            made = [ClassRef(cls), FunctionRef(maker.cls, maker.name), tuple(args), named]
            initialised = self.program.find_method(cls, "__init__") is not None
            made.append(initialised and objects.tuple_maker(self.program, cls) is None)
            return self.enter(st, self.find_callee("builtins", "make_object"), made, dst, resume)
        objects.need_makeable(st, cls)
        initialiser = self.program.find_method(cls, "__init__")
        if initialiser is None:
            exception = "BaseException" in self.program.mro(cls)
            if (args or keywords) and not exception:
                raise Fault(self.program.profile.type_error, f"{short(cls)}() takes no arguments")
            st.regs[dst] = st.heap.new_object(cls, {"args": tuple(args)} if exception else {})
            return resume
        ref = st.heap.new_object(cls)
        return self.enter(st, self.callee(initialiser), [ref, *args], dst, resume, lambda _, __: ref, keywords)

    def native(self, st: State, name: str, args: tuple[Value, ...], keywords: dict[str, Value] | None) -> Value:
        """A builtin: a native operation, else a model in the source language."""
        if self.extending:
            method = extended.inherited(st, name, args)
            if method is not None:
                raise Invoke(method, args, None, keywords)
            args = extended.plain_arguments(st, name, args)
        function = NATIVES.get(name)
        if function is not None:
            return function(st, *args, **(keywords or {}))
        method = self.program.find_method("builtins", name)
        if method is not None:
            raise Invoke(method, args, None, keywords)
        real = library_function(name)
        if real is not None:
            return library.call_library(st, name, real, args, keywords or {})
        raise Unsupported(refusal(name))
