"""Runs calls on fresh objects, alone or against each other, and says what came of it.

Calls are rewritten like the code under test, so that what an operator does to the object is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from everypath.concurrency.schedule import SERIAL, Leg, Plan
from everypath.race.control.arena import RealArena
from everypath.race.control.clocks import CLOCK
from everypath.race.control.fencing import Uncontrolled
from everypath.race.control.handed_in import begin_call
from everypath.race.control.locks import Stuck
from everypath.race.control.monitor import MONITOR
from everypath.race.events import ACQUIRE, ENTER, FAILED, READ, RELEASE, SITES, Event
from everypath.race.observe.importing import install
from everypath.race.observe.rewrite import rewrite_call
from everypath.race.running import CALL_FILE, NEXT_SITE, SHARED, Job, Outcome, Raised, Returned, Run
from everypath.race.search.coverage import Trace, trace_of
from everypath.race.search.judge import Observation, signature
from everypath.race.search.predict import Step, steps_of
from everypath.race.state.naming import name_objects
from everypath.race.state.surroundings import Surroundings
from everypath.race.state.walking import snapshot
from everypath.race.subject.doubles import RECORD, recorded
from everypath.race.subject.scope import held_in
from everypath.records import dataclass

_FUNCTION = "call"


_compiled = lru_cache(maxsize=4096)(rewrite_call)


def job(source: str, names: dict[str, Any]) -> Job:
    """What runs the call in the given scope; a statement has the value None."""
    install()
    code, is_expression = _compiled(source, CALL_FILE, _FUNCTION)

    def run() -> Any:
        begin_call(source)
        if is_expression:
            return eval(code, names)
        exec(code, names)
        return None

    return run


_ROUNDS = 2
"""Loops in traces are told apart up to this many rounds."""

Prefix = tuple[str, ...]
"""The calls that bring the shared object into its start state."""


@dataclass(frozen=True, slots=True)
class Test:
    """A concurrent test: prefix, then the calls of two threads."""

    __test__ = False

    before: Prefix
    threads: tuple[tuple[str, ...], tuple[str, ...]]


class Unreachable(Exception):
    """The setup or the calls of a prefix fail, or do not end by themselves."""


@dataclass(frozen=True, slots=True)
class Solo:
    """One call executed by one thread from a given state."""

    steps: tuple[Step, ...]
    trace: Trace
    before: Any
    """key of the state in which it was called"""
    after: Any
    """key of the state that it left"""
    outcome: Outcome
    kept: tuple[str, ...]
    """locks that the call took and did not give back"""
    given: tuple[str, ...]
    """locks that it gave back without having taken them"""

    @property
    def ends(self) -> bool:
        """Whether the call came back, with a value or an exception."""
        return isinstance(self.outcome, (Returned, Raised))


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of two threads: what happened and what was left behind."""

    run: Run
    names: dict[str, Any]
    outside: dict[str, Any]
    """data outside the object that belongs to the state"""
    naming: Callable[[Any], str | None] | None

    def observation(self) -> Observation:
        """Outcomes, results and final state, to be compared with other runs; look before the next run starts."""
        outcomes = tuple(tuple(signature(each) for each in thread) for thread in self.run.outcomes)
        ended = all(isinstance(each, (Returned, Raised)) for thread in self.run.outcomes for each in thread)
        values = [each.value if isinstance(each, Returned) else None for t in self.run.outcomes for each in t]
        state = [self.names[SHARED], *self.outside.values()] if ended else []
        return Observation(outcomes, values, state)


