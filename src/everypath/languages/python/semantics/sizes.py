"""Integers that C code takes for a size or a place: Python refuses those that do not fit, whatever they are for."""

from __future__ import annotations

from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.logic.terms import IntLike, Term

_LAST = 2**63 - 1
LAST_INT = 2**31 - 1
TOO_LARGE = "Python int too large to convert to C ssize_t"
NO_INDEX = "cannot fit 'int' into an index-sized integer"


def c_size(st: State, number: IntLike, told: str = TOO_LARGE, last: int = _LAST) -> IntLike:
    """The number, if C code can take it; an input is taken to be of a usual size unless the path asks for another."""
    low, high = st.pc.interval(number) if isinstance(number, Term) else (number, number)
    if (low is not None and low > last) or (high is not None and high < -last - 1):
        raise Fault("OverflowError", told)
    return number
