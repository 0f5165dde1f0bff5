"""Java as one of the languages: class files and jars, validated on a JVM."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from everypath.cases.model import CallSuite, SomeSuite
    from everypath.cases.spelling import Spelling
    from everypath.languages.base import Draw, Expanded, Explore, Load, Loaded, Runtime, Writer
    from everypath.languages.definitions import Definition, Part
    from everypath.options import Options


class Java:
    """Programs in Java."""

    name = "Java"
    code = "a Java program"
    suffixes: tuple[str, ...] = (".class", ".jar")
    formats: tuple[str, ...] = ("junit", "json", "sarif")
    settings = frozenset(
        "overflow classpath sources junit assume requires strategy select tests file_tests exclude total_time"
        " case_seconds memory private types diff".split()
    )
    mutates = False
    concurrent = False
    statements = ""

    def claims(self, target: str) -> bool:
        """A jar, a class file, a folder with class files, or a class of the JDK (`jdk::java.util.BitSet`)."""
        place, _, member = target.partition("::")
        if place.endswith(self.suffixes) or (place == "jdk" and member):
            return True
        return _holds_only_classes(place)

    def spelling(self) -> Spelling:
        """Conditions as in Java."""
        from everypath.languages.java.scripts.wording import JAVA

        return JAVA

    def start_early(self) -> None:
        """Start the JVM that runs cases."""
        from everypath.languages.java.runtime.starting import start_early

        start_early()

    def working(self) -> AbstractContextManager[None]:
        """Integers of any length can be shown."""
        from everypath.cases.digits import any_digits

        return any_digits()

    def expand(self, targets: Sequence[str]) -> Expanded:
        """A target is a class, or all classes of a folder, jar or package."""
        from everypath.languages.java.targets import expand

        return expand(targets)

    def outline(self, text: bytes) -> list[Part]:
        """The methods of a class file, and what else is in it."""
        # Few runs compare versions.
        from everypath.languages.java.frontend.outline import outline

        return outline(text)

    def definitions(self, text: bytes) -> tuple[Definition, ...]:
        """As for the outline."""
        return ()

    def loader(self, options: Options) -> Load:
        """Translates the methods of a class when they are called."""
        from everypath.languages.java.frontend.load import Loader

        return Loader(options)

    def explorer(self) -> Explore | None:
        """Methods are explored as sequential code."""
        return None

    def drawer(self) -> Draw | None:
        """As all sequential code."""
        return None

    def complete(self, loaded: Loaded, suite: SomeSuite) -> None:
        """Names say what is special about a path; that monitors did nothing is told."""
        from everypath.languages.java.naming import name_cases, tell_monitors

        name_cases(loaded, cast("CallSuite", suite))
        tell_monitors(loaded, cast("CallSuite", suite))

    def runtime(self, options: Options) -> Runtime:
        """One JVM for the run; none where nothing is to be run."""
        if not options.validate:
            from everypath.languages.java.unrun import NoRuntime

            return NoRuntime()
        from everypath.languages.java.runtime.validation import JavaRuntime

        return JavaRuntime(options)

    def dependences(self) -> None:
        """Everything is done anew in each run."""

    def writer(self, format: str) -> Writer:
        """Files for JUnit, or one file for the whole run."""
        if format in ("json", "sarif"):
            from everypath.cases.kinds import CALLS
            from everypath.languages.whole_formats import whole_writer

            return whole_writer(format, CALLS)
        from everypath.languages.java.writers.junit_writer import JUnitWriter

        return JUnitWriter()


def _holds_only_classes(folder: str) -> bool:
    """Whether there are class files somewhere in a folder; one that also has Python files is not about Java."""
    names = [name for _, _, files in os.walk(folder) for name in files]
    return any(name.endswith(".class") for name in names) and not any(name.endswith(".py") for name in names)
