"""The table of Python's native operations: builtins and methods of builtin types that must handle terms."""

from __future__ import annotations

from everypath.explore.natives import Natives
from everypath.heap.values import LanguageValue

NATIVES = Natives("everypath.languages.python.natives.every")
"""builtin functions by name (`len`, `math.floor`), methods as `type.method` (`list.append`)"""
native = NATIVES.native


class Declined(LanguageValue):
    """What an operation returns that leaves the case to whoever comes next."""

    __slots__ = ()


DECLINED = Declined()
NOT_GIVEN = LanguageValue()
"""The default of parameters for which every value of the program, None as well, means something."""
