"""The JDK that runs tests: where it is, how old it is, whether it can compile. No JVM is started to find out."""

from __future__ import annotations

import os
import re
import shutil

from everypath.errors import BadInput
from everypath.records import dataclass

OLDEST = 17
_ADVICE = (
    f"install JDK {OLDEST} or newer (Debian's package openjdk-{OLDEST}-jdk-headless), or set JAVA_HOME to where it is"
)
_USUAL = "/usr/lib/jvm"


@dataclass(frozen=True, slots=True)
class Jdk:
    """An installed JDK."""

    home: str
    version: int
    release: str
    """its exact version"""
    compiles: bool
    """whether it has a compiler, which an environment only for running programs has not"""

    @property
    def usable(self) -> bool:
        """Whether tests can be compiled and run with it."""
        return self.compiles and self.version >= OLDEST


def find_jdk() -> Jdk | None:
    """The first usable one of `JAVA_HOME`, the program path and the usual folder; else the first at all."""
    found = [jdk for jdk in map(_read, _homes()) if jdk is not None]
    return next((jdk for jdk in found if jdk.usable), found[0] if found else None)


def usable_jdk() -> Jdk:
    """A JDK that can compile and run tests; bad input with advice where there is none."""
    jdk = find_jdk()
    if jdk is None:
        raise BadInput(f"no JDK is found to run Java tests with: {_ADVICE}")
    if jdk.version < OLDEST:
        raise BadInput(f"the JDK in {jdk.home} is version {jdk.version}, too old: {_ADVICE}")
    if not jdk.compiles:
        raise BadInput(f"the Java in {jdk.home} has no compiler: {_ADVICE}")
    return jdk


def _homes() -> list[str]:
    homes = [os.environ["JAVA_HOME"]] if os.environ.get("JAVA_HOME") else []
    for program in ("javac", "java"):
        place = shutil.which(program)
        if place:
            homes.append(os.path.dirname(os.path.dirname(os.path.realpath(place))))
    if os.path.isdir(_USUAL):
        homes += [os.path.join(_USUAL, name) for name in sorted(os.listdir(_USUAL))]
    return list(dict.fromkeys(homes))


def _read(home: str) -> Jdk | None:
    """What the file `release` of a JDK tells."""
    try:
        with open(os.path.join(home, "release"), encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        return None
    version = re.search(r'^JAVA_VERSION="((?:1\.)?(\d+)[^"]*)"', text, re.MULTILINE)
    if version is None or not os.access(os.path.join(home, "bin", "java"), os.X_OK):
        return None
    modules = re.search(r'^MODULES="([^"]*)"', text, re.MULTILINE)
    compiles = "jdk.compiler" in modules[1].split() if modules else os.path.exists(os.path.join(home, "bin", "javac"))
    # Debian's packages list the modules of the JDK also where only those for running programs are installed.
    compiles = compiles and os.path.exists(os.path.join(home, "bin", "javac"))
    return Jdk(home, int(version[2]), version[1], compiles)
