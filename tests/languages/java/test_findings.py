"""Which errors are findings: those that callers can bring about and nobody throws on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.findings import grouped
from everypath.cases.model import Suite
from everypath.generate.exploring import explore_entry
from everypath.languages.java.frontend.load import JavaLoaded, Loader
from everypath.options import Limits, Options
from everypath.records import asdict
from tests.languages.java.compiling import SOURCES, compile_java, needs_jdk

pytestmark = needs_jdk
OPTIONS = Options(limits=Limits(time=20.0), overflow=True)
FOUND = {
    "required": [],
    "forgotten": ["runtime-error: java.lang.NullPointerException; Deliberate(), then forgotten(null)"],
    "asserted": ["assertion: the assertion can fail; Deliberate(), then asserted(0)"],
    "refused": [],
    "exact": [],
    "own": [],
    "inside": [],
    "parsed": [],
    "hidden": [],
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> JavaLoaded:
    classes = compile_java([SOURCES / "Deliberate.java"], tmp_path_factory.mktemp("classes"))
    return Loader(OPTIONS)(f"{classes}::deliberate.Deliberate")


def explored(loaded: JavaLoaded, name: str) -> Suite:
    (entry,) = (each for each in loaded.entries if each.qualname == f"Deliberate.{name}")
    suite = Suite(name, asdict(OPTIONS))
    explore_entry(loaded, entry, OPTIONS, suite, lambda *_: None)
    return suite


@pytest.mark.parametrize("name", FOUND)
def test_findings_are_what_nobody_throws_on_purpose(loaded: JavaLoaded, name: str) -> None:
    suite = explored(loaded, name)
    found = [f"{g.finding.kind}: {g.finding.message}; {g.inputs[0]}" for g in grouped(suite.cases)]
    assert found == FOUND[name]
    assert suite.cases


def test_what_a_collection_refuses_is_a_finding(loaded: JavaLoaded) -> None:
    found = {g.finding.message for g in grouped(explored(loaded, "element").cases)}
    assert "java.lang.NullPointerException" in found


@pytest.fixture(scope="module")
def overflows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_java([SOURCES / "Overflows.java"], tmp_path_factory.mktemp("classes"))


@pytest.mark.parametrize(("name", "lines"), [("middle", {7}), ("checksum", {13}), ("product", {19}), ("exact", set())])
def test_overflows_are_findings_with_their_lines_where_they_are_asked_for(
    overflows: Path, name: str, lines: set[int]
) -> None:
    for asked in (True, False):
        options = Options(limits=Limits(loops=2, time=20.0), overflow=asked)
        loaded = Loader(options)(f"{overflows}::overflows.Overflows.{name}")
        suite = Suite(name, asdict(options))
        explore_entry(loaded, loaded.entries[0], options, suite, lambda *_: None)
        found = {each.finding.line for each in suite.cases if each.finding and each.finding.kind == "overflow"}
        assert found == (lines if asked else set())
        assert bool(suite.stats.cut.get("overflow")) == (not asked)
