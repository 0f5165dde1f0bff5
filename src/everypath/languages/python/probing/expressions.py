"""How an input is made: small expressions that can be evaluated, varied, sent to the parent, and written down.

A candidate is one of them as well: the outermost call is what a test is about, everything inside makes its inputs.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

from everypath.languages.python.probing import world
from everypath.languages.python.probing.pretending import KINDS
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A literal, or an expression over one module of the library."""

    text: str
    module: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    """A class, function or constant that a module holds."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list, tuple, set or frozenset."""

    kind: str
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """A dict."""

    pairs: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of what a module holds, a class for example."""

    module: str
    name: str
    arguments: tuple[Expr, ...] = ()
    keywords: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Method:
    """A call of a method, or of the thing itself where the name is `__call__`."""

    target: Expr
    name: str
    arguments: tuple[Expr, ...] = ()
    keywords: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Attribute:
    """What an attribute gives, a property for example."""

    target: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Assigned:
    """An assignment to an attribute, a property for example."""

    target: Expr
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class After:
    """The target after some calls of its methods."""

    target: Expr
    calls: tuple[tuple[str, tuple[Expr, ...], tuple[tuple[str, Expr], ...]], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A `with` block around nothing, or around an error."""

    target: Expr
    fails: bool = False


@dataclass(frozen=True, slots=True)
class Inside:
    """The place of a file in the folder of the test, as a path or as a text; the folder itself without a name."""

    name: str
    as_text: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """A call for which something was prepared: an attribute or a variable set, a file written, a folder made."""

    call: Expr
    how: str
    """setattr, setenv, write_text or mkdir, after what prepares it in a test"""
    place: str
    """the dotted name of the attribute, the variable, or the name of the file"""
    value: Expr


Expr = Code | Name | Items | Entries | Call | Method | Attribute | Assigned | After | Block | Inside | Given
Keywords = tuple[tuple[str, Expr], ...]
_CLASSES: dict[str, type[Any]] = {
    each.__name__: each
    for each in (Code, Name, Items, Entries, Call, Method, Attribute, Assigned, After, Block, Inside, Given)
}
_FIELDS = {name: tuple(each.__annotations__) for name, each in _CLASSES.items()}
_FIELDS_OF: dict[Any, tuple[str, ...]] = {each: _FIELDS[name] for name, each in _CLASSES.items()}
_SEQUENCES: dict[str, Callable[[Any], Any]] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


SETTING = "__setattr__"
"""The call before a call that sets a field."""
PLANNED = "planned"
"""The message of the error inside a `with` block."""


def to_data(value: Any) -> Any:
    """An expression as nested lists."""
    if isinstance(value, tuple):
        return [to_data(item) for item in value]
    name = type(value).__name__
    if name in _FIELDS and not isinstance(value, (str, bool)):
        return {"is": name, **{field: to_data(getattr(value, field)) for field in _FIELDS[name]}}
    return value


def from_data(data: Any) -> Any:
    """The expression that nested lists stand for."""
    if isinstance(data, dict):
        name = data["is"]
        return _CLASSES[name](*(from_data(data[field]) for field in _FIELDS[name]))
    return tuple(from_data(item) for item in data) if isinstance(data, list) else data


def children(expr: Expr) -> list[Expr]:
    """The expressions directly inside one, in order."""
    found: list[Expr] = []
    for field in _FIELDS_OF[type(expr)]:
        _gather(getattr(expr, field), found)
    return found


def _gather(value: Any, found: list[Expr]) -> None:
    kind = type(value)
    if kind is tuple:
        for item in value:
            _gather(item, found)
    elif kind in _FIELDS_OF:
        found.append(value)


def inside(expr: Expr) -> list[Expr]:
    """All expressions inside one, in no particular order."""
    found, left = [], children(expr)
    while left:
        each = left.pop()
        found.append(each)
        left += children(each)
    return found


def size(expr: Expr) -> int:
    """How many expressions there are in one."""
    return 1 + len(inside(expr))


def rebuilt(expr: Any, place: list[int], change: Callable[[Expr], Expr]) -> Any:
    """The expression with the one changed that is reached after so many others; `place` counts down."""
    if place[0] < 0:
        # It is changed already.
        return expr
    kind = type(expr)
    if kind is tuple:
        return tuple([rebuilt(item, place, change) for item in expr])
    fields = _FIELDS_OF.get(kind)
    if fields is None:
        return expr
    if place[0] == 0:
        place[0] = -1
        return change(expr)
    place[0] -= 1
    return kind(*[rebuilt(getattr(expr, field), place, change) for field in fields])


def resolve(module: str, name: str) -> Any:
    """What a module holds under a dotted name."""
    if module not in sys.modules:
        __import__(module)
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    return found


