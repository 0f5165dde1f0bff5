"""One suite of checks over every writer: a new one is added to the list of samples and has to pass them all."""

from __future__ import annotations

import ast
import atexit
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from everypath.cases.json_writer import render_race_json, schema
from everypath.cases.model import SomeSuite
from everypath.cases.races import RaceReport
from everypath.cases.sarif import render_sarif, results_of_races
from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.languages.abs.frontend.check import Source as AbsSource
from everypath.languages.abs.frontend.check import check_program
from everypath.languages.abs.frontend.program import Program
from everypath.languages.abs.targets import actors_in
from everypath.languages.base import Module, Source, Written
from everypath.languages.every import LANGUAGES
from everypath.languages.python.writers.pytest_writer import PytestWriter
from everypath.languages.python.writers.race_writer import default_race_name, finding_code, render_race
from everypath.options import ActorOptions, Limits, Options
from everypath.records import replace
from tests.conftest import ROOT
from tests.emit.samples import all_cases, suite
from tests.emit.sarif_schema import sarif_schema
from tests.languages.java.conftest import missing
from tests.languages.java.places import find_jars, find_jdk
from tests.languages.toy.language import Toy
from tests.race.samples import EVICTED, LOST

EXAMPLES = ROOT / "examples"
OPTIONS = Options(
    limits=Limits(loops=1, time=20.0), actors=ActorOptions(switches=2, actors=2, assumed=("switches", "actors"))
)


@dataclass(frozen=True)
class Sample:
    """Something written: how often it is asked for, it is written anew."""

    write: Callable[[], Written]
    ids: Callable[[], list[str]]
    """of everything that it is made from"""
    accepted: Callable[[str], object]
    """raises an error for a text that is none of its language"""
    file_name: Callable[[], str]
    named: Callable[[str, str], bool] = lambda text, case: True
    """whether the text of a file that is written for people names a case that it leaves out"""


@cache
def run_of(target: str, validate: bool = True) -> Run:
    return generate([target], replace(OPTIONS, validate=validate), languages=(Toy(), *LANGUAGES))


def of_run(target: str, format: str, validate: bool = True) -> Sample:
    """What a run over a target comes to in one of its formats."""

    def modules() -> list[Module]:
        return list(run_of(target, validate).modules.values())

    def accepted(text: str) -> object:
        if format in ("json", "sarif"):
            return accepted_json(text) if format == "json" else accepted_sarif(text)
        return accepted_abs(text, modules()[0]) if format == "abs" else accepted_python(text)

    return Sample(
        lambda: run_of(target, validate).language.writer(format).render(modules(), Path("tests/test_it")),
        lambda: [case.id for case in run_of(target, validate).cases],
        accepted,
        lambda: run_of(target, validate).language.writer(format).file_name(modules()[0].source),
        lambda text, case: format != "abs" or not text or "::main#" in case or f"// {case}" in text,
    )


def of_cases(**how: object) -> Sample:
    """Cases with values of every kind, as pytest writes them."""
    here = Path()
    source = Source("shapes.py", Path("shapes.py"), "shapes.py", "shapes", here)
    given: SomeSuite = suite(all_cases())  # type: ignore[assignment]
    options = Options(paths_per_test=int(str(how.pop("paths_per_test", 1))))
    module = Module(source, options, suites=[given], **how)  # type: ignore[arg-type]
    writer = PytestWriter()
    return Sample(
        lambda: writer.render([module]),
        lambda: [case.id for case in given.cases],
        accepted_python,
        lambda: writer.file_name(source),
    )


def of_findings(format: str) -> Sample:
    """Findings of a search for races; each becomes one test."""
    findings = [LOST, EVICTED]

    def write() -> Written:
        text = render_race(findings, import_path="..")
        if format == "json":
            report = RaceReport("counter.py", "counter", "Counter", "counter.py", {}, findings)
            text = render_race_json("counter.py", {}, [report], code=finding_code)
        if format == "sarif":
            report = RaceReport("counter.py", "counter", "Counter", "counter.py", {}, findings)
            text = render_sarif(results_of_races([report]))
        titles = [finding.title for finding in findings]
        if format == "sarif":
            found = len(json.loads(text)["runs"][0]["results"])
        else:
            found = text.count("\ndef test_") if format == "pytest" else len(json.loads(text)["findings"])
        return Written(text, tuple(titles[:found]))

    accepted = {"json": accepted_json, "sarif": accepted_sarif}.get(format, accepted_python)
    return Sample(write, lambda: [f.title for f in findings], accepted, lambda: default_race_name("shop.counter"))


def accepted_python(text: str) -> object:
    return compile(ast.parse(text), "<tests>", "exec")


def accepted_json(text: str) -> object:
    jsonschema.validate(json.loads(text), schema())
    return text


