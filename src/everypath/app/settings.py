"""Every option of every command: what it is called, what it takes, what it is unless given, and what it means.

Nothing here reads a command line. `plain.py` and `arguments.py` do, by walking these tables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from everypath.options import (
    ACTORS,
    ASSERTS,
    FORMATS,
    HEAPS,
    MARKS,
    ORDERS,
    POINTS,
    POLICIES,
    SELECTIONS,
    STRATEGIES,
    SWITCHES,
    WHOLE_FORMATS,
    ActorOptions,
    FenceOptions,
    Limits,
    RaceOptions,
    SolverOptions,
)
from everypath.records import dataclass


@cache
def _longest(names: str) -> str:
    return max(names.partition("/")[0].split(), key=len)


@dataclass(frozen=True, slots=True)
class Setting:
    """An option of a command."""

    names: str
    """as users write it; after a slash, what says the opposite"""
    kind: type
    """of its value: `bool` is an option that stands alone; texts may have `choices`, numbers a `least` value"""
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    """the smallest value allowed; a number that may be a fraction must be larger"""
    parse: Callable[[str], object] | None = None
    """makes the value of a text; its ValueError says why there is none"""
    joined_by: str = ""
    """what stands between the parts of such a text"""
    metavar: str | None = None
    called: str = ""
    """the name of its value, where that is not the option's own"""
    path: str = ""
    """`file` if it names something on disk, which settings files do as seen from where they lie, `pattern` if it may"""
    in_file: bool = True
    """whether a configuration file can set it; not what says what one command is to do"""

    @property
    def option(self) -> str:
        """What messages call it."""
        return _longest(self.names)

    @property
    def key(self) -> str:
        """What a configuration file calls it."""
        return self.option.lstrip("-").replace("-", "_")

    @property
    def name(self) -> str:
        """What its value is called."""
        return self.called or self.key

    @property
    def multiple(self) -> bool:
        """Whether it can be given several times, each time with one more value."""
        return isinstance(self.default, tuple)


def _integer_range(text: str) -> tuple[int, int]:
    """`LO:HI` as two integers."""
    low, colon, high = text.partition(":")
    try:
        limits = (int(low), int(high))
    except ValueError:
        limits = (1, 0)
    if not colon or limits[0] > limits[1]:
        raise ValueError(f"{text!r} is not a range such as -10:10")
    return limits


def _policy(text: str) -> tuple[str, str]:
    """`CLASS=fifo` as a pair."""
    name, equals, kind = (part.strip() for part in text.partition("="))
    if not (name and equals and kind in POLICIES):
        raise ValueError(f"{text!r} is not CLASS=POLICY, where POLICY is one of {', '.join(POLICIES)}")
    return name, kind


def _selection(text: str) -> str:
    """A selection, or points of the program."""
    if text in SELECTIONS:
        return text
    if not text.startswith(POINTS):
        raise ValueError(f"{text!r} is not one of {', '.join(SELECTIONS)} or points:FILE:LINE,...")
    for point in text.removeprefix(POINTS).split(","):
        file, colon, line = point.strip().rpartition(":")
        if not (file and colon and line.isdecimal() and int(line)):
            raise ValueError(f"{point.strip()!r} is not FILE:LINE, such as shop/cart.py:12")
    return text


def _also(text: str) -> tuple[str, str]:
    """`FORMAT=FILE` as a pair."""
    format, equals, file = (part.strip() for part in text.partition("="))
    if format not in WHOLE_FORMATS or not (equals and file):
        raise ValueError(f"{text!r} is not FORMAT=FILE, where FORMAT is one of {', '.join(WHOLE_FORMATS)}")
    return format, file


def _named_value(text: str) -> tuple[str, str]:
    """`NAME=EXPR` as a pair; the name may be that of a method with one of its parameters."""
    name, equals, source = (part.strip() for part in text.partition("="))
    names = name.split(".")
    if not (len(names) <= 2 and all(map(str.isidentifier, names)) and equals and source):
        raise ValueError(f"{text!r} is not NAME=EXPR, such as maxsize=2 or put.key='a'")
    return name, source


def _expression(text: str) -> str:
    """Python source of an expression."""
    try:
        compile(text.strip(), "<setup>", "eval")
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{text!r} is no expression: {error}") from None
    return text.strip()


