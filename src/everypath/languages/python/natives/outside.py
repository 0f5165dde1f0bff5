"""What a program asks the world around it for: clocks and random numbers are inputs that the test provides.

The models of `random`, `time` and the like call these operations. Each answer is recorded with the function that gave
it, so that the test can put a function with the same answers in its place; where the program looks that function up
is recorded as well, since this is what the test replaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everypath.errors import Unsupported
from everypath.explore.concretise import fixed
from everypath.explore.objects import resolve
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.alternatives import Bind
from everypath.heap.choice import Fixed, decide
from everypath.heap.equality import is_truth
from everypath.heap.values import LanguageValue, Unknown, Value
from everypath.ir.names import runs_on_import
from everypath.ir.types import ANY, BOOL, STR, Type
from everypath.languages.python.cards.dates import CLOCKS
from everypath.languages.python.natives.concrete import NotConcrete, lower
from everypath.languages.python.semantics.host_objects import as_host_object
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.registry import native
from everypath.logic import terms
from everypath.logic.condition import Infeasible
from everypath.logic.terms import Term
from everypath.records import dataclass, field, replace

if TYPE_CHECKING:
    import datetime

_SEEN = ("<outside>", "seen")
_WORLD = Unknown("<outside>", ANY)
_TRIES = (5, 4, 3, 2, 2)
"""How many values are tried for the first, second, ... value of a path that has no term; one for those after."""


@dataclass(frozen=True, slots=True)
class Seen(LanguageValue):
    """What a path has seen of the world around it; replaced, not changed, when it sees more."""

    answers: tuple[tuple[str, Value], ...] = ()
    """(function, what it gave), for every call of the path that leaves the program"""
    places: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """function -> the names under which the path has looked it up"""
    asked: dict[str, int] = field(default_factory=dict)
    """function -> how many values it was asked for"""
    failed: tuple[str, ...] = ()
    """the functions that have raised an error of their own"""
    environment: dict[str, Value] = field(default_factory=dict)
    """the variables that the path has looked at, None for those that are not set"""
    instant: datetime.datetime | None = None
    """the time of day when the path last looked at a clock"""


_NOTHING = Seen()


def seen(st: State) -> Seen:
    """What the path has seen of the world around it so far."""
    found = st.statics.get(_SEEN, _NOTHING)
    assert isinstance(found, Seen)
    return found


def _keep(st: State, seen: Seen) -> None:
    st.statics = {**st.statics, _SEEN: seen}


@native("looked_up")
def looked_up(st: State, function: str, place: str) -> Value:
    """The program is about to use a function that the test replaces, found under this name."""
    _need_running(st, function)
    known = seen(st).places
    if place not in known.get(function, ()):
        _keep(st, replace(seen(st), places={**known, function: (*known.get(function, ()), place)}))
    return None


def _need_running(st: State, what: str) -> None:
    """Refuse questions to the world during an import, which happens before a test can replace anything."""
    frame = st.frame
    while frame is not None:
        if runs_on_import(frame.code.method.name):
            raise Unsupported(
                f"{what} is used while the module is imported, before a test can replace it; use it in a function"
            )
        frame = frame.parent


@native("answered")
def answered(st: State, function: str, value: Value) -> Value:
    """The function gives this value here."""
    if function in seen(st).failed:
        raise Unsupported(f"{function}() after a call of it that raised an error; a test replaces either all or none")
    if function not in seen(st).places:
        raise Unsupported(f"{function}() that was looked up before a test could replace it, or by library code")
    _keep(st, replace(seen(st), answers=(*seen(st).answers, (function, value))))
    return value


@native("fails_itself")
def fails_itself(st: State, function: str) -> Value:
    """Note that the function raises an error of its own, so that the test must not replace it."""
    if any(name == function for name, _ in seen(st).answers):
        raise Unsupported(f"{function}() raising an error after calls of it that a test would replace")
    _keep(st, replace(seen(st), failed=(*seen(st).failed, function)))
    return None


@native("last_answer")
def last_answer(st: State, function: str) -> Value:
    """What the function gave last, None before its first call."""
    return next((value for name, value in reversed(seen(st).answers) if name == function), None)


@native("any_int")
def any_int(st: State, function: str) -> Value:
    """An integer from outside; the model says what is known about it."""
    name, _ = _next(st, function)
    return terms.int_var(name, None, None)


@native("any_text")
def any_text(st: State, function: str) -> Value:
    """A text from outside."""
    name, _ = _next(st, function)
    return terms.str_var(name)


@native("environment_variable")
def environment_variable(st: State, name: Value) -> Value:
    """The value of a variable that the test sets, None where it is not set."""
    _need_running(st, "os.environ")
    name = fixed(st, resolve(st, name), "the name of an environment variable must be known")
    if not isinstance(name, str):
        raise Fault("TypeError", f"str expected, not {type_name(st, name)}")
    known = seen(st).environment
    if name not in known:
        inputs = st.heap.inputs
        present = inputs.part(_WORLD, ("environ", name), BOOL, f"{name!r} in environ")
        assert is_truth(present)
        known = {**known, name: inputs.fresh(STR, f"environ[{name!r}]") if decide(st.pc, present) else None}
        _keep(st, replace(seen(st), environment=known))
    return known[name]


@native("only_if")
def only_if(st: State, condition: Value) -> Value:
    """The world is so that the condition holds."""
    condition = resolve(st, condition)
    if isinstance(condition, Term):
        if not st.pc.require(condition):
            raise Infeasible
    elif not condition:
        raise Infeasible
    return None


@native("any_float")
def any_float(st: State, function: str, low: float, high: float) -> Value:
    """A number from outside, within the bounds."""
    name, _ = _next(st, function)
    value = terms.float_var(name)
    only_if(st, terms.and_(terms.float_le(low, value), terms.float_le(value, high)))
    return value


@native("any_of")
def any_of(st: State, function: str, options: tuple[Value, ...]) -> Value:
    """One of a few things that the world may do."""
    return _one_of(st, function, list(options), ANY)


@native("any_uuid")
def any_uuid(st: State, function: str) -> Value:
    """An identifier that is different from those before it."""
    _, number = _next(st, function)
    from uuid import UUID

    return as_host_object(UUID(int=number, version=4))


def _clock(function: str) -> None:
    """Register a class method that tells the time of day or the day, which the test sets."""

    @native(function)
    def tell(st: State, tz: Value = None) -> Value:
        try:
            zone = lower(st, tz)
        except NotConcrete as problem:
            raise Unsupported(f"{function}() in a time zone that is {problem}") from None
        value: Any = _instant(st)
        if zone is not None:
            value = value.replace(tzinfo=zone)
        return answered(st, function, value.date() if function == "datetime.date.today" else value)


for _cls, _methods in CLOCKS.items():
    for _method in _methods:
        _clock(f"{_cls}.{_method}")


def _instant(st: State) -> datetime.datetime:
    """The time of day, which goes on from call to call."""
    from datetime import datetime

    before = seen(st).instant
    tried = _first_instants() if before is None else _later(before)
    value = _one_of(st, "now", [as_host_object(instant) for instant in tried], ANY)
    assert isinstance(value, datetime)
    _keep(st, replace(seen(st), instant=value))
    return value


def _first_instants() -> list[datetime.datetime]:
    """Beginning, middle and end of years, days and weeks."""
    from datetime import datetime

    return [
        datetime(2024, 1, 1),
        datetime(2024, 2, 29, 12, 30),
        datetime(2023, 12, 31, 23, 59, 59),
        datetime(2025, 6, 14, 8),
        datetime(2024, 10, 4, 17, 45),
    ]


def _later(before: datetime.datetime) -> list[datetime.datetime]:
    from datetime import timedelta

    return [before + later for later in (timedelta(seconds=1), timedelta(0), timedelta(days=1))]


def _next(st: State, function: str) -> tuple[str, int]:
    """The name and number of the next value from outside; the name is no identifier, so that no other input has it."""
    asked = seen(st).asked
    number = asked.get(function, 0) + 1
    _keep(st, replace(seen(st), asked={**asked, function: number}))
    short = function.rpartition(".")[2]
    return (f"{short}()" if number == 1 else f"{short}({number})"), number


def _one_of(st: State, function: str, options: list[Value], type: Type) -> Value:
    """One of the values, each on a path of its own; the more of them a path has had, the fewer are tried."""
    before = st.statics
    name, number = _next(st, function)
    most = _TRIES[number - 1] if number <= len(_TRIES) else 1
    tried = list(dict.fromkeys(options))[:most]
    unknown = st.heap.inputs.part(_WORLD, (function, number, tuple(tried)), type, name)
    assert isinstance(unknown, Unknown)
    if unknown in st.heap.bind:
        return st.heap.bind[unknown]
    if len(tried) == 1:
        st.heap.bind[unknown] = tried[0]
        return tried[0]
    # On each of the new paths the operation runs again, and must then ask for the value of the same number.
    st.statics = before
    raise Fixed(f"{len(tried)} values are tried for {name}", tuple(Bind(unknown, value) for value in tried))
