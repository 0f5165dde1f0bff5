"""Constants of library modules that are not translated: plain numbers and texts that never change."""

from __future__ import annotations

import importlib
import re
import sys
from types import ModuleType

from everypath.languages.python.cards.index import HOST

_MODULES: dict[str, str] = {
    "math": "pi e tau inf nan",
    "sys": "maxsize platform byteorder maxunicode version hexversion",
    "sys.version_info": "major minor micro releaselevel serial",
    "sys.implementation": "name cache_tag hexversion",
    "sys.flags": "debug inspect interactive optimize verbose bytes_warning warn_default_encoding",
    "sys.hash_info": "modulus inf width",
    "sys.float_info": "mant_dig max min epsilon dig radix max_exp min_exp",
    "datetime": "MINYEAR MAXYEAR",
    "decimal": "ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP ROUND_05UP "
    "MAX_PREC MAX_EMAX MIN_EMIN",
    "os": "sep linesep name pathsep curdir pardir extsep",
    "os.path": "sep pathsep curdir pardir extsep",
    "sqlite3": "PARSE_DECLTYPES PARSE_COLNAMES",
    "unicodedata": "unidata_version",
    "errno": "ENOENT EEXIST EACCES EPERM EINVAL EAGAIN EINTR EPIPE EBADF ENOTDIR EISDIR",
    "logging": "DEBUG INFO WARNING WARN ERROR CRITICAL FATAL NOTSET",
}

OBJECTS = frozenset(f"{card.name}.{name}" for card in HOST.values() for name in card.constants) | frozenset(
    (
        "datetime.UTC sys.version_info sys.implementation.version os.altsep os.devnull os.path.altsep os.path.devnull "
        "re.A re.ASCII re.I re.IGNORECASE re.L re.LOCALE re.M re.MULTILINE re.S re.DOTALL re.U re.UNICODE re.X "
        "re.VERBOSE re.NOFLAG re.DEBUG"
    ).split()
)
"""Immutable objects that library modules and classes hold."""


_OUTSIDE = frozenset("os sys time random locale site sysconfig platform socket getpass tempfile signal".split())
"""Modules whose variables depend on where and when the program runs."""
_PLAIN = (bool, int, float, str, bytes, type(None))


def is_library_data(name: str) -> bool:
    """Whether a dotted name is a table or another plain value in a module of the standard library."""
    if name in OBJECTS:
        return True
    module, _, member = name.rpartition(".")
    top = module.partition(".")[0]
    if not module or top not in sys.stdlib_module_names or top in _OUTSIDE or top in ("_thread", "_tkinter"):
        return False
    try:
        return _is_plain(getattr(importlib.import_module(module), member, is_library_data))
    except ImportError:
        return False


def _of_library(module: str) -> ModuleType | None:
    """A module of the standard library; None for others, and for what this system does not have."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def exports(module: str, name: str) -> bool:
    """Whether `from module import *` of a module of the standard library brings the name along."""
    found = _of_library(module)
    if found is None:
        return False
    return name in getattr(found, "__all__", ()) or (
        not hasattr(found, "__all__") and not name.startswith("_") and hasattr(found, name)
    )


def library_value(name: str) -> tuple[str, str] | None:
    """Module and name of something in a module that is not translated, where it is neither a function nor a class."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        module, rest = ".".join(parts[:count]), parts[count:]
        found: object = _of_library(module)
        if found is None:
            continue
        for part in rest:
            if not hasattr(found, part):
                return None
            found = getattr(found, part)
        return None if callable(found) or isinstance(found, ModuleType) else (module, ".".join(rest))
    return None


def _is_plain(value: object, depth: int = 0) -> bool:
    if type(value) in (tuple, list, set, frozenset):
        return depth < 4 and all(_is_plain(item, depth + 1) for item in value)  # type: ignore[attr-defined]
    if type(value) is dict:
        return depth < 4 and all(_is_plain(part, depth + 1) for entry in value.items() for part in entry)
    return type(value) in _PLAIN


_EXCEPTION = re.compile(
    "(Error|Exception|Warning|Empty|Full|Failure|Exit|error|[Tt]imeout|InvalidOperation|DivisionByZero|Inexact|"
    "DivisionUndefined|InvalidContext|BadZipFile|SkipTest)$"
)


def library_exception(module: str, name: str) -> type | None:
    """The exception class of the standard library that `module.name` is, if its name says that it is one."""
    if not _EXCEPTION.search(name):
        return None
    found = getattr(_of_library(module), name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def library_constant(module: str, name: str) -> int | float | str | None:
    """The value of `module.name` if it is such a constant, else None."""
    if name not in _MODULES.get(module, "").split():
        return None
    if module.startswith("sys."):
        holder = getattr(sys, module.removeprefix("sys."))
    else:
        holder = importlib.import_module(module)
    value = getattr(holder, name, None)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value if isinstance(value, (float, str)) else None
