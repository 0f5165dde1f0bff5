"""All native operations: importing this module fills the table in `registry.py`."""

from everypath.explore.natives import (
    abs_numbers,
    abs_text,
    actors,
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
from everypath.explore.natives.table import register_pure

register_pure()

__all__ = [
    "abs_numbers",
    "abs_text",
    "actors",
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
