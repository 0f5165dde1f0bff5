"""Cogs and tasks: who runs when, what blocks whom, and queue policies."""

from __future__ import annotations

import pytest

from everypath.cases.actor_wording import wait_lines
from everypath.concurrency.system import Policy
from tests.runtimes.executing import all_printed, clean, ended, outcomes, printed

SAYER = """
interface S { Unit say(String t); Int number(); Unit later(String t); Unit go(); }
class S implements S {
    Bool open = False;
    Unit say(String t) { println(t); }
    Int number() { return 7; }
    Unit later(String t) { await this.open; println(t); }
    Unit go() { this.open = True; }
}
"""


def test_main_goes_on_while_others_wait() -> None:
    assert printed(f'{SAYER} {{ S s = new S(); s!say("task"); println("main"); }}') == "main\ntask\n"


def test_a_synchronous_call_waits_for_the_other_cog() -> None:
    assert printed(f'{SAYER} {{ S s = new S(); s.say("task"); println("main"); }}') == "task\nmain\n"


def test_a_local_object_is_called_on_the_stack() -> None:
    assert printed(f'{SAYER} {{ S s = new local S(); s.say("task"); println("main"); }}') == "task\nmain\n"


def test_messages_may_overtake_each_other() -> None:
    text = f'{SAYER} {{ S s = new S(); s!say("a"); s!say("b"); }}'
    assert all_printed(text) == {"a\nb\n", "b\na\n"}


@pytest.mark.parametrize(("policy", "text"), [(Policy.FIFO, {"a\nb\n"}), (Policy.LIFO, {"a\nb\n", "b\na\n"})])
def test_policies(policy: Policy, text: set[str]) -> None:
    source = f'{SAYER} {{ S s = new S(); s!say("a"); suspend; s!say("b"); }}'
    assert all_printed(source, policies={"S": policy}) == text


def test_lifo_takes_the_last_that_has_come() -> None:
    assert all_printed(f'{SAYER} {{ S s = new S(); s!say("a"); s!say("b"); }}', policies={"S": Policy.LIFO}) == {
        "b\na\n"
    }


def test_conditions_are_checked_again() -> None:
    source = f'{SAYER} {{ S s = new S(); s!later("late"); s!say("early"); suspend; s!go(); }}'
    assert all_printed(source) >= {"early\nlate\n", "late\nearly\n"}


def test_get_blocks_the_whole_cog() -> None:
    source = f"""{SAYER}
    interface B {{ Unit block(S s); Unit other(); }}
    class B implements B {{
        Unit block(S s) {{ println("in"); Fut<Int> f = s!number(); Int n = f.get; println("out"); }}
        Unit other() {{ println("other"); }}
    }}
    {{ S s = new S(); B b = new B(); b!block(s); b!other(); }}"""
    assert all_printed(source) == {"in\nout\nother\n", "other\nin\nout\n"}


def test_await_releases_the_cog() -> None:
    source = f"""{SAYER}
    interface B {{ Unit block(S s); Unit other(); }}
    class B implements B {{
        Unit block(S s) {{ println("in"); Int n = await s!number(); println("out"); }}
        Unit other() {{ println("other"); }}
    }}
    {{ S s = new S(); B b = new B(); b!block(s); b!other(); }}"""
    assert all_printed(source) == {"in\nout\nother\n", "other\nin\nout\n", "in\nother\nout\n"}


def test_init_runs_before_everything_and_run_after_it() -> None:
    source = """
    interface C { Unit m(); }
    class C implements C {
        Int n = 1;
        { this.n = this.n + 1; println("init"); }
        Unit run() { println("run " + toString(this.n)); }
        Unit m() { println("m"); }
    }
    { C c = new C(); c!m(); }"""
    assert all_printed(source) == {"init\nrun 2\nm\n", "init\nm\nrun 2\n"}


def test_init_that_calls_a_waiting_method() -> None:
    source = f"""{SAYER}
    interface C {{ Int n(); }}
    class C(S s) implements C {{
        Int n = 0;
        {{ this.fill(); }}
        Unit fill() {{ Int x = s.number(); this.n = x; }}
        Unit run() {{ println("run " + toString(this.n)); }}
        Int n() {{ return this.n; }}
    }}
    {{ S s = new S(); C c = new C(s); Int n = await c!n(); C d = new local C(s); Int m = d.n();
      println(toString(n + m)); }}"""
    assert all(set(text.split("\n")) == {"run 7", "14", ""} for text in all_printed(source))


def test_destiny_is_the_future_of_the_task() -> None:
    source = """
    interface C { Destiny own(); Destiny inner(); }
    class C implements C { Destiny own() { Destiny d = this.inner(); return d; } Destiny inner() { return destiny; } }
    { C c = new C(); Fut<Destiny> f = c!own(); await f?; Destiny d = f.get; assert d == f; }"""
    assert clean(ended(source))


def test_conjunctions_wait_for_all() -> None:
    source = f"""{SAYER}
    {{ S s = new S(); Fut<Int> a = s!number(); Fut<Int> b = s!number(); await a? & b?;
      Int x = a.get; Int y = b.get; println(toString(x + y)); }}"""
    assert all_printed(source) == {"14\n"}


def test_a_deadlock_names_the_cycle() -> None:
    source = """
    interface A { Unit call(A other); Unit answer(); }
    class A implements A { Unit call(A other) { other.answer(); } Unit answer() { skip; } }
    { A one = new A(); A two = new A(); one!call(two); two!call(one); }"""
    found = outcomes(source)
    stuck = [f.outcome.deadlock for f in found.found if f.outcome.deadlock is not None]
    assert len(found.found) == 2
    assert len(stuck) == 1
    assert set(stuck[0].cycle) == {"A#1.call", "A#2.call", "A#1.answer", "A#2.answer"}
    assert any("waits for its cog, which A#1.call keeps" in line for line in wait_lines(stuck[0], {}))


def test_a_condition_that_stays_false_is_a_deadlock() -> None:
    found = ended(f'{SAYER} {{ S s = new S(); s!later("never"); }}').deadlock
    assert found is not None
    assert wait_lines(found, {}) == ["a.abs:7: S#1.later waits for a condition that stays false"]


def test_random_numbers_do_not_depend_on_the_schedule() -> None:
    source = """
    interface C { Unit m(); }
    class C implements C { Unit m() { println(toString(random(1000))); } }
    { C c = new C(); c!m(); C d = new C(); d!m(); }"""
    found = all_printed(source)
    assert len({tuple(sorted(text.split())) for text in found}) == 1
    assert printed(source, seed=1) != printed(source, seed=2)


def test_objects_and_casts() -> None:
    source = """
    interface A { Int a(); } interface B extends A { }
    class C implements B { Int a() { return 1; } }
    class D implements A { Int a() { return 2; } }
    { A c = new C(); A d = new D(); B x = c as B; B y = d as B;
      assert x == c && y == null && c implements B && !(d implements B) && !(y implements A);
      Set<A> s = set[c, d, c]; assert size(s) == 2; }"""
    assert clean(ended(source))
