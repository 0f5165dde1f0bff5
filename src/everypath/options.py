"""Everything a user can set, with its default: the only home of defaults."""

from __future__ import annotations

from everypath.records import dataclass, field

HEAPS = ("solver", "lazy", "noalias")
STRATEGIES = ("depth-first", "breadth-first", "coverage-first", "random")
FORMATS = ("pytest", "json")
LAYERS = ("bounds", "witness", "smt")
SEARCHES = ("predict", "exhaustive", "random")


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
    heap: str = "solver"
    assume: tuple[str, ...] = ()
    """Assumptions about the initial heap, such as `noalias(a, b)` or `acyclic(self.head)`."""
    strategy: str = "depth-first"
    seed: int = 0
    format: str = "pytest"
    output: str | None = None
    types: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    validate: bool = True


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
