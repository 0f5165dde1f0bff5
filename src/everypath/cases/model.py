"""What a generated test is, independent of how it was found and of how it will be written.

There is one `Case` and one `Suite`. A case is about a call on a heap (this module), about actors with queues
(`cases.actors`) or about two threads on one object (`cases.races`); only its inputs, its expected outcome and the
steps of its schedule differ between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

from everypath.cases.accounts import OrderDependence as OrderDependence
from everypath.cases.accounts import Problem as Problem
from everypath.cases.accounts import Stats, Wanted
from everypath.paths import Frontier, OpenInputs, Path, Start
from everypath.records import dataclass, field

ELEMENTS = "[]"
"""Stands for the elements of a collection among what a call can change."""
Atom = None | bool | int | float | str | bytes


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that is written as itself."""

    value: Atom


@dataclass(frozen=True, slots=True)
class TupleValue:
    """An immutable sequence of values."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Pointer:
    """A reference to the object of this id in the case's heap; equal ids are the same object."""

    id: str


@dataclass(frozen=True, slots=True)
class Named:
    """A function or class of the program used as a value, or a combination of flags."""

    module: str
    name: str
    bits: int | None = None
    """for a combination of flags, what the class is called with"""


@dataclass(frozen=True, slots=True)
class Written:
    """An immutable object of the library, written as an expression that makes an equal one."""

    module: str
    """what the expression needs imported, empty for nothing"""
    expression: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A result that cannot be written down: a test only checks what kind of thing it is."""

    kind: str
    """callable, iterator, integer or anything (of which nothing is asserted)"""


@dataclass(frozen=True, slots=True)
class Instance:
    """A result of which a test only tells the class."""

    module: str
    name: str


Value = Literal | TupleValue | Pointer | Named | Written | Opaque | Instance


@dataclass(frozen=True, slots=True)
class ObjectState:
    """An instance of a user class: its fields in order of declaration."""

    cls: str
    """qualified name inside the module, such as `Tree.Node`"""
    module: str
    fields: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class SequenceState:
    """A list or set."""

    kind: str
    """list or set"""
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class MappingState:
    """A dict in insertion order."""

    entries: tuple[tuple[Value, Value], ...]
    kind: str = "dict"
    """or `OrderedDict`, `Counter`, `defaultdict`"""
    factory: str = ""
    """the class whose objects a `defaultdict` gives for keys that it does not have"""


@dataclass(frozen=True, slots=True)
class StreamState:
    """A text stream in memory."""

    text: str
    place: int
    """how far it is read or written"""
    closed: bool


@dataclass(frozen=True, slots=True)
class UnusedState:
    """A library object that nobody has used yet, such as a lock: calling its class without arguments makes one."""

    cls: str
    module: str


@dataclass(frozen=True, slots=True)
class Gives:
    """A stand-in answers a call with this value."""

    value: Value


@dataclass(frozen=True, slots=True)
class Throws:
    """A stand-in answers a call with an exception of this class, made with these arguments."""

    cls: str
    module: str
    arguments: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


Answer = Gives | Throws


@dataclass(frozen=True, slots=True)
class StandInState:
    """What stands for any object of an interface, or for any function: how it answers."""

    cls: str
    """empty for a function"""
    module: str
    fields: tuple[tuple[str, Value], ...] = ()
    """its attributes, those that are computed as well"""
    answers: tuple[tuple[str, tuple[Answer, ...]], ...] = ()
    """method, empty for a call of the thing itself -> its answers in the order of the calls"""
    takes: int | None = None
    """how many arguments a function takes, None for any"""
    strict: bool = False
    """whether it must have the signature and the class of what it stands for"""
    name: str = ""
    """the name that a function must have, where it was asked for"""
    awaited: tuple[str, ...] = ()
    """methods, empty for the thing itself, whose answers are awaited although their class does not say so"""


HeapState = ObjectState | SequenceState | MappingState | StreamState | UnusedState | StandInState
Heap = dict[str, HeapState]


def parts(state: HeapState) -> Iterator[Value]:
    """The values that an object holds, in order."""
    match state:
        case ObjectState(fields=fields):
            yield from (value for _, value in fields)
        case SequenceState(items=items):
            yield from items
        case MappingState(entries=entries):
            yield from chain.from_iterable(entries)
        case StandInState(fields=fields, answers=answers):
            yield from (value for _, value in fields)
            for answer in (answer for _, given in answers for answer in given):
                if isinstance(answer, Gives):
                    yield answer.value
                else:
                    yield from (*answer.arguments, *(value for _, value in answer.keywords))
        case StreamState() | UnusedState():
            return


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """How objects of a class can be made: constructor parameters with the field that each one sets, if any.

    A parameter without a field and without a default gets `fallback`.
    """

    cls: str
    module: str
    params: tuple[tuple[str, str | None, bool, Value], ...]
    """(parameter, field or None, has a default, fallback value)"""
    constants: tuple[tuple[str, Value], ...]
    """fields that the constructor always sets to this value"""
    only: bool = False
    """whether there is no other way, because fields cannot be assigned afterwards"""
    asks: bool = False
    """whether the constructor calls methods, those of its arguments perhaps"""
    by_value: bool = False
    """whether two objects are equal if their class and all fields are, each of which has a parameter"""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the test calls."""

    module: str
    """import name, such as `shop.cart`"""
    file: str
    """the source file, relative to the working directory where possible"""
    cls: str | None
    """qualified class name for methods, None for functions"""
    name: str
    kind: str
    """function, method, static, class, property, setter or constructor; main for the main block of a program; script
    for a module that is itself run"""
    line: int = 0
    observed: str = ""
    """how the test looks at what the call gives: empty as it is, `list` of all elements, `start` the first twenty,
    `run` by an event loop, `with` entered and left, `failing` left by an error"""
    procedure: bool = False
    """whether it is declared to give nothing, or has no line that gives anything"""
    changes: tuple[str, ...] | None = None
    """the fields that its code could assign, and `field[]` or `[]` for elements of collections; None for all"""
    defaults: tuple[tuple[str, Value], ...] = ()
    """the parameters that a caller may leave out, with what they are then, where that is a plain value"""
    words: tuple[str, str, str] = ("None", "True", "False")
    """how its language writes that there is no object, and the two truth values"""

    @property
    def qualified(self) -> str:
        """`Class.method`, `Class.property.setter` or `function`."""
        name = f"{self.name}.setter" if self.kind == "setter" else self.name
        return f"{self.cls}.{name}" if self.cls else name