class CallRunner:
    """Makes objects by the setup and runs calls on them."""

    def __init__(
        self, arena: RealArena, surroundings: Surroundings, scope: Callable[[], dict[str, Any]], setup: str, steps: int
    ) -> None:
        self._arena = arena
        self._surroundings = surroundings
        self._scope = scope
        self._steps = steps
        self.setup = setup
        self.version = 0
        """changes when more data than before belongs to a state: nothing seen earlier can be compared any more"""
        self.opaque: dict[str, None] = {}
        """types of which the state holds objects that cannot be looked into"""
        self.truncated = False
        """whether some state was too large to be looked at whole"""
        self._solo: dict[tuple[Prefix, str], Solo] = {}
        self._states: dict[Prefix, Any] = {}

    def prepare(self, before: Prefix) -> dict[str, Any]:
        """A fresh shared object in its start state."""
        self._surroundings.reset()
        names = self._scope()
        try:
            names[SHARED] = job(self.setup, names)()
            for source in before:
                job(source, names)()
        except (Stuck, Uncontrolled) as error:
            raise Unreachable(f"{error}") from error
        except Exception as error:
            # It came to an end when it was tried before.
            raise Unreachable(f"the same calls do not do the same every time: {type(error).__name__}") from error
        # What callbacks have seen counts from here on; before, it would make every state a new one.
        RECORD.clear()
        return names

    def state(self, before: Prefix) -> Any:
        """The key of the state after a prefix."""
        if before not in self._states:
            names = self.prepare(before)
            self._states[before] = self._key(names)
        return self._states[before]

    def solo(self, before: Prefix, source: str) -> Solo:
        """Run the call alone; the result is remembered, because it is the same every time."""
        found = self._solo.get((before, source))
        if found is None:
            found = self._solo[before, source] = self._run_solo(before, source)
        return found

    def _run_solo(self, before: Prefix, source: str) -> Solo:
        start = self.state(before)
        names = self.prepare(before)
        roots = self._surroundings.roots()
        named = name_objects(**{SHARED: names[SHARED]}, **held_in(names), **roots)
        run = self._arena.run([job(source, names)], [], (Leg(0),), record=True, steps=self._steps)
        events = [event for _, event in run.events]
        if self._touched(events):
            # Data of one more module is part of the state from now on, so all that was learnt is learnt again.
            self.version += 1
            self._solo.clear()
            self._states.clear()
            return self._run_solo(before, source)
        kept, given = _balance(events, named.of)
        (outcome,) = run.outcomes[0]
        after = self._key(names)
        if isinstance(outcome, Returned):
            self._states[*before, source] = after
        return Solo(steps_of(events, named.of), trace_of(events, _ROUNDS), start, after, outcome, kept, given)

    def _key(self, names: dict[str, Any]) -> Any:
        """The key of a state, equal for states taken to be the same; kept results and the passed time belong to it."""
        kept = held_in(names)
        state = (names[SHARED], *self._surroundings.state().values(), *kept, *kept.values())
        found = snapshot(*state, CLOCK.passed if "clock" in names else 0)
        if found.opaque:
            self.opaque.update(dict.fromkeys(sorted(found.opaque)))
        self.truncated = self.truncated or found.truncated
        return found.key

    def pair(self, test: Test, plan: Plan, *, record: bool = False, named: bool = False) -> Trial:
        """Run both threads' calls on one object under a plan; with `named`, objects get the names they have at the
        start.
        """
        names = self.prepare(test.before)
        naming = None
        if named:
            naming = name_objects(**{SHARED: names[SHARED]}, **held_in(names), **self._surroundings.roots()).of
        first, second = (_jobs(sources, names) for sources in test.threads)
        run = self._arena.run(first, second, plan, record=record or named, steps=self._steps)
        outside = {**self._surroundings.state(), **held_in(names), "callbacks": tuple(recorded())}
        return Trial(run, names, outside, naming)

    def get_to_know(self, test: Test) -> None:
        """Take the data of all modules whose code a test runs into account, as the search did call by call."""
        for plan in SERIAL:
            self._touched(event for _, event in self.pair(test, plan, record=True).run.events)

    def _touched(self, events: Iterable[Event]) -> bool:
        """Whether the events belong to a module whose data did not count as part of the state so far."""
        return self._surroundings.touched({SITES[event.site].file for event in events if event.kind == ENTER})

    def left_taken(self, test: Test) -> tuple[str, ...]:
        """The locks that the calls of the first thread have taken and not given back at the end."""
        trial = self.pair(test, (Leg(0),), named=True)
        assert trial.naming is not None
        return _balance([event for thread, event in trial.run.events if thread == 0], trial.naming)[0]

    def afterwards(self, trial: Trial, sources: Sequence[str]) -> Any:
        """What calls after the run came to, for telling final states apart from outside."""
        run = self._arena.run([job(source, trial.names) for source in sources], [], (Leg(0),), steps=self._steps)
        values = [each.value if isinstance(each, Returned) else None for each in run.outcomes[0]]
        return tuple(signature(each) for each in run.outcomes[0]), snapshot(*values).key


def _jobs(sources: Sequence[str], names: dict[str, Any]) -> list[Job]:
    """A thread's calls; from the second one on, their beginnings are points at which a schedule can switch."""
    calls = [job(source, names) for source in sources]
    return [*calls[:1], *map(_announced, calls[1:])]


def _announced(call: Job) -> Job:
    def run() -> Any:
        MONITOR.access(READ, NEXT_SITE, None, None)
        return call()

    return run


def _balance(events: Sequence[Event], name: Callable[[Any], str | None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The locks that were taken and kept, and those given back without having been taken, if they have names."""
    depth: dict[str, int] = {}
    given: list[str] = []
    for event in events:
        taking = event.kind in (ACQUIRE, RELEASE) and event.key != FAILED
        lock = name(event.target) if taking else None
        if lock is None:
            continue
        if event.kind == ACQUIRE:
            depth[lock] = depth.get(lock, 0) + 1
        elif depth.get(lock, 0) > 0:
            depth[lock] -= 1
        else:
            given.append(lock)
    return tuple(lock for lock, count in depth.items() if count > 0), tuple(dict.fromkeys(given))
