"""Stubs: annotations that stand in a `.pyi` file beside the source count where the source itself has none."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.languages.python.frontend.modules import FunctionNode, ModuleSource, flatten, parse_module

_DECLARING = frozenset("NamedTuple TypedDict Enum IntEnum StrEnum Flag IntFlag dataclass define attrs s".split())
"""Bases and decorators that make fields of what a class body annotates."""


def stub_path(path: Path, name: str) -> Path | None:
    """The stub of a module: beside it, or in the package of stubs that is named after the package."""
    beside = path.with_suffix(".pyi")
    if beside.is_file():
        return beside
    top, *rest = name.split(".")
    depth = len(rest) + (path.name == "__init__.py")
    if depth >= len(path.parents):
        return None
    apart = path.parents[depth] / f"{top}-stubs"
    inside = apart.joinpath(*rest, "__init__.pyi") if path.name == "__init__.py" else apart.joinpath(*rest)
    found = inside if path.name == "__init__.py" else inside.with_suffix(".pyi")
    return found if apart.is_dir() and found.is_file() else None


def with_stub(module: ModuleSource) -> ModuleSource:
    """The module, with the annotations of its stub in its tree where the source has none."""
    path = stub_path(module.path, module.name)
    if path is None:
        return module
    file = f"{module.file}i" if path == module.path.with_suffix(".pyi") else str(path)
    try:
        module.stub = parse_module(module.name, module.path, file, path.read_bytes(), user=False)
    except OSError as error:
        raise BadInput(f"cannot read the stub: {error.strerror or error}", Span(file)) from None
    _annotate_body(module.tree.body, module.stub.tree.body)
    return module


def _annotate_body(body: list[ast.stmt], stub: list[ast.stmt]) -> None:
    declared = [statement for statement, _ in flatten(stub)]
    functions: dict[tuple[str, bool], list[FunctionNode]] = {}
    for statement in declared:
        if isinstance(statement, FunctionNode):
            functions.setdefault(_key(statement), []).append(statement)
    classes = {statement.name: statement for statement in declared if isinstance(statement, ast.ClassDef)}
    for statement, _ in list(flatten(body)):
        if isinstance(statement, FunctionNode):
            _annotate_function(statement, functions.get(_key(statement), ()))
        elif isinstance(statement, ast.ClassDef) and statement.name in classes:
            _annotate_body(statement.body, classes[statement.name].body)
            _annotate_fields(statement, classes[statement.name])


def _key(function: FunctionNode) -> tuple[str, bool]:
    """Name, and whether it is a setter: a property and what assigns it have the same name."""
    setter = any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in function.decorator_list)
    return function.name, setter


def _annotate_function(function: FunctionNode, declared: Iterable[FunctionNode]) -> None:
    places = [_arguments(stub) for stub in declared]
    for name, (position, arg) in _arguments(function).items():
        if arg.annotation is None:
            arg.annotation = _either([_found(place, name, position) for place in places], arg)
    if function.returns is None:
        function.returns = _either([stub.returns for stub in declared], function)


def _arguments(function: FunctionNode) -> dict[str, tuple[int, ast.arg]]:
    """Name -> position, -1 for what is no positional parameter."""
    args = function.args
    found = {arg.arg: (position, arg) for position, arg in enumerate([*args.posonlyargs, *args.args])}
    found.update((arg.arg, (-1, arg)) for arg in args.kwonlyargs)
    found.update((f"*{arg.arg}", (-2, arg)) for arg in (args.vararg,) if arg is not None)
    found.update((f"**{arg.arg}", (-3, arg)) for arg in (args.kwarg,) if arg is not None)
    return found


def _found(place: dict[str, tuple[int, ast.arg]], name: str, position: int) -> ast.expr | None:
    """The annotation of a parameter, by its name, or by its position where stubs leave names open."""
    if name in place:
        return place[name][1].annotation
    return next((arg.annotation for at, arg in place.values() if at == position and at != -1), None)


def _either(annotations: list[ast.expr | None], place: ast.AST) -> ast.expr | None:
    """The union of the annotations that overloads give, with the place of what it annotates."""
    different = {ast.dump(annotation): annotation for annotation in annotations if annotation is not None}
    if not different:
        return None
    combined = reduce(lambda left, right: ast.BinOp(left, ast.BitOr(), right), different.values())
    for node in ast.walk(combined):
        if isinstance(node, ast.expr):
            ast.copy_location(node, place)
    return combined


def _annotate_fields(cls: ast.ClassDef, stub: ast.ClassDef) -> None:
    made = [*cls.bases, *(d.func if isinstance(d, ast.Call) else d for d in cls.decorator_list)]
    if any(ast.unparse(part).rpartition(".")[2] in _DECLARING for part in made):
        return
    known = {s.target.id for s in cls.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
    methods = {s.name: s for s in cls.body if isinstance(s, FunctionNode)}
    for statement in stub.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        if name in methods:
            methods[name].returns = methods[name].returns or _either([statement.annotation], methods[name])
        elif name not in known:
            added = ast.AnnAssign(ast.Name(name, ast.Store()), statement.annotation, None, 1)
            for node in ast.walk(added):
                ast.copy_location(node, cls)
            cls.body.append(added)
