"""Code under test that is written to break a page: its names and strings appear as text and run nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import everypath
from tests.report.browser import Browser
from tests.report.conftest import made

ATTACK = "</script><script>window.attacked = 1</script><img src=x onerror='window.attacked = 2'>"
HOSTILE = f'''
"""{ATTACK} <!-- <script> -->"""


class Payload:
    def __init__(self, text: str) -> None:
        self.text = text


def choose(text: str, number: int) -> str:
    # {ATTACK}
    if text == "</script><script>window.attacked = 3</script>":
        return "<b onmouseover=window.attacked=4>bold</b> ${{window.attacked = 5}} javascript:alert(6)"
    if text == "\\x00\\x1b[31m\\u202egnp.exe\\u2028\\u2029\\ud800":
        return "\\u202e right to left \\x07"
    if number == 7:
        return "long " * 40_000
    if number == 8:
        raise ValueError("<svg onload=window.attacked=7>" + "]]>" + "&lt;")
    return text


def look(payload: Payload) -> int:
    if payload.text == "<iframe src='javascript:window.attacked=8'>":
        return 1
    return 2
'''


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    return made(folder, "hostile", "generate", "hostile.py")


def test_the_file_holds_no_text_of_the_program_as_markup(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script>")
    for bad in ("window.attacked = 1", "onerror='window", "<svg onload", "<iframe"):
        assert bad not in text


def test_every_view_shows_it_as_text_and_runs_nothing(browser: Browser, page: Path) -> None:
    browser.open(page)
    cases = browser.evaluate("document.querySelector('.totals strong').textContent")
    for view in ("#/cases", "#/tree/0", "#/tree/1", "#/coverage/0", *(f"#/case/{i}" for i in range(int(cases)))):
        browser.go(view)
        browser.evaluate("document.querySelectorAll('.controls button')[3]?.click()")
        assert browser.evaluate(
            "[window.attacked, document.images.length, document.querySelectorAll('iframe').length]"
        ) == [
            None,
            0,
            0,
        ]
    browser.go("#/coverage/0")
    assert ATTACK in browser.text(".source")
    assert browser("seen")["errors"] == []
    assert [each for each in browser("seen")["requests"] if not each.startswith("file:")] == []


def test_characters_that_cannot_be_seen_are_shown_by_their_numbers(browser: Browser, page: Path) -> None:
    browser.open(page, "#/cases")
    shown = browser.text("main")
    assert "\\u202e" in shown
    assert not any(bad in shown for bad in "\u202e\x00\x1b\x07")


def test_long_values_are_cut_and_shown_on_request(browser: Browser, page: Path) -> None:
    browser.open(page, "#/cases")
    browser("fill", selector="#search", text="long")
    browser.evaluate("document.querySelector('.case-table a').click()")
    browser("wait", selector="article.case")
    assert browser.evaluate("document.documentElement.scrollWidth") <= 1200
    browser("click", selector=".heap .plain")
    assert browser.evaluate("document.querySelector('.after .atoms').textContent.length") > 190_000


def test_a_suite_that_was_tampered_with_is_refused(page: Path) -> None:
    stored = page.parent / ".everypath" / "hostile.py--look.json"
    text = stored.read_text(encoding="utf-8")
    stored.with_name("cut.json").write_text(text[: len(text) // 2], encoding="utf-8")
    result = everypath(page.parent, "view", ".everypath/cut.json", "--no-browser")
    assert result.code == 2 and "cut.json: not a stored suite" in result.err
