"""What ABS targets name, which files belong to the program, and what is said when something is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.errors import BadInput
from everypath.languages.abs.targets import BadProgram, find_targets

from .actor_programs import COUNTER, EXAMPLES, MAIN, command

USER = """\
module User;
import Counter from Counting;
import * from Counting;
import Extra.twice;
interface Client { Unit go(); }
class Client(Counter counter) implements Client {
    Unit go() { counter!add(Extra.twice(2)); }
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "count.abs").write_text(COUNTER + MAIN)
    return tmp_path


def entries(*targets: str) -> list[str]:
    return [target.target for target in find_targets(targets)]


def test_a_file_is_its_public_methods_and_its_main_block(folder: Path) -> None:
    methods = ["count.abs::Counter.add", "count.abs::Counter.double", "count.abs::Counter.total"]
    assert entries("count.abs") == [*methods, "count.abs::main"]
    assert entries("count.abs::Counter") == methods
    assert entries("count.abs::Counting.Counter") == methods
    assert entries("count.abs::Counter.add", "count.abs::Counter") == methods
    assert entries("count.abs::Counter.hidden") == ["count.abs::Counter.hidden"]
    assert entries("count.abs::main") == ["count.abs::main"]


def test_entries_know_where_they_are(folder: Path) -> None:
    [method, main] = find_targets(["count.abs::Counter.double", "count.abs::main"])
    assert (method.entry.module, method.entry.file, method.entry.line) == ("Counting", "count.abs", 7)
    assert (method.entry.qualified, main.entry.qualified, main.entry.line) == ("Counter.double", "main", 11)


def test_imported_modules_are_found_beside_the_file(folder: Path) -> None:
    (folder / "user.abs").write_text(USER)
    (folder / "more.abs").write_text("module Extra; // import * from Nowhere;\nexport *; def Int twice(Int n) = n * 2;")
    (folder / "broken.abs").write_text("module Broken; class {")
    [target] = find_targets(["user.abs"])
    assert target.target == "user.abs::Client.go"
    assert target.files == ("user.abs", "count.abs", "more.abs")
    [named] = find_targets(["user.abs,count.abs,more.abs::Client.go"])
    assert named.files == ("user.abs", "count.abs", "more.abs")
    with pytest.raises(BadInput, match=r"has no main block: module Counting has one: count\.abs::main"):
        find_targets(["user.abs::main"])


def test_a_module_in_two_files_must_be_chosen(folder: Path) -> None:
    (folder / "user.abs").write_text(USER.replace("import Extra.twice;\n", "").replace("Extra.twice(2)", "2"))
    (folder / "again.abs").write_text(COUNTER)
    with pytest.raises(BadInput, match=r"imports module Counting, which again\.abs and count\.abs declare"):
        find_targets(["user.abs"])
    assert entries("user.abs,again.abs::Client") == ["user.abs,again.abs::Client.go"]


def test_a_module_that_nobody_declares_is_told_with_its_place(folder: Path) -> None:
    (folder / "user.abs").write_text(USER)
    with pytest.raises(BadProgram) as bad:
        find_targets(["user.abs"])
    assert any("Extra" in str(problem) and str(problem).startswith("user.abs:4:") for problem in bad.value.problems)


def test_main_blocks_of_several_modules(folder: Path) -> None:
    (folder / "two.abs").write_text('module A; { println("a"); }\nmodule B; { println("b"); }')
    [first] = find_targets(["two.abs::main"])
    [second] = find_targets(["two.abs::B.main"])
    assert (first.entry.module, second.entry.module) == ("B", "B")
    assert entries("two.abs") == ["two.abs::B.main", "two.abs::A.main"]
    [other] = find_targets(["two.abs::A.main"])
    assert other.program.main is not None and other.program.main.module == "A"


