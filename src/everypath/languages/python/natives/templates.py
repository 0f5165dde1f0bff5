"""`str.format` and the `%` operator of texts, for values that are symbolic or objects."""

from __future__ import annotations

import re
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from everypath.errors import Unsupported
from everypath.explore.objects import resolve, short
from everypath.explore.signals import Fault, Invoke
from everypath.explore.state import State
from everypath.heap import mappings
from everypath.heap.equality import as_int, as_text, is_float
from everypath.heap.values import DictCell, Ref, Value
from everypath.ir.types import ANY, TupleType
from everypath.languages.python.natives.concrete import NotConcrete, lower
from everypath.languages.python.natives.iterators import DictView, model
from everypath.languages.python.natives.numbers import is_number
from everypath.languages.python.natives.table import builtin, compute, on_known_values, plain_arguments, symbolic
from everypath.languages.python.natives.text import SHORT, format_value, make_str, pad, represent
from everypath.languages.python.semantics.attributes import get_field
from everypath.languages.python.semantics.host_objects import is_foreign
from everypath.languages.python.semantics.items import get_item
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.operations import elements
from everypath.languages.python.semantics.registry import DECLINED
from everypath.languages.python.semantics.type_tests import type_test
from everypath.logic import terms
from everypath.logic.terms import StrLike, Term

Piece = str | Callable[[State], Value]
_DIRECTIVE = re.compile(
    r"%(?:\((?P<name>[^)]*)\))?(?P<flags>[#0\- +]*)(?P<width>\*|\d*)(?P<rest>(?:\.(?:\*|\d*))?)(?P<kind>.)?"
)

_ATOMS = frozenset((int, bool, float, str, bytes, type(None)))


def _join(st: State, pieces: list[Piece]) -> Value:
    """All pieces one after the other; those that call methods of the program come when the others are known."""
    texts: list[Value] = []
    waiting: list[int] = []
    for number, piece in enumerate(pieces):
        try:
            texts.append(piece if isinstance(piece, str) else piece(st))
        except Invoke:
            waiting.append(number)
            texts.append("")
    return _completed(st, pieces, texts, waiting)


def _completed(st: State, pieces: list[Piece], texts: list[Value], waiting: list[int]) -> Value:
    """The whole text, after the pieces that call the program have been computed in their order."""
    if not waiting:
        return terms.concat(*map(as_text, texts))
    at, *rest = waiting

    def put(state: State, text: Value) -> Value:
        return _completed(state, pieces, [*texts[:at], text, *texts[at + 1 :]], rest)

    piece = pieces[at]
    assert not isinstance(piece, str)
    try:
        found = piece(st)
    except Invoke as call:
        post = call.post
        finish = put if post is None else lambda state, value: put(state, post(state, value))
        raise Invoke(call.method, call.arguments, finish, call.keywords) from None
    return put(st, found)


@symbolic("str.format")
def format_(st: State, text: StrLike, *args: Value, **keywords: Value) -> Value:
    """`text.format(...)`"""
    if isinstance(text, Term):
        return DECLINED
    from string import Formatter

    try:
        fields = list(Formatter().parse(text))
    except ValueError as error:
        raise Fault("ValueError", str(error)) from None
    return _join(st, list(_Fields(args, keywords).pieces(fields)))


class _Fields:
    """The values that the fields of one template name."""

    def __init__(self, args: tuple[Value, ...], keywords: dict[str, Value]) -> None:
        self._args = args
        self._keywords = keywords
        self._automatic = 0

    def pieces(self, fields: Iterable[tuple[str, str | None, str | None, str | None]]) -> Iterator[Piece]:
        """The text between the fields, and for each field what computes its text."""
        from string import Formatter

        for literal, name, spec, conversion in fields:
            yield literal
            if name is None:
                continue
            if conversion == "a":
                raise Unsupported("str.format() with !a of a value that is not known")
            value, path = self._named(name)
            nested = list(self.pieces(Formatter().parse(spec))) if spec and "{" in spec else [spec or ""]
            yield partial(_field, value=value, path=path, spec=nested, conversion=conversion)

    def _named(self, name: str) -> tuple[Value, list[tuple[bool, str | int]]]:
        first, rest = formatter_field_name_split(name)
        if first == "":
            first, self._automatic = self._automatic, self._automatic + 1
        if isinstance(first, int):
            if first >= len(self._args):
                raise Fault("IndexError", f"Replacement index {first} out of range for positional args tuple")
            return self._args[first], list(rest)
        if first not in self._keywords:
            raise Fault("KeyError", first)
        return self._keywords[first], list(rest)


def _part(st: State, value: Value, path: list[tuple[bool, str | int]]) -> Value:
    """What `{0.name[key]}` names inside a value."""
    try:
        for attribute, key in path:
            value = get_field(st, value, str(key)) if attribute else get_item(st, value, key)
    except Invoke:
        raise Unsupported("str.format() with a part of an object that its class computes; use an f-string") from None
    return resolve(st, value)


def _spec(st: State, nested: list[Piece]) -> str:
    """The format of a field, which may have fields itself; it must be known."""
    try:
        parts = [piece if isinstance(piece, str) else piece(st) for piece in nested]
    except Invoke:
        raise Unsupported("str.format() with an object of the program inside a format") from None
    plain, _ = plain_arguments(st, "str.format", tuple(parts), {})
    return "".join(plain)


def _field(
    st: State, value: Value, path: list[tuple[bool, str | int]], spec: list[Piece], conversion: str | None
) -> Value:
    return _shown(st, _part(st, value, path), _spec(st, spec), conversion)


