"""Targets that cannot be used: each is refused with the class, the reason and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.errors import BadInput
from everypath.languages.java.frontend.load import Loader
from everypath.languages.java.runtime import jdk
from everypath.languages.java.targets import expand
from everypath.options import Options
from tests.cli.command import everypath
from tests.languages.java.compiling import compile_java, needs_jdk

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


UNUSUAL = """package bad;
public class Unusual {
    public int depends(int n) { if (n > 0) { return new Missing().twice(n); } return 0; }
    public synchronized int locked(int n) { synchronized (this) { return n; } }
    public void starts(int n) { if (n > 1) { new Thread(() -> {}).start(); } }
}
class Missing { int twice(int n) { return n * 2; } }
"""


def test_what_is_missing_or_concurrent_is_told_with_its_line(tmp_path: Path) -> None:
    source = tmp_path / "Unusual.java"
    source.write_text(UNUSUAL)
    classes = compile_java([source], tmp_path / "classes")
    (classes / "bad" / "Missing.class").unlink()
    said = everypath(tmp_path, "generate", f"{classes}::bad.Unusual", "--no-validate", "-o", "./").said
    assert "Unusual.java:3: unsupported: bad.Missing is not on the class path (--classpath)" in said
    assert said.count("Unusual.java:4: note: monitors do nothing in sequential code") == 1
    assert "Unusual.java:5: unsupported: threads" in said


SIGNED = """package bad;
public class Signed {
    public int asks(Missing m, int n) { return n > 0 ? m.twice(n) : 0; }
    public int other(int n) { return n > 3 ? new Missing().twice(n) : 1; }
}
class Missing { int twice(int n) { return n * 2; } }
"""


def test_a_class_that_is_missing_in_a_signature_stops_the_search_and_not_the_run(tmp_path: Path) -> None:
    source = tmp_path / "Signed.java"
    source.write_text(SIGNED)
    classes = compile_java([source], tmp_path / "classes")
    (classes / "bad" / "Missing.class").unlink()
    said = everypath(tmp_path, "generate", f"{classes}::bad.Signed", "-o", "./").said
    assert "Signed.java:3: unsupported: Signed.asks: the compiler does not take its test" in said
    assert "no more calls of bad.Signed can be tried: java.lang.NoClassDefFoundError: bad/Missing" in said
    assert "SignedGeneratedTest.java" in said


def test_a_jdk_that_is_too_old_is_told_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    for program in ("java", "javac"):
        (tmp_path / "bin" / program).touch(mode=0o755)
    (tmp_path / "release").write_text('JAVA_VERSION="11.0.2"\n')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(jdk, "_USUAL", str(tmp_path / "nowhere"))
    with pytest.raises(BadInput, match="is version 11, too old: install JDK 17 or newer"):
        jdk.usable_jdk()
    (tmp_path / "release").unlink()
    with pytest.raises(BadInput, match="no JDK is found"):
        jdk.usable_jdk()
    with pytest.raises(BadInput, match="no JDK was found: install one, 17 or newer, or set JAVA_HOME"):
        Loader(Options())("jdk::java.lang.Math")