def place_of(value: Any) -> tuple[str, str] | None:
    """Module and name under which a class or function is found, if it is and a test can import it."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or "<" in name or module.startswith(_MACHINERY):
        return None
    try:
        return (module, name) if module in sys.modules and resolve(module, name) is value else None
    except Exception:
        return None


_MACHINERY = ("everypath.languages.python.probing.", "everypath.languages.python.runtime.", "everypath.workers.")
"""What surrounds a call while it is looked for, such as what passes for a mock, is not there when its test runs."""
Made = list[tuple[Expr, Any]]
"""Expressions with what they made."""


def evaluate(expr: Expr, made: Made | None = None) -> Any:
    """The value of an expression, made anew; `made` takes down what every part of it made."""
    value = _evaluated(expr, made)
    if made is not None:
        made.append((expr, value))
    return value


def _evaluated(expr: Expr, made: Made | None) -> Any:
    match expr:
        case Code(text, module):
            return eval(text, _scope(module))
        case Name(module, name):
            return resolve(module, name)
        case Items(kind, items):
            return _SEQUENCES[kind](evaluate(item, made) for item in items)
        case Entries(pairs):
            return {evaluate(key, made): evaluate(value, made) for key, value in pairs}
        case Call(module, name, arguments, keywords):
            given, named = evaluate_all(arguments, keywords, made)
            if made is not None and module == "unittest.mock" and name in KINDS:
                return KINDS[name](*given, **named)
            return resolve(module, name)(*given, **named)
        case Inside(name, as_text):
            import pathlib

            place = world.surrounding().path(name)
            return place if as_text else pathlib.Path(place)
        case Given(call):
            prepare(expr, made)
            return evaluate(call, made)
        case _:
            return _used(expr, made)


def _used(expr: Method | Attribute | Assigned | After | Block, made: Made | None) -> Any:
    """What comes of using an object."""
    match expr:
        case Method(target, name, arguments, keywords):
            method = method_of(evaluate(target, made), name)
            given, named = evaluate_all(arguments, keywords, made)
            return method(*given, **named)
        case Attribute(target, name):
            return getattr(evaluate(target, made), name)
        case Assigned(target, name, value):
            return setattr(evaluate(target, made), name, evaluate(value, made))
        case After(target, calls):
            changed = evaluate(target, made)
            for name, arguments, keywords in calls:
                given, named = evaluate_all(arguments, keywords, made)
                method_of(changed, name)(*given, **named)
            return changed
        case Block(target, fails):
            with evaluate(target, made) as value:
                if fails:
                    raise ValueError(PLANNED)
            return value


def prepare(given: Given, made: Made | None = None) -> None:
    """Have there what a call is given besides its inputs."""
    world.surrounding().prepare(given.how, given.place, evaluate(given.value, made))


def within(expr: Expr) -> tuple[int, Expr]:
    """The call itself, without what is prepared for it, and how many expressions are around it."""
    around = 0
    while isinstance(expr, Given):
        expr, around = expr.call, around + 1
    return around, expr


def evaluate_all(
    arguments: tuple[Expr, ...], keywords: Keywords, made: Made | None = None
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call."""
    return [evaluate(each, made) for each in arguments], {name: evaluate(value, made) for name, value in keywords}


def method_of(target: Any, name: str) -> Any:
    """A method of an object, or the object itself where the name is `__call__`."""
    return target if name == "__call__" else getattr(target, name)


def hoisted(expr: Expr) -> Expr:
    """The call with everything prepared before it that inputs of it need to be made."""
    before, call = expr, within(expr)[1]
    if not any(type(each) is Given for each in inside(call)):
        return expr
    needed: list[Given] = []
    bare: Expr = _without_needs(call, needed)
    while isinstance(before, Given):
        needed.insert(0, before)
        before = before.call
    there = dict.fromkeys((each.how, each.place) for each in needed)
    last = {(each.how, each.place): each for each in reversed(needed)}
    for how, place in there:
        bare = Given(bare, how, place, _without_needs(last[how, place].value, []))
    return bare


def _without_needs(value: Any, needed: list[Given]) -> Any:
    kind = type(value)
    if kind is tuple:
        return tuple([_without_needs(item, needed) for item in value])
    if kind is Given:
        needed.append(value)
        return _without_needs(value.call, needed)
    fields = _FIELDS_OF.get(kind)
    return value if fields is None else kind(*[_without_needs(getattr(value, field), needed) for field in fields])


def around(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The call changed, in the same surroundings."""
    if isinstance(expr, Given):
        return Given(around(expr.call, change), expr.how, expr.place, expr.value)
    return change(expr)


_scopes: dict[str, dict[str, Any]] = {}


def _scope(module: str) -> dict[str, Any]:
    """The names that an expression sees: the library's module under its own name."""
    if module not in _scopes:
        _scopes[module] = {"__builtins__": builtins}
        if module:
            __import__(module)
            head = module.partition(".")[0]
            _scopes[module][head] = sys.modules[head]
    return _scopes[module]


def is_below(cls: type, base: type) -> bool:
    """Whether a class is another one or below it; protocols and odd metaclasses may refuse to be asked."""
    try:
        return issubclass(cls, base)
    except Exception:
        return base in cls.__mro__
