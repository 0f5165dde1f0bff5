"""What callers of a method promise, and what it promises itself.

Preconditions come from `--requires`, from JML in the source, and are the invariants of the class; JML also says what
holds where the method ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.ir.instructions import Param
from everypath.ir.program import Class, Method
from everypath.languages.base import Requirement, SourceProblem
from everypath.languages.java.contracts.comments import Clause, clauses
from everypath.languages.java.contracts.compiling import compile_condition
from everypath.languages.java.contracts.oracles import Promise
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaMethod
from everypath.languages.java.frontend.program import JavaProgram
from everypath.languages.java.frontend.types import STRING


def conditions_of(cls: JavaClass) -> str:
    """The class of the compiled conditions of a class."""
    return f"{cls.name}$$Contracts"


class Requirements:
    """Finds and compiles preconditions; those that are wrong are kept as problems."""

    def __init__(self, program: JavaProgram, requires: tuple[str, ...]) -> None:
        self.program = program
        self.requires = requires
        self.methods: dict[str, Method] = {}
        """compiled conditions, by the names that requirements use"""
        self.problems: list[SourceProblem] = []
        self._clauses: dict[Path, tuple[Clause, ...]] = {}

    def of(self, cls: JavaClass, method: JavaMethod, qualname: str, kind: str) -> tuple[Requirement, ...]:
        """The preconditions of one method."""
        found = [*self._said(cls, method, qualname, kind), *self._written(cls, method, kind)]
        return tuple(found)

    def _said(self, cls: JavaClass, method: JavaMethod, qualname: str, kind: str) -> Iterator[Requirement]:
        for said in self.requires:
            target, colon, text = said.partition(": ")
            plain = target.replace(".", "").replace("$", "").isidentifier()
            if not colon or not plain:
                target, text = "", said
            name = qualname.partition("(")[0]
            if target and name != target and not name.endswith(f".{target}"):
                continue
            try:
                yield self._compiled(text.strip(), cls, method, kind, Span("--requires"), said)
            except BadInput as problem:
                # Without a target it may be about the parameters of another method.
                if target or "is not understood" in str(problem):
                    raise

    def promises(self, cls: JavaClass, method: JavaMethod) -> tuple[Promise, ...]:
        """What the method says about its end, and the invariants of its class."""
        return tuple(self._promised(cls, method))

    def _promised(self, cls: JavaClass, method: JavaMethod) -> Iterator[Promise]:
        path = self._source(cls)
        called = cls.simple if method.name == "<init>" else method.name
        for clause in self._of_file(path) if path is not None else ():
            mine = clause.method == called and clause.parameters == len(method.parameters)
            always = clause.kind == "invariant" and not method.static and "$" not in cls.name
            if always or (mine and clause.kind in ("ensures", "signals")):
                span = Span(str(path), clause.line)
                try:
                    yield self._promise(clause, cls, method, span)
                except BadInput as problem:
                    self._left_out(span, problem)

    def _promise(self, clause: Clause, cls: JavaClass, method: JavaMethod, span: Span) -> Promise:
        end: tuple[str, str] | None = None
        throws = ""
        if clause.kind == "signals":
            throws = self._class_named(clause.throws, cls, span)
            end = clause.name, f"L{throws.replace('.', '/')};"
        elif clause.kind == "ensures":
            end = ("\\result", method.result)
        params = self.program.params(cls, method)
        given = [f"L{cls.info.name};", *method.parameters] if not method.static else list(method.parameters)
        types = dict(zip((param.name for param in params), given))
        made = compile_condition(clause.text, self.program.hierarchy, cls, params, types, span, end)
        name = f"{cls.name}.{method.ir_name} {clause.kind} {clause.line} {clause.text}"
        self._add(cls, name, made.method)
        olds = [f"{name} old {number}" for number in range(len(made.olds))]
        for old, (compiled, _) in zip(olds, made.olds):
            self._add(cls, old, compiled)
        return Promise(clause.kind, clause.text, name, span, tuple(olds), end is not None, throws)

    def _class_named(self, name: str, cls: JavaClass, span: Span) -> str:
        for tried in (name, f"{cls.package}.{name}", f"{cls.name}${name}", f"java.lang.{name}", f"java.util.{name}"):
            if self.program.find_java(tried) is not None:
                return tried
        raise BadInput(f"there is no class {name}", span)

    def _add(self, cls: JavaClass, name: str, method: Method) -> None:
        """File a compiled condition, so that it can be called."""
        method.name, method.cls = name, conditions_of(cls)
        if method.cls not in self.program.classes:
            self.program.add_class(Class(method.cls, ("java.lang.Object",), module=cls.package, model=True))
        self.program.classes[method.cls].methods[name] = method

    def _left_out(self, span: Span, problem: BadInput) -> None:
        told = SourceProblem(span, "contract", f"{problem.message}; it is left out")
        if told not in self.problems:
            self.problems.append(told)

    def _written(self, cls: JavaClass, method: JavaMethod, kind: str) -> Iterator[Requirement]:
        path = self._source(cls)
        called = cls.simple if method.name == "<init>" else method.name
        for clause in self._of_file(path) if path is not None else ():
            mine = clause.method == called and clause.parameters == len(method.parameters)
            wanted = clause.kind == "requires" and mine
            if wanted or (clause.kind == "invariant" and kind == "method" and "$" not in cls.name):
                span = Span(str(path), clause.line)
                try:
                    yield self._compiled(clause.text, cls, method, kind, span)
                except BadInput as problem:
                    self._left_out(span, problem)

    def _compiled(
        self, text: str, cls: JavaClass, method: JavaMethod, kind: str, span: Span, said: str = ""
    ) -> Requirement:
        every = self.program.params(cls, method)
        given = [f"L{cls.info.name};", *method.parameters] if not method.static else list(method.parameters)
        types = dict(zip((param.name for param in every), given))
        params: tuple[Param, ...] = every[1:] if kind == "constructor" else every
        name = f"{cls.name}.{method.ir_name} {text}"
        if name not in self.methods:
            made = compile_condition(text, self.program.hierarchy, cls, params, types, span).method
            self._add(cls, name, made)
            self.methods[name] = made
        return Requirement(text, name, tuple(param.name for param in params), said)

    def _source(self, cls: JavaClass) -> Path | None:
        """The source of a class, below `--sources` or beside its class file."""
        if not cls.label or cls.name == STRING:
            return None
        beside = Path(cls.label) / cls.source_file
        known = Path(self.program.file_of(cls))
        return next((path for path in (known, beside) if path.is_file()), None)

    def _of_file(self, path: Path) -> tuple[Clause, ...]:
        if path not in self._clauses:
            self._clauses[path] = tuple(clauses(path))
        return self._clauses[path]
