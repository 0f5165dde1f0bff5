"""A defect of our own: told with file and line, and what other entries gave is kept."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from everypath.app.generate import generate_command
from everypath.cases import defaults
from everypath.generate import run
from everypath.languages.python.language import Python
from everypath.languages.python.runtime import validation
from everypath.options import Options


@pytest.mark.parametrize(("module", "stage"), [(run, "explore_entry"), (defaults, "build_plans")])
def test_costs_one_entry_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: ModuleType, stage: str
) -> None:
    (tmp_path / "sample.py").write_text(
        "def f(x: int) -> int:\n    return x\n\n\ndef g(x: int) -> int:\n    return x\n"
    )
    monkeypatch.chdir(tmp_path)
    original = getattr(module, stage)
    calls = 0

    def failing(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise KeyError("lost")
        return original(*arguments, **named)

    monkeypatch.setattr(module, stage, failing)
    assert generate_command(["sample.py"], Options(predicted_only=True), Python()) == 2
    said = capsys.readouterr().out
    assert "sample.py:1: internal error: f: KeyError: 'lost'; this is a defect of Everypath" in said
    assert "sample.py::f: cases 0," in said and "sample.py::g: cases 1," in said
    text = (tmp_path / "test_sample_generated.py").read_text()
    assert "import g" in text and "import f" not in text


def test_a_case_that_runs_differently_than_predicted_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sample.py").write_text("def f(x: int) -> int:\n    return x\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(validation, "disagreement", lambda *_: "executed line 7")
    assert generate_command(["sample.py"], Options(), Python()) == 2
    assert "ran differently than predicted: executed line 7" in capsys.readouterr().out
