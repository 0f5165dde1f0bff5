"""The preconditions of a method: from `--requires`, from JML in its source, and the invariants of its class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.ir.instructions import Param
from everypath.ir.program import Class, Method
from everypath.languages.base import Requirement, SourceProblem
from everypath.languages.java.contracts.comments import Clause, clauses
from everypath.languages.java.contracts.compiling import compile_condition
from everypath.languages.java.frontend.hierarchy import JavaClass, JavaMethod
from everypath.languages.java.frontend.program import JavaProgram
from everypath.languages.java.frontend.types import STRING


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
                    told = SourceProblem(span, "contract", f"{problem.message}; it is left out")
                    if told not in self.problems:
                        self.problems.append(told)

    def _compiled(
        self, text: str, cls: JavaClass, method: JavaMethod, kind: str, span: Span, said: str = ""
    ) -> Requirement:
        every = self.program.params(cls, method)
        given = [f"L{cls.info.name};", *method.parameters] if not method.static else list(method.parameters)
        types = dict(zip((param.name for param in every), given))
        params: tuple[Param, ...] = every[1:] if kind == "constructor" else every
        name = f"{cls.name}.{method.ir_name} {text}"
        if name not in self.methods:
            made = compile_condition(text, self.program.hierarchy, cls, params, types, span)
            made.name, made.cls = name, f"{cls.name}$$Contracts"
            self.methods[name] = made
            if made.cls not in self.program.classes:
                self.program.add_class(Class(made.cls, ("java.lang.Object",), module=cls.package, model=True))
            self.program.classes[made.cls].methods[name] = made
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
