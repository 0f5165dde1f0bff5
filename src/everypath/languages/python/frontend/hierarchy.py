"""What the language and its library define: exceptions, predefined names, arithmetic, and constants of modules."""

from __future__ import annotations

import builtins
import importlib
import re
import sys
from types import ModuleType

from everypath.ir.instructions import ClassRef, ConstValue, NativeRef
from everypath.ir.names import CELL
from everypath.ir.program import Class, Field, Profile
from everypath.ir.types import ANY, BOOL, BYTES, FLOAT, INT, NONE, STR, DictType, ListType, SetType, TupleType, Type
from everypath.languages.python.cards.index import HOST

CELL_FIELD = "contents"
"""A variable that nested functions share lives in the field of an object of this class."""

BUILTIN_NAMES = frozenset(n for n in dir(builtins) if not n.startswith("_")) | {"__import__"}

EXCEPTION_NAMES = {
    name: value.__name__
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
"""Every predefined exception name and the name of the class it denotes (`IOError` is `OSError`)."""

BUILTIN_BASES = {name: f"{name.capitalize()}Base" for name in "dict list set tuple str int float property".split()}
"""Classes of the language that classes of the program extend, and what these inherit instead."""

_METHOD_HOLDERS = frozenset("int str bytes float list dict set tuple object bool property".split())
"""Predefined classes whose methods are called through the class, as in `str.upper(s)`."""
_OBJECT_METHODS = ("__setattr__", "__new__", "__delattr__")
_OF_CLASSES = frozenset("__class__ __subclasshook__ __init_subclass__ __class_getitem__ __doc__ __reduce__".split())

BUILTIN_TYPES: dict[str, tuple[Type, ...]] = {
    "int": (INT, BOOL), "bool": (BOOL,), "str": (STR,), "float": (FLOAT,), "bytes": (BYTES,), "list": (ListType(ANY),),
    "dict": (DictType(ANY, ANY),), "set": (SetType(ANY),), "tuple": (TupleType((), ANY),), "NoneType": (NONE,),
    "object": (ANY,),
}  # fmt: skip
"""What `isinstance(x, T)` tests for a predefined T; an int test also accepts booleans."""


def exception_classes() -> dict[str, Class]:
    """The whole predefined exception hierarchy as external classes."""
    classes = {"object": Class("object", external=True, module="builtins")}
    for name in dict.fromkeys(EXCEPTION_NAMES.values()):
        bases = tuple(base.__name__ for base in getattr(builtins, name).__bases__)
        classes[name] = Class(name, bases, external=True, module="builtins")
    classes[CELL] = Class(CELL, fields={CELL_FIELD: Field(CELL_FIELD, ANY)}, model=True)
    classes["BaseException"].fields["args"] = Field("args", TupleType((), ANY))
    return classes


def is_method(cls: str, name: str) -> bool:
    """Whether a predefined class has the method, special ones included where their objects have a native for it."""
    if name in _OBJECT_METHODS or cls not in _METHOD_HOLDERS:
        return name in _OBJECT_METHODS
    if not name.startswith("__"):
        return True
    return cls in BUILTIN_BASES and name not in _OF_CLASSES and callable(getattr(getattr(builtins, cls), name, None))


def builtin_value(name: str) -> ConstValue:
    """A predefined name used as a value."""
    return ClassRef(EXCEPTION_NAMES[name]) if name in EXCEPTION_NAMES else NativeRef(name)


PYTHON = Profile(
    name="python",
    floor_division=True,
    integer_bits=None,
    null_error="AttributeError",
    attribute_error="AttributeError",
    index_error="IndexError",
    key_error="KeyError",
    division_error="ZeroDivisionError",
    type_error="TypeError",
    value_error="ValueError",
    cast_error="TypeError",
    name_error="UnboundLocalError",
    size_error="OverflowError",
    lookup_error="LookupError",
    assertion_error="AssertionError",
    exception_fields="args",
    contract_errors="ViolationError ContractError pydantic.ValidationError",
    lookups="getattr_computed",
    negative_indices=True,
    end_error="StopIteration",
    protocols=(
        "__getitem__:KeyError __delitem__:KeyError __missing__:KeyError"
        " __getitem__:IndexError __setitem__:IndexError __delitem__:IndexError"
        " __getattr__:AttributeError __getattribute__:AttributeError __delattr__:AttributeError"
        " __next__:StopIteration __anext__:StopIteration"
    ),
)


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
    found = _of_library(module)
    return found is not None and _is_plain(getattr(found, member, is_library_data))


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
    if (found := _of_library(module)) is None:
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


def library_class(module: str, name: str) -> type | None:
    """The class of the standard library that `module.name` is, if it is one."""
    found = getattr(_of_library(module), name, None)
    return found if isinstance(found, type) else None


def library_constant(module: str, name: str) -> int | float | str | None:
    """The value of `module.name` if it is such a constant, else None."""
    if name not in _MODULES.get(module, "").split():
        return None
    inside = module.startswith("sys.")
    holder = getattr(sys, module.removeprefix("sys.")) if inside else importlib.import_module(module)
    value = getattr(holder, name, None)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return value if isinstance(value, (float, str)) else None
