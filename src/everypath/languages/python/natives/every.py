"""All native operations: importing this module fills the table in `registry.py`."""

from everypath.languages.abs.semantics import killing
from everypath.languages.abs.semantics import numbers as abs_numbers
from everypath.languages.abs.semantics import text as abs_text
from everypath.languages.python.natives import (
    classes,
    copying,
    dicts,
    dunders,
    exceptions,
    iteration,
    library,
    lists,
    making,
    mathematics,
    numbers,
    outside,
    sets,
    strings,
    templates,
    text,
)
from everypath.languages.python.natives.table import register_pure

register_pure()

__all__ = [
    "abs_numbers",
    "abs_text",
    "classes",
    "copying",
    "dicts",
    "dunders",
    "exceptions",
    "iteration",
    "killing",
    "library",
    "lists",
    "making",
    "mathematics",
    "numbers",
    "outside",
    "sets",
    "strings",
    "templates",
    "text",
]
