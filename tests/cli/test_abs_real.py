"""What programs in the wild do to the commands: long numbers, long steps, interfaces without classes, dead actors."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.actor_programs import command, generated

LONG = """\
module Long;
def Int power(Int n) = if n == 0 then 1 else 2 * power(n - 1);
{ Int big = power(20000); println(toString(big)); println(toString(big / 3 * 3 == big)); }
"""
LOOP = """\
module Loop;
{ Int i = 0; while (i < 900000000) { i = i + 1; if (i == 900000) { i = 0; } } }
"""
RECURSION = """\
module Recursion;
def Int fib(Int n) = if n < 2 then n else fib(n - 1) + fib(n - 2);
{ println(toString(fib(60))); }
"""
MUTUAL = """\
module Mutual;
def Int even(Int n) = if n < 2 then n else odd(n - 1) + odd(n - 2);
def Int odd(Int n) = if n < 2 then 1 - n else even(n - 1) + even(n - 2);
{ println(toString(even(60))); }
"""
METHODS = """\
module Methods;
interface Tree { Int leaves(Int height); }
class Tree implements Tree {
    Int leaves(Int height) {
        Int count = 1;
        if (height > 0) {
            Int left = this.leaves(height - 1);
            Int right = this.leaves(height - 1);
            count = left + right;
        }
        return count;
    }
}
{ Tree tree = new Tree(); Int all = await tree!leaves(60); println(toString(all)); }
"""
OPEN = """\
module Open;
interface Printer { Unit print(Int n); }
interface Office { Int work(Int n); }
class Office(Printer printer) implements Office {
    Int work(Int n) {
        if (n > 0) {
            printer!print(n);
        }
        return n;
    }
}
"""
HELD = """\
module Held;
interface Printer { Unit print(Int n); }
interface Office { Bool has(); }
class Office(Printer printer) implements Office {
    Bool has() { return printer != null; }
}
"""
DEAD = """\
module Dead;
interface Node { Unit start(); Unit fail(); Int value(); }
class Node(Node next) implements Node {
    Int got = 0;
    Unit start() { next!fail(); this!ask(); }
    Unit ask() { got = next.value(); }
    Unit fail() { assert False; }
    Int value() { return 1; }
}
"""
KINDS = """\
module Kinds;
interface Shape { Int corners(); }
class Square implements Shape { Int corners() { return 4; } }
class Circle implements Shape { Int corners() { return 0; } }
interface Board { Bool before(Shape a, Shape b); Unit poke(Shape a); Int put(Shape a, Shape b); String show(Shape a); }
class Board implements Board {
    Set<Shape> all = set[];
    Bool before(Shape a, Shape b) { return a < b; }
    Unit poke(Shape a) { if (a != null) { a!corners(); } }
    Int put(Shape a, Shape b) { all = insertElement(insertElement(set[], a), b); return size(all); }
    String show(Shape a) { return toString(a); }
}
"""
PARTS = """\
module Parts;
interface Cell { Int value(); }
class Cell implements Cell { Int value() { return 1; } }
data Sum = One(Cell one) | More(Cell first, Int rest) | Both(Sum left, Sum right);
interface Adder { Int add(Sum sum); }
class Adder implements Adder {
    Int add(Sum sum) {
        Int result = 0;
        switch (sum) {
            One(cell) => result = cell.value();
            More(cell, n) => { Int value = cell.value(); result = value + n; }
            Both(left, right) => { Int a = this.add(left); Int b = this.add(right); result = a + b; }
        }
        return result;
    }
}
"""
FUTURES = """\
module Futures;
interface Box { Int put(Fut<Int> a, Fut<Int> b); }
class Box implements Box {
    Int put(Fut<Int> a, Fut<Int> b) {
        Set<Fut<Int>> both = insertElement(insertElement(set[], a), b);
        return size(both);
    }
}
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _file(text: str) -> str:
    Path("program.abs").write_text(text, encoding="utf-8")
    return "program.abs"


