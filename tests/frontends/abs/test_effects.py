"""What methods may do, by their text."""

from __future__ import annotations

import pytest

from everypath.languages.abs.frontend.effects import INIT, MAIN, OUTPUT, Effects, effects
from tests.frontends.abs.checking import accepted

PEER = "interface Peer { Int ask(); Unit tell(Int x); } "
PEERS = PEER + (
    "class One(Int seen) implements Peer { Int ask() { return this.seen; } Unit tell(Int x) { this.seen = x; } } "
    "class Two implements Peer { Int got = 0; Int ask() { return 2; } Unit tell(Int x) { this.got = this.got + x; } } "
)


def of(body: str, fields: str = "Int a, Int b, Peer peer", more: str = "", before: str = "") -> Effects:
    """The effects of a program with `class C(fields) { Unit m() { body } more }`."""
    interface = "interface Own { Unit m(); } "
    text = f"module M; {PEERS}{before} {interface}class C({fields}) implements Own {{ Unit m() {{ {body} }} {more} }}"
    return effects(accepted(text))


M = ("M.C", "m")


def short(names: frozenset[str]) -> set[str]:
    return {name.rpartition(".")[2] for name in names}


def test_fields_are_named_with_their_class() -> None:
    found = of("this.a = this.b + 1;")
    assert found.reads[M] == {"M.C.b"}
    assert found.writes[M] == found.own_writes[M] == {"M.C.a"}
    assert not found.calls[M] and not found.creates[M]
    assert M not in found.releasing | found.blocking | found.failing


def test_methods_that_it_runs_itself() -> None:
    more = "Unit k() { this.a = 1; this.l(); } Unit l() { this.b = this.a; if (b > 0) { this.k(); } }"
    found = of("this.k();", more=more)
    assert short(found.writes[M]) == {"a", "b"} and short(found.reads[M]) == {"a", "b"}
    assert found.own_writes[M] == frozenset()
    assert found.runs[M] == {("M.C", "k")}
    assert not found.calls[M]


def test_calls_reach_every_class_of_the_interface() -> None:
    found = of("Peer q = this.peer; q!tell(1); this!m();")
    assert found.calls[M] == {("M.One", "tell"), ("M.Two", "tell"), M}
    assert M not in found.blocking
    assert not found.writes[M]


def test_a_new_object_is_of_one_class() -> None:
    assert of("Peer q = new One(1); q!tell(1);").creates[M] == {"M.One"}


def test_new_objects_start_to_run() -> None:
    active = "class Active(Peer p) { Peer mine = p; { p!tell(1); } Unit run() { Int x = await mine!ask(); } }"
    found = of("new Active(this.peer);", before=active)
    assert found.creates[M] == {"M.Active"}
    assert found.calls[M] == {("M.Active", "run"), ("M.One", "tell"), ("M.Two", "tell")}
    assert found.writes[M] == frozenset()
    assert short(found.writes["M.Active", INIT]) == {"mine"}
    assert ("M.Active", "run") in found.releasing


def test_a_synchronous_call_elsewhere_is_a_message_and_blocks() -> None:
    found = of("Peer q = this.peer; Int x = q.ask();")
    assert found.calls[M] == {("M.One", "ask"), ("M.Two", "ask")}
    assert M in found.blocking
    assert short(found.reads[M]) == {"peer"}


def test_a_synchronous_call_within_the_cog_is_run() -> None:
    found = of("Peer q = new local One(1); q.tell(2);")
    assert found.writes[M] == {"M.One.seen"}
    assert found.runs[M] == {("M.One", "tell")}
    assert ("M.Two", "tell") in found.calls[M]


def test_one_that_is_perhaps_this() -> None:
    found = of("this.a = 1; Own o = this; o.m();")
    assert found.runs[M] == {M}
    assert M in found.calls[M]


@pytest.mark.parametrize(
    ("body", "blocks"),
    [
        ("Fut<Int> f = peer!ask(); Int x = f.get;", True),
        ("Fut<Int> f = peer!ask(); await f?; Int x = f.get;", False),
        ("Fut<Int> f = peer!ask(); await f?; f = peer!ask(); Int x = f.get;", True),
        ("Fut<Int> f = peer!ask(); if (a > 0) { await f?; } Int x = f.get;", True),
        ("Fut<Int> f = peer!ask(); if (a > 0) { await f?; } else { await f? & a > 1; } Int x = f.get;", False),
        ("Fut<Int> f = peer!ask(); if (a > 0) { await f?; } else { return; } Int x = f.get;", False),
        ("Fut<Int> f = peer!ask(); Int i = 2; while (i > 0) { await f?; i = f.get; f = peer!ask(); }", False),
        ("Fut<Int> f = peer!ask(); await f?; Int i = 2; while (i > 0) { i = f.get; f = peer!ask(); }", True),
        ("Fut<Int> f = peer!ask(); try { await f?; } catch { _ => skip; } Int x = f.get;", True),
        ("Int x = await peer!ask();", False),
    ],
)
def test_what_blocks(body: str, blocks: bool) -> None:
    assert (M in of(body).blocking) == blocks


