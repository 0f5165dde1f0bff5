"""An entry of a Python program as the search for paths sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from everypath.cases.model import Entry
from everypath.errors import BadInput
from everypath.explore.machine import Machine
from everypath.explore.search.exploration import Call, Exploration
from everypath.explore.search.starts import Known
from everypath.explore.state import State
from everypath.heap.assumptions import Assumption, check, parse_all
from everypath.ir.program import Method
from everypath.ir.types import Type
from everypath.languages.python.frontend import EntryPoint, Loaded
from everypath.languages.python.semantics.arranging import Callee, arrange
from everypath.languages.python.semantics.inputs import PYTHON_INPUTS
from everypath.languages.python.semantics.seeds import seeds
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.options import Options
from everypath.paths import Recipe


class PythonSubject:
    """A function, method, property or constructor under test; what its modules do when imported comes before it."""

    def __init__(self, source: Loaded, entry: EntryPoint) -> None:
        self.program = source.program
        self.method = method_of(source, entry)
        self.span = entry.span
        self.qualname = entry.qualname
        self._entry = entry
        self._semantics = PythonSemantics(source.program)
        self._callee = Callee(self.method, entry.cls, entry.kind == "constructor", entry.lazy, source.effects)

    def input_types(self) -> Sequence[Type]:
        """The types of all parameters but an object under construction or a class."""
        return [type for _, type in self._callee.inputs() if type is not None]

    def exploration(self, options: Options, machine: Machine | None = None) -> Exploration:
        """A new exploration; every assumption must be about inputs of the entry."""
        return Exploration(self._semantics, options, self.checked(parse_all(options.assume)), machine)

    def checked(self, assumptions: Sequence[Assumption]) -> tuple[Assumption, ...]:
        """The assumptions matched with the entry's inputs; one that is about none of them is an error."""
        callee = self._callee
        return check(assumptions, self.program, self.method, callee.cls, callee.constructs, PYTHON_INPUTS)

    def arbitrary(self, exploration: Exploration) -> tuple[State, Call]:
        """The state in which the entry is about to be called."""
        callee = self._callee
        return exploration.initial(callee.method, callee.cls, callee.constructs, callee.lazy, callee.before)

    def made(self, exploration: Exploration, recipe: Recipe | None, invariant: str | None) -> tuple[State, Call]:
        """The same after calls that make the inputs, unless the recipe is None, and checks that they are valid."""
        return arrange(exploration, self._callee, recipe, invariant)

    def seeds(self, solutions: Iterable[Known]) -> Iterator[Known]:
        """Inputs that docstrings and the code itself suggest, with the solutions of other paths among them."""
        return seeds(self.program, self.method, self._entry.examples, solutions)

    def case_entry(self) -> Entry:
        """The entry as test cases name it."""
        entry = self._entry
        outer, _, name = entry.qualname.removesuffix(".setter").rpartition(".")
        cls = None if entry.kind == "function" else outer
        name = name if entry.kind == "setter" else entry.method
        return Entry(entry.module, entry.span.file, cls, name, entry.kind, entry.span.line)


def method_of(source: Loaded, entry: EntryPoint) -> Method:
    """The entry's body."""
    method = source.program.find_method(entry.cls, entry.method)
    if method is None:
        raise BadInput(f"{entry.qualname} has no body to explore", entry.span)
    return method
