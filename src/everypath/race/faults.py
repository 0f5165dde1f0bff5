"""Failing runs grouped by cause, the smallest test of each, and the finding that is reported."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from everypath.concurrency.access import Access
from everypath.concurrency.schedule import SERIAL, Leg, Plan, Point
from everypath.race.calls import SHARED, Call
from everypath.race.events import ACQUIRE, SITES
from everypath.race.evidence import Evidence, evidence, patterns
from everypath.race.examine import Examined, examine, serial_plans
from everypath.race.judge import Observation
from everypath.race.laboratory import Laboratory, Prefix, Solo, Test, Trial
from everypath.race.running import Blocked, Raised
from everypath.race.telling import observed_lines, places_text, timeline, unlike
from everypath.records import dataclass
from everypath.suite.races import FREE_THREADED, KINDS, TODAY, RaceFinding, Switch, ThreadTest

Group = tuple[str, str]
"""The raced-for memory and the symptom."""


@dataclass(slots=True)
class Failure:
    """The best failing run of a group so far."""

    rank: tuple[Any, ...]
    kind: str
    test: Test
    plan: Plan
    seconds: float
    count: int = 1
    told: bool = False


class Faults:
    """Collects failing runs of one class."""

    def __init__(
        self,
        laboratory: Laboratory,
        module: str,
        cls: str,
        methods: dict[str, str],
        tell: Callable[[str, RaceFinding], None],
    ) -> None:
        self._laboratory = laboratory
        self._module = module
        self._cls = cls
        self._methods = methods
        """source of a call -> the method behind it"""
        self._tell = tell
        self._groups: dict[Group, Failure] = {}
        self._started = monotonic()
        self._kept: dict[str, tuple[Prefix, Call]] = {}
        self._given: set[str] = set()
        self._takes: dict[str, tuple[Prefix, str]] = {}
        self.hidden = 0
        self.statistics: set[str] = set()

    def alone(self, before: Prefix, call: Call, solo: Solo) -> None:
        """Faults that one thread shows by itself: a lock it waits for and holds, a lock that it keeps."""
        self._given.update(solo.given)
        for step in solo.steps:
            if step.kind == ACQUIRE and step.lock is not None and solo.ends:
                self._takes.setdefault(step.lock, (before, call.source))
        if isinstance(solo.outcome, Blocked) and any(lock is solo.outcome.lock for lock in solo.outcome.held):
            self._consider("deadlock", Test(before, ((call.source,), ())), (Leg(0),))
        for lock in solo.kept:
            if isinstance(solo.outcome, Raised) or lock not in self._given:
                self._kept.setdefault(lock, (before, call))

    def add(self, kind: str, test: Test, plan: Plan, trial: Trial) -> None:
        """A run that no serial order explains."""
        assert trial.naming is not None
        found = evidence(trial.run, plan, trial.naming)
        self._record(kind, test, plan, trial, found)

    def happens_today(self, trial: Trial, plan: Plan) -> bool:
        """Whether the run's switches fall where interpreters with a global lock switch."""
        assert trial.naming is not None
        return evidence(trial.run, plan, trial.naming).today

    def finish(self) -> None:
        """Tell what has not been told yet, or was bettered since."""
        for lock, (before, call) in self._kept.items():
            self._lock_kept(lock, before, call)
        for group, failure in self._groups.items():
            if not failure.told and not self._shadowed(group):
                failure.told = True
                self._tell(" ".join(group), self._finding(group, failure))

    @property
    def found(self) -> int:
        """How many faults there are so far."""
        return len(self._groups)

    def _shadowed(self, group: Group) -> bool:
        """A wrong value beside an exception for the same memory is the same fault, seen later."""
        place, symptom = group
        return symptom == "value" and any(p == place and s != "value" for p, s in self._groups)

    def _lock_kept(self, lock: str, before: Prefix, call: Call) -> None:
        """The lock stays taken for good if no public call gives it back: show a call that then waits for ever."""
        if lock in self._given or lock not in self._takes:
            return
        _, other = self._takes[lock]
        if self._laboratory.solo(before, other).ends:
            self._consider("lock-kept", Test(before, ((call.source,), (other,))), SERIAL[0])

    def _consider(self, kind: str, test: Test, plan: Plan) -> None:
        examined = examine(self._laboratory, test, plan)
        if examined.kind == kind:
            self.add(kind, test, plan, examined.trial)

    def _record(self, kind: str, test: Test, plan: Plan, trial: Trial, found: Evidence) -> None:
        group = (_cause(kind, found), _symptom(kind, trial))
        size = (len(test.before), len(plan), sum(len(source) for thread in test.threads for source in thread))
        rank = (not found.today, KINDS.index(kind), *size)
        known = self._groups.get(group)
        if known is None:
            self._groups[group] = Failure(rank, kind, test, plan, monotonic() - self._started)
        else:
            known.count += 1
            if rank < known.rank:
                known.rank, known.kind, known.test, known.plan, known.told = rank, kind, test, plan, False

    def _finding(self, group: Group, failure: Failure) -> RaceFinding:
        test, plan, examined = self._smallest(group, failure)
        assert examined.trial.naming is not None
        found = evidence(examined.trial.run, plan, examined.trial.naming)
        numbers = patterns(examined.trial.run, plan, examined.trial.naming)
        site = SITES[found.site] if found.site is not None else None
        places = found.locks if failure.kind in ("deadlock", "lock-kept") else tuple(map(_label, found.places))
        shown = tuple(dict.fromkeys(self._shown(place) for place in places))
        serial = serial_lines(self._laboratory, test)
        turns = timeline(examined.trial.run, test.threads, examined.trial.naming)
        located = f"{site.file}:{site.line}" if site else next((f"{t.file}:{t.line}" for t in turns if t.line), "")
        return RaceFinding(
            kind=failure.kind,
            title=self._title(failure.kind, test, shown, examined, found, numbers),
            location=located,
            places=shown,
            label=TODAY if found.today else FREE_THREADED,
            observed=unlike(observed_lines(examined, test.threads), serial, examined),
            serial=serial,
            timeline=turns,
            test=ThreadTest(
                self._module, self._cls, self._laboratory.setup, test.before, test.threads, _switches(plan)
            ),
            patterns=numbers,
            seconds_to_find=failure.seconds,
            also=failure.count - 1,
        )

    def _smallest(self, group: Group, failure: Failure) -> tuple[Test, Plan, Examined]:
        """Leave out calls of the prefix as long as the same fault shows, under a schedule named by the source."""
        test, plan = failure.test, failure.plan
        examined = examine(self._laboratory, test, plan)
        assert examined.trial.naming is not None
        named = evidence(examined.trial.run, plan, examined.trial.naming).plan
        again = self._same_fault(group, failure.kind, test, named)
        if again is not None:
            plan, examined = named, again
        for source in reversed(test.before):
            position = len(test.before) - 1 - test.before[::-1].index(source)
            shorter = Test(test.before[:position] + test.before[position + 1 :], test.threads)
            smaller = self._same_fault(group, failure.kind, shorter, plan)
            if smaller is not None:
                test, examined = shorter, smaller
        return test, plan, examined

    def _same_fault(self, group: Group, kind: str, test: Test, plan: Plan) -> Examined | None:
        try:
            examined = examine(self._laboratory, test, plan)
        except Exception:
            return None  # without the call that was left out, another one fails
        if examined.kind != kind or examined.trial.naming is None:
            return None
        found = evidence(examined.trial.run, plan, examined.trial.naming)
        return examined if (_cause(kind, found), _symptom(kind, examined.trial)) == group else None

    def _shown(self, place: str) -> str:
        owned = place == SHARED or place.startswith((f"{SHARED}.", f"{SHARED}["))
        return self._cls + place.removeprefix(SHARED) if owned else place

    def _title(
        self,
        kind: str,
        test: Test,
        places: tuple[str, ...],
        examined: Examined,
        found: Evidence,
        numbers: tuple[int, ...],
    ) -> str:
        outer = next((leg.thread for leg in found.plan if leg.until is not None), 0)
        names = [f"{self._cls}.{self._methods.get(thread[0], thread[0])}" if thread else "" for thread in test.threads]
        divided, other = names[outer], names[1 - outer]
        memory = places_text(places[:2]) or "its state"
        both = f"{divided} and {other}" if divided != other else f"two calls of {divided}"
        match kind:
            case "deadlock" if not other:
                return f"{divided} waits for a lock that it holds itself ({memory})"
            case "deadlock":
                return f"{both} wait for ever ({memory})"
            case "lock-kept":
                return f"{names[0]} ends without releasing {memory}"
            case "exception":
                return f"{both}: {_exceptions(examined)} through {memory}"
            case "endless":
                return f"{both}: a call does not end, through {memory}"
            case "result":
                return f"{both}: a result that no serial order gives, through {memory}"
        if 1 in numbers or 5 in numbers:
            return f"{both}: an update of {memory} is lost"
        return f"{both}: a state that no serial order gives, in {memory}"


