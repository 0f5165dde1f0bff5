"""Preconditions: every test is within them, wherever they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .command import everypath

CODE = """\
from typing import Annotated

from annotated_types import Ge, Gt, Interval, Le, Len, MinLen, MultipleOf, Predicate


# How many whole times.
# requires: y != 0
# requires: x > y
def ratio(x: int, y: int) -> int:
    if x > 10:
        return x // y
    return 1 // y


def scale(n: Annotated[int, Gt(0), Le(5)], name: Annotated[str, MinLen(2)]) -> str:
    if n > 3:
        return name[1]
    return name[0]


def grid(n: "Annotated[int, MultipleOf(4), Interval(ge=8, lt=100)]", xs: Annotated[list[int], Len(2, 2)]) -> int:
    if xs[0] == xs[1]:
        return 1000 // n
    return n


def checked(x: int) -> int:
    \"\"\"Doubles.\"\"\"
    assert x > 3
    assert x < 100
    if x > 50:
        return x
    return x * 2


class Stack:
    def __init__(self, size: int) -> None:
        self.size = size
        self.items: list[int] = []

    def pop(self) -> int:
        if self.size > 3:
            return 0
        return self.items.pop()
"""
NOTING = """\
SEEN: list[int] = []
def noted(x: int) -> bool:
    SEEN.append(x); return True
def indirectly(x: int) -> bool:
    return noted(x)
def counted(x: int) -> bool:
    found = []
    found.append(x)
    return found[0] > 5
"""
LIBRARY = """\
class Said:
    def __init__(self, *args, **named):
        pass


Ge = Gt = Interval = Le = Len = MinLen = MultipleOf = Predicate = Said
"""


def cases(folder: Path, target: str, *options: str) -> list[dict[str, object]]:
    (folder / "sample.py").write_text(CODE)
    (folder / "annotated_types.py").write_text(LIBRARY)
    result = everypath(folder, "generate", f"sample.py::{target}", "--format", "json", *options)
    document = json.loads(result.out)
    assert document["findings"] == [] and not [p for p in document["problems"] if p["kind"] == "defect"]
    assert all(case["validated"] for case in document["cases"])
    return [case["inputs"]["arguments"] for case in document["cases"]]


def test_comments_above_a_function(tmp_path: Path) -> None:
    found = cases(tmp_path, "ratio")
    assert len(found) == 2 and all(each["y"] != 0 and each["x"] > each["y"] for each in found)


@pytest.mark.parametrize("select", ["all", "branches", "local-paths"])
def test_annotated_types(tmp_path: Path, select: str) -> None:
    found = cases(tmp_path, "scale", "--select", select)
    assert len(found) == 2 and all(0 < each["n"] <= 5 and len(each["name"]) >= 2 for each in found)
    found = cases(tmp_path, "grid", "--select", select)
    assert len(found) == 2 and all(each["n"] % 4 == 0 and 8 <= each["n"] < 100 for each in found)


def test_assertions_are_checked_or_required(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(CODE)
    (tmp_path / "annotated_types.py").write_text(LIBRARY)
    assert everypath(tmp_path, "generate", "sample.py::checked").said.count("the assertion can fail") == 2
    found = cases(tmp_path, "checked", "--asserts", "require")
    assert len(found) == 2 and all(3 < each["x"] < 100 for each in found)


@pytest.mark.parametrize("text", ["self.items", "Stack.pop: len(self.items) > 0"])
def test_what_the_command_line_requires_is_replayed(tmp_path: Path, text: str) -> None:
    assert len(cases(tmp_path, "Stack.pop", "--requires", text)) == 2
    (stored,) = (tmp_path / ".everypath").glob("*.json")
    result = everypath(tmp_path, "replay", str(stored))
    assert result.code == 0, result.said


@pytest.mark.parametrize("option", ["--reachable", "--heap=lazy"])
def test_together_with_other_ways_to_make_inputs(tmp_path: Path, option: str) -> None:
    found = cases(tmp_path, "ratio", *option.split("="))
    assert found and all(each["y"] != 0 and each["x"] > each["y"] for each in found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x >", "--requires 'x >' is no expression: invalid syntax"),
        ("z > 0", "--requires 'z > 0' is no condition on parameters of a target; these are checked(x)"),
        ("other: x > 0", "--requires 'other: x > 0' is no condition on parameters of a target"),
        ("print(x)", "print() may change something, which a precondition must not"),
        ("(y := x) > 0", "a precondition must not change or await anything"),
        ("(x := 3) > 0", "a precondition must not change or await anything"),
        ("noted(x)", "noted() may change something (line 3 calls SEEN.append), which a precondition must not"),
        ("indirectly(x)", "indirectly() may change something (line 3 calls SEEN.append), which a precondition must"),
        ("x > 0 and x < 0", "no input satisfies x > 0 and x < 0"),
        ("1 // x > 5", "what callers promise raises ZeroDivisionError for some inputs, which are left out"),
    ],
)
def test_what_is_no_precondition(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "sample.py").write_text(NOTING + CODE)
    (tmp_path / "annotated_types.py").write_text(LIBRARY)
    result = everypath(tmp_path, "generate", "sample.py::checked", "--requires", text)
    assert result.code == 2
    assert said in result.said


def test_a_function_that_only_changes_its_own_is_a_precondition(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(NOTING + CODE)
    (tmp_path / "annotated_types.py").write_text(LIBRARY)
    result = everypath(tmp_path, "generate", "sample.py::checked", "--requires", "counted(x)")
    assert "may change" not in result.said and "sample.py::checked: cases 3" in result.said


def test_a_comment_that_is_none_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text("# requires: z > 0\ndef f(x: int) -> int:\n    return x\n")
    result = everypath(tmp_path, "generate", "sample.py")
    assert result.code == 2
    assert "sample.py:1: mistake: requires z > 0: 'z' is no parameter of f" in result.said


ASTRAY = """\
# requires: x > 0
class A:
    # requires: y > 0
    def f(self, y: int) -> int:
        # requires: y > 3
        return 1 if y < 5 else 2


# requires: z > 0
def wrong(x: int) -> int:
    return 1 if x > 3 else 2


if True:
    # requires: x > 2
    def h(x: int) -> int:
        def inner() -> int:
            return 1

        # requires: x > 5
        return inner() if x > 3 else 2


text = "# requires: nothing"
"""


def test_comments_that_say_nothing_are_told(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(ASTRAY)
    said = everypath(tmp_path, "generate", "sample.py").said
    told = [line.partition(":")[2].partition(":")[0] for line in said.splitlines() if "only right above" in line]
    assert told == ["1", "5", "20"]


def test_a_wrong_precondition_keeps_only_its_function_from_being_tested(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(ASTRAY)
    result = everypath(tmp_path, "generate", "sample.py")
    assert result.code == 2
    assert "sample.py:9: mistake: requires z > 0: 'z' is no parameter of wrong" in result.said
    assert "sample.py::A.f: cases 2" in result.said and "sample.py::h: cases 2" in result.said
    assert "wrong" not in (tmp_path / "test_sample_generated.py").read_text()


def test_reach_tells_what_it_did_not_search(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(ASTRAY)
    assert everypath(tmp_path, "reach", "sample.py:6").code == 0
    result = everypath(tmp_path, "reach", "sample.py:11")
    assert result.code == 2
    assert "what leads to this point cannot be searched: sample.py:9: requires z > 0" in result.said
