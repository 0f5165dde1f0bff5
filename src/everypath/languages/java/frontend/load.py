"""Loads what a target names: the methods of a class, of all classes in a package, or one method."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from everypath.cases.model import Entry
from everypath.errors import BadInput, Span
from everypath.ir.instructions import Param
from everypath.ir.program import Method
from everypath.ir.types import STR, optional
from everypath.languages.base import EntryPoint, SourceProblem
from everypath.languages.definitions import Definition
from everypath.languages.java.classfile.descriptors import readable
from everypath.languages.java.classfile.errors import BadClassFile
from everypath.languages.java.classfile.places import ClassPath, Jar, Jdk, Place, find_jdk, open_place
from everypath.languages.java.frontend.hierarchy import Hierarchy, JavaClass, JavaMethod
from everypath.languages.java.frontend.program import JavaProgram, make_program
from everypath.languages.java.frontend.types import INTEGER
from everypath.options import POINTS, Options
from everypath.paths import Guess
from everypath.records import dataclass, field, replace

if TYPE_CHECKING:
    from everypath.cases.describing import Describer
    from everypath.explore.search.subject import Subject
    from everypath.languages.java.contracts.oracles import Promise
    from everypath.languages.java.contracts.requirements import Requirements
    from everypath.languages.java.semantics.semantics import JavaSemantics

MODELS = Path(__file__).parent.parent / "models" / "models.jar"
"""the library classes that are written for the engine"""
WORDS = ("null", "true", "false")
"""how Java writes what Python calls None, True and False"""
_REPLACED = ("java.util.HashMap", "java.util.LinkedHashMap")
"""models that are for programs that use the class, not for tests of the class itself"""
_TEXTS: Guess = (("every type variable", "String"),)
"""what is tried where Integer leaves branches out"""
JDK_TARGET = "jdk"
"""the place of targets in the JDK itself"""


@dataclass(frozen=True, slots=True)
class JavaEntryPoint(EntryPoint):
    """A method or constructor; cases call it as `shown_name` does, which tells overloaded ones apart."""

    def case_entry(self) -> Entry:
        """The entry as test cases name it."""
        outer, _, name = self.qualname.partition("(")[0].rpartition(".")
        shown = self.qualname.removeprefix(f"{outer}.") if outer else name
        return Entry(self.module, self.span.file, outer, shown, self.kind, self.span.line, words=WORDS)


@dataclass(slots=True)
class JavaLoaded:
    """A class under test with the program around it; what `languages.base.Loaded` describes."""

    program: JavaProgram
    entries: tuple[EntryPoint, ...]
    module: str
    root: Path
    file: str
    classpath: tuple[Path, ...]
    """what the JVM needs on its class path: the target's place first"""
    options: Options
    problems: tuple[SourceProblem, ...] = ()
    definitions: tuple[Definition, ...] = ()
    effects: Method | None = None
    conditions: Mapping[str, Method] = field(default_factory=dict)
    """the preconditions of entries, compiled, by name"""
    of_jdk: bool = False
    """whether the class under test is one of the JDK"""
    with_texts: Callable[[], JavaProgram] | None = None
    """gives the same program, in which type variables stand for texts"""
    promises: Mapping[str, tuple[Promise, ...]] = field(default_factory=dict)
    """qualified name of an entry -> what it says about its end"""

    @property
    def hierarchy(self) -> Hierarchy:
        """All classes that can be found."""
        return self.program.hierarchy

    def file_of(self, cls: JavaClass) -> str:
        """The source file of a class, as cases name it."""
        return self.program.file_of(cls)

    @property
    def running(self) -> Hierarchy:
        """The classes that the JVM runs: a class of the JDK that is under test may have a model here."""
        home = find_jdk() if self.of_jdk else None
        return Hierarchy(ClassPath([Jdk(home)])) if home is not None else self.hierarchy

    def subject(self, entry: EntryPoint) -> Subject:
        """A method as the search sees it."""
        from everypath.explore.search.subject import Subject

        semantics, method = self._compiled(self.program, entry)
        promises = self.promises.get(entry.qualname)
        if promises:
            # Few methods have conditions on their end.
            from everypath.languages.java.contracts.oracles import with_promises
            from everypath.languages.java.contracts.requirements import conditions_of

            cls = self.program.find_java(entry.cls)
            assert cls is not None
            method = with_promises(method, conditions_of(cls), promises)
        places = {param.name: position for position, param in enumerate(method.params)}
        requires = tuple(
            (self.conditions[each.method], tuple(places[name] for name in each.names)) for each in entry.requires
        )
        constructs = entry.kind == "constructor"
        others = () if requires or promises or not self._is_generic(entry) else (_TEXTS,)
        found = Subject(semantics, method, entry.cls, constructs=constructs, requires=requires, others=others)

        def variant(_: Guess) -> Subject:
            assert self.with_texts is not None
            semantics, method = self._compiled(self.with_texts(), entry)
            return replace(found, semantics=semantics, method=method)

        return replace(found, variant=variant) if others else found

    def _compiled(self, program: JavaProgram, entry: EntryPoint) -> tuple[JavaSemantics, Method]:
        from everypath.languages.java.semantics.semantics import JavaSemantics

        method = program.find_method(entry.cls, entry.method)
        assert method is not None
        return JavaSemantics(program, self.options.overflow), method

    def _is_generic(self, entry: EntryPoint) -> bool:
        """Whether there are type variables for which something else than what is tried first may be tried."""
        cls = self.program.find_java(entry.cls)
        assert cls is not None
        return self.with_texts is not None and self.program.has_open_variables(cls, cls.methods[entry.method])

    def describer(self) -> Describer:
        """What only Java has among inputs and results."""
        from everypath.languages.java.semantics.describer import JavaDescriber

        return JavaDescriber(self.program)


