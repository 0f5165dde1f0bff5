"""Every construct of the language is read and means what the manual says."""

from __future__ import annotations

import pytest

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.frontend.types import ClassType, DataType, InterfaceType
from tests.frontends.abs.checking import accepted, evaluated, module

WORLD = """
interface Node { Int get_value(Int n); Unit put_value(Int n); Node next(); }
class Cell(Int start) implements Node {
  Int value = start; Node other; Fut<Int> waiting;
  Int get_value(Int n) { return value + n; }
  Unit put_value(Int n) { value = n; }
  Node next() { return other; }
  Unit test(Node node, Bool flag, List<Int> numbers) { STATEMENTS }
}
"""


def statements(text: str) -> tuple[b.Statement, ...]:
    """The statements of a method of a class with a few fields and parameters."""
    program = accepted(module(WORLD.replace("STATEMENTS", text)))
    method = program.classes["M.Cell"].method("test")
    assert method is not None
    return method.body.body


@pytest.mark.parametrize(
    "text",
    [
        "skip;",
        "Int x = 1; x = x + 1; value = x; this.value = x;",
        "Node n; Fut<Int> f; Object o;",
        "[Final] Int x = 1; [Cost: x, Size: 3] skip;",
        "if (flag) skip;",
        "if (flag) value = 1; else value = 2;",
        "if (flag) { value = 1; } else if (value > 2) { value = 2; } else { }",
        "while (value < 10) value = value + 1;",
        "foreach (n in numbers) { value = value + n; }",
        "foreach (n, i in numbers) value = value + n * i;",
        "switch (numbers) { Nil => skip; Cons(0, _) => { value = 0; } Cons(x, rest) => value = x; }",
        "case numbers { Nil => skip; _ => value = 1; }",
        "case (value) { 0 => value = 1; -1 => skip; _ => { } };",
        "assert value > 0 && !flag;",
        "try value = 2; catch { DivisionByZeroException => value = 0; _ => skip; }",
        "try { throw PatternMatchFailException; } catch _ => skip; finally { value = 0; }",
        "die ObjectDeadException;",
        "suspend;",
        "await value > 0;",
        "Fut<Int> f = node!get_value(1); Fut<Int> g = this!get_value(2); await f? & g? & value > 0;",
        "await waiting?; await this.waiting? & this.value == 1;",
        "await node!put_value(1);",
        "Int x = await node!get_value(1); value = await this!get_value(x);",
        "Fut<Int> f = node!get_value(1); Int x = f.get; value = f.get;",
        "Int x = node.get_value(1); node.put_value(x); this.put_value(2);",
        "Node n = new Cell(1); n = new local Cell(2); new Cell(3);",
        "Node n = nth(list[node], 0); Node m = n.next();",
        "Bool b = node implements Node; Node n = node as Node; Int x = (node as Node).get_value(1);",
        "Int x = node as Node.get_value(1);",
        "if (node == null) other = null;",
        "Destiny d = destiny; await d?; d.get;",
        "println(`value $value$, next $value + 1$`);",
        "Exception e = NullPointerException; throw e;",
        "return Unit;",
        "return;",
        "{ Int x = 1; } { Int x = 2; }",
    ],
)  # fmt: skip
def test_statements(text: str) -> None:
    assert statements(text)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3 - 4", "3"),
        ("7 % 4 + 10 / 4", "11/2"),
        ("-2 * -3", "6"),
        ("1/2 + 1/2", "1"),
        ("True || False && False", "True"),
        ("!True == False", "True"),
        ("~True", "False"),
        ("1 < 2 == True", "True"),
        ('"a" + "b" < "b"', "True"),
        (r'"tab\tquote\" back\\"', 'tab\tquote" back\\'),
        ("`a$1 + 1$b\\$\\``", "a2b$`"),
        ("`two\nlines`", "two\nlines"),
        ("1.5 + .5", "2.0"),
        ("2.5e-1", "0.25"),
        ("when 1 > 2 then 1 else 2 + 3", "5"),
        ("1 + when True then 2 else 3 + 10", "3"),
        ("if True then 1 else 2", "1"),
        ("let Int x = 2 + 2, Int y = x + 1 in y * 2", "10"),
        ("let (Int x) = 2 in let (Int x) = x + 1 in x", "3"),
        ("case list[1, 2] { Nil => 0 | Cons(x, _) => x }", "1"),
        ("case Pair(5, 5) { Pair(3, x) => x; Pair(x, x) => x + 1; }", "6"),
        ("case list[1, 2, 3] { Nil => 0; Cons(_, Cons(y, _)) => y; }", "2"),
        ('case "x" { "y" => 1; "x" => 2; }', "2"),
        ("case -1 { -1 => True; _ => False; }", "True"),
        ("let Int x = 7 in case Pair(5, 5) { Pair(x, y) => y; Pair(y, x) => y; Pair(y, z) => z; }", "5"),
        ("Nil == list[]", "True"),
        ("ABS.StdLib.head(ABS.StdLib.Cons(1, Nil))", "1"),
        ("False < True", "True"),
        ("Cons(1, Nil) < Nil", "True"),
        ("map((Int x) => x + 1)(list[1, 2])", "list[2,3]"),
    ],
)  # fmt: skip
def test_expressions(expression: str, value: str) -> None:
    assert evaluated(expression) == value


