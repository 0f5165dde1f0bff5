"""What the calls of a search came to, in whichever state: the evidence behind a clean verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

from everypath.cases.races import Exercised, LeftOut
from everypath.race.observe.branches import Branch
from everypath.race.running import Blocked, Call, Outcome, Returned
from everypath.race.search.finding_text import ending
from everypath.records import dataclass, field


def helping(method: str) -> bool:
    """Whether this is no method of the class, but a step that keeps a result or lets time pass."""
    return method.startswith("<")


def takes_part(outcome: Outcome) -> bool:
    """Whether a call did what it is there for: it came back with a value, or waits for another thread."""
    return isinstance(outcome, (Returned, Blocked))


@dataclass(slots=True)
class Exercise:
    """Remembers for each call whether it ever came back; one object for all setups of a class."""

    _came_back: dict[Call, bool] = field(default_factory=dict)
    _failures: dict[str, str] = field(default_factory=dict)
    """by method, how its latest call failed"""
    _missed: dict[str, str] = field(default_factory=dict)
    """by method, why a call of it could not be made"""
    pairs: set[frozenset[str]] = field(default_factory=set)
    """methods that ran against each other in a state in which neither fails by itself"""

    def saw(self, call: Call, outcome: Outcome) -> None:
        """Note one call that was made alone in some state."""
        if helping(call.method):
            return
        done = takes_part(outcome)
        self._came_back[call] = self._came_back.get(call, False) or done
        if not done:
            self._failures[call.method] = ending(outcome)

    def pair(self, first: Call, second: Call) -> None:
        """Note that two calls ran against each other, neither of which fails by itself."""
        self.pairs.add(frozenset((first.method, second.method)))

    def ran(self, first: Call, second: Call) -> bool:
        """Whether calls of the two methods did."""
        return frozenset((first.method, second.method)) in self.pairs

    def missed(self, call: Call) -> None:
        """A call that could not be made: it uses the result of another one, which the state did not have."""
        self._missed[call.method] = f"{call.source} needs the result of a call that was not made before it"

    def summary(
        self,
        uncalled: Mapping[str, str],
        raced: frozenset[str] | None,
        branches: tuple[Sequence[Branch], Sequence[Branch]],
        file: str,
    ) -> Exercised:
        """All of it, with the methods that were never called and why.

        `uncalled` gives the reasons for methods of which no call was made. The branches are those that were taken and
        those that were not, whose lines are told for one file; `raced` are the methods of which one must be in every
        pair, None for all.
        """
        taken, left = branches
        back = list(self._came_back.values())
        returned = dict.fromkeys(call.method for call, done in self._came_back.items() if done)
        called = dict.fromkeys(call.method for call in self._came_back)
        raised = [LeftOut(each, self._failures.get(each, "")) for each in called if each not in returned]
        reasons = {**uncalled, **self._missed}
        never = {method: why for method, why in reasons.items() if method not in called}
        pairs = combinations_with_replacement(dict.fromkeys((*returned, *called, *never)), 2)
        return Exercised(
            methods=len(called) + len(never),
            returned=tuple(returned),
            raised=tuple(raised),
            uncalled=tuple(LeftOut(method, why) for method, why in never.items()),
            calls_returned=sum(back),
            calls_raised=len(back) - sum(back),
            branches=len(taken) + len(left),
            branches_reached=len(taken),
            # Those that only lacked time or a common state come first: of the others, a method tells the reason.
            pairs_left=tuple(
                pair
                for pair in sorted(pairs, key=lambda pair: not returned.keys() >= {*pair})
                if frozenset(pair) not in self.pairs and (raced is None or not raced.isdisjoint(pair))
            ),
            unreached=tuple(sorted({branch.line for branch in left if branch.file == file})),
        )
