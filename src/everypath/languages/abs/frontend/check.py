"""Checks a whole program: from files to a program, or to everything that is wrong with them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from everypath.cases.digits import any_digits
from everypath.errors import BadInput, Span
from everypath.languages.abs.frontend import program as p
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.bodies import World
from everypath.languages.abs.frontend.check_expressions import marked
from everypath.languages.abs.frontend.check_statements import Statements, ends
from everypath.languages.abs.frontend.headers import ClassHeader, FunctionHeader
from everypath.languages.abs.frontend.names import Scope
from everypath.languages.abs.frontend.parser import parser
from everypath.languages.abs.frontend.problems import SYNTAX, TYPE, UNSUPPORTED, Problem, Problems
from everypath.languages.abs.frontend.specialise import first_order
from everypath.languages.abs.frontend.subtyping import is_reference
from everypath.languages.abs.frontend.types import EXCEPTION, UNIT, WRONG
from everypath.records import dataclass

DEPTH = 20_000
"""Frames that may be open while a deeply nested expression is checked."""
LIBRARY = Path(__file__).parent.parent / "models" / "stdlib.abs"


@dataclass(frozen=True, slots=True)
class Source:
    """A file: the name that messages use, and its text."""

    file: str
    text: str


def read_sources(paths: Sequence[Path]) -> tuple[Source, ...]:
    """The files, named as given; BadInput when one cannot be read."""
    found = []
    for path in paths:
        try:
            found.append(Source(str(path), path.read_text(encoding="utf-8-sig")))
        except OSError as error:
            raise BadInput(f"cannot be read: {error.strerror}", Span(str(path))) from None
        except UnicodeDecodeError:
            raise BadInput("is not UTF-8 text", Span(str(path))) from None
    return tuple(found)


def check_program(sources: Sequence[Source]) -> p.Program | tuple[Problem, ...]:
    """The program in these files, or all problems in the order of the source; nothing is raised."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        with any_digits():
            return _checked(sources)
    except RecursionError:
        where = Span(sources[0].file) if sources else Span()
        return (Problem(where, UNSUPPORTED, "expressions or blocks are nested too deeply"),)
    finally:
        sys.setrecursionlimit(before)


def _checked(sources: Sequence[Source]) -> p.Program | tuple[Problem, ...]:
    problems = Problems()
    modules = [module for source in sources for module in parser().parse(source.text, source.file, problems)]
    if not problems.found and not modules:
        where = Span(sources[0].file, 1, 1) if sources else Span()
        problems.add(SYNTAX, where, "there is no module: a file begins with a line such as `module Name;`")
    if any(problem.kind == SYNTAX for problem in problems.found):
        return problems.sorted()
    checker = _Checker([*_library(), *modules], problems)
    checked = checker.program(tuple(dict.fromkeys(module.name for module in modules)))
    return problems.sorted() or first_order(checked, checker.world.partials)


@cache
def _library() -> tuple[s.Module, ...]:
    problems = Problems()
    modules = parser().parse(LIBRARY.read_text(encoding="utf-8"), f"<{LIBRARY.name}>", problems)
    assert not problems.found, problems.sorted()
    return modules


class _Checker:
    """Checks the bodies of a program."""

    def __init__(self, modules: Sequence[s.Module], problems: Problems) -> None:
        self.world = World(modules, problems)

    def program(self, modules: tuple[str, ...]) -> p.Program:
        """Everything that the modules declare, checked."""
        headers = self.world.headers
        functions = {name: self._function(header) for name, header in headers.functions.items()}
        for name, header in headers.partials.items():
            Statements(self.world, header.scope).partial_parameters(name)
        classes = {name: self._class(header) for name, header in headers.classes.items()}
        mains = [
            p.Main(node.span, scope.module.name, self._main(scope, node))
            for scope in self.world.names.importing_first()
            if (node := scope.module.main) is not None
        ]
        return p.Program(
            modules,
            headers.data,
            headers.constructors,
            headers.accessors,
            functions,
            headers.interfaces,
            classes,
            tuple(mains),
        )

    def _function(self, header: FunctionHeader) -> p.Function:
        body = None
        if header.node.body is not None:
            body = Statements(self.world, header.scope, None, header.type_parameters).function_body(header)
        elif header.scope.module not in _library():
            message = f"`{header.node.name}`: builtin functions outside the standard library are not supported"
            self.world.problems.add(UNSUPPORTED, header.node.span, message)
        return p.Function(header.node.span, header.name, header.type_parameters, header.parameters, header.result, body)

    def _main(self, scope: Scope, node: b.Block) -> b.Block:
        body = Statements(self.world, scope)
        body.place = "the main block"
        return body.statements(node)

    def _class(self, header: ClassHeader) -> p.Class:
        node = header.node
        fields = self._fields(header)
        init = None
        if node.init is not None:
            body = Statements(self.world, header.scope, header)
            body.place = body.atomic = "the init block"
            init = body.statements(node.init)
        recover: tuple[b.Branch, ...] = ()
        if node.recover is not None:
            body = Statements(self.world, header.scope, header)
            body.place = body.atomic = "the recover block"
            recover = body.branches(node.recover, EXCEPTION)
        public = {
            signature.name
            for interface in header.implements
            if interface in self.world.headers.interfaces
            for signature in self.world.headers.interfaces[interface].methods
        }
        methods = tuple(self._method(header, method, name in public) for name, method in header.bodies.items())
        return p.Class(
            node.span,
            header.name,
            header.parameters,
            header.implements,
            header.supers,
            fields,
            init,
            recover,
            methods,
        )

    def _fields(self, header: ClassHeader) -> tuple[p.Field, ...]:
        found = []
        later = {f.name for f in header.node.fields}
        for node in header.node.fields:
            variable = t.Variable(node.span, node.name, header.fields[node.name].type)
            value = None
            if node.value is not None:
                body = Statements(self.world, header.scope, header)
                body.late = frozenset(later)
                value = body.expression(node.value)
                body.require(value, variable.type, f"field `{node.name}`")
                value = body.settle(value)
            elif not is_reference(variable.type):
                message = f"field `{node.name}` needs a first value: `{variable.type} {node.name} = ...;`"
                self.world.problems.add(TYPE, node.span, message)
            later.discard(node.name)
            found.append(p.Field(variable, value))
        return tuple(found)

    def _method(self, header: ClassHeader, node: s.Method, public: bool) -> p.Method:
        signature = header.methods[node.signature.name]
        body = Statements(self.world, header.scope, header)
        body.result = signature.result
        body.read_only = marked(node.signature.annotations, "Readonly")
        if marked(node.signature.annotations, "Atomic"):
            body.atomic = "an `[Atomic]` method"
        for v in signature.parameters:
            body.declare(v.span, v.name, v.type, shadow=True)
        block = body.statements(node.body)
        if signature.result not in (UNIT, WRONG) and not ends(block):
            message = f"method `{signature.name}` must end with `return` of a value of type `{signature.result}`"
            self.world.problems.add(TYPE, node.signature.span, message)
        return p.Method(signature.span, signature.name, signature.parameters, signature.result, block, public)
