"""What the language has beyond integers and objects: how many cases the methods of one class of examples have."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.cases.findings import grouped
from everypath.cases.model import Literal, ObjectState, Raised, Returned, Suite
from everypath.errors import BadInput
from everypath.generate.exploring import explore_entry, replay_case
from everypath.ir.check import check_method
from everypath.languages.base import Passed
from everypath.languages.java.frontend.load import JavaLoaded, Loader
from everypath.languages.java.frontend.outline import outline
from everypath.languages.java.runtime.validation import JavaRuntime
from everypath.options import Limits, Options
from everypath.records import asdict, replace
from everypath.workers.reserve import kept_workers
from tests.cli.command import everypath
from tests.languages.java.compiling import SOURCES, compile_java, needs_jdk

pytestmark = needs_jdk
OPTIONS = Options(limits=Limits(time=20.0))
COUNTS = {
    "enumSwitch": 4, "enumCode": 3, "pointEq": 3, "pointStr": 2, "pointHash": 1, "shape": 3, "lambda": 1,
    "methodRef": 2, "greet": 2, "fin": 3, "vararg": 3, "inner": 1, "box": 3, "maxOf": 3, "up": 3, "ternaryNest": 4,
    "obj": 3, "useStat": 1, "print": 2, "same": 2, "sync": 2, "dbl": 2, "ordered": 3, "serial": 1, "signs": 2,
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


@pytest.mark.parametrize(("name", "count"), [("area", 4), ("kind", 4)])
def test_switches_over_patterns_try_their_labels(name: str, count: int, tmp_path: Path) -> None:
    """A preview of Java 17 makes the calls that Java 21 makes."""
    preview = ("--enable-preview", "--release", "17", "-nowarn")
    classes = compile_java([SOURCES / "newer" / "Switches.java"], tmp_path, *preview)
    loaded = Loader(OPTIONS)(f"{classes}::newer.Switches.{name}")
    suite = Suite(name, asdict(OPTIONS))
    explore_entry(loaded, loaded.entries[0], OPTIONS, suite, lambda *_: None)
    assert not suite.stats.unsupported and not suite.stats.cut["loop"]
    assert len(suite.cases) == count


def test_classes_whose_initialisers_fail_are_of_no_use(tmp_path: Path) -> None:
    classes = compile_java([SOURCES / "Initial.java"], tmp_path)
    loaded = Loader(OPTIONS)(f"{classes}::initial.Initial")
    ends = []
    for entry in loaded.entries:
        suite = Suite(entry.qualname, asdict(OPTIONS))
        explore_entry(loaded, entry, OPTIONS, suite, lambda *_: None)
        with kept_workers():
            verdicts = list(JavaRuntime(OPTIONS).run(loaded, suite, suite.cases))
        assert [each for each in verdicts if not isinstance(each, Passed)] == []
        ends += [type(each.expected.outcome).__name__ for each in suite.cases]
        ends += [each.expected.outcome.cls for each in suite.cases if isinstance(each.expected.outcome, Raised)]
    assert sorted(ends) == ["ExceptionInInitializerError", "Raised", "Returned", "Returned"]


@pytest.mark.parametrize(("types", "given"), [((), {int}), (("T: String",), {str})])
def test_type_variables_stand_for_what_is_chosen(types: tuple[str, ...], given: set[type], tmp_path: Path) -> None:
    classes = compile_java([SOURCES / "Largest.java"], tmp_path)
    options = replace(OPTIONS, types=types)
    loaded = Loader(options)(f"{classes}::generic.Largest")
    suite = Suite("larger", asdict(options))
    explore_entry(loaded, loaded.entries[0], options, suite, lambda *_: None)
    returned = [case for case in suite.cases if isinstance(case.expected.outcome, Returned)]
    plain = {
        type(value.value)
        for case in returned
        for value in (*(given for _, given, _ in case.inputs.arguments), *map(_content, case.inputs.heap.values()))
        if isinstance(value, Literal)
    }
    assert len(suite.cases) == 3 and plain == given


def _content(state: object) -> object:
    """What is in a box."""
    return dict(state.fields)["value"] if isinstance(state, ObjectState) else None


def test_types_that_are_none_are_told(tmp_path: Path) -> None:
    classes = compile_java([SOURCES / "Largest.java"], tmp_path)
    with pytest.raises(BadInput, match="there is no class Strang"):
        Loader(replace(OPTIONS, types=("T: Strang",)))(f"{classes}::generic.Largest")


CHANGING = """package changing;
public class Changing {
    public int direct(int n) { return n > 0 ? 1 : 2; }
    public int helped(int n) { return helper(n) + 1; }
    public Runnable later(int n) { return () -> helper(n); }
    private int helper(int n) { return n * 2; }
}
"""


def test_what_changed_in_a_class_file_is_told_by_method(tmp_path: Path) -> None:
    versions = []
    for text in (CHANGING, CHANGING.replace("n * 2", "n * 3"), f"// Longer.\n{CHANGING}"):
        source = tmp_path / "Changing.java"
        source.write_text(text)
        folder = compile_java([source], tmp_path / "classes")
        versions.append(outline((folder / "changing" / "Changing.class").read_bytes()))
    old, new, moved = ({part.text: part for part in version} for version in versions)
    assert old.keys() == moved.keys()
    (changed,) = (part for text, part in new.items() if text not in old)
    assert changed.definition is not None
    assert (changed.definition.qualname, changed.definition.public) == ("Changing.helper", False)
    users = {part.definition.name for part in new.values() if part.definition and "helper" in part.names}
    assert users == {"helped", "lambda$later$0"}
    with pytest.raises(BadInput):
        outline(b"no class")


def test_type_variables_stand_for_texts_where_numbers_leave_branches_out(tmp_path: Path) -> None:
    classes = compile_java([SOURCES / "Kinds.java"], tmp_path)
    loaded = Loader(OPTIONS)(f"{classes}::generic.Kinds")
    found = {}
    for entry in loaded.entries:
        suite = Suite(entry.qualname, asdict(OPTIONS))
        explore_entry(loaded, entry, OPTIONS, suite, lambda *_: None)
        outcomes = [case.expected.outcome for case in suite.cases]
        found[entry.qualname] = [each.value for each in outcomes if isinstance(each, Returned)]
        for case in suite.cases:
            assert replay_case(loaded, entry, OPTIONS, case).outcome is not None  # type: ignore[arg-type]
    assert {Literal("text"), Literal("equal"), Literal("other")} == set(found["Kinds.kind"])
    assert set(found["Kinds.inside"]) == {Literal(0), Literal(1), Literal(2)}
    assert any(isinstance(each, Literal) and isinstance(each.value, str) for each in found["Kinds.larger"])


def test_what_only_subclasses_can_make_brings_no_finding_about(tmp_path: Path) -> None:
    classes = compile_java([SOURCES / "Kinds.java"], tmp_path)
    loaded = Loader(OPTIONS)(f"{classes}::generic.Kinds.after")
    suite = Suite("after", asdict(OPTIONS))
    explore_entry(loaded, loaded.entries[0], OPTIONS, suite, lambda *_: None)
    assert [text for g in grouped(suite.cases) for text in g.inputs] == ["Kinds(held=null), then after(null)"]


def test_tests_are_written_as_people_write_them(tmp_path: Path) -> None:
    classes = compile_java([SOURCES / "Kinds.java", SOURCES / "Counter.java"], tmp_path / "classes")
    everypath(tmp_path, "generate", str(classes), "-o", "tests")
    kinds = (tmp_path / "tests" / "generic" / "KindsGeneratedTest.java").read_text()
    assert "new Integer(" not in kinds
    assert "throws Exception" not in kinds
    counter = (tmp_path / "tests" / "generic" / "CounterGeneratedTest.java").read_text()
    assert "2147483" not in counter
