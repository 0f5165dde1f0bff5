"""Rewrites methods of classes that exist already, by exchanging the code of their functions."""

from __future__ import annotations

import functools
import importlib.machinery
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from everypath.cases.model import Problem
from everypath.errors import EverypathError
from everypath.race.observe.accesses import NAME
from everypath.race.observe.attributes import defines_methods_in_c, is_python_class
from everypath.race.observe.containers import mro_of, namespace_of
from everypath.race.observe.rewrite import rewrite, unobserved

_LIBRARY = frozenset("collections collections.abc weakref _weakrefset functools".split())
"""Modules whose classes hold data for others, without locks of their own."""
_seen: set[type] = set()

_codes: dict[str, dict[tuple[str, int], CodeType]] = {}
"""file -> the rewritten code of its functions, by qualified name and first line"""

_exchanged: list[tuple[FunctionType, CodeType]] = []
"""functions that have new code, and the code they had"""


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
    """The file that all its functions come from but that is not there."""
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
        if made is not None and made.co_freevars == code.co_freevars:
            _exchanged.append((function, code))
            function.__code__ = made
        else:
            message = f"{cls.__qualname__}.{function.__name__} runs unobserved: its source was not found"
            notes.append(unobserved(code.co_filename, code.co_firstlineno, message))
    return notes


def exchange_library(cls: type) -> None:
    """Have the containers and descriptors of the library that are written in Python announce what they do."""
    for base in mro_of(cls):
        if base.__module__ in _LIBRARY and base not in _seen:
            _seen.add(base)
            exchange(base)


def undo() -> None:
    """Give all functions back the code they had."""
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
    """The file itself; for a module that is frozen into the interpreter, the source it was made from."""
    if file.startswith("<frozen ") and file.endswith(">"):
        spec = importlib.machinery.PathFinder.find_spec(file[len("<frozen ") : -1])
        return (spec.origin if spec is not None else None) or file
    return file


def _inside(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
            yield from _inside(constant)
