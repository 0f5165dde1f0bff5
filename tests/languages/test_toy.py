"""A language that nothing else knows gets cases, replay and JSON from the same run as all others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import jsonschema
import pytest

from everypath.app.replay import replay_command
from everypath.cases import store
from everypath.cases.json_writer import schema
from everypath.cases.kinds import is_call_suite
from everypath.cases.model import CallCase, Literal, Raised
from everypath.explore.outcomes import Finished, Uncaught
from everypath.generate.exploring import replay_case
from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.languages.base import Language, Runtime
from everypath.languages.every import LANGUAGES, language_of
from everypath.options import Limits, Options

from .toy.frontend import load
from .toy.language import Toy, ToyRuntime, difference

PROGRAM = """\
class Account balance
method Account take amount
  if amount > self.balance
    return 0 - 1
  self.balance = self.balance - amount
  return self.balance
fn halves n
  k = 0
  while n > 1
    n = n / 2
    k = k + 1
  return k
fn share total people
  return total / people
"""
ALL = (Toy(), *LANGUAGES)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bank.toy").write_text(PROGRAM)
    return "bank.toy"


def generated(target: str, loops: int = 2) -> Run:
    return generate([target], Options(limits=Limits(loops=loops)), languages=ALL)


def cases(run: Run) -> list[CallCase]:
    return cast("list[CallCase]", run.cases)


def test_every_path_has_a_case_that_ran_as_predicted(program: str) -> None:
    run = generated(program)
    assert [(row.target, row.cases) for row in run.rows] == [
        ("bank.toy::Account.take", 2),
        ("bank.toy::halves", 3),
        ("bank.toy::share", 2),
    ]
    assert not run.defective and not run.problems and all(case.validated for case in cases(run))
    (cut,) = (row.stats.cut["loop"] for row in run.rows if row.stats is not None and row.function == "halves")
    assert cut == 1


def test_a_runtime_error_is_a_finding(program: str) -> None:
    (case,) = (case for case in cases(generated(f"{program}::share")) if case.finding is not None)
    assert case.finding is not None and (case.finding.kind, case.finding.line) == ("runtime-error", 14)
    assert isinstance(case.expected.outcome, Raised)
    assert {name: value for name, value, _ in case.inputs.arguments}["people"] == Literal(0)


def test_a_wrong_prediction_is_noticed(program: str) -> None:
    run = generated(f"{program}::halves")
    Path(program).write_text(PROGRAM.replace("k = k + 1", "k = k + 2"))
    assert any(difference(load(program), case) for case in cases(run))


def test_stored_cases_replay_to_the_same_path(program: str) -> None:
    for suite in generated(program).suites:
        stored = store.load(store.save(suite))  # type: ignore[arg-type]
        assert is_call_suite(stored)
        source = load(stored.target)
        options = Options(limits=Limits(loops=2))
        for case in stored.cases:
            state = replay_case(source, source.entries[0], options, case)
            expected = Uncaught if isinstance(case.expected.outcome, Raised) else Finished
            assert isinstance(state.outcome, expected)
            assert difference(source, case) == ""


def test_the_command_replays_it(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    (suite,) = generated(f"{program}::halves").suites
    store.save(suite)  # type: ignore[arg-type]
    assert replay_command(suite.target, steps=True, languages=ALL) == 0
    said = capsys.readouterr().out
    assert "ok   halves_1" in said and "    bank.toy:10" in said
    Path(program).write_text(PROGRAM.replace("k = k + 1", "k = k + 2"))
    assert replay_command(suite.target, steps=False, languages=ALL) == 1
    assert "FAIL halves_1: it gives 4" in capsys.readouterr().out


def test_json(program: str) -> None:
    run = generated(program)
    text = run.language.writer("json").render(list(run.modules.values())).text
    found = json.loads(text)
    jsonschema.validate(found, schema())
    assert len(found["cases"]) == 7 and len(found["findings"]) == 1


def test_the_list_of_languages_need_not_change(program: str) -> None:
    assert language_of(program, ALL).name == "Toy"
    assert language_of(program).name == "Python"


@pytest.mark.parametrize(("promised", "kept"), [(Language, Toy), (Runtime, ToyRuntime)])
def test_it_has_all_that_a_language_promises(promised: type, kept: type) -> None:
    assert {name for name in vars(promised) if not name.startswith("_")} <= set(dir(kept))
