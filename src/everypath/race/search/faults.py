"""Collects failing runs by fault, and reports the smallest test of each fault as soon as it is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from time import monotonic

from everypath.cases.races import FREE_THREADED, TODAY, RaceFinding, Switch, ThreadTest
from everypath.concurrency.schedule import SERIAL, Leg, Plan, Point
from everypath.race.events import ACQUIRE, SITES
from everypath.race.running import Blocked, Call, Returned
from everypath.race.search.call_runner import CallRunner, Prefix, Solo, Test, Unreachable
from everypath.race.search.causes import (
    Cause,
    Evidence,
    Group,
    access_path,
    cause_of,
    evidence,
    group_of,
    guarded_places,
    patterns,
    rank_of,
)
from everypath.race.search.examine import Examined, examine, serial_orders
from everypath.race.search.finding_text import observed_lines, timeline, title, unlike
from everypath.race.search.judge import strange
from everypath.race.search.visibility import HIDDEN, STATISTIC, Visibility
from everypath.race.state.naming import place_label
from everypath.race.subject.doubles import PLAIN
from everypath.records import replace

_PAUSE = 1.0
"""Seconds after which a finding is reported again if a better run was found."""
_SHARE = 0.1
"""The share of the time that reporting findings again may take."""


class Faults:
    """Collects failing runs of one class."""

    def __init__(
        self,
        runner: CallRunner,
        module: str,
        cls: str,
        methods: dict[str, str],
        tell: Callable[[str, RaceFinding], None],
        started: float,
    ) -> None:
        """Begin with none; `started` is when the search of the class did, with whichever setup."""
        self._runner = runner
        self._module = module
        self._cls = cls
        self._methods = methods
        """source of a call -> the method behind it"""
        self._tell = tell
        self._groups: list[Group] = []
        self._started, self._refreshed = started, monotonic()
        self._pause = _PAUSE
        self._kept: dict[str, tuple[Prefix, Call]] = {}
        """locks that some call keeps, with that call, until it is known whether that is a fault"""
        self._given: set[str] = set()
        self._guarded: set[str] = set()
        """memory that some call accesses under a lock"""
        self._takes: dict[str, str] = {}
        self._selfish: set[str] = set()
        self.visibility = Visibility(runner, list(methods))
        self.statistics: dict[str, None] = {}
        """attributes that lose updates and on which nothing depends"""

    def alone(self, before: Prefix, call: Call, solo: Solo) -> None:
        """Note faults that one thread shows by itself: a lock that it waits for and holds, or a lock that it keeps."""
        self._given.update(solo.given)
        self._guarded |= guarded_places(solo.steps)
        for step in solo.steps:
            if step.kind == ACQUIRE and step.lock is not None and solo.ends:
                self._takes.setdefault(step.lock, call.source)
        match solo.outcome:
            case Blocked(lock, _, held) if any(lock is each for each in held) and call.method not in self._selfish:
                self._selfish.add(call.method)
                self._waits_for_itself(before, call)
            case Returned(value) if type(value) not in PLAIN:
                return  # what the caller gets may be what gives the lock back
        for lock in solo.kept:
            self._kept.setdefault(lock, (before, call))

    def add(self, kind: str, test: Test, plan: Plan, examined: Examined) -> None:
        """Add a run that no serial order explains."""
        found = _evidence(examined, plan)
        cause = cause_of(examined, found, self._guarded)
        rank = rank_of(kind, found.today, test, plan)
        group = group_of(cause, self._groups)
        if group is None:
            group = Group(" / ".join(cause.key), cause, rank, kind, test, plan, monotonic() - self._started)
            group.pairs.update(self._pairs(test))
            self._groups.append(group)
            self._report(group)
        else:
            group.pairs.update(self._pairs(test))
            group.take(cause, rank, kind, test, plan)

    def counts(self, test: Test, plan: Plan, examined: Examined) -> bool:
        """Whether a failing run is a fault: a wrong state must be one that somebody can see."""
        if examined.kind != "state":
            return True
        orders = zip(serial_orders(self._runner, test), examined.serial)
        # An order in which the calls answer something else explains nothing, whatever state it leaves.
        alike = {order: seen.state for order, seen in orders if seen.answers_like(examined.observed)}
        found = _evidence(examined, plan)
        how, attribute = self.visibility.of(test, plan, examined.trial, examined.observed.state, alike, found.places)
        if how == STATISTIC and not found.today:
            self.statistics[attribute] = None
            return False
        return how != HIDDEN

    def refresh(self) -> None:
        """From time to time, report the findings again for which a better run was found."""
        started = monotonic()
        if started - self._refreshed > self._pause:
            self.finish()
            self._refreshed = monotonic()
            # Making findings small takes runs, of which the search needs most for itself.
            self._pause = max(_PAUSE, (self._refreshed - started) / _SHARE)

    def finish(self) -> None:
        """Report the findings that were not reported yet, or for which a better run was found."""
        for lock in [lock for lock in self._kept if lock in self._takes]:
            self._lock_kept(lock, *self._kept.pop(lock))
        for group in self._groups:
            if group.stale or (group.finding is not None and group.finding.also != group.count - 1):
                self._report(group)

    def _waits_for_itself(self, before: Prefix, call: Call) -> None:
        """Report a lock taken twice, unless another call releases it meanwhile, as with hand-made conditions."""
        for other in self._methods:
            test = Test(before, ((call.source,), (other,)))
            if isinstance(self._runner.pair(test, SERIAL[0]).run.outcomes[0][0], Returned):
                return
        self._consider("deadlock", Test(before, ((call.source,), ())), (Leg(0),))

    def _lock_kept(self, lock: str, before: Prefix, call: Call) -> None:
        """Report a lock that stays taken because no public call gives it back, with a call that then waits for ever."""
        if lock in self._given:
            return
        for other in self._methods:
            if lock not in self._runner.left_taken(Test(before, ((call.source, other), ()))):
                # The other call releases the lock when the same thread makes it next.
                return
        other = self._takes[lock]
        if self._runner.solo(before, other).ends:
            self._consider("lock-kept", Test(before, ((call.source,), (other,))), SERIAL[0])

    def _consider(self, kind: str, test: Test, plan: Plan) -> None:
        examined = examine(self._runner, test, plan)
        if examined.kind == kind:
            self.add(kind, test, plan, examined)

    def _report(self, group: Group) -> None:
        if group.stale:
            group.stale, group.finding = False, self._finding(group)
        if group.finding is not None:
            group.finding = replace(group.finding, also=group.count - 1, pairs=tuple(sorted(group.pairs)))
            self._tell(group.name, group.finding)

    def _finding(self, group: Group) -> RaceFinding | None:
        test, plan = self._smallest(group)
        examined = examine(self._runner, test, plan)
        if examined.kind is None or examined.trial.naming is None:
            return None
        lines = observed_lines(examined, test.threads)
        found = _evidence(examined, plan)
        numbers = patterns(examined.trial.run, plan, examined.trial.naming)
        site = SITES[found.site] if found.site is not None else None
        serial = serial_lines(self._runner, test)
        turns = timeline(examined.trial.run, test.threads, examined.trial.naming)
        places = found.locks if examined.kind in ("deadlock", "lock-kept") else map(access_path, found.places)
        shown = tuple(dict.fromkeys(place_label(place, None, self._cls) for place in places))
        return RaceFinding(
            kind=examined.kind,
            title=title(examined, found, self._names(test), shown, numbers),
            location=f"{site.file}:{site.line}"
            if site
            else next((f"{turn.file}:{turn.line}" for turn in turns if turn.line), ""),
            places=shown,
            label=TODAY if found.today else FREE_THREADED,
            observed=unlike(lines, serial, examined),
            serial=serial,
            timeline=turns,
            test=ThreadTest(self._module, self._cls, self._runner.setup, test.before, test.threads, _switches(plan)),
            patterns=numbers,
            seconds_to_find=group.seconds,
        )

    def _smallest(self, group: Group) -> tuple[Test, Plan]:
        """Leave out calls of the prefix as long as the same fault shows, under a schedule named by the source."""
        test, plan = group.test, group.plan
        plan = _evidence(examine(self._runner, test, plan), plan).plan
        # From the end: a call may need earlier ones, so these can be left out only once it is gone. The positions that
        # are still to come also stay valid.
        for position in reversed(range(len(test.before))):
            shorter = Test(test.before[:position] + test.before[position + 1 :], test.threads)
            if self._same_fault(group.kind, group.cause, shorter, plan):
                test = shorter
        return test, plan

    def _same_fault(self, kind: str, cause: Cause, test: Test, plan: Plan) -> bool:
        try:
            examined = examine(self._runner, test, plan)
        except Unreachable:
            return False  # without the call that was left out, another one fails
        again = cause_of(examined, _evidence(examined, plan), self._guarded)
        return examined.kind == kind and again == cause and self.counts(test, plan, examined)

    def _pairs(self, test: Test) -> Iterator[tuple[str, str]]:
        """Each method of the first thread with each of the second."""
        first, second = ([self._methods.get(source, source) for source in thread] for thread in test.threads)
        for one, two in product(first, second):
            yield min(one, two), max(one, two)

    def _names(self, test: Test) -> list[str]:
        """The method that each thread calls first."""
        return [f"{self._cls}.{self._methods.get(thread[0], thread[0])}" if thread else "" for thread in test.threads]


def _evidence(examined: Examined, plan: Plan) -> Evidence:
    assert examined.trial.naming is not None
    endings = strange(examined.observed, examined.serial) if examined.kind == "exception" else ()
    return evidence(examined.trial.run, plan, examined.trial.naming, endings)


def serial_lines(runner: CallRunner, test: Test) -> tuple[tuple[str, ...], ...]:
    """What the serial orders come to, in words, each different outcome once."""
    lines = []
    for plan in serial_orders(runner, test):
        trial = runner.pair(test, plan, named=True)
        observation = trial.observation().settled()
        lines.append(observed_lines(Examined(None, trial, observation, ()), test.threads))
    return tuple(dict.fromkeys(lines))


def _switches(plan: Plan) -> tuple[Switch, ...]:
    return tuple(
        Switch(leg.thread, leg.until.function, leg.until.operation, leg.until.occurrence)
        if isinstance(leg.until, Point)
        else Switch(leg.thread)
        for leg in plan
    )
