"""What a thread-safety finding is, independent of how it was found and of how it will be written."""

from __future__ import annotations

from collections.abc import Iterable

from everypath.cases.model import Case, Entry, Finding, Problem, Step, Suite
from everypath.records import dataclass, field, replace

KINDS = ("exception", "deadlock", "lock-kept", "endless", "result", "state")
"""In order of rank."""
TODAY = "happens today"
FREE_THREADED = "free-threaded builds only"

CALLED, ITERATED, NUMBER, TEXT, MAPPING, LIST, LOCK, SET, OBJECT, CLAMPING, CLASS, ERROR_CLASS = (
    "called iterated number text mapping list lock set object clamping class error-class".split()
)
"""Ways of being used that say what a value is; what clamps is an argument of `min` or `max` beside another one."""


@dataclass(frozen=True, slots=True)
class ParameterUse:
    """What the source does with one parameter of a method: evidence for the values to call it with."""

    cls: str
    """the class that defines the method, as `module:Class`"""
    method: str
    parameter: str
    ways: tuple[str, ...] = ()
    """ways of being used, the surest first"""
    constants: tuple[str, ...] = ()
    """literals that it is compared with"""
    members: tuple[str, ...] = ()
    """attributes that it is asked for"""


@dataclass(frozen=True, slots=True)
class Switch:
    """One leg of the schedule: the thread (0 or 1) runs until just before the operation, or on to its end."""

    thread: int
    function: str | None = None
    operation: str | None = None
    occurrence: int = 1


@dataclass(frozen=True, slots=True)
class ThreadTest:
    """Calls on one object `sut`, then two threads that call it; each call is an expression or statement over `sut`."""

    module: str
    """import name"""
    cls: str
    setup: str
    """the expression that makes `sut`, with the names of the module in scope"""
    before: tuple[str, ...]
    threads: tuple[tuple[str, ...], tuple[str, ...]]
    schedule: tuple[Switch, ...]

    kind = "threads"


@dataclass(frozen=True, slots=True)
class Turn:
    """One event of the timeline."""

    thread: int
    file: str
    line: int
    function: str
    text: str
    """what happens, such as `read self.n`; calls, results and errors appear as turns too"""
    switched: bool = False
    """the other thread was running just before"""


@dataclass(frozen=True, slots=True)
class RaceFinding:
    """One fault: the smallest test that shows it, what was seen, and what every serial order gives instead."""

    kind: str
    """one of KINDS"""
    title: str
    """one line, such as `Counter.increment and Counter.increment: an update of n is lost`"""
    location: str
    """file:line of the access that the other thread got in between"""
    places: tuple[str, ...]
    """the racing memory, such as `Counter.n`, or the locks of a deadlock"""
    label: str
    """TODAY or FREE_THREADED"""
    observed: tuple[str, ...]
    """what the two threads and the final state came to, readable, one line each"""
    serial: tuple[tuple[str, ...], ...]
    """the same for every serial order"""
    timeline: tuple[Turn, ...]
    test: ThreadTest
    patterns: tuple[int, ...] = ()
    """numbers of the access patterns of atomic-set serializability that the run matches"""
    seconds_to_find: float = 0.0
    also: int = 0
    """how many more failing interleavings have the same cause"""
    pairs: tuple[tuple[str, str], ...] = ()
    """all pairs of methods of which some interleaving has this cause"""
    replays: int = 0
    """how often the test was run again in a fresh process, failing each time"""


def ranked(findings: Iterable[RaceFinding]) -> list[RaceFinding]:
    """The findings by weight: what breaks off or never ends, then wrong results, then wrong states.

    Among equals what happens today comes first, then the smallest test.
    """

    def rank(finding: RaceFinding) -> tuple[object, ...]:
        test = finding.test
        calls = (*test.before, *test.threads[0], *test.threads[1])
        weight = max(KINDS.index(finding.kind) - KINDS.index("result") + 1, 0)
        size = (len(calls), len(test.schedule), sum(map(len, calls)))
        return weight, finding.label != TODAY, KINDS.index(finding.kind), *size, finding.title, finding.location

    return sorted(findings, key=rank)


