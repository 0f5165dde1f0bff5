"""A bound on tasks taken from queues: exactly the executions within it, and the cuts where one goes beyond."""

from __future__ import annotations

import pytest

from everypath.concurrency.orders import Order
from everypath.languages.abs.runtime.explore import Outcomes, explore_main
from everypath.languages.abs.runtime.system import Description
from tests.runtimes.executing import program

CHAIN = """
interface C { Unit next(Int n); }
class C implements C {
    Int seen = 0;
    Unit next(Int n) { this.seen = n; if (n > 0) { this!next(n - 1); } }
}
{ C c = new C(); c!next(4); }
"""
WAITING = """
interface C { Unit set(); Unit wait(); Int one(); Unit ask(C other); }
class C implements C {
    Bool ready = False;
    Unit set() { this.ready = True; }
    Unit wait() { await this.ready; }
    Int one() { return 1; }
    Unit ask(C other) { Fut<Int> f = other!one(); Int x = f.get; }
}
"""


def bounded(text: str, switches: int, order: Order = Order.OPTIMAL) -> Outcomes:
    found = program(text)
    return explore_main(found, order, merged=False, switches=switches, described=Description(found), seconds=20.0)


@pytest.mark.parametrize(("switches", "outcomes", "cuts"), [(4, 0, 1), (5, 1, 0), (6, 1, 0)])
@pytest.mark.parametrize("order", list(Order))
def test_a_chain_of_calls(order: Order, switches: int, outcomes: int, cuts: int) -> None:
    found = bounded(CHAIN, switches, order)
    assert (len(found.found), len(found.cut)) == (outcomes, cuts)
    assert all(cut.kind == "switch" for cut in found.cut)
    assert found.complete == (not cuts)


def test_going_on_after_an_await_counts_and_after_a_get_does_not() -> None:
    waiting = WAITING + "{ C c = new C(); c!wait(); c!set(); }"
    assert len(bounded(waiting, 2).found) == 1, "set first: two tasks"
    assert bounded(waiting, 2).cut, "wait first: it is taken twice"
    assert not bounded(waiting, 3).cut
    asking = WAITING + "{ C c = new C(); C d = new C(); c!ask(d); }"
    assert bounded(asking, 1).complete
