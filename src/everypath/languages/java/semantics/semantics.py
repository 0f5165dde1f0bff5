"""Java for the machine: integers that wrap, zeros in the fields of new objects, classes initialised on first use."""

from __future__ import annotations

from typing import Any

from everypath.errors import Unsupported
from everypath.explore import arithmetic
from everypath.explore.calls import Calls
from everypath.explore.objects import resolve
from everypath.explore.outcomes import Uncaught
from everypath.explore.semantics import IMPLICIT, Semantics
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.equality import as_int
from everypath.heap.inputs import Inputs
from everypath.heap.values import Data, Ref, Value
from everypath.ir.instructions import CallStatic, ClassRef
from everypath.ir.program import Method
from everypath.ir.types import STR
from everypath.languages.java.frontend.program import JavaProgram
from everypath.languages.java.semantics import floating, library, promises, texts
from everypath.languages.java.semantics.calls import JavaCalls
from everypath.languages.java.semantics.integers import Integers, is_truth
from everypath.languages.java.semantics.knowledge import Enumerations, JavaKnowledge
from everypath.languages.java.semantics.objects import NATIVES, OPERATIONS, Objects, get_field
from everypath.logic import terms
from everypath.logic.terms import Term
from everypath.options import Limits
from everypath.records import replace

MESSAGE = "detailMessage"


class JavaSemantics(Semantics):
    """The operations of Java for one program."""

    def __init__(self, program: JavaProgram, overflow: bool = False) -> None:
        super().__init__(program)
        program.replaced = library.REPLACED
        self.java = program
        self.knowledge: JavaKnowledge = JavaKnowledge(program)
        self.integers = Integers(overflow)
        self.objects = Objects(program)
        self.natives = {
            **library.NATIVES,
            **texts.NATIVES,
            **promises.NATIVES,
            **NATIVES,
            **floating.natives(),
            **self.integers.natives(),
        }

    def calls(self, limits: Limits) -> Calls:
        return JavaCalls(self.program, limits, self.natives, self.objects)

    def operations(self) -> dict[str, Any]:
        return {
            **super().operations(),
            **OPERATIONS,
            "binary": self.integers.binary,
            "unary": self.integers.unary,
            "compare": self.compare,
            "new_object": self.objects.new_object,
            "identity": identity,
        }

    def compare(self, st: State, op: str, left: Value, right: Value) -> bool | Term:
        """The six relations of numbers."""
        if (
            isinstance(left, Term)
            and left.sort == "int"
            and (op == "==" or op == "!=")
            and (right.__class__ is int or (isinstance(right, Term) and right.sort == "int"))
        ):
            # What is compared most often is told at once.
            return arithmetic.condition(op, left, right)  # type: ignore[arg-type]
        found = self.integers.compare(st, op, left, right)
        return compare(st, op, left, right) if found is None else found

    def receiver(self, inputs: Inputs, state: State, method: Method, cls: str, constructs: bool) -> Value:
        """What stands for the object; a string is the text itself."""
        if cls == "java.lang.String" and not constructs:
            return inputs.fresh(STR, method.params[0].name)
        return super().receiver(inputs, state, method, cls, constructs)

    def constructor(self, cls: str) -> Method | None:
        """The constructor with the fewest parameters that tests may call."""
        found = self.java.find_java(cls)
        usable = [each for each in found.constructors if each.access != "private"] if found is not None else []
        usable.sort(key=lambda each: each.access == "protected")
        if found is None or found.abstract or not usable:
            raise Unsupported(f"{cls} has no constructor that could be called")
        return self.program.find_method(cls, usable[0].ir_name)

    def fault(self, st: State, fault: Fault) -> Ref | Data:
        """The exception that the JVM throws by itself."""
        fields: dict[str, Value] = {**self.objects.blank(fault.cls), IMPLICIT: True}
        if MESSAGE in fields and fault.arguments:
            fields[MESSAGE] = fault.arguments[0]
        made = st.heap.new_object(fault.cls, fields)
        if "cause" in fields:
            st.heap.set_field(made, "cause", made)
        return made

    def thrown(self, st: State, value: Value) -> Ref | Data:
        """An object; what checks preconditions throws by class."""
        return self.fault(st, Fault(value.name)) if isinstance(value, ClassRef) else super().thrown(st, value)

    def uncaught(self, st: State, exception: Ref | Data) -> Uncaught:
        """The end of a path; what a method made for checking throws, its caller throws on purpose."""
        found = super().uncaught(st, exception)
        return replace(found, implicit=False) if found.implicit and self._is_checked(found) else found

    def _is_checked(self, found: Uncaught) -> bool:
        """Whether the exception is not one of the JVM's own kinds, or came from a method such as requireNonNull."""
        if not any(self.program.is_subclass(found.cls, kind) for kind in _SUSPECT):
            return True
        innermost = next(found.origin.stack(), None)
        asked = innermost.instruction if innermost is not None else None
        return isinstance(asked, CallStatic) and asked.cls in _CHECKING

    def note_entry(self, inputs: Inputs, method: Method) -> None:
        """Enums are known before paths begin, because their constants are the only objects of their classes."""
        self.knowledge.inputs = inputs
        if not isinstance(inputs.enumerations, Enumerations):
            inputs.enumerations = Enumerations(self.java)

    def blank_object(self, state: State, cls: str) -> Ref:
        return self.objects.new_object(state, cls)


