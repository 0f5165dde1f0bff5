"""What a language is: everything the rest of Everypath needs to know to make tests for programs in it.

A run takes a language through five steps: *expand* the targets to sources, *load* each of them as a program with its
entries, *explore* an entry for cases, *run* the cases for real, and *render* those that behaved as predicted as tests.

`languages/every.py` lists all languages. Every run looks at all of them, so what is large is loaded when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from everypath.cases.model import Entry, Problem, SomeCase, SomeSuite
from everypath.errors import Span
from everypath.languages.definitions import Definition, Part
from everypath.languages.depending import Dependences, Notes
from everypath.options import Options
from everypath.records import dataclass, field

if TYPE_CHECKING:
    # Only annotations name these: a run that explores nothing symbolically need not load the engine.
    from everypath.cases.describing import Describer
    from everypath.cases.recordings import Recording
    from everypath.cases.spelling import Spelling
    from everypath.cases.trees import Tree
    from everypath.explore.search.subject import Subject
    from everypath.ir.instructions import Param
    from everypath.ir.program import Method, Program
    from everypath.ir.types import Type

Progress = Callable[[int, int, int], None]
"""Hears how many paths, cases and cuts there are so far."""
Example = tuple[tuple[str, int | float | str | bool], ...]
"""The inputs of one call that documentation shows: parameter and value."""


# Targets and sources


@dataclass(frozen=True, slots=True)
class Source:
    """A module to generate for, or the part of it that a target names."""

    target: str
    """as it can be loaded, and as the user would write it"""
    path: Path
    file: str
    """the source file as the user would write it"""
    module: str
    """import name"""
    root: Path
    """directory from which the module is found by this name"""
    named: bool = True
    """whether the user named it, or it was found in a folder or package"""
    called: str = ""
    """what the user calls the module, where that is not the name by which runs tell modules apart"""
    others: tuple[str, ...] = ()
    """further files of the same program"""

    @property
    def title(self) -> str:
        """What the user calls the module."""
        return self.called or self.module

    @property
    def place(self) -> str:
        """The part of the target that leads to the module."""
        return self.target.partition("::")[0]

    @property
    def member(self) -> str:
        """What the target names inside the module; empty for all of it."""
        return self.target.partition("::")[2]


@dataclass(frozen=True, slots=True)
class Left:
    """Something that is in a folder or package and cannot be a source."""

    target: str
    module: str
    reason: str
    named: bool = False


@dataclass(slots=True)
class Expanded:
    """What the targets of a command come to."""

    sources: list[Source] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    loaded: dict[Source, Loaded] = field(default_factory=dict)
    """programs that had to be loaded to find out what the targets name"""
    notes: list[str] = field(default_factory=list)
    """what the user should know about what is not in it"""
    folders: bool = False
    """whether some target is a folder or a package"""


@dataclass(frozen=True, slots=True, order=True)
class SourceProblem:
    """Something in the source that is not handled: where it is, what it is, what to do."""

    span: Span
    kind: str
    """unsupported (a construct), types (a parameter whose type is not known), mistake or note"""
    message: str

    def __str__(self) -> str:
        return f"{self.span}: {self.message}"


MISTAKE = "mistake"
"""The kind of a problem with what the user says about an entry, which is left alone until that is put right."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A precondition of an entry."""

    text: str
    method: str
    """the function of the program that tells whether it holds, in the class of the entry's module"""
    names: tuple[str, ...]
    """the parameters of the entry that this function takes"""
    said: str = ""
    """what the user said, where it is no part of the program"""


Promised: TypeAlias = "tuple[Requirement, ...] | SourceProblem"
"""What the callers of an entry promise, or what is wrong with what is said about it."""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A function or method that tests call."""

    cls: str
    """class of the IR that the call starts from: the module, or the class of the receiver"""
    method: str
    kind: str
    """function, method, static, class, property, setter or constructor; main for a program that is run as a whole"""
    qualname: str
    module: str
    span: Span
    params: tuple[Param, ...] = ()
    """as in the IR, the receiver included"""
    problems: tuple[SourceProblem, ...] = ()
    lazy: bool = False
    """whether it may return an iterator or a coroutine, which a test then uses up"""
    examples: tuple[Example, ...] = ()
    """inputs of the calls that documentation shows"""
    alternatives: Mapping[str, tuple[Type, ...]] = field(default_factory=dict)
    """other types to try for parameters whose types were guessed, the likeliest first"""
    requires: tuple[Requirement, ...] = ()
    """what callers promise"""

    def case_entry(self) -> Entry:
        """The entry as test cases name it."""
        outer, _, name = self.qualname.removesuffix(".setter").rpartition(".")
        cls = None if self.kind == "function" else outer
        name = name if self.kind == "setter" else self.method
        return Entry(self.module, self.span.file, cls, name, self.kind, self.span.line)


class Loaded(Protocol):
    """A program with its entries, as a front end hands it over."""

    @property
    def program(self) -> Program:
        """The program as IR."""

    @property
    def entries(self) -> tuple[EntryPoint, ...]:
        """What the target names in it."""

    @property
    def problems(self) -> tuple[SourceProblem, ...]:
        """Every problem found, those of the entries included, in the order of the source."""

    @property
    def module(self) -> str:
        """Import name of the target's module."""

    @property
    def root(self) -> Path:
        """Directory from which the module is found by this name."""

    @property
    def file(self) -> str:
        """The source file of the module."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """Every function and method in the text of the module."""

    @property
    def effects(self) -> Method | None:
        """What importing the modules does, to be run before anything else."""

    def subject(self, entry: EntryPoint) -> Subject:
        """An entry as the search for paths sees it, with what the operations of the language mean."""

    def describer(self) -> Describer:
        """What only this language has among the inputs and results of a path."""


# Running cases


@dataclass(frozen=True, slots=True)
class Passed:
    """A case that ran exactly as predicted, with all that only its run tells."""

    case: SomeCase
    way: int = 0
    """which of the ways to build its inputs led to it, as the writer counts them"""


@dataclass(frozen=True, slots=True)
class Refused:
    """A case that cannot be run here; nobody is to blame."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class Failed:
    """A case that ran differently than predicted."""

    problem: Problem
    ours: bool = False
    """whether that can only be a defect of ours, so that the whole run counts as failed"""


