"""Calls: which method a receiver of any kind has, and what is not there to be called."""

from __future__ import annotations

from everypath.errors import Unsupported
from everypath.explore.calls import Calls, Keywords
from everypath.explore.objects import class_for, common_method, program_of, resolve
from everypath.explore.signals import Fault
from everypath.explore.state import Segment, State
from everypath.heap.equality import is_text
from everypath.heap.values import OneOf, Ref, Unknown, Value
from everypath.ir.instructions import ClassRef
from everypath.ir.program import Method
from everypath.languages.java.frontend.profile import PROFILE
from everypath.languages.java.semantics.objects import STRING, array_descriptor

OBJECT = "java.lang.Object"


def receiver_of(st: State, value: Value) -> Value:
    """What a method is called on; the error where that is null."""
    if (type(value) is Unknown or type(value) is OneOf) and st.heap.is_null(value):
        value = None
    value = resolve(st, value)
    if value is None:
        raise Fault(PROFILE.null_error)
    return value


def target(st: State, value: Value, name: str) -> Method | None:
    """The method that a call on an object reaches, forking between those of an input's possible classes."""
    find = program_of(st).find_method
    if is_text(value):
        return find(STRING, name)
    if isinstance(value, ClassRef):
        return find("java.lang.Class", name)
    if not isinstance(value, Ref):
        raise Unsupported(f"the method {name} of {value!r}")
    if array_descriptor(st, value) is not None:
        return find(OBJECT, name)
    if value.cls in st.heap.inputs.enumerations:
        body = st.statics.get((value.cls, f"$class of {value.name}"))
        return find(body if isinstance(body, str) else value.cls, name)
    return find(class_for(st, value, lambda cls: id(find(cls, name))), name)


class JavaCalls(Calls):
    """Entering methods of Java."""

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
        """A virtual or interface call."""
        # If all objects that the receiver may be have the same method, which of them it is need not be decided.
        if type(receiver) is OneOf and not st.heap.is_null(receiver):
            common = common_method(st, receiver, name)
            if common is not None:
                return self.enter(st, self.callee(common), [receiver, *args], dst, resume, None, keywords)
        value = receiver_of(st, receiver)
        method = target(st, value, name)
        if method is None:
            what = value.cls if isinstance(value, Ref) else STRING
            raise Unsupported(f"{what} has no method {name} that could be called")
        return self.enter(st, self.callee(method), [value, *args], dst, resume, None, keywords)

    def native(self, st: State, name: str, args: tuple[Value, ...], keywords: Keywords | None) -> Value:
        """An instruction or a native method."""
        function = self.natives.get(name)
        if function is not None:
            return function(st, *args)
        kind, _, what = name.partition(" ")
        if kind == "missing":
            raise Unsupported(f"{what} is not on the class path (--classpath)")
        if kind == "dynamic":
            raise Unsupported(f"a call that {what} links")
        raise Unsupported(f"the native method {name.partition('(')[0]}, which has no model")
