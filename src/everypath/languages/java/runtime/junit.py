"""JUnit's jars: where users have them. Tests are compiled against them and run with what they hold."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from everypath.errors import BadInput

_API = "org/junit/jupiter/api/Test.class"
_NEEDED = ("junit-jupiter-api", "junit-platform-commons", "apiguardian-api", "opentest4j")
"""The jars that tests are compiled against, where they are apart."""
_WHOLE = "junit-platform-console-standalone"
_DEBIAN = Path("/usr/share/java")


def find_junit(given: str | None, class_path: Sequence[Path] = ()) -> tuple[Path, ...]:
    """The jars with which JUnit's API can be used; none if JUnit is nowhere.

    They are looked for where `--junit` says, on the class path, where Debian's package puts them, and in the user's
    caches of Maven and Gradle.
    """
    if given:
        found = _in(_named(given))
        if not found:
            raise BadInput(f"--junit {given}: there is no JUnit 5 (junit-jupiter-api or {_WHOLE})")
        return found
    if any(_holds_api(path) for path in class_path):
        return tuple(path for path in class_path if path.suffix == ".jar")
    home = Path(os.path.expanduser("~"))
    caches = (home / ".m2" / "repository", home / ".gradle" / "caches" / "modules-2" / "files-2.1")
    for jars in (_DEBIAN.glob("*.jar"), *map(_cached, caches)):
        if found := _in(jars):
            return found
    return ()


def _named(given: str) -> Iterator[Path]:
    for part in given.split(os.pathsep):
        path = Path(part)
        if path.is_dir():
            yield from path.glob("*.jar")
        elif path.is_file():
            yield path
        else:
            raise BadInput(f"--junit {part}: there is no such file or folder")


def _cached(cache: Path) -> Iterator[Path]:
    """JUnit's jars in a cache, without a walk over all of it."""
    for group in ("org/junit/jupiter", "org/junit/platform", "org/opentest4j", "org/apiguardian"):
        for place in (cache / group, cache / group.replace("/", ".")):
            if place.is_dir():
                yield from place.rglob("*.jar")


def _in(jars: Iterable[Path]) -> tuple[Path, ...]:
    """The newest of each jar that is needed; the one that holds everything alone if it is there."""
    newest: dict[str, tuple[tuple[int, ...], Path]] = {}
    for jar in jars:
        found = re.fullmatch(r"(.+?)(?:-(\d[\w.\-]*))?\.jar", jar.name)
        if found is None or found[1] not in (*_NEEDED, _WHOLE) or not zipfile.is_zipfile(jar):
            continue
        version = tuple(map(int, re.findall(r"\d+", found[2] or "")))
        if found[1] not in newest or version > newest[found[1]][0]:
            newest[found[1]] = version, jar
    chosen = [newest[name][1] for name in (_WHOLE, *_NEEDED) if name in newest]
    return tuple(chosen) if any(map(_holds_api, chosen)) else ()


def _holds_api(path: Path) -> bool:
    if path.is_dir():
        return (path / _API).is_file()
    try:
        with zipfile.ZipFile(path) as jar:
            return _API in jar.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