Arguments = tuple[tuple[str, Value, str], ...]
"""(parameter, value, kind of the parameter as in the IR)"""


@dataclass(frozen=True, slots=True)
class BuildStep:
    """A call before the one under test, which makes or changes an input object, or asks a fixture for something."""

    target: str
    """id of the object"""
    module: str
    """empty for a fixture, which the class then names"""
    cls: str
    method: str
    """empty for the constructor, or only the types of its parameters where there are several"""
    arguments: Arguments
    on: str = ""
    """id of another object whose method gives this one; empty where the method is the object's own"""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A library function that asks the outside world, such as a clock: the test replaces it by known answers."""

    function: str
    """its dotted name, such as `random.choice`"""
    places: tuple[str, ...]
    """attributes that hold it, or its class, where the program looks it up: `dice.choice`; variables of `os.environ`"""
    answers: tuple[Value, ...]
    """what its calls give; an index or several for chosen elements, whether a shuffle reverses; None for no variable"""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The receiver, the arguments in parameter order, and every object they reach."""

    receiver: Value | None
    arguments: Arguments
    heap: Heap = field(default_factory=dict)
    steps: tuple[BuildStep, ...] = ()
    """the calls that make input objects; those are then not in the heap"""
    ready: Heap = field(default_factory=dict)
    """what the steps lead to: every object that the inputs reach right before the call under test"""
    replaced: tuple[Replacement, ...] = ()

    kind = "calls"


@dataclass(frozen=True, slots=True)
class Returned:
    """The call ends normally."""

    value: Value


@dataclass(frozen=True, slots=True)
class Raised:
    """The call ends with an exception; `implicit` when the code did not raise it itself on purpose."""

    cls: str
    module: str
    implicit: bool
    message: str | None
    """the exact text where the program itself fixes it, else None"""
    line: int
    """where it was raised in the entry's file, 0 if elsewhere"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that the code under test makes on a stand-in; the arguments as they are afterwards."""

    target: str
    """id of the stand-in"""
    method: str
    """empty where the stand-in itself is called"""
    arguments: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """The outcome, and every object reachable from inputs or result as it is afterwards, under the same ids."""

    outcome: Returned | Raised
    heap: Heap = field(default_factory=dict)
    asked: tuple[Asked, ...] = ()
    """the calls of stand-ins in their order, without those that only look"""
    files: tuple[tuple[str, Value], ...] = ()
    """what has changed in the folder of the test: the text or bytes of a file, True for a folder, None if it is gone"""


