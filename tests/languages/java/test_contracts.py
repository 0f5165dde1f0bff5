"""Preconditions: `--requires` in Java's syntax, and JML in the sources."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from everypath.cases.findings import grouped
from everypath.cases.model import Suite
from everypath.errors import BadInput, Span
from everypath.generate.exploring import explore_entry
from everypath.ir.check import check_method
from everypath.languages.java.contracts.comments import clauses
from everypath.languages.java.contracts.parsing import parse
from everypath.languages.java.frontend.load import JavaLoaded, Loader
from everypath.options import Options
from everypath.records import asdict
from tests.cli.command import everypath
from tests.languages.java.compiling import SOURCES, compile_java, needs_jdk

pytestmark = needs_jdk


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_java([SOURCES / "Account.java"], tmp_path_factory.mktemp("classes"))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    (folder / "contracts").mkdir()
    shutil.copy(SOURCES / "Account.java", folder / "contracts" / "Account.java")
    return folder


def test_clauses_belong_to_the_next_method() -> None:
    found = [(each.kind, each.method, each.parameters) for each in clauses(SOURCES / "Account.java")]
    assert found == [
        ("invariant", "withdraw", 1),
        ("requires", "withdraw", 1),
        ("ensures", "withdraw", 1),
        ("requires", "first", 1),
        ("requires", "first", 1),
        ("requires", "broken", 1),
    ]


def test_what_does_not_parse_is_told_with_its_place() -> None:
    with pytest.raises(BadInput, match="'x >' is not understood at"):
        parse("x >", Span("A.java", 3))


def test_preconditions_hold_in_every_test(classes: Path, sources: Path, tmp_path: Path) -> None:
    given = ("--sources", str(sources), "--requires", "divide: b != 0")
    ended = everypath(tmp_path, "generate", f"{classes}::contracts.Account", *given, "-o", "./")
    said = ended.said
    for method in ("withdraw: cases 1,", "first: cases 1,", "divide: cases 1,"):
        assert method in said, said
    assert "unsupported 1" not in said and "defect" not in said
    assert "Account.java:35: contract: the condition 'x >' is not understood" in said


def test_without_them_the_other_paths_are_there(classes: Path, tmp_path: Path) -> None:
    said = everypath(tmp_path, "generate", f"{classes}::contracts.Account", "--no-validate", "-o", "./").said
    assert "withdraw: cases 3," in said and "divide: cases 2," in said


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("divide: c > 0", "c is neither a parameter"),
        ("divide: a + b", "is no condition"),
        ("divide: a == null", "compared with what is none"),
        ("first: numbers.size > 0", "has no field size"),
        ("divide: (\\forall int i; i < a; i > 0)", "needs a beginning and an end"),
    ],
)
def test_conditions_that_do_not_fit_are_refused(classes: Path, tmp_path: Path, text: str, wrong: str) -> None:
    ended = everypath(tmp_path, "generate", f"{classes}::contracts.Account", "--requires", text, "--no-validate")
    assert ended.code == 2 and wrong in ended.said, ended.said


@pytest.mark.parametrize(
    "text",
    [
        "a > 0 ==> b > 0", "!(a == b) || a % 2 == 1", "(\\exists int i; 0 <= i && i <= 3; i * i == a)", "a - 3L < b",
        "divide(a, 1) == a",
    ],
)  # fmt: skip
def test_conditions_compile_to_code_without_faults(classes: Path, text: str) -> None:
    loaded = Loader(Options(requires=(text,)))(f"{classes}::contracts.Account.divide")
    (condition,) = loaded.conditions.values()
    assert check_method(loaded.program, condition) == []


PROMISED = {
    "Promised.Promised": ["the invariant can be broken: balance >= 0"],
    "Promised.deposit": [],
    "Promised.withdraw": [
        "the postcondition can be broken: \\result == \\old(balance) - amount",
        "an exception can be thrown against what the method says: amount > balance",
    ],
    "Promised.first": [],
    "Promised.only": ["an exception can be thrown against what the method says: IllegalArgumentException"],
    "Promised.length": [],
    "Promised.wrong": [],
}


@pytest.fixture(scope="module")
def promised(tmp_path_factory: pytest.TempPathFactory) -> JavaLoaded:
    folder = tmp_path_factory.mktemp("promised")
    classes = compile_java([SOURCES / "Promised.java"], folder / "classes")
    (folder / "sources" / "contracts").mkdir(parents=True)
    shutil.copy(SOURCES / "Promised.java", folder / "sources" / "contracts")
    return Loader(Options(sources=(str(folder / "sources"),)))(f"{classes}::contracts.Promised")


@pytest.mark.parametrize("name", PROMISED)
def test_broken_promises_are_findings(promised: JavaLoaded, name: str) -> None:
    entry = next(each for each in promised.entries if each.qualname == name)
    suite = Suite(name, asdict(Options()))
    explore_entry(promised, entry, promised.options, suite, lambda *_: None)
    found = [group.finding.message for group in grouped(suite.cases)]
    assert sorted(found) == sorted(PROMISED[name])
    assert check_method(promised.program, promised.subject(entry).method) == []
    assert all(case.finding is None or case.finding.kind == "contract" for case in suite.cases)


def test_clauses_that_say_nothing_sensible_are_told(promised: JavaLoaded) -> None:
    told = [problem.message for problem in promised.problems if problem.kind == "contract"]
    assert [message.partition(";")[0] for message in told] == [
        "the condition '\\result.size() > 0': java.lang.String has no method size with 0 parameters",
        "the condition '\\reslt > 0' is not understood at column 1",
    ]


def test_tests_show_what_a_method_does_whatever_it_promises(promised: JavaLoaded, tmp_path: Path) -> None:
    place, sources = promised.classpath[0], promised.options.sources[0]
    ended = everypath(tmp_path, "generate", f"{place}::contracts.Promised", "--sources", sources, "-o", "./")
    assert "defect" not in ended.said and ended.code == 1
    assert "Promised.java:5: contract: the invariant can be broken: balance >= 0; reached by Promised(-1)" in ended.said
