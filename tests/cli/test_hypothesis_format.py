"""`--format hypothesis` in a small project, with the real Hypothesis under the real pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import everypath as api
from everypath.languages.base import Module
from everypath.languages.python.writers import hypothesis_writer

from .command import everypath, written

CODE = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Money:
    cents: int
    currency: str = "EUR"

    def plus(self, other: "Money") -> "Money":
        if self.currency != other.currency:
            raise ValueError("two currencies")
        return Money(self.cents + other.cents, self.currency)


def per(amount: int, n: int) -> int:
    return amount // n


def largest(numbers: list[int]) -> int | None:
    best = None
    for each in numbers:
        if best is None or each > best:
            best = each
    return best


def move(first: list[int], second: list[int]) -> int:
    if first:
        second.append(first.pop())
    return len(second)


def third(words: list[str]) -> int:
    for number, _ in enumerate(words):
        if number == 2:
            raise LookupError("three")
    return 0


def total(*prices: int) -> int:
    return sum(prices)


def greeting() -> str:
    return "hello"
"""
FILE = "test_shop_properties.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(CODE)
    (tmp_path / "pyproject.toml").write_text("")
    return tmp_path


def run_tests(project: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", FILE]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120)


def test_cases_are_examples_of_properties_that_hypothesis_accepts(project: Path) -> None:
    result = everypath(project, "generate", "shop.py", "--format", "hypothesis")
    assert result.code == 1
    assert f"wrote {FILE}; no property for 3 functions, the file says why" in result.out
    text = (project / FILE).read_text()
    assert "@example(amount=2, n=0, expected=ZeroDivisionError)\n" in text
    assert "@given(amount=st.integers(), n=st.integers(), expected=st.just(ANY))\ndef test_per(" in text
    assert "money=st.builds(Money, cents=st.integers(), currency=st.text())," in text
    # What was cut may take long where integers are large.
    assert "@given(numbers=st.lists(st.integers(-100, 100)), expected=st.just(ANY))\ndef test_largest(" in text
    assert "- total: prices is any number of arguments\n- greeting: it takes nothing\n" in text
    assert "- third: for other inputs it ends otherwise (LookupError: three)\n" in text
    # A case that changes what it gets has a test of its own.
    assert "def test_move(first, second, expected):" in text
    assert "    assert second == [" in text
    done = run_tests(project)
    assert done.returncode == 0, done.stdout
    assert everypath(project, "generate", FILE, "--check").code == 0
    (project / "shop.py").write_text(CODE.replace('"hello"', '"good day"'))
    assert "out of date" in everypath(project, "generate", FILE, "--check").out


def test_an_example_fails_when_the_code_does_something_else(project: Path) -> None:
    everypath(project, "generate", "shop.py::per", "--format", "hypothesis")
    (project / "shop.py").write_text(CODE.replace("amount // n", "amount // n + 1"))
    done = run_tests(project)
    assert done.returncode == 1
    assert "Failing explicit example: test_per(" in done.stdout


def test_a_drawn_input_that_ends_otherwise_fails(project: Path) -> None:
    everypath(project, "generate", "shop.py::per", "--format", "hypothesis")
    (project / "shop.py").write_text(CODE.replace("return amount // n", "return amount // n if n < 77 else [][n]"))
    done = run_tests(project)
    assert done.returncode == 1
    assert "IndexError" in done.stdout


def test_the_head_tells_the_format_so_that_the_file_stays_what_it_is(project: Path) -> None:
    everypath(project, "generate", "shop.py::per", "--format", "hypothesis")
    before = (project / FILE).read_text()
    assert "with --loops 1 --format hypothesis;" in before
    everypath(project, "generate", FILE)
    assert (project / FILE).read_text() == before
    everypath(project, "generate", "shop.py::per", "-o", FILE, "--format", "pytest")
    assert "@given" not in (project / FILE).read_text()


def test_an_extension_only_adds_to_the_file(project: Path) -> None:
    everypath(project, "generate", "shop.py::largest", "--format", "hypothesis")
    before = (project / FILE).read_text().splitlines()
    assert everypath(project, "extend", FILE, "--loops", "2").code == 0
    after = (project / FILE).read_text().splitlines()
    examples = [line for line in before if line.startswith("@example")]
    assert examples == [line for line in after if line in examples]
    assert sum(line.startswith("@example") for line in after) > len(examples)


def test_tests_written_by_hand_are_kept_and_imports_are_not_doubled(project: Path) -> None:
    everypath(project, "generate", "shop.py", "--format", "hypothesis")
    mine = "\n\n@given(st.integers())\ndef test_mine(n):\n    assert per(n, 1) == n\n"
    (project / FILE).write_text((project / FILE).read_text() + mine)
    result = everypath(project, "generate", "shop.py", "--format", "hypothesis")
    assert "kept test_mine as written by hand" in result.out
    text = (project / FILE).read_text()
    assert text.count("from hypothesis import example, given, strategies as st\n") == 1
    assert "# kept: written by hand\n@given(st.integers())\ndef test_mine(n):" in text
    assert run_tests(project).returncode == 0


def test_without_hypothesis_the_properties_are_written_and_said_to_be_untried(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hypothesis_writer, "find_spec", lambda name: None)
    monkeypatch.chdir(project)
    suite = api.generate("shop.py::third", format="hypothesis")
    assert "def test_third(words, expected):" in suite.text()
    remark = hypothesis_writer.HypothesisWriter().remark(hypothesis_writer.Properties())
    assert remark == "; not tried, because Hypothesis is not installed here"


def test_findings_are_pinned_only(project: Path) -> None:
    result = everypath(project, "generate", "shop.py", "--format", "hypothesis", "--mark-findings", "xfail")
    assert result.code == 2
    assert "--mark-findings is for --format pytest" in result.err
    assert written(project) == {"pyproject.toml", "shop.py"}


def test_what_there_is_no_time_to_try_is_no_property(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [module] = run_generation(["shop.py::per"], project, monkeypatch)
    writer = hypothesis_writer.HypothesisWriter()
    assert "@given" in writer.render([module], Path("test_shop.py")).text
    monkeypatch.setattr(hypothesis_writer, "_MOMENT", 0.0)
    module.until, module.earlier = 0.0, ""
    text = writer.render([module], Path("test_shop.py")).text
    assert "- per: there was no time to try it" in text and "@given" not in text


def run_generation(targets: list[str], project: Path, monkeypatch: pytest.MonkeyPatch) -> list[Module]:
    monkeypatch.chdir(project)
    run = api.generate(targets, format="hypothesis")._run
    assert run is not None
    return list(run.modules.values())