@dataclass(frozen=True, slots=True)
class NotRun:
    """A case that was not run, because the time was over."""

    case: SomeCase


Verdict = Passed | Refused | Failed | NotRun


@dataclass(frozen=True, slots=True)
class Again:
    """A recorded case that was run once more."""

    case: SomeCase
    wrong: str | None
    """how it ended other than recorded, if so"""
    way: int = 0
    """which of the ways to build its inputs was taken"""


@dataclass(frozen=True, slots=True)
class Recorded(Again):
    """A case that was run once more, and what it did step by step if that could be written down."""

    recording: Recording | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """How to emit a file so that its tests do not disturb each other, and the cases for which nothing helps."""

    restore_state: bool = False
    unstable: Mapping[str, Problem] = field(default_factory=dict)
    """case id -> what to say about it"""


@dataclass(frozen=True, slots=True)
class Sought:
    """What a search of the real program is about, in qualified names."""

    members: tuple[str, ...] = ()
    """what the targets name inside the module; empty for all of it"""
    left_out: frozenset[str] = frozenset()
    """functions and classes that the user does not want tests for"""
    settled: tuple[str, ...] = ()
    """functions in which nothing is missing"""
    predicted: tuple[SomeCase, ...] = ()
    """cases that were left out; nobody asks for more of what they reach"""


@dataclass(frozen=True, slots=True)
class Seen:
    """Cases that a search of the real program has found, and what is to be said about it."""

    cases: tuple[SomeCase, ...] = ()
    problems: tuple[Problem, ...] = ()


