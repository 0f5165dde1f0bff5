"""One parsed source file and the table of what its module-level names are bound to."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from everypath.errors import BadInput, Span
from everypath.languages.python.frontend.conditions import (
    TYPING_ONLY,
    imports_succeed,
    known_test,
    mark_early,
    note_missing,
)
from everypath.languages.python.frontend.conditions import dotted as dotted
from everypath.languages.python.frontend.hierarchy import BUILTIN_NAMES
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.syntax import own_tree, write_out
from everypath.records import dataclass, field, replace

Node = TypeVar("Node", bound=ast.AST)
FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Function = FunctionNode | ast.Lambda


def positional(node: Function) -> list[ast.arg]:
    """The parameters of a function that arguments are given to by position."""
    return [*node.args.posonlyargs, *node.args.args]


def arguments(node: Function) -> list[ast.arg]:
    """All parameters of a function, those with a star last."""
    starred = (node.args.vararg, node.args.kwarg)
    return [*positional(node), *node.args.kwonlyargs, *(arg for arg in starred if arg is not None)]


def defaults_of(node: Function) -> dict[str, ast.expr]:
    """The defaults of a function's parameters, by their names."""
    # Defaults are given for the last of the positional parameters.
    given = zip(reversed(positional(node)), reversed(node.args.defaults))
    named = zip(node.args.kwonlyargs, node.args.kw_defaults)
    return {arg.arg: default for arg, default in (*given, *named) if default is not None}


@dataclass(slots=True)
class FunctionBinding:
    """The name is a function."""

    node: FunctionNode


@dataclass(slots=True)
class ClassBinding:
    """The name is a class."""

    node: ast.ClassDef


@dataclass(slots=True)
class ImportBinding:
    """The name is a module (`attribute` None) or something imported from one."""

    module: str
    attribute: str | None


@dataclass(slots=True)
class ValueBinding:
    """The name is a variable; `writers` are the module-level statements that bind or change it, in order."""

    writers: list[ast.stmt] = field(default_factory=list)


Binding = FunctionBinding | ClassBinding | ImportBinding | ValueBinding


@dataclass(slots=True)
class ModuleSource:
    """A parsed module."""

    name: str
    path: Path
    file: str
    """the path as shown to the user"""
    tree: ast.Module
    user: bool
    """part of the code under test, as opposed to a library that it calls"""
    bindings: dict[str, Binding] = field(default_factory=dict)
    alternatives: dict[str, Binding] = field(default_factory=dict)
    """what an imported name is bound to where the import fails"""
    shadowed: dict[str, Binding] = field(default_factory=dict)
    """what a variable's name was bound to before"""
    stars: list[str] = field(default_factory=list)
    """modules whose public names are imported with `*`"""
    rebound: frozenset[str] = frozenset()
    """names that some function declares global, so that their value may change"""
    model: bool = False
    stub: ModuleSource | None = None
    """the file of annotations beside it; names that only those use are looked up there"""
    taken: frozenset[str] = frozenset()
    """variables that are as the real import leaves them, so that nothing that importing does may be done once more"""
    unchanged: frozenset[int] = frozenset()
    """the lines of functions that the real import leaves as they are written, whatever decorates them"""
    functions_read: list[tuple[str, frozenset[str], frozenset[str]]] | None = None
    """once somebody asked: the functions, each with the variables that it fills and the names that it calls"""
    attributes_read: frozenset[str] | None = None
    """once somebody asked: the names of all attributes that the module mentions"""

    @property
    def library(self) -> bool:
        """Whether it is a library's own code, as opposed to the code under test and to our models."""
        return not (self.user or self.model)

    @property
    def package(self) -> str:
        """The package that relative imports start from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @property
    def attributes(self) -> frozenset[str]:
        """The names of all attributes that the module mentions."""
        if self.attributes_read is None:
            self.attributes_read = frozenset(node.attr for node in walk(self.tree) if isinstance(node, ast.Attribute))
        return self.attributes_read

    def fresh(self) -> ModuleSource:
        """The same source for another program: the tree is shared, the tables that linking changes are not."""
        stub = None if self.stub is None else self.stub.fresh()
        return replace(self, bindings=dict(self.bindings), alternatives=dict(self.alternatives), stub=stub)

    def span(self, node: ast.AST) -> Span:
        """Where a node is."""
        return Span(self.file, getattr(node, "lineno", 0), getattr(node, "col_offset", -1) + 1)


def parse_module(name: str, path: Path, file: str, source: bytes | str, *, user: bool) -> ModuleSource:
    """Parse and index one file; a syntax error is the user's to mend."""
    text = source if isinstance(source, bytes) else source.encode()
    return index_module(ModuleSource(name, path, file, parse(text, file), user), text)


