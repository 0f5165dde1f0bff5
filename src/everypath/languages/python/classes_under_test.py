"""Finds the classes that the targets of a search for races name, in the source and without importing anything."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.languages.python.frontend.finder import Finder, import_name, import_root, shown
from everypath.languages.python.frontend.nodes import walk
from everypath.records import dataclass

_MOST_LISTED = 12
_NOT_SHARED = ("Error", "Exception", "Warning", "Enum", "Flag", "Protocol", "TypedDict", "NamedTuple")
"""Classes with such a base hold nothing that threads could share, or cannot be made."""


@dataclass(frozen=True, slots=True)
class RaceTarget:
    """One class to search."""

    target: str
    """as the user would write it"""
    module: str
    cls: str
    path: Path
    root: Path
    """the folder that Python must search to find the module"""
    named: bool
    """asked for by its name, not as one of all the classes of a file"""

    @property
    def file(self) -> str:
        """The file as the user would write it."""
        return shown(self.path)


@dataclass(frozen=True, slots=True)
class _Module:
    path: Path
    name: str
    root: Path
    place: str
    """the target's part before `::`"""

    @property
    def span(self) -> Span:
        return Span(shown(self.path))


def find_targets(targets: list[str]) -> list[RaceTarget]:
    """The classes that the targets name; bad input says which there are."""
    found: dict[tuple[str, str], RaceTarget] = {}
    for target in targets:
        place, _, member = target.partition("::")
        module = _locate(place, Path.cwd().resolve())
        for cls in [_named(module, member)] if member else _public(module):
            each = RaceTarget(f"{place}::{cls}", module.name, cls, module.path, module.root, bool(member))
            found.setdefault((module.name, cls), each)
    return list(found.values())


def _locate(place: str, here: Path) -> _Module:
    if not place:
        raise BadInput("the target names no file or module; write for example 'shop/cache.py::Cache'")
    path = here / place
    is_path = os.sep in place
    if is_path and path.is_dir() and (path / "__init__.py").is_file():
        path = path / "__init__.py"
    if path.is_file():
        if path.suffix != ".py":
            raise BadInput("is not a Python source file; a target is a .py file or a module name", Span(place))
        return _Module(path.resolve(), *import_name(path.resolve()), place)
    if is_path or place.endswith(".py"):
        raise _no_such_file(place, path)
    return _imported(place, here)


def _no_such_file(place: str, path: Path) -> BadInput:
    if path.is_dir():
        return BadInput("is a directory; name one of its files, such as 'shop/cache.py'", Span(place))
    files = [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
    return BadInput(f"no such file{_advice(path.name, files) or '; check the path'}", Span(place))


def _imported(name: str, here: Path) -> _Module:
    """The module of that import name, looked for where the user's own interpreter would look."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise BadInput(f"{name!r} is neither a file nor the name of a module")
    inherited = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    folders = [here, *map(Path, inherited)]
    found = next(filter(None, (Finder(folder, here).locate(name) for folder in folders)), None)
    if found is None and name in sys.builtin_module_names:
        reason = "is built into the interpreter and has no Python source that could be observed"
        raise BadInput(f"module {name} {reason}")
    if found is None:
        raise BadInput(f"there is no file and no module named {name!r}; give a path such as 'shop/cache.py'")
    if found.suffix != ".py":
        reason = "is an extension; it has no Python source that could be observed"
        raise BadInput(f"module {name} {reason}", Span(str(found)))
    found = found.resolve()
    return _Module(found, name, import_root(found, name), name)


def _parsed(path: Path, span: Span) -> ast.Module:
    try:
        return ast.parse(path.read_bytes())
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", span) from None
    except SyntaxError as error:
        raise BadInput(f"is not valid Python: {error.msg}", Span(span.file, error.lineno or 0)) from None
    except ValueError as error:
        raise BadInput(f"is not valid Python: {error}", span) from None


def _named(module: _Module, member: str) -> str:
    """The class of that name; one that is not written there may still come into being on import."""
    tree = _parsed(module.path, module.span)
    name = member.replace("::", ".")
    classes = dict(_classes(tree.body))
    if name in classes:
        return name
    bound = {n for statement in tree.body for n in _bound(statement)}
    head, _, rest = name.partition(".")
    if head in classes:
        methods = {m.name for m in classes[head].body if isinstance(m, (ast.FunctionDef, ast.AsyncFunctionDef))}
        if rest in methods:
            raise BadInput(
                f"{name} is a method; a race is between calls on one object: write {module.place}::{head} "
                f"--method {rest}",
                Span(module.span.file, classes[head].lineno),
            )
    functions = {s.name: s for s in tree.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
    if name in functions:
        raise BadInput(
            f"{name} is a function; a race needs a class whose object two threads share",
            Span(module.span.file, functions[name].lineno),
        )
    if head not in classes and (head in bound or "*" in bound or "__getattr__" in functions):
        return name
    listed = ", ".join(list(classes)[:_MOST_LISTED]) + (" and more" if len(classes) > _MOST_LISTED else "")
    advice = _advice(name, list(classes)) or (f"; it defines {listed}" if classes else "; it defines no classes")
    raise BadInput(f"there is no class {member!r} in this file{advice}", module.span)


def _public(module: _Module) -> list[str]:
    """The public classes that a file defines; of a package also those that it takes from its own modules."""
    tree = _parsed(module.path, module.span)
    names = [
        statement.name
        for statement in _flat(tree.body)
        if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_") and _can_be_shared(statement)
    ]
    if module.path.name == "__init__.py":
        for statement in _flat(tree.body):
            if isinstance(statement, ast.ImportFrom) and statement.level == 1:
                names += _taken_from(statement, module)
    if not names:
        raise BadInput("defines no public class whose objects threads could share", module.span)
    return list(dict.fromkeys(names))


def _taken_from(statement: ast.ImportFrom, module: _Module) -> Iterator[str]:
    file = module.path.parent.joinpath(*(statement.module or "").split(".")).with_suffix(".py")
    if not statement.module or not file.is_file():
        return
    classes = dict(_classes(_parsed(file, Span(shown(file))).body))
    for alias in statement.names:
        local = alias.asname or alias.name
        if alias.name in classes and not local.startswith("_") and _can_be_shared(classes[alias.name]):
            yield local


def _classes(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for statement in _flat(body):
        if isinstance(statement, ast.ClassDef):
            yield prefix + statement.name, statement
            yield from _classes(statement.body, f"{prefix}{statement.name}.")


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body with those inside `if`, `try` and `with`."""
    for statement in body:
        yield statement
        for field in ("body", "orelse", "finalbody"):
            if isinstance(statement, (ast.If, ast.Try, ast.With)):
                yield from _flat(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            yield from _flat(handler.body)


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in the module."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0]
        return
    for node in walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from _bound(node)
        elif isinstance(node, ast.ClassDef):
            yield node.name


def _can_be_shared(node: ast.ClassDef) -> bool:
    names = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
    return not any(name.endswith(_NOT_SHARED) for name in names)


def _advice(name: str, existing: list[str]) -> str:
    close = get_close_matches(name, existing, 3, 0.6)
    return f"; did you mean {' or '.join(close)}?" if close else ""
