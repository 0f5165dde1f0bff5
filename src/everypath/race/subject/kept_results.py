"""Results as arguments: what one call returns, such as a connection or a ticket, another may have to be given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from everypath.race.calls import SHARED, Call
from everypath.race.running import Returned
from everypath.race.subject.choosing import Chooser, Settled
from everypath.race.subject.doubles import PLAIN, Made
from everypath.race.subject.scope import HELD, Scope
from everypath.race.subject.surface import NATIVE
from everypath.race.subject.trials import Fit, Trials
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
        second = next((each for each in (*others, first) if _works_after(setup, first, each, trials)), None)
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


def _works_after(setup: str, first: str, second: str, trials: Trials) -> bool:
    return trials.fit(setup, f"{first}\n{second}") is Fit.WORKS


def _makers(setup: str, settled: list[Settled], chooser: Chooser, trials: Trials) -> Iterator[tuple[Settled, Any]]:
    """Calls that return something which could be meant for another call."""
    for one in settled:
        if one.fit is not Fit.WORKS or one.wrapper != "{}" or not isinstance(one.outcome, Returned):
            continue
        if one.form.rank == NATIVE or one.form.method.startswith("__") or "(" not in one.form.pattern:
            continue
        value = one.outcome.value
        if value is None or isinstance(value, (bool, list, dict, set, frozenset, type, Made)) or _is_ours(value):
            continue
        source = one.source(one.values())
        if source and chooser.calls(one) and not trials.holds(setup, f"({source}) is {SHARED}"):
            yield one, value


def _is_ours(value: Any) -> bool:
    """Whether it is a stand-in that was handed in and comes back."""
    return getattr(value, "__module__", None) == Made.__module__


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