def _label(access: Access) -> str:
    key = access.key
    if isinstance(key, str) and key != "*":
        return f"{access.owner}.{key}"
    return access.owner


def _first_parts(path: str) -> str:
    """`sut._data` of `sut._data['a'].count`: what hangs together below one attribute is one cause."""
    head, _, rest = path.partition(".")
    attribute = rest.split(".")[0].split("[")[0]
    return f"{head}.{attribute}" if attribute else head


def _cause(kind: str, found: Evidence) -> str:
    if kind in ("deadlock", "lock-kept"):
        return " ".join(sorted({_first_parts(lock) for lock in found.locks}))
    return _first_parts(_label(found.places[0])) if found.places else ""


def _symptom(kind: str, trial: Trial) -> str:
    if kind in ("result", "state"):
        return "value"
    if kind == "exception":
        return " ".join(
            sorted({type(o.error).__name__ for t in trial.run.outcomes for o in t if isinstance(o, Raised)})
        )
    return kind


def _exceptions(examined: Examined) -> str:
    usual = {each for observation in examined.serial for thread in observation.outcomes for each in thread}
    names = [each for thread in examined.observed.outcomes for each in thread if each not in usual]
    return places_text(name.removeprefix("raised ") for name in names if name.startswith("raised")) or "an exception"


def serial_lines(laboratory: Laboratory, test: Test) -> tuple[tuple[str, ...], ...]:
    lines = []
    for plan in serial_plans(test):
        trial = laboratory.pair(test, plan, record=True)
        observation: Observation = trial.observation().settled()
        lines.append(observed_lines(Examined(None, trial, observation, ()), test.threads))
    return tuple(dict.fromkeys(lines))


def _switches(plan: Plan) -> tuple[Switch, ...]:
    legs = []
    for leg in plan:
        point = leg.until if isinstance(leg.until, Point) else None
        legs.append(
            Switch(leg.thread, point.function, point.operation, point.occurrence) if point else Switch(leg.thread)
        )
    return tuple(legs)
