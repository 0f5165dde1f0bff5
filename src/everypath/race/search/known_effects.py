"""What calls do in which state: found out by running them, and remembered from iteration to iteration."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from everypath.race.calls import Call
from everypath.race.search.coverage import Trace
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Extension:
    """What one more call came to."""

    trace: Trace
    state: Hashable
    """of the shared object afterwards"""
    raised: bool = False
    """the call ended with an exception; one that the class caught itself is none"""
    usable: bool = True
    """False for a call that did not come back or that must not be repeated; it neither counts nor is extended"""


class Executor(Protocol):
    """Runs calls on a fresh object; the same sequence always does the same."""

    def extend(self, prefix: tuple[Call, ...], call: Call) -> Extension:
        """Run the call after the prefix, by replaying it or from a copy of the state that it leads to."""
        ...


class KnownEffects:
    """What calls did in which state; one for all iterations over the same calls saves most executions."""

    def __init__(self) -> None:
        self._states: dict[Hashable, int] = {}
        self._routes: dict[Hashable, tuple[Call, ...]] = {}
        self._known: dict[tuple[Hashable, Call], Extension] = {}
        self.reliable = True
        """no call has been seen to do something else in a state that looked the same"""

    def number(self, state: Hashable, route: tuple[Call, ...]) -> int:
        """A small number for the state; the route is kept if it is the shortest known, the cheapest one to replay."""
        number = self._states.setdefault(state, len(self._states))
        known = self._routes.get(number)
        if known is None or len(route) < len(known):
            self._routes[number] = route
        return number

    def route(self, state: Hashable) -> tuple[Call, ...]:
        """The shortest sequence known to lead to the state."""
        return self._routes[state]

    def recall(self, state: Hashable, call: Call) -> Extension | None:
        """What the call did in the state, if that is known."""
        return self._known.get((state, call))

    def keep(self, state: Hashable, call: Call, extension: Extension) -> None:
        """Note what the call did in the state."""
        self._known[state, call] = extension

    def visited(self) -> list[tuple[tuple[Call, ...], list[tuple[Call, Extension]]]]:
        """Every state by its route, shortest first, with the calls executed there."""
        calls: dict[Hashable, list[tuple[Call, Extension]]] = {}
        for (state, call), extension in self._known.items():
            calls.setdefault(state, []).append((call, extension))
        return sorted(((self._routes[state], known) for state, known in calls.items()), key=lambda each: len(each[0]))
