"""The blocks that a few constructs become, as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.ir.instructions import Matches
from everypath.ir.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NONE,
    RATIONAL,
    STR,
    ClassType,
    DataType,
    FutureType,
    Type,
    optional,
)
from everypath.languages.abs.frontend import types as abs_types
from everypath.languages.abs.frontend.check import check_program, read_sources
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.lower import INIT, MAIN, function_home, interface_class, ir_type
from tests.frontends.abs.checking import accepted, module
from tests.frontends.abs.lower.lowering import listing, lowered

FACT = Path(__file__).parents[4] / "examples" / "actors" / "fact.abs"
GOLDEN = Path(__file__).with_name("listings.txt")
CLASS = """
interface I { Int m(I o, List<Int> l); }
class C implements I {
  Int x = 0;
  Int m(I o, List<Int> l) { BODY }
}
"""


def golden() -> dict[str, str]:
    """Name of a method of Fact, or body of a method -> what it becomes."""
    parts = GOLDEN.read_text(encoding="utf-8").split("## ")[1:]
    return {head: text.rstrip("\n") for head, _, text in (part.partition("\n") for part in parts)}


@pytest.mark.parametrize("source", golden())
def test_listings(source: str) -> None:
    if source.endswith(";"):
        found = listing(CLASS.replace("BODY", source), "M.C", "m")
    else:
        fact = check_program(read_sources([FACT]))
        assert isinstance(fact, Program)
        found = listing(fact, "Fact.Fact", source)
    assert found == golden()[source]


def test_classes_interfaces_functions_and_the_main_block() -> None:
    program = accepted(
        module("""
        interface A { } interface B extends A { } interface C { Unit m(B b); }
        class K(Int p, A a) implements A, B, C { String text = "t"; Unit m(B b) { skip; } Unit own() { skip; } }
        class L { }
        def Int unused(Int n) = length(list[n]);
        { skip; }
        """)
    )
    made = lowered(program)
    names = [interface_class(f"M.{name}") for name in "ABC"]
    top = interface_class("ABS.StdLib.Object")
    assert list(made.classes) == [top, *names, "M.K", "M.L", MAIN[0], "M", "ABS.StdLib"]
    assert [made.classes[name].bases for name in names] == [(top,), (names[0],), (top,)]
    assert all(made.classes[name].abstract for name in names)
    cls = made.classes["M.K"]
    assert cls.bases == (names[1], names[2])
    assert {name: field.type for name, field in cls.fields.items()} == {
        "p": INT,
        "a": optional(ClassType(names[0])),
        "text": STR,
    }
    assert list(cls.methods) == [INIT, "m", "own"]
    assert [param.type for param in cls.methods["m"].params] == [ClassType("M.K"), optional(ClassType(names[1]))]
    assert made.classes["M.L"].bases == (top,)
    assert list(made.classes["M"].methods) == ["unused"]
    assert list(made.classes["ABS.StdLib"].methods) == ["length"]
    assert function_home(program, "ABS.StdLib.length") == ("ABS.StdLib", "length")
    assert made.profile.dead_error and not made.profile.methods_are_attributes
    assert not any(method.model for method in made.methods())


def test_data_types_list_their_constructors_and_exceptions_are_data() -> None:
    data = lowered("data Tree<A> = Leaf | Node(Tree<A> left, A, Maybe<Int>); exception Bad(Int, Tree<Rat>); { }").data
    assert list(data["M.Tree"].constructors) == ["M.Leaf", "M.Node"]
    tree, element, count = data["M.Tree"].constructors["M.Node"]
    assert tree == DataType("M.Tree", (element,))
    assert count == DataType("ABS.StdLib.Maybe", (INT,))
    assert data["ABS.StdLib.Exception"].constructors["M.Bad"] == (INT, DataType("M.Tree", (RATIONAL,)))
    assert not {"ABS.StdLib.Int", "ABS.StdLib.Bool", "ABS.StdLib.Fut"} & data.keys()


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        (abs_types.INT, INT),
        (abs_types.BOOL, BOOL),
        (abs_types.STRING, STR),
        (abs_types.RAT, RATIONAL),
        (abs_types.FLOAT, FLOAT),
        (abs_types.UNIT, DataType("ABS.StdLib.Unit")),
        (abs_types.builtin("Fut", abs_types.INT), FutureType(INT)),
        (abs_types.DESTINY, FutureType(ANY)),
        (abs_types.builtin("List", abs_types.RAT), DataType("ABS.StdLib.List", (RATIONAL,))),
        (abs_types.InterfaceType("M.I"), optional(ClassType("M.I.interface"))),
        (abs_types.ClassType("M.C"), ClassType("M.C")),
        (abs_types.NULL, NONE),
        (abs_types.TypeParameter("A"), ANY),
        (abs_types.NO_VALUE, ANY),
    ],
)
def test_types(type: abs_types.Type, expected: Type) -> None:
    assert ir_type(type) == expected


@pytest.mark.parametrize(
    ("branches", "among"),
    [
        ("Nil => 1; Cons(_, _) => 2;", [("ABS.StdLib.Nil", "ABS.StdLib.Cons")]),
        ("Cons(x, _) => x;", [("ABS.StdLib.Cons",)]),
        ("Cons(x, Nil) => x;", [("ABS.StdLib.Cons",), ()]),
        ("Nil => 1; _ => 2;", [()]),
        ("Nil => 1; other => 2;", [()]),
        ("Nil => 1; known => 2;", [()]),
    ],
)
def test_a_case_tells_which_constructors_it_has_branches_for(branches: str, among: list[tuple[str, ...]]) -> None:
    text = f"def Int f(List<Int> l, List<Int> known) = case l {{ {branches} }};"
    method = lowered(text).classes["M"].methods["f"]
    found = [i for block in method.blocks.values() for i in block.instructions if isinstance(i, Matches)]
    assert [i.among for i in found] == among
