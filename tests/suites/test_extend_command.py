"""`everypath extend` and `everypath next` on the command line: tests are added, none is touched."""

from __future__ import annotations

import difflib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import everypath
from tests.conftest import ROOT

CODE = """\
def total(items: list[int], limit: int) -> int:
    found = 0
    for item in items:
        if item > limit:
            raise ValueError(item)
        found += item
    return found


def sign(x: int) -> int:
    return 1 if x > 0 else 0
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(CODE)
    return tmp_path


def taken_out(before: str, after: str) -> list[str]:
    """The lines that a diff shows as removed."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in lines if line.startswith("-") and not line.startswith("---")]


def passes(project: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(command, cwd=project, capture_output=True, timeout=60).returncode == 0


def names(text: str) -> list[str]:
    return [line.partition("(")[0] for line in text.splitlines() if line.startswith("def test")]


def test_a_file_of_tests_grows(project: Path) -> None:
    everypath(project, "generate", "shop.py")
    file = project / "test_shop_generated.py"
    first = file.read_text()
    result = everypath(project, "extend", "test_shop_generated.py", "--loops", "2")
    assert result.code == 0, result.said
    second = file.read_text()
    assert len(names(second)) > len(names(first))
    assert taken_out(first, second) == []
    assert "Extended with --loops 2." in second
    third = everypath(project, "extend", "test_shop_generated.py", "--loops", "3")
    assert third.code == 0, third.said
    assert taken_out(second, file.read_text()) == ["-Extended with --loops 2."]
    assert passes(project)


def test_a_page_shows_the_extended_suites(project: Path) -> None:
    everypath(project, "generate", "shop.py")
    before = (project / "test_shop_generated.py").read_text()
    (project / "notes.html").write_text("<p>mine</p>")
    refused = everypath(project, "extend", "test_shop_generated.py", "--loops", "2", "--report", "notes.html")
    assert refused.code == 2 and "notes.html: is no page of Everypath" in refused.err
    assert (project / "test_shop_generated.py").read_text() == before
    result = everypath(project, "extend", "test_shop_generated.py", "--loops", "2", "--report", "page.html")
    assert result.code == 0 and "wrote page.html" in result.out
    assert "page" not in (project / "test_shop_generated.py").read_text()
    # What the page was called is nothing that the next run should know.
    again = everypath(project, "extend", "test_shop_generated.py", "--loops", "3")
    assert again.code == 0 and "page.html" not in again.said


def test_one_more(project: Path) -> None:
    everypath(project, "generate", "shop.py::total")
    file = project / "test_shop_generated.py"
    before = names(file.read_text())
    for number in (1, 2):
        assert everypath(project, "next", "shop.py::total").code == 0
        assert len(names(file.read_text())) == len(before) + number
    assert passes(project)


def test_smaller_bounds_are_refused(project: Path) -> None:
    everypath(project, "generate", "shop.py", "--loops", "2")
    file = project / "test_shop_generated.py"
    before = file.read_text()
    result = everypath(project, "extend", "test_shop_generated.py", "--loops", "1")
    assert result.code == 2 and "--loops 1 is less than the 2" in result.err
    assert file.read_text() == before


def test_nothing_to_extend_by(project: Path) -> None:
    everypath(project, "generate", "shop.py")
    result = everypath(project, "extend", "test_shop_generated.py")
    assert result.code == 2 and "name something to extend by" in result.err


def test_no_such_suite(project: Path) -> None:
    result = everypath(project, "extend", "nothing.py::f", "--loops", "2")
    assert result.code == 2 and "no stored suite and no generated file 'nothing.py::f'" in result.err


def test_a_file_that_was_not_generated(project: Path) -> None:
    result = everypath(project, "extend", "shop.py", "--loops", "2")
    assert result.code == 2 and "shop.py: is no file that Everypath has generated" in result.err
    assert (project / "shop.py").read_text() == CODE


def test_a_head_that_cannot_be_read(project: Path) -> None:
    everypath(project, "generate", "shop.py")
    file = project / "test_shop_generated.py"
    damaged = file.read_text().replace("regenerate:", "once more:")
    file.write_text(damaged)
    result = everypath(project, "extend", "test_shop_generated.py", "--loops", "2")
    assert result.code == 2 and "does not tell what it was generated from" in result.err
    assert file.read_text() == damaged


def test_without_a_store_all_is_explored_again(project: Path) -> None:
    everypath(project, "generate", "shop.py")
    for each in (project / ".everypath").iterdir():
        each.unlink() if each.is_file() else shutil.rmtree(each)
    before = names((project / "test_shop_generated.py").read_text())
    result = everypath(project, "extend", "test_shop_generated.py", "--loops", "2")
    assert result.code == 0 and "has no stored suite" in result.err
    assert len(names((project / "test_shop_generated.py").read_text())) > len(before)


def test_a_damaged_store_is_told(project: Path) -> None:
    everypath(project, "generate", "shop.py")
    for each in (project / ".everypath").glob("*.json"):
        each.write_text(each.read_text()[:-40])
    result = everypath(project, "extend", "test_shop_generated.py", "--loops", "2")
    assert result.code == 0 and "explored from the beginning" in result.err


CHANGES = {
    "the function": ("found = 0", "found = 1"),
    "what it calls": ("return x > limit", "return x >= limit"),
    "a constant that it uses": ("LEAST = 0", "LEAST = 3"),
}
NO_CHANGES = {
    "a comment above it": ("def total", "# The sum.\ndef total"),
    "another function": ("1 if x > 0", "2 if x > 0"),
    "code above it": ("LEAST = 0", "MOST = 7\n\n\nLEAST = 0"),
}
USING = """\
LEAST = 0


def above(x: int, limit: int) -> bool:
    return x > limit


def total(items: list[int], limit: int) -> int:
    found = LEAST
    for item in items:
        if above(item, limit):
            found += item
    return found


def sign(x: int) -> int:
    return 1 if x > 0 else 0
"""


def edited(project: Path, old: str, new: str) -> None:
    text = USING.replace("found = 0", "found = LEAST").replace(old if old != "found = 0" else "found = LEAST", new)
    (project / "shop.py").write_text(text)


@pytest.mark.parametrize("change", CHANGES)
def test_a_function_that_has_changed_is_told_and_the_others_are_extended(project: Path, change: str) -> None:
    (project / "shop.py").write_text(USING)
    everypath(project, "generate", "shop.py")
    file = project / "test_shop_generated.py"
    before = file.read_text()
    edited(project, *CHANGES[change])
    grown = everypath(project, "extend", file.name, "--loops", "2")
    assert "changed: total has changed since its tests were made, so that they are not extended" in grown.err
    assert "changed: sign" not in grown.err and "unstable" not in grown.said
    assert taken_out(before, file.read_text()) == []
    assert [name for name in names(file.read_text()) if "total" in name] == [
        name for name in names(before) if "total" in name
    ]


@pytest.mark.parametrize("change", NO_CHANGES)
def test_what_makes_no_difference_to_a_function_does_not_keep_it_from_growing(project: Path, change: str) -> None:
    (project / "shop.py").write_text(USING)
    everypath(project, "generate", "shop.py::total")
    edited(project, *NO_CHANGES[change])
    grown = everypath(project, "extend", "test_shop_generated.py", "--loops", "2")
    assert grown.code == 0 and "changed:" not in grown.err
    assert "total: cases 7" in grown.out


def test_a_file_of_which_everything_has_changed_stays_as_it_is(project: Path) -> None:
    everypath(project, "generate", "shop.py::total")
    file = project / "test_shop_generated.py"
    before = file.read_bytes()
    (project / "shop.py").write_text(CODE.replace("found = 0", "found = 1"))
    grown = everypath(project, "extend", file.name, "--loops", "2")
    assert grown.code == 2
    assert "changed: total has changed" in grown.err and "wrote" not in grown.out
    assert file.read_bytes() == before
    one_more = everypath(project, "next", "shop.py::total")
    assert one_more.code == 2 and one_more.err.count("changed: total has changed") == 1


def test_a_program_of_actors_that_has_changed_is_not_extended(project: Path) -> None:
    text = (ROOT / "examples" / "actors" / "cons.abs").read_text()
    (project / "cons.abs").write_text(text)
    everypath(project, "generate", "cons.abs::Consumer.consumeN")
    (project / "cons.abs").write_text(text + "\n// Something else.\n")
    grown = everypath(project, "extend", "cons.abs::Consumer.consumeN", "--loops", "2")
    assert "changed: Consumer.consumeN has changed since its tests were made" in grown.err


def test_one_more_case_raises_the_bounds_in_turn_that_have_cut_paths(project: Path) -> None:
    shutil.copy(ROOT / "examples" / "actors" / "fact.abs", project)
    everypath(project, "generate", "fact.abs::Fact.rp", "--switches", "2")
    cut = everypath(project, "next", "fact.abs::Fact.rp")
    assert cut.code in (0, 1) and "no further path" not in cut.out, cut.said
    shutil.copy(ROOT / "examples" / "papers" / "int_exp.py", project)
    everypath(project, "generate", "int_exp.py")
    more = everypath(project, "next", "int_exp.py::int_exp")
    assert "cases 4" in more.out and "no path ends" not in more.said


ONLY_RUN = """\
import ctypes
import sys


def shown(text: str) -> str:
    return ctypes.c_wchar_p(text).value


def _kept(text: str) -> str:
    return ctypes.c_wchar_p(text).value.strip()


def total(items: list[int]) -> int:
    found = 0
    for item in items:
        found += item
    return found


if __name__ == "__main__":
    print(len(sys.argv[:0]))
"""


def test_what_only_runs_have_shown_stays(project: Path) -> None:
    (project / "shop.py").write_text(ONLY_RUN)
    first = everypath(project, "generate", "shop.py")
    assert "shop.py::_kept" in first.said and "shop.py::__main__" in first.said, first.said
    before = {path.name for path in (project / ".everypath").glob("*.json")}
    text = (project / "test_shop_generated.py").read_text()
    result = everypath(project, "extend", "test_shop_generated.py", "--loops", "2")
    assert result.code == 0 and "no stored suite" not in result.err, result.said
    assert "shop.py::_kept" in result.said and "shop.py::__main__" in result.said
    assert taken_out(text, (project / "test_shop_generated.py").read_text()) == []
    assert before <= {path.name for path in (project / ".everypath").glob("*.json")}
    assert passes(project)
