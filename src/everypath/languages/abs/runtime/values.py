"""The values of ABS programs, how they are shown, and the builtin functions and arithmetic on them.

Numbers, strings and truth values are Python's (a Rat that is whole is an int), null is None, an object is its
reference, a future the name of its task, and everything else is `Data`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from everypath.cases.actors import LIBRARY, ROWS, quoted
from everypath.concurrency.names import Name, TaskName
from everypath.errors import NOWHERE, Span

FAILURES = f"{LIBRARY}Exceptions."


class Data:
    """A value of a data type, compared by structure; along its last argument without recursion, since lists may be
    long.
    """

    __slots__ = ("_hash", "_plain", "arguments", "name")

    def __init__(self, name: str, arguments: tuple[Any, ...] = ()) -> None:
        self.name = name
        self.arguments = arguments
        self._hash: int | None = None
        self._plain: bool | None = None

    def __eq__(self, other: object) -> bool:
        mine: Any = self
        theirs: Any = other
        while mine.__class__ is Data and theirs.__class__ is Data:
            if mine is theirs:
                return True
            if mine.name != theirs.name or len(mine.arguments) != len(theirs.arguments):
                return False
            if mine._hash is not None and theirs._hash is not None and mine._hash != theirs._hash:
                return False
            if not mine.arguments:
                return True
            if mine.arguments[:-1] != theirs.arguments[:-1]:
                return False
            mine, theirs = mine.arguments[-1], theirs.arguments[-1]
        return bool(mine == theirs)

    def __hash__(self) -> int:
        if self._hash is None:
            for each in reversed(self._spine()):
                each._hash = hash((each.name, each.arguments))
        assert self._hash is not None
        return self._hash

    def _spine(self) -> list[Data]:
        """This value and its last arguments in turn, down to one whose hash is known."""
        found = []
        at: Any = self
        while at.__class__ is Data and at._hash is None:
            found.append(at)
            at = at.arguments[-1] if at.arguments else None
        return found

    def __lt__(self, other: Data) -> bool:
        return less(self, other)

    def __repr__(self) -> str:
        return shown(self)

    @property
    def plain(self) -> bool:
        """Whether neither objects nor futures are inside."""
        if self._plain is None:
            line: list[Data] = []
            at: Any = self
            while at.__class__ is Data and at._plain is None:
                line.append(at)
                at = at.arguments[-1] if at.arguments else None
            for each in reversed(line):
                each._plain = all(is_plain(a) for a in each.arguments)
        assert self._plain is not None
        return self._plain


UNIT = Data(f"{LIBRARY}Unit")
NIL = Data(f"{LIBRARY}Nil")
CONS = f"{LIBRARY}Cons"
CONSTANTS: dict[str, Data] = {value.name: value for value in (UNIT, NIL)}
"""Values without arguments, one object for each constructor."""


def is_plain(value: Any) -> bool:
    """Whether a value mentions neither objects nor futures."""
    if value.__class__ is Data:
        return bool(value.plain)
    return not isinstance(value, Name)


class Raised(Exception):
    """An exception of the program on its way to a handler."""

    def __init__(self, value: Data, span: Span = NOWHERE) -> None:
        super().__init__(value)
        self.value = value
        self.span = span
        """where it was first raised, once that is known"""


class Died(Exception):
    """`die`: no handler of the program catches it."""

    def __init__(self, value: Data) -> None:
        super().__init__(value)
        self.value = value


def failure(name: str) -> Raised:
    """A predefined exception."""
    return Raised(Data(FAILURES + name))


def no_match() -> Any:
    """Raise what a `case` raises if no branch matches; a function, so that its call can end a chain of conditions."""
    raise failure("PatternMatchFailException")


def no_value() -> Raised:
    """Use of null."""
    return failure("NullPointerException")


def listed(elements: Iterable[Any]) -> Data:
    """A list of ABS."""
    made = NIL
    for element in reversed(tuple(elements)):
        made = Data(CONS, (element, made))
    return made


def nested(constructors: tuple[tuple[str, tuple[Any, ...]], ...], last: Any) -> Any:
    """Constructors applied one inside the other, each as the last argument of the one before."""
    for name, arguments in reversed(constructors):
        last = Data(name, (*arguments, last))
    return last


def less(first: Any, second: Any) -> bool:
    """The order of values of one type: data by constructor and then by arguments; null before objects."""
    while first.__class__ is Data and second.__class__ is Data:
        if first is second:
            return False
        if first.name != second.name:
            return bool(first.name < second.name)
        if not first.arguments:
            return False
        for mine, theirs in zip(first.arguments[:-1], second.arguments[:-1]):
            if mine != theirs:
                return less(mine, theirs)
        first, second = first.arguments[-1], second.arguments[-1]
    if first is None or second is None:
        return first is None and second is not None
    return bool(first < second)


def shown(value: Any, inside: bool = False) -> str:
    """What `toString` makes of a value; strings inside data have quotes."""
    if value.__class__ is Data:
        return _shown_data(value)
    if isinstance(value, str) and inside:
        return quoted(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if value is None:
        return "null"
    if isinstance(value, TaskName):
        return f"Fut({value.label}@{'.'.join(map(str, value.path()))})"
    if isinstance(value, Name):
        return f"{value.label.rpartition('.')[2]}@{'.'.join(map(str, value.path()))}"
    return str(value)


def _shown_data(value: Data) -> str:
    name = value.name.rpartition(".")[2]
    if name in ROWS and value.name.startswith(LIBRARY):
        parts = []
        while value.arguments:
            parts.append(shown(value.arguments[0], True))
            value = value.arguments[1]
        return f"{ROWS[name]}[{','.join(parts)}]"
    return f"{name}({','.join(shown(a, True) for a in value.arguments)})" if value.arguments else name


def whole(value: Any) -> Any:
    """A Rat in its only representation: an int if it is whole."""
    return value.numerator if value.__class__ is Fraction and value.denominator == 1 else value


def divided(x: Any, y: Any) -> Any:
    """`x / y` of Int or Rat."""
    if y == 0:
        raise failure("DivisionByZeroException")
    return whole(Fraction(x) / Fraction(y))


def float_divided(x: float, y: float) -> float:
    """`x / y` of Float."""
    if y == 0:
        raise failure("DivisionByZeroException")
    return x / y


def remainder(x: Any, y: Any) -> Any:
    """`x % y`; the result has the sign of x."""
    if y == 0:
        raise failure("DivisionByZeroException")
    if x.__class__ is float or y.__class__ is float:
        return math.fmod(x, y)
    left = abs(x) % abs(y)
    return whole(-left if x < 0 else left)


def _real(function: Callable[[float], float]) -> Callable[[float], float]:
    def checked(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return math.inf if x > 1 else math.nan

    return checked


def _substr(text: str, start: int, count: int) -> str:
    return text[max(start, 0) : max(start + count, 0)]


def _to_whole(function: Callable[[float], int]) -> Callable[[float], int]:
    def checked(x: float) -> int:
        if not math.isfinite(x):
            raise failure("DivisionByZeroException")
        return function(x)

    return checked


PURE: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "truncate": math.trunc,
    "numerator": lambda x: x.numerator,
    "denominator": lambda x: x.denominator,
    "float": float,
    "rat": lambda x: whole(Fraction(x)),
    "floor": _to_whole(math.floor),
    "ceil": _to_whole(math.ceil),
    "sqrt": _real(math.sqrt),
    "log": _real(math.log),
    "exp": _real(math.exp),
    "toString": shown,
    "strlen": len,
    "substr": _substr,
}
"""The builtins without side effects; `println`, `print` and `random` belong to the running step."""
EFFECTS = ("println", "print", "random")
