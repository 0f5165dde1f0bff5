"""Models of dict methods; compiled by the front end, never imported."""

# ruff: noqa: SIM110, RET503 - generator expressions would hide the loops that the models are about.
from __future__ import annotations

from typing import Any


def get(self: Any, key: Any, default: Any = None, /) -> Any:
    if key in self:
        return self[key]
    return default


def setdefault(self: Any, key: Any, default: Any = None, /) -> Any:
    if key not in self:
        self[key] = default
    return self[key]


def update(self: Any, other: Any = (), /, **more: Any) -> Any:
    if isinstance(other, dict):
        for key in list(other):
            self[key] = other[key]
    else:
        for key, value in other:
            self[key] = value
    for key in more:
        self[key] = more[key]


def copy(self: Any) -> Any:
    result: dict[Any, Any] = {}
    for key in self:
        result[key] = self[key]
    return result


def pop(self: Any, key: Any, /, *default: Any) -> Any:
    if key in self:
        value = self[key]
        del self[key]
        return value
    if len(default) > 0:
        return default[0]
    raise KeyError(key)


def popitem(self: Any) -> Any:
    if len(self) == 0:
        raise KeyError("popitem(): dictionary is empty")
    key = list(self)[-1]
    value = self[key]
    del self[key]
    return (key, value)


def clear(self: Any) -> Any:
    for key in list(self):
        del self[key]