class Loader:
    """Loads the targets of a run; places and class files are read once."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.home = find_jdk()
        self._places: dict[Path, Place] = {}
        self._programs: dict[tuple[str, bool, bool], JavaProgram] = {}

    def place(self, path: Path) -> Place:
        """A folder or jar, opened once."""
        if path not in self._places:
            try:
                self._places[path] = open_place(path)
            except BadClassFile as problem:
                raise BadInput(str(problem), Span(str(path))) from None
        return self._places[path]

    def program(self, place: str, member: str = "", *, texts: bool = False) -> tuple[JavaProgram, tuple[Path, ...]]:
        """The program that a folder or jar is, with the class path around it; a class under test has no model.

        With `texts`, type variables stand for String.
        """
        if self.home is None:
            raise BadInput("no JDK was found: install one, 17 or newer, or set JAVA_HOME")
        paths = tuple(path for path in (place, *self.options.classpath) if path and path != JDK_TARGET)
        found = tuple(map(Path, paths))
        for path in found:
            if not path.exists():
                raise BadInput("there is no such folder or jar", Span(str(path)))
        without = _REPLACED if place == JDK_TARGET and member.startswith(_REPLACED) else ()
        key = (place, bool(without), texts)
        if key not in self._programs:
            places = [self.place(path) for path in found]
            whole = Jar(MODELS, "whole/", tuple(name.replace(".", "/") for name in without))
            parts, jdk = Jar(MODELS, "parts/"), Jdk(self.home)
            hierarchy = Hierarchy(ClassPath([whole, *places, jdk]))
            own = tuple(name.replace("/", ".") for each in places[:1] for name in each.names())
            self._programs[key] = make_program(
                hierarchy,
                own,
                parts=Hierarchy(ClassPath([parts, whole, jdk])),
                overlay=str(MODELS),
                sources=tuple(map(Path, self.options.sources)),
            )
            self._programs[key].choose_types(self.options.types)
            self._programs[key].anything = optional(STR) if texts else INTEGER
        return self._programs[key], found

    def __call__(self, target: str) -> JavaLoaded:
        """What the target names; BadInput where that is nothing."""
        place, _, member = target.partition("::")
        program, paths = self.program(place, member)
        try:
            cls, method = split_member(program, member, place)
            loaded = self._loaded(program, cls, method, place, paths)
            return replace(loaded, with_texts=partial(self._with_texts, place, member, program.tested))
        except BadClassFile as problem:
            raise BadInput(str(problem), Span(place)) from None

    def _with_texts(self, place: str, member: str, tested: frozenset[str]) -> JavaProgram:
        program, _ = self.program(place, member, texts=True)
        program.tested |= tested
        return program

    def _loaded(
        self, program: JavaProgram, cls: JavaClass, method: str, place: str, paths: tuple[Path, ...]
    ) -> JavaLoaded:
        outermost = cls.name.partition("$")[0]
        if place == JDK_TARGET:
            program.tested |= {outermost}
        if self.options.summary or self.options.select.startswith(POINTS):
            # These name code that nothing may have called yet.
            program.translate_own()
        entries, problems = _entries(program, cls, method, self.options.private)
        if method and not entries:
            raise BadInput(f"{cls.name} has no method {method} that can be tested", Span(program.file_of(cls)))
        # What reads contracts itself builds on this module's program.
        from everypath.languages.java.contracts.requirements import Requirements

        contracts = Requirements(program, self.options.requires)
        entries = [_with_requirements(contracts, entry) for entry in entries]
        promises = {entry.qualname: contracts.promises(*_named(program, entry)) for entry in entries}
        problems += contracts.problems
        return JavaLoaded(
            program,
            tuple(entries),
            outermost,
            Path(place) if place != JDK_TARGET else Path(),
            program.file_of(cls),
            paths,
            self.options,
            tuple(problems),
            tuple(Definition(each.qualname, each.span.line, each.span.line, True) for each in entries),
            conditions=contracts.methods,
            of_jdk=place == JDK_TARGET,
            promises=promises,
        )


def _named(program: JavaProgram, entry: EntryPoint) -> tuple[JavaClass, JavaMethod]:
    cls = program.find_java(entry.cls)
    assert cls is not None
    return cls, cls.methods[entry.method]


def _with_requirements(contracts: Requirements, entry: EntryPoint) -> EntryPoint:
    found = contracts.of(*_named(contracts.program, entry), entry.qualname, entry.kind)
    return replace(entry, requires=found) if found else entry


def split_member(program: JavaProgram, member: str, place: str) -> tuple[JavaClass, str]:
    """The class and the method that a target names; the method is empty for the whole class."""
    name, _, types = member.partition("(")
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        found = _class_of(program, parts[:count])
        if found is not None:
            rest = parts[count:]
            if len(rest) > 1:
                break
            return found, (rest[0] + (f"({types}" if types else "")) if rest else ""
    raise BadInput(f"there is no class {name} in {place or 'the JDK'}", Span(place))


def _class_of(program: JavaProgram, parts: Sequence[str]) -> JavaClass | None:
    """The class of a dotted name; the last parts may be nested classes."""
    for nested in range(len(parts)):
        split = len(parts) - nested
        name = "$".join((".".join(parts[:split]), *parts[split:]))
        found = program.hierarchy.find(name)
        if found is not None:
            return found
    return None


def shown_name(cls: JavaClass, method: JavaMethod) -> str:
    """`BST.insert`; with the types of its parameters if there are several of that name."""
    simple = cls.name.removeprefix(f"{cls.package}.") if cls.package else cls.name
    name = simple.rpartition("$")[2] if method.name == "<init>" else method.name
    alike = [each for each in cls.methods.values() if each.name == method.name and not each.synthetic]
    types = ", ".join(map(short_type, method.parameters)) if len(alike) > 1 else None
    return f"{simple}.{name}" + (f"({types})" if types is not None else "")


def short_type(descriptor: str) -> str:
    """A type as Java writes it, without its package."""
    return readable(descriptor).rpartition(".")[2]


def _entries(
    program: JavaProgram, cls: JavaClass, wanted: str, private: bool
) -> tuple[list[EntryPoint], list[SourceProblem]]:
    name, _, types = wanted.partition("(")
    file = program.file_of(cls)
    found: list[EntryPoint] = []
    problems: list[SourceProblem] = []
    for method in cls.methods.values():
        called = cls.simple if method.name == "<init>" else method.name
        if method.synthetic or method.bridge or method.name == "<clinit>" or (name and called != name):
            continue
        if types and types.removesuffix(")").replace(" ", "") != ",".join(map(short_type, method.parameters)):
            continue
        if not name and (method.access == "private" and not private):
            continue
        if not name and _trivial(cls, method):
            continue
        span = Span(file, method.line)
        obstacle = _obstacle(cls, method)
        qualname = shown_name(cls, method)
        if obstacle:
            problem = SourceProblem(span, "unsupported", f"{qualname}: {obstacle}")
            problems.append(problem)
            if not name:
                continue
            raise BadInput(f"{cls.name}.{called} {obstacle}", span)
        kind = "constructor" if method.name == "<init>" else "static" if method.static else "method"
        params: tuple[Param, ...] = program.params(cls, method)
        outermost = cls.name.partition("$")[0]
        found.append(JavaEntryPoint(cls.name, method.ir_name, kind, qualname, outermost, span, params))
    return found, problems


def _trivial(cls: JavaClass, method: JavaMethod) -> bool:
    """What a compiler writes: the constructor of a class that has none, the methods of every enum and record."""
    if cls.kind == "enum" and method.name in ("values", "valueOf"):
        return True
    return method.name == "<init>" and (cls.kind in ("enum", "interface") or not method.parameters)


def _obstacle(cls: JavaClass, method: JavaMethod) -> str:
    """Why a method cannot be tested; empty if it can."""
    if method.native:
        return "is native: there is no bytecode to follow"
    if method.abstract:
        return "is abstract: name a class that implements it"
    if method.name == "<init>" and cls.abstract:
        return "is the constructor of an abstract class: name a class that extends it"
    return ""


def classes_in(place: Place, package: str) -> Iterator[str]:
    """The binary names of the classes of a place, or of one of its packages, nested ones left out."""
    for name in place.names():
        dotted_name = name.replace("/", ".")
        if "$" not in name and (not package or dotted_name.startswith(f"{package}.")):
            yield dotted_name
