"""What calling means in Python: functions, classes, bound methods, builtins, and objects with `__call__`.

A method call on an object of the program enters the method that its class defines, forking where the class of an input
is open. On a builtin value it runs a native of `NATIVES`, else a model in the source language, else the library's own
code.
"""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.answers import note_exact
from everypath.explore.calls import NO_CASE, Calls, Keywords
from everypath.explore.objects import common_method, exact_class, resolve, short, virtual_target
from everypath.explore.semantics import MISUSE
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Frame, Segment, State
from everypath.heap.values import UNBOUND, BoundMethod, DictCell, InputFunction, OneOf, Ref, Unknown, Unread, Value
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.names import LOOKUP, interface_of
from everypath.ir.program import Method, Program
from everypath.ir.types import FutureType
from everypath.languages.python.natives import exceptions, library
from everypath.languages.python.semantics import extended, generators, kinds
from everypath.languages.python.semantics.arguments import (
    SPREAD,
    SPREAD_RECORD,
    bind_arguments,
    spread_arguments,
)
from everypath.languages.python.semantics.host_objects import Kept, is_foreign, library_function
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.registry import NATIVES
from everypath.options import Limits

_OF_THE_CLASS = frozenset(
    "str.maketrans bytes.maketrans bytes.fromhex dict.fromkeys int.from_bytes bool.from_bytes float.fromhex".split()
)
"""Methods that ignore the object through which they are called."""
_AT_ONCE = (exceptions, library)
"""Natives that most programs need; the table imports the others when one is asked for."""


def _names_of_statics(program: Program) -> frozenset[str]:
    return frozenset(name for cls in program.classes.values() for name in cls.statics)


