"""Records as JSON and back, derived from the types that their fields declare.

For every declared type there is a `Form`, made once: a pair of functions of which one turns values into what `json`
can print, and the other turns that back into values or says what is wrong and where.

- A record is an object of its fields without those that are None. Where the declared type leaves several records
  open, the key `$` names the class. A field that is missing has its default, so old files stay readable when one is
  added.
- Tuples and lists are arrays; dicts with texts as keys, and tuples of (text, value) pairs, are objects.
- What JSON lacks is an object with one key: `$float`, `$bytes`, or `$int` for a long integer.
- What is declared as `object` is any plain value: see `_plain`.

A codec can be given other forms for some types: a `Shape` chooses and renames the keys of a record, `Tags` name the
classes of a union, a `Form` is a pair of functions of its own. The store uses the derived forms; what users see as
JSON is a table of others (`cases.json_forms`).
"""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import GenericAlias, NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from everypath.records import dataclass

_T = TypeVar("_T")
_LONG = 14_000
"""Integers with at least this many bits are hexadecimal: the interpreter may refuse long decimal numbers."""
_UNIONS = (Union, UnionType)


class Damaged(ValueError):
    """What is wrong with a JSON document, and where: `cases[2].entry: lacks name`."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.place = ""

    def inside(self, place: str) -> Damaged:
        """The same problem, seen from one level further out."""
        dot = "." if self.place and not self.place.startswith("[") else ""
        self.place = f"{place}{dot}{self.place}"
        return self

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


def _only_shown(_data: object) -> object:
    raise Damaged("is written for people and does not tell everything")


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one type look in JSON; a form that is only shown cannot be read back."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any] = _only_shown


class Shape:
    """Which keys the object of a record has, in order: `"module line class=cls observed?"`.

    `key=field` gives a field another name. `key?` is left out where it is None or empty. A key that is given as a
    function of the record is written and not read.
    """

    def __init__(self, keys: str, computed: Mapping[str, Callable[[Any], Any]] | None = None) -> None:
        self.computed = computed or {}
        self.keys: list[tuple[str, str, bool]] = []
        """(key, field, whether it may be missing)"""
        for word in keys.split():
            key, _, field = word.rstrip("?").partition("=")
            self.keys.append((key, field.rstrip("?") or key, "?" in word))


class Tags:
    """The key under which the objects of a union say what they are, and the name of each class."""

    def __init__(self, key: str, **names: type) -> None:
        self.key = key
        self.names = names


_DERIVED = Tags("$")


class Codec:
    """Turns values of declared types into JSON and back."""

    def __init__(self, forms: Mapping[object, Shape | Tags | Form] | None = None, lenient: bool = False) -> None:
        self._lenient = lenient
        """whether objects may have keys that the record lacks, as messages that say more do"""
        self._given = dict(forms or {})
        self._made: dict[object, Form] = {}

    def encode(self, declared: object, value: object) -> Any:
        """The value as JSON can hold it."""
        return self.form(declared).encode(value)

    def decode(self, declared: type[_T], data: object) -> _T:
        """The value that was encoded; raises Damaged, which says what is wrong, if the data is not such a value."""
        value: _T = self.form(declared).decode(data)
        return value

    def form(self, declared: object) -> Form:
        """How values of the type look."""
        found = self._made.get(declared)
        if found is None:
            # A type that contains itself meets this one while its own is being made.
            self._made[declared] = self._later(declared)
            found = self._made[declared] = self._make(declared)
        return found

    def _later(self, declared: object) -> Form:
        """The form of a type, made when a value first needs it: most members of a union never occur."""
        made: Form | None = None

        def form() -> Form:
            nonlocal made
            made = made or self.form(declared)
            return made

        return Form(lambda value: form().encode(value), lambda data: form().decode(data))

    def _make(self, declared: Any) -> Form:
        origin, arguments = get_origin(declared), get_args(declared)
        given = self._given.get(declared) or self._given.get(origin)
        if isinstance(given, Form):
            return given
        if declared in _ATOMS:
            return _ATOMS[declared]
        if declared is object:
            return Form(_plain, _from_plain)
        if origin in _UNIONS:
            return self._union(arguments, given if isinstance(given, Tags) else _DERIVED)
        if origin is tuple and arguments[-1] is not ...:
            return self._fixed(arguments)
        if origin is tuple and _is_named(arguments[0]):
            return self._named(arguments[0])
        if origin in (tuple, list):
            return self._array(arguments[0], origin)
        if origin is dict and arguments[0] is str:
            return self._object(arguments[1])
        if origin is dict:
            pairs = self._array(GenericAlias(tuple, arguments), dict)
            return Form(lambda items: pairs.encode(items.items()), pairs.decode)
        return self._record(declared, given if isinstance(given, Shape) else None)

    def _array(self, element: object, made: Callable[[Iterable[Any]], Any]) -> Form:
        # Most arrays of most values are empty.
        each = self._later(element)

        def decode(data: Any) -> Any:
            _expect(list, data)
            return made([_at(f"[{number}]", each, item) for number, item in enumerate(data)])

        return Form(lambda items: [each.encode(item) for item in items], decode)

    def _fixed(self, elements: tuple[object, ...]) -> Form:
        forms = [self.form(element) for element in elements]

        def decode(data: Any) -> Any:
            _expect(list, data)
            if len(data) != len(forms):
                raise Damaged(f"has {len(data)} elements, not {len(forms)}")
            return tuple(_at(f"[{number}]", form, item) for number, (form, item) in enumerate(zip(forms, data)))

        return Form(lambda items: [form.encode(item) for form, item in zip(forms, items)], decode)

    def _object(self, element: object) -> Form:
        each = self.form(element)

        def decode(data: Any) -> Any:
            _expect(dict, data)
            return {key: _at(key, each, item) for key, item in data.items()}

        return Form(lambda items: {key: each.encode(item) for key, item in items.items()}, decode)

    def _named(self, pair: object) -> Form:
        """Values with names, in their order: an object, unless a name occurs twice."""
        array, by_name = self._array(pair, tuple), self._object(get_args(pair)[1])

        def encode(items: tuple[tuple[str, object], ...]) -> Any:
            named = dict(items)
            return by_name.encode(named) if len(named) == len(items) else array.encode(items)

        def decode(data: Any) -> Any:
            return array.decode(data) if isinstance(data, list) else tuple(by_name.decode(data).items())

        return Form(encode, decode)

    def _union(self, members: tuple[Any, ...], tags: Tags) -> Form:
        """One of several types: JSON tells atoms from objects by itself, a tag tells classes of objects apart."""
        for each, form in self._given.items():
            # None would look like a value that is null, so it is left out where such a type is optional.
            if isinstance(form, Form) and get_origin(each) in _UNIONS and set(get_args(each)) <= set(members):
                return form
        atoms = {member: _ATOMS[member] for member in members if member in _ATOMS}
        records = {(get_origin(m) or m): self._later(m) for m in members if m not in _ATOMS}
        names = {made: made.__name__ for made in records} | {made: name for name, made in tags.names.items()}
        by_name = {names[made]: form for made, form in records.items()}

        def encode(value: Any) -> Any:
            kind = type(value)
            if kind in atoms:
                return atoms[kind].encode(value)
            shown = records[kind].encode(value)
            return {tags.key: names[kind], **shown} if len(records) > 1 else shown

        def decode(data: Any) -> Any:
            kind = _tagged(data) or type(data)
            if kind in atoms:
                return atoms[kind].decode(data)
            if kind is not dict or not records:
                raise Damaged(f"is {_KINDS[type(data)]}, which is not possible here")
            if len(records) == 1:
                return next(iter(by_name.values())).decode(data)
            name = data.get(tags.key)
            if name not in by_name:
                raise Damaged(f"is of the unknown kind {name!r}" if name else f"lacks {tags.key}")
            return by_name[name].decode({key: item for key, item in data.items() if key != tags.key})

        return Form(encode, decode)

    def _record(self, declared: Any, shape: Shape | None) -> Form:
        made = get_origin(declared) or declared
        types = _field_types(declared)
        nullable = {name for name, declared in types.items() if NoneType in get_args(declared)}
        keys = shape.keys if shape is not None else [(name, name, name in nullable) for name in types]
        computed = shape.computed if shape is not None else {}
        left_out: tuple[object, ...] = (None, (), "", {}) if shape is not None else (None,)
        optional = {name for _, name, may_be_missing in keys if may_be_missing}
        forms = {
            name: self._later(_without_none(types[name])) if name in optional else self.form(types[name])
            for key, name, _ in keys
            if key not in computed
        }

        def encode(record: Any) -> Any:
            shown = {}
            for key, name, may_be_missing in keys:
                value = computed[key](record) if key in computed else getattr(record, name)
                if not may_be_missing or value not in left_out:
                    shown[key] = value if key in computed else forms[name].encode(value)
            return shown

        def decode(data: Any) -> Any:
            _expect(dict, data)
            given = {name: _at(key, forms[name], data[key]) for key, name, _ in keys if key in data and name in forms}
            if shape is None and not self._lenient and len(given) < len(data):
                raise Damaged(f"has the unknown key {next(key for key in data if key not in given)!r}")
            for name in optional & nullable - given.keys():
                given[name] = None
            try:
                return made(**given)
            except TypeError:
                missing = [key for key, name, _ in keys if name in forms and name not in given and name not in optional]
                raise Damaged(f"lacks {', '.join(missing)}") from None

        return Form(encode, decode)


def _field_types(declared: Any) -> dict[str, Any]:
    """The declared types of a record's fields, with what the record was given for its type variables."""
    made = get_origin(declared) or declared
    hints = _hints(made) if isinstance(made, type) else {}
    if not hints and not hasattr(made, "__match_args__"):
        raise TypeError(f"{declared} has no form in JSON")
    given = dict(zip(getattr(made, "__parameters__", ()), get_args(declared)))
    return {name: _filled(hint, given) for name, hint in hints.items()}


