"""The builtin functions of ABS: on numbers, exact where they are symbolic and Python's own on floats; on strings, with
what values look like as text; output; and what code asks about its own actor and task."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from everypath.cases.actors import LIBRARY, ROWS, quoted
from everypath.errors import LimitReached, Unsupported
from everypath.explore.actors.world import world_of
from everypath.explore.arithmetic import is_integer, note_look
from everypath.explore.objects import program_of, resolve
from everypath.explore.outcomes import Died, Origin
from everypath.explore.signals import Ended, Fault
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import is_text
from everypath.heap.values import Data, Future, Rational, Ref, Unknown, Value
from everypath.ir.types import FutureType
from everypath.languages.abs.semantics import rationals
from everypath.languages.abs.semantics.semantics import NATIVES
from everypath.languages.abs.semantics.structural import identified
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.integers import split
from everypath.logic.terms import IntLike, StrLike, Term

if TYPE_CHECKING:
    from fractions import Fraction

native = NATIVES.native
_LARGEST = 1_000_000
UNIT = Data(f"{LIBRARY}Unit")
Sizes = dict[str, int]
"""data type -> input values with arguments that the text has so far"""
_CLOCK = "timed ABS: the clock"
_DEADLINES = "timed ABS: deadlines"
_REFUSED = {
    "readln": "reading input",
    "now": _CLOCK,
    "currentms": _CLOCK,
    "ms_since_model_start": _CLOCK,
    "deadline": _DEADLINES,
    "lowlevelDeadline": _DEADLINES,
}
"""what is known, but not supported: function -> why"""


def _exact(st: State, value: Value) -> rationals.Number:
    return rationals.number(resolve(st, value))


def _float(st: State, value: Value) -> float:
    """A Float, which is always known: the types of the program say that it is one."""
    return cast(float, resolve(st, value))


def whole_number(st: State, value: Value) -> IntLike:
    """An Int, known or not."""
    found = resolve(st, value)
    assert is_integer(found)
    return found


@native("abs.abs")
def absolute(st: State, value: Value) -> Value:
    """`abs(x)` of any kind of number."""
    value = resolve(st, value)
    return abs(value) if type(value) is float else rationals.absolute(rationals.number(value))


@native("abs.truncate")
def truncate(st: State, value: Value) -> Value:
    """The whole number next to a Rat on the way to zero."""
    top, bottom = rationals.parts(_exact(st, value))
    return terms.truncdiv(top, bottom)


@native("abs.numerator")
def numerator(st: State, value: Value) -> Value:
    """The numerator in lowest terms, which has the sign."""
    return lowest(st, _exact(st, value))[0]


@native("abs.denominator")
def denominator(st: State, value: Value) -> Value:
    """The denominator in lowest terms, which is positive."""
    return lowest(st, _exact(st, value))[1]


def lowest(st: State, value: rationals.Number) -> tuple[IntLike, IntLike]:
    """Numerator and denominator in lowest terms; denominators of inputs are considered up to the bound on lengths."""
    top, bottom = rationals.parts(value)
    if isinstance(bottom, Term):
        top, bottom = rationals.parts(rationals.ratio(top, _known_denominator(st, bottom)))
    if not isinstance(top, Term):
        return top, bottom
    assert isinstance(bottom, int)
    over: IntLike = top
    under: IntLike = bottom
    for factor in _factors(bottom):
        divisible = terms.eq(terms.floormod(top, factor), 0)
        over = terms.ite_int(divisible, terms.floordiv(top, factor), over)
        under = terms.ite_int(divisible, bottom // factor, under)
    return over, under


def _known_denominator(st: State, bottom: Term) -> int:
    constant, atoms = split(bottom)
    scale = atoms[0][1] if constant == 0 and len(atoms) == 1 else 1
    for candidate in range(1, st.heap.inputs.fixed_length + 1):
        if decide(st.pc, terms.eq(bottom, scale * candidate)):
            return scale * candidate
    raise LimitReached(
        "loop", "the lowest terms of a fraction with a larger denominator are not considered (--lengths)"
    )


def _factors(number: int) -> list[int]:
    """All factors but one, smallest first."""
    if number > _LARGEST:
        raise Unsupported(f"the lowest terms of a symbolic fraction with the denominator {number}")
    small = [factor for factor in range(1, math.isqrt(number) + 1) if number % factor == 0]
    return sorted({*small, *(number // factor for factor in small)} - {1})


def known_number(st: State, value: rationals.Number, function: str) -> int | Fraction:
    """An Int or Rat that can only have one value on this path."""
    top, bottom = (st.pc.value(part) for part in rationals.parts(value))
    if top is None or bottom is None:
        raise Unsupported(f"{function}() of a symbolic number")
    return rationals.known_ratio(int(top), int(bottom))


@native("abs.float")
def make_float(st: State, value: Value) -> Value:
    """The Float nearest to a Rat."""
    number = known_number(st, _exact(st, value), "float")
    try:
        return float(number)
    except OverflowError:
        raise Unsupported("float() of a number that is too large for a Float") from None


@native("abs.rat")
def make_rational(st: State, value: Value) -> Value:
    """The Rat that a Float exactly is."""
    number = _float(st, value)
    if not math.isfinite(number):
        raise Unsupported(f"rat() of the Float {number}")
    return rationals.ratio(*number.as_integer_ratio())


def _rounding(name: str, function: Callable[[float], int]) -> None:
    @native(f"abs.{name}")
    def rounded(st: State, value: Value) -> Value:
        number = _float(st, value)
        if not math.isfinite(number):
            raise Fault(program_of(st).profile.division_error)
        return function(number)


def _real(name: str, function: Callable[[float], float]) -> None:
    @native(f"abs.{name}")
    def real(st: State, value: Value) -> Value:
        number = _float(st, value)
        try:
            return function(number)
        except (ValueError, OverflowError):
            return math.inf if number > 1 else math.nan


_rounding("floor", math.floor)
_rounding("ceil", math.ceil)
_real("sqrt", math.sqrt)
_real("log", math.log)
_real("exp", math.exp)


@native("abs.random")
def random(st: State, below: Value) -> Value:
    """An input from zero up to below the bound; zero where there is no such number."""
    limit = whole_number(st, below)
    if not decide(st.pc, terms.gt(limit, 0)):
        return 0
    if st.world is None:
        raise Unsupported("random() outside of a task")
    return world_of(st).random(st, limit)


def is_whole(st: State, value: rationals.Number) -> bool:
    """Whether a fraction is a whole number; forks when that is open."""
    if not isinstance(value, Rational):
        return isinstance(value, (int, Term))
    return decide(st.pc, terms.eq(terms.floormod(value.top, value.bottom), 0))


def _text(st: State, value: Value) -> StrLike:
    found = resolve(st, value)
    assert is_text(found)
    return found


@native("abs.strlen")
def strlen(st: State, text: Value) -> Value:
    """The number of characters."""
    return terms.str_len(_text(st, text))


@native("abs.substr")
def substr(st: State, text: Value, start: Value, count: Value) -> Value:
    """`count` characters from `start`, as far as the text has them."""
    whole, begin, number = _text(st, text), whole_number(st, start), whole_number(st, count)
    length = terms.str_len(whole)
    first = _smaller(st.pc, _larger(st.pc, begin, 0), length)
    last = _smaller(st.pc, _larger(st.pc, terms.add(begin, number), 0), length)
    return terms.substring(whole, first, _larger(st.pc, first, last))


def _larger(pc: PathCondition, a: IntLike, b: IntLike) -> IntLike:
    return _chosen(pc, terms.ge(a, b), a, b)


def _smaller(pc: PathCondition, a: IntLike, b: IntLike) -> IntLike:
    return _chosen(pc, terms.le(a, b), a, b)


def _chosen(pc: PathCondition, condition: bool | Term, yes: IntLike, no: IntLike) -> IntLike:
    """A choice of terms only where the path leaves it open: plain terms are decided more cheaply."""
    possible = pc.decide(condition) if isinstance(condition, Term) else 1 if condition else 2
    if possible != 3:
        return yes if possible == 1 else no
    return terms.ite_int(condition, yes, no)


@native("abs.println")
def println(st: State, text: Value) -> Value:
    """Print a line."""
    return print_text(st, terms.concat(_text(st, text), "\n"))


@native("abs.print")
def print_text(st: State, text: Value) -> Value:
    """Print."""
    printed = _text(st, text)
    if st.world is None:
        raise Unsupported("output outside of a task")
    world_of(st).print(printed)
    return UNIT


@native("abs.toString")
def to_string(st: State, value: Value) -> Value:
    """The text of any value."""
    try:
        return _shown(st, value, False, {})
    except RecursionError:
        raise Unsupported("toString() of a value that is nested too deeply") from None


def _shown(st: State, value: Value, inside: bool, sizes: Sizes) -> StrLike:
    """What a value looks like; strings inside data have quotes."""
    found = st.heap.settled(value)
    if type(found) is Future or (type(found) is Unknown and _is_future(found)):
        return _future(st, found)
    found = _opened(st, value, sizes)
    if type(found) is Data:
        return _data(st, found, sizes)
    if isinstance(found, Term):
        return _term(st, found, inside)
    if type(found) is Rational:
        return _fraction(st, found)
    if type(found) is Ref:
        path, cls = identified(st, found)
        return f"{cls.rpartition('.')[2]}@{_dotted(path)}"
    if found is None:
        return "null"
    return quoted(found) if isinstance(found, str) and inside else str(found)


def _opened(st: State, value: Value, sizes: Sizes) -> Value:
    """The value itself; input data is opened up to the bound on lengths."""
    data = st.heap.data_type(value) if type(value) is Unknown else None
    if type(value) is not Unknown or data is None:
        return resolve(st, value)
    st.decisions += 1
    note_look(st)
    size = sizes.get(data.name, 0)
    if size > st.heap.inputs.fixed_length and value not in st.heap.bind:
        raise LimitReached("loop", f"the text of a larger input {value.name} is not considered (--lengths)")
    found = st.heap.resolve(value)
    assert type(found) is Data
    sizes[data.name] = size + bool(found.arguments)
    return found


def _is_future(unknown: Unknown) -> bool:
    return any(isinstance(option, FutureType) for option in unknown.options)


def _future(st: State, value: Future | Unknown) -> str:
    if st.heap.is_null(value):
        return "null"
    if type(value) is not Future:
        raise Unsupported(f"toString() of {value.name}, a future that is there from the start")
    return f"Fut({value.task.label}@{_dotted(value.task.path())})"


def _dotted(path: tuple[int, ...]) -> str:
    return ".".join(map(str, path))


def _term(st: State, term: Term, inside: bool) -> StrLike:
    if term.sort == "int":
        return terms.int_to_str(term)
    if term.sort == "bool":
        shown = terms.ite(term, "True", "False")
        assert isinstance(shown, (str, Term))
        return shown
    if not inside:
        return term
    if decide(st.pc, terms.or_(terms.contains(term, '"'), terms.contains(term, "\\"))):
        raise Unsupported("toString() of data with a symbolic string that contains quotes or backslashes")
    return terms.concat('"', term, '"')


def _fraction(st: State, value: Rational) -> StrLike:
    if is_whole(st, value):
        return terms.int_to_str(terms.floordiv(value.top, value.bottom))
    top, bottom = lowest(st, value)
    return terms.concat(terms.int_to_str(top), "/", terms.int_to_str(bottom))


def _data(st: State, value: Data, sizes: Sizes) -> StrLike:
    name = value.constructor.rpartition(".")[2]
    row = ROWS.get(name) if value.constructor.startswith(LIBRARY) else None
    if row is not None:
        return terms.concat(f"{row}[", *_separated(_row(st, value, sizes)), "]")
    if not value.arguments:
        return name
    parts = [_shown(st, argument, True, sizes) for argument in value.arguments]
    return terms.concat(f"{name}(", *_separated(parts), ")")


def _row(st: State, value: Data, sizes: Sizes) -> list[StrLike]:
    """The texts of the elements of a list, set or map."""
    found: list[StrLike] = []
    while value.arguments:
        found.append(_shown(st, value.arguments[0], True, sizes))
        rest = _opened(st, value.arguments[1], sizes)
        assert type(rest) is Data
        value = rest
    return found


def _separated(parts: list[StrLike]) -> list[StrLike]:
    found: list[StrLike] = []
    for part in parts:
        found += [",", part] if found else [part]
    return found


@native("same_processor")
def same_processor(st: State, this: Ref, other: Value) -> bool:
    """Whether a synchronous call stays on the processor of the caller."""
    world = world_of(st)
    mark = st.trace[0] if st.trace is not None else None
    callee = world.actors.callee(st, other, f"call {getattr(mark, 'number', 0)}")
    return callee not in world.dead and world.actors.name(callee).cog is world.actors.name(this).cog


@native("die")
def die(st: State, this: Ref, exception: Data) -> Value:
    """End the task and its object, whatever handlers there are."""
    raise Ended(Died(exception, exception.constructor, False, Origin(st.span())))


@native("destiny")
def destiny(st: State) -> Future:
    """The future of the running task."""
    return Future(world_of(st).running)


def _refuse(name: str, reason: str) -> Callable[..., Value]:
    def refused(st: State, *_: Value) -> Value:
        raise Unsupported(f"{name}() ({reason})")

    return refused


for _name, _reason in _REFUSED.items():
    native(f"abs.{_name}")(_refuse(_name, _reason))
