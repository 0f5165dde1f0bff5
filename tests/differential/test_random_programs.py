"""Random programs: every case we predict must happen exactly so on the real interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everypath.generate.run import generate
from everypath.options import Limits, Options
from tests.programs import programs

_FLAKY_FIXTURE = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


def _no_defects(tmp_path: Path, source: str, loops: int, heap: str) -> None:
    file = tmp_path / "sample.py"
    file.write_text(source)
    limits = Limits(loops=loops, time=4, paths=60)
    run = generate([f"{file}::subject"], Options(limits=limits, heap=heap))
    defects = [p for suite in run.suites for p in suite.problems if p.kind not in ("unknown", "cut")]
    assert defects == [], source


@settings(max_examples=25, deadline=None, suppress_health_check=_FLAKY_FIXTURE)
@given(source=programs(), loops=st.integers(0, 2), heap=st.sampled_from(["lazy", "noalias"]))
def test_predictions_hold(tmp_path: Path, source: str, loops: int, heap: str) -> None:
    _no_defects(tmp_path, source, loops, heap)


@pytest.mark.slow
@settings(max_examples=600, deadline=None, suppress_health_check=_FLAKY_FIXTURE)
@given(source=programs(3), loops=st.integers(0, 2), heap=st.sampled_from(["lazy", "noalias"]))
def test_predictions_hold_on_many_programs(tmp_path: Path, source: str, loops: int, heap: str) -> None:
    _no_defects(tmp_path, source, loops, heap)
