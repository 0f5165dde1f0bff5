"""Where the Java tests find JUnit and a JDK: what this machine has, else what `provide.py` has unpacked."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

UNPACKED = Path(__file__).resolve().parents[3] / "build" / "java"
JUNIT_JARS = (
    "junit-platform-console-standalone.jar",
    "junit-jupiter-api.jar",
    "apiguardian-api.jar",
    "opentest4j.jar",
)
_OLDEST = 17


def find_jars(unpacked: Path = UNPACKED) -> list[Path]:
    """JUnit with what its console needs; empty if some of it is missing."""
    for folder in (Path("/usr/share/java"), unpacked / "root" / "usr" / "share" / "java"):
        jars = [folder / name for name in JUNIT_JARS]
        if all(jar.is_file() for jar in jars):
            return jars
    return []


def find_jdk(unpacked: Path = UNPACKED) -> Path | None:
    """The home of a JDK with a compiler that is new enough."""
    on_path = shutil.which("javac")
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += [Path(on_path).resolve().parents[1]] if on_path else []
    for folder in (Path("/usr/lib/jvm"), unpacked / "root" / "usr" / "lib" / "jvm"):
        homes += sorted(folder.glob("*")) if folder.is_dir() else []
    return next((home for home in homes if _new_enough(home)), None)


def _new_enough(home: Path) -> bool:
    release = home / "release"
    if not (home / "bin" / "javac").is_file() or not release.is_file():
        return False
    version = re.search(r'^JAVA_VERSION="(\d+)', release.read_text(), re.MULTILINE)
    return version is not None and int(version[1]) >= _OLDEST
