"""Pages of many cases: they open and filter at once, and heaps and traces come piece by piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.model import (
    CallCase,
    CallSuite,
    Entry,
    Expected,
    Inputs,
    Literal,
    ObjectState,
    Pointer,
    Returned,
    Step,
)
from everypath.cases.recordings import LINES, Recording
from everypath.cases.trees import CUT, INNER, RETURNED, Node, Tree
from everypath.report.page.content import Content, ShownSuite, SourceText
from everypath.report.page.document import document
from everypath.report.page.html import render
from tests.report.browser import Browser

LENGTH = 6


def case_of(number: int) -> CallCase:
    """A list of a few nodes, another one in every case."""
    heap = {
        f"o{i}": ObjectState(
            "Node",
            "lists",
            (("value", Literal(number + i)), ("next", Pointer(f"o{i + 1}") if i < LENGTH else Literal(None))),
        )
        for i in range(LENGTH + 1)
    }
    entry = Entry("lists", "lists.py", None, "search", "function", 1)
    return CallCase(
        f"lists::search#{number + 1}",
        entry,
        Inputs(None, (("first", Pointer("o0"), "normal"), ("wanted", Literal(number), "normal")), heap),
        Expected(Returned(Literal(number % 97)), heap),
        condition=tuple(f"first.value{'.next' * i} == {number + i}" for i in range(4)),
        trace=tuple(Step("lists.py", 1 + i % 40) for i in range(60)),
        choices=(number,),
        covers=(f"lists.py:{number % 40}->{number % 40 + 1}",),
        validated=True,
        name=f"case_{number}_of_many",
    )


def steps_of(number: int) -> Recording:
    """A run of thirty steps, as a recorder writes it down."""
    first = {"at": 1, "line": 1, "file": "lists.py", "function": "search", "above": [], "set": {"wanted": number}}
    more = [{"at": 1, "line": 2 + i, "set": {"i": i}, "heap": {"o1": {"list": [i, number]}}} for i in range(30)]
    return Recording(LINES, (first, *more))


def page_of(number: int, folder: Path) -> Path:
    """A page of so many cases."""
    cases = [case_of(i) for i in range(number)]
    suite = CallSuite("lists.py::search", {}, cases)
    leaves = [Node(RETURNED, "lists.py", 9, i, (f"n == {i}",), case=case.id) for i, case in enumerate(cases[:2000])]
    tree = Tree(
        "arbitrary inputs", Node(INNER, "lists.py", 3, children=[*leaves, Node(CUT, "lists.py", 4, bound="loop")])
    )
    tests = {case.id: f"def test_{case.name}():\n    assert search() == {i}\n" for i, case in enumerate(cases)}
    recordings = {case.id: steps_of(i) for i, case in enumerate(cases)}
    shown = ShownSuite(suite, "", recordings, {}, tests, [tree])
    source = SourceText("lists.py", "\n".join(f"line {i}" for i in range(60)), "", tuple(range(1, 50)))
    path = folder / f"{number}.html"
    path.write_text(render(document(Content("lists.py", "Python", [shown], [source]))), encoding="utf-8")
    return path


def milliseconds(browser: Browser, script: str) -> float:
    """How long something takes until the page is laid out again."""
    timed = f"const start = performance.now(); {script}; document.body.offsetHeight; return performance.now() - start;"
    measured = browser.evaluate(f"(() => {{ {timed} }})()")
    assert isinstance(measured, (int, float))
    return measured


FILTER = (
    "const search = document.getElementById('search'); search.value = 'first.value == 77'; "
    "search.dispatchEvent(new Event('input'))"
)


@pytest.mark.parametrize(("number", "largest", "slowest"), [(1_000, 5_000_000, 300), (20_000, 60_000_000, 3_000)])
def test_pages_open_and_filter_at_once(
    browser: Browser, tmp_path: Path, number: int, largest: int, slowest: float
) -> None:
    path = page_of(number, tmp_path)
    size = path.stat().st_size
    assert size < largest
    browser.open(path, "#/cases")
    opened = browser.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    ready = browser.evaluate("window.everypathReady")
    assert f"{number:,} cases" in browser.text(".cases > .status")
    first = milliseconds(browser, FILTER)
    again = milliseconds(browser, FILTER.replace("77", "78"))
    told = f"{number} cases: {size / 1e6:.2f} MB, shown after {ready:.0f} ms (parsed {opened:.0f})"
    print(f"\n{told}, filter {first:.0f} and {again:.0f} ms")
    assert ready < slowest and first < slowest and again < slowest
    assert len(browser("texts", selector=".case-table tbody tr")) <= 100
    unpacked = "performance.getEntriesByType('measure').length"
    assert browser.evaluate(unpacked) == 1
    browser.go(f"#/case/{number - 1}")
    assert len(browser("texts", selector=".before .object")) == LENGTH + 1
    # Of all cases only those of one piece were unpacked, besides the table, the sources and the tree.
    assert browser.evaluate(unpacked) <= 4
    assert browser("seen")["errors"] == []
