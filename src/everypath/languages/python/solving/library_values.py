"""Immutable objects of the library as tests write them."""

from __future__ import annotations

import builtins
import importlib
from typing import Any

from everypath.cases.model import Named, Written
from everypath.errors import Unsupported
from everypath.languages.python.semantics.host_objects import card_of


def written(value: Any) -> Written | None:
    """An expression that gives an equal object; None where there is none."""
    card = card_of(type(value))
    # What is not even equal to itself, such as a decimal that is not a number, cannot be compared with.
    return card.written(value) if card is not None and value == value else None


def library_name(name: str) -> Named:
    """A function or class of the library that is used as a value."""
    module, _, member = name.rpartition(".")
    if not module or hasattr(builtins, name.partition(".")[0]):
        return Named("builtins", name)
    try:
        found = getattr(importlib.import_module(module), member, None)
    except ImportError:
        found = None
    if not callable(found):
        raise Unsupported(f"{name} of the library in a test's inputs or results")
    return Named(module, member)
