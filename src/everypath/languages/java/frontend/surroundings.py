"""What the translation of a method asks about the rest of the program."""

from __future__ import annotations

from typing import Protocol

from everypath.errors import Span
from everypath.ir.program import Class
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass


class Surroundings(Protocol):
    """The program that a method belongs to."""

    hierarchy: Hierarchy

    def file_of(self, cls: JavaClass) -> str:
        """The source file of a class, as messages name it."""

    def has_initialiser(self, cls: str) -> bool:
        """Whether using a class for the first time runs code, or sets static fields."""

    def add_class(self, cls: Class) -> None:
        """Add a class that stands in no class file, such as that of a lambda."""

    def note_monitor(self, cls: JavaClass, span: Span) -> None:
        """A monitor is entered or left, which does nothing in sequential code."""