def test_classes_of_the_same_name(folder: Path) -> None:
    (folder / "two.abs").write_text(COUNTER + COUNTER.replace("Counting", "Other"))
    assert "two.abs::Other.Counter.add" in entries("two.abs")
    with pytest.raises(BadInput, match=r"Counter may be Counting\.Counter and Other\.Counter"):
        find_targets(["two.abs::Counter.add"])
    assert entries("two.abs::Other.Counter.add") == ["two.abs::Other.Counter.add"]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("count.abs::Conter.add", "count.abs: there is no class 'Conter' in this program; did you mean Counter?"),
        ("count.abs::Counter.ad", "count.abs:4: class Counter has no method 'ad'; did you mean add?"),
        ("count.abs::Counter.xyz", "class Counter has no method 'xyz'; it has add, double, total, hidden"),
        ("count.abs::mainn", "did you mean main?"),
        ("count.abs::add", "add is a method; write count.abs::Counter.add"),
        ("count.abs::Counting.Nobody.add", "there is no class 'Counting.Nobody'"),
        ("cuont.abs", "cuont.abs: no such file; did you mean count.abs?"),
        ("count.abs,b.py", "count.abs,b.py: no such file; check the path"),
        ("folder.abs", "folder.abs: is a directory; name the files to test"),
        ("shapes.abs::Shape", "Shape is an interface; name a class that implements it: Square"),
        ("shapes.abs::area", "area is a function; a target is a method of a class, or main"),
        ("shapes.abs::Square", "class Square has no public method, one that an interface declares; "
         "name one: shapes.abs::Square.grow"),
        ("shapes.abs::main", "shapes.abs: the program has no main block: add `{ ... }` at the end of a module"),
        ("shapes.abs", "shapes.abs: nothing to test: no main block, and no class with a method of an interface"),
    ],
)  # fmt: skip
def test_what_is_not_there(folder: Path, target: str, words: str) -> None:
    (folder / "folder.abs").mkdir()
    (folder / "shapes.abs").write_text(
        "module Shapes; interface Shape { } def Int area(Int n) = n * n;\n"
        "class Square implements Shape { Unit grow() { skip; } }"
    )
    result = command("generate", target)
    assert result.exit_code == 2
    assert words in result.stderr
    assert not list(folder.glob("test_*"))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("module M;\nclass C {\n    Int x = True;\n    Unit m() { y = 1 }\n}\n", ["p.abs:4:"]),
        ("module M;\nclass C {\n    Int x = True;\n    Bool y = 1;\n}\n{ Int z = \"\"; }\n",
         ["p.abs:3:13:", "p.abs:4:14:", "p.abs:6:11:"]),
        ("module M;\n{ duration(1, 2); }\n", ["p.abs:2:"]),
        ("module M;\n{ skip; }\ndelta D;\nadds class X { }\n", ["p.abs:3:1: `delta D`: deltas are not supported"]),
        ("", ["p.abs:1:1: there is no module"]),
        ("class C { }", ["p.abs:1:1:"]),
    ],
)  # fmt: skip
def test_every_error_of_a_program_with_its_place(folder: Path, text: str, lines: list[str]) -> None:
    (folder / "p.abs").write_text(text)
    for arguments in (["generate", "p.abs::main"], ["show", "--related", "p.abs::C.m"], ["show", "--ir", "p.abs"]):
        result = command(*arguments)
        assert result.exit_code == 2
        for line in lines:
            assert any(said.startswith(line) for said in result.stderr.splitlines()), result.stderr


def test_unreadable_files(folder: Path) -> None:
    (folder / "bytes.abs").write_bytes(b"module M; \xff\xfe")
    result = command("generate", "bytes.abs")
    assert result.exit_code == 2 and "bytes.abs: is not UTF-8 text" in result.stderr


def test_related_methods(folder: Path) -> None:
    result = command("show", "--related", f"{EXAMPLES / 'sum_facts.abs'}::A.sumFacts")
    assert result.exit_code == 0 and "pruning 3" in result.stdout
    main = command("show", "--related", "count.abs::main")
    assert main.exit_code == 2 and "--related is about a method of a class" in main.stderr
    python = command("show", "--related", "count.py::f")
    assert python.exit_code == 2 and "FILE.abs::Class.method" in python.stderr
    assert command("show", "count.abs").exit_code == 2


def test_the_intermediate_representation(folder: Path) -> None:
    result = command("show", "--ir", "count.abs::Counter.double")
    assert result.exit_code == 0
    assert "method Counting.Counter::double(this: Counting.Counter)" in result.stdout
    assert 'method "<main>"::"<main>"()' in command("show", "--ir", "count.abs::main").stdout
