"""What was read in the source about the parameters of methods, found again for live classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from everypath.cases.races import ParameterUse
from everypath.race.subject.class_source import defining

UNUSED = ParameterUse("", "", "")
"""Of a parameter about which the source says nothing."""
Uses = dict[str, ParameterUse]
"""Parameter -> what is done with it."""


class ParameterUses:
    """The evidence that came with the request; about other classes nothing is known."""

    def __init__(self, told: Iterable[ParameterUse] = ()) -> None:
        self._by_method: dict[tuple[str, str], Uses] = {}
        for use in told:
            self._by_method.setdefault((use.cls, use.method), {})[use.parameter] = use

    def of(self, cls: type[Any], method: str) -> Uses:
        """The uses of the parameters of a method, in the class that defines it."""
        owner = defining(cls, method)
        key = f"{owner.__module__}:{owner.__qualname__}" if owner is not None else ""
        return self._by_method.get((key, method), {})