_SUSPECT = (
    "java.lang.NullPointerException", "java.lang.IndexOutOfBoundsException", "java.lang.ClassCastException",
    "java.lang.ArithmeticException", "java.lang.NegativeArraySizeException", "java.lang.ArrayStoreException",
    "java.util.NoSuchElementException", "java.util.ConcurrentModificationException",
)  # fmt: skip
"""what a person should look at where nobody throws it on purpose; others are how a library refuses arguments"""
_CHECKING = frozenset(("java.util.Objects", "java.lang.Math", "java.lang.StrictMath"))
"""classes whose methods throw because their callers want it so: requireNonNull, checkIndex, addExact"""
_CACHED = {
    "java.lang.Integer": (-128, 127), "java.lang.Long": (-128, 127), "java.lang.Short": (-128, 127),
    "java.lang.Byte": (-128, 127), "java.lang.Character": (0, 127),
}  # fmt: skip
"""wrapper classes -> the values of which there is one object each"""


def identity(st: State, negated: bool, left: Value, right: Value) -> bool | Term:
    """Whether two references are one object; boxes of small values are, and strings are taken as interned."""
    left, right = st.heap.settled(left), st.heap.settled(right)
    answer = arithmetic.same(st, left, right)
    if answer is False and isinstance(left, Ref) and isinstance(right, Ref) and left.cls == right.cls:
        answer = _same_box(st, left, right)
    return terms.not_(answer) if negated else answer


def _same_box(st: State, left: Ref, right: Ref) -> bool | Term:
    cached = _CACHED.get(left.cls)
    if cached is None and left.cls != "java.lang.Boolean":
        return False
    one, other = (as_int(resolve(st, get_field(st, each, "value"))) for each in (left, right))
    equal = terms.eq(one, other)
    return equal if cached is None else terms.and_(equal, terms.le(cached[0], one), terms.le(one, cached[1]))


def compare(st: State, op: str, left: Value, right: Value) -> bool | Term:
    """The six relations of numbers; a boolean is 0 or 1."""
    left, right = resolve(st, left), resolve(st, right)
    if is_truth(left) or is_truth(right):
        if op in ("==", "!=") and not isinstance(right, Term) and isinstance(left, Term) and left.sort == "bool":
            return left if bool(right) == (op == "==") else terms.not_(left)
        left, right = as_int(left), as_int(right)
    if _floating(left) or _floating(right):
        return _compare_floats(op, left, right)
    return arithmetic.condition(op, left, right)  # type: ignore[arg-type]


def _floating(value: Value) -> bool:
    return isinstance(value, float) or (isinstance(value, Term) and value.sort == "float")


def _compare_floats(op: str, left: Any, right: Any) -> bool | Term:
    match op:
        case "<":
            return terms.float_lt(left, right)
        case "<=":
            return terms.float_le(left, right)
        case ">":
            return terms.float_lt(right, left)
        case ">=":
            return terms.float_le(right, left)
        case "==":
            return terms.float_eq(left, right)
    return terms.not_(terms.float_eq(left, right))
