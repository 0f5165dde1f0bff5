"""Changes a candidate as a run of it wished: the other half of `noticing.py`, in the process that searches."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from everypath.languages.python.probing.expressions import (
    SETTING,
    After,
    Call,
    Code,
    Entries,
    Expr,
    Given,
    Items,
    Method,
    Name,
    around,
    rebuilt,
    resolve,
)
from everypath.languages.python.probing.inputs import mock
from everypath.languages.python.probing.noticing import Wish
from everypath.languages.python.probing.outside import DEFINE, FIELD, GIVE, ITEM, MADE, OWN, PATCH
from everypath.languages.python.probing.signatures import Parameter
from everypath.languages.python.probing.varying import Maker
from everypath.languages.python.probing.world import ATTRIBUTE, DEFINED, MODULE
from everypath.records import replace

_MOST_PUT = 3
_FALSE = ("None", "''", "0", "[]", "{}", "False")


def granted(wish: Wish, candidate: Expr, maker: Maker) -> Iterator[Expr]:
    """Candidates in which a wish comes true, perhaps."""
    _, place, path, kind, *details = wish
    details = ["" if each == OWN else each for each in details]
    if kind == MODULE:
        yield Given(candidate, MODULE, details[0], Call("unittest.mock", "MagicMock"))
    if kind == DEFINE:
        yield Given(_without(candidate, details[0]), DEFINED, details[0], Call("unittest.mock", "MagicMock"))
    if kind == GIVE:
        with suppress(_Impossible, ValueError, SyntaxError, TypeError, AttributeError):
            name, *told = details
            yield around(candidate, lambda call: _with_argument(call, name, _instead(maker, *told)))
    if kind == PATCH:
        for _ in range(2 if details[3] in _OPEN else 1):
            with suppress(_Impossible, ValueError, SyntaxError, TypeError, AttributeError):
                yield _patched(maker, candidate, *details)
    if place <= 0:
        return
    for _ in range(2 if kind in _OPEN else 1):
        try:
            changed = rebuilt(
                candidate, [place], lambda expr: _below(expr, path, lambda old: _WAYS[kind](maker, old, *details))
            )
        except (_Impossible, ValueError, SyntaxError, TypeError, AttributeError):
            return
        if changed != candidate:
            yield changed


def _patched(maker: Maker, candidate: Expr, dotted: str, called: bool, like: str, *told: Any) -> Expr:
    """The candidate with something else in the place of what a module holds."""
    now = _given_for(candidate, dotted)
    if now is not None and called:
        now = dict(now.keywords).get("return_value") if isinstance(now, Call) else None
    return Given(_without(candidate, dotted), ATTRIBUTE, dotted, _instead(maker, called, like, *told, now=now))


def _with_argument(call: Expr, name: str, value: Expr) -> Expr:
    if not isinstance(call, (Call, Method)):
        raise _Impossible
    return replace(call, keywords=(*call.keywords, (name, value)))


def _calling(maker: Maker, _expr: Expr, position: int, told: Any) -> Expr:
    """A mock that calls the function which it is handed."""
    parameters = [
        Parameter(name, inspect._ParameterKind(kind), hint or None, optional) for name, kind, optional, hint in told
    ]
    given, named = maker.arguments(parameters, 1)
    texts = [*map(_text, given), *(f"{name}={_text(value)}" for name, value in named)]
    answer = maker.chance.choice(("None", "[]", "[b'a']", "['a']", "True"))
    called = f"args[{position}]({', '.join(texts)})"
    return Call(
        "unittest.mock", "Mock", (), (("side_effect", Code(f"lambda *args, **kwargs: ({called}, {answer})[1]")),)
    )


def _ending(maker: Maker, _expr: Expr) -> Expr:
    """A mock that gives something once or twice, and then nothing any more, as a stream does."""
    kind = maker.chance.choice((str, bytes, bytes, list))
    some = [maker.value(kind, 2) for _ in range(maker.chance.choice((1, 2)))]
    answers = Items("list", (*some, *[Code(repr(kind()))] * 3))
    return Call("unittest.mock", "Mock", (), (("side_effect", answers),))


def _text(expr: Expr) -> str:
    """A plain value as source code; None in the place of anything else."""
    match expr:
        case Code(text, ""):
            return text
        case Items("list", items):
            return f"[{', '.join(map(_text, items))}]"
        case Items("tuple", items):
            return f"({''.join(f'{_text(item)}, ' for item in items)})"
        case Entries(pairs):
            return f"{{{', '.join(f'{_text(key)}: {_text(value)}' for key, value in pairs)}}}"
    return "None"


def _given_for(candidate: Expr, dotted: str) -> Expr | None:
    """What the candidate has already put in the place of what a module holds."""
    while isinstance(candidate, Given):
        if candidate.how == ATTRIBUTE and candidate.place == dotted:
            return candidate.value
        candidate = candidate.call
    return None


def _without(candidate: Expr, dotted: str) -> Expr:
    if not isinstance(candidate, Given):
        return candidate
    inner = _without(candidate.call, dotted)
    same = candidate.how in (ATTRIBUTE, DEFINED) and candidate.place == dotted
    return inner if same else Given(inner, candidate.how, candidate.place, candidate.value)


def _instead(maker: Maker, called: bool, like: str, kind: str, *details: Any, now: Expr | None = None) -> Expr:
    """What stands in another thing's place: a value, or something to call that gives or raises it.

    The value is made of the one that is there `now`, or else of one that is like what the module itself has there.
    """
    if kind == "raising":
        return _raising(maker, Code("None"), *details)
    if kind == "async":
        return _async(maker, Code("None"))
    if kind == "mock":
        answer = () if maker.chance.random() < 0.6 else (("return_value", maker.anything(2)),)
        return Call("unittest.mock", "MagicMock", (), answer)
    made = _WAYS[kind](maker, now or _LIKE.get(like, Code(like or "None")), *details)
    return Call("unittest.mock", "Mock", (), (("return_value", made),)) if called else made


def _with_field(maker: Maker, expr: Expr, name: str, called: bool, like: str, *told: Any) -> Expr:
    """An object with another value in one of its fields."""
    if not isinstance(expr, (Call, Method, After)):
        raise _Impossible
    target, calls = (expr.target, expr.calls) if isinstance(expr, After) else (expr, ())
    if isinstance(target, Call) and not called and name in _keywords_of(maker, target):
        # The constructor takes it, which is how callers set it.
        given = {**dict(target.keywords), name: _instead(maker, called, like, *told)}
        made = Call(target.module, target.name, target.arguments, tuple(given.items()))
        return After(made, calls) if calls else made
    key = Code(repr(name))
    kept = tuple(each for each in calls if each[0] != SETTING or each[1][0] != key)
    return After(target, (*kept, (SETTING, (key, _instead(maker, called, like, *told)), ())))


def _with_item(maker: Maker, expr: Expr, key: str, called: bool, like: str, *told: Any) -> Expr:
    """A collection with another value in one of its places."""
    match expr:
        case Entries(pairs):
            now = dict(pairs).get(Code(key))
            kept = tuple(pair for pair in pairs if pair[0] != Code(key))
            return Entries((*kept, (Code(key), _instead(maker, called, like, *told, now=now))))
        case Items("list" | "tuple" as kind, items) if key.isdecimal() and int(key) < len(items):
            at = int(key)
            made = _instead(maker, called, like, *told, now=items[at])
            return Items(kind, (*items[:at], made, *items[at + 1 :]))
        case Code("None", ""):
            return Entries(((Code(key), _instead(maker, called, like, *told)),))
    raise _Impossible


def _keywords_of(maker: Maker, target: Call) -> list[str]:
    """The parameters that a call can still be given by name."""
    parameters = maker.parameters_of(resolve(target.module, target.name)) or []
    named = [each.name for each in parameters if each.kind in (each.kind.POSITIONAL_OR_KEYWORD, each.kind.KEYWORD_ONLY)]
    return named[len(target.arguments) :]


def _async(maker: Maker, expr: Expr) -> Expr:
    """Something to call whose result is awaited."""
    if isinstance(expr, Call) and expr.module == "unittest.mock":
        return Call(expr.module, "AsyncMock", expr.arguments, expr.keywords)
    return Call("unittest.mock", "AsyncMock", (), (("return_value", maker.anything(2)),))


def _parts(maker: Maker, expr: Expr, count: int) -> Expr:
    """What can be taken apart into so many parts: a text with separators stays one."""
    if isinstance(expr, Code):
        value = ast.literal_eval(expr.text)
        if isinstance(value, str):
            signs = [text for text in maker.near.texts if 0 < len(text) <= 2] or [" ", "=", ":", "/", "."]
            return Code(repr(maker.chance.choice(signs).join([value or "a", "b", "c", "d", "e", "f"][:count])))
    return Items("tuple", tuple(maker.anything(2) for _ in range(count)))


_TYPES = {each.__name__: each for each in (str, int, float, bytes, list, dict, tuple, set, type)}


def _raising(maker: Maker, _expr: Expr, module: str, name: str) -> Expr:
    error = Name(module, name)
    made: Expr = error if maker.chance.random() < 0.4 else maker.instance(resolve(module, name), 2)
    return Call("unittest.mock", "Mock", (), (("side_effect", made),))


class _Impossible(Exception):
    """The wish does not fit what it is about."""


def _below(expr: Expr | None, path: tuple[str, ...], change: Callable[[Expr], Expr]) -> Expr:
    """Change what a mock gives at the end of a path of attributes and calls."""
    if not path:
        return change(expr if expr is not None else Code("None"))
    name = "return_value" if path[0] == "()" else path[0]
    if expr is None or (isinstance(expr, Code) and (expr.text == "None" or expr.text.startswith("lambda"))):
        expr = Call("unittest.mock", "MagicMock")
    if not (isinstance(expr, Call) and expr.module == "unittest.mock" and name.isidentifier()):
        raise _Impossible
    given = dict(expr.keywords)
    given[name] = _below(given.get(name), path[1:], change)
    return Call(expr.module, expr.name, expr.arguments, tuple(given.items()))


def _literal(expr: Expr) -> Any:
    if not isinstance(expr, Code):
        raise _Impossible
    return ast.literal_eval(expr.text)


def _replaced(maker: Maker, expr: Expr, old: str, new: str) -> Expr:
    times = -1 if maker.chance.random() < 0.3 else 1
    if isinstance(expr, Code) and expr.text.startswith("lambda"):
        return Code(expr.text.replace(old.lstrip("b")[1:-1], new.lstrip("b")[1:-1], times))
    value = _literal(expr)
    return Code(repr(value.replace(ast.literal_eval(old), ast.literal_eval(new), times)))


def _with_text(maker: Maker, expr: Expr, text: str) -> Expr:
    value, added = _literal(expr), ast.literal_eval(text)
    at = maker.chance.choice((0, len(value), maker.chance.randrange(len(value) + 1)))
    return Code(repr(value[:at] + added + value[at:]))


def _entry(maker: Maker, expr: Expr, key: str) -> Expr:
    match expr:
        case Items(kind, items):
            return Items(kind, (*items, Code(key)))
        case Entries(pairs):
            return Entries((*(pair for pair in pairs if pair[0] != Code(key)), (Code(key), maker.anything(2))))
        case Call() | After() if _is_object(expr) and maker.chance.random() < 0.7:
            target, calls = (expr.target, expr.calls) if isinstance(expr, After) else (expr, ())
            if isinstance(target, Call) and hasattr(resolve(target.module, target.name), "__setitem__"):
                return After(target, (*calls, ("__setitem__", (Code(key), maker.anything(2)), ())))
    if isinstance(expr, Code):
        value = ast.literal_eval(expr.text)
        if isinstance(value, (str, bytes)):
            return _with_text(maker, expr, key)
    return Entries(((Code(key), maker.anything(2)),))


def _longer(maker: Maker, expr: Expr) -> Expr:
    match expr:
        case Items(kind, items):
            return Items(kind, (*items, *(maker.anything(2) for _ in range(maker.chance.randrange(1, 4)))))
        case Entries(pairs):
            return Entries((*pairs, (maker.text(), maker.anything(2))))
        case Call() | After() if _is_object(expr):
            return _fuller(maker, expr)
    return _with_text(maker, expr, maker.text().text)


def _elements(maker: Maker, _expr: Expr, count: int, parts: int) -> Expr:
    """A list of so many elements, each of so many parts, or of anything."""
    made = [_element(maker, parts) for _ in range(count)]
    return Items("list", tuple(made))


def _element(maker: Maker, parts: int) -> Expr:
    if parts:
        return Items("tuple", tuple(maker.anything(2) for _ in range(parts)))
    return mock() if maker.chance.random() < 0.3 else maker.anything(2)


def _resized(maker: Maker, expr: Expr, length: int) -> Expr:
    match expr:
        case Items(kind, items):
            kept = items[:length]
            return Items(kind, (*kept, *(maker.anything(2) for _ in range(min(length, 12) - len(kept)))))
        case Entries(pairs):
            more = [(Code(repr(f"k{number}")), maker.anything(2)) for number in range(min(length, 12) - len(pairs))]
            return Entries((*pairs[:length], *more))
        case Call() | After() if _is_object(expr):
            for _ in range(min(length, _MOST_PUT)):
                expr = _fuller(maker, expr)
            return expr
        case Code("None", ""):
            return _elements(maker, expr, min(length, 12), 0)
    value = _literal(expr)
    return Code(repr((value + (b"a" if isinstance(value, bytes) else "a") * length)[:length]))


def _true(maker: Maker, expr: Expr) -> Expr:
    match expr:
        case Code("False", ""):
            return Code("True")
        case Code("0", ""):
            return Code("1")
        case Code("''", ""):
            return next((text for _ in range(5) if (text := maker.text()).text != "''"), Code("'a'"))
        case Items() | Entries():
            return _longer(maker, expr)
        case Call() | After() if _is_object(expr) and maker.chance.random() < 0.8:
            return _fuller(maker, expr)
    return maker.chance.choice((Code("True"), maker.text(), maker.anything(1)))


def _is_object(expr: Expr) -> bool:
    """Whether it makes an object of a class of some program, perhaps with something done to it."""
    made = expr.target if isinstance(expr, After) else expr
    return isinstance(made, Call) and made.module not in ("unittest.mock", "builtins")


def _fuller(maker: Maker, expr: Expr) -> Expr:
    """An object with something more in it: its class is given something, or a method puts it there."""
    target, calls = (expr.target, expr.calls) if isinstance(expr, After) else (expr, ())
    if not isinstance(target, Call):
        raise _Impossible
    made = _filled(maker, target, resolve(target.module, target.name))
    return (
        After(made.target, (*calls, *made.calls)) if isinstance(made, After) else After(made, calls) if calls else made
    )


def _filled(maker: Maker, expr: Call, cls: Any) -> Expr:
    adding = [name for name in _ADDING if callable(getattr(cls, name, None))] if isinstance(cls, type) else []
    if adding and maker.chance.random() < 0.6:
        name = maker.chance.choice(adding)
        if maker.chance.random() < 0.3:
            # Whatever is expected of what is put there, a mock has it.
            return After(expr, ((name, (mock(),) * (1 + (name in _IN_PAIRS)), ()),))
        parameters = maker.parameters_of(getattr(cls, name)) or [Parameter("item", _PLAIN)] * (1 + (name in _IN_PAIRS))
        own = parameters[:1] and parameters[0].name == "self"
        return After(expr, ((name, *maker.arguments(parameters[1:] if own else parameters, 1)),))
    if isinstance(cls, type) and maker.chance.random() < 0.7:
        given: Expr = Items("list", (maker.anything(2),))
        if hasattr(cls, "keys"):
            given = Entries(((maker.text(), maker.anything(2)),))
        return Call(expr.module, expr.name, (given, *expr.arguments[1:]), expr.keywords)
    return Call(expr.module, expr.name, *maker.arguments(maker.parameters_of(cls) or [], 1))


_ADDING = "append add set update extend insert put __setitem__ set_cookie".split()
_IN_PAIRS = frozenset({"set", "insert", "__setitem__"})
_PLAIN = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _false(maker: Maker, expr: Expr) -> Expr:
    match expr:
        case Code("True", ""):
            return Code("False")
        case Items(kind):
            return Items(kind, ())
        case Entries():
            return Entries(())
    if isinstance(expr, Code) and not expr.module and maker.chance.random() < 0.6:
        value = ast.literal_eval(expr.text)
        return Code(repr(type(value)()))
    return Code(maker.chance.choice(_FALSE))


_WAYS: dict[str, Callable[..., Expr]] = {
    "value": lambda _maker, _expr, text: Code(text),
    "name": lambda _maker, _expr, module, name: Name(module, name),
    "replace": _replaced,
    "with": _with_text,
    "entry": _entry,
    "longer": _longer,
    "length": _resized,
    "elements": _elements,
    "instance": lambda maker, _expr, module, name: maker.instance(resolve(module, name), 1),
    MADE: lambda maker, _expr, module, name, *_: maker.instance(resolve(module, name), 1),
    "calls": _calling,
    "ending": _ending,
    "attribute": lambda maker, _expr, name: maker.with_attributes((name,), 1),
    "function": lambda maker, _expr: maker.function(None, 1),
    "other": lambda maker, expr: maker.another(expr),
    "true": _true,
    "false": _false,
    "raising": _raising,
    "async": _async,
    "parts": _parts,
    "text": lambda _maker, _expr, text: Code(text),
    "of": lambda maker, _expr, name: maker.value(_TYPES[name], 2),
    FIELD: _with_field,
    ITEM: _with_item,
}
_LIKE: dict[str, Expr] = {"[]": Items("list", ()), "{}": Entries(()), "()": Items("tuple", ())}
_OPEN = frozenset({"mock", "elements", "of", "other", "true", "instance", "attribute", "entry"})
"""Wishes that can come true in more than one way."""
