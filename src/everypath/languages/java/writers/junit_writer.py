"""A suite as one JUnit 5 test class, findings first, that needs nothing of ours to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from everypath.cases.findings import grouped, reached_by
from everypath.cases.model import CallCase, CallSuite, Problem, SomeCase, SomeSuite
from everypath.cases.origin import Origin, origin_of
from everypath.cases.sealing import SEAL, sealed
from everypath.errors import Unsupported
from everypath.languages.base import Module, Source, Written
from everypath.languages.java.frontend.hierarchy import Hierarchy
from everypath.languages.java.runtime.junit import find_junit
from everypath.languages.java.scripts.arrange import TRUSTING
from everypath.languages.java.scripts.body import TestClass, package_of, write_body
from everypath.languages.java.scripts.layout import WIDTH, comment, indented
from everypath.languages.java.scripts.literals import quoted
from everypath.languages.java.scripts.program import JavaProgram
from everypath.languages.java.scripts.scope import KEYWORDS, camel
from everypath.languages.java.scripts.subject import Subject, find_class
from everypath.languages.java.scripts.wording import java_words
from everypath.records import dataclass

_SUFFIX = "GeneratedTest"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A test class."""

    name: str
    """with its package"""
    text: str
    methods: Mapping[str, str]
    """case id -> its test method"""
    left_out: tuple[tuple[str, str], ...]
    """ids of cases that cannot be written, and why"""


def render_class(
    suites: Sequence[CallSuite],
    hierarchy: Hierarchy,
    module: str,
    ways: Mapping[str, int],
    *,
    name: str = "",
    origin: Origin | None = None,
) -> Rendered:
    """The test class of a top-level class; `ways` says for a case's id how its inputs are built."""
    cases = [case for suite in suites for case in suite.cases]
    package, _, simple = module.rpartition(".")
    cls = find_class(hierarchy, package, simple)
    test = TestClass(hierarchy, package_of(cls.package), name or class_name(simple))
    told = {group.cases[0]: _told(group.finding.message, group.finding.line, group.inputs) for group in grouped(cases)}
    ordered = sorted(cases, key=lambda case: case.finding is None)
    taken: set[str] = set()
    members: list[str] = []
    methods: dict[str, str] = {}
    left_out: list[tuple[str, str]] = []
    for case in ordered:
        try:
            method, lines = _method(case, test, ways.get(case.id, TRUSTING), taken, told.get(case.id, ()))
        except Unsupported as problem:
            left_out.append((case.id, problem.message))
            continue
        methods[case.id] = method
        members += [""] * bool(members) + lines
    head = _head(module, origin)
    full = f"{test.package}.{test.name}" if test.package else test.name
    return Rendered(full, test.text(members, head=head), methods, tuple(left_out))


class JUnitWriter:
    """Writes the cases of a class as one test class."""

    format = "junit"
    whole = False
    tries = False

    def file_name(self, source: Source) -> str:
        """`ds/BSTGeneratedTest.java`, where build tools look for a class of the package."""
        package, _, simple = source.module.rpartition(".")
        package = package_of(package)
        return (
            str(Path(*package.split(".")) / f"{class_name(simple)}.java") if package else f"{class_name(simple)}.java"
        )

    def unwritable(self, suite: SomeSuite, case: SomeCase) -> str | None:
        """What cannot be written is found when cases are run or rendered."""
        return None

    def render(self, modules: Sequence[Module], place: Path | None = None, problems: Sequence[Problem] = ()) -> Written:
        """The class of one module."""
        [module] = modules
        program = cast("JavaProgram", module.programs[0])
        file = place or Path(self.file_name(module.source))
        origin = origin_of(module.targets, _place(module), module.options.said, file)
        name = file.stem if file.suffix == ".java" else ""
        suites = cast("list[CallSuite]", module.suites)
        rendered = render_class(suites, program.hierarchy, module.name, module.ways, name=name, origin=origin)
        remark = ""
        if module.options.validate and not find_junit(module.options.junit, program.classpath):
            remark = "was run without JUnit, which was not found: the same statements ran; --junit says where it is"
        if not rendered.methods:
            return Written("", (), rendered.left_out, remark="no case of it can be written as a test")
        return Written(sealed(rendered.text), tuple(rendered.methods), rendered.left_out, remark)


def _place(module: Module) -> Path | None:
    """The folder or jar that the targets are in; None for the JDK, which is everywhere the same."""
    place = Path(module.source.place)
    return place if place.exists() else None


def class_name(simple: str) -> str:
    """The test class of a class."""
    return f"{simple.partition('$')[0]}{_SUFFIX}"


def _head(module: str, origin: Origin | None) -> list[str]:
    """What the tests are about, and what they were made from."""
    lines = ["/*", f" * Tests of {module}, one per path; {SEAL}."]
    if origin is not None:
        lines += [" *", *(f" * {sentence}" for sentence in map(_harmless, origin.sentences()))]
    return [*lines, " */"]


def _harmless(text: str) -> str:
    """A text inside a comment, which nothing in it may end, and in which Java still reads escapes."""
    return (
        text.replace("*/", "* /")
        .replace("\\u", "\\ u")
        .encode("ascii", "backslashreplace")
        .decode()
        .replace("\\u", "\\ u")
    )


def _told(message: str, line: int, inputs: Sequence[str]) -> tuple[str, ...]:
    at = f" at line {line}" if line else ""
    return f"Finding: {message}{at}.", f"Reached by: {reached_by(inputs)}."


def _method(case: CallCase, test: TestClass, way: int, taken: set[str], told: Sequence[str]) -> tuple[str, list[str]]:
    """A test method with its annotations."""
    subject = Subject(case.entry, test.hierarchy)
    called = subject.cls.simple if subject.constructor else subject.method.name
    words = java_words(case.name.replace("_", " "), procedure=subject.method.result == "V")
    body = write_body(case, test, way)
    name = _unique(f"{camel(called)}_{camel(words)}" if words else camel(called), taken)
    lines = [line for sentence in told for line in comment(_harmless(sentence))]
    lines += [f"@{test.imports.annotation('Test')}"]
    lines += [f"@{test.imports.annotation('DisplayName')}({quoted(f'{called}: {words}' if words else called)})"]
    if body.unchecked:
        lines.append('@SuppressWarnings({"unchecked", "rawtypes"})')
    throws = " throws Exception" if body.throws else ""
    lines += [f"void {name}(){throws} {{", *(f"    {line}" if line else "" for line in body_lines(body.lines())), "}"]
    return name, indented(lines, 1)


def body_lines(lines: Sequence[str]) -> list[str]:
    """Statements line by line."""
    return [part for line in lines for part in line.split("\n")]


def _unique(name: str, taken: set[str]) -> str:
    name = f"{name}_" if name in KEYWORDS else name
    candidate, number = name[: WIDTH - 20], 2
    while candidate in taken:
        candidate, number = f"{name[: WIDTH - 20]}_{number}", number + 1
    taken.add(candidate)
    return candidate
