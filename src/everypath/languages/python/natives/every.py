"""All native operations: importing this module fills the table in `registry.py`."""

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
    "classes",
    "copying",
    "dicts",
    "dunders",
    "exceptions",
    "iteration",
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
