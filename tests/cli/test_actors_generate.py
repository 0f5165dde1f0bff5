"""`everypath generate FILE.abs::Class.method`: cases, ABS tests, JSON, findings, exit codes, replay."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from everypath.cases.json_writer import schema

from .actor_programs import COUNTER, EXAMPLES, MAIN, command, generated


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "count.abs").write_text(COUNTER + MAIN)
    return tmp_path


def test_a_method_becomes_abs_tests_that_pass(folder: Path) -> None:
    result = command("generate", "count.abs::Counter")
    assert result.exit_code == 0, result.output
    assert [line.partition(",")[0] for line in result.stdout.splitlines()] == [
        "count.abs::Counter.add: cases 1",
        "count.abs::Counter.double: cases 1",
        "count.abs::Counter.total: cases 1",
        "wrote test_count_generated.abs: 3 tests",
    ]
    assert "module CountingTest;" in (folder / "test_count_generated.abs").read_text()
    assert command("run", "test_count_generated.abs", "count.abs").exit_code == 0


def test_json_of_a_method_and_its_replay(folder: Path) -> None:
    found = generated("count.abs::Counter.add")
    jsonschema.validate(found, schema())
    [case] = found["cases"]
    assert case["validated"] and case["entry"]["class"] == "Counter" and case["entry"]["name"] == "add"
    assert [turn["method"] for turn in case["schedule"]] == ["add"]
    assert found["stats"]["executions"] == 1
    for name in ("count.abs::Counter.add", "count.abs--Counter.add.json"):
        result = command("replay", name)
        assert result.exit_code == 0 and "1 of 1 cases replayed as recorded" in result.stdout


def test_the_counts_of_the_paper(folder: Path) -> None:
    """The row Fact(2,3,2) of Table 1 in 002, exploiting independence."""
    arguments = ["--apet", "--loops", "2", "--switches", "3", "--actors", "2"]
    found = generated(f"{EXAMPLES / 'fact.abs'}::Fact.ft", *arguments)
    stats = found["stats"]
    assert (len(found["cases"]), stats["states"]) == (54, 564)
    assert (stats["cut"]["loop"], stats["cut"]["switch"], stats["cut"]["actor"]) == (41, 120, 80)


def test_the_bug_of_the_factorial_is_found(folder: Path) -> None:
    """Example 6 of 002: 3*2*1 in one order, 3*1*1 in another."""
    target = f"{EXAMPLES / 'fact.abs'}::Fact.ft"
    result = command("generate", target, "--loops", "1", "--switches", "5", "--actors", "2", "--format", "json")
    assert result.exit_code == 1
    assert "order-dependent result: this.r is" in result.stderr


def test_an_error_of_a_method_is_a_finding_and_one_of_its_own_is_not(folder: Path) -> None:
    (folder / "p.abs").write_text(
        "module M; exception Refused;\n"
        "interface I { Rat half(Int n); Unit refuse(Int n); }\n"
        "class C implements I {\n"
        "    Rat half(Int n) { return 1 / n; }\n"
        "    Unit refuse(Int n) { if (n > 3) { throw Refused; } }\n"
        "}\n"
    )
    result = command("generate", "p.abs::C.half", "--format", "json", "-o", "half.json")
    assert result.exit_code == 1
    assert "uncaught error: uncaught DivisionByZeroException in this.half\n    p.abs:4: runtime-error" in result.stdout
    assert "wrote half.json" in result.stdout
    refused = generated("p.abs::C.refuse")
    assert refused["findings"] == [] and len(refused["cases"]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["count.abs", "-o", "count.abs"], "count.abs: is the code under test and would be overwritten"),
        (["count.abs", "-o", "here/there.abs", "--format", "json"], ""),
        (["count.abs", "-o", "folder/", "--format", "json"], "is a folder, but JSON is one file"),
        (["count.abs", "other.abs", "-o", "both.abs"], "would hold the tests of Counting and of Other"),
        (["count.abs", "-o", "file/x.abs"], "file is a file, not a folder"),
    ],
)
def test_outputs(folder: Path, arguments: list[str], words: str) -> None:
    (folder / "other.abs").write_text(COUNTER.replace("Counting", "Other"))
    (folder / "folder").mkdir()
    (folder / "file").write_text("")
    result = command("generate", *arguments)
    assert result.exit_code == (2 if words else 1), result.output
    assert words in result.stderr
    assert (folder / "count.abs").read_text() == COUNTER + MAIN


def test_several_files_each_get_their_tests(folder: Path) -> None:
    (folder / "other.abs").write_text(COUNTER.replace("Counting", "Other"))
    result = command("generate", "count.abs::Counter.add", "other.abs::Counter.add", "-o", "tests/")
    assert result.exit_code == 0, result.output
    names = ["test_count_generated.abs", "test_other_generated.abs"]
    assert sorted(path.name for path in (folder / "tests").iterdir()) == names


def test_a_main_block_alone_is_no_abs_test(folder: Path) -> None:
    result = command("generate", "count.abs::main")
    assert "no ABS tests were written: a main block is run, not called; --format json" in result.stdout
    assert not list(folder.glob("test_*"))


def test_without_validation_cases_are_marked(folder: Path) -> None:
    found = generated("count.abs::Counter.add", "--no-validate")
    assert [case["validated"] for case in found["cases"]] == [False]
