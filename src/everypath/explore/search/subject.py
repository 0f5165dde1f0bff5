"""What is explored: a method of a program, and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from everypath.explore.machine import Machine
from everypath.explore.search.exploration import Exploration
from everypath.explore.search.freedom import Offers
from everypath.explore.semantics import Semantics
from everypath.heap.assumptions import Assumption, check, parse_all
from everypath.ir.instructions import Param
from everypath.ir.program import Method, Program
from everypath.ir.types import ClassType, Type
from everypath.options import Options
from everypath.paths import Guess, Plain
from everypath.records import dataclass, field, replace

Known = Callable[[Type, str], Plain]
"""The value of the input of this type and name."""
Seeds = Callable[[Iterable[Known]], Iterator[Known]]
"""Known inputs that are worth a try, the most promising first; the given ones, solutions of paths, are among them."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The method under test in its program, with the language that the program is written in."""

    semantics: Semantics
    method: Method
    cls: str
    """the class under test, which may have inherited the method"""
    constructs: bool = False
    """whether the method is the constructor of that class"""
    lazy: bool = False
    """whether what it returns may have to be used up before it has done its work"""
    before: Method | None = None
    """what loading the program does"""
    seeds: Seeds | None = None
    """the inputs that the language suggests, where it knows more than others"""
    alternatives: Mapping[str, tuple[Type, ...]] = field(default_factory=dict)
    """other types to try for parameters whose types were guessed"""
    requires: tuple[tuple[Method, tuple[int, ...]], ...] = ()
    """preconditions: methods that tell whether they hold, with the parameters that each takes"""
    others: tuple[Guess, ...] = ()
    """guesses about more than parameters, which are tried where branches of the method are missing"""
    offers: Callable[[], Offers] | None = None
    """what the program offers to callers, where there is more to it than what the IR says"""
    variant: Callable[[Guess], Subject] | None = None
    """gives the same method under one of these"""

    @property
    def program(self) -> Program:
        """The program that the method belongs to."""
        return self.semantics.program

    def inputs(self) -> Iterator[tuple[Param, Type | None]]:
        """The parameters with the types of the inputs; None for an object under construction and for a class."""
        for number, param in enumerate(self.method.params):
            if number or self.method.kind == "static":
                yield param, param.type
            elif self.constructs or self.method.kind == "class":
                yield param, None
            else:
                yield param, ClassType(self.cls)

    def guessing(self, guess: Guess) -> Subject:
        """The same method with other types guessed for some of its parameters."""
        if not guess:
            return self
        if guess in self.others:
            assert self.variant is not None
            return self.variant(guess)
        types = {
            (name, str(type_)): type_ for name, alternatives in self.alternatives.items() for type_ in alternatives
        }
        wanted = {name: types[name, text] for name, text in guess if (name, text) in types}
        params = tuple(replace(p, type=wanted[p.name]) if p.name in wanted else p for p in self.method.params)
        return replace(self, method=replace(self.method, params=params))

    def exploration(self, options: Options, machine: Machine | None = None) -> Exploration:
        """A new exploration; every assumption that the options make must be about inputs of the method."""
        made = Exploration(self.semantics, options, self.checked(parse_all(options.assume)), machine)
        made.inputs.keyed = frozenset(param.name for param in self.method.params if param.keyed)
        return made

    def checked(self, assumptions: Iterable[Assumption]) -> tuple[Assumption, ...]:
        """The assumptions matched with the method's inputs; BadInput for one that is about none of them."""
        return check(assumptions, self.program, self.method, self.cls, self.constructs, self.semantics.knowledge)
