"""Functions of ABS programs, explored on arbitrary inputs: every path predicts what the interpreter then does."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from everypath.explore.outcomes import Cut, Finished, NotSupported, Uncaught
from everypath.explore.search.exploration import Exploration
from everypath.explore.state import State
from everypath.heap.values import Data, Rational, Unknown
from everypath.ir.types import BOOL, INT, RATIONAL, STR, DataType, Type
from everypath.languages.abs.frontend.check import Source, check_program
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.lower import lower
from everypath.languages.abs.runtime.compile import compile_program
from everypath.languages.abs.runtime.values import Data as RealData
from everypath.languages.abs.runtime.values import Raised
from everypath.languages.abs.semantics.semantics import AbsSemantics
from everypath.logic.terms import Term, evaluate, variables
from everypath.options import Limits, Options

FUNCTIONS = {
    "reversed": "Int f(List<Int> l) = length(reverse(l))",
    "member": "Bool f(Set<Int> s, Int x) = contains(insertElement(s, x), x)",
    "found": "Maybe<String> f(Map<Int, String> m, Int k) = lookup(put(m, 3, `x`), k)",
    "mean": "Rat f(Rat a, Rat b) = (a + b) / 2 - a * 3",
    "whole_part": "Int f(Rat r) = truncate(r) + numerator(r / 2)",
    "shown": "String f(Either<Int, Pair<Bool, String>> e) = toString(e)",
    "ordered": "Int f(Colour c, Colour d) = when c < d then 1 else when c == d then 2 else 3",
    "filtered": "List<Int> f(List<Int> l, Int n) = without(l, n)",
    "divided": "Int f(Int a, Int b) = truncate(a / b) * 10 + a % b",
    "cut": "String f(String s, Int i) = substr(s, i, 2) + toString(strlen(s))",
    "pairs": "Bool f(Pair<Int, List<Int>> p, Pair<Int, List<Int>> q) = p < q",
    "second": "Int f(List<Int> l) = head(l) + nth(l, 1)",
    "collected": "Set<Int> f(List<Int> l) = set(l)",
    "powers": "Rat f(Rat x) = abs(max(x, pow(x, 2)) % 3)",
    "nested": "Int f(Maybe<Maybe<Int>> m) = case m { Just(Just(0)) => 0; Just(Just(n)) => 6 % n; Just(_) => 2; }",
    "trees": "Bool f(Tree a, Tree b) = mirrored(a) == b",
    "maximum": "Rat f(List<Rat> l) = foldl((Rat x, Rat best) => max(x, best))(l, 0)",
    "truth": "Bool f(List<Bool> l, Bool b) = case l { Cons(x, Nil) => x == b; Cons(x, Cons(y, _)) => x < y; _ => b; }",
}
SOURCE = """module M;
data Colour = Red | Green | Blue;
data Tree = Leaf | Node(Tree left, Int value, Tree right);
def Tree mirrored(Tree t) = case t { Leaf => Leaf; Node(l, v, r) => Node(mirrored(r), v, mirrored(l)); };
class C { FUNCTION_METHOD }
def FUNCTION_TEXT;
"""


class Running:
    """What translated code asks of the running step."""

    def turn(self) -> None:
        """A loop goes round."""

    def called(self) -> None:
        """A function that calls itself begins."""


def defaults(state: State, type: Type) -> Any:
    """The simplest value of a type, for parts that a path never looks at."""
    if type in (INT, RATIONAL):
        return 0
    if type == BOOL:
        return False
    if type == STR:
        return ""
    assert isinstance(type, DataType)
    name = state.heap.inputs.simplest(type)
    arguments = state.heap.inputs.constructors(type)[name]
    return RealData(name, tuple(defaults(state, argument) for argument in arguments))


class Solved:
    """A path's end with values for its inputs."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.model = state.pc.model()

    def real(self, value: Any) -> Any:
        if isinstance(value, Unknown):
            if value not in self.state.heap.bind:
                type = self.state.heap.data_type(value)
                assert type is not None
                return defaults(self.state, type)
            value = self.state.heap.bind[value]
        if isinstance(value, Term):
            model = {**{v: v.default for v in variables(value)}, **self.model}
            return evaluate(value, model)
        if isinstance(value, Rational):
            number = Fraction(self.real(value.top), self.real(value.bottom))
            return number.numerator if number.denominator == 1 else number
        if isinstance(value, Data):
            return RealData(value.constructor, tuple(self.real(a) for a in value.arguments))
        return value


def prepared(text: str) -> tuple[Any, Any]:
    """The lowered program, and the Python function that the interpreter makes of it."""
    head, _, _ = text.partition(" = ")
    result, _, parameters = head.partition(" f(")
    names = ", ".join(part.rpartition(" ")[2] for part in split(parameters.removesuffix(")")))
    method = f"{result} m({parameters} {{ return f({names}); }}"
    source = SOURCE.replace("FUNCTION_METHOD", method).replace("FUNCTION_TEXT", text.removesuffix(";"))
    program = check_program([Source("m.abs", source)])
    assert isinstance(program, Program), program
    compiled = compile_program(program)
    compiled.namespace["X"] = Running()
    native = compiled.classes["M.C"].methods["m"].native
    assert native is not None
    return lower(program), native


def split(parameters: str) -> list[str]:
    """Parameters at commas that are not inside type arguments."""
    found, depth = [""], 0
    for character in parameters:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return found


@pytest.mark.parametrize("heap", ("noalias", "solver"))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_path_is_what_happens(name: str, heap: str) -> None:
    program, native = prepared(FUNCTIONS[name])
    exploration = Exploration(AbsSemantics(program), Options(limits=Limits(loops=2, paths=300, time=20), heap=heap))
    initial, call = exploration.initial(program.classes["M"].methods["f"])
    ended = 0
    for state in exploration.paths(initial):
        if isinstance(state.outcome, Cut):
            assert state.outcome.kind == "loop"
            continue
        if isinstance(state.outcome, NotSupported):
            assert name == "shown" and "quotes" in state.outcome.message
            continue
        solved = Solved(state)
        arguments = [solved.real(value) for value in call.values]
        ended += 1
        try:
            expected = native(None, [], *arguments)
        except Raised as raised:
            assert isinstance(state.outcome, Uncaught), (state.outcome, arguments)
            assert state.outcome.cls == raised.value.name
            continue
        assert isinstance(state.outcome, Finished), (state.outcome, arguments)
        assert solved.real(state.outcome.value) == expected, arguments
    assert ended
