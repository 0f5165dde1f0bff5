"""`--summary FILE`: summaries that a user wrote, used, checked and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Result, everypath

PAPERS = Path(__file__).parents[2] / "examples" / "papers"
NATIVE = "def twice(x: int) -> int:\n    if x < 0:\n        raise ValueError(x)\n    y = x + x\n    return y\n"
CODE = "from native import twice\n\n\ndef f(x: int) -> int:\n    if twice(x) > 10:\n        return 1\n    return 0\n"
RIGHT = """\
summary twice(x)
case
  condition    x < 0
  outcome      raises ValueError
case
  condition    x >= 0
  outcome      returns x * 2
"""


@pytest.mark.parametrize("heap", ["noalias", "lazy", "solver"])
def test_simp_has_the_cases_of_table_3(heap: str) -> None:
    """Table 3 of "Test Case Generation by Symbolic Execution": eight cases with the summary of Table 2."""
    made = everypath(
        PAPERS, "generate", "simp.py::Rational.simp", "--summary", "simp.summary", "--heap", heap, "--format", "json"
    )
    printed = json.loads(made.out)
    assert all(case["validated"] for case in printed["cases"])
    found = [case["expected"].get("raises", "ok") for case in printed["cases"]]
    assert sorted(found) == ["AttributeError", "TypeError", "ZeroDivisionError", *["ok"] * 5]
    conditions = {", ".join(case["condition"]) for case in printed["cases"]}
    assert len(conditions) == 8
    wanted = ["rs[0].d == 0, rs[0].n < 0", "rs[0].d < 0", "rs[0].d >= 0", "rs[0].n != 0", "rs is None", "rs[0] is None"]
    for part in wanted:
        assert any(part in condition for condition in conditions), part


def generate(folder: Path, summary: str, native: str = NATIVE, *more: str) -> Result:
    (folder / "native.py").write_text(native)
    (folder / "code.py").write_text(CODE)
    (folder / "it.summary").write_text(summary)
    return everypath(folder, "generate", "code.py::f", "--summary", "it.summary", "--format", "json", *more)


def test_a_summary_stands_for_the_function(tmp_path: Path) -> None:
    made = generate(tmp_path, RIGHT)
    cases = json.loads(made.out)["cases"]
    assert sorted(str(case["expected"].get("raises", case["expected"].get("returns"))) for case in cases) == [
        "0",
        "1",
        "ValueError",
    ]
    assert all(case["validated"] for case in cases)


def test_functions_of_libraries_are_summarised(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(
        "import _heapq\n\n\ndef f(x: int) -> int:\n    if _heapq.nothing(x) > 3:\n        return 1\n    return 0\n"
    )
    (tmp_path / "it.summary").write_text("summary _heapq.nothing(x)\ncase\n  outcome returns x\n")
    made = everypath(tmp_path, "generate", "code.py::f", "--summary", "it.summary", "--format", "json", "--no-validate")
    assert len(json.loads(made.out)["cases"]) == 2


REFUSED = {
    "wrong name": (RIGHT.replace("twice(", "thrice("), "it.summary:1", "defines or calls thrice"),
    "wrong parameters": (RIGHT.replace("(x)", "(x, y)"), "it.summary:1", "takes (x)"),
    "overlap": (RIGHT.replace("x >= 0", "x >= -1"), "it.summary:5", "lines 2 and 5 both hold"),
    "contradicts the code": (RIGHT.replace("x * 2", "x * 3"), "it.summary:1", "contradicts the function"),
    "wrong error": (RIGHT.replace("ValueError", "KeyError"), "it.summary:1", "contradicts the function"),
    "no inputs": (RIGHT.replace("x < 0", "x < 0, x > 3"), "it.summary:2", "this case holds for no inputs"),
    "no outcome": (RIGHT.replace("  outcome      returns x * 2\n", ""), "it.summary:5", "has no outcome"),
    "unknown name": (RIGHT.replace("x * 2", "z"), "it.summary", "'z' is no parameter"),
    "no expression": (RIGHT.replace("x >= 0", "x >="), "it.summary:6", "is no expression"),
    "no line": (RIGHT + "nonsense\n", "it.summary:8", "none of the lines of a summary"),
    "no case": ("summary twice(x)\n", "it.summary:1", "has no case"),
    "no summary": ("# nothing\n", "it.summary", "no line 'summary"),
    "case alone": ("case\n", "it.summary:1", "belongs below"),
    "bad effect": (RIGHT.replace("  condition    x >= 0", "  output heap  x = 1"), "it.summary:6", "is not 'x.field"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_summary_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    summary, place, message = REFUSED[name]
    refused = generate(tmp_path, summary)
    assert refused.code == 2
    assert place in refused.err and message in refused.err, refused.err


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("def f(x: int) -> int:\n    return x\n")
    refused = everypath(tmp_path, "generate", "code.py", "--summary", "none.summary")
    assert refused.code == 2 and "none.summary" in refused.err


def test_inputs_of_no_case_are_told(tmp_path: Path) -> None:
    made = generate(tmp_path, RIGHT.replace("x >= 0", "x >= 5"))
    printed = json.loads(made.out)
    assert "no case where x >= 0, x <= 4" in made.err
    assert any("no case of its summary" in each["message"] for each in printed["stats"]["unsupported"])


def test_a_short_function_is_tried_as_well(tmp_path: Path) -> None:
    (tmp_path / "native.py").write_text("def twice(x: int) -> int:\n    return x + x\n")
    (tmp_path / "code.py").write_text(CODE)
    (tmp_path / "it.summary").write_text("summary twice(x)\ncase\n  outcome returns x + 2\n")
    refused = everypath(tmp_path, "generate", "code.py::f", "--summary", "it.summary")
    assert refused.code == 2 and "contradicts the function where" in refused.err


BESIDE = (
    "def twice(x: int) -> int:\n    if x < 0:\n        raise ValueError(x)\n    return added(x, x)\n\n\n"
    "def added(x: int, y: int) -> int:\n    z = x + y\n    return z\n\n\n"
    "def f(x: int) -> int:\n    if twice(x) > 10:\n        return added(x, 1)\n    return 0\n"
)


def test_a_summary_may_stand_for_a_function_of_the_same_file(tmp_path: Path) -> None:
    """What the function executes is no difference from the prediction; what it was not predicted to return is."""
    (tmp_path / "code.py").write_text(BESIDE)
    (tmp_path / "it.summary").write_text(RIGHT)
    made = everypath(tmp_path, "generate", "code.py::f", "--summary", "it.summary", "--predicted-only")
    assert made.code == 0 and "defect" not in made.said
    assert "cases 3, findings 0" in made.said
