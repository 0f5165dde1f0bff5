"""What a register or a field can hold besides plain values and terms.

Plain `int`, `bool`, `str`, `float`, `bytes`, `None` and tuples of values stand for themselves; a symbolic
scalar is a `logic` term. References and inputs that nothing has looked at yet are defined here.

`Value` is the closed union of all of them and `Cell` that of what an object on the heap can contain. The classes
are final wherever nothing extends them, so that a type checker learns from `type(value) is Ref` in both branches; it
learns nothing from `value.__class__ is Ref`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union, final

from everypath.errors import Unsupported
from everypath.ir.instructions import ClassRef, FunctionRef, NativeRef
from everypath.ir.types import FunctionType, Type, UnionType
from everypath.logic.terms import IntLike, Term
from everypath.records import dataclass, field, replace

if TYPE_CHECKING:
    # Importing it takes a few milliseconds at every start, and only actor programs have fractions.
    from fractions import Fraction


class LanguageValue:
    """The base class of values that only one language has; the engine passes them on and asks nothing of them."""

    __slots__ = ()


class HostObject(LanguageValue):
    """The type of an object of the host's library that stands for itself: a decimal, a date, a regular expression.

    There are no instances. At run time such a value is the library's own object; the type only says that code may do
    no more with it than pass it on, or hand it to the functions that know the library.
    """

    __slots__ = ()


class Measured(HostObject):
    """A library object that an integer stands for, which may be a term: a date, a span of time."""

    __slots__ = ("number",)
    number: IntLike

    def equals(self, other: object) -> bool | Term:
        """Whether it is equal to another value of the language."""
        raise NotImplementedError

    def truth(self) -> bool | Term:
        """Whether it counts as true."""
        raise NotImplementedError


@final
@dataclass(slots=True, eq=False)
class Ref:
    """The identity of a heap object; what it contains is in the heap's `cells`."""

    cls: str
    name: str = ""
    input: bool = False
    open: bool = False
    origin: Unknown | None = None
    """the unknown reference for which an input object was made up"""

    def __repr__(self) -> str:
        return f"<{self.name or self.cls}>"


@final
class Unknown:
    """An input that nothing has looked at: a reference, or a value of one of several types.

    Nothing about it is decided before the program needs it, which is the point of lazy
    initialisation (section 2.2 of the tutorial): first which type or null, then which object.
    """

    __slots__ = ("inside", "name", "options")

    def __init__(self, name: str, type: Type) -> None:
        self.name = name
        self.inside: tuple[Unknown, str] | None = None
        """the library object that keeps this one to itself, and the field"""
        self.options: tuple[Type, ...] = type.options if isinstance(type, UnionType) else (type,)

    def __repr__(self) -> str:
        return f"<{self.name}?>"


@final
@dataclass(slots=True, eq=False)
class OneOf:
    """A value that depends on which inputs are the same object: the first rule whose guard holds gives it."""

    rules: tuple[tuple[Term, Value], ...]
    otherwise: Value
    rest: Term | None = None
    """If the guards exclude each other, so that their order says nothing: the guard of the value that is left"""

    def values(self) -> tuple[Value, ...]:
        """All values it may be."""
        return (*(value for _, value in self.rules), self.otherwise)

    def __repr__(self) -> str:
        rules = "".join(f"{value!r} if {guard} else " for guard, value in self.rules)
        return f"<{rules}{self.otherwise!r}>"


@final
@dataclass(slots=True, eq=False)
class Access:
    """One access to a field, and those before it: the terms getF and setF of the heap solver's history."""

    ref: Ref | OneOf
    value: Value
    write: bool
    before: Access | None


@final
class InputFunction(NativeRef):
    """The function that stands for a callable input: what its calls give are inputs as well."""

    __slots__ = ("input", "type")
    input: str
    type: FunctionType

    def __init__(self, input: str, type: FunctionType) -> None:
        super().__init__("input function")
        object.__setattr__(self, "input", input)
        object.__setattr__(self, "type", type)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputFunction) and other.input == self.input

    def __hash__(self) -> int:
        return hash(self.input)


@final
@dataclass(slots=True, eq=False)
class Data:
    """A value of an algebraic data type: immutable, without identity; arguments may be unknown or terms."""

    constructor: str
    arguments: tuple[Value, ...] = ()

    def __repr__(self) -> str:
        return f"{self.constructor}({', '.join(map(repr, self.arguments))})" if self.arguments else self.constructor


@final
@dataclass(slots=True, eq=False)
class Rational:
    """An exact fraction with a symbolic part: `top / bottom` with `bottom` positive; a known one is a Fraction."""

    top: IntLike
    bottom: IntLike


@final
@dataclass(slots=True, eq=False)
class Future:
    """The result of a task, whether it is there yet or not; futures of the same task are the same."""

    task: Any
    """the name of the task"""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Future) and other.task is self.task

    def __hash__(self) -> int:
        return hash(self.task)

    def __repr__(self) -> str:
        return f"<future of {self.task}>"


