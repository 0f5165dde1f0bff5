"""The papers' programs in Java: the same counts from bytecode as from Python source, for all three heaps."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from everypath.cases.model import Suite
from everypath.errors import BadInput
from everypath.generate.exploring import explore_entry
from everypath.ir.check import check_method
from everypath.languages.java.frontend.load import JavaLoaded, Loader
from everypath.options import Limits, Options
from everypath.records import asdict, replace
from tests.cli.command import everypath

pytestmark = pytest.mark.skipif(
    shutil.which("javac") is None and "CI" not in os.environ, reason="no JDK on the path: install one, 17 or newer"
)
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "papers"
HEAPS = ("noalias", "lazy", "solver")


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = EXAMPLES / "java"
    folder = tmp_path_factory.mktemp("papers")
    files = sorted(map(str, sources.rglob("*.java")))
    subprocess.run(["javac", "-g", "-d", str(folder), *files], check=True)
    return folder


def explored(classes: Path, member: str, heap: str = "solver", loops: int = 1, overflow: bool = False) -> Suite:
    options = Options(heap=heap, limits=Limits(loops=loops, time=60.0), overflow=overflow)
    loaded = Loader(options)(f"{classes}::{member}")
    (entry,) = loaded.entries
    suite = Suite(member, asdict(options))
    explore_entry(loaded, entry, options, suite, lambda *_: None)
    assert not suite.stats.unsupported
    assert not suite.stats.unknown
    return suite


def cases(suite: Suite) -> int:
    return len(suite.cases)


@pytest.mark.parametrize(
    ("member", "counts"),
    [
        ("papers.IntExp.intExp", (3, 3, 3)),
        ("papers.Mist.mist", (4, 5, 4)),
        ("papers.M.m", (1, 5, 2)),
        ("papers.List.remAll", (5, 7, 5)),
        ("papers.Rational.simplify", (5, 5, 5)),
        ("papers.Arithmetic.lcm", (9, 9, 9)),
    ],
)
def test_counts_of_the_papers(classes: Path, member: str, counts: tuple[int, int, int]) -> None:
    assert tuple(cases(explored(classes, member, heap)) for heap in HEAPS) == counts


def test_the_power_is_cut_once_by_its_loop(classes: Path) -> None:
    cut = explored(classes, "papers.IntExp.intExp").stats.cut
    assert cut["loop"] == 1
    assert not cut.get("overflow")


def test_lazy_initialisation_multiplies(classes: Path) -> None:
    found = [cases(explored(classes, "papers.List.remAll", "lazy", loops)) for loops in (1, 2, 3, 4)]
    assert found == [7, 38, 282, 2795]


@pytest.mark.parametrize("heap", HEAPS)
def test_guided_searches_find_what_they_are_asked_for(heap: str, classes: Path, tmp_path: Path) -> None:
    """Example 14 of "Test Case Generation by Symbolic Execution", and Example 11: a = b = 0."""
    points = "points:papers/Arithmetic.java:31,papers/Arithmetic.java:33"
    for select, count in (("local-paths", 3), (points, 1)):
        given = ("--select", select, "--heap", heap, "--format", "json")
        printed = json.loads(everypath(tmp_path, "generate", f"{classes}::papers.Arithmetic.lcm", *given).out)
        assert len(printed["cases"]) == count
        assert all(case["validated"] for case in printed["cases"])
    assert list(printed["cases"][0]["inputs"]["arguments"].values()) == [0, 0]


@pytest.mark.parametrize("heap", HEAPS)
def test_simp_has_the_cases_of_table_3(heap: str, classes: Path, tmp_path: Path) -> None:
    """Eight cases with the summary of Table 2 of the same paper, each of which runs like that on the JVM."""
    native = EXAMPLES / "native-java"
    files = sorted(map(str, native.rglob("*.java")))
    built = shutil.copytree(classes, tmp_path / "classes")
    subprocess.run(["javac", "-g", "-cp", str(classes), "-d", str(built), *files], check=True)
    summary = str(native / "simp.summary")
    given = ("--summary", summary, "--heap", heap, "--format", "json")
    printed = json.loads(everypath(tmp_path, "generate", f"{built}::papers.Fractions.simp", *given).out)
    assert all(case["validated"] for case in printed["cases"])
    found = [case["expected"].get("raises", "ok").rpartition(".")[2] for case in printed["cases"]]
    assert sorted(found) == ["ArithmeticException", *["NullPointerException"] * 2, *["ok"] * 5]


def test_overflow_is_counted_and_on_request_followed(classes: Path) -> None:
    plain = explored(classes, "papers.Arithmetic.lcm")
    assert plain.stats.cut["overflow"] > 0
    followed = explored(classes, "papers.Arithmetic.lcm", overflow=True)
    assert not followed.stats.cut.get("overflow")
    assert cases(followed) > cases(plain)


def test_the_translation_has_no_faults(classes: Path) -> None:
    for path in sorted(classes.rglob("*.class")):
        loaded = load(classes, ".".join(path.relative_to(classes).with_suffix("").parts))
        if loaded is not None:
            for entry in loaded.entries:
                method = loaded.program.find_method(entry.cls, entry.method)
                assert method is not None
                assert check_method(loaded.program, method) == []


def load(classes: Path, name: str) -> JavaLoaded | None:
    try:
        loaded = Loader(replace(Options(), private=True))(f"{classes}::{name}")
    except BadInput:
        return None
    return loaded
