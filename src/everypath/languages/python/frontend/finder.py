"""Finds the source of modules without importing anything: ours where there is one, with the annotations of stubs."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from functools import reduce
from importlib.machinery import PathFinder
from pathlib import Path

from everypath.errors import BadInput, Span
from everypath.languages.definitions import Definition
from everypath.languages.python.cards import index
from everypath.languages.python.frontend.decisions import Decisions
from everypath.languages.python.frontend.model_sources import model_source
from everypath.languages.python.frontend.modules import (
    FunctionNode,
    ModuleSource,
    flatten,
    index_module,
    parse,
    parse_module,
)
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.outline import ObservableStatements, definitions_in
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
_SOURCE_IN_A_SECOND = 60_000
"""Bytes for each second of a run whose time is bounded: translating that many takes about a third of it."""
_INSTALLED = ("site-packages", "dist-packages")
_STANDARD_LIBRARY = Path(os.__file__).parent


def source_path(module: str, root: Path, file: str) -> Path:
    """Where the source of a module is: under its root by its name, or else where its file is said to be."""
    inside = root.joinpath(*module.split("."))
    places = (inside / "__init__.py", inside.with_name(f"{inside.name}.py"))
    return next((place for place in places if place.is_file()), Path(file))


def shown(path: Path, start: Path | None = None) -> str:
    """A path as the user would write it: relative to the working directory, or to where packages are installed."""
    try:
        return str(path.relative_to(start or Path.cwd()))
    except ValueError:
        return str(installed(path) or path)


def whole(file: str, root: Path) -> Path:
    """The file that is shown as this, of a program whose modules are found from a folder."""
    among_installed = root.name in _INSTALLED or root == _STANDARD_LIBRARY
    return root / file if among_installed and (root / file).is_file() else Path(file)


def installed(path: Path) -> Path | None:
    """The path of an installed module, or one of the standard library, inside the folder it is imported from."""
    for folder in path.parents:
        if folder.name in _INSTALLED or folder == _STANDARD_LIBRARY:
            return path.relative_to(folder)
    return None


def is_standard(path: Path) -> bool:
    """Whether a file belongs to the standard library, and to no installed package."""
    return path.is_relative_to(_STANDARD_LIBRARY) and not any(part in _INSTALLED for part in path.parts)


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
    decisions: Decisions


class Sources:
    """The files that were parsed, so that a run parses each of them once, however many targets import it."""

    def __init__(self, seconds: float | None = None) -> None:
        self.most = MOST_SOURCE if seconds is None else min(MOST_SOURCE, int(seconds * _SOURCE_IN_A_SECOND))
        """bytes of the program's own modules that are translated for one target"""
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
            self._written[path] = Written(definitions_in(tree), ObservableStatements(tree), Decisions(tree))
        return with_stub(index_module(ModuleSource(name, path, file, tree, user), source)), len(source)

    def written(self, path: Path) -> Written:
        """What the text of one of the user's files says."""
        return self._written[path]


class Finder:
    """Locates and parses modules: those next to the target first, then those of the running Python."""

    def __init__(self, root: Path, search: Path, sources: Sources | None = None, target: str = "") -> None:
        self._package = target.partition(".")[0]
        """the package under test, which is the user's own also where it is installed"""
        self.root = root
        self.search = search
        self._sources = sources or Sources()
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
            self._cache[key] = self._parsed(module, path) if path is not None and path.suffix == ".py" else None
        return self._cache[key]

    def exists(self, name: str) -> bool:
        """Whether there is such a module at all, translated or not."""
        return name in sys.builtin_module_names or self._cache.get(name) is not None or self.locate(name) is not None

    def modules(self) -> Iterator[ModuleSource]:
        """Every module that was read."""
        return (module for module in self._cache.values() if module is not None)

    def locate(self, name: str) -> Path | None:
        """The file of a module, which may be an extension; packages are walked without importing them."""
        # Not `importlib.util.find_spec`, which imports the packages around a module.
        folders = [str(self.root), str(self.search), *sys.path]
        found: Path | None = None
        for part in name.split("."):
            if (spec := PathFinder.find_spec(part, folders)) is None:
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
        user = self.is_user(name, path)
        if not user:
            # Library code is followed where that is cheap; what is left out ends the paths that call it.
            if self._libraries >= MOST_LIBRARY_MODULES or path.stat().st_size > LARGEST_LIBRARY_SOURCE:
                return None
            self._libraries += 1
        elif self._size > self._sources.most:
            return None
        else:
            self._size += path.stat().st_size
        return self._parsed(name, path)

    def _parsed(self, name: str, path: Path) -> ModuleSource | None:
        try:
            return self._sources.read(name, path, shown(path, self.search), user=self.is_user(name, path))
        except OSError:
            return None

    def is_user(self, name: str, path: Path) -> bool:
        """Whether a module is part of the code under test."""
        if installed(path) is not None:
            # A package inside the library is under test itself, but not the rest of the library.
            return name.partition(".")[0] == self._package
        return path.is_relative_to(self.root) or path.is_relative_to(self.search)


OUTSIDE = frozenset("os platform random secrets time uuid".split())
"""Modules whose functions ask the world around the program, so that tests put others in their place."""
REPLACED = OUTSIDE | frozenset(
    "asyncio builtin_bases collections contextlib dataclasses functools gettext "
    "io itertools logging operator pydantic reprlib six.moves threading typing warnings".split()
)
_FOLDER = Path(__file__).parent.parent / "models" / "modules"


_parsed: dict[str, ModuleSource] = {}
"""Our sources never change, so that each is parsed once per process."""


class Replacements:
    """The sources of ours, each parsed when something of it is first named."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleSource] = {}

    def module(self, name: str) -> ModuleSource | None:
        """Our version of a library module."""
        if name not in REPLACED:
            return None
        if name not in _parsed:
            source = model_source(f"modules/{name}")
            _parsed[name] = parse_module(name, _FOLDER / f"{name}.py", f"<model {name}>", source, user=False)
            _parsed[name].model = True
        if name not in self._modules:
            self._modules[name] = _parsed[name].fresh()
        return self._modules[name]

    def defines(self, module: str, name: str) -> ModuleSource | None:
        """Our version of a module, if it defines the name."""
        source = self.module(module)
        return source if source is not None and not name.startswith("_") and name in source.bindings else None


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
    inside = apart.joinpath(*rest)
    found = inside / "__init__.pyi" if path.name == "__init__.py" else inside.with_suffix(".pyi")
    return found if apart.is_dir() and found.is_file() else None


def with_stub(module: ModuleSource) -> ModuleSource:
    """The module, with the annotations of its stub in its tree where the source has none."""
    if (path := stub_path(module.path, module.name)) is None:
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
    for node in walk(combined):
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
            for node in walk(added):
                ast.copy_location(node, cls)
            cls.body.append(added)
