"""What a program offers to callers, and what it keeps for itself: an error is a finding if callers can bring it about.

A function is kept for the program's own use if its name, or that of its module, begins with an underscore; if its
module lists what it offers and leaves it out; if its package gathers what it offers in an `__init__.py`, leaves it
out and uses it itself; or if it is only handed on as a value, so that whoever gets it decides what it is called with.
What an `__init__.py` takes up under a public name is offered, wherever it is defined. What the program itself calls
such a function with shows in those of its callers that are offered.

Only errors raise these questions, so the sources are read when the first one comes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from everypath.languages.python.frontend.finder import source_path
from everypath.languages.python.frontend.nodes import walk
from everypath.records import dataclass, field

_MOST_FILES = 2_000
"""The most files of a package that are searched for uses of a name."""
_TESTS = frozenset(("tests", "test", "testing", "conftest"))


@dataclass(slots=True)
class SourceOffers:
    """Answers for the program whose modules are imported from one folder."""

    root: Path
    _trees: dict[Path, ast.Module | None] = field(default_factory=dict)
    _known: dict[tuple[str, str], str] = field(default_factory=dict)

    def withheld(self, module: str, name: str) -> str:
        """Why a function or class of a module is not for callers from outside; empty if it is."""
        if (module, name) not in self._known:
            self._known[module, name] = self._why(module, name)
        return self._known[module, name]

    def without_objects(self, module: str, name: str) -> str:
        """Why callers have no objects of exactly this class; empty if they may have some."""
        if self._is_private(module, name.partition(".")[0]):
            return "is private"
        tree = self._tree(source_path(module, self.root, ""))
        node = None if tree is None or "." in name else next(_classes(tree, name), None)
        return "is only a base of others" if node is not None and _is_base(node) else ""

    def assigns(self, module: str, attribute: str) -> bool:
        """Whether code of the program gives the attribute, or any attribute, to objects from outside of their class."""
        return any(
            (tree := self._tree(path, rf"setattr|{attribute}")) is not None and _assigns(tree, attribute)
            for path in self._files(module, source_path(module, self.root, ""))
        )

    def _is_private(self, module: str, name: str) -> bool:
        """Whether names say that it is not for callers, and no package takes it up."""
        if "." in module and any(map(_is_private, module.split("."))):
            return not self._is_taken_up(module, name)
        return _is_private(name) and self._has_public_names(module)

    def _has_public_names(self, module: str) -> bool:
        """Whether a module defines anything for callers; where it does not, underscores tell nothing apart."""
        tree = self._tree(source_path(module, self.root, ""))
        defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return tree is not None and any(isinstance(d, defined) and not _is_private(d.name) for d in tree.body)

    def _why(self, module: str, name: str) -> str:
        if self._is_taken_up(module, name):
            return ""
        if self._is_private(module, name):
            return "is private"
        tree = self._tree(source_path(module, self.root, ""))
        listed = None if tree is None else _listed(tree)
        if listed is not None:
            return "" if name in listed else f"is not in __all__ of {module}"
        called, handed_on = self._uses(module, name)
        gathered = self._gathering(module)
        if gathered and (called or handed_on):
            return f"is not offered by {gathered}, which uses it itself"
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        if called or not handed_on or tree is None:
            return ""
        # A class may be used as a base.
        is_function = any(isinstance(each, functions) and each.name == name for each in tree.body)
        return "is only handed on as a value" if is_function else ""

    def _is_taken_up(self, module: str, name: str) -> bool:
        """Whether a public package around the module has it under a public name."""
        return not _is_private(name) and any(
            name in _taken_up(tree, module) for package, tree in self._packages(module) if package != module
        )

    def _gathering(self, module: str) -> str:
        """The package around the module that gathers what it offers; empty if none does."""
        found = (package for package, tree in self._packages(module) if package != module and _gathers(tree, package))
        return next(found, "")

    def _packages(self, module: str) -> Iterator[tuple[str, ast.Module]]:
        """The public packages that the module is in, itself included, with what they consist of."""
        parts = module.split(".")
        for count in range(1, len(parts) + 1):
            package = ".".join(parts[:count])
            tree = self._tree(self.root.joinpath(*parts[:count], "__init__.py"))
            if tree is None or _is_private(parts[count - 1]):
                return
            yield package, tree

    def _uses(self, module: str, name: str) -> tuple[bool, bool]:
        """Whether the program calls a function, and whether it uses it as a value."""
        called = handed_on = False
        home = source_path(module, self.root, "")
        for path in self._files(module, home):
            tree = self._tree(path, re.escape(name))
            if tree is None:
                continue
            names = {name} if path == home else _names_of(tree, module, name)
            calls, values = _mentions(tree, names, name if path == home else "", module.rpartition(".")[2])
            called, handed_on = called or calls, handed_on or values
        return called, handed_on

    def _files(self, module: str, home: Path) -> Iterator[Path]:
        folder = self.root / module.partition(".")[0]
        if not (folder / "__init__.py").is_file():
            yield home
            return
        for count, path in enumerate(sorted(folder.rglob("*.py"))):
            if count >= _MOST_FILES:
                return
            if _TESTS.isdisjoint((*path.relative_to(folder).parts[:-1], path.stem)):
                yield path

    def _tree(self, path: Path, mentioning: str = "") -> ast.Module | None:
        """The module in a file, if it can be read and mentions what the expression describes."""
        if path not in self._trees:
            try:
                source = path.read_bytes()
                if mentioning and not re.search(rb"\b(" + mentioning.encode() + rb")\b", source):
                    return None
                self._trees[path] = ast.parse(source)
            except (OSError, SyntaxError, ValueError):
                self._trees[path] = None
        return self._trees[path]


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _classes(tree: ast.Module, name: str) -> Iterator[ast.ClassDef]:
    return (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)


def _is_base(node: ast.ClassDef) -> bool:
    """Whether a class says itself that it is abstract, also where none of its methods does."""
    metaclass = (keyword.value for keyword in node.keywords if keyword.arg == "metaclass")
    return any(ast.unparse(base).rpartition(".")[2] in ("ABC", "ABCMeta") for base in (*node.bases, *metaclass))


def _listed(tree: ast.Module) -> frozenset[str] | None:
    """The names in `__all__`; None if the module does not list what it offers."""
    found: set[str] = set()
    listed = False
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                listed = True
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                listed = True
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                listed = True
            case _:
                continue
        found |= {node.value for node in walk(value) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset(found) if listed else None


def _imports(tree: ast.Module) -> Iterator[tuple[str, ast.alias]]:
    """What is imported from modules, those of the same package under names that begin with a dot."""
    for node in walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (("." * node.level + (node.module or ""), alias) for alias in node.names)


def _gathers(tree: ast.Module, package: str) -> bool:
    """Whether a package offers names of its own modules; a module itself is no such name."""
    if listed := _listed(tree):
        return not all(map(_is_private, listed))
    home = (".", f"{package.partition('.')[0]}.")
    own = (alias for source, alias in _imports(tree) if source.strip(".") and source.startswith(home))
    return any(alias.name == "*" or not _is_private(alias.asname or alias.name) for alias in own)


def _taken_up(tree: ast.Module, module: str) -> frozenset[str]:
    """The names of a module that a package has under public names."""
    listed = _listed(tree)
    if listed is not None:
        return listed
    found = set()
    for source, alias in _imports(tree):
        if alias.name == "*" and source.rpartition(".")[2] == module.rpartition(".")[2]:
            # The names that a star does not bring along are private, or left out of `__all__`.
            return _Anything()
        if not _is_private(alias.asname or alias.name):
            found.add(alias.name)
    return frozenset(found)


class _Anything(frozenset[str]):
    def __contains__(self, name: object) -> bool:
        return True


def _names_of(tree: ast.Module, module: str, name: str) -> set[str]:
    """What another module calls it."""
    last = module.rpartition(".")[2]
    found = ((source, alias) for source, alias in _imports(tree) if alias.name == name)
    return {alias.asname or name for source, alias in found if source.rpartition(".")[2] in (last, "")}


def _mentions(tree: ast.Module, names: set[str], defined: str, module: str) -> tuple[bool, bool]:
    """Whether one of the names is called, and whether one is used as a value, outside of its own definition."""
    called: set[int] = set()
    uses: list[ast.expr] = []
    inside = {
        id(node)
        for definition in tree.body
        if isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef)) and definition.name == defined
        for node in walk(definition)
    }
    for node in walk(tree):
        if isinstance(node, ast.Call):
            called.add(id(node.func))
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            called.update(map(id, node.decorator_list))
        is_name = isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load)
        if (is_name or _is_member(node, names, module)) and id(node) not in inside:
            assert isinstance(node, ast.expr)
            uses.append(node)
    return any(id(use) in called for use in uses), any(id(use) not in called for use in uses)


def _is_member(node: ast.AST, names: set[str], module: str) -> bool:
    """Whether a node means the function by way of its module, as in `pricing.discount`."""
    if not (isinstance(node, ast.Attribute) and node.attr in names):
        return False
    owner = node.value
    return (owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")) == module


def _assigns(tree: ast.Module, attribute: str) -> bool:
    """Whether the attribute of something else than `self` is assigned here, by its name or by one that is computed."""
    for node in walk(tree):
        match node:
            case ast.Attribute(value=owner, attr=name, ctx=ast.Store()) if name == attribute:
                pass
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=name), _]) if name == attribute:
                pass
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, name, _]) if not isinstance(name, ast.Constant):
                pass
            case _:
                continue
        if not (isinstance(owner, ast.Name) and owner.id == "self"):
            return True
    return False
