"""Java for the engine: 32-bit integers, division that truncates, and the names of the JVM's exceptions."""

from __future__ import annotations

from everypath.ir.program import Profile

NULL_POINTER = "java.lang.NullPointerException"
PROFILE = Profile(
    name="Java",
    floor_division=False,
    integer_bits=32,
    null_error=NULL_POINTER,
    attribute_error=NULL_POINTER,
    index_error="java.lang.ArrayIndexOutOfBoundsException",
    key_error="java.util.NoSuchElementException",
    division_error="java.lang.ArithmeticException",
    type_error="java.lang.ClassCastException",
    value_error="java.lang.IllegalArgumentException",
    cast_error="java.lang.ClassCastException",
    name_error="java.lang.VerifyError",
    assertion_error="java.lang.AssertionError",
    negative_indices=False,
    size_error="java.lang.NegativeArraySizeException",
    methods_are_attributes=False,
    typed=True,
)