_LIMITS, _SOLVER, _FENCE = Limits(), SolverOptions(), FenceOptions()
_EXPLORATION = (
    Setting("--loops", int, _LIMITS.loops, "Iterations per loop entry, and re-entries of a recursive method.", least=0),
    Setting("--depth", int, _LIMITS.depth, "Blocks executed on one path.", least=1),
    Setting("--time", float, _LIMITS.time, "Seconds for each function, its runs included.", least=0, called="seconds"),
    Setting("--paths", int, _LIMITS.paths, "Finished paths for each function.", least=1),
    Setting("--lengths", int, None,
            "Largest input collection where an exact length is needed.  [default: loops + 2]", least=0),
    Setting("--heap", str, "solver", "How references to input objects may alias.", HEAPS),
    Setting("--assume", str, (), "What callers guarantee: noalias(a, b), nosharing(a, b) or acyclic(self.head).",
            metavar="'acyclic(a)'"),
    Setting("--requires", str, (), "What callers guarantee: an expression over parameters; for one of several targets "
            "'Class.method: EXPR'.", metavar="EXPR"),
    Setting("--asserts", str, "check", "Assertions at the beginning of a function may fail, or are preconditions.",
            ASSERTS),
    Setting("--strategy", str, "depth-first", "Which path goes first.", STRATEGIES),
    Setting("--seed", int, 0, "For --strategy random."),
    Setting("--int-range", str, None, "Integer inputs lie in this range.", parse=_integer_range,
            joined_by=":", metavar="LO:HI"),
    Setting("--types", str, (), "Types of parameters that have no annotation.", metavar="'a: list[int], x: int'"),
    Setting("--solver-timeout", int, _SOLVER.timeout_ms, "Milliseconds for one question to the SMT solver.", least=1),
    Setting("--allow-io/--no-allow-io", bool, _FENCE.allow_io,
            "Let tested code write files, open sockets and start processes."),
    Setting("--case-seconds", float, _FENCE.case_seconds, "Seconds for running one test.", least=0),
    Setting("--memory", int, _FENCE.memory_mb, "Megabytes for exploring a function, and for running a test.", least=64),
)  # fmt: skip
_WHOLE_RUN = (
    Setting("--select", str, "all",
            "A test for each path, or only as many as take every branch, every statement, every path of the function "
            "itself, or the given points, or as kill the same mutants: " + ", ".join(SELECTIONS)
            + " or points:FILE:LINE,...",
            parse=_selection, metavar="WHAT"),
    Setting("--compositional/--inlined", bool, False,
            "Explore each called function once, and compose its summary with the calls."),
    Setting("--summary", str, (), "What functions do whose code is not available: a file of summaries.",
            metavar="FILE", path="file"),
    Setting("--criterion", str, (), "An object of the project that ends paths, or says which become tests.",
            metavar="MODULE:OBJECT", called="criteria"),
    Setting("--tests", int, None,
            "At most so many tests for a function: those that differ most.  [default: no limit]",
            least=1, metavar="N"),
    Setting("--file-tests", int, None, "At most so many tests in a file, chosen likewise.  [default: no limit]",
            least=1, metavar="N"),
    Setting("--paths-per-test", int, 1, "Up to so many paths of a function, one after the other, in one test.",
            least=1, metavar="N"),
    Setting("--exclude", str, (),
            "Leave out files, modules, classes or functions, such as 'shop/old/*' or 'Cart._*'.", metavar="PATTERN",
            path="pattern"),
    Setting("--total-time", float, None, "Seconds for the whole run, shared out among the functions.",
            least=0, metavar="SECONDS"),
    Setting("--jobs", int, None, "Processes that share the work, where there is enough of it.  "
            "[default: as many as cores, at most 4]", least=1, metavar="N"),
    Setting("--diff", str, None, "Only functions that changed since this git revision.",
            metavar="REV", in_file=False),
    Setting("--store", str, None, "The folder of what earlier runs have found, such as one under version control.  "
            "[default: .everypath]", metavar="FOLDER", path="file"),
    Setting("--check", bool, False, "Write nothing; exit with 1 when the files on disk are out of date.",
            in_file=False),
    Setting("--reachable/--any-state", bool, False,
            "Input objects as constructors and public methods make them.  [default: in any state]"),
    Setting("--unreached", bool, False,
            "Tell also the errors that are not known to be within callers' reach."),
    Setting("--predicted-only", bool, False,
            "Leave out what cannot be followed, instead of running it and keeping what is observed."),
    Setting("--private", bool, False,
            "Test private functions and methods as well.  [default: only where no public one reaches them]"),
    Setting("--invariant", str, None, "A method that is true of every input object whose class has it.",
            metavar="NAME"),
)  # fmt: skip
_POLICY = Setting(
    "--policy", str, (), "How actors of a class choose among their tasks: any, fifo or lifo.  [default: any]",
    parse=_policy, joined_by="=", metavar="CLASS=fifo",
)  # fmt: skip
_ACTOR_BOUNDS = (
    Setting("--switches", int, None,
            f"Tasks taken from one actor's queue.  [default: {SWITCHES}; no bound with --apet]", least=1),
    Setting("--actors", int, None,
            f"Actors created, or met, at one place of an ABS program.  [default: {ACTORS}; no bound with --apet]",
            least=1),
    Setting("--queue", int, ActorOptions().queue,
            "Other tasks in the queue of the actor under test at the start.", least=0),
    Setting("--order", str, None,
            "Which orders of messages are explored.  [default: optimal; independent with --apet]", ORDERS),
    _POLICY,
    Setting("--apet", bool, False,
            "Explore and count as aPET does: --heap noalias, --int-range -10:10, --no-input-errors "
            "and the other switches from --every-order on."),
)  # fmt: skip
ACTOR_SWITCHES = (
    Setting("--poll/--no-poll", bool, None,
            "A task whose `await` does not hold takes its turn, too, to look again; that counts as a switch."),
    Setting("--every-order/--no-every-order", bool, None,
            "Every execution is a case, also one whose input and outcome are those of another."),
    Setting("--spare-actor/--no-spare-actor", bool, None, "`new` may go beyond --actors by one."),
    Setting("--input-errors/--no-input-errors", bool, None,
            "Inputs may be null, or of a constructor that the program does not expect.  [default: yes]"),
    Setting("--bound-concrete/--no-bound-concrete", bool, None,
            "Loops and recursion over known data are bounded, too."),
    Setting("--bound-references/--no-bound-references", bool, None,
            "Only references in bound fields keep an actor from being stable."),
    Setting("--oldest-first/--no-oldest-first", bool, None,
            "Where no actor is stable, only the oldest goes on: loses executions."),
    Setting("--static-independence/--no-static-independence", bool, None,
            "Tasks are independent by the text of their methods, not by what they touched."),
)  # fmt: skip
_JAVA = (
    Setting("--classpath", str, (), "Where classes are that a Java program needs: a folder, a jar, or several.",
            metavar="PATH", path="file"),
    Setting("--sources", str, (), "Where the sources of a Java program begin, for lines of messages.",
            metavar="FOLDER", path="file"),
    Setting("--junit", str, None,
            "The jar of JUnit 5.  [default: looked for on the class path and where packages put it]", metavar="PATH",
            path="file"),
    Setting("--overflow", bool, False,
            "Follow paths that exist only because a Java operation overflows.  [default: they are counted]"),
)  # fmt: skip
_REPORT = Setting("--report", str, None, "Also write a page to look at: an HTML file, or a folder for several modules.",
                  metavar="PAGE", in_file=False)  # fmt: skip