@cache
def _hints(made: type) -> dict[str, Any]:
    """What `typing.get_type_hints` tells; most annotations are a name, and for those there is nothing to compile."""
    hints = {}
    for cls in reversed(made.__mro__):
        names = vars(sys.modules[cls.__module__])
        for field, annotation in cls.__dict__.get("__annotations__", {}).items():
            known = names.get(annotation) or vars(builtins).get(annotation)
            hints[field] = known or eval(annotation, names)
    return hints


def _filled(hint: Any, given: Mapping[Any, Any]) -> Any:
    if isinstance(hint, TypeVar):
        return given[hint]
    parameters = getattr(hint, "__parameters__", ())
    return hint[tuple(given[each] for each in parameters)] if parameters else hint


def _without_none(declared: Any) -> Any:
    members = tuple(member for member in get_args(declared) if member is not NoneType)
    return Union[members] if get_origin(declared) in _UNIONS else declared  # noqa: UP007


def _is_named(element: Any) -> bool:
    arguments = get_args(element)
    return get_origin(element) is tuple and len(arguments) == 2 and arguments[0] is str and arguments[1] is not ...


_KINDS: dict[type, str] = {
    NoneType: "null",
    bool: "a truth value",
    int: "an integer",
    float: "a number",
    str: "a text",
    list: "an array",
    dict: "an object",
}