@dataclass(slots=True)
class RaceStats:
    """The coverage of the paper and the work done."""

    sequences: int = 0
    tests: int = 0
    """pairs of sequences assembled"""
    traces: int = 0
    """distinct method-call traces: the sequential coverage"""
    saturation: int = 0
    """the saturation level reached"""
    predicted: int = 0
    """coverage requirements that the patterns give"""
    candidates: int = 0
    """those left after locks and happens-before: feasible"""
    triggered: int = 0
    """those seen in an enforced run: |cov|"""
    enforced: int = 0
    """interleavings run"""
    pairs_covered: int = 0
    pairs_total: int = 0
    """pairs of methods run against each other, and all there are"""
    serial_runs: int = 0
    generation_seconds: float = 0.0
    seconds: float = 0.0
    complete: bool = False
    """whether the search ended by itself, not by the time limit"""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A method of which no call came back, and why."""

    method: str
    why: str


@dataclass(frozen=True, slots=True)
class Exercised:
    """What was really done with a class, so that a clean verdict can be weighed."""

    methods: int = 0
    """public methods, properties and operators that two threads could call"""
    returned: tuple[str, ...] = ()
    """those of which some call came back with a value, or waited for another thread"""
    raised: tuple[LeftOut, ...] = ()
    """those of which every call raised, with what it raised last"""
    uncalled: tuple[LeftOut, ...] = ()
    """those of which no call was made, and why"""
    calls_returned: int = 0
    calls_raised: int = 0
    """different calls, with their arguments, that came back in some state, and those that never did"""
    pairs_left: tuple[tuple[str, str], ...] = ()
    """pairs of methods that were not run against each other in a state in which both return; first those of which both
    return in some state"""
    branches: int = 0
    branches_reached: int = 0
    unreached: tuple[int, ...] = ()
    """lines of the branches that were not taken"""


@dataclass(slots=True)
class RaceReport:
    """All that is known about one class."""

    target: str
    module: str
    cls: str
    file: str
    options: dict[str, object]
    findings: list[RaceFinding] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    """things seen that are no faults by themselves, such as an unguarded statistics counter"""
    problems: list[Problem] = field(default_factory=list)
    tests: list[dict[str, object]] = field(default_factory=list)
    """per assembled test: its two sequences and its numbers"""
    stats: RaceStats = field(default_factory=RaceStats)
    exercised: Exercised = field(default_factory=Exercised)
    interrupted: bool = False
    """whether the user stopped it"""


def says_little(report: RaceReport) -> bool:
    """Whether most methods, branches or pairs of methods were left out, so that a clean verdict says little."""
    done, stats = report.exercised, report.stats
    shares = (
        (len(done.returned), done.methods),
        (done.branches_reached, done.branches),
        (stats.pairs_covered, stats.pairs_total),
    )
    return any(2 * part < whole for part, whole in shares)


@dataclass(frozen=True, slots=True)
class Interleaved:
    """What both threads and the final state came to, and what they come to in every serial order."""

    kind: str
    """one of KINDS"""
    observed: tuple[str, ...]
    serial: tuple[tuple[str, ...], ...]


RaceCase = Case[ThreadTest, Interleaved, Switch]
"""Two threads on one object, which switch as scheduled."""
RaceSuite = Suite[RaceCase]
"""The faults of one class."""


def race_suite(report: RaceReport) -> RaceSuite:
    """The faults as cases; a case replays as recorded as long as its fault shows."""
    cases = [_race_case(report, finding, number) for number, finding in enumerate(report.findings, 1)]
    return RaceSuite(report.target, report.options, cases, problems=report.problems)


def _race_case(report: RaceReport, finding: RaceFinding, number: int) -> RaceCase:
    file, _, line = finding.location.rpartition(":")
    return RaceCase(
        id=f"{report.module}::{report.cls}#{number}",
        entry=Entry(report.module, report.file, report.cls, "", "threads"),
        inputs=replace(finding.test, schedule=()),
        expected=Interleaved(finding.kind, finding.observed, finding.serial),
        trace=tuple(Step(turn.file, turn.line) for turn in finding.timeline if turn.line),
        schedule=finding.test.schedule,
        finding=Finding("race", finding.title, file, int(line) if line.isdigit() else 0),
        validated=finding.replays > 0,
        name=f"{finding.kind}_{number}",
    )
