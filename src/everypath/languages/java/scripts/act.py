"""The middle of a test: the one call it is about."""

from __future__ import annotations

from everypath.cases.model import CallCase, Literal, Pointer, Raised, Value
from everypath.errors import Unsupported
from everypath.languages.java.classfile.descriptors import Generic, Parameterised, Primitive
from everypath.languages.java.scripts.case_types import CaseTypes
from everypath.languages.java.scripts.imports import Imports
from everypath.languages.java.scripts.literals import quoted
from everypath.languages.java.scripts.subject import Subject, find_class
from everypath.languages.java.scripts.values import Values

_UNCHECKED = ("java.lang.RuntimeException", "java.lang.Error")
"""what a method may throw, and declare, without anybody else having to"""


class Action:
    """Writes the call of a case, and what it is expected to throw."""

    def __init__(
        self, case: CallCase, subject: Subject, types: CaseTypes, values: Values, imports: Imports, *, raw: bool
    ) -> None:
        self._case = case
        self._subject = subject
        self._types = types
        self._values = values
        self._imports = imports
        self._raw = raw
        self.throws = not isinstance(case.expected.outcome, Raised) and any(
            not any(imports.hierarchy.is_subtype(name, each) for each in _UNCHECKED)
            for name in subject.method.exceptions
        )
        """whether the compiler wants exceptions to be declared"""

    def lines(self, *, exact: bool) -> list[str]:
        """The call; with `exact` an exception must be of the very class that is expected."""
        call = self._call()
        outcome = self._case.expected.outcome
        if isinstance(outcome, Raised):
            cls = find_class(self._imports.hierarchy, outcome.module, outcome.cls)
            while not self._imports.accessible(cls):
                above = self._imports.hierarchy.find(cls.super) if cls.super else None
                if above is None:
                    raise Unsupported(f"an exception of {cls.name}, which the test cannot name")
                cls, exact = above, False
            name = self._imports.assertion("assertThrowsExactly" if exact else "assertThrows")
            expected = f"{name}({self._imports.cls(cls.name)}.class, () -> {call});"
            if outcome.message is None or outcome.implicit:
                return [expected]
            asserted = self._imports.assertion("assertEquals")
            thrown = f"{self._imports.cls(cls.name)} thrown = {expected}"
            return [thrown, f"{asserted}({quoted(outcome.message)}, thrown.getMessage());"]
        if isinstance(self._types.result, Primitive) and self._types.result.letter == "V":
            return [f"{call};"]
        return [f"{self._imports.type(self._types.result, raw=self._raw)} result = {call};"]

    def _call(self) -> str:
        method, cls = self._subject.method, self._subject.cls
        if not self._imports.member_accessible(method.access, method.owner):
            raise Unsupported(
                f"{cls.name}.{method.name} is {method.access or 'for its package only'}, so that no test can call it"
            )
        arguments = self._arguments()
        if self._subject.constructor:
            diamond = "<>" if cls.formals and not self._raw else ""
            if cls.inner:
                return f"{arguments[0]}.new {cls.simple}{diamond}({', '.join(arguments[1:])})"
            return f"new {self._imports.cls(cls.name)}{diamond}({', '.join(arguments)})"
        if not self._imports.accessible(cls):
            raise Unsupported(f"{cls.name} cannot be named in a test")
        if self._subject.static:
            return f"{self._imports.cls(cls.name)}.{method.name}({', '.join(arguments)})"
        receiver = self._case.inputs.receiver
        if receiver is None:
            raise Unsupported(f"a call of {method.name} without an object")
        return f"{self._receiver(receiver)}.{method.name}({', '.join(arguments)})"

    def _receiver(self, receiver: Value) -> str:
        written = self._values.value(receiver, self._types.receiver)
        if isinstance(receiver, Literal) and not isinstance(receiver.value, str):
            return f"{self._imports.cls(self._subject.cls.name)}.valueOf({written})"
        if isinstance(receiver, Pointer) and written[:1] in "'-0123456789(tf" and not written.isidentifier():
            return f"{self._imports.cls(self._subject.cls.name)}.valueOf({written})"
        return written

    def _arguments(self) -> list[str]:
        written: list[str] = []
        overloaded = self._overloaded()
        for (_, value, _), type_ in zip(self._case.inputs.arguments, self._types.parameters):
            text = self._values.value(value, type_)
            if text == "null" and (overloaded or self._is_varargs(len(written))):
                text = f"({self._imports.type(type_, raw=True)}) null"
            elif overloaded and _needs_type(value, type_):
                text = f"({self._imports.type(type_, raw=True)}) {text}"
            written.append(text)
        return written

    def _is_varargs(self, number: int) -> bool:
        return bool(self._subject.method.flags & 0x80) and number == len(self._types.parameters) - 1

    def _overloaded(self) -> bool:
        """Whether another method of the same name takes as many arguments."""
        method = self._subject.method
        return any(
            other.name == method.name and other is not method and len(other.parameters) == len(method.parameters)
            for owner in self._imports.hierarchy.supertypes(self._subject.cls.name)
            if (cls := self._imports.hierarchy.find(owner)) is not None
            for other in cls.methods.values()
        )


def _needs_type(value: Value, type_: Generic) -> bool:
    """Whether an argument by itself would choose another method: an object that is declared as a supertype."""
    return (
        isinstance(value, (Pointer, Literal)) and isinstance(type_, Parameterised) and type_.name == "java/lang/Object"
    )
