"""Which modules the targets of a command are: a file is one, a folder or a package is all that it holds."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.languages.base import Expanded, Left, Source
from everypath.languages.python.frontend.finder import import_name, shown
from everypath.languages.python.frontend.load import locate
from everypath.languages.python.frontend.nodes import walk
from everypath.records import dataclass

_NOT_OURS = frozenset(("__pycache__", "node_modules", "site-packages"))
_HEAD = 1000
"""Bytes in which a file of generated tests says that it is one."""
_TEST_FOLDERS = frozenset(("tests", "testing"))


@dataclass(slots=True)
class _Found(Expanded):
    """The modules of the targets, and how many more there are that nobody named."""

    private: int = 0
    """modules in the folders that are private by their name"""
    tests: int = 0
    """files in the folders that are tests themselves, by their name"""


def expand(targets: Sequence[str]) -> Expanded:
    """Find the modules of the targets; of several targets, one that cannot be used does not cost the others."""
    expanded = _Found()
    for target in targets:
        place, _, member = target.partition("::")
        try:
            if place and Path(place).is_dir():
                if member:
                    raise BadInput(f"is a folder; name the file that defines {member}", Span(place))
                _add_folder(expanded, Path(place), None)
                continue
            path, module, root = locate(place)
            if path.name == "__init__.py" and not member and not place.endswith(".py"):
                _add_folder(expanded, path.parent, place, root)
            else:
                expanded.sources.append(Source(target, path, shown(path), module, root))
        except BadInput as error:
            if len(targets) == 1:
                raise
            expanded.left.append(Left(target, place, error.message, named=True))
    _separate(expanded)
    kinds = [(expanded.private, "private module"), (expanded.tests, "test file")]
    said = " and ".join(f"{count} {kind}{'s' if count > 1 else ''}" for count, kind in kinds if count)
    if said:
        expanded.notes.append(f"left out {said}; name them to include them")
    return expanded


def _add_folder(expanded: _Found, folder: Path, package: str | None, root: Path | None = None) -> None:
    """Every module below a folder; those of a package that is named by its import name go by theirs."""
    expanded.folders = True
    before = len(expanded.sources) + len(expanded.left)
    for path in _files(folder, expanded):
        stem = path.name.partition(".")[0]
        below = [*path.relative_to(folder).parts[:-1], *([] if stem == "__init__" else [stem])]
        dotted = None if package is None else ".".join([package, *below])
        if path.suffix != ".py":
            reason = "is an extension module; it has no Python source to explore"
            expanded.left.append(Left(dotted or str(path), dotted or stem, reason))
        elif dotted is not None and root is not None and all(part.isidentifier() for part in below):
            expanded.sources.append(_found(dotted, path, dotted, root))
        else:
            expanded.sources.append(_found(str(path), path, *import_name(path.resolve())))
    if before == len(expanded.sources) + len(expanded.left):
        hidden = expanded.private + expanded.tests
        advice = f"; its {hidden} private modules and tests must be named to be included" if hidden else ""
        raise BadInput(f"there are no Python modules to test in this folder{advice}", Span(str(folder)))


def _found(target: str, path: Path, module: str, root: Path) -> Source:
    path = path.resolve()
    return Source(target, path, shown(path), module, root, named=False)


def _files(folder: Path, expanded: _Found) -> Iterator[Path]:
    """The modules below a folder, in an order that is the same everywhere."""
    for current, folders, names in os.walk(folder):
        below = []
        for name in sorted(folders):
            if name.startswith(".") or name in _NOT_OURS or os.path.exists(os.path.join(current, name, "pyvenv.cfg")):
                continue
            if name in _TEST_FOLDERS or name.startswith("_"):
                count = sum(1 for _ in Path(current, name).rglob("*.py"))
                expanded.tests += count if name in _TEST_FOLDERS else 0
                expanded.private += count if name not in _TEST_FOLDERS else 0
                continue
            below.append(name)
        folders[:] = below
        for name in sorted(names):
            if not name.endswith((".py", *EXTENSION_SUFFIXES)) or name.startswith("."):
                continue
            if _is_test(Path(current, name)):
                expanded.tests += 1
            elif name.startswith("_") and name != "__init__.py" and name[:-3] not in _published(current):
                expanded.private += 1
            else:
                yield Path(current, name)


def _is_test(file: Path) -> bool:
    """Whether a file holds tests: by its name, or tests of ours under a name that the user has chosen."""
    name = file.name
    if name in ("conftest.py", "tests.py", "test.py") or name.startswith("test_") or name.endswith("_test.py"):
        return True
    try:
        with file.open("rb") as opened:
            beginning = opened.read(_HEAD)
    except OSError:
        return False
    return beginning.startswith((b'"""Tests of ', b'"""Thread safety')) and b"enerated by Everypath" in beginning


def _published(folder: str) -> set[str]:
    """The private modules of a package from which the package itself takes public names."""
    try:
        tree = ast.parse(Path(folder, "__init__.py").read_bytes())
    except (OSError, SyntaxError, ValueError):
        return set()
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not all(a.name.startswith("_") for a in node.names):
            outer, _, module = node.module.rpartition(".")
            if not outer if node.level == 1 else not node.level and outer.rpartition(".")[2] == Path(folder).name:
                found.add(module)
    return found


def _separate(expanded: _Found) -> None:
    """One run imports one module of a name; of those that were only found, the first counts."""
    taken: dict[str, Source] = {}
    kept: list[Source] = []
    for source in expanded.sources:
        other = taken.setdefault(source.module, source)
        if other.root != source.root or other.path != source.path:
            said = f"another target is also imported as {source.module!r}; generate their tests in separate runs"
            if source.named:
                raise BadInput(said, Span(source.file))
            expanded.left.append(Left(source.target, source.module, f"{said} (the other is {other.file})"))
        elif source.named or source is other:
            kept.append(source)
    expanded.sources = kept
