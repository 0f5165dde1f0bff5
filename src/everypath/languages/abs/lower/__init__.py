"""Lowers checked ABS programs to the intermediate representation."""

from __future__ import annotations

from everypath.languages.abs.frontend.program import INIT, MAIN
from everypath.languages.abs.lower.names import function_home, interface_class, ir_type
from everypath.languages.abs.lower.programs import lower

__all__ = ["INIT", "MAIN", "function_home", "interface_class", "ir_type", "lower"]
