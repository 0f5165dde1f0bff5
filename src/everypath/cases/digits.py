"""Integers without a largest value have no longest text either."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def any_digits() -> Iterator[None]:
    """While this is open, integers of any length can be read and shown; Python refuses long ones by default."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)
