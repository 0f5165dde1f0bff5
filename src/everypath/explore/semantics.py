"""What the operations of a language mean on symbolic values: the seam between the machine and the languages.

The machine knows frames, choices, exceptions and how code is generated; it knows nothing about what `+` or `x.f` or a
library call means. A language hands it a `Semantics`. The class here is a whole one, for a plain language: integers
and truth values, objects with fields, virtual methods, arrays, null. A language derives from it and overrides what it
does otherwise; each operation that generated code may name is one entry of `operations`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from everypath.errors import Unsupported
from everypath.explore import arithmetic, objects
from everypath.explore.calls import Calls
from everypath.explore.code import Later
from everypath.explore.natives import Native
from everypath.explore.objects import class_of, resolve
from everypath.explore.outcomes import Uncaught
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import Post, Segment, State
from everypath.heap.inputs import Inputs
from everypath.heap.knowledge import NOTHING_KNOWN, Knowledge, NeedsCode
from everypath.heap.values import Data, Ref, Value
from everypath.ir.instructions import ClassRef, Param
from everypath.ir.program import Method, Program
from everypath.ir.types import ClassType, Type
from everypath.options import Limits
from everypath.records import dataclass

Run = Callable[[State, Method], None]
"""runs a method without parameters to its end, or to its first choice"""
IMPLICIT = "$implicit"
"""the mark of an exception that the runtime raises, and not the program on purpose"""
MISUSE = "$misuse"
"""the mark of such an exception that is about arguments which callers choose, as if their own call did not fit, or that
the program has caught by its name and raises again"""


@dataclass(frozen=True, slots=True)
class Beginning:
    """How the call under test is made: the method to run with which arguments, and what becomes of its result."""

    method: Method
    arguments: Sequence[Value]
    post: Post | None = None


def _arrays() -> ModuleType:
    from everypath.explore import arrays

    return arrays


class Semantics:
    """The operations of one language for one program."""

    natives: Mapping[str, Native] = {}
    knowledge: Knowledge = NOTHING_KNOWN
    """what the language knows about inputs"""
    ascending: frozenset[str] = frozenset()
    """data types whose values hold their elements in order, each once: sets"""

    def __init__(self, program: Program) -> None:
        self.program = program

    # For generated code.

    def calls(self, limits: Limits) -> Calls:
        """Entering and leaving methods, and what calling means."""
        return Calls(self.program, limits, self.natives)

    def operations(self) -> dict[str, Any]:
        """The operations that the text of generated code names."""
        return {
            "SPECIAL_SETTERS": frozenset(),
            "INLINE_ARITHMETIC": frozenset("+-*") if self.program.profile.integer_bits is None else frozenset(),
            "binary": arithmetic.binary,
            "unary": arithmetic.unary,
            "compare": arithmetic.compare,
            "identity": arithmetic.identity,
            "truth": arithmetic.truth,
            "negation": arithmetic.negation,
            "get_field": objects.get_field,
            "set_field": objects.set_field,
            "get_static": objects.get_static,
            "set_static": objects.set_static,
            "get_item": Later(_arrays, "get_item"),
            "set_item": Later(_arrays, "set_item"),
            "length": Later(_arrays, "length"),
            "new_array": Later(_arrays, "new_array"),
            "type_test": Later(_arrays, "type_test"),
            "cast": Later(_arrays, "cast"),
            **dict.fromkeys(("membership", "del_field", "del_item", "new_collection"), _not_in_this_language),
        }

    # Exceptions.

    def fault(self, st: State, fault: Fault) -> Ref | Data:
        """The exception of a runtime error."""
        return st.heap.new_object(fault.cls, {**fault.fields, IMPLICIT: True})

    def thrown(self, st: State, value: Value) -> Ref | Data:
        """The exception that throwing a value throws."""
        value = resolve(st, value)
        if value is None:
            raise Fault(self.program.profile.null_error)
        if isinstance(value, (Ref, Data)):
            return value
        raise Unsupported("throwing what is no object")

    def uncaught(self, st: State, exception: Ref | Data) -> Uncaught:
        """The end of a path whose exception nobody handles."""
        assert st.raised is not None
        origin = st.raised[1]
        if isinstance(exception, Data):
            return Uncaught(exception, exception.constructor, False, origin)
        return Uncaught(exception, class_of(st, exception), IMPLICIT in st.heap.fields(exception), origin)

    # What the machine asks in the middle of a path.

    def run_for_heap(self, st: State, need: NeedsCode) -> Invoke:
        """The call of the program's code that the heap needs made before it goes on, such as whether keys are equal."""
        raise Unsupported("keys that the program compares itself")

    def recover(self, calls: Calls, st: State, problem: Unsupported) -> Segment | None:
        """Where the path goes on in spite of something that is not supported; None where it ends."""
        return None

    # What static analyses ask.

    def runs_by_operation(self, name: str) -> bool:
        """Whether operators, or code of the library, look up methods of this name; in a plain language none does."""
        return False

    # How a path begins.

    def note_entry(self, inputs: Inputs, method: Method) -> None:
        """Tell the inputs what is known about the method under test."""

    def parameter_types(self, state: State, method: Method, run: Run) -> dict[str, Type]:
        """The parameters whose inputs have another type than the declared one; `run` computes a variable's value."""
        return {}

    def receiver(self, inputs: Inputs, state: State, method: Method, cls: str, constructs: bool) -> Value:
        """What stands for the first parameter of a method that is not static."""
        if constructs:
            return self.blank_object(state, cls)
        if method.kind == "class":
            return ClassRef(cls)
        return inputs.fresh(ClassType(cls), method.params[0].name)

    def blank_object(self, state: State, cls: str) -> Ref:
        """An object of the class as it is before its constructor runs."""
        return state.heap.new_object(cls)

    def construction(self, state: State, cls: str, constructor: Method, values: list[Value]) -> Beginning:
        """How a constructor is called whose object is the first of the values."""
        made = values[0]
        return Beginning(constructor, values, lambda _, __: made)

    def constructor(self, cls: str) -> Method | None:
        """The constructor of a class that has one; Unsupported where objects of the class cannot be made by a call."""
        return None

    def any_keywords(self, params: Sequence[Param]) -> dict[str, tuple[str, ...]]:
        """The parameter that takes any named arguments, if there is one, with the names that other parameters take."""
        return {}

    def observer(self) -> Method | None:
        """The method that uses up what a lazy entry returns, so that it runs to its end."""
        return None


def _not_in_this_language(*_: object) -> None:
    raise Unsupported("an operation that the language does not have")


def _no_actors(*_: object) -> None:
    raise Unsupported("asynchronous calls and futures")


SEQUENTIAL: dict[str, Any] = {
    "OBSERVED": False,
    "EVERY_ITERATION": False,
    **dict.fromkeys(("spawn", "new_actor", "wait", "get_result", "suspend"), _no_actors),
}
"""Stands in for the operations of actors in programs without actors."""
