"""The language profile of ABS: what the engine must know about its arithmetic and runtime errors."""

from __future__ import annotations

from everypath.ir.program import Profile
from everypath.languages.abs.frontend.types import STDLIB

FAILURES = f"{STDLIB}.Exceptions"
NULL_POINTER = f"{FAILURES}.NullPointerException"
DIVISION_BY_ZERO = f"{FAILURES}.DivisionByZeroException"
NO_MATCH = f"{FAILURES}.PatternMatchFailException"
OBJECT_DEAD = f"{FAILURES}.ObjectDeadException"
ASSERTION_FAILED = f"{FAILURES}.AssertionFailException"

ABS = Profile(
    name="abs",
    floor_division=False,
    integer_bits=None,
    null_error=NULL_POINTER,
    attribute_error=NULL_POINTER,
    # The type checker excludes what those without a better name stand for.
    index_error=NO_MATCH,
    key_error=NO_MATCH,
    division_error=DIVISION_BY_ZERO,
    type_error=NO_MATCH,
    value_error=NO_MATCH,
    cast_error=NO_MATCH,
    name_error=NO_MATCH,
    assertion_error=ASSERTION_FAILED,
    negative_indices=False,
    dead_error=OBJECT_DEAD,
    several_files="a.abs,b.abs",
    methods_are_attributes=False,
)
