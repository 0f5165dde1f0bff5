"""The builtins that only compute: real functions that may run on concrete values, and when they must not."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

LARGEST = 1_000_000

_FUNCTIONS = (abs, ascii, bin, bytes, chr, divmod, float, format, hex, int, oct, ord, pow, repr, round, str)
_METHODS: dict[type, str] = {
    str: (
        "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha "
        "isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower "
        "lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip "
        "split splitlines startswith strip swapcase title translate upper zfill"
    ),
    bytes: (
        "capitalize center count decode endswith find fromhex hex index isalnum isalpha isascii isdigit islower "
        "isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rindex "
        "rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title upper zfill maketrans "
        "translate expandtabs"
    ),
    int: "as_integer_ratio bit_count bit_length conjugate from_bytes to_bytes",
    float: "as_integer_ratio conjugate fromhex hex is_integer",
}


def _table() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {function.__name__: function for function in _FUNCTIONS}
    for cls, names in _METHODS.items():
        for name in names.split():
            found[f"{cls.__name__}.{name}"] = getattr(cls, name)
    for name in _METHODS[int].split():
        found[f"bool.{name}"] = getattr(bool, name)
    for name, function in vars(math).items():
        if not name.startswith("_") and callable(function):
            found[f"math.{name}"] = function
    return found


PURE: dict[str, Callable[..., Any]] = _table()
"""name in the table of natives -> the real function"""

_PADDING = frozenset(f"{cls}.{name}" for cls in ("str", "bytes") for name in ("center", "ljust", "rjust", "zfill"))
_HUGE_NUMBER = re.compile(r"[0-9]{6,}")


def too_large(name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether the result would take unreasonable space or time."""
    numbers = [a for a in (*args, *keywords.values()) if isinstance(a, int)]
    if name in _PADDING or name in ("str.expandtabs", "bytes.expandtabs", "bytes", "int.to_bytes", "bool.to_bytes"):
        return any(n > LARGEST for n in numbers[name == "int.to_bytes" :])
    if name == "pow":
        return len(args) == 2 and _large_power(*args)
    if name == "round":
        return any(abs(n) > 1000 for n in numbers[1:])
    if name in ("math.factorial", "math.comb", "math.perm"):
        return any(n > 2000 for n in numbers)
    if name.endswith(".replace") and len(args) >= 3 and all(isinstance(a, (str, bytes)) for a in args[:3]):
        return (len(args[0]) + 1) * max(1, len(args[2])) > 10 * LARGEST
    if name in ("format", "str.format", "str.format_map", "str.__mod__"):
        return any(isinstance(a, str) and _HUGE_NUMBER.search(a) for a in args[name == "format" :])
    if name == "bytes %":
        return _HUGE_NUMBER.search(args[0].decode("latin-1")) is not None
    return False


def _large_power(base: Any, exponent: Any) -> bool:
    if not isinstance(base, int) or not isinstance(exponent, int):
        return False
    return abs(base) > 1 and base.bit_length() * exponent > 100_000
