"""Imports the package of the class under test with its functions rewritten, and finds the class.

Methods of classes that exist already are rewritten by exchanging the code of their functions.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from everypath.cases.model import Problem
from everypath.errors import BadInput, EverypathError, Span
from everypath.race.control.monitor import MONITOR
from everypath.race.observe.accesses import NAME
from everypath.race.observe.attributes import defines_methods_in_c, is_python_class
from everypath.race.observe.containers import DISCOVERIES, mro_of, namespace_of
from everypath.race.observe.hooks import Hooks
from everypath.race.observe.rewrite import rewrite, unobserved

_NEVER = frozenset("threading _thread builtins sys abc types typing enum importlib everypath".split())
"""Modules that the observation itself uses."""

DEEPEST = 2_000
MOST_BYTES = 3_000_000
"""How much source of one package is rewritten at most: a few seconds' work."""

REWRITTEN: set[str] = set()
"""Modules whose functions announce what they do."""
_LIBRARY = frozenset("collections collections.abc weakref _weakrefset functools".split())
"""Modules whose classes hold data for others, without locks of their own."""
_seen: set[type] = set()

_codes: dict[str, dict[tuple[str, int], CodeType]] = {}
"""file -> the rewritten code of its functions, by qualified name and first line"""

_exchanged: list[tuple[FunctionType, CodeType]] = []
"""functions that have new code, and the code they had"""


def install() -> Hooks:
    """Put the hooks where rewritten code looks for them."""
    hooks = getattr(builtins, NAME, None)
    if not isinstance(hooks, Hooks) or hooks.monitor is not MONITOR:
        hooks = Hooks(MONITOR)
        setattr(builtins, NAME, hooks)
        DISCOVERIES.tell = exchange_library
    return hooks


def observe(module_name: str, root: str | None) -> list[Problem]:
    """Import the module, rewritten together with its package; what could not be rewritten is added to the list."""
    if module_name.partition(".")[0] in _NEVER:
        raise BadInput(f"{module_name} cannot be observed: the observation itself uses it")
    install()
    sys.dont_write_bytecode = True
    # Operators and calls of C code have a hook's frame between the program's own.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEPEST))
    if root is not None and sys.path[:1] != [root]:
        sys.path.insert(0, root)
    importlib.invalidate_caches()
    finder = _Finder(module_name, *_extent(module_name))
    sys.meta_path.insert(0, finder)
    already = [name for name in sys.modules if finder.covers(name)]
    if finder.single and already:
        # Rewriting needs modules of the standard library, perhaps this one.
        finder.prepare(module_name)
    for name in already:
        del sys.modules[name]
    try:
        importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise _import_failed(module_name, error) from error
    return finder.notes


def load_class(target_module: str, qualname: str) -> type:
    """The class of an imported module, by its qualified name."""
    found: Any = sys.modules[target_module]
    file = getattr(found, "__file__", None) or ""
    for part in qualname.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise BadInput(f"{target_module} has no class {qualname}", Span(file)) from None
    if not isinstance(found, type):
        raise BadInput(f"{qualname} in {target_module} is not a class but {type(found).__name__}", Span(file))
    if is_extension(found):
        raise BadInput(
            f"{qualname} is implemented in C, so what it does cannot be observed; name a class written in Python",
            Span(file),
        )
    missing = missing_source(found)
    if missing is not None and found.__module__ not in REWRITTEN:
        raise BadInput(f"the source of {qualname} is missing, so what it does cannot be observed", Span(missing))
    return found


def observe_bases(cls: type) -> list[Problem]:
    """Rewrite in place the methods of the class and its bases that come from modules imported before."""
    notes: list[Problem] = []
    for base in cls.__mro__:
        module = base.__module__
        if module in REWRITTEN or module.partition(".")[0] in _NEVER or is_extension(base):
            continue
        notes.extend(exchange(base))
    return notes


