"""All native operations: importing this module fills the table in `registry.py`."""

from everypath.languages.python.natives import (  # noqa: F401 - each registers its operations
    classes,
    copying,
    dicts,
    dunders,
    exceptions,
    iteration,
    library,
    lists,
    making,
    named_attributes,
    numbers,
    outside,
    own_attributes,
    sets,
    standins,
    strings,
    templates,
    text,
)
from everypath.languages.python.natives.table import register_pure

register_pure()
