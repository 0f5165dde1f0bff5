"""When two failing runs show the same fault: the memory raced for, where the switch fell, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import Any

from everypath.cases.races import KINDS, RaceFinding
from everypath.concurrency.access import WHOLE, Access
from everypath.concurrency.schedule import Plan
from everypath.race.calls import SHARED
from everypath.race.events import SITES
from everypath.race.running import Raised
from everypath.race.search.call_runner import Test
from everypath.race.search.evidence import Evidence
from everypath.race.search.examine import Examined
from everypath.race.search.judge import strange
from everypath.race.search.traces import Step
from everypath.records import dataclass

VALUE = "value"
"""The symptom of a result or state that no serial order gives."""
_SHARED_PATH = re.compile(rf"{SHARED}(\.\w+)?(?![\w])")
_INSIDE = re.compile(r"[\[({<]")


@dataclass(frozen=True, slots=True)
class Cause:
    """What tells faults apart.

    Memory that no lock ever guards is one fault for each thing that comes of it. Where locks do guard it, every
    function that gets this wrong is a fault of its own, whatever comes of it.
    """

    place: str
    """the attribute below which everything raced for lies, or the locks of a deadlock; empty if unknown"""
    culprit: str
    """the function that gets the locks wrong, empty where there are none"""
    symptom: str
    """the class of an exception, the kind of what never ends, or VALUE"""

    @property
    def key(self) -> tuple[str, str]:
        """Equal for the same fault."""
        return self.place, self.culprit or self.symptom


def cause_of(examined: Examined, found: Evidence, guarded: Container[str]) -> Cause:
    """The cause of a failing run; `guarded` is the memory that was seen accessed under a lock."""
    kind = examined.kind or ""
    place = _place(kind, found)
    alone = kind not in ("deadlock", "lock-kept") and (not place or place in guarded)
    return Cause(place, _culprit(found) if alone else "", _symptom(kind, examined, found))


def _culprit(found: Evidence) -> str:
    """Of the two functions the one without a lock; if both are alike, the one that was divided."""
    site = found.other if found.locked == (True, False) and found.other is not None else found.site
    return SITES[site].function if site is not None else ""


def guarded_places(steps: Iterable[Step]) -> set[str]:
    """The memory that these steps access under a lock."""
    return {top(access_path(step.access)) for step in steps if step.access is not None and step.held}


def access_path(access: Access) -> str:
    """The object of an access, with the attribute if it is one."""
    return f"{access.owner}.{access.key}" if isinstance(access.key, str) and access.key != WHOLE else access.owner


def _place(kind: str, found: Evidence) -> str:
    if kind in ("deadlock", "lock-kept"):
        return " ".join(sorted({top(lock) for lock in found.locks}))
    return top(access_path(found.places[0])) if found.places else ""


def top(path: str) -> str:
    """The attribute of the shared object that leads to a place: `sut._data` of `sut._data['a'].count`.

    What hangs together below one attribute is one cause.
    """
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

    name: str
    """under which it is told, for good"""
    cause: Cause
    rank: tuple[Any, ...]
    kind: str
    test: Test
    plan: Plan
    seconds: float
    count: int = 1
    finding: RaceFinding | None = None
    """as it was told last"""
    stale: bool = True
    """a better run was found since"""

    def take(self, cause: Cause, rank: tuple[Any, ...], kind: str, test: Test, plan: Plan) -> None:
        """One more run of the same fault; the better one stays."""
        self.count += 1
        weaker = cause.symptom == VALUE != self.cause.symptom
        stronger = cause.symptom != VALUE == self.cause.symptom
        if cause.culprit:
            # The function is the fault then, and any symptom of it will do.
            weaker = stronger = False
        if stronger or (rank < self.rank and not weaker):
            self.cause, self.rank, self.kind, self.test, self.plan = cause, rank, kind, test, plan
            self.stale = True


def group_of(cause: Cause, groups: Sequence[Group]) -> Group | None:
    """The fault that a failing run belongs to.

    A wrong value beside an exception for the same memory is the same fault, seen later, or earlier.
    """
    for group in groups:
        if group.cause.key == cause.key:
            return group
    if cause.culprit:
        return None
    alike = (g for g in groups if g.cause.place == cause.place and not g.cause.culprit)
    return next((g for g in alike if VALUE in (cause.symptom, g.cause.symptom)), None)


def rank_of(kind: str, today: bool, test: Test, plan: Plan) -> tuple[Any, ...]:
    """The order in which runs of one fault are preferred: what happens today, what is worst, what is smallest."""
    calls = [source for thread in test.threads for source in thread]
    return not today, KINDS.index(kind), len(test.before), len(calls), len(plan), sum(map(len, calls))
