"""Errors of small random classes are findings exactly where some sequence of calls leads to them."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everypath.cases.findings import unreached
from everypath.generate.run import generate
from everypath.options import Limits, Options

_CALLS = 4
"""As many as the search makes before the call under test."""
_STATES = st.integers(-1, 3)
_EFFECTS = ("self._n += {0}", "self._n -= {0}", "self._n = {0}", "self._n = -self._n", "self._m = self._n")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A class of two counters that its methods change under guards, and one that divides by one of them."""
    lines = ["class Subject:", "    def __init__(self) -> None:"]
    lines += [f"        self._n = {draw(_STATES)}", f"        self._m = {draw(_STATES)}"]
    for name in ("first", "second"):
        effect = draw(st.sampled_from(_EFFECTS)).format(draw(st.integers(1, 2)))
        guard = f"self._{draw(st.sampled_from('nm'))} {draw(st.sampled_from(('<', '>', '==', '!=')))} {draw(_STATES)}"
        lines += ["", f"    def {name}(self) -> None:", f"        if {guard}:", f"            {effect}"]
    lines += ["", "    def ask(self) -> int:", f"        if self._m > {draw(_STATES)}:"]
    lines += [f"            return 1 // (self._n - {draw(_STATES)})", f"        return [5][self._m + {draw(_STATES)}]"]
    return "\n".join(lines) + "\n"


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(source=programs())
def test_findings_are_what_calls_lead_to(tmp_path_factory: pytest.TempPathFactory, source: str) -> None:
    file = tmp_path_factory.mktemp("reach") / "subject.py"
    file.write_text(source)
    run = generate([f"{file}::Subject.ask"], Options(limits=Limits(time=10.0), validate=False))
    found = {case.finding.place[1] for case in run.findings if case.finding is not None}
    apart = {error.place[1] for error in unreached(run.cases)}
    # Both errors are possible if the counters may be anything.
    assert found == _errors(file) and apart == {"ZeroDivisionError", "IndexError"} - found, source


def _errors(file: Path) -> set[str]:
    """The errors of the last call after every sequence of others."""
    spec = importlib.util.spec_from_file_location("subject", file)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = set()
    for length in range(_CALLS + 1):
        for names in itertools.product(("first", "second"), repeat=length):
            subject = module.Subject()
            for name in names:
                getattr(subject, name)()
            try:
                subject.ask()
            except (ZeroDivisionError, IndexError) as error:
                found.add(type(error).__name__)
    return found
