"""Pages of what is missing, damaged or no longer true: clear messages, and a page of what there is."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.command import everypath
from tests.conftest import ROOT
from tests.report.browser import Browser


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a stored suite."""
    shutil.copy(ROOT / "examples" / "papers" / "int_exp.py", tmp_path)
    assert everypath(tmp_path, "generate", "int_exp.py").code == 0
    return tmp_path


STORED = ".everypath/int_exp.py--int_exp.json"


def test_a_suite_of_another_version(project: Path) -> None:
    file = project / STORED
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": 99}))
    result = everypath(project, "view", STORED, "--no-browser")
    assert result.code == 2
    assert f"{STORED}: stored in version 99 of the format" in result.err and "generate it again" in result.err


def test_a_truncated_file_among_others_is_told_and_left_out(project: Path, browser: Browser) -> None:
    file = project / STORED
    (project / ".everypath" / "cut.json").write_text(file.read_text()[:500])
    result = everypath(project, "view", ".", "--report", "page.html")
    assert result.code == 0 and "note: left out: .everypath/cut.json: not a stored suite" in result.err
    browser.open(project / "page.html")
    assert "cut.json: not a stored suite" in browser.text("main")
    assert "3cases" in browser.text(".totals li")


def test_a_missing_source_is_told_and_the_rest_is_shown(project: Path, browser: Browser) -> None:
    (project / "int_exp.py").unlink()
    result = everypath(project, "view", STORED, "--report", "page.html")
    assert result.code == 0, result.said
    browser.open(project / "page.html")
    assert "int_exp.py cannot be read: No such file or directory" in browser.text(".note")
    browser.go("#/case/1")
    assert "returns" in browser.text(".call")
    assert "The text of int_exp.py is not there. Executed lines: 5, 7, 8" in browser.text(".missing")
    assert browser("seen")["errors"] == []


def test_a_changed_source_is_told_and_so_is_every_case_that_differs(project: Path, browser: Browser) -> None:
    source = project / "int_exp.py"
    source.write_text(source.read_text().replace("out = 1", "out = 5"))
    later = (project / STORED).stat().st_mtime + 10
    os.utime(source, (later, later))
    assert everypath(project, "view", "int_exp.py", "--report", "page.html").code == 0
    browser.open(project / "page.html")
    assert "int_exp.py was changed after these cases were stored" in browser.text(".note")
    assert "2 of 3 cases no longer do what was recorded" in browser.text("main")
    browser.go("#/cases?only=w")
    assert browser.text(".cases > .status") == "2 of 3 cases"
    browser.evaluate("document.querySelector('.case-table a').click()")
    browser("wait", selector="article .note.bad")
    assert "This case no longer does what was recorded" in browser.text("article .note.bad")


def test_a_folder_without_suites(tmp_path: Path) -> None:
    result = everypath(tmp_path, "view", ".", "--no-browser")
    assert result.code == 2
    assert "there are no suites in .everypath" in result.err and "everypath generate" in result.err


def test_a_name_that_leads_nowhere(project: Path) -> None:
    result = everypath(project, "view", "other.py", "--no-browser")
    assert result.code == 2 and "no stored suite 'other.py'" in result.err and "int_exp.py::int_exp" in result.err


def test_a_browser_that_cannot_be_opened(project: Path) -> None:
    result = everypath(project, "view", "int_exp.py", DISPLAY="", WAYLAND_DISPLAY="", BROWSER="/does/not/exist")
    assert result.code == 0
    page = ".everypath/pages/int_exp.py--int_exp.html"
    assert f"no browser could be opened; open {page} yourself" in result.out
    assert (project / page).is_file()


def test_what_people_wrote_is_not_overwritten(project: Path) -> None:
    (project / "notes.html").write_text("<p>mine</p>")
    for command in (("view", "int_exp.py"), ("generate", "int_exp.py"), ("replay", "int_exp.py::int_exp")):
        result = everypath(project, *command, "--report", "notes.html")
        assert result.code == 2 and "notes.html: is no page of Everypath" in result.err
    assert (project / "notes.html").read_text() == "<p>mine</p>"


def test_options_that_do_not_go_together(project: Path) -> None:
    for arguments, reason in (
        (("view", "--report", "x.html"), "--report is about a suite"),
        (("view", "int_exp.py", "--port", "80"), "--port is for the server"),
        (("view", "--port", "99999"), "the largest is 65535"),
        (("generate", "int_exp.py", "--check", "--report", "x.html"), "--check writes nothing"),
    ):
        result = everypath(project, *arguments)
        assert result.code == 2 and reason in result.err, arguments


def test_a_generated_file_leads_to_its_suites(project: Path) -> None:
    result = everypath(project, "view", "test_int_exp_generated.py", "--report", "page.html")
    assert result.code == 0 and "wrote page.html" in result.out


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_obstacles_on_an_index(project: Path, browser: Browser, theme: str) -> None:
    shutil.copy(ROOT / "examples" / "papers" / "rem_all.py", project)
    everypath(project, "generate", "int_exp.py", "rem_all.py", "--report", "site")
    browser.open(project / "site" / "index.html", theme=theme)
    assert browser("texts", selector=".index-table tbody th")
    assert browser.obstacles() == []


def test_a_folder_gets_an_index_and_a_page_for_each_module(project: Path, browser: Browser) -> None:
    shutil.copy(ROOT / "examples" / "papers" / "rem_all.py", project)
    result = everypath(project, "generate", "int_exp.py", "rem_all.py", "--report", "site")
    assert "wrote site/index.html" in result.out
    browser.open(project / "site" / "index.html")
    assert browser("texts", selector=".index-table tbody th") == ["rem_all.py", "int_exp.py::int_exp"]
    assert "10cases" in browser.text(".totals li").replace("\n", " ")
    browser("click", selector=".index-table a")
    browser("wait", selector=".found")
    browser("click", selector=".brand a")
    browser("wait", selector=".index-table")
    assert browser("seen")["errors"] == []
