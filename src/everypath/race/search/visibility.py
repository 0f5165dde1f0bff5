"""Whether a final state that no serial order gives can be noticed from outside.

A class that takes locks was made for threads, and may be sloppy inside on purpose: hints that are allowed to be stale,
counters for statistics. For such a class, a state is a fault only if a public call or a public plain attribute shows
it, and not if a stale hint only made it drop one entry instead of another. For a class without locks, or one that never
answers anything, the whole state counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MemberDescriptorType
from typing import Any

from everypath.concurrency.access import Access
from everypath.concurrency.schedule import Plan
from everypath.race.events import READ, SITES
from everypath.race.running import SHARED, Returned
from everypath.race.search.call_runner import CallRunner, Solo, Test, Trial
from everypath.race.state.graph import Snapshot
from everypath.race.subject.doubles import PLAIN

HIDDEN, STATISTIC, VISIBLE = "hidden", "statistic", "visible"
_MISSING = object()
_IDLE: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
"""Two threads that do nothing."""
MOST_QUESTIONS = 150


Question = tuple[str, ...]
"""Calls to make after a run; the result of the last one is the answer."""


class Visibility:
    """Learns from all calls seen so far what the class shows of its state."""

    def __init__(self, runner: CallRunner, calls: Sequence[str]) -> None:
        self._runner = runner
        self._calls = calls
        self._locks = False
        self._queries: set[str] = set()
        self._changing: set[str] = set()
        self._read: set[str] = set()
        """attributes that some call depends on"""
        self._asked: set[str] = set()
        """attributes that some call with a result depends on"""
        self._answers: dict[tuple[Test, Plan, Question], Any] = {}

    def learn(self, source: str, solo: Solo) -> None:
        """Take one more executed call into account."""
        self._locks = self._locks or any(step.lock is not None for step in solo.steps)
        if isinstance(solo.outcome, Returned) and solo.outcome.value is not None:
            self._queries.add(source)
        if solo.after != solo.before:
            self._changing.add(source)
        read = set(_read_for_a_purpose(solo))
        self._read |= read
        if source in self._queries:
            self._asked |= read

    def of(
        self,
        test: Test,
        plan: Plan,
        trial: Trial,
        state: Snapshot,
        serial: Mapping[Plan, Snapshot],
        raced: Collection[Access],
    ) -> tuple[str, str]:
        """How the final state of a run differs from those of the serial orders, and which attribute shows it.

        `serial` are the orders in which the calls end in the same way, with the states that they leave. `raced` is what
        the threads raced for: other attributes may differ as a consequence of that.
        """
        if not self._locks or not self._queries:
            return VISIBLE, ""
        different = self._plain_differences(test, trial, tuple(serial))
        disturbed = [name for name in different if any((SHARED, name) == (a.owner, a.key) for a in raced)]
        for name in different:
            if name in (self._read if name in disturbed else self._asked):
                return VISIBLE, name
        sizes = _sizes(state)
        if self._told_apart(test, plan, {order: _sizes(state) == sizes for order, state in serial.items()}):
            return VISIBLE, ""
        return (STATISTIC, disturbed[0]) if disturbed else (HIDDEN, "")

    def _plain_differences(self, test: Test, trial: Trial, serial: Sequence[Plan]) -> list[str]:
        ours = _plain_attributes(trial)
        theirs = [_plain_attributes(self._runner.pair(test, plan)) for plan in serial]
        return [name for name, value in ours.items() if all(each.get(name, ...) != value for each in theirs)]

    def _told_apart(self, test: Test, plan: Plan, serial: Mapping[Plan, bool]) -> bool:
        """Ask the same questions after the run and after each serial order; True if no order answers like the run.

        The values of `serial` say whether the order leaves as much of everything as the run does.
        """
        single = [(call,) for call in self._calls if call in self._queries]
        different = {
            order: [each for each in single if self._answer(test, plan, each) != self._answer(test, order, each)]
            for order in serial
        }
        if all(different.values()):
            return not any(self._dropped_another(test, plan, each, different[each], serial[each]) for each in serial)
        # What a later call changes depends on hints as well (which entry is evicted next), so only its failing tells.
        double = [(first, call) for first in self._calls if first in self._changing for (call,) in single]
        alike = [each for each, found in different.items() if not found]
        for question in double[:MOST_QUESTIONS]:
            ending = self._answer(test, plan, question)[0]
            alike = [each for each in alike if self._answer(test, each, question)[0] == ending]
            if not alike:
                return True
        return False

    def _dropped_another(
        self, test: Test, plan: Plan, other: Plan, questions: Sequence[Question], as_much: bool
    ) -> bool:
        """Whether the answers differ only in that an entry is left that the serial order has dropped, or the other way
        round.

        Which entry a full cache drops is its own affair; how many entries it has, and what they are, is not. If the run
        leaves as much of everything, that is known. If not, hints about entries may be left over; then as many of the
        entries that are asked for must be there.
        """
        left = 0
        for question in questions:
            ours, theirs = self._answer(test, plan, question), self._answer(test, other, question)
            before, never = (self._answer(Test(calls, _IDLE), (), question) for calls in (test.before, ()))
            if before == never or {ours == before, theirs == before} != {True, False}:
                return False
            if not _missing(theirs if ours == before else ours, never):
                return False
            left += ours == before
        return as_much or 2 * left == len(questions)

    def _answer(self, test: Test, plan: Plan, question: Question) -> Any:
        key = (test, plan, question)
        if key not in self._answers:
            trial = self._runner.pair(test, plan)
            self._answers[key] = self._runner.afterwards(trial, question)
        return self._answers[key]


def _plain_attributes(trial: Trial) -> dict[str, Any]:
    shared = trial.names[SHARED]
    members = (item for base in type(shared).__mro__ for item in vars(base).items())
    slots = (name for name, member in members if isinstance(member, MemberDescriptorType))
    found = {name: value for name in slots if (value := _stored(shared, name)) is not _MISSING}
    attributes = _stored(shared, "__dict__")
    if isinstance(attributes, dict):
        found.update(attributes)
    return {name: value for name, value in found.items() if name[:1] != "_" and type(value) in PLAIN}


def _stored(shared: Any, name: str) -> Any:
    """The value of an attribute, read without running any code of the class."""
    try:
        return object.__getattribute__(shared, name)
    except AttributeError:
        return _MISSING


def _missing(answer: Any, never: Any) -> bool:
    """Whether an entry that is asked for is missing: the answer is an exception, or that of a fresh object."""
    return "raised" in answer[0][-1] or bool(answer == never)


def _sizes(state: Snapshot) -> Counter[tuple[Any, int]]:
    """How much there is of everything, whatever it is."""
    return Counter(
        (node[0], len(node) + (len(node[-1]) if type(node[-1]) is frozenset else 0)) for node in state.key[1:]
    )


def _read_for_a_purpose(solo: Solo) -> Iterable[str]:
    """Attributes of the object that the call reads for another purpose than adding something to them."""
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
