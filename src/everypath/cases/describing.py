"""What a language has to say when the end of a path is written down as a case.

Most of what a heap holds looks the same in every language: numbers, texts, tuples, lists, dicts, and objects field by
field. The walk over the heap (`cases.before`, `cases.concretise`) writes these down by itself. For all else it asks a
`Describer`; the answers here are those of a language that has nothing to add.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from everypath.cases.model import Heap, HeapState, Opaque, Replacement, Value
from everypath.errors import Unsupported
from everypath.explore.outcomes import Uncaught
from everypath.explore.state import State
from everypath.heap.heap import Heap as SymbolicHeap
from everypath.heap.values import Fields, InitialList, Ref
from everypath.heap.values import Value as Symbolic
from everypath.ir.program import Program
from everypath.ir.types import ClassType
from everypath.logic.readable import Telling
from everypath.logic.terms import Model


class WalkBefore(Protocol):
    """The walk over the heap of a solved path before the call, as far as describers need it."""

    state: State
    program: Program
    heap: SymbolicHeap
    before: Heap
    after: Heap

    def chosen(self, value: Symbolic) -> Symbolic:
        """The alternative that a conditional value has in this solution, with known inputs looked up."""

    def scalar(self, value: Symbolic) -> Symbolic:
        """The number or text that a term has in this solution."""

    def first(self, value: Symbolic) -> Value:
        """The value as a test must provide it."""

    def initial_items(self, content: InitialList) -> tuple[Value, ...]:
        """The elements of a list before the call."""

    def identify(self, ref: Ref) -> str:
        """The name of an object in the case."""

    def exact_class(self, ref: Ref) -> str:
        """The class of an object; the first possible one if the path leaves it open."""


class Walk(WalkBefore, Protocol):
    """The walk after the call."""

    def last(self, value: Symbolic) -> Value:
        """The value as it is observed."""

    def final_state(self, ref: Ref, name: str) -> HeapState:
        """An object as a test compares it."""

    def final_object(self, ref: Ref, name: str) -> HeapState:
        """An object as a test compares it, field by field."""


class Describer:
    """What only one language has among the inputs and results of a path."""

    home = ""
    """the module of classes that need no import"""

    def model(self, state: State, told: Telling) -> Model:
        """Readable values of the inputs that follow the path."""
        return state.pc.model(telling=told)

    def sets_unread(self, program: Program, cls: str, field: str) -> bool:
        """Whether a field that the path never looks at is part of an input, instead of what its constructor makes."""
        return True

    def plain(self, walk: WalkBefore, value: Symbolic) -> Value | None:
        """A value that looks the same before and after the call; None if only the heap can describe it."""
        return None

    def raised(self, walk: WalkBefore, exception: Ref) -> tuple[tuple[Symbolic, ...], Fields]:
        """The arguments, positional and named, with which a test makes an exception that a stand-in raises."""
        return (), {}

    def opaque(self, state: State, value: Symbolic) -> Opaque | None:
        """What a test can say about a result that it cannot write down; None if there is more to see."""
        return None

    def type_name(self, state: State, value: Symbolic) -> str:
        """The name of a value's type, as programmers call it."""
        return type(value).__name__

    def field_name(self, cls: str, name: str) -> str:
        """A field as a test calls it."""
        return name

    def input_state(self, walk: WalkBefore, ref: Ref, content: dict[str, Symbolic]) -> HeapState | None:
        """The state before the call of an input object that is more, or less, than its fields."""
        return None

    def library_input(self, walk: WalkBefore, cls: str, declared: ClassType, content: dict[str, Symbolic]) -> HeapState:
        """An input object of a class of the library, by the fields that the path has looked at."""
        raise Unsupported(f"an input of class {cls}")

    def unread_library_input(self, state: State, declared: ClassType) -> HeapState | None:
        """An input object of a library class that nothing looks at; None if it cannot be written down."""
        return None

    def stand_in(self, walk: Walk, ref: Ref) -> Value | None:
        """The value that a test compares an object with after the call, if that is not the object itself."""
        return None

    def final_state(self, walk: Walk, ref: Ref, name: str) -> HeapState | None:
        """The state after the call of an object that is more than its fields."""
        return None

    def message(self, walk: Walk, outcome: Uncaught) -> str | None:
        """The text of an exception, if the program itself fixes it."""
        return None

    def replacements(self, state: State, first: Callable[[Symbolic], Value]) -> tuple[Replacement, ...]:
        """The functions that asked the outside world, with what they returned on the path."""
        return ()

    def observed(self, state: State) -> str:
        """How the path looked at the result; empty if it was taken as it is (see `Entry.observed`)."""
        return ""

    def check(self, state: State) -> None:
        """Raises Unsupported for a path after which more happens than a test can see."""


NOTHING_SPECIAL = Describer()
