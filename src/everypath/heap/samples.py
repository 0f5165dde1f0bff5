"""Values to try for inputs of types that have no terms: bytes are only sampled."""

from __future__ import annotations

from everypath.heap.values import Value
from everypath.ir.types import ANY, BOOL, BYTES, FLOAT, FUNCTION, INT, NONE, STR, Type, UnionType

_BYTES = (b"", b"a", b"ab\n", b"\x00\xff")


def samples(type: Type) -> tuple[Value, ...]:
    """The values to try for an input of the type; empty for other types."""
    return _BYTES if type == BYTES else ()


def plain_key(key: Type) -> Type:
    """The type of the keys that an input dict or set may hold besides those that the program asks for.

    Keys must be told apart when the collection gets its size, so they are of one plain type.
    """
    if isinstance(key, UnionType):
        return next((option for option in key.options if option in (STR, INT, BOOL)), plain_key(key.options[-1]))
    return INT if key in (ANY, FLOAT, BYTES, NONE, FUNCTION) else key
