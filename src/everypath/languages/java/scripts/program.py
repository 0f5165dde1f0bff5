"""What tests are written and run from: the classes of a loaded program."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass


class JavaProgram(Protocol):
    """As much of a loaded program as tests need."""

    @property
    def hierarchy(self) -> Hierarchy:
        """All classes that can be found."""

    @property
    def classpath(self) -> tuple[Path, ...]:
        """What the JVM needs on its class path, the place of the target first."""

    @property
    def of_jdk(self) -> bool:
        """Whether the class under test is one of the JDK."""

    def file_of(self, cls: JavaClass) -> str:
        """The source file of a class, as cases name it."""
