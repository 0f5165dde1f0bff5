"""Exceptions: raised by the machine and by programs, handled, passed on by futures, and what they do to objects."""

from __future__ import annotations

import pytest

from everypath.cases.actors import shown_value
from tests.runtimes.executing import ended, printed

CALLEE = """
exception Bad(Int n);
interface C { Int fail(Int n); Int ok(); Unit slow(); }
class C implements C {
    Int fail(Int n) { if (n > 0) { throw Bad(n); } return n; }
    Int ok() { return 1; }
    Unit slow() { await False; }
}
"""


@pytest.mark.parametrize(
    ("statement", "exception"),
    [
        ("Int z = 0; Rat x = 1 / z;", "DivisionByZeroException"),
        ("Int z = 0; Int x = 1 % z;", "DivisionByZeroException"),
        ("Int x = head(Nil);", "PatternMatchFailException"),
        ("Int x = case Nil { Cons(y, _) => y; };", "PatternMatchFailException"),
        ("switch (Nothing) { Just(y) => skip; }", "PatternMatchFailException"),
        ("C o = null; o!ok();", "NullPointerException"),
        ("C o = null; Int x = o.ok();", "NullPointerException"),
        ("Fut<Int> f = null; Int x = f.get;", "NullPointerException"),
        ("Fut<Int> f = null; await f?;", "NullPointerException"),
        ("assert False;", "AssertionFailException"),
        ("C o = new C(); Int x = await o!fail(3);", "Bad(3)"),
        ("C o = new C(); Int x = o.fail(3);", "Bad(3)"),
        ("C o = new C(); Fut<Int> f = o!fail(3); Int x = f.get;", "Bad(3)"),
        ("C o = new local C(); Int x = o.fail(3);", "Bad(3)"),
    ],
)
def test_raised_and_caught(statement: str, exception: str) -> None:
    text = f"{CALLEE} {{ try {{ {statement} }} catch {{ e => println(toString(e)); }} }}"
    assert printed(text) == f"{exception}\n"
    uncaught = ended(f"{CALLEE}\n{{ {statement} }}").failures[-1]
    assert shown_value(uncaught.exception) == exception
    assert uncaught.line in (5, 10)


def test_deep_recursion_is_an_exception() -> None:
    text = "def Int f(Int n) = 1 + f(n + 1); { try { Int x = f(0); } catch { e => println(toString(e)); } }"
    assert printed(text) == "StackOverflowException\n"


def test_finally_runs_whatever_happens() -> None:
    text = (
        CALLEE
        + """
    interface T { Int go(C c, Int n); }
    class T implements T {
        Int go(C c, Int n) {
            try {
                Int x = await c!fail(n);
                return x;
            } catch { Bad(1) => println("caught one"); }
            finally { println("finally " + toString(n)); }
            return -1;
        }
    }
    {
        T t = new local T();
        foreach (n in list[0, 1, 2]) {
            C c = new C();
            try { Int x = t.go(c, n); println("result " + toString(x)); } catch { e => println(toString(e)); }
        }
    }"""
    )
    assert printed(text).split("\n") == [
        "finally 0", "result 0", "caught one", "finally 1", "result -1", "finally 2", "Bad(2)", "",
    ]  # fmt: skip


def test_nested_tries_that_wait() -> None:
    text = (
        CALLEE
        + """
    { C c = new C();
      try { try { Int x = await c!ok(); throw Bad(x); } catch { Bad(99) => skip; }
            finally { println("inner"); } }
      catch { Bad(n) => println("outer " + toString(n)); }
      println("after"); }"""
    )
    assert printed(text) == "inner\nouter 1\nafter\n"


def test_an_unhandled_exception_kills_the_object() -> None:
    text = (
        CALLEE
        + """
    { C c = new C(); Fut<Unit> slow = c!slow();
      try { Int x = await c!fail(5); } catch { e => println(toString(e)); }
      try { Int x = await c!ok(); } catch { e => println(toString(e)); }
      try { await slow?; Unit u = slow.get; } catch { e => println(toString(e)); } }"""
    )
    assert printed(text) == "Bad(5)\nObjectDeadException\nBad(5)\n"


def test_a_recover_block_keeps_the_object_alive() -> None:
    text = """
    exception Bad;
    interface C { Unit fail(); Int state(); }
    class C implements C {
        Int s = 0;
        recover { Bad => this.s = 1; }
        Unit fail() { throw Bad; }
        Int state() { return this.s; }
    }
    { C c = new C(); try { await c!fail(); } catch { _ => skip; }
      Int s = await c!state(); println(toString(s)); }"""
    found = ended(text)
    assert found.output == "1\n"


def test_die_ends_all_tasks_of_the_object() -> None:
    text = """
    exception Gone;
    interface C { Unit wait(); Unit end(); }
    class C implements C { Unit wait() { await False; } Unit end() { die Gone; } }
    { C c = new C(); Fut<Unit> w = c!wait(); suspend; c!end();
      try { await w?; Unit u = w.get; } catch { e => println(toString(e)); } }"""
    found = ended(text)
    assert found.output == "Gone\n"
    assert found.deadlock is None
    assert [e.task for e in found.failures] == ["C#1.end"]


def test_await_call_as_a_statement_does_not_raise() -> None:
    found = ended(f'{CALLEE} {{ C c = new C(); await c!fail(1); println("on"); }}')
    assert found.output == "on\n"
    assert [shown_value(e.exception) for e in found.failures] == ["Bad(1)"]