class Runtime(Protocol):
    """Runs the cases of one run on the real runtime of their language."""

    batch: int
    """so many cases are run at a time; an interrupt costs no more than those"""
    until: float
    """when, as `time.monotonic` tells the time, everything has to be over that is run or looked for"""
    beyond_loops: bool
    """whether it looks also for what only more iterations reach than the bound on loops allows, if that was all"""

    def announce(self, loaded: Loaded, entry: EntryPoint) -> None:
        """There will be cases of this entry: get ready while it is explored."""

    def run(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterable[Verdict]:
        """Run some cases of a suite, each in the best way to build its inputs."""

    def run_again(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterable[Again]:
        """Run recorded cases; the program may have changed since, so that lines are not compared."""

    def record(self, loaded: Loaded, suite: SomeSuite, cases: Sequence[SomeCase]) -> Iterable[Recorded]:
        """Run recorded cases and write down what they do step by step; it is shown on a page."""

    def left_open(self, loaded: Loaded) -> Collection[str]:
        """The functions in which other surroundings would lead where no case has gone, whatever paths were followed."""

    def observe(self, loaded: Loaded, sought: Sought, seconds: float) -> Seen:
        """Look for calls that reach what no case has reached, and make cases of what their runs show, where it can."""

    def settle(self, module: Module) -> Settled:
        """Find out whether tests that pass alone also pass together, in the order of their file."""

    def remembered(self) -> Any:
        """What it keeps about the cases that it ran until their module is complete, as data."""

    def remember(self, what: Any) -> None:
        """Keep also what another process has remembered."""

    def forget(self) -> None:
        """The cases of a module are complete, and what was remembered about them is of no more use."""


@dataclass(slots=True)
class Module:
    """What a run knows about one module, as writers take it."""

    source: Source
    """the first that is about it"""
    options: Options
    targets: tuple[str, ...] = ()
    """everything that was asked for about it, as it can be loaded"""
    programs: list[Loaded] = field(default_factory=list)
    suites: list[SomeSuite] = field(default_factory=list)
    ways: dict[str, int] = field(default_factory=dict)
    """case id -> how its inputs are built in the test"""
    left_out: list[SomeCase] = field(default_factory=list)
    """cases that reach nothing that is asked for besides"""
    restore_state: bool = False
    """whether tests change state that must be put back after each"""
    interrupted: bool = False
    """whether the user wants the run to end soon"""
    edited: bool = False
    """whether its code was changed meanwhile, so that nothing of it is kept"""
    earlier: str = ""
    """the text of the file that is there already, of which a person may have written a part"""
    grows: bool = False
    """whether the run extends what the file has, instead of making it anew"""
    untouched: set[str] = field(default_factory=set)
    """functions that are asked for and not generated for in this run: their tests stay as they are"""
    notes: Notes = field(default_factory=Notes)
    """for later runs"""
    until: float = float("inf")
    """when all that is run for it must be done, what its writer tries included"""

    @property
    def name(self) -> str:
        """By which runs tell modules apart."""
        return self.source.module

    @property
    def cases(self) -> Iterator[SomeCase]:
        """Every case of every suite, in order."""
        return (case for suite in self.suites for case in suite.cases)


@dataclass(frozen=True, slots=True)
class Written:
    """A file of tests."""

    text: str
    """empty where there is nothing to write"""
    tests: tuple[str, ...]
    """ids of the cases that are in it as tests"""
    left_out: tuple[tuple[str, str], ...] = ()
    """ids of the other cases, and why"""
    remark: str = ""
    """what the user should know about it: goes on from the name of the file, or stands alone if there is none"""


class Writer(Protocol):
    """Writes cases as tests in one format."""

    format: str
    whole: bool
    """whether one file holds a whole run, instead of one for each module"""
    tries: bool
    """whether rendering tries tests, which may take so long that the user wants to interrupt it"""

    def file_name(self, source: Source) -> str:
        """What the file with the tests of a source's module is called; the same in every run."""

    def unwritable(self, suite: SomeSuite, case: SomeCase) -> str | None:
        """Why a case cannot be written, or None."""

    def render(self, modules: Sequence[Module], place: Path | None = None, problems: Sequence[Problem] = ()) -> Written:
        """The file for some modules, which will lie at `place`; every case is in it or is named as left out."""


Load = Callable[[str], Loaded]
"""Translates what a target names; nothing of it is run."""
Explore = Callable[[Loaded, EntryPoint, Options, SomeSuite, Progress], None]
"""Collects the cases of one entry into the suite; the counts stay true when it is interrupted."""

Draw = Callable[[Loaded, EntryPoint, Options, SomeSuite], "list[Tree]"]
"""Draws the execution trees of an entry, with the cases of its suite at their leaves."""


class Language(Protocol):
    """One programming language."""

    name: str
    """as people write it"""
    code: str
    """what its programs are called in a sentence, such as `an ABS program`"""
    suffixes: tuple[str, ...]
    """how the names of its source files end"""
    formats: tuple[str, ...]
    """what results can be written as; the first is the default"""
    settings: frozenset[str]
    """options of `generate` that mean something for this language alone"""
    mutates: bool
    """whether its runtime can tell which mutants of a function a test kills (`generate/mutants.py`)"""
    concurrent: bool
    """whether its cases say in which order things happen, so that reports show schedules"""
    statements: str
    """under which name there are cases about the statements of a module itself; empty if there are none"""

    def claims(self, target: str) -> bool:
        """Whether a target is about a program in this language, going by its text."""

    def spelling(self) -> Spelling:
        """How it writes values and conditions, wherever a person is to read them."""

    def start_early(self) -> None:
        """Begin whatever will run tests for real: a process that is under way now is ready when the first cases are."""

    def working(self) -> AbstractContextManager[None]:
        """What must hold in this process while programs in this language are worked with."""

    def expand(self, targets: Sequence[str]) -> Expanded:
        """The sources that the targets of a command come to."""

    def outline(self, text: bytes) -> list[Part]:
        """The parts of a source file, read off its text; BadInput where it cannot be read."""

    def definitions(self, text: bytes) -> tuple[Definition, ...]:
        """The functions and methods among them."""

    def loader(self, options: Options) -> Load:
        """What loads the targets of a run; files that several of them need are read once."""

    def explorer(self) -> Explore | None:
        """How entries are explored; None for sequential code, which all languages explore in the same way."""

    def drawer(self) -> Draw | None:
        """How execution trees are drawn; None for sequential code."""

    def complete(self, loaded: Loaded, suite: SomeSuite) -> None:
        """Give the cases of a suite their names, and note how their inputs can be built."""

    def runtime(self, options: Options) -> Runtime:
        """What runs cases for real."""

    def dependences(self) -> Dependences | None:
        """What tells on what tests depend; None where nobody can, so that everything is done anew in each run."""

    def writer(self, format: str) -> Writer:
        """What writes cases in one of the formats."""
