"""Calls: which method a receiver of any kind has, and what is not there to be called."""

from __future__ import annotations

from collections.abc import Mapping

from everypath.errors import Unsupported
from everypath.explore.calls import Callee, Calls, Keywords
from everypath.explore.natives import Native
from everypath.explore.objects import class_for, common_method, program_of, resolve
from everypath.explore.signals import Fault
from everypath.explore.state import Segment, State
from everypath.heap.equality import is_text
from everypath.heap.values import OneOf, Ref, Unknown, Value
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallNative, ClassRef
from everypath.ir.program import Method, Program
from everypath.languages.java.frontend.profile import PROFILE
from everypath.languages.java.semantics.collections import COLLECTIONS, is_open, look_into
from everypath.languages.java.semantics.objects import STRING, Objects, array_descriptor, initialise
from everypath.options import Limits

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
        # Only the initialiser of an enum tells which of its constants have a class of their own.
        if not st.heap.cells.get(value):
            initialise(st, value.cls)
        body = st.statics.get((value.cls, f"$class of {value.name}"))
        return find(body if isinstance(body, str) else value.cls, name)
    return find(class_for(st, value, lambda cls: id(find(cls, name))), name)


class JavaCalls(Calls):
    """Entering methods of Java."""

    def __init__(self, program: Program, limits: Limits, natives: Mapping[str, Native], objects: Objects) -> None:
        super().__init__(program, limits, natives)
        self.objects = objects
        self._missing: dict[tuple[str, str], Method] = {}

    def find_callee(self, cls: str, name: str) -> Callee:
        """The method that a call names; one that is not there ends the paths that call it, and no others."""
        method = self.program.find_method(cls, name)
        return self.callee(method if method is not None else self._absent(cls, name))

    def _absent(self, cls: str, name: str) -> Method:
        key = (cls, name)
        if key not in self._missing:
            build = MethodBuilder(cls, name, ())
            build.emit(CallNative(build.register(), f"missing {cls}.{name.partition('(')[0]}", ()))
            self._missing[key] = build.finish(kind="static", model=True)
        return self._missing[key]

    def bind(self, st: State, method: Method, args: list[Value], keywords: Keywords) -> list[Value]:
        """One value for each parameter; a method that is not there takes any."""
        if self._missing.get((method.cls, method.name)) is method:
            return []
        return super().bind(st, method, args, keywords)

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
            if common is not None and common.cls not in COLLECTIONS:
                return self.enter(st, self.callee(common), [receiver, *args], dst, resume, None, keywords)
        value = receiver_of(st, receiver)
        if is_open(st, value):
            assert isinstance(value, Ref)
            look_into(st, value, self.objects)
        method = target(st, value, name)
        if method is None:
            what = value.cls if isinstance(value, Ref) else STRING
            if what not in self.program.classes:
                raise Unsupported(f"{what} is not on the class path (--classpath)")
            raise Unsupported(f"{what} has no method {name} that could be called")
        return self.enter(st, self.callee(method), [value, *args], dst, resume, None, keywords)

    def native(self, st: State, name: str, args: tuple[Value, ...], keywords: Keywords | None) -> Value:
        """An instruction or a native method."""
        function = self.natives.get(name)
        if function is not None:
            return function(st, *args)
        if name.startswith("java.io.PrintStream."):
            # Some give the stream itself.
            return args[0] if name.endswith(";") else None
        if name.startswith("java.lang.Thread."):
            raise Unsupported(f"threads ({name.partition('(')[0]})")
        kind, _, what = name.partition(" ")
        if kind == "missing":
            library = what.startswith(("java.", "jdk.", "sun."))
            raise Unsupported(f"{what} " + ("has no model" if library else "is not on the class path (--classpath)"))
        if kind == "dynamic":
            raise Unsupported(f"a call that {what} links")
        raise Unsupported(f"the native method {name.partition('(')[0]}, which has no model")
