"""The table of Python's native operations: builtins and methods of builtin types that must handle terms."""

from __future__ import annotations

from everypath.explore.natives import Natives

NATIVES = Natives("everypath.languages.python.natives.every")
"""builtin functions by name (`len`, `math.floor`), methods as `type.method` (`list.append`)"""
native = NATIVES.native
