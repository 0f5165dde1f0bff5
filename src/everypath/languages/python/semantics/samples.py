"""Values to try for inputs of types that have no terms: bytes and objects of the library are only sampled."""

from __future__ import annotations

from importlib import import_module

from everypath.heap.values import Value
from everypath.ir.instructions import ClassRef, NativeRef
from everypath.ir.types import (
    BYTES,
    Scalar,
    Type,
    named_class,
)
from everypath.languages.python.cards.index import SAMPLED

_PLAIN_CLASSES = frozenset("int str float bool bytes list dict set tuple object".split())
_BYTES = (b"", b"a", b"ab\n", b"\x00\xff")


def samples(type: Type) -> tuple[Value, ...]:
    """The values to try for an input of the type; empty for other types."""
    if type == BYTES:
        return _BYTES
    if isinstance(type, Scalar) and type.name in SAMPLED:
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
    card = SAMPLED[name]
    names = dict(vars(import_module(card.module)))
    return tuple(eval(expression, names) for expression in card.samples)
