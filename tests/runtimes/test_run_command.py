"""`everypath run`: what is printed, what is complained about, and the exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from everypath.app.arguments import main
from tests.runtimes.executing import EXAMPLES


def execute(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", *arguments], catch_exceptions=False)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.chdir(tmp_path)

    def make(text: str) -> str:
        (tmp_path / "p.abs").write_text(text)
        return "p.abs"

    return make


def test_a_clean_run() -> None:
    result = execute(str(EXAMPLES / "quicksort.abs"))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "list[1,1,3,4,5]\n", "")


def test_a_deadlock() -> None:
    result = execute(str(EXAMPLES / "dining_philosophers.abs"))
    assert result.exit_code == 1
    assert result.stderr.startswith("deadlock: 6 tasks can never go on\n")
    assert "Philosopher#1.run waits for the result of Fork#2.take" in result.stderr


def test_the_fixed_version_under_many_seeds() -> None:
    for seed in range(10):
        assert execute(str(EXAMPLES / "dining_philosophers_fixed.abs"), "--seed", str(seed)).exit_code == 0


@pytest.mark.parametrize(
    ("text", "code", "error"),
    [
        ("module M;\n{\n assert 1 == 2; }", 1, "p.abs:3: assertion failed in the main block\n"),
        ("module M;\n{ Rat x = 1 / 0; }", 1, "p.abs:2: uncaught DivisionByZeroException in the main block\n"),
        (
            "module M; class C { }",
            2,
            "error: p.abs: there is no main block: add `{ ... }` at the end of a module\n",
        ),
        ("module M; { Int x = True; }", 2, "p.abs:1:21: "),
        ("module M; { while (True) { suspend; } }", 3, "stopped after 100 steps; 1 task has not ended\n"),
    ],
)
def test_what_goes_wrong(write: object, text: str, code: int, error: str) -> None:
    result = execute(write(text), "--steps", "100")  # type: ignore[operator]
    assert result.exit_code == code
    assert result.stderr.startswith(error)


def test_an_endless_loop_ends(write: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everypath.languages.abs.runtime.explore.machine_for.__defaults__", (None, 0, 1000))
    result = execute(write("module M;\n{ Int x = 0;\n while (True) { x = x + 1; } }"))  # type: ignore[operator]
    assert result.exit_code == 1
    assert result.stderr.startswith("p.abs:3: stopped: a task ran 1000 loop iterations")


@pytest.mark.parametrize(
    ("policy", "code", "words"),
    [
        ("Fork=fifo", 1, "deadlock"),
        ("Fork=best", 2, "any, fifo, lifo"),
        ("Knife=fifo", 2, "classes are Fork, Philosopher"),
    ],
)
def test_policies(policy: str, code: int, words: str) -> None:
    result = execute(str(EXAMPLES / "dining_philosophers.abs"), "--policy", policy)
    assert result.exit_code == code
    assert words in result.stderr


def test_files_that_are_not_there() -> None:
    assert execute("nowhere.abs").exit_code == 2
    assert execute("program.py").exit_code == 2


def test_the_tests_of_a_model_run_and_not_the_model(tmp_path: Path) -> None:
    model, tests = tmp_path / "model.abs", tmp_path / "tests.abs"
    model.write_text("module Model; export *; def Int one() = 1; { println(toString(one())); }")
    tests.write_text("module Tests;\nimport * from Model;\n{ assert one() == 2; }")
    for files in ((model, tests), (tests, model)):
        result = execute(*map(str, files))
        assert result.exit_code == 1 and result.stdout == ""
        assert f"{tests}:3: assertion failed in the main block" in result.stderr
        assert "note: the main block of module Tests runs, not that of module Model" in result.stderr
