"""Whole programs: samples, modules over several files, speed, and robustness."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from everypath.errors import BadInput
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.check import Source, check_program, read_sources
from everypath.languages.abs.frontend.parser import Parser
from everypath.languages.abs.frontend.problems import Problems
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.frontend.rewrite import parts
from tests.frontends.abs.checking import accepted, refused

SAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("samples/*.abs")}


def nodes(program: Program) -> list[object]:
    """Every node of the user's classes and main blocks."""

    def below(node: object) -> list[object]:
        return [node, *(found for part in parts(node) for found in below(part))]

    roots: list[object] = [main.body for main in program.mains]
    roots += [m.body for c in program.classes.values() for m in c.methods]
    return [node for root in roots for node in below(root)]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_samples(name: str) -> None:
    program = accepted(SAMPLES[name])
    found = nodes(program)
    assert program.main is not None
    assert {type(node) for node in found} >= {t.New, t.AsyncCall, b.Declare, b.Foreach}
    expressions = [node for node in found if isinstance(node, t.Expression)]
    assert all(e.span.line and e.span.column for e in expressions)
    assert not [e for e in expressions if str(e.type) == "?" and not isinstance(e, t.ListOf)]


@pytest.mark.parametrize(
    ("sources", "mains"),
    [
        (("module A; { Int a = 1; }", "module B; { Int b = 1; }"), ["B", "A"]),
        (("module A; export *; { Int a = 1; }", "module B; import * from A; { Int b = 1; }"), ["B", "A"]),
        (("module B; import * from A; { Int b = 1; }", "module A; export *; { Int a = 1; }"), ["B", "A"]),
        (("module C; import * from B; { skip; }", "module A; { skip; }",
          "module B; export *; import A.x; def Int y() = 1;", "module D; { skip; }"), ["D", "C", "A"]),
    ],
)  # fmt: skip
def test_the_main_block_of_the_module_that_needs_the_others_runs(sources: tuple[str, ...], mains: list[str]) -> None:
    sources = tuple(source.replace("module A; {", "module A; export *; def Int x() = 1; {") for source in sources)
    program = accepted(*sources)
    assert [main.module for main in program.mains] == mains
    assert program.main is program.mains[0]


LIBRARY = "module Lib; export Drink, pour, Bar, BarImpl; data Drink = Milk | Water; def Drink pour() = Milk; "
LIBRARY += "def Int secret() = 1; interface Bar { Unit open(); } class BarImpl implements Bar { Unit open() { } }"


@pytest.mark.parametrize(
    "text",
    [
        "module M; import * from Lib; { Drink d = pour(); Bar b = new BarImpl(); }",
        "module M; import Drink, pour from Lib; { Drink d = pour(); Lib.Drink e = Lib.pour(); }",
        "module M; import Lib.Drink; { Lib.Drink d = Lib.pour(); }",
        "module M; import * from Lib; def Drink pour() = Lib.pour(); { Drink d = pour(); }",
        "module M; import * from Lib; export * from Lib; module N; import * from M; { Drink d = pour(); }",
        "module M; import Drink from Lib; export Drink from Lib; module N; import Drink from M; type D = Drink;",
        "module M; import length from ABS.StdLib; import Int, List from ABS.StdLib; "
        "def Int f(List<Int> l) = length(l);",
        'module M; import * from ABS.Meta; { println("x"); }',
        'module M; import println from ABS.Meta; import * from ABS.DC; { println("x"); }',
    ],
)  # fmt: skip
def test_modules(text: str) -> None:
    accepted(LIBRARY, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module M; import Milk from Lib;",
         "cannot import `Milk`: module `Lib` declares it but does not export it: add `export Milk;` there"),
        ("module M; import Juice from Lib;", "cannot import `Juice`: module `Lib` does not declare it"),
        ("module M; import * from Lob;", "there is no module `Lob`; did you mean `Lib`?"),
        ("module M; import Drink;", "`import Drink;` does not say from where: add `from Module`"),
        ("module M; { Drink d; }", "there is no type or interface `Drink` here; add `import Drink from Lib;`"),
        ("module M; import * from Lib; { Int x = secret(); }",
         "`secret` here; module `Lib` declares it but does not export it: add `export secret;` there, or `export *;`"),
        ("module M; import * from ABS.Meta; { Object o = reflect(1); }",
         "there is no function `reflect` here: meta-programming (module `ABS.Meta`) are not supported"),
        ("module M; import reflect from ABS.Meta;", "meta-programming (module `ABS.Meta`) are not supported"),
        ("module M; export lost;", "cannot export `lost`: it is not declared here"),
        ("module M; import length from ABS.StdLib; { Int x = 1; }", "there is no type or interface `Int` here"),
        ("module N; export pour; def Int pour() = 1; module M; import * from Lib; import * from N; { pour(); }",
         "`pour` is ambiguous here: write `Lib.pour` or `N.pour`"),
    ],
)  # fmt: skip
def test_modules_that_do_not_fit(text: str, message: str) -> None:
    assert message in "\n".join(refused(LIBRARY, text))


def test_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.abs"
    path.write_bytes(b'\xef\xbb\xbfmodule A; { println("\xc3\xa4"); }')
    (source,) = read_sources([path])
    assert source.file == str(path) and isinstance(check_program([source]), Program)
    path.write_bytes(b"module A; \xff")
    with pytest.raises(BadInput, match="not UTF-8"):
        read_sources([path])
    with pytest.raises(BadInput, match="cannot be read"):
        read_sources([tmp_path / "missing.abs"])


def test_problems_of_several_files_come_together() -> None:
    found = refused("module A; { Int x = True; }", "module B; { Bool b = 1; }")
    assert [m.split(":")[0] for m in found] == ["a.abs", "b.abs"]


def test_a_thousand_lines_are_parsed_quickly() -> None:
    body = SAMPLES["bank"].partition("\n")[2].partition("module Bank;")[2].rpartition("\n{\n")[0]
    text = "\n".join(f"module M{i};{body}" for i in range(1 + 1000 // body.count("\n")))
    parser = Parser()
    started = time.perf_counter()
    problems = Problems()
    modules = parser.parse(text, "a.abs", problems)
    assert time.perf_counter() - started < 1
    assert len(modules) > 8 and not problems.found


TOKENS = re.findall(r"\w+|\S", SAMPLES["buffer"] + SAMPLES["bank"])


@limits(max_examples=25, deadline=None)
@given(st.integers(0, len(TOKENS) - 1), st.integers(0, 4), st.sampled_from(["", ";", "}", "{", "(", "class", "x", "`"]))
def test_any_damage_is_reported_and_never_a_crash(at: int, length: int, instead: str) -> None:
    text = " ".join([*TOKENS[:at], instead, *TOKENS[at + length :]])
    found = check_program([Source("a.abs", text)])
    assert isinstance(found, Program) or all(problem.message and problem.span.line for problem in found)