def accepted_sarif(text: str) -> object:
    jsonschema.validate(json.loads(text), sarif_schema())
    return text


def accepted_abs(text: str, module: Module) -> object:
    target = next(iter(actors_in(module.programs[0]).targets.values()))
    found = check_program([*([AbsSource("<tests>", text)] if text else []), *target.sources])
    assert isinstance(found, Program), found
    return found


@cache
def java_classes() -> str:
    """The papers' programs in Java, compiled once."""
    home, jars = find_jdk(), find_jars()
    if home is None or not jars:
        missing("a JDK or JUnit 5")
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sources = [str(path) for path in (EXAMPLES / "papers" / "java").rglob("*.java")]
    subprocess.run([f"{home}/bin/javac", "-g", "-d", folder, *sources], check=True)
    return folder


def of_java(member: str, format: str) -> Sample:
    """What a run over a Java class comes to."""

    def written() -> Sample:
        return of_run(f"{java_classes()}::{member}", format)

    def accepted(text: str) -> object:
        if format in ("json", "sarif"):
            return accepted_json(text) if format == "json" else accepted_sarif(text)
        file = Path(f"{text.partition('class ')[2].partition(' ')[0]}.java").absolute()
        file.write_text(text, encoding="ascii")
        path = os.pathsep.join(map(str, [*find_jars(), java_classes()]))
        command = [f"{find_jdk()}/bin/javac", "-Xlint:all,-path", "-Werror", "-cp", path, "-d", "classes", str(file)]
        return subprocess.run(command, check=True)

    return Sample(
        lambda: written().write(),
        lambda: written().ids(),
        accepted,
        lambda: written().file_name(),
    )


TOY_PROGRAM = "fn sign n\n  if n < 0\n    return 0 - 1\n  return 1 / n\n"
SAMPLES = {
    "pytest": of_cases(),
    "pytest restoring state": of_cases(restore_state=True),
    "pytest with several paths in a test": of_cases(paths_per_test=3),
    "pytest of a run": of_run(str(EXAMPLES / "bounded_stack.py"), "pytest"),
    "pytest of a run that was not validated": of_run(str(EXAMPLES / "triangle.py"), "pytest", validate=False),
    "hypothesis of a run": of_run(str(EXAMPLES / "bounded_stack.py"), "hypothesis"),
    "hypothesis of a run with tables": of_run(str(EXAMPLES / "triangle.py"), "hypothesis"),
    "hypothesis of a run that was not validated": of_run(str(EXAMPLES / "triangle.py"), "hypothesis", validate=False),
    "json of a run": of_run(str(EXAMPLES / "triangle.py"), "json"),
    "abs of methods": of_run(str(EXAMPLES / "actors" / "fact.abs"), "abs"),
    "abs of a main block": of_run(f"{EXAMPLES / 'actors' / 'mail.abs'}::main", "abs"),
    "json of actors": of_run(f"{EXAMPLES / 'actors' / 'mail.abs'}::main", "json"),
    "json of a toy program": of_run("sign.toy", "json"),
    "junit of a run": of_java("papers.List", "junit"),
    "json of a Java run": of_java("papers.Mist", "json"),
    "sarif of a run": of_run(str(EXAMPLES / "papers" / "rem_all.py"), "sarif"),
    "sarif of actors": of_run(str(EXAMPLES / "actors" / "fact.abs"), "sarif"),
    "sarif of a Java run": of_java("papers.List", "sarif"),
    "sarif of races": of_findings("sarif"),
    "pytest of races": of_findings("pytest"),
    "json of races": of_findings("json"),
}


@pytest.fixture(params=SAMPLES)
def sample(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sample:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sign.toy").write_text(TOY_PROGRAM)
    return SAMPLES[request.param]


def test_the_same_suite_is_written_the_same_way_twice(sample: Sample) -> None:
    assert sample.write() == sample.write()


def test_what_is_written_is_accepted_by_its_language(sample: Sample) -> None:
    sample.accepted(sample.write().text)


def test_every_case_is_in_it_or_named_as_left_out(sample: Sample) -> None:
    written = sample.write()
    left_out = [case for case, _ in written.left_out]
    assert sorted([*written.tests, *left_out]) == sorted(sample.ids())
    assert all(reason for _, reason in written.left_out)
    assert all(sample.named(written.text, case) for case in left_out)


def test_nothing_is_written_without_saying_so(sample: Sample) -> None:
    written = sample.write()
    assert written.text or written.remark
    assert bool(written.text) == bool(written.tests)
    assert not written.text or written.text.endswith("\n")


def test_file_names_are_stable_and_safe(sample: Sample) -> None:
    name = sample.file_name()
    assert name == sample.file_name()
    assert name.isascii() and " " not in name
    # Below the folder of the tests, where a package may have a folder of its own.
    assert not Path(name).is_absolute() and ".." not in Path(name).parts
