"""Golden messages: what is said about wrong programs, all of it in one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.languages.abs.frontend.check import Source, check_program
from everypath.languages.abs.frontend.program import Program
from tests.frontends.abs.checking import module, refused

FAULTS = Path(__file__).with_name("faults")


@pytest.mark.parametrize("path", sorted(FAULTS.glob("*.abs")), ids=lambda path: path.stem)
def test_golden_messages(path: Path) -> None:
    """Beside each file, `NAME.txt` says what is expected; delete it to have it written again."""
    found = check_program([Source(path.name, path.read_text(encoding="utf-8"))])
    assert not isinstance(found, Program)
    text = "".join(f"{problem}\n" for problem in found)
    golden = path.with_suffix(".txt")
    if not golden.exists():
        golden.write_text(text, encoding="utf-8")
        pytest.fail(f"{golden.name} was missing and is written now: read it and run again")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("", ["1:1: there is no module: a file begins with a line such as `module Name;`"]),
        ("// nothing", ["1:1: there is no module: a file begins with a line such as `module Name;`"]),
        (
            "class C { }\nclass D { }",
            ["1:1: expected `module` but found `class`: a file begins with a line such as `module Name;`"],
        ),
        ("module M; {", ["1:12: expected a statement or `}` but found the end of the file"]),
        ("module M; /* open", ["1:11: this comment is not closed: `*/` is missing"]),
        ("module M; class C { Unit m() { skip; }", [
            "1:39: expected a field, a method or `}` but found the end of the file",
        ]),
        ("module M; def Int f(Int from) = 1;", [
            "1:25: expected `<` or a lower-case name but found `from`; `from` is a keyword and cannot be a name",
        ]),
        ("module M; { Int x = 1 + await this!m(); }", [
            "1:25: `await` may not be part of another expression: assign its result to a variable first",
        ]),
        ("module M; interface I { Unit M(); }", [
            "1:30: expected a lower-case name but found `M`; "
            "names of variables, functions and methods begin with a small letter",
        ]),
        ("module M; module M; { }", ["1:11: module `M` is already declared at a.abs:1"]),
    ],
)  # fmt: skip
def test_single_faults(text: str, messages: list[str]) -> None:
    assert refused(text) == messages


def test_what_is_wrong_with_types_is_said_once() -> None:
    """A mistake in a part says nothing about the whole."""
    text = module("{ Int x = 1 + nothing; Bool b = when x > nobody then True else vanished(x); x = x + b; }")
    assert [m.partition(": ")[2] for m in refused(text)] == [
        "there is no variable `nothing` here",
        "there is no variable `nobody` here",
        "there is no function `vanished` here",
        "`+` needs numbers or strings, not `Int` and `Bool`",
    ]


def test_deeply_nested_expressions_are_no_crash() -> None:
    deep = "(" * 3000 + "1" + ")" * 3000
    assert not isinstance(check_program([Source("a.abs", module(f"{{ Int x = {deep}; }}"))]), tuple)
    long = " + ".join(["1"] * 2000)
    assert not isinstance(check_program([Source("a.abs", module(f"{{ Int x = {long}; }}"))]), tuple)
