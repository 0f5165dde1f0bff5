"""`--assume`: what is refused, which entries an assumption is about, and inputs that cannot exist."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from everypath.explore.search.exploration import Exploration
from everypath.explore.state import State
from everypath.generate.run import generate
from everypath.options import Options

from .command import everypath, written

CODE = """\
from __future__ import annotations


class Node:
    def __init__(self, value: int, next: Node | None) -> None:
        self.value = value
        self.next = next


class List:
    def __init__(self, head: Node | None) -> None:
        self.head = head

    def swap(self, other: List) -> None:
        self.head, other.head = other.head, self.head


class Ring:
    def __init__(self, next: Ring) -> None:
        self.next = next


def same(a: Node, b: Node) -> int:
    if a is b:
        return 1
    return 0


def reaches(a: Node, b: Node) -> int:
    if a.next is b:
        return 1
    if a.next is a:
        return 2
    return 0


def closed(ring: Ring) -> int:
    if ring.next is ring:
        return 1
    return 0


def both(a: Node | None, b: Node | None) -> int:
    if a is b:
        return 1
    return 0


def follows(a: Node, b: Node | None) -> int:
    if a.next is b:
        return 1
    return 0


def count(n: int, *, names: list[str]) -> int:
    return n


def untyped(x):
    return x
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lists.py").write_text(CODE)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "assume", "expected"),
    [
        (
            "::same",
            ["noalias(a, a)"],
            ["the assumption 'noalias(a, a)' contradicts itself", "two different references"],
        ),
        ("::same", ["nosharing(b,b)"], ["the assumption 'nosharing(b,b)' contradicts itself"]),
        ("::count", ["acyclic(n)"], ["lists.py:", "'acyclic(n)' names 'n', which is int", "holds an object, list"]),
        ("::same", ["acyclic(c)"], ["lists.py:", "'acyclic(c)' names 'c'", "same has no such parameter; it has a, b"]),
        ("::same", ["acyclic(a.nxt)"], ["'acyclic(a.nxt)'", "Node has no field 'nxt'; did you mean 'next'?"]),
        ("::List.swap", ["acyclic(self.head.value)"], ["names 'self.head.value', which is int"]),
        ("::List.__init__", ["noalias(self, head)"], ["'self', the object that is only now constructed"]),
        ("::same", ["noalias(a)"], ["'noalias(a)' must be about two references, not 1; write noalias(a, b)"]),
        ("::same", ["noalais(a, b)"], ["'noalais(a, b)' is of the unknown kind", "did you mean 'noalias'?"]),
        ("::same", ["a is not b"], ["'a is not b' is not a heap assumption; write noalias(a, b)"]),
        ("::same", [""], ["the assumption '' is not a heap assumption"]),
        ("::same", ["noalias(a, b); acyclic("], ["the assumption 'acyclic(' is not"]),
        ("::same", ["noalias(a, b)", "acyclic(q)"], ["the assumption 'acyclic(q)'"]),
        ("::same", ["two\nlines(a)"], ["'two\\nlines(a)' is not a heap assumption"]),
        (
            "",
            ["acyclic(self.hed)"],
            ["List has no field 'hed'; did you mean 'head'? (and it is about no other of the 11 entries"],
        ),
        ("", ["acyclic(q)"], ["names 'q'", "about no other of the"]),
        ("", ["noalias(a, ring)"], ["names 'ring'", "same has no such parameter", "about no other"]),
    ],
)
def test_is_refused_and_nothing_is_written(folder: Path, target: str, assume: list[str], expected: list[str]) -> None:
    options = [part for text in assume for part in ("--assume", text)]
    result = everypath(folder, "generate", f"lists.py{target}", *options)
    assert result.code == 2, result
    assert result.err.count("\n") == 1
    for text in expected:
        assert text in result.err
    assert written(folder) == {"lists.py"}
    assert not (folder / ".everypath").exists()


def test_a_bad_setting_of_the_project(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.everypath]\nassume = ['acyclic(q)']\n")
    result = everypath(folder, "generate", "lists.py::same")
    assert result.code == 2
    assert "the assumption 'acyclic(q)' names 'q'" in result.err
    (folder / "pyproject.toml").write_text("[tool.everypath]\nassume = [3]\n")
    result = everypath(folder, "generate", "lists.py::same")
    assert result.code == 2
    assert "pyproject.toml:2:" in result.err and "assume: must be a list of texts" in result.err
    assert written(folder) == {"lists.py", "pyproject.toml"}


def cases(folder: Path, *arguments: str) -> tuple[list[object], dict[str, object]]:
    result = everypath(folder, "generate", *arguments, "--format", "json")
    assert result.code in (0, 1), result
    printed = json.loads(result.out)
    return [case["expected"].get("returns", case["expected"].get("raises")) for case in printed["cases"]], printed


