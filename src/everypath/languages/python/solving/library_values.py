"""Immutable objects of the library as tests write them."""

from __future__ import annotations

import builtins
import importlib
import re
from typing import Any

from everypath.cases.model import Named, Written
from everypath.errors import Unsupported
from everypath.languages.python.semantics.host_objects import home_of, is_foreign

_PREFIXED = frozenset("decimal fractions uuid pathlib".split())
"""Modules whose objects show themselves without the module's name."""
_LONGEST_PATTERN = 150


def written(value: Any) -> Written | None:
    """An expression that gives an equal object; None where there is none."""
    if not is_foreign(value) or value != value:
        return None
    module = home_of(type(value))
    text = repr(value)
    if '"' not in text and "\\" not in text:
        text = text.replace("'", '"')
    if module == "datetime" or module == "re":
        # Long patterns are shown in part only, and what a match found cannot be written at all.
        known = hasattr(value, "groupindex") and len(value.pattern) < _LONGEST_PATTERN
        shown = known or isinstance(value, re.RegexFlag)
        return Written(module, text) if module == "datetime" or shown else None
    if module.partition(".")[0] in _PREFIXED:
        package = module.partition(".")[0]
        if type(value).__name__ in ("PosixPath", "WindowsPath"):
            # What `Path` gives where the test runs.
            text = text.replace(type(value).__name__, "Path", 1)
        return Written(package, f"{package}.{text}")
    return Written("", text) if isinstance(value, complex) else None


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
