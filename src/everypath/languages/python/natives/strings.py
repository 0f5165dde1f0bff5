"""Methods of `str` on strings that may be symbolic, where a term can express the result.

Tests of character classes (`isdigit`, `isalpha`, ...) are terms of `logic`, which know ASCII only. A program that has
characters beyond ASCII in its texts is asked first whether the text has any, because its paths can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from everypath.errors import LimitReached
from everypath.explore.concretise import fixed
from everypath.explore.objects import program_of, resolve, short
from everypath.explore.signals import Fault
from everypath.explore.state import State
from everypath.heap.choice import decide
from everypath.heap.equality import as_text, is_text
from everypath.heap.values import ListCell, Ref, Value
from everypath.ir.instructions import CallNative, CallVirtual, Const
from everypath.ir.program import Program
from everypath.languages.python.natives.iteration import with_elements
from everypath.languages.python.natives.table import on_known_values, symbolic
from everypath.languages.python.natives.text import pad
from everypath.languages.python.semantics.extended import content
from everypath.languages.python.semantics.items import slice_text
from everypath.languages.python.semantics.kinds import misuse, type_name
from everypath.languages.python.semantics.registry import DECLINED, Declined
from everypath.logic import terms
from everypath.logic.terms import BoolLike, IntLike, StrLike, Term


def _need_text(st: State, value: Value, message: str) -> StrLike:
    """The value, which must be a text."""
    if not is_text(value):
        raise Fault("TypeError", message.format(short(type_name(st, value))))
    return value


def _part(st: State, text: StrLike, start: Value, end: Value) -> StrLike:
    """The slice that an optional start and end select."""
    if start is None and end is None:
        return text
    return slice_text(st, text, start, end)


def _any_affix(
    name: str,
    test: Callable[[StrLike, StrLike], BoolLike],
    st: State,
    text: StrLike,
    affix: Value,
    start: Value = None,
    end: Value = None,
) -> BoolLike:
    """`text.startswith(affix)` or `text.endswith(affix)`; a tuple means any of its elements."""
    part = _part(st, text, start, end)
    found: BoolLike = False
    for each in affix if isinstance(affix, tuple) else (affix,):
        wrong = f"tuple for {name} must only contain str, not {{}}"
        if not isinstance(affix, tuple):
            wrong = f"{name} first arg must be str or a tuple of str, not {{}}"
        found = terms.or_(found, test(part, _need_text(st, resolve(st, each), wrong)))
    return found


symbolic("str.startswith")(partial(_any_affix, "startswith", terms.starts_with))
symbolic("str.endswith")(partial(_any_affix, "endswith", terms.ends_with))


@symbolic("str.find")
def find(st: State, text: StrLike, part: Value, start: IntLike | None = None, end: Value = None) -> Value:
    """`text.find(part, start)`"""
    part = _need_text(st, part, "must be str, not {}")
    return _position(st, text, part, start, end)


@symbolic("str.index")
def index(st: State, text: StrLike, part: Value, start: IntLike | None = None, end: Value = None) -> Value:
    """`text.index(part, start)`"""
    part = _need_text(st, part, "must be str, not {}")
    if start is None and end is None:
        if not decide(st.pc, terms.contains(text, part)):
            raise Fault("ValueError", "substring not found")
        return terms.index_of(text, part)
    position = _position(st, text, part, start, end)
    if decide(st.pc, terms.eq(position, -1)):
        raise Fault("ValueError", "substring not found")
    return position


def _position(st: State, text: StrLike, part: StrLike, start: IntLike | None, end: Value) -> IntLike:
    size = terms.str_len(text)
    first: IntLike = 0
    if start is not None:
        first = start
        if decide(st.pc, terms.lt(first, 0)):
            first = terms.max_(terms.add(first, size), 0)
        elif decide(st.pc, terms.gt(first, size)):
            return -1
    if end is None:
        return terms.index_of(text, part, first)
    inside = slice_text(st, text, None, end)
    if decide(st.pc, terms.gt(first, terms.str_len(inside))):
        return -1
    return terms.index_of(inside, part, first)


def positions(st: State, text: StrLike, part: StrLike, most: int = -1) -> list[IntLike]:
    """Where the part occurs, from left to right without overlaps, up to the bound on symbolic decisions."""
    found: list[IntLike] = []
    start: IntLike = 0
    bound = st.heap.inputs.fixed_length
    while most < 0 or len(found) < most:
        at = terms.index_of(text, part, start)
        if decide(st.pc, terms.lt(at, 0)):
            break
        if len(found) >= bound:
            raise LimitReached("loop", f"more than {bound} occurrences are not considered here (--lengths)")
        found.append(at)
        start = terms.add(at, terms.str_len(part))
    return found


def _last_position(st: State, text: StrLike, part: StrLike) -> IntLike:
    """Where the part occurs last, or -1; the occurrences are counted up to the bound.

    They may overlap, unlike those of `positions`: the last `aa` of `aaa` is at 1.
    """
    last: IntLike = -1
    bound = st.heap.inputs.fixed_length
    for _ in range(bound + 1):
        at = terms.index_of(text, part, terms.add(last, 1))
        if decide(st.pc, terms.lt(at, 0)):
            return last
        last = at
    raise LimitReached("loop", f"more than {bound} occurrences are not considered here (--lengths)")


@symbolic("str.rfind")
def rfind(st: State, text: StrLike, part: Value, *bounds: Value) -> IntLike | Declined:
    """`text.rfind(part)`"""
    part = _need_text(st, part, "must be str, not {}")
    if bounds or decide(st.pc, terms.eq(terms.str_len(part), 0)):
        return DECLINED
    return _last_position(st, text, part)


@symbolic("str.rindex")
def rindex(st: State, text: StrLike, part: Value, *bounds: Value) -> Value:
    """`text.rindex(part)`"""
    at = rfind(st, text, part, *bounds)
    if not isinstance(at, Declined) and decide(st.pc, terms.lt(at, 0)):
        raise Fault("ValueError", "substring not found")
    return at


def _not_empty(st: State, part: StrLike, message: str) -> None:
    if decide(st.pc, terms.eq(terms.str_len(part), 0)):
        raise Fault("ValueError", message)


def pieces(st: State, text: StrLike, separator: StrLike, most: int = -1) -> list[StrLike]:
    """The text split at each occurrence of the separator."""
    found: list[StrLike] = []
    start: IntLike = 0
    for at in positions(st, text, separator, most):
        found.append(terms.substring(text, start, at))
        start = terms.add(at, terms.str_len(separator))
    found.append(terms.substring(text, start, terms.str_len(text)))
    return found


@symbolic("str.split")
def split(st: State, text: StrLike, sep: Value = None, maxsplit: IntLike = -1) -> Value:
    """`text.split(sep, maxsplit)`"""
    if isinstance(maxsplit, Term):
        return DECLINED
    if sep is None:
        return st.heap.new_object("list", ListCell(_words(st, text))) if maxsplit < 0 else DECLINED
    sep = _need_text(st, sep, "must be str or None, not {}")
    _not_empty(st, sep, "empty separator")
    return st.heap.new_object("list", ListCell(tuple(pieces(st, text, sep, maxsplit))))


def _words(st: State, text: StrLike) -> tuple[Value, ...]:
    """The runs of characters between blanks."""
    found: list[StrLike] = []
    word: StrLike | None = None
    for character in _characters(st, text, "split"):
        # Asked the other way round, because the path that is explored first should have no blanks.
        if not decide(st.pc, terms.not_(terms.matches(character, "space"))):
            if word is not None:
                found.append(word)
            word = None
        else:
            word = character if word is None else terms.concat(word, character)
    return tuple(found) if word is None else (*found, word)


def _characters(st: State, text: StrLike, name: str) -> list[StrLike]:
    """The characters of an ASCII string of bounded length."""
    if not decide(st.pc, terms.matches(text, "ascii")):
        return list(str(fixed(st, text, f"str.{name}() of a text with characters beyond ASCII")))
    bound = st.heap.inputs.fixed_length
    found: list[StrLike] = []
    size = terms.str_len(text)
    while not decide(st.pc, terms.le(size, len(found))):
        if len(found) >= bound and isinstance(size, Term):
            raise LimitReached("loop", f"symbolic strings longer than {bound} are not considered here (--lengths)")
        found.append(terms.str_at(text, len(found)))
    return found


@symbolic("str.partition")
def partition(st: State, text: StrLike, sep: Value) -> Value:
    """`text.partition(sep)`"""
    sep = _need_text(st, sep, "must be str, not {}")
    _not_empty(st, sep, "empty separator")
    if not decide(st.pc, terms.contains(text, sep)):
        return (text, "", "")
    at = terms.index_of(text, sep)
    after = terms.add(at, terms.str_len(sep))
    return (terms.substring(text, 0, at), sep, terms.substring(text, after, terms.str_len(text)))


@symbolic("str.rpartition")
def rpartition(st: State, text: StrLike, sep: Value) -> Value:
    """`text.rpartition(sep)`"""
    sep = _need_text(st, sep, "must be str, not {}")
    _not_empty(st, sep, "empty separator")
    at = _last_position(st, text, sep)
    if decide(st.pc, terms.lt(at, 0)):
        return ("", "", text)
    after = terms.add(at, terms.str_len(sep))
    return (terms.substring(text, 0, at), sep, terms.substring(text, after, terms.str_len(text)))


@symbolic("str.rsplit")
def rsplit(st: State, text: StrLike, sep: Value = None, maxsplit: IntLike = -1) -> Value:
    """`text.rsplit(sep, maxsplit)`"""
    if isinstance(maxsplit, Term) or (sep is None and maxsplit >= 0):
        return DECLINED
    if sep is None:
        return split(st, text)
    sep = _need_text(st, sep, "must be str or None, not {}")
    _not_empty(st, sep, "empty separator")
    if not isinstance(sep, str) or len(sep) > 1:
        # A longer separator may overlap itself, and then counting from the right finds other places.
        return DECLINED
    places = positions(st, text, sep)
    kept = places if maxsplit < 0 else places[len(places) - min(maxsplit, len(places)) :]
    starts = (0, *(terms.add(at, 1) for at in kept))
    ends = (*kept, terms.str_len(text))
    return st.heap.new_object("list", ListCell(tuple(terms.substring(text, a, b) for a, b in zip(starts, ends))))


@symbolic("str.count")
def count(st: State, text: StrLike, part: Value, start: IntLike | None = None, end: Value = None) -> Value:
    """`text.count(part)`"""
    part = _need_text(st, part, "must be str, not {}")
    text = _part(st, text, start, end)
    if decide(st.pc, terms.eq(terms.str_len(part), 0)):
        return terms.add(terms.str_len(text), 1)
    return len(positions(st, text, part))


@symbolic("str.replace")
def replace(st: State, text: StrLike, old: Value, new: Value, count: IntLike = -1) -> Value:
    """`text.replace(old, new, count)`"""
    old = _need_text(st, old, "replace() argument 1 must be str, not {}")
    new = _need_text(st, new, "replace() argument 2 must be str, not {}")
    if isinstance(count, Term) or decide(st.pc, terms.eq(terms.str_len(old), 0)):
        return DECLINED
    return _joined(new, pieces(st, text, old, count))


def _joined(separator: StrLike, parts: Iterable[StrLike]) -> StrLike:
    result: list[StrLike] = []
    for i, part in enumerate(parts):
        if i:
            result.append(separator)
        result.append(part)
    return terms.concat(*result)


@symbolic("str.join")
def join(st: State, separator: StrLike, iterable: Value) -> Value:
    """`separator.join(iterable)`"""

    def connect(state: State, found: tuple[Value, ...]) -> Value:
        wrong = "sequence item {}: expected str instance, {{}} found"
        parts = [_need_text(state, part, wrong.format(i)) for i, part in enumerate([content(state, v) for v in found])]
        return _joined(separator, parts)

    if not isinstance(iterable, (Ref, tuple)) and not is_text(iterable):
        raise misuse(st, "can only join an iterable", resolve(st, iterable))
    return with_elements(st, iterable, connect)


@symbolic("str.removeprefix")
def removeprefix(st: State, text: StrLike, prefix: Value) -> Value:
    """`text.removeprefix(prefix)`"""
    prefix = _need_text(st, prefix, "removeprefix() argument must be str, not {}")
    if decide(st.pc, terms.starts_with(text, prefix)):
        return terms.substring(text, terms.str_len(prefix), terms.str_len(text))
    return text


@symbolic("str.removesuffix")
def removesuffix(st: State, text: StrLike, suffix: Value) -> Value:
    """`text.removesuffix(suffix)`"""
    suffix = _need_text(st, suffix, "removesuffix() argument must be str, not {}")
    if decide(st.pc, terms.ends_with(text, suffix)):
        return terms.substring(text, 0, terms.sub(terms.str_len(text), terms.str_len(suffix)))
    return text


def _strip(name: str, left: bool, right: bool, st: State, text: StrLike, chars: Value = None) -> StrLike:
    if chars is not None and not is_text(chars):
        raise Fault("TypeError", f"{name} arg must be None or str")
    characters = _characters(st, text, name)

    def stripped(character: StrLike) -> bool:
        test = terms.matches(character, "space") if chars is None else terms.contains(chars, character)
        return not decide(st.pc, terms.not_(test))

    first, last = 0, len(characters)
    while left and first < last and stripped(characters[first]):
        first += 1
    while right and first < last and stripped(characters[last - 1]):
        last -= 1
    return text if last - first == len(characters) else terms.concat(*characters[first:last])


for _name, _left, _right in (("strip", True, True), ("lstrip", True, False), ("rstrip", False, True)):
    symbolic(f"str.{_name}")(partial(_strip, _name, _left, _right))


def _shifted(character: StrLike, first: str, last: str, by: int) -> StrLike:
    """The character moved by that many codes if it lies between two others."""
    code = terms.ord_(character)
    inside = terms.and_(terms.ge(code, ord(first)), terms.le(code, ord(last)))
    return terms.chr_(terms.ite_int(inside, terms.add(code, by), code))


def _lower(character: StrLike) -> StrLike:
    return _shifted(character, "A", "Z", 32)


def _upper(character: StrLike) -> StrLike:
    return _shifted(character, "a", "z", -32)


def _changed(name: str, change: Callable[[int, StrLike], StrLike], st: State, text: StrLike) -> StrLike:
    """The text with each character changed, which may depend on its place."""
    return terms.concat(*(change(at, character) for at, character in enumerate(_characters(st, text, name))))


symbolic("str.lower", "str.casefold")(partial(_changed, "lower", lambda _, c: _lower(c)))
symbolic("str.upper")(partial(_changed, "upper", lambda _, c: _upper(c)))
symbolic("str.capitalize")(partial(_changed, "capitalize", lambda at, c: _lower(c) if at else _upper(c)))
symbolic("str.swapcase")(
    partial(_changed, "swapcase", lambda _, c: as_text(terms.ite(terms.matches(c, "lower"), _upper(c), _lower(c))))
)


def _is(method: str, what: str, st: State, text: StrLike) -> Value:
    # The classes of characters are those of ASCII, which a part that is written in the program may exceed. Where it
    # is compared with such a part only later, the classes would make that impossible.
    if what != "ascii" and _names_others(program_of(st)) and not decide(st.pc, terms.matches(text, "ascii")):
        needed = f"str.{method}() of a text with characters beyond ASCII"
        known = fixed(st, text, needed, _BEYOND_ASCII[what])
        assert isinstance(known, str)
        return bool(getattr(known, method)())
    return terms.matches(text, what)


_BEYOND_ASCII = {
    "digits": ("\u0663", "\u00b2", "\u00e9"), "alpha": ("\u00e9", "\u00e9-"), "alnum": ("\u00e9", "\u00e9-"),
    "space": ("\u2003", "\u00e9"), "upper": ("\u00c9", "\u00e9"), "lower": ("\u00e9", "\u00c9"),
}  # fmt: skip
"""Texts to try where the answer is to be known: some for which it is yes, then one for which it is no."""


def _names_others(program: Program) -> bool:
    """Whether the program has, or asks for, characters beyond ASCII: in its texts, by `isascii`, or by their codes."""
    global _last_asked
    if _last_asked is None or _last_asked[0] is not program:
        blocks = (block for method in program.methods() for block in method.blocks.values())
        instructions = [instruction for block in blocks for instruction in block.instructions]
        constants = [i.value for i in instructions if isinstance(i, Const)]
        codes = any(type(value) is int and value > _LAST_ASCII for value in constants)
        _last_asked = (
            program,
            (
                any(isinstance(value, str) and not value.isascii() for value in constants)
                or any(isinstance(i, CallVirtual) and i.name == "isascii" for i in instructions)
                or (codes and any(isinstance(i, CallNative) and i.name == "ord" for i in instructions))
            ),
        )
    return _last_asked[1]


_LAST_ASCII = 127
_last_asked: tuple[Program, bool] | None = None
"""The answer for the program that was asked about last: a run follows one at a time, and asks often."""


for _method in ("isdigit", "isdecimal", "isnumeric"):
    symbolic(f"str.{_method}")(partial(_is, _method, "digits"))
for _what in ("alpha", "alnum", "space", "upper", "lower", "ascii"):
    symbolic(f"str.is{_what}")(partial(_is, f"is{_what}", _what))


def _pad(name: str, align: str, st: State, text: StrLike, width: Value, fill: Value = " ") -> Value:
    if isinstance(width, Term) or isinstance(fill, Term) or not isinstance(width, int) or width > 100:
        return DECLINED
    if not isinstance(fill, str) or len(fill) != 1:
        return on_known_values(st, f"str.{name}", "", width, fill)
    return pad(st, text, width, fill, align)


symbolic("str.ljust")(partial(_pad, "ljust", "<"))
symbolic("str.rjust")(partial(_pad, "rjust", ">"))


@symbolic("str.zfill")
def zfill(st: State, text: StrLike, width: IntLike) -> Value:
    """`text.zfill(width)`"""
    if isinstance(width, Term) or width > 100:
        return DECLINED
    if decide(st.pc, terms.or_(terms.starts_with(text, "-"), terms.starts_with(text, "+"))):
        rest = terms.substring(text, 1, terms.str_len(text))
        return terms.concat(terms.str_at(text, 0), pad(st, rest, width - 1, "0", ">"))
    return pad(st, text, width, "0", ">")
