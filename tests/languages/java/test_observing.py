"""What cannot be followed is run: which calls the search on the JVM finds, and what becomes of them."""

from __future__ import annotations

import pytest

from everypath.cases.call_text import call_text
from everypath.cases.model import CallCase, Raised, Returned, Suite
from everypath.languages.base import Passed, Seen, Sought
from everypath.languages.java.frontend.load import JavaLoaded, Loader
from everypath.languages.java.naming import name_cases
from everypath.languages.java.observing.reached import Places
from everypath.languages.java.runtime.validation import JavaRuntime
from everypath.options import Options
from everypath.records import asdict
from everypath.workers.reserve import kept_workers
from tests.languages.java.compiling import SOURCES, compile_java, needs_jdk

pytestmark = needs_jdk
OPTIONS = Options()
SECONDS = 4.0


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> JavaLoaded:
    classes = compile_java([SOURCES / "Observed.java"], tmp_path_factory.mktemp("classes"))
    return Loader(OPTIONS)(f"{classes}::observed.Observed")


@pytest.fixture(scope="module")
def seen(loaded: JavaLoaded) -> Seen:
    with kept_workers():
        return JavaRuntime(OPTIONS).observe(loaded, Sought(), SECONDS)


def cases_of(seen: Seen, name: str) -> list[CallCase]:
    return [case for case in seen.cases if case.id.partition("::")[2].startswith(f"Observed.{name}#")]  # type: ignore[misc]


def test_every_branch_that_ends_is_taken(loaded: JavaLoaded, seen: Seen) -> None:
    classes = [cls for cls in map(loaded.hierarchy.find, ("observed.Observed", "observed.Observed$Item")) if cls]
    places = Places(classes, loaded.program.file_of)
    wanted = set(places.branches(places.missing(frozenset())))
    taken = {branch for case in seen.cases for branch in case.covers}
    # The loop of `forever` has no end, so that no test can show that it goes on.
    assert {branch.rpartition(":")[2] for branch in wanted - taken} <= {"53->54"}


def test_results_that_change_from_run_to_run_are_no_cases(seen: Seen) -> None:
    assert not cases_of(seen, "unstable")


def given(case: CallCase) -> object:
    """The plain value that a case returns."""
    outcome = case.expected.outcome
    return getattr(outcome.value, "value", None) if isinstance(outcome, Returned) else None


def test_objects_are_made_by_calls(seen: Seen) -> None:
    (several,) = (case for case in cases_of(seen, "shown") if given(case) == "several")
    assert [step.method.partition("(")[0] for step in several.inputs.steps] == ["", "add", "add"]
    assert call_text(several).startswith("Observed(), then add(")
    assert cases_of(seen, "merged")


def test_outcomes_are_those_of_the_runs(seen: Seen) -> None:
    ends = [case.expected.outcome for case in cases_of(seen, "bits")]
    assert {end.cls for end in ends if isinstance(end, Raised)} <= {"NullPointerException"}
    assert {0, 1, -1} <= {given(case) for case in cases_of(seen, "bits")}


def test_observed_cases_pass(loaded: JavaLoaded, seen: Seen) -> None:
    suite = Suite("observed", asdict(OPTIONS), list(seen.cases))
    name_cases(loaded, suite)  # type: ignore[arg-type]
    with kept_workers():
        verdicts = list(JavaRuntime(OPTIONS).run(loaded, suite, suite.cases))
    assert [verdict for verdict in verdicts if not isinstance(verdict, Passed)] == []


def test_nothing_is_looked_for_where_nothing_is_missing(loaded: JavaLoaded) -> None:
    runtime = JavaRuntime(OPTIONS)
    classes = [cls for cls in map(loaded.hierarchy.find, ("observed.Observed", "observed.Observed$Item")) if cls]
    runtime.remember(set(Places(classes, loaded.program.file_of).missing(frozenset())))
    assert runtime.observe(loaded, Sought(), SECONDS) == Seen()


def test_what_is_left_out_is_not_called(loaded: JavaLoaded) -> None:
    left_out = frozenset(entry.qualname for entry in loaded.entries if entry.qualname != "Observed.bits")
    with kept_workers():
        found = JavaRuntime(OPTIONS).observe(loaded, Sought(left_out=left_out), 2.0)
    assert {case.entry.name for case in found.cases} == {"bits"}  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "least"), [("java.util.StringTokenizer", 20), ("java.lang.String.compareTo", 3)])
def test_classes_of_the_jdk_get_probes_as_well(name: str, least: int) -> None:
    loaded = Loader(OPTIONS)(f"jdk::{name}")
    with kept_workers():
        found = JavaRuntime(OPTIONS).observe(loaded, Sought(), SECONDS)
        suite = Suite("observed", asdict(OPTIONS), list(found.cases))
        name_cases(loaded, suite)  # type: ignore[arg-type]
        verdicts = list(JavaRuntime(OPTIONS).run(loaded, suite, suite.cases))
    assert len({branch for case in found.cases for branch in case.covers}) >= least  # type: ignore[attr-defined]
    assert [verdict for verdict in verdicts if not isinstance(verdict, Passed)] == []
