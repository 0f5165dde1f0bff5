"""The page of a Java class, from disk in a real browser."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import everypath
from tests.conftest import ROOT
from tests.languages.java.compiling import compile_java, needs_jdk
from tests.report.browser import Browser
from tests.report.conftest import made

SOURCES = ROOT / "examples" / "structures" / "java"


def steps_through(browser: Browser) -> None:
    """To the last step and back: the place in the source, the variables and the objects follow what ran on the JVM."""
    assert browser.text(".stepper .status").startswith("Step 1 of ")
    assert "BinarySearchTree.insert" in browser.text(".stepper .status")
    first = browser.text(".stepper-state")
    assert "key" in first and "this" in first
    current = browser.text(".stepper .line.now")
    browser.evaluate("document.querySelector('.stepper [aria-label=\"Last step\"]').click()")
    assert "returns true" in browser.text(".stepper .status")
    assert browser.text(".stepper-state") != first and browser("texts", selector=".stepper-state .object")
    assert browser.text(".stepper .line.return") != current
    browser.evaluate("document.querySelector('.stepper [aria-label=\"Step back\"]').click()")
    assert "returns" not in browser.text(".stepper .status")
    browser.evaluate("document.querySelector('.stepper [aria-label=\"First step\"]').click()")
    assert browser.text(".stepper-state") == first


@needs_jdk
def test_heaps_tree_and_test_of_a_java_method(browser: Browser, tmp_path: Path) -> None:
    compile_java(sorted((SOURCES / "ds").glob("*.java")), tmp_path / "build")
    target = "build::ds.BinarySearchTree.insert"
    page = made(tmp_path, "java", "generate", target, "--sources", str(SOURCES))
    browser.open(page, "#/cases")
    browser("fill", selector="#search", text="key < this.root.key")
    browser.evaluate("document.querySelector('.case-table a').click()")
    browser("wait", selector="article.case")
    assert browser.text(".before .title") == "BinarySearchTree\nNode"
    # Conditions are in the words of Java.
    assert "this.root != null" in browser("texts", selector=".conditions .clause")
    assert "None" not in browser.text("article") and "BinarySearchTree.Node(" in browser.text(".call")
    assert len(browser("texts", selector=".after .object.new")) == 1
    assert len(browser("texts", selector=".after .mark")) == 2
    assert "@Test" in browser.text(".code-block pre") and "assertTrue" in browser.text(".code-block pre")
    assert "node.left" in browser.text("article") and browser("texts", selector=".line.executed")
    steps_through(browser)
    browser.go("#/tree/0")
    assert browser("texts", selector=".node.end-returned") and browser("texts", selector=".node.end-cut")
    assert browser("seen")["errors"] == []
    for theme in ("light", "dark"):
        browser.open(page, theme=theme)
        for view in ("#/", "#/cases", "#/case/1", "#/tree/0", "#/coverage/0"):
            if view != "#/":
                browser.go(view)
            assert browser.obstacles() == [], view
    # What is on the page can be replayed.
    assert "4 of 4 cases replayed" in everypath(tmp_path, "replay", "build::BinarySearchTree.insert").out
