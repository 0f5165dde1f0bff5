"""Exception classes of the running Python's library as external classes of a program."""

from __future__ import annotations

import builtins
import importlib

from everypath.ir.program import Class, Program


def declare_exception(program: Program, cls: type) -> str | None:
    """Add the class and its bases to the program and give the name; None if it is more than an exception."""
    if getattr(builtins, cls.__name__, None) is cls:
        return cls.__name__
    if not issubclass(cls, BaseException) or "<locals>" in cls.__qualname__:
        return None
    name = f"{cls.__module__}.{cls.__qualname__}"
    if name not in program.classes:
        bases = [declare_exception(program, base) for base in cls.__bases__]
        if None in bases:
            return None
        known = tuple(base for base in bases if base is not None)
        program.classes[name] = Class(name, known, external=True, module=cls.__module__)
    return name


def real_exception(program: Program, name: str) -> type[BaseException] | None:
    """The class that the running Python has for the nearest external base of an exception class of the program."""
    for base in program.mro(name):
        known = program.classes.get(base)
        if known is not None and known.external and base != "object":
            module = known.module or "builtins"
            found = getattr(importlib.import_module(module), base.removeprefix(f"{module}."), None)
            return found if isinstance(found, type) and issubclass(found, BaseException) else None
    return None