def _expect(kind: type, data: object) -> None:
    if type(data) is not kind:
        raise Damaged(f"is {_KINDS[type(data)]}, not {_KINDS[kind]}")


def _at(place: str, form: Form, data: object) -> Any:
    try:
        return form.decode(data)
    except Damaged as damaged:
        raise damaged.inside(place) from None


def _encode_int(number: int) -> Any:
    return number if number.bit_length() < _LONG else {"$int": hex(number)}


def _encode_float(number: float) -> Any:
    return number if math.isfinite(number) else {"$float": repr(number)}


def _decode_float(data: Any) -> float:
    # A whole number may have lost its point on the way through another program.
    return float(data) if type(data) is int else _atom(float, data)


_TAGS: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "$int": (int, lambda text: int(text, 16)),
    "$float": (float, float),
    "$bytes": (bytes, bytes.fromhex),
}
"""Key -> the type that JSON lacks, and how it is read."""


def _tagged(data: object) -> type | None:
    """The type of a value that JSON lacks."""
    if isinstance(data, dict) and len(data) == 1:
        found = _TAGS.get(next(iter(data)))
        return None if found is None else found[0]
    return None


def _atom(kind: type, data: Any) -> Any:
    if type(data) is kind:
        return data
    if _tagged(data) is not kind:
        raise Damaged(f"is {_KINDS[type(data)]}, not {_KINDS.get(kind, kind.__name__)}")
    ((tag, content),) = data.items()
    try:
        return _TAGS[tag][1](content)
    except (TypeError, ValueError):
        raise Damaged(f"holds no {kind.__name__}: {content!r}") from None


_ATOMS: dict[object, Form] = {
    NoneType: Form(lambda value: value, lambda data: _atom(NoneType, data)),
    bool: Form(lambda value: value, lambda data: _atom(bool, data)),
    str: Form(lambda value: value, lambda data: _atom(str, data)),
    int: Form(_encode_int, lambda data: _atom(int, data)),
    float: Form(_encode_float, _decode_float),
    bytes: Form(lambda value: {"$bytes": value.hex()}, lambda data: _atom(bytes, data)),
}


def _plain(value: object) -> Any:
    """A value made of atoms, tuples, lists and dicts; tuples are arrays, lists and dicts are tagged."""
    form = _ATOMS.get(type(value))
    if form is not None:
        return form.encode(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, list):
        return {"$list": [_plain(item) for item in value]}
    if isinstance(value, dict):
        return {"$dict": [[_plain(key), _plain(item)] for key, item in value.items()]}
    raise TypeError(f"{value!r}: only plain values can be stored")


def _from_plain(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(_from_plain(item) for item in data)
    kind = _tagged(data) or type(data)
    if kind is not dict:
        return _atom(kind, data)
    match data:
        case {"$list": list(items)} if len(data) == 1:
            return [_from_plain(item) for item in items]
        case {"$dict": list(items)} if len(data) == 1:
            return dict(map(_from_plain, items))
    raise Damaged(f"has the unknown keys {', '.join(data)}")
