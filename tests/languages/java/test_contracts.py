"""Preconditions: `--requires` in Java's syntax, and JML in the sources."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from everypath.errors import BadInput, Span
from everypath.ir.check import check_method
from everypath.languages.java.contracts.comments import clauses
from everypath.languages.java.contracts.parsing import parse
from everypath.languages.java.frontend.load import Loader
from everypath.options import Options
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
