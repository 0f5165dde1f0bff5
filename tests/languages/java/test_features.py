"""What the language has beyond integers and objects: how many cases the methods of one class of examples have."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.model import Raised, Returned, Suite
from everypath.generate.exploring import explore_entry
from everypath.ir.check import check_method
from everypath.languages.java.frontend.load import JavaLoaded, Loader
from everypath.options import Limits, Options
from everypath.records import asdict
from tests.languages.java.compiling import SOURCES, compile_java, needs_jdk

pytestmark = needs_jdk
OPTIONS = Options(limits=Limits(time=20.0))
COUNTS = {
    "enumSwitch": 4, "enumCode": 3, "pointEq": 3, "pointStr": 2, "pointHash": 1, "shape": 3, "lambda": 1,
    "methodRef": 2, "greet": 2, "fin": 3, "vararg": 3, "inner": 1, "box": 3, "maxOf": 3, "up": 3, "ternaryNest": 4,
    "obj": 3, "useStat": 1, "print": 2, "same": 2, "sync": 2, "dbl": 2, "ordered": 3, "serial": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> JavaLoaded:
    classes = compile_java([SOURCES / "Features.java"], tmp_path_factory.mktemp("classes"))
    return Loader(OPTIONS)(f"{classes}::features.Features")


def explored(loaded: JavaLoaded, name: str) -> Suite:
    (entry,) = (each for each in loaded.entries if each.qualname == f"Features.{name}")
    suite = Suite(name, asdict(OPTIONS))
    explore_entry(loaded, entry, OPTIONS, suite, lambda *_: None)
    return suite


@pytest.mark.parametrize("name", COUNTS)
def test_cases_of_a_feature(loaded: JavaLoaded, name: str) -> None:
    suite = explored(loaded, name)
    assert not suite.stats.unsupported
    assert len(suite.cases) == COUNTS[name]


@pytest.mark.parametrize("name", ["grid", "partly"])
def test_arrays_of_arrays_have_a_length_for_each_dimension(loaded: JavaLoaded, name: str) -> None:
    suite = explored(loaded, name)
    assert [problem.message for problem in suite.stats.unsupported] == [
        "a new array of symbolic length beyond the length bound"
    ]
    assert any(isinstance(case.expected.outcome, Raised) for case in suite.cases)
    assert any(isinstance(case.expected.outcome, Returned) for case in suite.cases)


def test_what_is_not_followed_is_told_with_its_line(loaded: JavaLoaded) -> None:
    (problem,) = explored(loaded, "fmt").stats.unsupported
    assert "String.format" in problem.message
    assert problem.file.endswith("Features.java")
    assert problem.line > 0


def test_every_method_translates_without_faults(loaded: JavaLoaded) -> None:
    for entry in loaded.entries:
        method = loaded.program.find_method(entry.cls, entry.method)
        assert method is not None
        # One method calls what the model of the library does not have, which is told when it is called.
        assert check_method(loaded.program, method) == [] or entry.qualname == "Features.fmt"


def test_monitors_are_noted(loaded: JavaLoaded, tmp_path: Path) -> None:
    explored(loaded, "sync")
    assert loaded.program.monitors
