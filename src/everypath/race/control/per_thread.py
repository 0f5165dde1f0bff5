"""`threading.local`: both threads of the arena live on, but in every run they are new to everything."""

from __future__ import annotations

import weakref
from _thread import _local as native_local
from typing import Any

_MADE: list[tuple[weakref.ref[Any], tuple[Any, ...], dict[str, Any]]] = []
"""Every object that keeps values per thread, with what it was made from."""


class ControlledLocal(native_local):
    """Stands for `threading.local`."""

    def __new__(cls, /, *arguments: Any, **named: Any) -> Any:
        made = super().__new__(cls, *arguments, **named)
        _MADE.append((weakref.ref(made), arguments, named))
        return made


def forget() -> None:
    """In a thread that begins a run: whatever it kept in an earlier one is gone."""
    if not _MADE:
        return
    _MADE[:] = [entry for entry in _MADE if entry[0]() is not None]
    for reference, arguments, named in _MADE:
        local = reference()
        if local is not None and local.__dict__:
            local.__dict__.clear()
            type(local).__init__(local, *arguments, **named)
