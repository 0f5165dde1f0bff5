"""What Java tests share: a JDK and JUnit, without which they are skipped, or fail in CI."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from everypath.workers.reserve import kept_workers
from tests.languages.java.places import find_jars, find_jdk


def missing(what: str) -> None:
    """Skips a test, or in CI fails it, because something is not there."""
    advice = f"{what} is missing for the Java tests; `make java` gets it where Debian's packages are at hand"
    if os.environ.get("CI"):
        pytest.fail(advice, pytrace=False)
    pytest.skip(advice)


@pytest.fixture(scope="session")
def jdk_home() -> Path:
    """A JDK."""
    home = find_jdk()
    if home is None:
        missing("a JDK")
    assert home is not None
    return home


@pytest.fixture(autouse=True, scope="session")
def java_home(jdk_home: Path) -> Iterator[None]:
    """Everypath finds the same JDK as the tests."""
    before = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(jdk_home)
    with kept_workers():
        yield
    if before is None:
        del os.environ["JAVA_HOME"]
    else:
        os.environ["JAVA_HOME"] = before


@pytest.fixture(scope="session")
def junit() -> list[Path]:
    """JUnit's jars."""
    jars = find_jars()
    if not jars:
        missing("JUnit 5")
    return jars


Compile = Callable[..., Path]


@pytest.fixture(scope="session")
def compiled(jdk_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Compiles sources, given as file name and text, into a folder of classes."""

    def compile_sources(*sources: str, flags: tuple[str, ...] = ("-g",)) -> Path:
        folder = tmp_path_factory.mktemp("java")
        files = []
        for number, source in enumerate(sources):
            file = folder / f"source{number}" / f"{_class_name(source)}.java"
            file.parent.mkdir()
            file.write_text(source, encoding="utf-8")
            files.append(str(file))
        command = [str(jdk_home / "bin" / "javac"), *flags, "-d", str(folder / "classes"), *files]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        return folder / "classes"

    return compile_sources


def _class_name(source: str) -> str:
    words = source.replace("{", " ").replace("<", " ").split()
    kinds = {"class", "interface", "enum", "record"}
    place = next(
        i for i, word in enumerate(words) if word in kinds and i and words[i - 1] in ("public", "final", "abstract")
    )
    return words[place + 1].partition("(")[0]
