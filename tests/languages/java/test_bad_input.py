"""Targets that cannot be used: each is refused with the class, the reason and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.errors import BadInput
from everypath.languages.java.frontend.load import Loader
from everypath.languages.java.targets import expand
from everypath.options import Options
from tests.languages.java.compiling import needs_jdk

pytestmark = needs_jdk


def refusal(target: str) -> str:
    with pytest.raises(BadInput) as caught:
        expand([target])
        Loader(Options())(target)
    return str(caught.value)


def test_files_that_are_no_class_files(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "X.class").write_bytes(b"garbage")
    (folder / "Y.class").write_bytes(b"\xca\xfe\xba\xbe\0\0\0\xff\0\1")
    assert "X.class" in refusal(f"{tmp_path}::p.X")
    assert "compile with --release" in refusal(f"{tmp_path}::p.Y")
    assert "does not begin" in refusal(str(folder / "X.class"))
    assert "no class or package p.Z" in refusal(f"{tmp_path}::p.Z")


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        ("java.lang.Object.hashCode", "is native"),
        ("java.util.List.size", "name a class that implements it"),
        ("java.lang.Integer.nothing", "has no method nothing"),
        ("no.Such", "no class no.Such"),
    ],
)
def test_members_that_cannot_be_tested(member: str, reason: str) -> None:
    assert reason in refusal(f"jdk::{member}")
