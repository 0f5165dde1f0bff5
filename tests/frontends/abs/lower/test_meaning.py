"""Each construct, lowered and executed, does what the ABS interpreter does."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.errors import Unsupported
from tests.frontends.abs.checking import accepted
from tests.frontends.abs.lower.lowering import side_by_side


def lines(name: str) -> list[str]:
    """The programs of a file, one on each line."""
    return Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8").splitlines()


SHAPES = """
data Shape = Point | Circle(Int size) | Box(Int size, Int depth) | Group(List<Shape> parts);
data Wrap<A> = Wrap(A content);
exception Odd(Int culprit);
def Int half(Int n) = when n % 2 == 0 then truncate(n / 2) else case n { 1 => 0; };
def Int area(Shape s) = case s {
  Point => 0;
  Circle(0) => 1;
  Circle(r) => 3 * r * r;
  Box(a, a) => a * a;
  Box(a, b) => a * b;
  Group(Cons(first, rest)) => area(first) + area(Group(rest));
  Group(_) => 0;
};
"""


@pytest.mark.parametrize("expression", lines("expressions"))
def test_expressions(expression: str) -> None:
    assert side_by_side(f"{SHAPES} {{ println(toString({expression})); }}") != ""


CELL = """
interface Cell {
  Int read(); Unit set(Int n); Cell other(); Int twice(); Unit wait_for(Int n); Int fails(Int n); Int sum();
}
interface More extends Cell { Unit more(); }
class Cell(Int value) implements Cell {
  Cell next; Int changes = value + 1; List<Int> seen = list[changes];
  Int read() { return value; }
  Unit set(Int n) { this.value = n; changes = changes + 1; seen = Cons(n, seen); }
  Cell other() { return this.next; }
  Int own() { return value * 10; }
  Int twice() { Int x = this.own(); Int y = this.own(); return x + y; }
  Unit wait_for(Int n) { await value >= n; println(toString(value)); }
  Int fails(Int n) { Int x = truncate(100 / n); return x; }
  Int sum() { Int s = 0; foreach (x, i in seen) { seen = Nil; s = s + x * (i + 1); } return s; }
}
class Wide implements More, Cell {
  Cell inner; Int count = 0;
  { inner = new local Cell(7); this.count = 1; }
  Int read() { Int x = inner.read(); return x; }
  Unit set(Int n) { inner.set(n); }
  Cell other() { return inner; }
  Int twice() { Fut<Int> f = inner!read(); await f?; Int x = f.get; return 2 * x; }
  Unit wait_for(Int n) { await n > 0 && count / n > 0; }
  Int fails(Int n) { Int x = await inner!fails(n); return x; }
  Int sum() { return count; }
  Unit more() { count = count + 1; suspend; count = count * 2; }
  Unit run() { println("runs"); }
}
"""


@pytest.mark.parametrize("statements", lines("statements"))
def test_statements(statements: str) -> None:
    side_by_side(f"{SHAPES} {CELL} {{ {statements} }}", seeds=5)


BODY = """
interface Node { Int test(Int n, Node other); Unit set(Int n); Int echo(Int n); Int slow(Int n); }
class Waits(Node other, Int n) implements Node {
  Int seen = 0; Node made;
  { Int x = other.echo(n); seen = x; made = new local Begun(x); }
  Int test(Int n, Node other) { return seen; }
  Unit set(Int n) { seen = n; }
  Int echo(Int n) { return seen + n; }
  Int slow(Int n) { suspend; return n; }
  Unit run() { println(`waits $seen$`); }
}
class Begun(Int start) implements Node {
  Int value = start; Fut<Int> kept;
  { if (start > 100) { Int x = this.slow(start); value = x; } }
  Int test(Int n, Node other) { return value; }
  Unit set(Int n) { value = n; }
  Int echo(Int n) { return n; }
  Int slow(Int n) { await value > 0; return n; }
  Unit run() { println(`begun $value$`); }
}
class Node implements Node {
  Int value = 0; List<Int> items = Nil; Node friend; Fut<Int> kept;
  Int test(Int n, Node other) { STATEMENTS return value; }
  Unit set(Int n) { value = n; items = Cons(n, items); }
  Int echo(Int n) { return n; }
  Int slow(Int n) { this.value = this.value + n; suspend; this.value = this.value * 2; return value; }
  Int early(Int n) {
    try { if (n > 2) { return n; } n = truncate(1 / (n - 1)); } catch { _ => return -1; } finally { value = value + 1; }
    return 0;
  }
}
{
  Node a = new Node(); Node b = new Node();
  Fut<Int> f = a!test(3, b); a!set(1); a!set(5); b!set(2);
  await f?;
  try { Int x = f.get; println(toString(x)); } catch { e => println(toString(e)); }
}
"""


@pytest.mark.parametrize("statements", lines("bodies"))
def test_bodies_of_methods(statements: str) -> None:
    side_by_side(BODY.replace("STATEMENTS", statements), seeds=6)


def test_what_cannot_be_lowered_says_so_when_it_is_reached() -> None:
    local = 'interface I { } class C implements I { } { println("before"); I i = new local C(); }'
    with pytest.raises(Unsupported, match="new local"):
        side_by_side(local)


RECOVER = """
exception Odd(Int n);
interface I { Int m(Int n); Int seen(); Unit end(); }
class C implements I {
  Int seen = 0;
  recover { Odd(n) => seen = seen + n; DivisionByZeroException => seen = truncate(1 / seen); }
  Int m(Int n) {
    if (n == 1) { throw Odd(n); }
    if (n == 2) { assert False; }
    if (n == 3) { n = truncate(1 / (n - 3)); }
    n = this.inner(n);
    return n;
  }
  Int inner(Int n) { if (n == 4) { throw Odd(10); } return n; }
  Int seen() { return seen; }
  Unit end() { die Odd(5); }
}
{
  I c = new C();
  CALLS
  try { Int n = await c!seen(); println(toString(n)); } catch { e => println(toString(e)); }
}
"""


@pytest.mark.parametrize(
    ("calls", "printed"),
    [
        ((1,), "Odd(1)\n1\n"),
        ((1, 4, 1), "Odd(1)\nOdd(10)\nOdd(1)\n12\n"),
        ((2,), "AssertionFailException\nObjectDeadException\n"),
        ((1, 3), "Odd(1)\nDivisionByZeroException\n1\n"),
        ((3,), "DivisionByZeroException\nObjectDeadException\n"),
        ((5,), "5\n0\n"),
    ],
)
def test_recover_blocks(calls: tuple[int, ...], printed: str) -> None:
    one = "try { Int n = await c!m(%d); println(toString(n)); } catch { e => println(toString(e)); }"
    assert side_by_side(RECOVER.replace("CALLS", " ".join(one % n for n in calls)), seeds=2) == printed


def test_nothing_recovers_from_die() -> None:
    text = RECOVER.replace("CALLS", "try { Unit u = await c!end(); } catch { e => println(toString(e)); }")
    assert side_by_side(text, seeds=2) == "Odd(5)\nObjectDeadException\n"


def test_deep_nesting() -> None:
    text = f"{{ List<Int> l = {'Cons(1, ' * 600}Nil{')' * 600}; println(toString(length(l))); }}"
    assert side_by_side(text) == "600\n"


def test_names_that_would_collide() -> None:
    text = """
    module A; export *;
    interface B { Int f(); }
    class B implements B { Int f() { return 1; } }
    module A.B; export *;
    import * from A;
    def Int f() = 2;
    { B b = new B(); Int x = b.f(); println(toString(x + 10 * A.B.f())); }
    """
    assert side_by_side(accepted(text)) == "21\n"