@pytest.mark.parametrize(
    "text",
    [
        "data Empty; data Color = Red | Green; data Shape = Circle(Rat radius) | Square(Rat side, Color);",
        "data Tree<A> = Leaf | Node(Tree<A> left_part, A value, Tree<A>); type IntTree = Tree<Int>;",
        "data Test = One(String s, Int i) | Two(String s, Bool b); def String name(Test t) = s(t);",
        "exception Broken; exception Wrong(String why, Int); def String reason(Exception e) = why(e);",
        "def A id<A>(A x) = x; def Int one() = id(1); def Pair<A, B> both<A, B>(A a, B b) = Pair(a, b);",
        "def B apply<A, B>(f)(A x) = f(x); def Int two(Int x) = x + x; def Int four() = apply(two)(2);",
        "def Int none()(Int x) = x;",
        "interface A { Unit a(); } interface B extends A { } interface C extends A, B { Int c(Int x, List<A> l); }",
        "interface I { } class C { } class D(Int x, [Final] I i) implements I { Int y = x; { y = x + 1; } }",
        "class C { Int x = 0; { x = 1; } recover { AssertionFailException => x = 0; _ => skip; } Unit m() { } }",
        "[COG] class C { [Atomic, Readonly] Int m([Far] Object o, List<[Near] Object> l) { return 1; } }",
        "trait T = { Int one() { return 1; } } trait U = T adds { Int two() { return 2; } } class C { uses U; }",
        "class C { Int as = 1; Int switch = 2; Int local = 3; Int sum(Int when) { return as + switch + local; } }",
        "{ Int x = 1; { Int y = x; } }",
        "[Plain] { skip; }",
        "// comment\n /* long\n comment */ { }",
    ],
)  # fmt: skip
def test_declarations(text: str) -> None:
    assert accepted(module(text)).modules == ("M",)


def test_the_older_language() -> None:
    """With `new cog` for a new cog, `new` alone makes the object in the same cog."""
    text = "class C { } { new cog C(); new C(); }"
    made = [s.value.local for s in _main(accepted(module(text))) if isinstance(s, b.Evaluate)]  # type: ignore[attr-defined]
    assert made == [False, True]
    text = "class C { } { new C(); new local C(); }"
    made = [s.value.local for s in _main(accepted(module(text))) if isinstance(s, b.Evaluate)]  # type: ignore[attr-defined]
    assert made == [False, True]


def _main(program: Program) -> tuple[b.Statement, ...]:
    assert program.main is not None
    return program.main.body.body


def test_an_await_with_all_kinds_of_guards() -> None:
    (_, found) = statements("Fut<Int> f = node!get_value(1); await f? & value > 0 & this.waiting?;")
    assert isinstance(found, b.Await)
    assert [type(f) for f in found.futures] == [t.Local, t.Field]
    assert [type(c) for c in found.conditions] == [t.Binary]


def test_names_are_resolved_and_types_are_known() -> None:
    (declared, assigned) = statements("Node n = new local Cell(value); value = n.get_value(head(numbers));")
    assert isinstance(declared, b.Declare) and isinstance(declared.value, t.New)
    assert declared.variable.type == InterfaceType("M.Node")
    assert declared.value.type == ClassType("M.Cell") and declared.value.local
    assert isinstance(declared.value.arguments[0], t.Field)
    assert isinstance(assigned, b.Assign) and isinstance(assigned.value, t.SyncCall)
    argument = assigned.value.arguments[0]
    assert isinstance(argument, t.Access) and argument.accessor == "ABS.StdLib.head"
    assert argument.type == DataType("ABS.StdLib.Int")


def test_a_variable_declared_again_gets_another_name() -> None:
    blocks = statements("{ Int x = 1; x = 2; } { Bool x = True; x = False; }")
    names = [s.target.name for block in blocks for s in block.body if isinstance(s, b.Assign)]  # type: ignore[attr-defined]
    assert names == ["x", "x~2"]


def test_unknown_types_are_found_out() -> None:
    (declared,) = statements("Pair<List<Rat>, Maybe<Node>> p = Pair(list[1, 1/2], Just(null));")
    assert isinstance(declared, b.Declare)
    assert str(declared.value.type) == "Pair<List<Rat>, Maybe<Node>>"
    (declared,) = statements("Map<Int, List<Node>> m = put(map[], 1, Cons(this, Nil));")
    assert isinstance(declared, b.Declare) and isinstance(declared.value, t.Call)
    assert [str(a.type) for a in declared.value.arguments][1:] == ["Int", "List<Cell>"]


def test_a_class_as_the_lowering_sees_it() -> None:
    program = accepted(module(WORLD.replace("STATEMENTS", "skip;")))
    found = program.named_class("Cell")
    assert found is not None and found is program.classes["M.Cell"]
    assert [v.name for v in found.parameters] == ["start"]
    assert [f.variable.name for f in found.fields] == ["value", "other", "waiting"]
    assert [f.value is None for f in found.fields] == [False, True, True]
    assert found.supers == ("M.Node", "ABS.StdLib.Object")
    assert [(m.name, m.public) for m in found.methods][-1] == ("test", False)
    assert "M.nothing" not in program.functions and program.main is None
