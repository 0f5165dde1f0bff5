"""Calls: the five instructions that call a method, and the initialisation of classes before them.

A call site of `invokedynamic` is made by a bootstrap method when it is first run. Those of the compiler are known:
string concatenation becomes a chain of conversions, a lambda or method reference an object of a class that is made up
here, the methods of records compare, hash or print their components, and switches over patterns try their labels.
"""

from __future__ import annotations

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Reg
from everypath.ir.program import Class
from everypath.languages.java.classfile.constants import DynamicConstant, MemberConstant
from everypath.languages.java.classfile.descriptors import method_types
from everypath.languages.java.classfile.model import Bootstrap
from everypath.languages.java.frontend.concatenation import concatenated
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaMethod, dotted
from everypath.languages.java.frontend.lambdas import lambda_class
from everypath.languages.java.frontend.pattern_switches import CHOOSE, SWITCHES, switch_class
from everypath.languages.java.frontend.records import record_class
from everypath.languages.java.frontend.stack import Entry, OperandStack
from everypath.languages.java.frontend.surroundings import Surroundings

STRING_FACTORY = "java/lang/invoke/StringConcatFactory"
LAMBDA_FACTORY = "java/lang/invoke/LambdaMetafactory"
RECORD_METHODS = "java/lang/runtime/ObjectMethods"
INITIALISED = "$initialised"
"""the static whose first use initialises a class"""


class Invocations:
    """The part of the translation that is about calls."""

    surroundings: Surroundings
    cls: JavaClass
    method: JavaMethod
    build: MethodBuilder
    stack: OperandStack
    offset: int

    def span(self) -> Span:
        """The line of the current instruction."""
        raise NotImplementedError

    def typed_registers(self, descriptors: tuple[str, ...]) -> list[Reg]:
        """Take the arguments of a call from the stack."""
        raise NotImplementedError

    def native(self, name: str, operands: list[Reg], kind: str) -> None:
        """A native on registers whose result goes on the stack."""
        raise NotImplementedError

    def initialise(self, cls: str) -> None:
        """Initialise a class before it is used; a method of the class itself runs only when it is initialised."""
        # A subclass is initialised after its superclasses.
        if cls in self.surroundings.hierarchy.supertypes(self.cls.name) or not self.surroundings.has_initialiser(cls):
            return
        scratch = self.build.register()
        self.build.emit(ins.GetStatic(scratch, cls, INITIALISED, span=self.span()))

    def missing(self, what: str) -> None:
        """Code that uses something that is not on the class path; it may never run."""
        self.native(f"missing {what}", [], "A")

    def invoke(self, name: str, operand: object) -> None:
        """One of the five instructions."""
        if isinstance(operand, DynamicConstant):
            self._invoke_dynamic(operand)
            return
        assert isinstance(operand, MemberConstant)
        parameters, result = method_types(operand.descriptor)
        receiver = () if name == "invokestatic" else ("A",)
        owner = dotted(operand.owner)
        if name == "invokestatic":
            self.initialise(owner)
        arguments = self.typed_registers((*receiver, *parameters))
        if owner == "java.lang.String" and operand.name == "<init>":
            self._make_string(operand.descriptor, arguments[1:])
            return
        kind = kind_of_result(result)
        into = self.stack.result(kind) if kind else self.stack.scratch()
        self._call(name, owner, operand.name + operand.descriptor, arguments, into)

    def _call(self, name: str, owner: str, method: str, arguments: list[Reg], into: Reg) -> None:
        build, span = self.build, self.span()
        if name in ("invokevirtual", "invokeinterface"):
            private = self._private(owner, method)
            if private is None:
                receiver, *rest = arguments
                build.emit(ins.CallVirtual(into, receiver, method, tuple(rest), span=span))
                return
            owner = private
            build.emit(ins.CallNative(build.register(), "monitor", (arguments[0],), span=span))
        build.emit(ins.CallStatic(into, owner, method, tuple(arguments), span=span))

    def _make_string(self, descriptor: str, arguments: list[Reg]) -> None:
        """A constructor of String: what was to be the object, wherever it is on the stack, is the text it gives."""
        into = self.build.register()
        name = f"make{descriptor.removesuffix('V')}Ljava/lang/String;"
        self.build.emit(ins.CallStatic(into, "java.lang.String", name, tuple(arguments), span=self.span()))
        entries = self.stack.entries
        if entries and entries[-1].kind == "U":
            entries[-1] = Entry(into, "A")

    def _private(self, owner: str, method: str) -> str | None:
        """The class of a private method, which no other one overrides; None for other methods."""
        cls = None if owner.startswith("[") else self.surroundings.hierarchy.find(owner)
        found = cls.methods.get(method) if cls is not None else None
        return owner if found is not None and found.access == "private" else None

    def _invoke_dynamic(self, site: DynamicConstant) -> None:
        parameters, result = method_types(site.descriptor)
        bootstrap = self.cls.info.bootstraps[site.bootstrap]
        factory = bootstrap.handle.member.owner
        if factory == STRING_FACTORY:
            arguments = self.typed_registers(parameters)
            concatenated(self, site, bootstrap, parameters, arguments)
        elif factory == LAMBDA_FACTORY:
            arguments = self.typed_registers(parameters)
            name = f"{self.cls.name}$$Lambda${self.method.name.strip('<>')}{self.offset}"
            made = lambda_class(self.surroundings, self.cls, name, site, bootstrap, parameters)
            self.surroundings.add_class(made)
            into = self.stack.result("A")
            self.build.emit(ins.NewObject(into, name, span=self.span()))
            for number, argument in enumerate(arguments):
                self.build.emit(ins.SetField(into, f"captured{number}", argument, span=self.span()))
        elif factory == RECORD_METHODS:
            arguments = self.typed_registers(parameters)
            name = f"{self.cls.name}$$Record"
            self.surroundings.add_class(record_class(self.cls, name))
            into = self.stack.result(kind_of_result(result))
            self.build.emit(ins.CallStatic(into, name, site.name, tuple(arguments), span=self.span()))
        elif factory == SWITCHES and (switch := self._switch(site, bootstrap)) is not None:
            arguments = self.typed_registers(parameters)
            self.surroundings.add_class(switch)
            into = self.stack.result("I")
            self.build.emit(ins.CallStatic(into, switch.name, CHOOSE, tuple(arguments), span=self.span()))
        else:
            arguments = self.typed_registers(parameters)
            what = f"{factory.rpartition('/')[2]}.{site.name}"
            kind = kind_of_result(result)
            self.native(f"dynamic {what}", arguments, kind or "A")
            if not kind:
                self.stack.pop()

    def _switch(self, site: DynamicConstant, bootstrap: Bootstrap) -> Class | None:
        name = f"{self.cls.name}$$Switch${self.method.name.strip('<>')}{self.offset}"
        return switch_class(name, bootstrap.arguments, site.name == "enumSwitch")


def kind_of_result(descriptor: str) -> str:
    """The kind of stack entry that a result is; empty for none."""
    if descriptor == "V":
        return ""
    if descriptor[0] in "BCS":
        return "I"
    return "A" if descriptor[0] in "L[" else descriptor