def _sound(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The cases, after a look at what must never be there."""
    assert not [p for p in result["problems"] if p["kind"] in ("defect", "internal error")], result["problems"]
    assert all(case["validated"] for case in result["cases"])
    cases: list[dict[str, Any]] = result["cases"]
    return cases


def test_numbers_of_any_length_are_shown() -> None:
    result = command("run", _file(LONG))
    assert result.exit_code == 0, result.stderr
    number, exact = result.stdout.split()
    assert len(number) == 6021 and number.startswith("39802768") and exact == "True"


def test_numbers_of_any_length_are_written_and_replayed() -> None:
    file = _file(LONG)
    assert command("generate", f"{file}::main", "--format", "json", "-o", "long.json").exit_code == 0
    result = command("replay", "long.json")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 of 1 cases replayed as recorded")


def test_numbers_of_any_length_are_read() -> None:
    digits = "7" * 5000
    result = command("run", _file(f"module M; {{ println(toString({digits})); }}"))
    assert result.stdout == digits + "\n", result.stderr


@pytest.mark.parametrize("text", [LOOP, RECURSION, MUTUAL, METHODS], ids=["loop", "function", "functions", "methods"])
def test_a_long_step_ends_with_the_time(text: str) -> None:
    started = time.monotonic()
    result = command("generate", f"{_file(text)}::main", "--time", "0.5", "--format", "json", "-o", "x.json")
    assert time.monotonic() - started < 10
    cut = json.loads(Path("x.json").read_text(encoding="utf-8"))["stats"]["cut"]
    # How fast the machine is decides which bound comes first: that on time or that on loop iterations.
    assert cut["time"] or cut["loop"], result.stderr
    assert result.exit_code == 3


def test_a_call_through_an_interface_without_classes_is_named() -> None:
    result = generated(f"{_file(OPEN)}::Office.work")
    cases = _sound(result)
    assert [case["expected"]["returns"] for case in cases if not case["expected"]["failures"]] == [0]
    [problem] = result["stats"]["unsupported"]
    assert (problem["line"], problem["message"].partition(";")[0]) == (
        7,
        "no class implements Open.Printer, of which this.printer is",
    )


def test_no_case_has_an_actor_that_no_class_can_make() -> None:
    result = generated(f"{_file(HELD)}::Office.has")
    assert [case["expected"]["returns"] for case in _sound(result)] == [False]
    assert len(result["stats"]["unsupported"]) == 1


def test_a_synchronous_call_of_a_dead_actor_replays() -> None:
    cases = _sound(generated(f"{_file(DEAD)}::Node.start", "--switches", "3"))
    failures = [failure for case in cases for failure in case["expected"]["failures"]]
    assert any("ObjectDeadException" in json.dumps(failure) for failure in failures)


def test_the_class_of_an_actor_is_part_of_the_input() -> None:
    cases = _sound(generated(f"{_file(KINDS)}::Board.poke"))
    classes = [actor["class"] for case in cases for name, actor in case["inputs"]["actors"].items() if name == "a"]
    assert sorted(classes) == ["Kinds.Circle", "Kinds.Square"]


@pytest.mark.parametrize("method", ["before", "put", "show"])
def test_actors_of_several_classes_have_an_order_and_a_text(method: str) -> None:
    result = generated(f"{_file(KINDS)}::Board.{method}")
    assert _sound(result) and not result["stats"]["unsupported"]


def test_parts_of_different_constructors_have_one_way_to_them() -> None:
    result = generated(f"{_file(PARTS)}::Adder.add", "--time", "5")
    assert {1, 2} <= {case["expected"].get("returns") for case in _sound(result)}


def test_what_the_library_does_is_named_where_it_was_asked_for() -> None:
    result = generated(f"{_file(FUTURES)}::Box.put")
    _sound(result)
    assert {(p["file"], p["line"]) for p in result["stats"]["unsupported"]} == {("program.abs", 5)}


def test_a_program_of_many_files_is_stored() -> None:
    folder = Path("a_folder_with_a_rather_long_name" * 3)
    folder.mkdir()
    names = []
    for number in range(3):
        path = folder / f"module{number}.abs"
        path.write_text(f"module M{number}; " + ("{ println(toString(1)); }" if number == 0 else ""), encoding="utf-8")
        names.append(str(path))
    target = f"{','.join(names)}::main"
    assert "too long" not in command("generate", target, "--format", "json", "-o", "x.json").stderr
    assert command("replay", target).stdout.endswith("1 of 1 cases replayed as recorded\n")


RECOVERING = """\
module Recovering;
exception Odd(Int n);
interface Counter { Int count(Int n); Int seen(); }
class Counter(Counter other) implements Counter {
    Int seen = 0;
    recover {
        Odd(n) => { seen = seen + n; if (n > 10) { other!seen(); } }
        DivisionByZeroException => seen = truncate(1 / seen);
    }
    Int count(Int n) {
        if (n == 3 || n > 20) { throw Odd(n); }
        if (n == 5) { n = truncate(1 / (n - 5)); }
        if (n == 7) { assert False; }
        return n;
    }
    Int seen() { return seen; }
}
"""


def test_what_a_class_recovers_from_is_no_failure() -> None:
    result = generated(f"{_file(RECOVERING)}::Counter.count")
    cases = _sound(result)
    assert not result["stats"]["unsupported"]
    alive = [case for case in cases if not case["expected"]["failures"] and "returns" not in case["expected"]]
    assert len(alive) == 4
    assert {finding["kind"] for finding in result["findings"]} == {"runtime-error", "assertion"}
