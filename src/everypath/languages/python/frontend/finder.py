"""Finds the source of modules without importing anything."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path

from everypath.languages.base import Definition
from everypath.languages.python.cards import index
from everypath.languages.python.frontend.modules import ModuleSource, index_module, parse
from everypath.languages.python.frontend.observable import ObservableStatements
from everypath.languages.python.frontend.outline import definitions_in
from everypath.languages.python.frontend.stubs import with_stub
from everypath.records import dataclass

# Too dynamic to translate, or given by natives of the engine.
NATIVE_MODULES = index.MODULES | frozenset(
    "abc asyncio builtins collections collections.abc contextlib copy copyreg ctypes dataclasses enum errno gc "
    "importlib inspect io itertools json locale logging math multiprocessing os os.path pickle posixpath queue random "
    "re secrets shutil signal socket subprocess sys tempfile threading time traceback types typing typing_extensions "
    "unittest warnings weakref zlib".split()
)
TRANSLATED_PARTS = {"collections": frozenset("ChainMap UserDict UserList UserString".split())}
"""Classes of such modules that are plain Python all the same."""
LARGEST_LIBRARY_SOURCE = 60_000
MOST_LIBRARY_MODULES = 16
MOST_SOURCE = 1_500_000
"""Bytes of the program's own modules that one target may bring along; what comes after is not translated."""


def shown(path: Path, start: Path | None = None) -> str:
    """A path as the user would write it: relative to the working directory where it lies below it."""
    try:
        return str(path.relative_to(start or Path.cwd()))
    except ValueError:
        return str(path)


def import_name(path: Path) -> tuple[str, Path]:
    """The name under which a file is imported and the directory that must be on the path for it."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        parts.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(parts)) or path.parent.name, folder


def import_root(path: Path, name: str) -> Path:
    """The directory to import a module from, given its file and its name."""
    root = path.parent
    for _ in range(name.count(".") + (path.name == "__init__.py")):
        root = root.parent
    return root


@dataclass(frozen=True, slots=True)
class Written:
    """What a source text contains as it is written, before names in its tree are changed."""

    definitions: tuple[Definition, ...]
    statements: ObservableStatements


class Sources:
    """The files that were parsed, so that a run parses each of them once, however many targets import it."""

    def __init__(self) -> None:
        self._parsed: dict[tuple[str, Path, str, bool], tuple[ModuleSource, int]] = {}
        """with the size of the source, the last used one at the end"""
        self._written: dict[Path, Written] = {}

    def read(self, name: str, path: Path, file: str, *, user: bool) -> ModuleSource:
        """The module in a file, with tables of its own; `file` is the path as the user knows it."""
        key = (name, path, file, user)
        found = self._parsed.pop(key) if key in self._parsed else self._parse(name, path, file, user)
        self._parsed[key] = found
        # Trees are much larger than their sources: in a large project, only the ones used last are kept.
        while len(self._parsed) > 1 and sum(size for _, size in self._parsed.values()) > MOST_SOURCE:
            del self._parsed[next(iter(self._parsed))]
        return found[0].fresh()

    def _parse(self, name: str, path: Path, file: str, user: bool) -> tuple[ModuleSource, int]:
        source = path.read_bytes()
        tree = parse(source, file)
        if user:
            # It may be under test itself, now or later in the run.
            self._written[path] = Written(definitions_in(tree), ObservableStatements(tree))
        return with_stub(index_module(ModuleSource(name, path, file, tree, user), source)), len(source)

    def written(self, path: Path) -> Written:
        """What the text of one of the user's files says."""
        return self._written[path]


class Finder:
    """Locates and parses modules: those next to the target first, then those of the running Python."""

    def __init__(self, root: Path, search: Path, sources: Sources | None = None) -> None:
        self.root = root
        self.search = search
        self._sources = sources or Sources()
        self._library = Path(os.__file__).parent
        self._cache: dict[str, ModuleSource | None] = {}
        self._libraries = 0
        self._size = 0

    def add(self, module: ModuleSource) -> None:
        """Make a parsed module known."""
        self._cache[module.name] = module

    def module(self, name: str) -> ModuleSource | None:
        """The module if its source may be translated, else None."""
        if name not in self._cache:
            self._cache[name] = self._load(name)
        return self._cache[name]

    def part(self, module: str, name: str) -> ModuleSource | None:
        """The module that defines the name, also where only this part of it may be translated."""
        if name not in TRANSLATED_PARTS.get(module, ()) or self.module(module) is not None:
            return self.module(module)
        key = f"{module} in part"
        if key not in self._cache:
            path = self.locate(module)
            readable = path is not None and path.suffix == ".py"
            self._cache[key] = self._parsed(module, path) if readable and path is not None else None
        return self._cache[key]

    def exists(self, name: str) -> bool:
        """Whether there is such a module at all, translated or not."""
        return name in sys.builtin_module_names or self._cache.get(name) is not None or self.locate(name) is not None

    def locate(self, name: str) -> Path | None:
        """The file of a module, which may be an extension; packages are walked without importing them."""
        # Not `importlib.util.find_spec`, which imports the packages around a module.
        folders = [str(self.root), str(self.search), *sys.path]
        found: Path | None = None
        for part in name.split("."):
            spec = PathFinder.find_spec(part, folders)
            if spec is None:
                return None
            found = Path(spec.origin) if spec.origin else None
            folders = list(spec.submodule_search_locations or [])
        return found

    def _load(self, name: str) -> ModuleSource | None:
        if not name or name in NATIVE_MODULES or name in sys.builtin_module_names or name == "__future__":
            return None
        path = self.locate(name)
        if path is None or path.suffix != ".py":
            return None
        user = self._is_user(path)
        if not user:
            # Library code is followed where that is cheap; what is left out ends the paths that call it.
            if self._libraries >= MOST_LIBRARY_MODULES or path.stat().st_size > LARGEST_LIBRARY_SOURCE:
                return None
            self._libraries += 1
        elif self._size > MOST_SOURCE:
            return None
        else:
            self._size += path.stat().st_size
        return self._parsed(name, path)

    def _parsed(self, name: str, path: Path) -> ModuleSource | None:
        try:
            return self._sources.read(name, path, shown(path, self.search), user=self._is_user(path))
        except OSError:
            return None

    def _is_user(self, path: Path) -> bool:
        if "site-packages" in path.parts or path.is_relative_to(self._library):
            # A target inside the library is under test itself, but not the rest of the library.
            return False
        return path.is_relative_to(self.root) or path.is_relative_to(self.search)
