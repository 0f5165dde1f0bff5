"""The methods of a class that users call without their names: operators, conversions and what collections answer."""

from __future__ import annotations

_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
_OTHERS = (
    "neg pos abs invert round floor ceil trunc "
    "eq ne lt le gt ge hash bool int float complex index str repr format bytes "
    "len length_hint getitem setitem delitem contains iter next reversed call enter"
)
SPELLED = frozenset(
    f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in _BINARY.split() if f"{prefix}{name}" != "idivmod"
) | frozenset(f"__{name}__" for name in _OTHERS.split())
"""`__exit__` is not among them: it gets either three times None or an exception, which types do not say."""
