"""Everything a user can set, with its default: the only home of defaults."""

from __future__ import annotations

from everypath.records import asdict, dataclass, field, replace

HEAPS = ("solver", "lazy", "noalias")
STRATEGIES = ("depth-first", "breadth-first", "coverage-first", "random")
FORMATS = ("pytest", "hypothesis", "json", "sarif", "abs", "junit")
WHOLE_FORMATS = ("json", "sarif")
"""Those in which one file holds a whole run."""
MARKS = ("pin", "xfail", "fail")
"""What the test of a finding does: pass, be expected to fail, or fail, as long as the error is there."""
SELECTIONS = ("all", "branches", "statements", "local-paths", "mutants")
POINTS = "points:"
"""How a selection begins that is about given lines: `points:FILE:LINE,FILE:LINE`."""
SUMMARISED = ("deep", "all")
"""Calls of methods with several levels of calls below them, where summaries certainly pay, or all."""
ASSERTS = ("check", "require")
LAYERS = ("bounds", "witness", "smt")
ORDERS = ("optimal", "independent", "stable", "all", "round-robin")
POLICIES = ("any", "fifo", "lifo")
SWITCHES = 5
ACTORS = 2
"""The bounds on an actor program that the command line sets unless told otherwise."""
SEARCHES = ("predict", "exhaustive", "random")
BOUNDS = {
    "loop": "--loops",
    "depth": "--depth",
    "time": "--time",
    "operation": "--time",
    "switch": "--switches",
    "actor": "--actors",
    "queue": "--queue",
    "memory": "--memory",
    "overflow": "--overflow",
}
"""What stopped a path -> the option that lets it go further."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Termination criteria: when a path, or the whole exploration, stops."""

    loops: int = 1
    """Iterations of a loop per entry, and re-entries of a method on one call chain."""
    depth: int = 100_000
    """Blocks executed on one path."""
    time: float = 60.0
    """Seconds for exploring one target."""
    paths: int = 100_000
    """Finished paths per target."""
    lengths: int | None = None
    """Largest input collection considered where an operation needs its exact length; None is loops + 2."""

    @property
    def fixed_length(self) -> int:
        """The bound on the length of an input collection, where one is needed."""
        return self.loops + 2 if self.lengths is None else self.lengths


