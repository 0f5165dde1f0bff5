"""When two failing runs show the same fault: the memory raced for, where the switch fell, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from everypath.concurrency.access import WHOLE, Access
from everypath.concurrency.schedule import Plan
from everypath.race.calls import SHARED
from everypath.race.events import SITES
from everypath.race.evidence import Evidence
from everypath.race.examine import Examined
from everypath.race.judge import strange
from everypath.race.laboratory import Test
from everypath.race.running import Raised
from everypath.records import dataclass, field
from everypath.suite.races import KINDS, RaceFinding

VALUE = "value"
"""The symptom of a result or state that no serial order gives."""
_SHARED_PATH = re.compile(rf"{SHARED}(\.\w+)?(?![\w])")
_INSIDE = re.compile(r"[\[({<]")


@dataclass(frozen=True, slots=True)
class Cause:
    """What tells faults apart."""

    place: str
    """the attribute below which everything raced for lies, or the locks of a deadlock; empty if unknown"""
    function: str
    """in which the other thread came in between"""
    other: str
    """in which the other thread was"""
    symptom: str
    """the class of an exception, the kind of what never ends, or VALUE"""

    @property
    def name(self) -> str:
        """The same text for the same cause in every process."""
        return " / ".join((self.place, self.function, self.other, self.symptom))

    @property
    def pair(self) -> frozenset[str]:
        """Both functions, whichever was divided."""
        return frozenset((self.function, self.other))


def cause_of(examined: Examined, found: Evidence) -> Cause:
    """The cause of a failing run."""
    kind = examined.kind or ""
    function, other = (SITES[site].function if site is not None else "" for site in (found.site, found.other))
    return Cause(_place(kind, found), function, other, _symptom(kind, examined, found))


def access_path(access: Access) -> str:
    """The object of an access, with the attribute if it is one."""
    return f"{access.owner}.{access.key}" if isinstance(access.key, str) and access.key != WHOLE else access.owner


def _place(kind: str, found: Evidence) -> str:
    if kind in ("deadlock", "lock-kept"):
        return " ".join(sorted({_top(lock) for lock in found.locks}))
    return _top(access_path(found.places[0])) if found.places else ""


def _top(path: str) -> str:
    """`sut._data` of `sut._data['a'].count`: what hangs together below one attribute is one cause."""
    match = _SHARED_PATH.match(path)
    return match[0] if match else _INSIDE.split(path, maxsplit=1)[0]


def _symptom(kind: str, examined: Examined, found: Evidence) -> str:
    if kind in ("result", "state"):
        return VALUE
    if kind != "exception":
        return kind
    outer = next((leg.thread for leg in found.plan if leg.until is not None), 0)
    positions = sorted(strange(examined.observed, examined.serial), key=lambda each: each[0] != outer)
    outcomes = (examined.trial.run.outcomes[thread][number] for thread, number in positions)
    return next((type(each.error).__name__ for each in outcomes if isinstance(each, Raised)), kind)


@dataclass(slots=True)
class Group:
    """Failing runs of one fault: its best run so far stands for all of them."""

    founder: Cause
    rank: tuple[Any, ...]
    kind: str
    cause: Cause
    """of the best run"""
    test: Test
    plan: Plan
    seconds: float
    count: int = 1
    finding: RaceFinding | None = None
    """as it was told last"""
    stale: bool = True
    """a better run was found since"""
    functions: set[str] = field(default_factory=set)
    pairs: set[frozenset[str]] = field(default_factory=set)
    symptoms: set[str] = field(default_factory=set)

    def joins(self, cause: Cause) -> None:
        """Whatever has functions or symptoms in common with this cause belongs here from now on."""
        self.functions.add(cause.function)
        self.pairs.add(cause.pair)
        self.symptoms.add(cause.symptom)


def group_of(cause: Cause, groups: Iterable[Group]) -> Group | None:
    """The fault that a failing run belongs to: raced for is the same memory, and what comes of it is the same too.

    An update that is lost halfway through a method shows as a wrong value here and as one or another exception there,
    so the same memory raced for in the same function, or by the same two, is the same fault, whatever comes of it.
    """
    alike = [group for group in groups if group.founder.place == cause.place]
    if cause.place:
        for group in alike:
            if cause.symptom in group.symptoms:
                return group
    return next((g for g in alike if cause.function in g.functions or cause.pair in g.pairs), None)


def rank_of(kind: str, today: bool, test: Test, plan: Plan) -> tuple[Any, ...]:
    """The order in which runs of one fault are preferred: what happens today, what is worst, what is smallest."""
    calls = [source for thread in test.threads for source in thread]
    return not today, KINDS.index(kind), len(test.before), len(calls), len(plan), sum(map(len, calls))