class PythonCalls(Calls):
    """Calls of everything that Python can call."""

    def __init__(self, program: Program, limits: Limits) -> None:
        super().__init__(program, limits, NATIVES)
        self.extending = program.derived(extended.extends_any)
        """whether the program has classes that extend a builtin one, whose objects natives must see through"""
        self.statics = program.derived(_names_of_statics)

    def bind(self, st: State, method: Method, args: list[Value], keywords: Keywords) -> list[Value]:
        """One value per parameter, in order; a TypeError of the program when they do not fit."""
        return bind_arguments(st, method, args, keywords)

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
        """A virtual call, on an object of the program or on a builtin value."""
        if type(receiver) is Unknown and st.heap.is_open(receiver):
            # Most programs have no such inputs.
            from everypath.languages.python.semantics.first_uses import take_for_receiver

            take_for_receiver(st, receiver, name)
        if (type(receiver) is Unknown or type(receiver) is OneOf) and st.heap.is_null(receiver):
            receiver = None
        if type(receiver) is OneOf:
            common = common_method(st, receiver, name)
            if common is not None and common.kind == "instance":
                return self.enter(st, self.callee(common), [receiver, *args], dst, resume, None, keywords)
        receiver = resolve(st, receiver)
        if type(receiver) is Unread:
            st.regs[dst] = self._of_the_library(st, receiver, name, args, keywords)
            return resume
        if isinstance(receiver, Ref) and type(st.heap.cells[receiver]) is dict:
            return self._invoke_object(st, receiver, name, args, keywords, dst, resume)
        if isinstance(receiver, ClassRef):
            method = self.program.find_method(receiver.name, name)
            if method is not None:
                own = [receiver, *args] if method.kind == "class" else args
                return self.enter(st, self.callee(method), own, dst, resume, None, keywords)
            return self.apply(st, _get_field(st, receiver, name), args, keywords, dst, resume)
        return self._invoke_builtin(st, receiver, name, args, keywords, dst, resume)

    def _invoke_builtin(
        self,
        st: State,
        receiver: Value,
        name: str,
        args: list[Value],
        keywords: Keywords | None,
        dst: int,
        resume: Segment,
    ) -> Segment | None:
        """A method of a value that is no object of the program: a native, a model, or the library's own."""
        if isinstance(receiver, Kept):
            st.regs[dst] = library.call_method(st, receiver, name, tuple(args), keywords or {})
            return resume
        kind = type_name(st, receiver)
        if kind == "set":
            from everypath.languages.python.semantics.attributes import need_unfrozen

            need_unfrozen(st, kinds.reference(receiver), name)
        function = NATIVES.get(f"{kind}.{name}")
        if function is None:
            method = self.program.find_method(f"builtins.{kind}", name)
            if method is not None:
                return self.enter(st, self.callee(method), [receiver, *args], dst, resume, None, keywords)
            if is_foreign(receiver):
                st.regs[dst] = library.call_method(st, receiver, name, tuple(args), keywords or {})
                return resume
            _get_field(st, receiver, name)
            raise Unsupported(f"the method {name} of {kind}, which has no model")
        if self.extending:
            args = [*extended.plain_arguments(st, f"{kind}.{name}", tuple(args))]
        own = args if f"{kind}.{name}" in _OF_THE_CLASS else [receiver, *args]
        st.regs[dst] = function(st, *own, **(keywords or {}))
        return resume

    def _of_the_library(
        self, st: State, receiver: Unread, name: str, args: list[Value], keywords: Keywords | None
    ) -> Value:
        """A method of an object that the library holds, such as `sys.stdout`, of which only the name is known."""
        function = NATIVES.get(f"{receiver.cls}.{receiver.name}.{name}")
        if function is None:
            raise receiver.refusal()
        result: Value = function(st, *args, **(keywords or {}))
        return result

    def _invoke_object(
        self,
        st: State,
        receiver: Ref,
        name: str,
        args: list[Value],
        keywords: Keywords | None,
        dst: int,
        resume: Segment,
    ) -> Segment | None:
        cell = st.heap.cells[receiver]
        if isinstance(cell, dict) and name in cell:
            return self.apply(st, st.heap.get(receiver, name), args, keywords, dst, resume)
        method = virtual_target(st, receiver, name)
        if method is None and receiver.cls in generators.RESUMABLE:
            return generators.call(self, st, receiver, name, args, dst, resume)
        hidden = (
            method is not None
            and name in self.statics
            and kinds.hidden_by_static(self.program, type_name(st, receiver), method, name)
        )
        if method is None or method.kind == "property" or hidden:
            try:
                function = _get_field(st, receiver, name)
            except Invoke as call:
                if call.again:
                    raise
                return self._call_result(st, call, args, keywords, dst, resume)
            if isinstance(function, BoundMethod) and function.receiver is receiver and function.name == name:
                # The class attribute is a function that was made at run time.
                function = kinds.get_static(st, type_name(st, receiver), name)
                args = [receiver, *args]
            return self.apply(st, function, args, keywords, dst, resume)
        if method.kind == "class":
            args = [ClassRef(exact_class(st, receiver)), *args]
        elif method.kind != "static":
            args = [receiver, *args]
        return self.enter(st, self.callee(method), args, dst, resume, None, keywords)

    def _call_result(
        self, st: State, call: Invoke, args: list[Value], keywords: Keywords | None, dst: int, resume: Segment
    ) -> Segment:
        """Call what a property or `__getattr__` gives: a model that waits for it below makes that call."""
        code = self.load(self.find_callee("builtins", "call_spread"))
        # Arguments that do not fit are the caller's error, so they are refused before there is a new frame.
        bind_arguments(st, call.method, [*call.arguments], call.keywords)
        named = st.heap.new_object("dict", DictCell(tuple((keywords or {}).items())))
        st.frame = Frame(code, st.frame, tuple(st.regs), dst, resume, None, st.decisions)
        st.regs = [UNBOUND, tuple(args), named, *code.blank]
        callee = self.callee(call.method)
        return self.enter(st, callee, [*call.arguments], 0, code.entry, call.post, call.keywords, False)

    def apply(
        self, st: State, function: Value, args: list[Value], keywords: Keywords | None, dst: int, resume: Segment
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
        if isinstance(function, InputFunction):
            named = st.heap.new_object("dict", DictCell(tuple((keywords or {}).items())))
            later = isinstance(function.type.result, FutureType)
            model = self.find_callee("builtins", "ask_function_later" if later else "ask_function")
            return self.enter(st, model, [function, tuple(args), named], dst, resume)
        if isinstance(function, NativeRef):
            if function.name in (SPREAD, SPREAD_RECORD):
                try:
                    return self.apply(st, args[0], *spread_arguments(st, args[1], args[2]), dst, resume)
                except Fault as fault:
                    # Which names a dict holds is what its maker has agreed on with the function.
                    if function.name == SPREAD_RECORD and fault.cls == "TypeError":
                        fault.fields[MISUSE] = True
                    raise
            st.regs[dst] = self.native(st, function.name, tuple(args), keywords)
            return resume
        if isinstance(function, Kept):
            st.regs[dst] = library.call_method(st, function, "__call__", tuple(args), keywords or {})
            return resume
        method_found = kinds.user_method(st, function, "__call__")
        if method_found is not None:
            return self.enter(st, self.callee(method_found), [function, *args], dst, resume, None, keywords)
        if isinstance(function, Ref) and interface_of(type_name(st, function)) is not None:
            note_exact(st, function)
        raise Fault("TypeError", f"{short(type_name(st, function))!r} object is not callable")

    def _construct(
        self, st: State, cls: str, args: list[Value], keywords: Keywords | None, dst: int, resume: Segment
    ) -> Segment | None:
        lookup = self.program.find_method(cls, LOOKUP)
        if lookup is not None:
            return self.enter(st, self.callee(lookup), [ClassRef(cls), *args], dst, resume, None, keywords)
        maker = self.program.find_method(cls, "__new__")
        if maker is not None:
            named = st.heap.new_object("dict", DictCell(tuple((keywords or {}).items())))
            made: list[Value] = [ClassRef(cls), FunctionRef(maker.cls, maker.name), tuple(args), named]
            initialised = self.program.find_method(cls, "__init__") is not None
            made.append(initialised and kinds.tuple_maker(self.program, cls) is None)
            return self.enter(st, self.find_callee("builtins", "make_object"), made, dst, resume)
        kinds.need_makeable(st, cls)
        initialiser = self.program.find_method(cls, "__init__")
        if initialiser is None:
            exception = "BaseException" in self.program.mro(cls)
            if (args or keywords) and not exception:
                raise Fault("TypeError", f"{short(cls)}() takes no arguments")
            st.regs[dst] = st.heap.new_object(cls, {"args": tuple(args)} if exception else {})
            return resume
        ref = st.heap.new_object(cls)
        return self.enter(st, self.callee(initialiser), [ref, *args], dst, resume, lambda _, __: ref, keywords)

    def native(self, st: State, name: str, args: tuple[Value, ...], keywords: Keywords | None) -> Value:
        """A builtin: a native operation, else a model in the source language."""
        if self.extending:
            method = extended.inherited(st, name, args)
            if method is not None:
                raise Invoke(method, args, None, keywords)
            args = extended.plain_arguments(st, name, args)
        function = NATIVES.get(name)
        if function is not None:
            result: Value = function(st, *args, **(keywords or {}))
            return result
        method = self.program.find_method("builtins", name)
        if method is not None:
            raise Invoke(method, args, None, keywords)
        real = library_function(name)
        if real is not None:
            return library.call_library(st, name, real, args, keywords or {})
        if name.endswith(NO_CASE):
            raise Unsupported(f"calling {name}")
        # Most programs call nothing of the kind.
        from everypath.languages.python.natives.fenced import call_for_real

        return call_for_real(st, name, args, keywords or {})


def _get_field(st: State, receiver: Value, name: str) -> Value:
    from everypath.languages.python.semantics.attributes import get_field

    return get_field(st, receiver, name)