def parse(source: bytes, file: str) -> ast.Module:
    """The syntax of a file, for the caller to change; a syntax error is the user's to mend."""
    try:
        return own_tree(source, file)
    except SyntaxError as error:
        span = Span(file, error.lineno or 0, error.offset or 0)
        raise BadInput(f"not valid Python {sys.version_info[0]}.{sys.version_info[1]}: {error.msg}", span) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise BadInput(f"cannot be parsed as Python: {error}", Span(file)) from None


def index_module(module: ModuleSource, source: bytes) -> ModuleSource:
    """Find out what a module binds; its tree is changed on the way."""
    write_out(module.tree, source)
    if module.user and (b"icontract" in source or b"deal" in source):
        # Few modules have contracts.
        from everypath.languages.python.frontend.contracts import write_out_contracts

        write_out_contracts(module.tree)
    note_missing(module.tree.body, module.path)
    # Looking at every node takes longer than parsing, and most sources do not even contain the word.
    _Indexer(module).run(may_rebind=b"global" in source)
    if module.user:
        _write_first_names(module)
    return module


def _write_first_names(module: ModuleSource) -> None:
    """Replace second names of imported things (`Abstract = abc.ABC`) among bases and decorators.

    These say what kind of class or function is defined, and that is read off their names.
    """
    second = {name: _second_name_of(module, binding) for name, binding in module.bindings.items()}
    first = {name: value for name, value in second.items() if value is not None and name not in module.rebound}
    if not first:
        return
    for definition in _defined_in(module.tree.body):
        definition.decorator_list[:] = [_replaced(first, each) for each in definition.decorator_list]
        if isinstance(definition, ast.ClassDef):
            definition.bases[:] = [_replaced(first, each) for each in definition.bases]


def _second_name_of(module: ModuleSource, binding: Binding) -> ast.expr | None:
    """What a variable is one more name of, if that was imported."""
    match binding:
        case ValueBinding([ast.Assign(value=ast.Name() | ast.Attribute() as value)]):
            return value if isinstance(module.bindings.get(root_name(value)), ImportBinding) else None
    return None


def _defined_in(body: list[ast.stmt]) -> Iterator[ast.ClassDef | FunctionNode]:
    for statement, _ in flatten(body):
        if isinstance(statement, (ast.ClassDef, FunctionNode)):
            yield statement
        if isinstance(statement, ast.ClassDef):
            yield from _defined_in(statement.body)


def _replaced(first: Mapping[str, ast.expr], node: ast.expr) -> ast.expr:
    return ast.copy_location(first[node.id], node) if isinstance(node, ast.Name) and node.id in first else node


