"""Pages opened from disk in a real browser: looked through, stepped through, with the mouse and with the keys alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.browser import Browser
from tests.report.conftest import made

STATUS = ".stepper .status"
MESSAGES = ".chart-stepper .status"


def check_quiet(browser: Browser) -> None:
    """No error was logged, and nothing but files was asked for."""
    seen = browser("seen")
    assert seen["errors"] == []
    assert [each for each in seen["requests"] if not each.startswith("file:")] == []


def number(browser: Browser, text: str) -> int:
    """The number of the first case whose row has this text."""
    found = browser.evaluate(
        "[...document.querySelectorAll('.case-table tbody tr')].filter((row) => row.textContent.includes("
        f"{text!r})).map((row) => Number(row.querySelector('a').hash.split('/').pop()))[0]"
    )
    assert isinstance(found, int)
    return found


def test_findings_come_first_with_the_command_that_replays_them(browser: Browser, heap_page: Path) -> None:
    browser.open(heap_page)
    assert browser.text("main section:first-of-type h2") == "1 finding"
    assert "AttributeError: 'NoneType' object has no attribute 'first'" in browser.text(".found")
    assert "rem_all.py:17" in browser.text(".found .place")
    command = browser.text(".found .command code")
    assert command == "everypath replay rem_all.py::List.rem_all::when_l_is_none_raises_attribute_error"
    browser("click", selector=".found .copy")
    browser("holds", script="document.querySelector('.found .said').textContent !== ''")
    browser("click", selector=".found .go a")
    browser("wait", selector="article.case")
    assert "raises AttributeError" in browser.text(".after")
    check_quiet(browser)


def test_cases_are_filtered_sorted_and_searched(browser: Browser, heap_page: Path) -> None:
    browser.open(heap_page, "#/cases")
    assert len(browser("texts", selector=".case-table tbody tr")) == 7
    browser("fill", selector="#search", text="l.first.data ==")
    assert browser.text(".cases > .status") == "1 of 7 cases"
    browser("fill", selector="#search", text="no such thing")
    assert browser("texts", selector=".case-table tbody tr") == []
    browser("fill", selector="#search", text="")
    browser("choose", selector="#kind", value="raises")
    assert browser.text(".cases > .status") == "1 of 7 cases"
    browser("choose", selector="#kind", value="")
    browser("click", selector=".col-condition .sort")
    lengths = [len(text.split(" and ")) for text in browser("texts", selector="tbody .col-condition")]
    assert lengths == sorted(lengths)
    browser("click", selector=".col-condition .sort")
    assert browser.evaluate("document.querySelector('.col-condition').getAttribute('aria-sort')") == "descending"
    check_quiet(browser)


def test_a_case_shows_what_changed_and_what_is_shared(browser: Browser, heap_page: Path) -> None:
    browser.open(heap_page, "#/cases")
    browser.go(f"#/case/{number(browser, 'l.first.data == self.first.data')}")
    assert len(browser("texts", selector=".before .object")) == 4
    assert len(browser("texts", selector=".before .reference")) == 4
    assert browser("texts", selector=".before .mark") == []
    # The first node of `self` is removed: one field is marked, and one object is out of reach.
    assert len(browser("texts", selector=".after .object")) == 3
    assert len(browser("texts", selector=".after .mark")) == 1
    assert "def test_rem_all" in browser.text(".code-block pre")
    clauses = browser("texts", selector=".conditions tbody tr")
    assert any("l.first.data == self.first.data" in each and "line 26" in each for each in clauses)
    check_quiet(browser)


def test_stepping_goes_to_the_end_and_back_with_variables_and_heap(browser: Browser, heap_page: Path) -> None:
    browser.open(heap_page, "#/cases")
    browser.go(f"#/case/{number(browser, 'l.first.data == self.first.data')}")
    state = ".stepper-state"
    first = browser.text(STATUS), browser.text(state)
    assert first[0] == "Step 1 of 17: List.rem_all, line 17"
    assert len(browser("texts", selector=f"{state} .object")) == 4
    seen = {first[1]}
    for _ in range(20):
        browser("click", selector="[aria-label='Step forward']")
        seen.add(browser.text(state))
    assert browser.text(STATUS).startswith("Step 17 of 17: List.rem_all, line 18, returns None")
    assert len(seen) > 8
    # By then `self.first` is None, so that its node is no longer within reach.
    assert len(browser("texts", selector=f"{state} .object")) == 3
    for _ in range(20):
        browser("click", selector="[aria-label='Step back']")
    assert (browser.text(STATUS), browser.text(state)) == first
    assert browser.text(".stepper .line.now .number") == "17"
    check_quiet(browser)


def test_the_tree_is_that_of_the_paper(browser: Browser, tree_page: Path) -> None:
    """Figure 2 of "Test Case Generation by Symbolic Execution": three finished paths and one that is cut."""
    browser.open(tree_page, "#/tree")
    assert len(browser("texts", selector=".node.end-inner")) == 3
    leaves = browser("texts", selector=".node.end-returned .below, .node.end-raised .below, .node.end-cut .below")
    assert sorted(leaves) == ["cut by the loop bound", "raises ArithmeticError", "returns 1", "returns 2"]
    assert browser("texts", selector=".node .decided") == [
        *("any input", "n < 0", "n >= 0", "n > 0", "n <= 0"),
        *("n >= 2", "n <= 1"),
    ]
    assert "raise --loops to go further" in browser.text(".node.end-cut title")
    # Folding hides what is below; a click on a leaf goes to its case.
    browser("click", selector=".node.end-inner >> nth=1")
    assert len(browser("texts", selector=".node")) == 3
    browser("click", selector=".node.end-inner.folded")
    assert len(browser("texts", selector=".node")) == 7
    browser("click", selector=".node.end-raised")
    browser("wait", selector="article.case")
    assert "raises ArithmeticError" in browser.text(".call")
    check_quiet(browser)


def test_a_case_shows_its_path_in_the_tree(browser: Browser, tree_page: Path) -> None:
    browser.open(tree_page, "#/cases")
    browser.go(f"#/case/{number(browser, 'returns 2')}")
    browser("click", selector=".card a[href^='#/tree/']")
    browser("wait", selector=".tree")
    assert browser("texts", selector=".node.on-way .decided") == ["any input", "n >= 0", "n > 0", "n <= 1"]
    browser("holds", script="document.activeElement.classList.contains('end-returned')")
    check_quiet(browser)


def test_coverage_says_how_many_cases_reach_a_line_and_what_was_cut(browser: Browser, tree_page: Path) -> None:
    browser.open(tree_page, "#/coverage/0")
    assert "7 of 7 lines reached, 4 of 4 branches taken" in browser.text(".coverage > .status")
    browser("click", selector="[aria-label='Line 8, 2 cases']")
    told = browser.text(".line-detail")
    assert "2 cases" in told and "1 path cut here by the loop bound: raise --loops" in told
    check_quiet(browser)


def test_coverage_of_an_actor_program_counts_its_main_block(browser: Browser, actor_page: Path) -> None:
    browser.open(actor_page, "#/coverage/0")
    assert browser("texts", selector=".coverage .note") == []
    assert "22 of 22 lines reached" in browser.text(".coverage > .status")
    browser("click", selector="[aria-label='Line 45, 2 cases']")
    assert "main" in browser.text(".line-detail")
    # Only where nobody is left waiting does a philosopher eat.
    assert browser.text("[aria-label='Line 33, 1 case']") == "1"
    check_quiet(browser)


def test_the_lines_of_an_actor_case_are_stepped_through_along_with_its_messages(
    browser: Browser, actor_page: Path
) -> None:
    browser.open(actor_page, "#/cases")
    browser.go(f"#/case/{number(browser, 'deadlock of 6')}")
    lines = ".stepper:not(.chart-stepper)"
    assert browser.text(f"{lines} .status").startswith("Step 1 of ")
    assert "main block, line 40" in browser.text(f"{lines} .status")
    browser("click", selector=f"{lines} [aria-label='Last step']")
    assert "Fork.take, line 16" in browser.text(f"{lines} .status")
    assert browser.text(MESSAGES).startswith("Step 13 of 13: Fork#1.take")
    assert browser.text(f"{lines} .line.now .number") == "16"
    assert "Fork#1" in browser.text(f"{lines} .stepper-state .object")
    # The other way round: a message is chosen, and its lines are shown.
    browser("click", selector=".chart-stepper [aria-label='Before the first step']")
    browser("click", selector=".chart-stepper [aria-label='Step forward']")
    browser("click", selector=".chart-stepper [aria-label='Step forward']")
    assert "Philosopher.run, line 31" in browser.text(f"{lines} .status")
    browser("click", selector=f"{lines} [aria-label='First step']")
    assert browser.text(MESSAGES).startswith("Step 1 of 13")
    check_quiet(browser)


def test_messages_of_actors_and_who_waits_for_whom(browser: Browser, actor_page: Path) -> None:
    browser.open(actor_page)
    assert browser("texts", selector=".found .badge") == ["deadlock", "order-dependent result"]
    browser("click", selector=".found .go a")
    browser("wait", selector=".cycle")
    assert len(browser("texts", selector=".cycle .task")) == 6
    assert len(browser("texts", selector=".cycle .waits")) == 6
    assert len(browser("texts", selector=".chart .turn")) > 6
    status = browser.text(MESSAGES)
    browser("click", selector="[aria-label='Last step']")
    assert browser.text(MESSAGES) != status
    browser("click", selector="[aria-label='Before the first step']")
    assert browser.text(MESSAGES) == status
    check_quiet(browser)


def test_two_schedules_are_compared(browser: Browser, actor_page: Path) -> None:
    browser.open(actor_page)
    browser("click", selector=".found:nth-child(2) .go a")
    browser("wait", selector=".compare")
    assert len(browser("texts", selector=".compare .chart")) == 2
    assert "First difference: step" in browser.text(".compare > .status")
    assert len(browser("texts", selector=".compare .turn.different")) == 2
    assert browser("texts", selector=".compare .field.changed")
    check_quiet(browser)


def test_the_timeline_of_a_race_marks_the_switch_and_shows_serial_orders(browser: Browser, race_page: Path) -> None:
    browser.open(race_page)
    assert "update of HitCounter._total is lost" in browser.text(".found")
    browser("click", selector=".found .go a")
    browser("wait", selector=".timeline")
    assert len(browser("texts", selector=".switch.breaks")) == 1
    assert "write self._total" in browser.text(".timeline")
    assert browser("texts", selector=".outcomes thead th") == ["interleaved", "in either order"]
    assert browser.text(".outcomes td.changed") == "then: HitCounter(_total=1)"
    check_quiet(browser)


def tab_to(browser: Browser, fits: str) -> None:
    """Press Tab until what has the focus fits: an expression about `it`."""
    for _ in range(80):
        browser("press", key="Tab")
        if browser.evaluate(f"((it) => Boolean({fits}))(document.activeElement)"):
            return
    raise AssertionError(f"no Tab leads to {fits}")


def test_the_keyboard_is_enough(browser: Browser, tree_page: Path) -> None:
    """From the overview to a case, through its steps, into the tree and from a leaf back to a case: keys alone."""
    browser.open(tree_page)
    browser("press", key="/")
    browser("holds", script="document.activeElement.id === 'search'")
    browser("type", text="n >= 0 returns")
    assert browser.text(".cases > .status") == "2 of 3 cases"
    tab_to(browser, "it.closest('.case-table tbody')")
    browser("press", key="Enter")
    browser("wait", selector=".stepper")
    tab_to(browser, "it.closest('.controls')")
    browser("press", key="End")
    assert "returns" in browser.text(STATUS)
    browser("press", key="Home")
    assert browser.text(STATUS).startswith("Step 1 of")
    browser("press", key="ArrowRight", times=2)
    assert browser.text(STATUS).startswith("Step 3 of")
    title = browser.text("h1")
    browser("press", key="j")
    browser("holds", script=f"document.querySelector('h1').textContent !== {title!r}")
    tab_to(browser, "it.hash?.startsWith('#/tree/')")
    browser("press", key="Enter")
    browser("holds", script="document.activeElement.getAttribute('role') === 'treeitem'")
    browser("press", key="Home")
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft"):
        browser("press", key=key)
    assert browser.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    browser("press", key="ArrowRight")
    assert browser.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    browser("press", key="ArrowUp")
    browser("press", key="Enter")
    browser("wait", selector="article.case")
    assert "ArithmeticError" in browser.text(".call")
    check_quiet(browser)


def test_schedules_are_walked_with_the_keyboard(browser: Browser, actor_page: Path) -> None:
    browser.open(actor_page)
    tab_to(browser, "it.hash?.startsWith('#/case/')")
    browser("press", key="Enter")
    browser("wait", selector=".chart")
    tab_to(browser, "it.getAttribute('aria-label') === 'Step forward'")
    browser("press", key="Enter", times=2)
    assert browser.text(STATUS).startswith("Step 2 of")
    tab_to(browser, "it.getAttribute('aria-label') === 'Last step'")
    browser("press", key="Space")
    assert browser.text(STATUS).startswith("Step 13 of 13")
    check_quiet(browser)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_obstacles_for_people_with_disabilities(
    browser: Browser, heap_page: Path, actor_page: Path, race_page: Path, theme: str
) -> None:
    for page, views in (
        (heap_page, ("#/", "#/cases", "#/case/4", "#/tree/1", "#/coverage/0")),
        (actor_page, ("#/", "#/cases", "#/case/3", "#/compare/3/4", "#/tree/2", "#/coverage/0")),
        (race_page, ("#/", "#/cases", "#/case/0", "#/coverage/0")),
    ):
        browser.open(page, theme=theme)
        for view in views:
            if view != "#/":
                browser.go(view)
            assert browser.obstacles() == [], f"{page.name}{view}"


def test_a_module_that_is_found_by_its_name_has_its_source(browser: Browser, tmp_path: Path) -> None:
    page = made(tmp_path, "colours", "generate", "colorsys::yiq_to_rgb")
    browser.open(page)
    assert browser("texts", selector=".note.bad") == []
    browser.go("#/coverage/0")
    assert "def yiq_to_rgb(y, i, q):" in browser.text(".source")
    browser.go("#/case/0")
    assert browser.text(".stepper .line.now") != ""
    check_quiet(browser)


def test_a_narrow_window_needs_no_sideways_scrolling(
    browser: Browser, heap_page: Path, actor_page: Path, race_page: Path
) -> None:
    for page, views in (
        (heap_page, ("#/cases", "#/case/4", "#/tree/1", "#/coverage/0")),
        (actor_page, ("#/cases", "#/case/3", "#/compare/3/4", "#/tree/2")),
        (race_page, ("#/case/0",)),
    ):
        browser.open(page, width=380)
        for view in views:
            browser.go(view)
            assert browser.evaluate("document.documentElement.scrollWidth") <= 380, view
    # Of a timeline both threads are seen at once.
    assert browser.evaluate(
        "(it => it.scrollWidth <= it.clientWidth)(document.querySelector('.timeline').parentElement)"
    )


def test_elements_stand_in_their_order_and_no_arrow_passes_another_element(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "accounts.py").write_text(ACCOUNTS)
    page = made(tmp_path, "accounts", "generate", "accounts.py", "--loops", "3")
    browser.open(page, "#/cases")
    browser.go(f"#/case/{number(browser, 'len(accounts) >= 3')}")
    places = "[...document.querySelectorAll('.before .object')].slice(1).map((box) => box.getBoundingClientRect().top)"
    tops = browser.evaluate(places)
    assert len(tops) == 3 and tops == sorted(tops)
    assert (
        browser.evaluate(
            "new Set([...document.querySelectorAll('.before .dot')].map((dot) => dot.getAttribute('x'))).size"
        )
        == 1
    )


ACCOUNTS = """
class Account:
    def __init__(self, balance: int) -> None:
        self.balance = balance


def total(accounts: list[Account]) -> int:
    found = 0
    for account in accounts:
        found += account.balance
    return found
"""