@dataclass(frozen=True, slots=True)
class Step:
    """One source line that the path executes."""

    file: str
    line: int


Place = tuple[str, str, str, int]
"""Kind, error, file and line of a finding."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a person should look at the case."""

    kind: str
    """runtime-error, assertion, contract, overflow, deadlock, order-dependent or race"""
    message: str
    file: str
    line: int
    function: str = ""
    """the function that the line belongs to, where that is known"""
    needs: tuple[str, ...] = ()
    """what callers are not known to reach: fields of objects, such as `Cache._items`, or the function itself"""

    @property
    def place(self) -> Place:
        """What makes two findings one: the same kind of error at the same line."""
        return self.kind, self.message.partition(":")[0], self.file, self.line


_InputsT = TypeVar("_InputsT", covariant=True)
_ExpectedT = TypeVar("_ExpectedT", covariant=True)
_TurnT = TypeVar("_TurnT", covariant=True)


@dataclass(frozen=True, slots=True)
class Case(Generic[_InputsT, _ExpectedT, _TurnT]):
    """One path: inputs that follow it, the order of what runs at the same time, and what must be observed."""

    id: str
    entry: Entry
    inputs: _InputsT
    expected: _ExpectedT
    condition: tuple[str, ...] = ()
    """the path condition over the inputs, readable"""
    trace: tuple[Step, ...] = ()
    choices: tuple[int, ...] = ()
    start: Start = OpenInputs()
    """with the choices, and with the schedule if there is one, what replays the path"""
    covers: tuple[str, ...] = ()
    """branches taken, as `file:line->line`"""
    serves: tuple[str, ...] = ()
    """what else is on its path of that which a selection asks for, such as a local path of the function under test"""
    schedule: tuple[_TurnT, ...] = ()
    """who goes on when; empty where nothing runs at the same time"""
    executions: int = 1
    """explored executions with this input and this outcome"""
    finding: Finding | None = None
    unreached: Finding | None = None
    """an error that would be a finding if callers were known to bring it about"""
    observed: bool = False
    """whether the outcome is what runs have shown, because nobody could predict it"""
    validated: bool = False
    name: str = ""
    """a readable name of the path, unique in the suite, usable in an identifier"""
    key: str = ""
    """equal for paths of which one test is enough, in this run and in later ones"""

    @property
    def path(self) -> Path:
        """The path that the case follows."""
        return Path(self.start, self.choices)


CallCase = Case[Inputs, Expected, None]
"""A case that calls one function; there is nothing to schedule."""


_CaseT = TypeVar("_CaseT")


@dataclass(slots=True)
class Suite(Generic[_CaseT]):
    """All cases of one target."""

    target: str
    options: dict[str, object]
    cases: list[_CaseT] = field(default_factory=list)
    plans: dict[tuple[str, str], BuildPlan] = field(default_factory=dict)
    """(module, class) -> how to build its objects"""
    dependences: list[OrderDependence] = field(default_factory=list)
    """where the order alone decides what comes out"""
    wanted: list[Wanted] = field(default_factory=list)
    """what the selection asks for, where it guided the search, and what became of each"""
    problems: list[Problem] = field(default_factory=list)
    stats: Stats = field(default_factory=Stats)
    frontier: list[Frontier] = field(default_factory=list)
    """where paths were left, for a search that goes on; empty where that has to start anew"""
    ways: dict[str, int] = field(default_factory=dict)
    """case id -> how its inputs are built in the test"""
    branches: tuple[str, ...] = ()
    """all branches of the function itself, as cases name those that they take"""
    basis: str = ""
    """tells the function, with everything that it may use, from what it becomes later; empty where nobody has asked"""

    def report(self, problem: Problem) -> None:
        """Note a problem, once for each place and message; what is not supported is among the counts."""
        known = self.stats.unsupported if problem.kind == "unsupported" else self.problems
        if all((o.file, o.line, o.message) != (problem.file, problem.line, problem.message) for o in known):
            known.append(problem)


CallSuite = Suite[CallCase]
"""The cases of one function."""

SomeCase = Case[object, object, object]
SomeSuite = Suite[SomeCase]
"""What is handed around without a look inside; a language gets back the suites that it filled itself."""
