"""Clocks and random numbers are inputs: the emitted test puts functions with known answers in their place."""

from __future__ import annotations

import importlib
import inspect
import json
from pathlib import Path

import jsonschema
import pytest

from everypath.cases import store
from everypath.cases.json_writer import render_json, schema
from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.languages.python.frontend.finder import OUTSIDE
from everypath.languages.python.frontend.model_sources import model_source
from everypath.languages.python.frontend.modules import FunctionBinding, parse_module
from everypath.languages.python.frontend.outside import CLOCKS
from everypath.languages.python.scripts.replacing import _LAMBDAS
from everypath.languages.python.semantics.registry import NATIVES
from everypath.options import Options
from tests.rendered import rendered

from .test_pytest_writer import assert_well_formed, run_pytest

PROGRAM = """\
import datetime as dt
import random
import time
import uuid
from datetime import date, datetime, timedelta
from random import choice as pick, randint


def roll(bonus: int) -> str:
    total = random.randint(1, 6) + randint(1, 6) + bonus
    return "jackpot" if total == 12 else "nothing"


def drawn(names: list[str]) -> str:
    random.shuffle(names)
    return pick(names)


def greeting(uuid: str) -> str:
    return "good morning" if datetime.now().hour < 12 else f"good evening {uuid}"


def due(days: int) -> date:
    return date.today() + timedelta(days=days)


def stamp() -> tuple[str, dt.datetime]:
    return str(uuid.uuid4()), dt.datetime.now(dt.timezone.utc)


class Session:
    def __init__(self, user: str):
        self.user = user
        self.created = time.time()

    def wait(self, tries: int) -> float:
        for _ in range(tries):
            time.sleep(0.5)
        started, ended = time.monotonic(), time.monotonic()
        if ended - started > 30:
            raise TimeoutError("too late")
        return ended - started
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("outside")
    (folder / "raffle.py").write_text(PROGRAM, encoding="utf-8")
    return generate([str(folder / "raffle.py")], Options())


def test_every_function_is_covered_and_its_cases_run_as_predicted(run: Run) -> None:
    assert run.problems == []
    for suite in run.suites:
        assert [p for p in suite.problems if p.kind != "cut"] == [], suite.target
        assert suite.stats.unsupported == [] and suite.cases, suite.target
        assert all(case.validated for case in suite.cases)


def test_the_file_passes_again_and_again_and_reads_well(run: Run, tmp_path: Path) -> None:
    (tmp_path / "raffle.py").write_text(PROGRAM, encoding="utf-8")
    text = rendered(run, "raffle")
    assert_well_formed(text, tmp_path)
    (tmp_path / "test_raffle.py").write_text(text, encoding="utf-8")
    for _ in range(2):
        result = run_pytest(tmp_path / "test_raffle.py")
        assert result.returncode == 0, result.stdout
    assert 'monkeypatch.setattr("raffle.randint", lambda a, b: ' in text
    assert 'monkeypatch.setattr("time.sleep", lambda seconds: None)' in text


def test_the_answers_are_in_the_json_and_survive_storing(run: Run, tmp_path: Path) -> None:
    shown = json.loads(render_json(run.suites))
    jsonschema.validate(shown, schema())
    replaced = [r for case in shown["cases"] for r in case["inputs"].get("replaced", ())]
    assert {"function": "time.sleep", "places": ["time.sleep"], "answers": [None]} in replaced
    assert any(r["answers"] == [{"$written": "datetime.date(2024, 1, 1)"}] for r in replaced)
    for suite in run.suites:
        assert store.load(store.save(suite, tmp_path)).cases == suite.cases


def test_what_is_replaced_exists_and_takes_the_same_arguments() -> None:
    assert all(name in NATIVES for name in CLOCKS)
    for name in sorted(OUTSIDE):
        real = importlib.import_module(name)
        ours = parse_module(name, Path(f"{name}.py"), name, model_source(f"modules/{name}"), user=False)
        for function, binding in ours.bindings.items():
            if not isinstance(binding, FunctionBinding) or function.startswith("_"):
                continue
            assert callable(getattr(real, function)), function
            try:
                known = inspect.signature(getattr(real, function))
            except ValueError:
                continue
            if f"{name}.{function}" in _LAMBDAS:
                parameters = _LAMBDAS[f"{name}.{function}"][0]
                replacing = inspect.signature(eval(f"lambda {parameters}: None"))
                required = [p for p in known.parameters.values() if p.default is p.empty]
                replacing.bind(*required)
