"""The calls that are offered to the search, few enough to try every one against every other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from math import floor
from operator import itemgetter
from typing import Any

from everypath.race.running import SHARED, Call, Returned
from everypath.race.subject.bounds import DURATION, LONGEST, bound_of, seconds_in
from everypath.race.subject.chains import chain_forms
from everypath.race.subject.choosing import Chooser, Settled
from everypath.race.subject.construct import constructor_parameters
from everypath.race.subject.doubles import PLAIN, Made
from everypath.race.subject.scope import HELD, Scope
from everypath.race.subject.surface import ASYNCHRONOUS, MINOR, NATIVE, Form
from everypath.race.subject.trials import Fit, Trials
from everypath.race.subject.values import Pools
from everypath.records import dataclass

KEEPING = "<held>"
"""The method of calls that only prepare what the threads do: they keep a result."""
_MOST_MAKERS, _MOST_TAKERS = 8, 20
_PLAIN_LENGTH = 12
"""Characters of a text that a person could have chosen; longer ones are made by a machine."""
_GIVING_BACK = re.compile(
    r"(un|de)[a-z]+|remove\w*|off|discard\w*|disconnect\w*|detach\w*|delete\w*|drop\w*|cancel\w*|release\w*|return\w*"
    r"|renew\w*|give\w*|check_?in\w*|put_?back\w*|close\w*|free\w*|ack\w*|nack\w*|done|complete\w*|finish\w*|commit\w*"
    r"|abort\w*|rollback\w*|refresh\w*|touch\w*|extend\w*|revoke\w*|dispose\w*|recycle\w*|redeem\w*|is_\w+"
)


@dataclass(slots=True)
class Held:
    """Calls that keep the results of one call, and by method the calls that take them."""

    keeping: tuple[Call, ...]
    taking: dict[str, list[Call]]


def held_calls(setup: str, settled: list[Settled], chooser: Chooser, trials: Trials, scope: Scope) -> Held:
    """Find by trial which calls take what another returns, where no literal will do; of several, the most taken."""
    best = Held((), {})
    takers = [(one, index) for one in settled for index in _open(one)]
    for maker, value in islice(_makers(setup, settled, chooser, trials), _MOST_MAKERS):
        first, *others = [call.source for call in chooser.calls(maker)]
        second = next((e for e in (*others, first) if trials.fit(setup, f"{first}\n{e}") is Fit.WORKS), None)
        kept = [f"{name} = {source}" for name, source in zip(HELD, (first, second)) if source is not None]
        if not all(map(scope.usable, kept)):
            continue
        taking: dict[str, list[Call]] = {}
        for one, index in takers[:_MOST_TAKERS]:
            method = one.form.method
            if method in taking or method == maker.form.method or not _in_need(one, value):
                continue
            if _takes(setup, one, index, first, trials):
                named = [_with(one, index, name) for name, _ in zip(HELD, kept)]
                taking[method] = [Call(method, source) for source in named if source is not None]
        if len(taking) > len(best.taking):
            best = Held(tuple(Call(KEEPING, source) for source in kept), taking)
    return best


def _takes(setup: str, one: Settled, index: int, made: str, trials: Trials) -> bool:
    """Whether the call works with what the other returned, and not as well with a literal after it."""
    source, plain = _with(one, index, HELD[0]), one.source(one.values())
    if source is None or trials.fit(setup, f"{HELD[0]} = {made}\n{source}") is not Fit.WORKS:
        return False
    return one.fit is Fit.WORKS or plain is None or trials.fit(setup, f"{made}\n{plain}") is not Fit.WORKS


def _makers(setup: str, settled: list[Settled], chooser: Chooser, trials: Trials) -> Iterator[tuple[Settled, Any]]:
    """Calls that return something which could be meant for another call."""
    for one in settled:
        if one.fit is not Fit.WORKS or one.wrapper != "{}" or not isinstance(one.outcome, Returned):
            continue
        if one.form.rank == NATIVE or one.form.method.startswith("__") or "(" not in one.form.pattern:
            continue
        value = one.outcome.value
        if value is None or isinstance(value, (bool, list, dict, set, frozenset, type, Made)):
            continue
        if getattr(value, "__module__", None) == Made.__module__:
            # A stand-in that was handed in and comes back.
            continue
        source = one.source(one.values())
        if source and chooser.calls(one) and not trials.holds(setup, f"({source}) is {SHARED}"):
            yield one, value


def _open(one: Settled) -> list[int]:
    """The arguments that a result could take the place of."""
    if one.form.rank == NATIVE or one.wrapper != "{}" or one.form.method.startswith("__"):
        return []
    return [index for index, value in enumerate(one.values()) if value is not None]


def _in_need(one: Settled, value: Any) -> bool:
    """Whether the literals do not work, or work without doing anything because none of them could be the right one."""
    if one.fit is not Fit.WORKS:
        return True
    plain = type(value) in PLAIN and len(str(value)) <= _PLAIN_LENGTH
    return not plain and bool(_GIVING_BACK.fullmatch(one.form.method))


def _with(one: Settled, index: int, name: str) -> str | None:
    values = one.values()
    return one.source((*values[:index], name, *values[index + 1 :]))


CALL_LIMIT, MOST_METHODS = 40, 100
"""Calls that are offered, unless there are more methods; methods of which any call is."""
TIME_PASSES = "<time passes>"
"""The method of the call that only lets time pass."""
CALLBACKS_SEEN = "<callbacks>"
"""The method of the call that only shows how often callbacks were called."""
_MOST_FURTHER_KEYS = 3
_MOST_FURTHER_CALLS = 6
_A_MINUTE = 60.0
_MOST_FAILING, _MOST_BEFORE = 8, 12
"""Calls that do not work and are tried with other setups, and calls that are made before them for that."""


class Offer:
    """A setup, for every form the values that suit with it, and the few calls that matter of all those that work."""

    def __init__(self, setup: str, forms: list[Form], trials: Trials, pools: Pools, scope: Scope) -> None:
        self.setup = setup
        self._chooser = Chooser(setup, trials, pools, scope)
        self._settled = self._chooser.settle(forms)
        self._trials = trials
        self._scope = scope
        self._parameters = constructor_parameters(pools.cls)
        self._cls = pools.cls
        self._chains: list[Settled] | None = None
        self._held = Held((), {})
        self.uncalled: dict[str, str] = {}
        """methods for which there is no call, and why"""

    @property
    def mismatches(self) -> int:
        """How many methods do not work with the setup, which may have made the object of the wrong things."""
        return sum(one.fit is Fit.WRONG for one in self._settled)

    @property
    def misfit(self) -> tuple[int, int]:
        """How badly the methods work with the setup."""
        return self.mismatches, sum(one.fit for one in self._settled)

    def works_better(self, setup: str) -> bool:
        """Whether some call that does not work here does with another setup, at once or after one of the others."""
        failing = [one for one in self._settled if one.fit is not Fit.WORKS][:_MOST_FAILING]
        before = [one for one in self._settled if one.fit is Fit.WORKS][:_MOST_BEFORE]
        first = [source for one in before if (source := one.source(one.values())) is not None]

        def works_later(setup: str, source: str) -> bool:
            return any(self._trials.fit(setup, f"{each}\n{source}") is Fit.WORKS for each in first)

        for one in failing:
            source = one.source(one.values())
            if source is None:
                continue
            if self._trials.fit(setup, source) < one.fit:
                return True
            if works_later(setup, source) and not works_later(self.setup, source):
                return True
        return False

    def calls(self, problems: list[tuple[str, str]], raced: frozenset[str] | None, limit: int) -> list[Call]:
        """The calls of all forms, first one of each, then further ones, until there are enough."""
        if self._chains is None:
            self._chains = self._chooser.settle(
                chain_forms(self._cls, self.setup, self._settled, self._chooser, self._trials)
            )
            self._settled += self._chains
        self._held = held_calls(self.setup, self._settled, self._chooser, self._trials, self._scope)
        turns = [
            ((raced is not None and call.method not in raced, i + (rank == MINOR), rank), call)
            for rank, row in self._rows(problems)
            for i, call in enumerate(row)
        ]
        ordered = list(dict.fromkeys(call for _, call in sorted(turns, key=itemgetter(0))))
        firsts = {call.method: call for call in reversed(ordered)}
        methods = list(dict.fromkeys(call.method for call in ordered))
        chosen, cut = methods[:MOST_METHODS], methods[MOST_METHODS:]
        # A call of every method, however many there are, then further ones as long as there is room.
        wanted = [firsts[method] for method in chosen]
        wanted += [call for call in ordered if call.method in chosen and call not in wanted][
            : max(limit - len(wanted), 0)
        ]
        kept = [call for call in ordered if call in wanted]
        covered = {call.method for call in kept}
        if cut:
            others = f" (also {', '.join(cut[1:])})" if cut[1:] else ""
            message = f"is left out{others}: more than {MOST_METHODS} methods; name what matters with --method"
            problems.append((cut[0], message))
            self.uncalled.update(dict.fromkeys(cut, f"there are more than {MOST_METHODS} methods"))
        return kept if raced is None or covered & raced else []

    def _rows(self, problems: list[tuple[str, str]]) -> Iterator[tuple[int, list[Call]]]:
        for one in self._settled:
            method = one.form.method
            if self._makes_another(one):
                problems.append((method, "makes a new object instead of changing this one"))
                continue
            problem = self._chooser.problem(one)
            taking = self._held.taking.get(method, [])
            if problem is None:
                plain = [*self._chooser.calls(one), *self._third(one)]
                # Of what only fails without the other's result, one call is enough.
                yield one.form.rank, [*taking, *(plain[:1] if taking else plain)]
            elif taking:
                yield one.form.rank, taking
            else:
                problems.append((method, problem))
                if problem != ASYNCHRONOUS:
                    self.uncalled[method] = problem

    def _third(self, one: Settled) -> list[Call]:
        """A call with a third key, if none works twice: with two keys there may be none left for other calls' sake."""
        source = one.source(one.values()) if one.fit is Fit.WORKS else None
        if source is None or self._trials.fit(self.setup, f"{source}\n{source}") is Fit.WORKS:
            return []
        return self._chooser.further(one, 1)

    def _makes_another(self, one: Settled) -> bool:
        if not one.form.method.startswith("__i") or "=" not in one.form.pattern or one.fit is not Fit.WORKS:
            return False
        value = one.values()[0]
        return not self._trials.holds(self.setup, f"{SHARED}.{one.form.method}({value}) is {SHARED}")

    def preparing(self, calls: list[Call]) -> list[Call]:
        """What is not raced: keeping results, letting time pass, looking at what callbacks have seen."""
        found: list[Call] = []
        methods = {call.method for call in calls}
        if methods & self._held.taking.keys():
            found += self._held.keeping
        passing = Call(TIME_PASSES, f"clock.advance({self._moment()})")
        if self._scope.usable(passing.source) and any(map(self._asks_the_time, calls)):
            found.append(passing)
        showing = Call(CALLBACKS_SEEN, "recorded()")
        sources = (self.setup, *(call.source for call in calls))
        if any("callback" in source for source in sources) and self._scope.usable(showing.source):
            found.append(showing)
        return found

    def _asks_the_time(self, call: Call) -> bool:
        # A limit to how long one waits says nothing about what the object remembers.
        return "timeout=" not in call.source and self._trials.asks_the_time(self.setup, call.source)

    def _moment(self) -> int:
        """Seconds after which whatever the setup and the calls have started is over."""
        longest = seconds_in(self.setup, self._parameters)
        for one in self._settled:
            for index, parameter in enumerate(one.form.parameters):
                if DURATION.fullmatch(parameter.name.lower()):
                    values: list[Any] = [one.pool(index)[0], parameter.default]
                    longest = max([longest, *(_seconds(value) for value in values)])
        return floor(longest or _A_MINUTE) + 1

    def further(self, setup: str) -> tuple[Call, ...]:
        """For a setup with room for n things: calls with up to n + 1 keys, not only two, and more kept results."""
        count = bound_of(setup, self._parameters) - 1
        found: list[Call] = []
        if 1 <= count <= _MOST_FURTHER_KEYS:
            filling = [one for one in self._settled if one.form.rank <= NATIVE]
            found = [call for one in filling for call in self._chooser.further(one, count)][:_MOST_FURTHER_CALLS]
        if self._held.taking and setup != self.setup:
            # Where there is more room, there may be a second result to keep.
            more = held_calls(setup, self._settled, self._chooser, self._trials, self._scope)
            found += [*(call for row in more.taking.values() for call in row), *more.keeping]
        return tuple(dict.fromkeys(found))


def _seconds(value: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return 0.0
    return seconds if 0 < seconds < LONGEST else 0.0
