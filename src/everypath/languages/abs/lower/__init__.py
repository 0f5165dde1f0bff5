"""Lowers checked ABS programs to the intermediate representation."""

from __future__ import annotations

from everypath.languages.abs.frontend.program import INIT
from everypath.languages.abs.lower.names import MAIN, function_home, interface_class
from everypath.languages.abs.lower.programs import lower
from everypath.languages.abs.lower.types import ir_type

__all__ = ["INIT", "MAIN", "function_home", "interface_class", "ir_type", "lower"]
