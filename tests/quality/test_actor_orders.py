"""`--order optimal` explores each equivalence class of executions exactly once, input by input."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.actor_cases import ActorCollector
from everypath.cases.actors import ActorSuite
from everypath.cases.model import Entry
from everypath.concurrency.executions import Execution
from everypath.concurrency.orders import Order, explore
from everypath.explore.state import State
from everypath.languages.abs.frontend.check import Source, check_program, read_sources
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.generation import exploration_of
from everypath.options import Limits, Options
from tests.concurrency.traces import normal_form
from tests.conftest import ROOT
from tests.explore.actors.comparing import Explored

EXAMPLES = ROOT / "examples" / "actors"
COUNTER = """
interface Counter { Unit go(Int n); Unit add(Int n); Unit double(); Unit reset(); }
class Counter(Counter other, Int total) implements Counter {
  Unit go(Int n) { this!add(n); this!double(); this!reset(); }
  Unit add(Int n) { this.total = this.total + n; }
  Unit double() { this.total = this.total * 2; }
  Unit reset() { if (this.total > 3) { this.total = 0; } }
}"""
TWO_FIELDS = """
interface Pair { Unit go(); Unit left(); Unit right(); Unit both(); }
class Pair(Int a, Int b) implements Pair {
  Unit go() { this!left(); this!right(); this!left(); this!both(); }
  Unit left() { this.a = this.a + 1; }
  Unit right() { this.b = this.b + 1; }
  Unit both() { if (this.a == this.b) { this.a = 0; } }
}"""
ASKING = """
interface Server { Int ask(Int n); }
interface Client { Int go(Int n); Unit note(Int n); }
class Server(Int last) implements Server { Int ask(Int n) { this.last = n; return this.last + 1; } }
class Client(Server one, Server two) implements Client {
  Int seen = 0;
  Int go(Int n) {
    Fut<Int> x = one!ask(n); Fut<Int> y = two!ask(n + 1);
    await x? & y?;
    Int a = x.get; Int b = y.get;
    return a + b;
  }
  Unit note(Int n) { this.seen = n; }
}"""
WAITING = """
interface Gate { Int go(); Unit open(); Unit shut(); Int pass(); }
class Gate(Bool free, Int passed) implements Gate {
  Int go() { this!open(); this!shut(); Fut<Int> p = this!pass(); await p?; return this.passed; }
  Unit open() { this.free = True; }
  Unit shut() { this.free = False; }
  Int pass() { await this.free; this.passed = this.passed + 1; return this.passed; }
}"""
WAITING_ELSEWHERE = """
interface Gate { Unit open(); Unit shut(); Int pass(); }
class Gate implements Gate {
  Bool free = False; Int passed = 0;
  Unit open() { this.free = True; }
  Unit shut() { this.free = False; }
  Int pass() { await this.free; this.passed = this.passed + 1; return this.passed; }
}
interface Guard { Int go(); Int through(Gate g); }
class Guard(Bool free, Int seen) implements Guard {
  Int go() { Gate g = new local Gate(); this!through(g); g!open(); g!shut(); g!open(); return 0; }
  Int through(Gate g) { Int n = g.pass(); this.seen = n; return n; }
}"""
DYING = """
interface Box { Unit go(Int n); Unit put(Int n); Unit look(); }
class Box(Int held) implements Box {
  Unit go(Int n) { this!put(n); this!look(); this!put(n + 1); }
  Unit put(Int n) { assert n < 2; this.held = n; }
  Unit look() { println(toString(this.held)); }
}"""
CREATING = """
interface Node { Unit go(Int n); Unit hear(Int n); }
class Node(Node boss) implements Node {
  Int heard = 0;
  Unit go(Int n) {
    Node a = new Node(this); Node b = new local Node(this);
    a!hear(n); b!hear(n + 1); a!hear(n - 1);
  }
  Unit hear(Int n) { if (n > this.heard) { this.heard = n; } }
}"""
BLOCKING = """
interface Cell { Int go(); Int read(); Unit set(Int n); }
class Cell(Cell other, Int content) implements Cell {
  Int go() {
    if (this.other == null || this.other == this) { return 0; }
    other!set(1); Fut<Int> f = other!read(); other!set(2); this!set(3);
    Int seen = f.get; suspend; return seen + this.content;
  }
  Int read() { return this.content; }
  Unit set(Int n) { this.content = n; }
}"""
SUSPENDING = """
interface Turn { Unit go(); Unit step(Int n); }
class Turn(Int at, List<Int> log) implements Turn {
  Unit go() { this!step(1); this!step(2); suspend; this.log = Cons(0, this.log); }
  Unit step(Int n) { this.at = n; suspend; this.log = Cons(this.at, this.log); }
}"""
DECIDING = """
data Kind = Plus(Int) | Times(Int) | Stop;
interface Work { Unit go(Kind first, Kind second); Unit apply(Kind k); Unit end(); }
class Work(Int value, Bool over) implements Work {
  Unit go(Kind first, Kind second) { this!apply(first); this!apply(second); this!end(); }
  Unit apply(Kind k) {
    if (!this.over) {
      switch (k) {
        Plus(n) => this.value = this.value + n; Times(n) => this.value = this.value * n; Stop => this.over = True;
      }
    }
  }
  Unit end() { this.over = True; }
}"""
REFERRING = """
interface Peer { Unit go(Peer p, Peer q); Unit mark(Int n); }
class Peer(Int marked) implements Peer {
  Unit go(Peer p, Peer q) { if (p != null && q != null) { p!mark(1); q!mark(2); this!mark(3); } }
  Unit mark(Int n) { this.marked = this.marked * 10 + n; }
}"""
SYNCHRONOUS = """
interface Desk { Int go(Int n); Int serve(Int n); }
class Desk(Desk next, Int served) implements Desk {
  Int go(Int n) { this!serve(n); Int x = this.serve(n + 1); Fut<Int> f = this!serve(x); await f?; return this.served; }
  Int serve(Int n) { this.served = this.served + n; return this.served; }
}"""

COMPARING = """
data Shape = Dot | Box(Int) | Both(Shape, Int);
interface Same { Unit go(); Unit first(); Unit second(); Unit third(); }
class Same(Shape a, Shape b, List<Int> l, Bool seen, Bool other) implements Same {
  Unit go() { this!first(); this!second(); this!third(); }
  Unit first() { this.seen = this.a == Both(Dot, 1); }
  Unit second() { await this.a == Box(1); this.other = True; }
  Unit third() { switch (this.a) { Box(n) => skip; _ => this.other = False; } }
}"""
TELLING = """
data Shape = Dot | Box(Int);
interface Tell { Unit go(Shape s); Unit tell(Shape s); Unit keep(Shape s); }
class Tell(Shape kept) implements Tell {
  Unit go(Shape s) { this!tell(s); this!keep(s); this!tell(this.kept); }
  Unit tell(Shape s) { println(toString(s)); }
  Unit keep(Shape s) { if (s == Dot) { this.kept = s; } }
}"""
NULLS = """
interface Ref { Unit go(Ref r); Unit ask(Ref r); Unit use(Ref r); Unit hear(); Unit equal(Ref r); }
class Ref(Bool absent, Int heard) implements Ref {
  Unit go(Ref r) { this!ask(r); this!use(r); this!equal(r); }
  Unit ask(Ref r) { this.absent = r == null; }
  Unit use(Ref r) { if (r != null) { r!hear(); } }
  Unit equal(Ref r) { if (r == this) { this.heard = 0; } }
  Unit hear() { this.heard = this.heard + 1; }
}
class Other(Int n) implements Ref {
  Unit go(Ref r) { skip; } Unit ask(Ref r) { skip; } Unit use(Ref r) { skip; } Unit equal(Ref r) { skip; }
  Unit hear() { this.n = 1; }
}"""
KINDS = """
interface Kind { Unit go(); Unit one(); Unit two(); Unit poke(Int n); }
class Here(Kind other, Int n) implements Kind {
  Unit go() { this!one(); this!two(); }
  Unit one() { if (this.other != null && this.other != this) { other!poke(1); } }
  Unit two() { if (this.other != null) { other!poke(2); } }
  Unit poke(Int n) { this.n = this.n + n; }
}
class There(Int m) implements Kind {
  Unit go() { skip; } Unit one() { skip; } Unit two() { skip; } Unit poke(Int n) { this.m = n; }
}"""

SMALL = {
    "counter": (COUNTER, "Counter", "go"),
    "two fields": (TWO_FIELDS, "Pair", "go"),
    "asking": (ASKING, "Client", "go"),
    "waiting": (WAITING, "Gate", "go"),
    "waiting elsewhere": (WAITING_ELSEWHERE, "Guard", "go"),
    "dying": (DYING, "Box", "go"),
    "creating": (CREATING, "Node", "go"),
    "blocking": (BLOCKING, "Cell", "go"),
    "suspending": (SUSPENDING, "Turn", "go"),
    "deciding": (DECIDING, "Work", "go"),
    "referring": (REFERRING, "Peer", "go"),
    "synchronous": (SYNCHRONOUS, "Desk", "go"),
    "comparing": (COMPARING, "Same", "go"),
    "telling": (TELLING, "Tell", "go"),
    "nulls": (NULLS, "Ref", "go"),
    "kinds": (KINDS, "Here", "go"),
}
"""name -> text, class, method"""
EXAMPLE = [
    ("queued.abs", "C", "p", ("set", "setF")),
    ("queued.abs", "C", "p", ("setF", "set", "setF")),
    ("reader_writer.abs", "Store", "read", ("write",)),
    ("reader_writer.abs", "Controller", "openWrite", ("openRead", "closeRead", "closeWrite")),
    ("dining_philosophers.abs", "Fork", "take", ("put", "take")),
    ("leader_election.abs", "Node", "leader", ("connect", "connect")),
    ("reader_writer.abs", "Controller", "openRead", ("openWrite", "closeRead", "closeWrite")),
    ("mail.abs", "Client", "returned", ("returned", "returned")),
]
"""file, class, method, other tasks in the queue"""


def _explored(program: Program, cls: str, method: str, queued: tuple[str, ...]) -> tuple[Explored, Explored]:
    """All executions, and those of `optimal`; one exploration for both, so that they call everything the same."""
    owner = program.named_class(cls)
    assert owner is not None
    exploration = exploration_of(program, Options(limits=Limits(loops=1)))
    start = exploration.start(owner.name, method, queued)
    optimal = tuple(exploration.executions(start))
    every = tuple(explore(exploration.system, start.state, Order.ALL))
    assert all(execution.ended is None for execution in (*every, *optimal)), "a bound is reached"
    return Explored(exploration, start, every, True), Explored(exploration, start, optimal, True)


def _forms(executions: tuple[Execution[State], ...]) -> list[frozenset[tuple[object, ...]]]:
    return [normal_form(execution.events) for execution in executions]


def _check(program: Program, cls: str, method: str, queued: tuple[str, ...] = ()) -> tuple[int, int]:
    """Compare both orders over all inputs and for the inputs of each case; executions of `all` and `optimal`."""
    every, optimal = _explored(program, cls, method, queued)
    assert optimal.exploration.counts.blocked == 0
    forms = _forms(optimal.ended)
    assert len(set(forms)) == len(forms), "an execution was explored twice"
    assert set(forms) == set(_forms(every.ended))
    suite = ActorSuite("", {})
    collector = ActorCollector(every.exploration, Entry("", "", cls, method, "method"), suite, frozenset())
    for execution in every.ended:
        collector.add(every.start, execution)
    assert suite.cases
    for inputs in {case.inputs for case in suite.cases}:
        classes = {normal_form(execution.events) for execution, _ in every.matching(inputs)}
        assert len(list(optimal.matching(inputs))) == len(classes)
        assert {o for _, o in optimal.matching(inputs)} == {o for _, o in every.matching(inputs)}
    return len(every.ended), len(optimal.ended)


def _loaded(sources: list[Source]) -> Program:
    found = check_program(sources)
    assert isinstance(found, Program), "\n".join(map(str, found))
    return found


@pytest.mark.parametrize("name", SMALL)
def test_each_class_of_executions_is_explored_once(name: str) -> None:
    text, cls, method = SMALL[name]
    _check(_loaded([Source("a.abs", f"module M; {text}")]), cls, method)


@pytest.mark.parametrize(("file", "cls", "method", "queued"), EXAMPLE)
def test_each_class_of_executions_of_the_examples_is_explored_once(
    file: str, cls: str, method: str, queued: tuple[str, ...]
) -> None:
    _check(_loaded(read_sources([Path(EXAMPLES / file)])), cls, method, queued)
