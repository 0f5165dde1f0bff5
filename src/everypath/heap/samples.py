"""Values to try for inputs of types that have no terms: floats and bytes are only sampled."""

from __future__ import annotations

import math

from everypath.heap.values import Value
from everypath.ir.instructions import Const
from everypath.ir.program import Method
from everypath.ir.types import ANY, BOOL, BYTES, FLOAT, FUNCTION, INT, NONE, STR, Type, UnionType

_FLOATS = (1.0, 0.0, -1.5, 0.5, 3.0)
_BYTES = (b"", b"a", b"ab\n", b"\x00\xff")
_MOST = 9


def samples(type: Type, method: Method | None) -> tuple[Value, ...]:
    """The values to try for an input of the type; empty for other types.

    Floats also take the values that the code under test mentions, which is what it compares with.
    """
    if type == BYTES:
        return _BYTES
    if type != FLOAT:
        return ()
    mentioned = [] if method is None else [float(value) for value in _numbers(method)]
    return tuple(dict.fromkeys((*_FLOATS, *mentioned)))[:_MOST]


def plain_key(key: Type) -> Type:
    """The type of the keys that an input dict or set may hold besides those that the program asks for.

    Keys must be told apart when the collection gets its size, so they are of one plain type.
    """
    if isinstance(key, UnionType):
        return next((option for option in key.options if option in (STR, INT, BOOL)), plain_key(key.options[-1]))
    return INT if key in (ANY, FLOAT, BYTES, NONE, FUNCTION) else key


def _numbers(method: Method) -> list[float]:
    found: list[float] = []
    for block in method.blocks.values():
        for instruction in block.instructions:
            if isinstance(instruction, Const) and isinstance(instruction.value, float):
                value = instruction.value
                if math.isfinite(value):
                    found += [value, value * 1.5]
    return found