GENERATE = (
    *_EXPLORATION,
    *_WHOLE_RUN,
    *_JAVA,
    *_ACTOR_BOUNDS,
    *ACTOR_SWITCHES,
    Setting("--format", str, None, "What to write.  [default: pytest; junit for Java, abs for .abs targets]", FORMATS),
    Setting("--mark-findings", str, MARKS[0], "Tests of findings pin the error down, are expected to fail, or fail, "
            "until it is mended.", MARKS),
    Setting("-o --output", str, None, "Where to write; a folder or a file.  "
            "[default: test_<module>_generated.py or .abs; JSON and SARIF to the terminal]", metavar="PATH",
            path="file"),
    Setting("--also", str, (), "Write one more file about the whole run besides the tests: json=FILE or sarif=FILE.",
            parse=_also, joined_by="=", metavar="FORMAT=FILE", path="file"),
    Setting("--no-validate/--validate", bool, False,
            "Do not run the tests; they are then marked as not validated."),
    _REPORT,
)  # fmt: skip
_STORE = tuple(setting for setting in GENERATE if setting.name == "store")
_EXTEND = (
    "loops depth seconds paths lengths select tests total_time switches actors queue memory allow_io store".split()
)
EXTEND = (
    *(setting for setting in GENERATE if setting.name in _EXTEND),
    Setting("--no-validate/--validate", bool, False,
            "Do not run the new tests; they are then marked as not validated.", in_file=False),
    _REPORT,
)  # fmt: skip
"""The settings in which an extension may differ from what it extends."""
NEXT = tuple(setting for setting in EXTEND if setting.name in ("seconds", "memory", "allow_io", "store", "no_validate"))
RACE = (
    Setting("--setup", str, None,
            "How to make the shared object, such as 'TTLCache(2, 60)'.  [default: found by trying]",
            parse=_expression, metavar="EXPR"),
    Setting("--arg", str, (), "A value for the parameters NAME, or METHOD.NAME, instead of those that are found.",
            parse=_named_value, metavar="NAME=EXPR", called="args"),
    Setting("--method", str, (), "Only this method.  [default: all public ones]", metavar="NAME", called="methods"),
    Setting("--time", float, RaceOptions().time, "Seconds for each class.", least=0, called="seconds"),
    Setting("--seed", int, 0, "For the choice of calls and interleavings."),
    Setting("--exhaustive", bool, False, "Run every interleaving with one preemption."),
    Setting("--random", bool, False, "Run random interleavings, for comparison."),
    Setting("--format", str, "pytest", "What to write.", ("pytest", *WHOLE_FORMATS)),
    Setting("-o --output", str, None, "Where to write; a folder or a file.  "
            "[default: test_<module>_threads.py; JSON and SARIF to the terminal]", metavar="PATH", path="file"),
    Setting("--no-confirm/--confirm", bool, False, "Do not run the found tests again in fresh processes."),
    _REPORT,
)  # fmt: skip
_REACH = (
    "--loops",
    "--time",
    "--lengths",
    "--heap",
    "--assume",
    "--requires",
    "--asserts",
    "--int-range",
    "--types",
    "--solver-timeout",
    "--memory",
)
REACH = (
    Setting("--from", str, (), "Where callers may start: a file, folder, package or function.  "
            "[default: everything public in FILE]", metavar="TARGET", called="starts", in_file=False),
    *(setting for setting in _EXPLORATION if setting.option in _REACH),
    Setting("--total-time", float, 60.0, "Seconds for everything.", least=0, metavar="SECONDS"),
    Setting("-o --output", str, None, "Where to write the test.  [default: to the terminal]", metavar="PATH",
            in_file=False),
)  # fmt: skip
REPLAY = (
    Setting("--steps", bool, False, "Print what each case does line by line, with variables and objects.",
            in_file=False),
    Setting("--junit-xml", str, None, "Also write what came of each case, as build servers read it.", metavar="FILE",
            in_file=False),
    Setting("--allow-io", bool, False, "Let tested code write files, open sockets and start processes.",
            in_file=False),
    *_STORE,
    _REPORT,
)  # fmt: skip
VIEW = (
    Setting("--report", str, None, "Where to write the page; it is then not opened.  [default: .everypath/pages]",
            metavar="PAGE", in_file=False),
    Setting("--port", int, 0, "For the server: its port.  [default: any that is free]", least=0, in_file=False),
    Setting("--no-browser/--browser", bool, False, "Do not open a browser; the address is printed.", in_file=False),
    Setting("--allow-io", bool, False, "Let tested code write files, open sockets and start processes.",
            in_file=False),
    *_STORE,
)  # fmt: skip
SHOW = (
    Setting("--ir", bool, False, "The intermediate representation of the target.", in_file=False),
    Setting("--related", bool, False, "For a method of an ABS class: which other tasks may interfere.", in_file=False),
    Setting("--summary", bool, False, "What the target does in each case, for callers.", in_file=False),
    *(setting for setting in _EXPLORATION if setting.option in ("--loops", "--heap")),
    Setting("--types", str, (), "Types of parameters that have no annotation."),
)
RUN = (
    Setting("--seed", int, None, "Choose tasks at random.  [default: the oldest task goes on]"),
    _POLICY,
    Setting("--steps", int, None, "Stop after so many steps of tasks.", least=1, in_file=False),
)  # fmt: skip
APET: dict[str, Any] = {
    **{switch.name: True for switch in ACTOR_SWITCHES[1:]},
    "input_errors": False,
    "heap": "noalias",
    "int_range": (-10, 10),
    "order": "independent",
}
"""How "Test Case Generation of Actor Systems" counts; what is given on the command line goes before it."""
