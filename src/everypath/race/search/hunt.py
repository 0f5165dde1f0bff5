"""The search for faults of one class: Figure 3 of AutoConTest.

Until the time is up or nothing new can be reached:

1. find the call sequence with the most method-call traces that were not covered so far (`sequences.py`, section 4.2);
2. run each of its new calls against all calls, from the state in which it was new (section 4.3);
3. predict from the traces of both, each run alone, which interleavings could go wrong (`predict.py`, section 4.4);
4. enforce those, and compare each with the serial orders (`judge.py`).

Most faults need one preemption, so the same interleavings with a second switch come last. Two other modes are
baselines: `exhaustive` enforces every single preemption instead of the predicted ones, `random` any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations_with_replacement, product
from random import Random
from time import monotonic
from typing import Any, Protocol

from everypath.cases.races import RaceStats
from everypath.concurrency.schedule import Leg, Plan, Point
from everypath.race.observe.call_parts import call_count
from everypath.race.protocol import RaceRequest
from everypath.race.running import NEXT_CALL, Blocked, Call, Raised, Refused, Returned
from everypath.race.search.call_runner import CallRunner, Prefix, Solo, Test, Trial, Unreachable
from everypath.race.search.examine import Examined, kind_of, part_counts, serial_observations
from everypath.race.search.exercise import Exercise, helping, takes_part
from everypath.race.search.faults import Faults
from everypath.race.search.judge import Observation
from everypath.race.search.predict import Prediction, Requirement, Step, predict
from everypath.race.search.sequences import Extension, Found, KnownEffects, SearchOptions, Stop, TracedCall, generate
from everypath.race.search.tally import Tally, triggered

_LONGEST_RANDOM_PREFIX = 5
_STATES = 40
"""So many states, those with the shortest routes first, are asked for methods that can be run against each other."""
_AT_ONCE, _LATE, _FAILURES_AT_ONCE = 12, 3, 2
"""How many interleavings of one pair of calls are run before other pairs have had their turn, in the first half of the
time and in the second; and how many failing ones."""
_FIRST_SATURATION = 3
_SEQUENCE_SHARE = 0.17
"""The share of the time for one sequence: what the paper spends on generation in all."""
_FIRST_EXECUTIONS, _GROWTH = 200, 4
"""Calls made for the first sequence, and the factor for each further one: so the first pairs run soon."""


class Listener(Protocol):
    """Is told how the search goes."""

    def remark(self, what: str) -> None:
        """Called with something worth knowing about the class that is no fault; begins with the name of an
        attribute.
        """

    def doing(self, what: str) -> None:
        """Called before anything that might not come back."""

    def progress(self, stats: RaceStats) -> None:
        """Called with the numbers so far."""

    def note(self, method: str, message: str) -> None:
        """Called when something of a method is left out, with the reason."""


class Hunt:
    """One class under test."""

    def __init__(
        self,
        runner: CallRunner,
        calls: Sequence[Call],
        faults: Faults,
        request: RaceRequest,
        raced: frozenset[str] | None,
        listener: Listener,
        exercise: Exercise,
        uncalled: int = 0,
    ) -> None:
        self._runner = runner
        self._calls = tuple(call for call in calls if call.source not in request.skip)
        self._methods = {call.source: call.method for call in self._calls}
        self._faults = faults
        self._request = request
        self._raced = raced
        """methods of which at least one must take part in every pair; None means all"""
        self._listener = listener
        self._exercise = exercise
        self._uncalled = uncalled
        """how many further methods there are for which there is no call"""
        self._deadline = monotonic() + request.seconds
        self._covered: set[Any] = set()
        self._waiting: dict[Any, tuple[Prefix, Call]] = {}
        """by trace: calls that wait for another thread, with the state in which they first did"""
        self._later: list[tuple[Test, Plan]] = []
        self._put_off: list[tuple[Test, Plan, int, list[Requirement]]] = []
        """interleavings of pairs that have had their turn, with the divided thread and what they should trigger"""
        self._serial: dict[tuple[Test, tuple[int, ...]], tuple[Observation, ...]] = {}
        self._valid = runner.version
        """the version of the idea of a state to which the serial runs belong"""
        self._tried: set[tuple[Any, str, str]] = set()
        """(start state, call, call)"""
        self._together: set[Any] = set()
        """pairs of traces, and of calls with their traces, that were run in a state where both occur"""
        self._shown = 0.0
        self.stats = RaceStats()
        self._tally = Tally()

    @property
    def tests(self) -> list[dict[str, object]]:
        """The numbers of each test for which there was anything to enforce."""
        return self._tally.tests()

    def run(self) -> RaceStats:
        """Search until everything reachable is covered or the time is up."""
        started = monotonic()
        for call in self._calls:
            self._learn((), call)
        if self._request.mode == "random":
            finished = self._at_random()
        else:
            finished = self._sequences() and self._what_was_put_off() and self._waiters() and self._two_switches()
        self._faults.finish()
        for attribute in self._faults.statistics:
            self._listener.remark(f"{attribute} loses updates on free-threaded builds; no method depends on it")
        self.stats.complete = finished
        self.stats.seconds = monotonic() - started
        self._count()
        return self.stats

    # The executor of the search tree.

    def extend(self, prefix: tuple[Call, ...], call: Call) -> Extension:
        """One more call after a sequence."""
        before = tuple(each.source for each in prefix)
        with self._unless_unreachable(call):
            solo = self._learn(before, call)
            # A call that keeps a lock would make every later call of the sequence wait for ever.
            usable = isinstance(solo.outcome, Returned) and not solo.kept and not _unbound(solo)
            return Extension(solo.trace, solo.after, isinstance(solo.outcome, Raised) and not _unbound(solo), usable)
        return Extension((), None, usable=False)

    @contextmanager
    def _unless_unreachable(self, call: Call) -> Iterator[None]:
        """Leave out what begins in a state to which the same calls do not lead every time."""
        try:
            yield
        except Unreachable as error:
            self._listener.note(call.method, f"is left out in some states: {error}")

    def _learn(self, before: Prefix, call: Call) -> Solo:
        self._listener.doing(call.source)
        solo = self._runner.solo(before, call.source)
        self._faults.visibility.learn(call.source, solo)
        self._faults.alone(before, call, solo)
        if _unbound(solo):
            self._exercise.missed(call)
        else:
            self._exercise.saw(call, solo.outcome)
        if isinstance(solo.outcome, Refused):
            self._listener.note(call.method, f"{solo.outcome.what}: {call.source} is left out")
        elif isinstance(solo.outcome, Blocked) and solo.trace not in self._waiting:
            self._waiting[solo.trace] = before, call
        self._tell()
        return solo

    def _sequences(self) -> bool:
        """Figure 3: one sequence after the other, each crossed with all before it; return whether that came to an
        end.
        """
        memory, start = KnownEffects(), self._runner.state(())
        level, number = _FIRST_SATURATION, 0
        executions, most = _FIRST_EXECUTIONS, SearchOptions().executions
        while self._time_left():
            started = monotonic()
            # No sequence may use up the time that enforcing needs; what calls did is remembered for the next one.
            over = _clock(min(self._deadline, started + self._request.seconds * _SEQUENCE_SHARE))
            search = SearchOptions(saturation=level, seed=self._request.seed + number, executions=executions)
            found = generate(self, self._calls, self._covered, search, over, memory=memory, start=start)
            self.stats.generation_seconds += monotonic() - started
            self.stats.saturation = level = found.k
            number += 1
            early = found.stats.stopped is Stop.EXECUTIONS and executions < most
            executions = min(executions * _GROWTH, most)
            if isinstance(found, Found):
                self.stats.sequences += 1
                self._cross_all((*found.calls, *found.raising), memory)
                self._cross_states(memory, alike=True)
            elif found.raising:
                self._cross_all(found.raising, memory)
            elif any(code not in self._covered for code in self._waiting):
                self._cross_all((), memory)
            elif not early:
                self._cross_states(memory, alike=True)
                self._cross_states(memory, alike=False)
                return found.stats.stopped is None and self._time_left()
        return False

    def _cross_all(self, calls: Sequence[TracedCall], memory: KnownEffects) -> None:
        """Section 4.3: run every call, in the state in which it was new, against all calls there are.

        The paper takes the calls of earlier sequences. But a trace does not tell arguments apart, and it is the
        arguments that decide whether two calls meet at the same key or take two locks in opposite order.
        """
        fresh = [(tuple(c.source for c in each.prefix), each.call) for each in calls]
        fresh.extend(waiting for code, waiting in self._waiting.items() if code not in self._covered)
        self._covered.update((*(each.trace for each in calls), *self._waiting))
        # Each pair of methods has its turn before any has its second one.
        for first_turn in (True, False):
            for (before, call), other in product(fresh, self._calls):
                if first_turn and self._exercise.ran(call, other):
                    continue
                with self._unless_unreachable(call):
                    self._cross(before, call, other)
                if not self._time_left():
                    return
            if first_turn:
                self._cross_methods(memory)

    def _cross_methods(self, memory: KnownEffects) -> None:
        """Run methods against each other that no new trace has brought together, in a state in which both come back."""
        for route, known in memory.visited()[:_STATES]:
            before = tuple(call.source for call in route)
            usable = {call.method: call for call, extension in reversed(known) if extension.usable}
            for first, second in combinations_with_replacement(usable.values(), 2):
                if not self._exercise.ran(first, second):
                    with self._unless_unreachable(first):
                        self._cross(before, first, second)
                if not self._time_left():
                    return

    def _cross_states(self, memory: KnownEffects, alike: bool) -> None:
        """Run traces that were first seen in different states against each other, in a state where both occur.

        With `alike`, calls with the same traces are taken to be the same, whatever their arguments.
        """
        for route, known in memory.visited():
            before = tuple(call.source for call in route)
            usable = [(call, extension.trace) for call, extension in known if extension.trace]
            for (first, one), (second, two) in combinations_with_replacement(usable, 2):
                key = (one, two) if alike else (one, first, two, second)
                if key in self._together:
                    continue
                self._together.update((key, (two, one) if alike else (two, second, one, first)))
                with self._unless_unreachable(first):
                    self._cross(before, first, second)
                if not self._time_left():
                    return

    def _cross(self, before: Prefix, first: Call, second: Call) -> None:
        """Run two calls against each other from one state, in the interleavings that the patterns predict."""
        if self._skipped(first, second):
            return
        one, two = self._runner.solo(before, first.source), self._runner.solo(before, second.source)
        key = (one.before, *sorted((first.source, second.source)))
        if key in self._tried or not (_interesting(one) and _interesting(two)):
            return
        self._tried.add(key)
        self._run_against_each_other(first, one, second, two)
        test = Test(before, ((first.source,), (second.source,)))
        self._listener.doing(f"{first.source} || {second.source}")
        for outer, mine, other in ((0, one, two), (1, two, one)):
            if outer == 1 and first.source == second.source:
                # The same call on both sides: dividing the other one gives the same interleavings again.
                break
            if self._request.mode == "exhaustive":
                for stop in range(1, len(mine.steps)):
                    self._enforce(test, _divide(outer, stop))
            else:
                for steps in self._traces(before, test, outer, mine, other):
                    self._predicted(test, outer, predict(mine.steps, steps))
            if not self._time_left():
                break
        self._tell()

    def _run_against_each_other(self, first: Call, one: Solo, second: Call, two: Solo) -> None:
        """Count the pair if neither call fails by itself; a call that only raises says little about threads."""
        self._exercise.saw(first, one.outcome)
        self._exercise.saw(second, two.outcome)
        if takes_part(one.outcome) and takes_part(two.outcome):
            self._exercise.pair(first, second)

    def _skipped(self, first: Call, second: Call) -> bool:
        """Whether the pair is left out: one is no call of the class, neither is asked for, or the pair hangs."""
        asked = self._raced is None or bool({first.method, second.method} & self._raced)
        hangs = f"{first.source} || {second.source}" in self._request.skip
        return not asked or hangs or _helping(first) or _helping(second)

    def _traces(self, before: Prefix, test: Test, outer: int, mine: Solo, other: Solo) -> list[tuple[Step, ...]]:
        """What the other call does in the start state, and what it does once the divided one has changed that state."""
        first, second = test.threads[outer][0], test.threads[1 - outer][0]
        if not isinstance(mine.outcome, Returned) or mine.after == mine.before or mine.kept:
            return [other.steps]
        later = self._runner.solo((*before, first), second)
        return [other.steps] if later.trace == other.trace else [other.steps, later.steps]

    def _predicted(self, test: Test, outer: int, prediction: Prediction) -> None:
        self._tally.expect(test, prediction)
        plans: dict[Plan, list[Requirement]] = {
            _divide(outer, step): [] for step in sorted(prediction.deadlocks | prediction.skews)
        }
        stopped: dict[Plan, None] = {}
        # One preemption at first; the same plan that also stops the other call in the middle is kept for later.
        for requirement, (lead, stop, reach, _) in prediction.feasible.items():
            before = (Leg(1 - outer, lead),) if lead else ()
            plans.setdefault((*before, *_divide(outer, stop)), []).append(requirement)
            stopped[*before, Leg(outer, stop), Leg(1 - outer, reach + 1), Leg(outer)] = None
        # A call of several parts may stay between them while the divided one goes on.
        parts = call_count(test.threads[1 - outer][0])
        for plan in list(plans):
            for number in range(1, parts):
                between = Leg(1 - outer, Point(*NEXT_CALL, number))
                plans.setdefault((*plan[:-2], between, plan[-1]), [])
        most = _AT_ONCE if monotonic() < self._deadline - self._request.seconds / 2 else _LATE
        # Many requirements share a plan, and one run of it can trigger them all.
        for number, (plan, requirements) in enumerate(plans.items()):
            if number < most and self._tally.failures(test) < _FAILURES_AT_ONCE:
                self._enforce_for(test, plan, outer, requirements)
            else:
                self._put_off.append((test, plan, outer, requirements))
        self._later.extend((test, plan) for plan in stopped)

    def _enforce_for(self, test: Test, plan: Plan, outer: int, requirements: list[Requirement]) -> None:
        trial = self._enforce(test, plan)
        self._tally.met(test, triggered(trial.run, outer, requirements))

    def _what_was_put_off(self) -> bool:
        """The other interleavings of pairs that have many."""
        for each in self._put_off:
            if not self._time_left():
                return False
            with self._unless_unreachable(self._call(each[0])):
                self._enforce_for(*each)
            self._tell()
        return True

    def _call(self, test: Test) -> Call:
        source = test.threads[0][0]
        return Call(self._methods[source], source)

    def _at_random(self) -> bool:
        """The uninformed baseline: any calls after any others, divided anywhere, until the time is up."""
        chance = Random(self._request.seed)
        while self._calls and self._time_left():
            first, second, *before = chance.choices(self._calls, k=2 + chance.randrange(_LONGEST_RANDOM_PREFIX))
            with self._unless_unreachable(first):
                self._divided_at_random(before, first, second, chance)
        return False

    def _divided_at_random(self, calls: Sequence[Call], first: Call, second: Call, chance: Random) -> None:
        before: Prefix = ()
        for call in calls:
            solo = self._learn(before, call)
            if isinstance(solo.outcome, Returned) and not solo.kept:
                before = (*before, call.source)
        self.stats.sequences += 1
        one, two = self._learn(before, first), self._learn(before, second)
        self._covered.update((one.trace, two.trace))
        if not self._skipped(first, second) and _interesting(one) and _interesting(two) and len(one.steps) > 1:
            self._run_against_each_other(first, one, second, two)
            self._listener.doing(f"{first.source} || {second.source}")
            test = Test(before, ((first.source,), (second.source,)))
            self._enforce(test, _divide(0, chance.randrange(1, len(one.steps))))

    def _two_switches(self) -> bool:
        """The same interleavings with the other call stopped as soon as it has come between."""
        for test, plan in self._later:
            if not self._time_left():
                return False
            self._enforce(test, plan)
            self._tell()
        return True

    def _waiters(self) -> bool:
        """Run a call that waits against two calls of the other thread: one wakes it, the next runs before it goes on.

        The woken call must not rely on what the second one takes away.
        """
        for before, call in self._waiting.values():
            for waking in self._calls:
                if _helping(waking) or not self._wakes(before, call, waking):
                    continue
                for taking in self._calls:
                    if _helping(taking):
                        continue
                    if not self._time_left():
                        return False
                    self._listener.doing(f"{call.source} || {waking.source}, {taking.source}")
                    test = Test(before, ((call.source,), (waking.source, taking.source)))
                    with self._unless_unreachable(taking):
                        if self._runner.solo((*before, waking.source), taking.source).ends:
                            self._enforce(test, (Leg(0), Leg(1), Leg(0)))
                self._tell()
        return True

    def _wakes(self, before: Prefix, call: Call, waking: Call) -> bool:
        if not isinstance(self._runner.solo(before, waking.source).outcome, Returned):
            return False
        test = Test(before, ((call.source,), (waking.source,)))
        return self._serial_runs(test)[0].ended

    def _enforce(self, test: Test, plan: Plan) -> Trial:
        serial, parts = self._serial_runs(test), part_counts(test)
        trial = self._runner.pair(test, plan, record=True)
        self.stats.enforced += 1
        observed = trial.observation()
        kind = kind_of(trial.run, plan, observed, serial)
        if kind is not None and part_counts(test) != parts:
            observed.settled()
            kind = kind_of(trial.run, plan, observed, self._serial_runs(test))
        self._tally.ran(test, kind is not None)
        if kind is not None:
            observed.settled()
            self._fault(kind, test, plan, observed, self._serial_runs(test))
        return trial

    def _fault(self, kind: str, test: Test, plan: Plan, observed: Observation, serial: tuple[Observation, ...]) -> None:
        # Run again with names for all objects, which the fast runs do without; what differs now is chance, not a race.
        trial = self._runner.pair(test, plan, named=True)
        if not trial.observation().same(observed):
            first, second = test.threads[0][0], test.threads[1][0]
            self._listener.note(
                self._methods[first], f"is not judged: {first} with {second} does not do the same every time"
            )
            return
        examined = Examined(kind, trial, observed, serial)
        if self._faults.counts(test, plan, examined):
            self._faults.add(kind, test, plan, examined)

    def _serial_runs(self, test: Test) -> tuple[Observation, ...]:
        if self._valid != self._runner.version:
            # Observations made before more data counted as state cannot be compared with those made after.
            self._valid = self._runner.version
            self._serial.clear()
        # A run can show that a call has more parts than were known, and then there are more orders.
        key = test, part_counts(test)
        found = self._serial.get(key)
        if found is None:
            found = serial_observations(self._runner, test)
            self._serial[test, part_counts(test)] = found
            self.stats.serial_runs += len(found)
        return found

    def _time_left(self) -> bool:
        return monotonic() < self._deadline

    def _tell(self) -> None:
        now = monotonic()
        if now - self._shown > 0.2:
            self._shown = now
            self._count()
            self._listener.progress(self.stats)
        self._faults.refresh()

    def _count(self) -> None:
        stats, methods = self.stats, {call.method for call in self._calls if not _helping(call)}
        unasked = len(methods - self._raced) if self._raced is not None else 0
        count = len(methods) + self._uncalled
        stats.traces = len(self._covered)
        stats.tests = self._tally.count
        stats.predicted, stats.candidates = len(self._tally.predicted), len(self._tally.feasible)
        stats.triggered = len(self._tally.triggered)
        stats.pairs_covered = len(self._exercise.pairs)
        stats.pairs_total = _pairs(count) - _pairs(unasked)


def _clock(limit: float) -> Callable[[], bool]:
    return lambda: monotonic() > limit


def _pairs(count: int) -> int:
    """Of so many things, each with each other and with itself."""
    return count * (count + 1) // 2


def _divide(outer: int, stop: int) -> Plan:
    """A plan with one preemption, in which the other thread's call runs as a whole."""
    return (Leg(outer, stop), Leg(1 - outer), Leg(outer))


def _helping(call: Call) -> bool:
    return helping(call.method)


def _interesting(solo: Solo) -> bool:
    """Whether a call comes back, or could be woken by another thread."""
    return isinstance(solo.outcome, (Returned, Raised, Blocked)) and not _unbound(solo)


def _unbound(solo: Solo) -> bool:
    """Whether a call uses the result of another call that was not made in this state."""
    return isinstance(solo.outcome, Raised) and isinstance(solo.outcome.error, NameError) and not solo.steps
