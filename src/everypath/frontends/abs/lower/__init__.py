"""Lowers checked ABS programs to the intermediate representation."""

from __future__ import annotations

from everypath.frontends.abs.lower.names import INIT, MAIN, function_home, interface_class
from everypath.frontends.abs.lower.programs import lower
from everypath.frontends.abs.lower.types import ir_type

__all__ = ["INIT", "MAIN", "function_home", "interface_class", "ir_type", "lower"]
