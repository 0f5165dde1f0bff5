"""The tasks that are worth interleaving with a method, and the queues made of them."""

from __future__ import annotations

import pytest

from everypath.errors import BadInput
from everypath.languages.abs.frontend.related import explained, queues, related
from tests.frontends.abs.checking import accepted

CELL = """
module Cells;
interface Log { Unit add(Int x); }
class Log implements Log { List<Int> all = Nil; Unit add(Int x) { this.all = Cons(x, this.all); } }
interface Cell { Int wait(); Int read(); Unit put(Int x); Unit clear(); Unit note(Log log); Unit twice(); }
class Cell implements Cell {
    Int content = 0;
    Int changes = 0;
    Int wait() { Int before = this.content; await this.content != before; return this.content; }
    Int read() { return this.content; }
    Unit put(Int x) { this.content = x; this.changes = this.changes + 1; }
    Unit clear() { this.changes = 0; }
    Unit note(Log log) { log!add(this.content); }
    Unit later() { this!put(1); }
    Unit twice() { this.later(); this.later(); }
}
"""


def test_each_pruning() -> None:
    one, two, three = related(accepted(CELL), "Cell", "wait")
    assert one == {"put", "clear", "note", "later", "twice"}
    assert two == {"put", "clear"}
    assert three == {"put"}


def test_every_method_that_is_dropped_is_explained_once() -> None:
    found = explained(accepted(CELL), "Cells.Cell", "wait")
    dropped = [name for pruning in found.prunings for name, _ in pruning.dropped]
    assert sorted(dropped) == ["clear", "later", "note", "read", "twice", "wait"]
    text = found.text()
    assert "- note: writes only through Log.add, which may run without it" in text
    assert "- twice: writes only through later, put, which may run without it" in text
    assert "- clear: writes changes: wait does not use it" in text
    assert "before and reads after an await: content" in text


def test_nothing_is_related_to_a_method_that_never_waits() -> None:
    found = explained(accepted(CELL), "Cell", "read")
    assert found.left == frozenset()
    assert "- put: writes changes, content: read never waits" in found.text()
    assert "read has no such field\n    none\n" in found.text()


@pytest.mark.parametrize(
    ("cls", "method", "message"),
    [
        ("Sell", "wait", "there is no class `Sell`; did you mean `Cell`?"),
        ("Cell", "wayt", "class `Cells.Cell` has no method `wayt`; did you mean `wait`?"),
        ("Cell", "xyz", "class `Cells.Cell` has no method `xyz`; there is wait, read, put, clear, note, later, twice"),
    ],
)
def test_unknown_names(cls: str, method: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        related(accepted(CELL), cls, method)
    assert caught.value.message == message


def test_queues_without_order_are_multisets() -> None:
    assert list(queues(frozenset("ab"), 2, False)) == [(), ("a",), ("b",), ("a", "a"), ("a", "b"), ("b", "b")]


def test_queues_with_order_are_sequences() -> None:
    assert list(queues(frozenset("ab"), 2, True)) == [
        (), ("a",), ("b",), ("a", "a"), ("a", "b"), ("b", "a"), ("b", "b"),
    ]  # fmt: skip


def test_nothing_related_is_one_empty_queue() -> None:
    assert list(queues(frozenset(), 3, True)) == list(queues(frozenset("a"), 0, False)) == [()]
