"""Validating suites: the variant that works, lines and arcs, and emitted files that pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everypath.cases.model import BuildPlan, CallCase, CallSuite, Literal
from everypath.languages.python.runtime.cases import validate
from everypath.languages.python.runtime.runner import Verdict
from everypath.languages.python.writers.pytest_writer import render
from everypath.options import FenceOptions

from ..emit.samples import PLANS, PROGRAM, Pointer, all_cases, case, lit, obj, program, returned, suite
from ..emit.test_pytest_writer import WITHOUT_PLUGINS

Found = dict[str, tuple[Verdict, int]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    program(folder)
    return folder


@pytest.fixture(scope="module")
def found(root: Path) -> Found:
    results = validate(suite(all_cases()), root=root, options=FenceOptions())
    assert [c.id for c, _, _ in results] == [c.id for c in all_cases()]
    return {c.id: (verdict, variant) for c, verdict, variant in results}


def test_all_cases_pass(found: Found) -> None:
    assert {case_id: v.text for case_id, (v, _) in found.items() if not v.passed} == {}


def test_a_constructor_that_refuses_or_normalises_is_passed_by(found: Found) -> None:
    past = {case_id for case_id, (_, variant) in found.items() if variant > 1}
    assert past == {"Even.half/odd_value", "Clamped.negative/value_negative"}


def test_emitted_variants_pass_under_pytest(found: Found, root: Path) -> None:
    file = root / "test_shapes_generated.py"
    file.write_text(render(suite(all_cases()), variants={i: variant for i, (_, variant) in found.items()}))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file.name]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, env=WITHOUT_PLUGINS)
    assert run.returncode == 0, run.stdout


def line_of(text: str) -> int:
    return PROGRAM.splitlines().index(text) + 1


def test_lines_are_those_of_the_call_alone(found: Found) -> None:
    verdict = found["sign/n_negative"][0]
    start = line_of("    if n < 0:")
    assert verdict.lines == {start, start + 1}
    assert verdict.arcs == {(-(start - 1), start), (start, start + 1), (start + 1, -1)}
    # The constructor runs while arranging and does not count.
    assert found["Point.moved/returns_point"][0].lines == {line_of("        return Point(self.x + dx, self.y)")}


def one(only: CallCase, root: Path, plans: dict[tuple[str, str], BuildPlan] | None = None) -> tuple[Verdict, int]:
    results = validate(CallSuite("t", {}, [only], plans or dict(PLANS)), root=root, options=FenceOptions())
    return results[0][1], results[0][2]


def test_a_wrong_prediction_fails_with_the_assertion(root: Path) -> None:
    heap = {"p": obj("Point", x=lit(1), y=lit(7))}
    verdict, _ = one(case("same", "x", ("a", Pointer("p")), ("b", lit(0)), heap=heap, outcome=returned(True)), root)
    assert (verdict.status, verdict.text) == ("failed", "assert result is True, but result is False")


def test_a_wrong_final_state_fails(root: Path) -> None:
    heap = {"n": obj("Node", data=lit(1), next=lit(None))}
    verdict, _ = one(
        case("loop", "x", ("node", Pointer("n")), heap=heap, after={"r": obj("Node")}, outcome=returned(None)), root
    )
    assert verdict.status == "failed"


def test_frozen_objects_that_the_constructor_cannot_reach_are_built_raw(root: Path) -> None:
    heap = {"p": obj("Point", x=lit(1), y=Pointer("p"))}
    only = case("same", "x", ("a", Pointer("p")), ("b", Pointer("p")), heap=heap, outcome=returned(True))
    verdict, variant = one(only, root)
    assert (verdict.status, variant) == ("passed", 3)


def test_a_failing_constructor_tells_of_the_run_past_it(root: Path) -> None:
    heap = {"e": obj("Even", value=lit(3))}
    verdict, variant = one(case("Even.half", "x", receiver=Pointer("e"), heap=heap, outcome=returned(1)), root)
    assert verdict.text == "assert result == 1, but result is 1.5"
    assert variant == 2


def test_a_heap_without_its_object_is_an_error_not_a_traceback(root: Path) -> None:
    verdict, _ = one(case("same", "x", ("a", Pointer("gone")), ("b", Literal(1)), outcome=returned(False)), root)
    assert verdict.status == "error"
    assert "gone" in verdict.text
