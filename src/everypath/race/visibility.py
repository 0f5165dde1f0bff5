"""Whether a final state that no serial order gives can be told from outside.

A class that takes locks has been made for threads, and may well be sloppy inside on purpose: hints that are allowed
to be stale, counters for statistics. Of such a class a state is at fault only if a public call or a public
plain attribute shows it. Of a class without locks, or one that never answers anything, the whole state counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MemberDescriptorType
from typing import Any

from everypath.concurrency.schedule import Plan
from everypath.race.calls import SHARED
from everypath.race.events import READ, SITES
from everypath.race.laboratory import Laboratory, Solo, Test, Trial
from everypath.race.running import Returned

HIDDEN, STATISTIC, VISIBLE = "hidden", "statistic", "visible"
_PLAIN = (int, float, str, bool, bytes, type(None))
_MISSING = object()
MOST_QUESTIONS = 150


class Visibility:
    """Knows from all calls seen so far what the class shows of its state."""

    def __init__(self, laboratory: Laboratory, calls: Sequence[str]) -> None:
        self._laboratory = laboratory
        self._calls = calls
        self._locks = False
        self._queries: set[str] = set()
        self._changing: set[str] = set()
        self._read: set[str] = set()
        self._answers: dict[tuple[Test, Plan, tuple[str, ...]], Any] = {}

    def learn(self, source: str, solo: Solo) -> None:
        """Take one more executed call into account."""
        self._locks = self._locks or any(step.lock is not None for step in solo.steps)
        if isinstance(solo.outcome, Returned) and solo.outcome.value is not None:
            self._queries.add(source)
        if solo.after != solo.before:
            self._changing.add(source)
        self._read.update(_read_for_a_purpose(solo))

    def of(self, test: Test, plan: Plan, trial: Trial, serial: Sequence[Plan]) -> tuple[str, str]:
        """How the final state of a run differs from those of the serial orders, and which attribute shows it."""
        if not self._locks or not self._queries:
            return VISIBLE, ""
        different = self._plain_differences(test, trial, serial)
        for name in different:
            if name in self._read:
                return VISIBLE, name
        if self._told_apart(test, plan, serial):
            return VISIBLE, ""
        return (STATISTIC, different[0]) if different else (HIDDEN, "")

    def _plain_differences(self, test: Test, trial: Trial, serial: Sequence[Plan]) -> list[str]:
        ours = _plain_attributes(trial)
        theirs = [_plain_attributes(self._laboratory.pair(test, plan)) for plan in serial]
        return [name for name, value in ours.items() if all(each.get(name, ...) != value for each in theirs)]

    def _told_apart(self, test: Test, plan: Plan, serial: Sequence[Plan]) -> bool:
        """Ask the same questions after the run and after each serial order; true once none of them answers alike."""
        single = [(call,) for call in self._calls if call in self._queries]
        if not self._all_alike(test, plan, serial, single, lambda answer: answer):
            return True
        # What a later call changes depends on hints as well (which entry is evicted next), so only its failing tells.
        double = [(first, call) for first in self._calls if first in self._changing for (call,) in single]
        return not self._all_alike(test, plan, serial, double[:MOST_QUESTIONS], lambda answer: answer[0])

    def _all_alike(
        self,
        test: Test,
        plan: Plan,
        serial: Sequence[Plan],
        questions: Sequence[tuple[str, ...]],
        part: Callable[[Any], Any],
    ) -> bool:
        """Whether some serial order gives the same part of every answer."""
        alike = list(serial)
        for question in questions:
            answer = part(self._answer(test, plan, question))
            alike = [each for each in alike if part(self._answer(test, each, question)) == answer]
            if not alike:
                return False
        return True

    def _answer(self, test: Test, plan: Plan, question: tuple[str, ...]) -> Any:
        key = (test, plan, question)
        if key not in self._answers:
            trial = self._laboratory.pair(test, plan)
            self._answers[key] = self._laboratory.afterwards(trial, question)
        return self._answers[key]


def _plain_attributes(trial: Trial) -> dict[str, Any]:
    shared = trial.names[SHARED]
    found = {name: value for name in _slots(type(shared)) if (value := _stored(shared, name)) is not _MISSING}
    attributes = _stored(shared, "__dict__")
    if isinstance(attributes, dict):
        found.update(attributes)
    return {name: value for name, value in found.items() if name[:1] != "_" and type(value) in _PLAIN}


def _slots(cls: type[Any]) -> Iterator[str]:
    for base in cls.__mro__:
        for name, member in vars(base).items():
            if isinstance(member, MemberDescriptorType):
                yield name


def _stored(shared: Any, name: str) -> Any:
    """An attribute without what the class might do when it is asked for it."""
    try:
        return object.__getattribute__(shared, name)
    except AttributeError:
        return _MISSING


def _read_for_a_purpose(solo: Solo) -> Iterable[str]:
    """Attributes of the object that the call reads other than to add something to them."""
    steps = [step for step in solo.steps if step.access is not None and step.access.owner == SHARED]
    for step in steps:
        if step.kind != READ or step.access is None:
            continue
        name = step.access.key
        nexts = (s for s in steps if s.index > step.index and s.access is not None and s.access.key == name)
        following = next(nexts, None)
        written = following is not None and following.access is not None and following.access.writes
        same_line = following is not None and _line(following.site) == _line(step.site)
        if not (written and same_line):
            yield str(name)


def _line(site: int) -> tuple[str, int]:
    return SITES[site].file, SITES[site].line