def _extent(module_name: str) -> tuple[str, bool]:
    """The name of the package, or of the single module, whose functions are rewritten; and whether it is single."""
    parts = module_name.split(".")
    if parts[0] in sys.stdlib_module_names:
        return module_name, True
    prefix = parts[0]
    path: Sequence[str] | None = None
    for part in parts[1:]:
        spec = importlib.machinery.PathFinder.find_spec(prefix, path)
        if spec is None or spec.origin is not None or spec.submodule_search_locations is None:
            break
        # A namespace package belongs to nobody: what is observed is the package inside it.
        path = list(spec.submodule_search_locations)
        prefix = f"{prefix}.{part}"
    return prefix, False


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules as Python would, and has those of the package rewritten when they are loaded."""

    def __init__(self, target: str, prefix: str, single: bool) -> None:
        self._target = target
        self._prefix = prefix
        self._bytes = 0
        self._is_too_large = False
        self.single = single
        self._prepared: ModuleSpec | None = None
        self.notes: list[Problem] = []

    def covers(self, name: str) -> bool:
        """Whether the module belongs to the observed code."""
        return name == self._prefix or (not self.single and name.startswith(f"{self._prefix}."))

    def prepare(self, fullname: str) -> None:
        """Rewrite the single module before it is imported anew."""
        parent = sys.modules.get(fullname.rpartition(".")[0])
        spec = self.find_spec(fullname, getattr(parent, "__path__", None))
        if spec is not None and isinstance(spec.loader, _Loader):
            spec.loader.get_code(fullname)
        self._prepared = spec

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not self.covers(fullname):
            return None
        if self._prepared is not None:
            prepared, self._prepared = self._prepared, None
            return prepared
        spec = self._native_spec(fullname, path, target)
        if spec is None or not isinstance(spec.origin, str):
            return spec
        if isinstance(spec.loader, SourceFileLoader):
            if fullname == self._target or not self._is_enough(fullname, spec.origin):
                spec.loader = _Loader(fullname, spec.origin, self.notes)
                REWRITTEN.add(fullname)
        elif spec.loader is not None:
            message = f"{fullname} has no source, so what it does is not observed"
            self.notes.append(unobserved(spec.origin, 0, message))
        return spec

    def _native_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
        # Modules that are frozen into the interpreter have a file as well.
        finders = [importlib.machinery.PathFinder, *(each for each in sys.meta_path if each is not self)]
        specs = (finder.find_spec(name, path, target) for finder in finders if hasattr(finder, "find_spec"))
        return next((spec for spec in specs if spec is not None), None)

    def _is_enough(self, fullname: str, file: str) -> bool:
        if self._bytes > MOST_BYTES:
            if not self._is_too_large:
                self._is_too_large = True
                message = f"{self._prefix} is large: from {fullname} on, its modules run unobserved"
                self.notes.append(unobserved(file, 0, f"{message} unless the class needs them"))
            return True
        self._bytes += Path(file).stat().st_size
        return False


class _Loader(SourceFileLoader):
    """Loads a module from its source, rewritten, and leaves nothing on the disk."""

    def __init__(self, fullname: str, path: str, notes: list[Problem]) -> None:
        super().__init__(fullname, path)
        self._notes = notes
        self._code: CodeType | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        if self._code is None:
            path = self.get_filename(fullname)
            rewritten = rewrite(self.get_data(path), path, fullname)
            self._notes.extend(rewritten.notes)
            self._code = rewritten.code
        return self._code

    def exec_module(self, module: ModuleType) -> None:
        # A module imported anew keeps its submodules, which nobody will set as its attributes again.
        for name in list(sys.modules):
            parent, _, child = name.rpartition(".")
            if parent == module.__name__:
                setattr(module, child, sys.modules[name])
        super().exec_module(module)


def _import_failed(module_name: str, error: BaseException) -> BadInput:
    if isinstance(error, ModuleNotFoundError) and error.name == module_name:
        return BadInput(f"there is no module {module_name}; is its directory on the path?")
    if isinstance(error, SyntaxError):
        return BadInput(f"{module_name} cannot be imported: {error.msg}", Span(error.filename or "", error.lineno or 0))
    if isinstance(error, SystemExit):
        code = "" if error.code is None else repr(error.code)
        return BadInput(f"{module_name} cannot be imported: it calls sys.exit({code})", raised_at(error))
    return BadInput(f"{module_name} cannot be imported: {type(error).__name__}: {error}", raised_at(error))


def raised_at(error: BaseException) -> Span:
    """The innermost line of the program through which an error came."""
    span = Span()
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<frozen") and "everypath" not in trace.tb_frame.f_globals.get("__name__", ""):
            span = Span(file, trace.tb_lineno)
        trace = trace.tb_next
    return span


def is_extension(cls: type) -> bool:
    """Whether the class is implemented in C."""
    if not is_python_class(cls) or defines_methods_in_c(cls):
        return True
    module = sys.modules.get(cls.__module__)
    if module is None or any(True for _ in functions(cls)):
        return False
    file = getattr(module, "__file__", None)
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    if file is None:
        return loader is importlib.machinery.BuiltinImporter
    return str(file).endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


def missing_source(cls: type) -> str | None:
    """A source file of the class, if none of the files that its own functions come from exists."""
    files = {function.__code__.co_filename for function in functions(cls) if function.__module__ == cls.__module__}
    there = [file for file in files if file.startswith("<") or Path(file).is_file()]
    return min(files) if files and not there else None


def functions(cls: type) -> Iterator[FunctionType]:
    """The Python functions that a class defines, those of its properties and decorated methods included."""
    for value in list(namespace_of(cls).values()):
        yield from _functions_in(value)


def _functions_in(value: Any) -> Iterator[FunctionType]:
    if isinstance(value, FunctionType):
        yield value
        inner = value.__dict__.get("__wrapped__")
        if isinstance(inner, FunctionType):
            yield inner
    elif isinstance(value, (classmethod, staticmethod)):
        yield from _functions_in(value.__func__)
    elif isinstance(value, property):
        for part in (value.fget, value.fset, value.fdel):
            if isinstance(part, FunctionType):
                yield part
    elif isinstance(value, functools.cached_property):
        yield from _functions_in(value.func)


def exchange(cls: type) -> list[Problem]:
    """Give the functions of the class their rewritten code; those that cannot have it are noted."""
    notes: list[Problem] = []
    for function in functions(cls):
        code = function.__code__
        if code.co_names[:1] == (NAME,) or function.__module__ != cls.__module__ or code.co_filename == "<string>":
            continue
        made = _rewritten(code.co_filename, function.__module__, notes).get((code.co_qualname, code.co_firstlineno))
        # Python refuses code with another number of free variables, and in another order it would take one for another.
        if made is not None and made.co_freevars == code.co_freevars:
            _exchanged.append((function, code))
            function.__code__ = made
        else:
            message = f"{cls.__qualname__}.{function.__name__} runs unobserved: its source was not found"
            notes.append(unobserved(code.co_filename, code.co_firstlineno, message))
    return notes


def exchange_library(cls: type) -> None:
    """Make containers and descriptors of the library that are written in Python announce what they do."""
    for base in mro_of(cls):
        if base.__module__ in _LIBRARY and base not in _seen:
            _seen.add(base)
            exchange(base)


def undo() -> None:
    """Give all functions back their original code."""
    _seen.clear()
    while _exchanged:
        function, code = _exchanged.pop()
        function.__code__ = code


def _rewritten(file: str, module: str, notes: list[Problem]) -> dict[tuple[str, int], CodeType]:
    known = _codes.get(file)
    if known is None:
        known = _codes[file] = {}
        source = _source_file(file)
        try:
            made = rewrite(Path(source).read_bytes(), source, module)
        except (OSError, SyntaxError, EverypathError):
            return known
        notes.extend(made.notes)
        known.update(_inside(made.code))
    return known


def _source_file(file: str) -> str:
    """The file itself; for a module that is frozen into the interpreter, the source from which it was made."""
    if file.startswith("<frozen ") and file.endswith(">"):
        spec = importlib.machinery.PathFinder.find_spec(file[len("<frozen ") : -1])
        return (spec.origin if spec is not None else None) or file
    return file


def _inside(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
            yield from _inside(constant)
