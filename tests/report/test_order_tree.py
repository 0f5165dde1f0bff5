"""The execution tree of actor programs: executions that begin alike share a branch."""

from __future__ import annotations

import shutil
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from everypath.cases.order_tree import Order, leaf, order_tree
from everypath.cases.trees import CUT, INNER, RAISED, RETURNED, Node
from everypath.explore.outcomes import Cut
from tests.conftest import ROOT
from tests.report.browser import Browser
from tests.report.conftest import made


def order(steps: str, *condition: str, ended: object = "finished") -> Order:
    return Order(tuple(steps), tuple(f"{each} goes on" for each in steps), condition, leaf(ended, "m.abs", 1))


def leaves(root: Node) -> list[tuple[Node, tuple[str, ...]]]:
    """The leaves with all that was decided on the way."""
    found, agenda = [], [(root, root.decided)]
    while agenda:
        node, decided = agenda.pop()
        if not node.children:
            found.append((node, decided))
        agenda += [(child, (*decided, *child.decided)) for child in node.children]
    return found


def test_steps_that_all_make_are_no_nodes() -> None:
    root = order_tree([order("abcx"), order("abdy"), order("abdz", ended=Cut("loop"))])
    assert (root.kind, root.told, root.decided) == (INNER, "after 2 steps", ())
    first, second = root.children
    assert (first.kind, first.decided) == (RETURNED, ("c goes on",))
    assert (second.told, second.decided) == ("after 3 steps", ("d goes on",))
    assert [(each.kind, each.bound, each.decided) for each in second.children] == [
        (RETURNED, "", ("y goes on",)),
        (CUT, "loop", ("z goes on",)),
    ]


def test_what_data_decide_is_told_where_they_do() -> None:
    one = Order(("a", ("b", 1)), ("a goes on", "b goes on"), ("n > 0", "m == 1"), leaf("finished", "m.abs", 1))
    two = Order(("a", ("b", 2)), ("a goes on", "b goes on"), ("n > 0", "m != 1"), leaf("deadlock", "m.abs", 1))
    root = order_tree([one, two])
    assert root.decided == ("n > 0",)
    assert [(each.kind, each.decided) for each in root.children] == [(RETURNED, ("m == 1",)), (RAISED, ("m != 1",))]


def test_a_single_execution_is_one_leaf() -> None:
    root = order_tree([order("abc", "n > 0")])
    assert (root.kind, root.decided, root.children) == (RETURNED, ("n > 0",), [])


@given(
    st.lists(st.tuples(st.text("ab", min_size=3, max_size=6), st.sets(st.sampled_from("pqr"))), min_size=1, max_size=8)
)
def test_every_execution_has_its_leaf_and_its_condition(given: list[tuple[str, set[str]]]) -> None:
    """Whatever the executions are, as long as they differ."""
    orders = [order(steps, *sorted(condition)) for steps, condition in dict(given).items()]
    found = leaves(order_tree(orders))
    assert len(found) == len(orders)
    assert sorted(sorted(each for each in decided if " " not in each) for _, decided in found) == sorted(
        sorted(each.condition) for each in orders
    )


def test_a_path_of_many_steps_is_no_deep_recursion() -> None:
    orders = [order("a" * n + "b" * (3000 - n)) for n in range(3000)]
    assert len(leaves(order_tree(orders))) == 3000


def test_the_orders_of_a_method_and_their_cases(tmp_path: Path, browser: Browser) -> None:
    """45 executions of the factorial end, and every one of them leads to one of the 21 cases."""
    shutil.copy(ROOT / "examples" / "actors" / "fact.abs", tmp_path)
    page = made(tmp_path, "fact", "generate", "fact.abs::Fact.ft")
    browser.open(page, "#/tree/0")
    assert browser("texts", selector=".legend .end-returned") == ["45 returns"]
    # It begins folded as far as nobody could take it in.
    assert 5 < len(browser("texts", selector=".node")) <= 30
    browser("click", selector=".tree-bar button >> nth=0")
    assert len(browser("texts", selector=".node.end-returned.has-case")) == 45
    assert browser("texts", selector=".tree-view > .note") == []
    decided = browser("texts", selector=".node .decided")
    assert "n <= this.mx" in decided and any(each.startswith("this.dg goes on") for each in decided)
    advice = browser.text(".node.end-cut title")
    assert "raise --switches to go further" in advice and "raise --loops to go further" in advice
    browser.evaluate("document.querySelector('.node.end-returned').dispatchEvent(new MouseEvent('click'))")
    browser("wait", selector="article.case")
    assert browser("texts", selector=".chart .turn")
    browser("click", selector="a[href^='#/tree/0?case']")
    browser("wait", selector=".tree .on-way")
    assert browser.obstacles() == []
    assert browser("seen")["errors"] == []


def test_of_a_main_block_the_orders_of_its_cases_are_drawn(browser: Browser, actor_page: Path) -> None:
    browser.open(actor_page, "#/tree/2")
    assert "This tree is not whole" in browser.text(".tree-view > .note")
    assert sorted(browser("texts", selector=".node .below")) == ["after 8 steps", "deadlock of 6 tasks", "ends"]
    assert sorted(browser("texts", selector=".node .decided")[1:]) == ["Fork#3.take (2) goes on", "Fork#3.take goes on"]
