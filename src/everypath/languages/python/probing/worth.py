"""Which classes are worth making: what calls with objects of theirs have reached, for what these calls cost.

A real object of a collaborator often does much work that leads nowhere (it opens connections, reads settings), where a
mock would answer at once and can be told what to answer. Which is better, a search finds out. Costs are counted in
functions that are entered and not in seconds, so that the same seed leads to the same search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_ENOUGH = 30
"""Calls with objects of a class before it is judged."""
_LEAST, _MOST = 0.1, 1.5
Place = tuple[str, str]


class Worth:
    """Counts what was spent and gained with each class, and by all calls together."""

    def __init__(self) -> None:
        self._calls, self._spent, self._gained = Counter[Place](), Counter[Place](), Counter[Place]()
        self._all_spent = self._all_gained = 0

    def note(self, places: Iterable[Place], cost: int, gained: bool) -> None:
        """A call with objects of these classes has cost so much, and reached something new or not."""
        self._all_spent += cost
        self._all_gained += gained
        for place in places:
            self._calls[place] += 1
            self._spent[place] += cost
            self._gained[place] += gained

    def of(self, place: Place) -> float:
        """How well objects of a class do, compared with inputs as a whole; 1 as long as nobody knows."""
        if self._calls[place] < _ENOUGH:
            return 1.0
        here = (self._gained[place] + 1) / self._spent[place]
        overall = (self._all_gained + 1) / self._all_spent
        return min(_MOST, max(_LEAST, here / overall))
