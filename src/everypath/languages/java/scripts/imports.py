"""The names that a test class uses: what it imports, and how it then writes types."""

from __future__ import annotations

from everypath.languages.java.classfile.descriptors import (
    PRIMITIVES,
    ArrayOf,
    Generic,
    Parameterised,
    Primitive,
    Variable,
    Wildcard,
)
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass, dotted

LIBRARY_TESTS = ("tests.java.", "tests.javax.", "tests.jdk.", "tests.sun.")
"""the packages of tests of the JDK, to whose own packages nobody may add"""
_ASSERTIONS = "org.junit.jupiter.api.Assertions"


class Imports:
    """Collects what a test class in a package has to import."""

    def __init__(self, hierarchy: Hierarchy, package: str, own: str = "") -> None:
        self.hierarchy = hierarchy
        self.package = package
        self._simple: dict[str, str] = {own: f"{package}.{own}"} if own else {}
        """simple name -> the class that it means in this file"""
        self._imported: set[str] = set()
        self._static: set[str] = set()
        for name in ("Test", "DisplayName"):
            self._simple[name] = f"org.junit.jupiter.api.{name}"

    @property
    def of_library(self) -> bool:
        """Whether these are tests of the JDK, which are run with its packages opened to them."""
        return self.package.startswith(LIBRARY_TESTS)

    def assertion(self, name: str) -> str:
        """One of JUnit's assertions, by its simple name."""
        self._static.add(f"{_ASSERTIONS}.{name}")
        return name

    def lines(self) -> list[str]:
        """The imports of a file, static ones first, each group in order; without those of JUnit's annotations."""
        lines = [f"import static {name};" for name in sorted(self._static)]
        lines += [""] * bool(lines and self._imported)
        return lines + [f"import {name};" for name in sorted(self._imported)]

    def annotation(self, name: str) -> str:
        """One of JUnit's annotations."""
        self._imported.add(f"org.junit.jupiter.api.{name}")
        return name

    def accessible(self, cls: JavaClass | None) -> bool:
        """Whether the test class can name a class."""
        while cls is not None:
            if cls.local or cls.synthetic or not self._member_accessible(cls.access, cls.package):
                return False
            if cls.outer is None:
                return True
            cls = self.hierarchy.find(cls.outer)
        return False

    def member_accessible(self, access: str, owner: str) -> bool:
        """Whether the test class can use a member, given its access, of the class with this binary name."""
        return self._member_accessible(access, owner.rpartition(".")[0])

    def _member_accessible(self, access: str, package: str) -> bool:
        return access == "public" or (access != "private" and package == self.package)

    def cls(self, name: str) -> str:
        """A class as the test names it, by its binary name; it is imported if that helps."""
        found = self.hierarchy.find(name)
        source = found.source_name if found is not None else name.replace("$", ".")
        package = found.package if found is not None else name.rpartition(".")[0]
        inside = source[len(package) + 1 :] if package else source
        first, _, rest = inside.partition(".")
        outer = f"{package}.{first}" if package else first
        if self._simple.setdefault(first, outer) != outer:
            return source
        if package not in ("java.lang", self.package, ""):
            self._imported.add(outer)
        elif package == "java.lang" and self._hidden(first):
            return source
        return f"{first}.{rest}" if rest else first

    def _hidden(self, simple: str) -> bool:
        """Whether the package of the test has a class with the same name as one of `java.lang`."""
        name = f"{self.package}.{simple}" if self.package else simple
        return self.package != "java.lang" and self.hierarchy.find(name) is not None

    def type(self, type_: Generic, *, raw: bool = False) -> str:
        """A type as the test writes it; what it cannot name is an object."""
        match type_:
            case Primitive(letter=letter):
                return PRIMITIVES[letter]
            case ArrayOf(element=element):
                return f"{self.type(element, raw=raw)}[]"
            case Wildcard(bound=bound, type=inner):
                if inner is None or bound not in "+-":
                    return "?"
                return f"? {'extends' if bound == '+' else 'super'} {self.type(inner)}"
            case Variable():
                return "Object"
            case Parameterised(name=name, arguments=arguments):
                if not self.accessible(self.hierarchy.find(dotted(name))):
                    return "Object"
                written = self.cls(dotted(name))
                if raw or not arguments:
                    return written
                return f"{written}<{', '.join(self.type(each) for each in arguments)}>"
