"""Models of string methods; compiled by the front end, never imported."""

# ruff: noqa: SIM110, RET503 - generator expressions would hide the loops that the models are about.
from __future__ import annotations

from typing import Any


def join(self: Any, iterable: Any, /) -> Any:
    result = ""
    first = True
    for item in iterable:
        if not isinstance(item, str):
            raise TypeError("sequence item: expected str instance")
        if first:
            result = item
            first = False
        else:
            result = result + self + item
    return result
