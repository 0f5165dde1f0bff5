"""The parts of a source file, and which of them a function may come to use.

What code uses it has to name: a function by its own name, a method or attribute by its name on any object, a class in
an annotation or a call. So what a function may use is found by names alone, and rather too much is found than too
little: every part of the program that gives a meaning to a name which the text mentions belongs to it, and so do the
names that this part mentions. Three things are used without being named:

- a class with all its methods where the class is: objects of it are inputs, and calls of its methods make them;
- the classes below a class, whose objects may take its place;
- what importing a module does: statements that are more than a definition, an import or a plain value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from everypath.languages.depending import Place
from everypath.records import dataclass, field

_WORD = re.compile(r"[^\W\d]\w*")
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTION, CLASS, PLAIN, RUNS = "function", "class", "plain", "runs"
"""Kinds of parts: what a statement does when its module is imported."""
_UNRUN = re.compile(r"(\w+\.)?TYPE_CHECKING$|__name__ == '__main__'$")
_HIDDEN = frozenset(("__init_subclass__", "__set_name__", "__prepare__", "__class_getitem__", "__del__"))
"""Methods that run without being called: at import, or when nobody knows."""


@dataclass(frozen=True, slots=True)
class Part:
    """A function, the head of a class, or another statement of a module or class body."""

    file: str
    owner: str
    """the class that it belongs to, empty for the module"""
    names: tuple[str, ...]
    """the names that it gives a meaning"""
    kind: str
    first: int
    last: int
    text: str
    words: frozenset[str]
    """every name that it mentions"""
    at_once: frozenset[str] = frozenset()
    """of these, the ones that importing already uses: in decorators and defaults"""

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(self.file, ".".join(filter(None, (self.owner, *self.names[:1]))), self.first, self.last)

    @property
    def shown(self) -> str:
        """Everything about it but its place."""
        return f"{self.file}\0{self.owner}\0{self.kind}\0{self.text}"


def parts_of(file: str, source: str, tree: ast.Module, known: Iterable[str]) -> list[Part]:
    """The parts of a text in their order; `known` are modules that can be imported without further ado."""
    return list(_parts(file, tree.body, "", source.splitlines(), frozenset(known)))


def _parts(file: str, body: Iterable[ast.stmt], owner: str, lines: list[str], known: frozenset[str]) -> Iterator[Part]:
    for node in body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        last = node.end_lineno or node.lineno
        if isinstance(node, _Function):
            # A comment may be a precondition.
            while first > 1 and re.match(r"\s*#\s*requires:", lines[first - 2]):
                first -= 1
            text = "\n".join(lines[first - 1 : last])
            used = [*node.decorator_list, *filter(_calls, [*node.args.defaults, *filter(None, node.args.kw_defaults)])]
            at_once = _words("\n".join(map(ast.unparse, used)))
            yield Part(file, owner, (node.name,), FUNCTION, first, last, text, _words(text), at_once)
        elif isinstance(node, ast.ClassDef):
            yield from _class(file, node, owner, lines, known, first)
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and _is_plain(node, known):
            # One name has nothing to do with the others that the same line imports.
            for each in _imported_apart(node):
                text, name = ast.unparse(each), tuple(_given(each))
                yield Part(file, owner, name, PLAIN, first, last, text, _words(text))
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            text = "\n".join(lines[first - 1 : last])
            kind = PLAIN if _is_plain(node, known) else RUNS
            yield Part(file, owner, tuple(_given(node)), kind, first, last, text, _words(text))


def _imported_apart(node: ast.Import | ast.ImportFrom) -> Iterator[ast.stmt]:
    for alias in node.names:
        yield ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], node.level)


def _class(
    file: str, node: ast.ClassDef, owner: str, lines: list[str], known: frozenset[str], first: int
) -> Iterator[Part]:
    name = f"{owner}.{node.name}" if owner else node.name
    body = min(min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))]) for s in node.body)
    head = [*node.decorator_list, *node.bases, *(each.value for each in node.keywords)]
    text = f"class {node.name}: " + "; ".join(map(ast.unparse, head))
    at_once = _words("\n".join(map(ast.unparse, [*node.decorator_list, *(each.value for each in node.keywords)])))
    yield Part(file, owner, (node.name,), CLASS, first, max(first, body - 1), text, _words(text), at_once)
    yield from _parts(file, node.body, name, lines, known)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _calls(node: ast.AST) -> bool:
    return any(isinstance(each, (ast.Call, ast.Await, ast.Subscript, ast.BinOp)) for each in ast.walk(node))


def _is_plain(node: ast.stmt, known: frozenset[str]) -> bool:
    """Whether a statement does nothing but give names a meaning."""
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in known for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return bool(node.level) or (node.module or "").partition(".")[0] in known
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return all(isinstance(each, ast.Name) for each in targets) and not (node.value and _calls(node.value))
    if isinstance(node, ast.If) and not node.orelse:
        # Nothing of it is run by an import.
        return _UNRUN.match(ast.unparse(node.test)) is not None
    return isinstance(node, ast.Pass)


def _given(node: ast.stmt) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            yield inner.id
        elif isinstance(inner, ast.alias):
            yield (inner.asname or inner.name).partition(".")[0]
        elif isinstance(inner, (*_Function, ast.ClassDef)):
            yield inner.name
        elif isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            yield inner.attr


def imports_of(tree: ast.Module, name: str, path: Path) -> list[str]:
    """The names of all modules that a module may import."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return sorted(set(_imports(tree, package)))