@pytest.mark.parametrize(
    ("body", "before", "after", "across"),
    [
        ("this.a = 1;", "", "", ""),
        ("this.a = 1; suspend;", "a", "", ""),
        ("suspend; this.b = this.a;", "", "a", ""),
        ("this.a = 1; suspend; this.b = this.a;", "a", "a", "a"),
        ("this.b = this.a; suspend; this.a = 1;", "a b", "", ""),
        ("await this.a > 0;", "a", "a", "a"),
        ("suspend; Int x = this.a; suspend;", "a", "a", ""),
        ("suspend; Int x = this.a; suspend; x = this.a;", "a", "a", "a"),
        ("if (this.a > 0) { suspend; } else { this.b = 1; } Int x = this.b;", "a", "b", ""),
        ("if (this.a > 0) { suspend; return; } Int x = this.a;", "a", "", ""),
        ("Int i = 2; while (i > 0) { i = i - this.a; suspend; }", "a", "a", "a"),
        ("foreach (i in list[1, 2]) { Int x = this.a; suspend; }", "a", "a", "a"),
        ("switch (this.a) { 1 => suspend; _ => skip; } Int x = this.a + this.b;", "a", "a b", "a"),
        ("try { Int x = this.a; suspend; x = head(Nil); } catch { _ => this.b = this.a; }", "a", "a", "a"),
        ("try { Int x = this.a; suspend; return; } catch { _ => skip; } finally { this.b = this.a; }", "a", "a", "a"),
        ("Int x = this.a; this.k(); x = this.a;", "a b", "a b", "a b"),
        ("this.k(); Int x = this.b;", "b", "b", "b"),
        ("Peer q = this.peer; Int x = q.ask(); q = this.peer;", "", "", ""),
        ("Peer q = this.peer; Int x = await q!ask(); q = this.peer;", "peer", "peer", "peer"),
    ],
)  # fmt: skip
def test_around_a_release(body: str, before: str, after: str, across: str) -> None:
    found = of(body, more="Unit k() { this.b = this.b + 1; await this.b > 0; }")
    assert short(found.before[M]) == set(before.split())
    assert short(found.after[M]) == set(after.split())
    assert short(found.across[M]) == set(across.split())


def test_printing_is_an_effect_also_inside_functions() -> None:
    found = of("Unit u = say(1);", before='def Unit say(Int x) = println("x" + toString(x));')
    assert found.reads[M] == found.writes[M] == {OUTPUT}
    assert not found.own_writes[M]


@pytest.mark.parametrize(
    ("body", "fails"),
    [
        ("Int x = 3 / 2 - truncate(1 / 3);".replace("Int", "Rat"), False),
        ("Rat x = 3 / this.a;", True),
        ("Int x = head(list[1]);", True),
        ("Int x = fst(Pair(1, 2));", False),
        ("Int x = length(list[1]);", False),
        ("Int x = nth(list[1], 0);", True),
        ("Int x = case this.a { 1 => 2; };", True),
        ("Int x = case this.a { 1 => 2; _ => 3; };", False),
        ("Bool x = case Just(1) { Nothing => True; Just(_) => False; };", False),
        ("switch (Just(1)) { Nothing => skip; Just(2) => skip; }", True),
        ("assert this.a > 0;", True),
        ("try { assert this.a > 0; } catch { _ => skip; }", False),
        ("try { assert this.a > 0; } catch { AssertionFailException => skip; }", True),
        ("Peer q = this.peer; q!tell(1);", True),
        ("Peer q = new One(1); q!tell(1);", False),
        ("Peer q = new One(1); q = this.peer; q!tell(1);", True),
        ("this!m();", False),
        ("this.k();", True),
        ("await this!n();", False),
        ("Int x = await this!n();", True),
        ("die PatternMatchFailException;", True),
    ],
)
def test_what_may_fail(body: str, fails: bool) -> None:
    more = "Unit k() { throw PatternMatchFailException; } Int n() { return 1; }"
    assert (M in of(body, more=more).failing) == fails


def test_the_main_block_is_a_method_too() -> None:
    found = effects(accepted(f"module M; {PEERS} {{ Peer p = new One(1); Fut<Int> f = p!ask(); Int x = f.get; }}"))
    assert found.calls[MAIN] == {("M.One", "ask"), ("M.Two", "ask")}
    assert found.creates[MAIN] == {"M.One"}
    assert MAIN in found.blocking
