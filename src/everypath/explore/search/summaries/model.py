"""What a method does in general: a tree of questions about its inputs, with what happens in each case at its leaves.

A *summary case* (section 2.4 of "Test Case Generation by Symbolic Execution") is a path of the method on arbitrary
inputs: the questions on the way to a leaf are its path condition and its input heap, the leaf has its output heap and
its outcome. Cases are kept as a tree, and not as a list, because questions must be asked in the order of the program:
asked in another order they would split paths of a caller that the method itself does not split.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from everypath.explore.outcomes import Finished, Uncaught
from everypath.heap.choice import Alternative
from everypath.heap.values import Cell, Ref, Unknown, Value
from everypath.ir.instructions import Label
from everypath.ir.program import Method, Program
from everypath.ir.types import Type
from everypath.logic.terms import Term, Var
from everypath.records import dataclass, field

Atom = Var | Unknown
"""An input of the summarised method, or a part of one."""
Place = int | tuple[Unknown, object]
"""Where an input comes from: the number of an argument, or what holds it and the key there (`Inputs.part`)."""
Step = tuple[Method, Label, int | None, str]
"""A block on the trace; with an instruction and a class of errors, that an exception left the block there."""


class Bail(Exception):
    """No case of a summary can be told to be the caller's: the method is executed instead."""


@dataclass(frozen=True, slots=True, eq=False)
class Inlined:
    """The method itself is executed from here on: a bound was reached, or something that no summary holds."""

    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A field of an input object, or of one that the method has made, has another value afterwards."""

    target: Ref
    name: str
    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """How a case ends: what it has changed, and its outcome."""

    outcome: Finished | Uncaught
    touched: tuple[Unknown, ...]
    writes: tuple[Write, ...]
    lists: tuple[tuple[Ref, Cell], ...]
    """the input lists that were changed, with their new content"""
    cells: Mapping[Ref, Cell]
    """the content of all objects; those that the method has made are made again by a caller"""
    trace: tuple[Step, ...]
    decided: bool
    """whether anything symbolic was decided, which counts for the bounds on loops around a call"""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A choice of the method, and what follows each answer; answers that are impossible are not there."""

    alternatives: tuple[Alternative, ...]
    touched: tuple[Unknown, ...]
    """the references that were followed before: their objects are known by now"""
    condition: Term | None = None
    """what is asked, where the answers are that it holds (0) or not (1)"""
    children: dict[int, Tree] = field(default_factory=dict)


Tree = Question | Leaf | Inlined


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """The cases of one method for arguments of these types, within the bounds of a run."""

    method: Method
    types: tuple[Type, ...]
    values: tuple[Value, ...]
    """the inputs that the cases speak of, one for each parameter"""
    places: Mapping[Atom, Place]
    tree: Tree
    statics: Mapping[tuple[str, str], Value]
    """variables of modules and classes that cases read, with the values that they rely on"""
    methods: frozenset[int]
    """the methods that were executed"""
    pays: bool = True
    """whether asking it is cheaper than executing the method"""
    timely: bool = True
    """whether there was time for all cases, so that another run would find the same"""

    def is_initial(self, value: Value, whole: Unknown, key: object) -> bool:
        """Whether a value is what an input object or list held at this key when the method was called."""
        return isinstance(value, (Var, Unknown)) and self.places.get(value) == (whole, key)

    def leaves(self) -> Iterator[tuple[tuple[Alternative, ...], Leaf | Inlined]]:
        """Each case: the answers that lead to it, and how it ends."""
        waiting: list[tuple[tuple[Alternative, ...], Tree]] = [((), self.tree)]
        while waiting:
            answers, tree = waiting.pop()
            if isinstance(tree, Question):
                children = sorted(tree.children.items(), reverse=True)
                waiting += [((*answers, tree.alternatives[number]), child) for number, child in children]
            else:
                yield answers, tree


class Shelf(Protocol):
    """Where the summaries of one program wait for the next run."""

    def name(self, program: Program, method: Method, types: Sequence[Type], bounds: object) -> str:
        """What a summary depends on."""

    def find(self, name: str, program: Program, method: Method) -> Summary | None:
        """The summary of this name, if there is one."""

    def keep(self, name: str, program: Program, summary: Summary) -> None:
        """Keep a summary, as far as that is possible."""
