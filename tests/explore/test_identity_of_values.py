"""`is` between plain values: small ones exist once, larger ones may be two objects, and that is told, not guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.generate.run import generate
from everypath.options import Options

PROGRAMS = {
    "texts": ("a: str, b: str", {1, 2}),
    "optional texts": ("a: str | None, b: str | None", {1, 2}),
    "numbers": ("a: int, b: int", {1, 2}),
    "optional numbers": ("a: int | None, b: int | None", {1, 2}),
}
CODE = """\
def f({parameters}) -> int:
    if a is b:
        return 1
    if a == b:
        return 3
    return 2
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_values_are_one_object_only_where_the_interpreter_keeps_them_once(tmp_path: Path, name: str) -> None:
    parameters, results = PROGRAMS[name]
    (tmp_path / "sample.py").write_text(CODE.format(parameters=parameters))
    run = generate([str(tmp_path / "sample.py")], Options())
    (suite,) = run.suites
    # What is observed may be of other types: two equal sets are real, and two objects.
    followed = [case for case in suite.cases if not case.observed]
    assert {case.expected.outcome.value.value for case in followed} == results
    assert all(case.validated for case in suite.cases)
    assert not [problem for problem in suite.problems if problem.kind == "defect"]
    assert ["`is` between equal" in problem.message for problem in suite.stats.unsupported] == [True]


def test_elements_that_are_equal_are_found_whether_or_not_they_are_the_same_object(tmp_path: Path) -> None:
    code = "def f(a: str, b: str) -> int:\n    if a + b in [b + a]:\n        return 1\n    return 2\n"
    (tmp_path / "sample.py").write_text(code)
    (suite,) = generate([str(tmp_path / "sample.py")], Options()).suites
    assert {case.expected.outcome.value.value for case in suite.cases} == {1, 2}
    assert not suite.stats.unsupported