def _imports(tree: ast.Module, package: str) -> Iterator[str]:
    """The names of modules that may be imported, packages around them and members of packages included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _around(alias.name)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from _around(base)
            yield from (f"{base}.{alias.name}" for alias in node.names if base and alias.name != "*")
    yield from _around(package)


def _around(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1) if parts[0])


@dataclass(slots=True)
class Universe:
    """All parts of a program's own files."""

    parts: list[Part]
    _by_name: dict[str, list[Part]] = field(default_factory=dict)
    _by_owner: dict[tuple[str, str], list[Part]] = field(default_factory=dict)
    _below: dict[str, list[Part]] = field(default_factory=dict)
    _always: list[Part] = field(default_factory=list)

    def __post_init__(self) -> None:
        for part in self.parts:
            for name in part.names:
                self._by_name.setdefault(name, []).append(part)
            self._by_owner.setdefault((part.file, part.owner), []).append(part)
            if part.kind == CLASS:
                for word in part.words:
                    self._below.setdefault(word, []).append(part)
            if part.kind == RUNS or part.at_once or not _HIDDEN.isdisjoint(part.names):
                self._always.append(part)

    def used(self, names: Iterable[str]) -> tuple[list[Part], set[str]]:
        """The parts that code with these names may use, in their order, and all names that they mention."""
        words: set[str] = set()
        found: set[int] = set()
        pending = [*names]
        for part in self._always:
            if part.kind == RUNS or not _HIDDEN.isdisjoint(part.names):
                found.add(id(part))
                pending += part.words
            else:
                # The definition itself is used when somebody names it, but its decorators are at import.
                pending += part.at_once
        while pending:
            word = pending.pop()
            if word in words:
                continue
            words.add(word)
            for part in self._by_name.get(word, ()):
                if id(part) in found:
                    continue
                for each in self._with_all_of_it(part):
                    found.add(id(each))
                    pending += each.words
        return [part for part in self.parts if id(part) in found], words

    def _with_all_of_it(self, part: Part) -> Iterator[Part]:
        yield part
        if part.kind != CLASS:
            return
        name = ".".join(filter(None, (part.owner, *part.names)))
        for each in self._by_owner.get((part.file, name), ()):
            yield from self._with_all_of_it(each) if each.kind == CLASS else (each,)
        for below in self._below.get(part.names[0], ()):
            if below is not part:
                yield below
                inner = ".".join(filter(None, (below.owner, *below.names)))
                yield from self._by_owner.get((below.file, inner), ())
