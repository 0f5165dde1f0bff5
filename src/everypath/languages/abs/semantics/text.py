"""The builtin functions of ABS on strings, what values look like as text, and output."""

from __future__ import annotations

from collections.abc import Callable

from everypath.errors import LimitReached, Unsupported
from everypath.explore.actors.world import world_of
from everypath.explore.arithmetic import note_look
from everypath.explore.objects import resolve
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import is_text
from everypath.heap.values import Data, Future, Rational, Ref, Unknown, Value
from everypath.ir.types import FutureType
from everypath.languages.abs.semantics.numbers import is_whole, lowest, whole_number
from everypath.languages.abs.semantics.registry import native
from everypath.languages.abs.semantics.structural import identified
from everypath.logic import terms
from everypath.logic.condition import PathCondition
from everypath.logic.terms import IntLike, StrLike, Term

LIBRARY = "ABS.StdLib."
UNIT = Data(f"{LIBRARY}Unit")
Sizes = dict[str, int]
"""data type -> input values with arguments that the text has so far"""
_ROWS = {"Nil": "list", "Cons": "list", "EmptySet": "set", "Insert": "set", "EmptyMap": "map", "InsertAssoc": "map"}
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
    return _quoted(found) if isinstance(found, str) and inside else str(found)


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


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _fraction(st: State, value: Rational) -> StrLike:
    if is_whole(st, value):
        return terms.int_to_str(terms.floordiv(value.top, value.bottom))
    top, bottom = lowest(st, value)
    return terms.concat(terms.int_to_str(top), "/", terms.int_to_str(bottom))


def _data(st: State, value: Data, sizes: Sizes) -> StrLike:
    name = value.constructor.rpartition(".")[2]
    row = _ROWS.get(name) if value.constructor.startswith(LIBRARY) else None
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


def _refuse(name: str, reason: str) -> Callable[..., Value]:
    def refused(st: State, *_: Value) -> Value:
        raise Unsupported(f"{name}() ({reason})")

    return refused


for _name, _reason in _REFUSED.items():
    native(f"abs.{_name}")(_refuse(_name, _reason))
