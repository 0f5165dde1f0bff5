"""The language profile of Python: what the engine must know about its arithmetic and runtime errors."""

from __future__ import annotations

from everypath.ir.program import Profile

PYTHON = Profile(
    name="python",
    floor_division=True,
    integer_bits=None,
    null_error="AttributeError",
    attribute_error="AttributeError",
    index_error="IndexError",
    key_error="KeyError",
    division_error="ZeroDivisionError",
    type_error="TypeError",
    value_error="ValueError",
    cast_error="TypeError",
    name_error="UnboundLocalError",
    assertion_error="AssertionError",
    negative_indices=True,
)