@pytest.mark.parametrize("heap", ["solver", "lazy"])
@pytest.mark.parametrize(
    ("function", "assume", "results"),
    [
        ("same", "noalias(a, b)", {0}),
        ("same", "acyclic(a)", {0, 1}),
        ("reaches", "nosharing(a, b)", {0, 2}),
        ("reaches", "acyclic(a)", {0, 1}),
        ("reaches", "acyclic(a); nosharing(a, b)", {0}),
        ("reaches", "noalias(a.next, b)", {0, 2}),
        ("reaches", "nosharing(a, a.next)", {0}),
        ("both", "noalias(a, b)", {0, 1}),
        ("both", "nosharing(a, b)", {0, 1}),
        ("follows", "nosharing(a, b)", {0, 1}),
        ("follows", "noalias(a.next, b)", {0, 1}),
        ("follows", "acyclic(a)", {0, 1}),
    ],
)
def test_less_is_tested(folder: Path, heap: str, function: str, assume: str, results: set[int]) -> None:
    target = f"lists.py::{function}"
    assert set(cases(folder, target, "--heap", heap)[0]) >= results
    assert set(cases(folder, target, "--heap", heap, "--assume", assume)[0]) == results


def test_settings_apply_and_are_recorded(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.everypath]\nassume = 'noalias(a,b)'\n")
    found, printed = cases(folder, "lists.py::same")
    assert found == [0]
    assert printed["options"]["assume"] == ["noalias(a,b)"]  # type: ignore[index]
    found, printed = cases(folder, "lists.py::same", "--assume", "acyclic(a)")
    assert set(found) == {0, 1}
    assert printed["options"]["assume"] == ["acyclic(a)"]  # type: ignore[index]


def test_each_entry_takes_what_is_about_it(folder: Path) -> None:
    assume = ["noalias(a, b)", "acyclic(self.head)", "nosharing(self, other)"]
    options = [part for text in assume for part in ("--assume", text)]
    _, printed = cases(folder, "lists.py::same", "lists.py::List", *options)
    assert set(printed["options"]["assume"]) == set(assume)  # type: ignore[index]
    run = generate([str(folder / "lists.py")], Options(assume=tuple(assume), validate=False))
    used = {suite.target.rpartition("::")[2]: suite.options["assume"] for suite in run.suites}
    assert used["same"] == used["reaches"] == ("noalias(a, b)",)
    assert used["List.swap"] == ("acyclic(self.head)", "nosharing(self, other)")
    assert used["List.__init__"] == used["closed"] == used["count"] == ()


def test_replay_assumes_the_same(folder: Path) -> None:
    everypath(folder, "generate", "lists.py", "--assume", "acyclic(a); nosharing(a, b)")
    result = everypath(folder, "replay", "lists.py::reaches")
    assert result.code == 0, result
    assert "replayed as recorded" in result.out
    (folder / "lists.py").write_text(CODE.replace("reaches(a: Node, b: Node)", "reaches(a: Node, c: Node, b: int = 0)"))
    result = everypath(folder, "replay", "lists.py::reaches")
    assert result.code == 1
    assert "FAIL" in result.out and "'nosharing(a, b)' names 'b', which is int" in result.out
    assert "no longer does what was recorded" in result.err


@pytest.mark.parametrize("heap", ["lazy", "solver"])
def test_no_input_is_left(folder: Path, heap: str) -> None:
    result = everypath(folder, "generate", "lists.py::closed", "--assume", "nosharing(ring, ring.next)", "--heap", heap)
    assert result.code == 2
    assert "lists.py:37: assumption: closed: no input satisfies nosharing(ring, ring.next) together" in result.said
    assert written(folder) == {"lists.py"}
    others = everypath(folder, "generate", "lists.py", "--assume", "nosharing(ring, ring.next)", "--heap", heap)
    assert others.code == 2
    assert "closed: no input satisfies" in others.said
    assert written(folder) == {"lists.py", "test_lists_generated.py"}


def test_no_path_is_reported_once_and_only_under_assumptions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_paths(self: Exploration, initial: State, strategy: object = None) -> Iterator[State]:
        return iter(())

    monkeypatch.setattr(Exploration, "paths", no_paths)
    target = str(folder / "lists.py::same")
    assert not generate([target], Options()).contradicted
    run = generate([target], Options(assume=("noalias(a, b); acyclic(a)", "acyclic(b)")))
    assert run.contradicted
    (problem,) = run.suites[0].problems
    assert (problem.kind, problem.line) == ("assumption", 23)
    assert "same: no input satisfies noalias(a, b) and acyclic(a) and acyclic(b) together with" in problem.message