@dataclass(frozen=True, slots=True)
class ActorOptions:
    """How actor programs are explored; the last ones say how the figures of "Test Case Generation of Actor Systems"
    count, and `--apet` sets them all."""

    switches: int | None = None
    """Tasks taken from one actor's queue, the call under test not counted."""
    actors: int | None = None
    """Actors created, and initial actors met, at one place in the program."""
    assumed: tuple[str, ...] = ()
    """Which of these bounds nobody has set; they are for methods, a main block is explored without."""
    queue: int = 0
    """Other tasks in the queue of the actor under test at the start."""
    order: str = "optimal"
    policies: tuple[tuple[str, str], ...] = ()
    """(class, policy): how its actors choose among the tasks in their queues; `any` for the others."""
    poll: bool = False
    """A task at an `await` that does not hold takes its turn all the same, to look again; that counts as a switch."""
    every_order: bool = False
    """Every execution is a case, also where input and outcome are those of another."""
    spare_actor: bool = False
    """`new` may go beyond the bound on actors by one."""
    input_errors: bool = True
    """Inputs may be null or of a constructor that the program does not expect where it uses them."""
    bound_concrete: bool = False
    """Loops and recursion over known data are bounded too."""
    bound_references: bool = False
    """Whether an actor is stable is a question only of references in fields that are bound already."""
    oldest_first: bool = False
    """Where no actor is stable, only the oldest goes on."""
    static_independence: bool = False
    """Tasks are independent by the fields in their methods' text instead of those that they really touched."""


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How path conditions are decided."""

    layers: tuple[str, ...] = LAYERS
    timeout_ms: int = 2_000
    """Per call of the SMT solver; past it the answer is unknown."""
    int_range: tuple[int, int] | None = None
    """Integer inputs lie in this closed range; None is unbounded."""


@dataclass(frozen=True, slots=True)
class FenceOptions:
    """What code under test may do when it runs for real."""

    allow_io: bool = False
    case_seconds: float = 5.0
    memory_mb: int = 1024
    output_bytes: int = 64_000


@dataclass(frozen=True, slots=True)
class Options:
    """One run's settings; frozen, so that a result can name exactly what produced it."""

    limits: Limits = field(default_factory=Limits)
    solver: SolverOptions = field(default_factory=SolverOptions)
    fence: FenceOptions = field(default_factory=FenceOptions)
    actors: ActorOptions = field(default_factory=ActorOptions)
    heap: str = "solver"
    assume: tuple[str, ...] = ()
    """Assumptions about the initial heap, such as `noalias(a, b)` or `acyclic(self.head)`."""
    strategy: str = "depth-first"
    seed: int = 0
    format: str = "pytest"
    output: str | None = None
    also: tuple[tuple[str, str], ...] = ()
    """(format, file): what else is written, each of WHOLE_FORMATS."""
    mark_findings: str = MARKS[0]
    """One of MARKS."""
    types: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    """Preconditions: expressions over parameters, which may begin with the function that they are about."""
    asserts: str = "check"
    """One of ASSERTS: whether assertions at the beginning of a function may fail, or are preconditions."""
    validate: bool = True
    select: str = "all"
    """Which paths are wanted: one of SELECTIONS, or those through given points."""
    compositional: str = ""
    """Which calls summaries of the called methods answer, where there is one that fits: one of SUMMARISED, or none."""
    summary: tuple[str, ...] = ()
    """Files with summaries of functions whose code is not available."""
    criteria: tuple[str, ...] = ()
    """Criteria of the project's own, as MODULE:OBJECT or by the names under which they were registered."""
    tests: int | None = None
    """The most tests of one function, those that differ most."""
    file_tests: int | None = None
    """The most tests of one module."""
    paths_per_test: int = 1
    """So many paths of one function may follow each other in one test."""
    exclude: tuple[str, ...] = ()
    """Patterns of files, modules and qualified names that are left out."""
    jobs: int = 1
    """How many processes share the work; what they find does not depend on it."""
    total_time: float | None = None
    """Seconds for everything, shared out among the functions of a run; None is no limit but that of each."""
    check: bool = False
    """Compare with the files on disk and write nothing."""
    diff: str | None = None
    """Only what changed since this git revision."""
    reachable: bool = False
    """Input objects are made by constructors and public methods only, instead of being in any state."""
    unreached: bool = False
    """Errors are told, too, that are not known to be within callers' reach."""
    predicted_only: bool = False
    """What cannot be followed is left out instead of being run and observed."""
    private: bool = False
    """Private functions and methods are tested as well; otherwise only where there are no public ones."""
    invariant: str | None = None
    """A method that gives a true value for every input object of a class that has it."""
    overflow: bool = False
    """Paths are followed, too, that exist only because an operation overflows."""
    classpath: tuple[str, ...] = ()
    """Where further classes of a program are."""
    sources: tuple[str, ...] = ()
    """Where source files are that belong to a compiled program."""
    junit: str | None = None
    """The jar with which tests are run."""
    store: str = ""
    """The folder of what earlier runs have found; empty for none: everything is done anew, and nothing is kept."""
    said: tuple[str, ...] = ()
    """Those of the settings above that tests depend on, as the words of a command line."""

    @property
    def guided(self) -> bool:
        """Whether the selection steers the search; others choose among all paths."""
        return self.select in ("branches", "statements") or self.particular

    @property
    def particular(self) -> bool:
        """Whether the selection says exactly what it wants, so that nothing else is of use."""
        return self.select == "local-paths" or self.select.startswith(POINTS)


def told(options: Options) -> dict[str, object]:
    """The options as suites tell them, without what makes no difference to which cases there are."""
    return asdict(replace(options, check=False, jobs=1, store="", also=()))


@dataclass(frozen=True, slots=True)
class RaceOptions:
    """The settings of one search for thread-safety faults."""

    setup: str | None = None
    """The expression that makes the shared object; None tries the constructor."""
    args: tuple[tuple[str, str], ...] = ()
    """(parameter, expression): values for the parameters of that name, besides those that are found."""
    methods: tuple[str, ...] = ()
    """Only these methods; all public ones if empty."""
    time: float = 30.0
    """Seconds for each class."""
    seed: int = 0
    mode: str = "predict"
    """One of SEARCHES: predicted interleavings, every single preemption, or random ones."""
    format: str = "pytest"
    output: str | None = None
    confirmations: int = 3
    """How often a finding must fail again in a fresh process; zero does not try."""