def _shown(st: State, value: Value, spec: str, conversion: str | None) -> Value:
    if conversion is not None:
        if spec:
            raise Unsupported("str.format() with a conversion and a format of a value that is not known")
        return represent(st, value) if conversion == "r" else _text(st, value)
    shown = format_value(st, value, spec)
    return on_known_values(st, "format", value, spec) if shown is DECLINED else shown


def _text(st: State, value: Value) -> Value:
    return value if isinstance(value, str) else make_str(st, value)


@builtin("str.__mod__")
def percent(st: State, template: Value, values: Value) -> Value:
    """`template % values`"""
    template, values = resolve(st, template), resolve(st, values)
    if isinstance(template, Term):
        (template,), _ = plain_arguments(st, "str.__mod__", (template,), {})
    assert isinstance(template, str)
    if isinstance(values, Ref) and type_test(st, values, (TupleType((), ANY),)):
        # A named tuple, or an object of another class that extends `tuple`.
        raise Invoke(
            model(st, "collect"), [values], lambda state, made: percent(state, template, elements(state, made))
        )
    try:
        plain = lower(st, values)
    except NotConcrete:
        return _join(st, list(_directives(st, template, values)))
    return compute(st, "str.__mod__", str.__mod__, (template, plain), {})


def _directives(st: State, template: str, values: Value) -> Iterator[Piece]:
    mapping = isinstance(values, Ref) and isinstance(st.heap.cells[values], DictCell)
    given = list(values) if isinstance(values, tuple) and not isinstance(values, DictView) else [values]
    used = start = 0
    for match in _DIRECTIVE.finditer(template):
        yield template[start : match.start()]
        start = match.end()
        kind = match["kind"]
        if kind == "%":
            yield "%"
            continue
        if kind is None:
            raise Fault("ValueError", "incomplete format")
        if "*" in match[0]:
            match, used = _with_sizes(st, match, given, used)
        if match["name"] is not None:
            if not isinstance(values, Ref) or not mapping:
                raise Fault("TypeError", "format requires a mapping")
            value = _entry(st, values, match["name"])
        else:
            if used >= len(given):
                raise Fault("TypeError", "not enough arguments for format string")
            value = given[used]
            used += 1
        yield partial(_directive, value=value, match=match)
    yield template[start:]
    if used < len(given) and not mapping:
        raise Fault("TypeError", "not all arguments converted during string formatting")


def _with_sizes(st: State, match: re.Match[str], given: list[Value], used: int) -> tuple[re.Match[str], int]:
    """The directive with the widths that `*` takes from the arguments, and how many of those are used then."""
    text = match[0]
    while "*" in text:
        if used >= len(given):
            raise Fault("TypeError", "not enough arguments for format string")
        (size,), _ = plain_arguments(st, f"the directive {match[0]}", (given[used],), {})
        if not isinstance(size, int):
            raise Fault("TypeError", "* wants int")
        # A negative width aligns to the left, but a negative precision counts as zero.
        if size < 0 and ".*" in text and text.index(".*") < text.index("*"):
            size = 0
        text = text.replace("*", str(int(size)), 1)
        used += 1
    found = _DIRECTIVE.fullmatch(text)
    if found is None:
        raise Unsupported(f"the directive {match[0]} with such a width")
    return found, used


def _entry(st: State, ref: Ref, name: str) -> Value:
    place = mappings.find(st.heap, st.pc, ref, name)
    if place is None:
        raise Fault("KeyError", name)
    return st.heap.mapping(ref).entries[place][1]


def _directive(st: State, value: Value, match: re.Match[str]) -> Value:
    value = resolve(st, value)
    kind, flags, width = match["kind"], match["flags"], int(match["width"] or 0)
    if value.__class__ not in _ATOMS and not isinstance(value, (Term, Ref, tuple)) and not is_foreign(value):
        if kind not in ("s", "r"):
            raise Unsupported(f"the directive %{kind} for a {type_name(st, value)}")
        spec = f"%{flags}{match['width']}{match['rest']}s"
        return compute(st, "str.__mod__", str.__mod__, (spec, (represent(st, value),)), {})
    if not isinstance(value, (Term, Ref, tuple)):
        return compute(st, "str.__mod__", str.__mod__, (_unnamed(match), (value,)), {})
    if is_float(value):
        return _known(st, value, match)
    if match["rest"] or flags not in ("", "-") or width > SHORT:
        return _formatted(st, value, match)
    if kind in ("s", "r"):
        text: Value = _text(st, value) if kind == "s" else represent(st, value)
    elif kind in ("d", "i", "u"):
        if not is_number(value):
            name = short(type_name(st, value))
            raise Fault("TypeError", f"%{kind} format: a real number is required, not {name}")
        text = terms.int_to_str(as_int(value))
    else:
        return _formatted(st, value, match)
    return pad(st, as_text(text), width, " ", "<" if flags else ">")


def _formatted(st: State, value: Value, match: re.Match[str]) -> Value:
    """A directive for a term that is only known when the value is; others need the value itself."""
    if not isinstance(value, Term) or match["kind"] not in "diuxXosr" or "*" in match[0] or value.sort == "bool":
        return _known(st, value, match)
    if (value.sort == "str") != (match["kind"] in "sr"):
        return _known(st, value, match)
    return terms.percent(value, _unnamed(match))


def _known(st: State, value: Value, match: re.Match[str]) -> Value:
    """A directive that needs the value itself."""
    (plain,), _ = plain_arguments(st, f"the directive {match[0]}", (value,), {})
    return compute(st, "str.__mod__", str.__mod__, (_unnamed(match), (plain,)), {})


def _unnamed(match: re.Match[str]) -> str:
    return f"%{match['flags']}{match['width']}{match['rest']}{match['kind']}"