@final
class Unbound:
    """The content of a register that was never written."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<unbound>"


UNBOUND = Unbound()


@final
@dataclass(frozen=True, slots=True)
class BoundMethod:
    """A method together with its receiver; the name is looked up when it is called."""

    receiver: Value
    name: str


@final
@dataclass(slots=True, eq=False)
class Unread:
    """A variable of a module whose value is not known, because making it is not supported: all there is is its name.

    Only its name is known: it is equal to itself, and any other question about it ends the path.
    """

    cls: str
    name: str
    reason: str

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Unread) and (self.cls, self.name) == (other.cls, other.name):
            return True
        raise self.refusal()

    def __bool__(self) -> bool:
        raise self.refusal()

    def __hash__(self) -> int:
        return hash((self.cls, self.name))

    def refusal(self) -> Unsupported:
        """Why nothing can be said about it."""
        return Unsupported(f"the value of {self.cls}.{self.name}, which is not known: {self.reason}")


@final
@dataclass(slots=True, eq=False)
class RangeValue:
    """An arithmetic progression whose bounds may be symbolic."""

    start: IntLike
    stop: IntLike
    step: IntLike


@final
@dataclass(slots=True, eq=False)
class Hash:
    """The hash of a value, where the number differs from run to run; two hashes are equal if their values are."""

    of: Value


@final
@dataclass(slots=True, eq=False)
class Mixed(LanguageValue):
    """The result of an operator on a hash and another value."""

    op: str
    left: Value
    right: Value


@final
@dataclass(slots=True, eq=False)
class Keyed:
    """What code of the program has answered about keys: their hashes, and which of them are equal."""

    when: object = None
    """the trace at the time of the answers; they do not hold for a later operation"""
    answers: dict[tuple[Value, Value], Value] = field(default_factory=dict)
    fresh: frozenset[Ref] = frozenset()
    """the keys whose hash was computed for the current operation"""
    hashes: dict[Ref, Value] = field(default_factory=dict)


@final
@dataclass(slots=True, eq=False)
class SliceValue:
    """The index of a slicing operation; each part may be null."""

    start: Value
    stop: Value
    step: Value


@final
class ListCell:
    """A list whose shape is known; for an input list, `length` remains a term that is known to equal it."""

    __slots__ = ("items", "length")

    def __init__(self, items: tuple[Value, ...], length: IntLike | None = None) -> None:
        self.items = items
        self.length: IntLike = len(items) if length is None else length


@final
@dataclass(slots=True, eq=False)
class OpenList:
    """An input list of symbolic length; `known` are its elements that were looked at or written, with their indices.

    A disjunctive heap may have several entries whose indices turn out to be equal: the first one counts.
    """

    name: str
    element: Type
    length: IntLike
    known: tuple[tuple[IntLike, Value], ...] = ()


@final
@dataclass(slots=True, eq=False)
class DictCell:
    """A dict or set with its entries in order; an `open` input may hold keys besides those in entries and absent."""

    entries: tuple[tuple[Value, Value], ...] = ()
    kind: str = "dict"
    open: bool = False
    absent: tuple[Value, ...] = ()
    initial: int = 0
    """how many entries at the front belong to the input; keys found later go right behind them"""
    name: str = ""
    key: Type | None = None
    value: Type | None = None
    frozen: bool = False
    """whether it is a frozenset, which can be a key"""

    def replace(self, **changes: Any) -> DictCell:
        """A copy with some attributes changed."""
        return replace(self, **changes)


@final
@dataclass(slots=True, eq=False)
class IteratorCell:
    """A position in something iterable; replaced, not changed, when the iterator advances."""

    kind: str
    parts: tuple[Value, ...]
    position: IntLike = 0


@final
@dataclass(slots=True, eq=False)
class InitialList:
    """What the input list held at the start, as far as anything looked at it."""

    element: Type
    length: IntLike
    entries: tuple[tuple[IntLike, Value], ...] = ()


@final
@dataclass(slots=True, eq=False)
class InitialDict:
    """What the input dict or set held at the start, as far as anything looked at it."""

    kind: str
    entries: tuple[tuple[Value, Value], ...] = ()


Value = Union[
    None,
    bool,
    int,
    float,
    str,
    bytes,
    "tuple[Value, ...]",
    Term,
    Ref,
    Unknown,
    OneOf,
    Data,
    Rational,
    "Fraction",
    Future,
    Unbound,
    BoundMethod,
    Unread,
    RangeValue,
    SliceValue,
    Hash,
    ClassRef,
    FunctionRef,
    NativeRef,
    LanguageValue,
]
"""Everything that a register, a field or an element of a collection can hold."""
Fields = dict[str, Value]
"""The fields of an object of a class."""
InitialContent = Fields | InitialList | InitialDict
"""What an input object held at the start."""
Cell = Fields | ListCell | OpenList | DictCell | IteratorCell
"""The content of an object on the heap."""
