"""All native operations of ABS: importing this module fills the table in `registry.py`."""

from everypath.languages.abs.semantics import killing, numbers, text

__all__ = ["killing", "numbers", "text"]
