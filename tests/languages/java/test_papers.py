"""The papers' programs in Java, from class files to JUnit suites that pass with JUnit's own console."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.command import everypath
from tests.conftest import ROOT

PROGRAMS = ROOT / "examples" / "papers" / "java"


@pytest.fixture(scope="module")
def classes(jdk_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    sources = [str(path) for path in PROGRAMS.rglob("*.java")]
    subprocess.run([str(jdk_home / "bin" / "javac"), "-g", "-d", str(folder), *sources], check=True)
    return folder


@pytest.mark.parametrize("heap", ["lazy", *(pytest.param(h, marks=pytest.mark.slow) for h in ("solver", "noalias"))])
def test_suites_pass_with_the_console_of_junit(
    heap: str, classes: Path, junit: list[Path], jdk_home: Path, tmp_path: Path
) -> None:
    jars = os.pathsep.join(map(str, junit))
    ended = everypath(tmp_path, "generate", str(classes), "--heap", heap, "-o", "./", "--junit", jars)
    assert ended.code == 1, ended.said
    sources = list(tmp_path.rglob("*.java"))
    assert len(sources) == 7
    path = os.pathsep.join([jars, str(classes)])
    command = [str(jdk_home / "bin" / "javac"), "-Xlint:all,-path", "-Werror", "-cp", path, "-d", str(tmp_path)]
    done = subprocess.run([*command, *map(str, sources)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    tests = sum(source.read_text().count("@Test\n") for source in sources)
    java = [str(jdk_home / "bin" / "java"), "-cp", os.pathsep.join([path, str(tmp_path)])]
    console = [*java, "org.junit.platform.console.ConsoleLauncher", "--scan-class-path", str(tmp_path)]
    ran = subprocess.run([*console, "--details", "summary"], capture_output=True, text=True, check=False)
    assert f"{tests} tests successful" in ran.stdout, ran.stdout
    assert ran.returncode == 0
    assert {"solver": 47, "lazy": 56, "noalias": 45}[heap] == tests


def test_files_are_made_again_from_their_head_unless_somebody_edited_them(
    classes: Path, junit: list[Path], tmp_path: Path
) -> None:
    jars = os.pathsep.join(map(str, junit))
    ended = everypath(tmp_path, "generate", f"{classes}::papers.IntExp", "-o", "./", "--junit", jars)
    assert ended.code == 0, ended.said
    file = tmp_path / "papers" / "IntExpGeneratedTest.java"
    first = file.read_text()
    assert "--junit" not in first and str(junit[0].parent) not in first
    again = everypath(tmp_path, "generate", "papers/IntExpGeneratedTest.java", "--junit", jars)
    assert (again.code, file.read_text()) == (0, first), again.said
    file.write_text(edited := first.replace("void int", "void my"))
    refused = everypath(tmp_path, "generate", f"{classes}::papers.IntExp", "-o", "./", "--junit", jars)
    assert refused.code == 2 and "edited" in refused.said
    assert file.read_text() == edited
