"""Partially defined functions become ordinary ones."""

from __future__ import annotations

import pytest

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.rewrite import parts
from tests.frontends.abs.checking import accepted, evaluated, module, refused

APPLY = "def B apply<A, B>(fn)(A value) = fn(value); def Int double(Int x) = x * 2;"
BOTH = """
def List<B> each<A, B>(f)(List<A> l) = map(f)(l);
def List<A> twice<A>(f)(List<A> l) = each((A x) => f(f(x)))(l);
def Int sum(f)(Int lo, Int hi) = when lo > hi then 0 else f(lo) + sum(lo + 1, hi);
"""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("apply(double)(2)", "4"),
        ("apply((Int x) => x + 1)(2)", "3"),
        ("apply(head)(list[5])", "5"),
        ("map(double)(map(double)(list[1, 2]))", "list[4,8]"),
        ("let Int n = 5 in map((Int x) => x * n)(list[1, 2])", "list[5,10]"),
        ("let Int n = 5 in map((Int n) => n + 1)(list[1])", "list[2]"),
        ("let Int n = 1, Int m = 2 in filter((Int x) => x > n && x > m)(list[1, 2, 3])", "list[3]"),
        ("map((Int x) => map((Int y) => x * y)(list[1, x]))(list[2, 3])", "list[list[2,4],list[3,9]]"),
        ("foldl((Int x, Rat acc) => acc + x)(list[1, 2], 0)", "3"),
        ("each(double)(list[1])", "list[2]"),
        ("twice(double)(list[1, 2])", "list[4,8]"),
        ("let Int n = 3 in twice((Int x) => x + n)(list[1])", "list[7]"),
        ("sum((Int x) => x * x)(1, 3)", "14"),
        ("sum(double)(1, 3) + sum(double)(1, 2)", "18"),
    ],
)  # fmt: skip
def test_values(expression: str, value: str) -> None:
    assert evaluated(expression, APPLY + BOTH) == value


def test_the_same_use_is_made_once() -> None:
    program = accepted(module(f"{APPLY} {{ Int x = apply(double)(2); x = apply(double)(x); x = apply(abs)(x); }}"))
    assert sorted(name for name in program.functions if name.startswith("M.apply")) == ["M.apply~1", "M.apply~2"]


def test_nothing_of_higher_order_is_left() -> None:
    text = "class C(Int n) { List<Int> l = Nil; Unit m(Int k) { l = map((Int x) => x + n + k)(l); } } " + APPLY + BOTH
    program = accepted(module(text))

    def below(node: object) -> list[object]:
        return [node, *(found for part in parts(node) for found in below(part))]

    method = program.classes["M.C"].method("m")
    assert method is not None
    bodies = [f.body for f in program.functions.values() if f.body is not None]
    nodes = [node for body in (*bodies, method.body) for node in below(body)]
    assert not [node for node in nodes if isinstance(node, t.PartialCall | t.Apply)]
    (assigned,) = method.body.body
    assert isinstance(assigned, b.Assign) and isinstance(assigned.value, t.Call)
    captured = assigned.value.arguments[:2]
    assert [type(c) for c in captured] == [t.Field, t.Local]
    made = program.functions["anonymous~1"]
    assert [v.name for v in made.parameters] == ["this.n", "k", "x"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("apply(double)(True)", "parameter 1 of this function gets a `Bool`, not a `Int`"),
        ("apply((Int x, Int y) => x)(1)", "function `fn` is called with 1 argument, but this takes 2"),
        ("filter(double)(list[1])", "this function must return a `Bool`, not a `Int`"),
        ("apply(nothing)(1)", "there is no function `nothing` here"),
        ("apply(1)", "`apply` is partially defined: give its functions first, `apply(fn)(...)`"),
        ("apply(double, double)(1)", "`apply` takes 1 function, not 2"),
        ("foldl(double)(list[1])", "`foldl` takes 2 arguments (List<?>, ?), not 1"),
        ("double(1)(2)", "the first arguments of `double(...)(...)` are names of functions or anonymous functions"),
        ("double((Int x) => x)", "an anonymous function may only stand in the first arguments"),
    ],
)  # fmt: skip
def test_mistakes(expression: str, message: str) -> None:
    found = refused(module(f"{APPLY} {{ toString({expression}); }}"))
    assert message in found[0]
