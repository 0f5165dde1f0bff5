"""Values to try for inputs of types that have no terms: bytes and objects of the library are only sampled."""

from __future__ import annotations

from importlib import import_module

from everypath.heap.values import Value
from everypath.ir.instructions import ClassRef, NativeRef
from everypath.ir.types import (
    BYTES,
    LIBRARY_OBJECTS,
    Scalar,
    Type,
    named_class,
)

_PLAIN_CLASSES = frozenset("int str float bool bytes list dict set tuple object".split())
_BYTES = (b"", b"a", b"ab\n", b"\x00\xff")
_OBJECTS: dict[str, tuple[tuple[object, ...], ...]] = {
    "re.Pattern": (("[a-z]+",), (r"\d",), ("",)),
    "decimal.Decimal": (("1",), ("0",), ("-1.5",), ("0.05",), ("123.456",), ("1E+6",)),
    "fractions.Fraction": ((1, 2), (0,), (3,), (-2, 3)),
    "datetime.date": ((2024, 2, 29), (2000, 1, 1), (1999, 12, 31), (2023, 6, 15)),
    "datetime.datetime": (
        (2024, 2, 29, 12, 30, 45),
        (2000, 1, 1),
        (1999, 12, 31, 23, 59, 59, 999999),
        (2023, 6, 15, 8),
    ),
    "datetime.time": ((12, 30, 45), (0, 0), (23, 59, 59, 999999)),
    # Days, seconds, microseconds: from nothing up to years.
    "datetime.timedelta": ((0, 1), (0,), (0, 90), (0, 7200), (1,), (-1,), (40,), (400,), (0, 0, 1500)),
    "uuid.UUID": (("12345678-1234-5678-1234-567812345678",), ("00000000-0000-0000-0000-000000000000",)),
    "complex": ((1, 2), (0, 0), (-0.5, 0)),
    **dict.fromkeys(
        "pathlib.PurePath pathlib.PurePosixPath pathlib.Path pathlib.PosixPath".split(),
        (("a/b.txt",), ("",), ("/a",), ("a.tar.gz",)),
    ),
    "pathlib.PureWindowsPath": (("c:/a/b.txt",), ("",)),
}
"""Class -> arguments of its constructor."""


def samples(type: Type) -> tuple[Value, ...]:
    """The values to try for an input of the type; empty for other types."""
    if type == BYTES:
        return _BYTES
    if isinstance(type, Scalar) and type.name in LIBRARY_OBJECTS:
        return _objects(type.name)
    cls = named_class(type)
    return () if cls is None else _classes(cls)


def _classes(name: str) -> tuple[Value, ...]:
    if name in _PLAIN_CLASSES:
        return (NativeRef(name),)
    if name in ("BaseException", "Exception"):
        return ClassRef("ValueError"), ClassRef(name)
    return (ClassRef(name),)


def _objects(name: str) -> tuple[Value, ...]:
    module, _, cls = name.rpartition(".")
    library = import_module(module or "builtins")
    if name == "datetime.timezone":
        return library.timezone.utc, library.timezone(library.timedelta(hours=2))
    maker = library.compile if name == "re.Pattern" else getattr(library, cls)
    return tuple(maker(*arguments) for arguments in _OBJECTS[name])