def flatten(body: list[ast.stmt], conditional: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of a module or class body, also those inside `if` and `try`, each with whether it may be skipped.

    An `if` whose test is known now (`TYPE_CHECKING`, the Python version, `__main__`) contributes only
    the branch that matters to the code under test.
    """
    for statement in body:
        if isinstance(statement, ast.If):
            known = known_test(statement.test)
            if dotted(statement.test) in TYPING_ONLY and statement.orelse:
                # What is defined for type checkers alone counts only where the program has nothing of that name.
                yield from flatten(statement.orelse, conditional)
                yield from flatten(statement.body, True)
                continue
            if known is None and not conditional and _only_values(statement):
                yield statement, conditional
                continue
            chosen = statement.body if known is not False else []
            chosen = [*chosen, *(statement.orelse if known is not True else [])]
            yield from flatten(chosen, conditional or known is None)
        elif isinstance(statement, (ast.Try, ast.TryStar)):
            succeeds = imports_succeed(statement)
            chosen = [*statement.body, *statement.orelse] if succeeds is not False else []
            for handler in statement.handlers if succeeds is not True else ():
                chosen = [*chosen, *handler.body]
            yield from flatten(chosen, conditional or succeeds is None)
            yield from flatten(statement.finalbody, conditional)
        elif isinstance(statement, ast.With):
            yield from flatten(statement.body, conditional)
        else:
            yield statement, conditional


def _only_values(statement: ast.If) -> bool:
    """Whether a condition only decides what variables are assigned, so that their initialisers can evaluate it."""
    return all(
        isinstance(inner, (ast.Assign, ast.AugAssign, ast.Pass)) or (isinstance(inner, ast.If) and _only_values(inner))
        for inner in [*statement.body, *statement.orelse]
    )


def place_at(node: Node, place: ast.AST) -> Node:
    """Give the parts of a node that are made here the place of another one; those taken from the source keep theirs."""
    for part in walk(node):
        if not getattr(part, "lineno", 0):
            ast.copy_location(part, place)
    return node


def root_name(node: ast.expr) -> str:
    """The variable that an attribute, item or call chain starts from, else an empty string."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def type_argument(node: ast.expr) -> ast.expr | None:
    """The x of `type(x)`."""
    match node:
        case ast.Call(func=ast.Name(id="type"), args=[argument]):
            return argument
    return None


def bound_names(target: ast.expr) -> Iterator[str]:
    """The variables that an assignment target binds."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from bound_names(element)
    elif isinstance(target, ast.Starred):
        yield from bound_names(target.value)


def assigned_pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target of an assignment with what is stored in it, `...` where that is not written out."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            if len(target.elts) == len(node.value.elts):
                yield from zip(target.elts, node.value.elts)
        elif isinstance(target, ast.Tuple):
            for element in target.elts:
                yield element, ast.Constant(Ellipsis)
        else:
            yield target, node.value


def targets_of(statement: ast.stmt) -> list[ast.expr]:
    """The targets that a simple statement assigns to."""
    match statement:
        case ast.Assign() | ast.Delete():
            return statement.targets
        case ast.AnnAssign(value=ast.expr()) | ast.AugAssign() | ast.For():
            return [statement.target]
        case ast.Expr(value=ast.Call(func=ast.Attribute() as function)) if dotted(function) not in _MUTATORS:
            return [function]
        case _:
            return []


_MUTATORS = frozenset("random.shuffle heapq.heapify heapq.heappush bisect.insort bisect.insort_left".split())
"""Functions of the library that change their first argument."""


_SHOWN_ONLY = frozenset(("__doc__", "__module__", "__name__", "__qualname__"))
"""Attributes of functions and classes that only people read."""


def written_names(statement: ast.stmt, functions: Collection[str] = ()) -> set[str]:
    """The variables that a module-level statement binds or may change in place, also by calling `functions`."""
    names: set[str] = set()
    for node in walk(statement) if isinstance(statement, (ast.For, ast.While, ast.If)) else [statement]:
        if isinstance(node, ast.stmt):
            for target in targets_of(node):
                if not (isinstance(target, ast.Attribute) and target.attr in _SHOWN_ONLY):
                    names.update(bound_names(target))
                    names.add(root_name(target))
            match node:
                case ast.Expr(value=ast.Call(func=ast.Name(id=called), args=args)) if called in functions:
                    names.update(root_name(argument) for argument in args)
                case ast.Expr(value=ast.Call(func=function, args=[first, *_])) if dotted(function) in _MUTATORS:
                    names.add(root_name(first))
    names.discard("")
    return names


def from_package(package: str, level: int, module: str | None) -> str:
    """The absolute name of a relative import."""
    if not level:
        return module or ""
    parts = package.split(".") if package else []
    return ".".join([*parts[: len(parts) - (level - 1)], *([module] if module else [])])


def import_bindings(statement: ast.Import | ast.ImportFrom, package: str) -> Iterator[tuple[str, ImportBinding]]:
    """The names that an import statement binds; a star import is not among them."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            top = alias.name.partition(".")[0]
            yield alias.asname or top, ImportBinding(alias.name if alias.asname else top, None)
    else:
        module = from_package(package, statement.level, statement.module)
        for alias in statement.names:
            if alias.name != "*":
                yield alias.asname or alias.name, ImportBinding(module, alias.name)


def named_base(module: ModuleSource, base: ast.expr) -> str:
    """The class that a base names, without bringing it into the program."""
    name = dotted(base.value if isinstance(base, ast.Subscript) else base)
    head, _, rest = name.partition(".")
    match module.bindings.get(head):
        case ImportBinding(source, None):
            return f"{source}.{rest}"
        case ImportBinding(source, attribute):
            return f"{source}.{attribute}" + (f".{rest}" if rest else "")
        case _:
            return f"{module.name}.{name}"


@dataclass(slots=True)
class _Indexer:
    module: ModuleSource

    def run(self, may_rebind: bool) -> None:
        module = self.module
        if may_rebind:
            nodes = (node for node in walk(module.tree) if isinstance(node, ast.Global))
            module.rebound = frozenset(name for node in nodes for name in node.names)
        statements = list(flatten(module.tree.body))
        for statement, conditional in statements:
            self.statement(statement, conditional)
        # Seldom: only a module that defines something with the name of a builtin may have used the builtin before.
        if not module.stars and not BUILTIN_NAMES.isdisjoint(module.bindings):
            self.write_builtins([statement for statement, _ in statements])

    def write_builtins(self, statements: list[ast.stmt]) -> None:
        """Rename builtins that are read before the module defines something of the same name."""
        bound: set[str] = set()
        defined = set(self.module.bindings)
        for statement in statements:
            match statement:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    bound.add(name)
                case ast.Import() | ast.ImportFrom():
                    bound.update(name for name, _ in import_bindings(statement, self.module.package))
                case _:
                    for alias, name in mark_early(statement, bound, defined):
                        self.module.bindings[alias] = ImportBinding("builtins", name)
                    bound |= written_names(statement)

    def statement(self, statement: ast.stmt, conditional: bool) -> None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if not is_overload(statement):
                    self.bind(statement.name, FunctionBinding(statement), conditional)
            case ast.ClassDef():
                self.bind(statement.name, ClassBinding(statement), conditional)
            case ast.Import() | ast.ImportFrom():
                package = self.module.package
                if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names):
                    self.module.stars.append(from_package(package, statement.level, statement.module))
                for name, binding in import_bindings(statement, package):
                    self.bind(name, binding, conditional)
            case _ if type(statement).__name__ == "TypeAlias":
                self.bind(statement.name.id, ValueBinding([statement]), conditional)  # type: ignore[attr-defined]
            case _:
                self.value(statement, conditional)

    def value(self, statement: ast.stmt, conditional: bool) -> None:
        functions = [n for n, b in self.module.bindings.items() if isinstance(b, FunctionBinding)]
        for name in sorted(written_names(statement, functions)):
            known = self.module.bindings.get(name)
            if isinstance(known, ValueBinding):
                # A second definition under an undecided condition is an alternative, not a change.
                if not (conditional and _binds(statement, name)):
                    known.writers.append(statement)
            elif _binds(statement, name) and (known is None or not conditional):
                if known is not None:
                    self.module.shadowed[name] = known
                self.module.bindings[name] = ValueBinding([statement])
            elif _binds(statement, name) and isinstance(known, ImportBinding):
                self.module.alternatives.setdefault(name, ValueBinding([statement]))

    def bind(self, name: str, binding: Binding, conditional: bool) -> None:
        if conditional:
            known = self.module.bindings.setdefault(name, binding)
            if known is not binding and isinstance(known, ImportBinding):
                self.module.alternatives.setdefault(name, binding)
        else:
            self.module.bindings[name] = binding


def _binds(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, ast.AugAssign):
        return False
    nodes = walk(statement) if isinstance(statement, (ast.For, ast.While, ast.If)) else [statement]
    return any(
        name in bound_names(target)
        for node in nodes
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.For))
        for target in targets_of(node)
    )


def is_overload(node: FunctionNode) -> bool:
    """Whether a definition only declares one of several ways to call a function."""
    return any(dotted(d).rpartition(".")[2] == "overload" for d in node.decorator_list)
