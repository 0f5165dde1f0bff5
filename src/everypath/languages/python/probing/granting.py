"""Changes a candidate as a run of it wished: the other half of `noticing.py`, in the process that searches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from everypath.languages.python.probing.expressions import Call, Code, Entries, Expr, Items, Name, rebuilt, resolve
from everypath.languages.python.probing.inputs import Maker
from everypath.languages.python.probing.noticing import Wish

_FALSE = ("None", "''", "0", "[]", "{}", "False")


def granted(wish: Wish, candidate: Expr, maker: Maker) -> Iterator[Expr]:
    """Candidates in which a wish comes true, perhaps."""
    _, place, path, kind, *details = wish
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


class _Impossible(Exception):
    """The wish does not fit what it is about."""


def _below(expr: Expr | None, path: tuple[str, ...], change: Callable[[Expr], Expr]) -> Expr:
    """Change what a mock gives at the end of a path of attributes and calls."""
    if not path:
        return change(expr if expr is not None else Code("None"))
    name = "return_value" if path[0] == "()" else path[0]
    if expr is None or (isinstance(expr, Code) and expr.text == "None"):
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
    value = _literal(expr)
    times = -1 if maker.chance.random() < 0.3 else 1
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
    return _with_text(maker, expr, maker.text().text)


def _resized(maker: Maker, expr: Expr, length: int) -> Expr:
    match expr:
        case Items(kind, items):
            kept = items[:length]
            return Items(kind, (*kept, *(maker.anything(2) for _ in range(min(length, 12) - len(kept)))))
        case Entries(pairs):
            more = [(Code(repr(f"k{number}")), maker.anything(2)) for number in range(min(length, 12) - len(pairs))]
            return Entries((*pairs[:length], *more))
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
    return maker.chance.choice((Code("True"), maker.text(), maker.anything(1)))


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
    "instance": lambda maker, _expr, module, name: maker.instance(resolve(module, name), 1),
    "attribute": lambda maker, _expr, name: maker.with_attributes((name,), 1),
    "function": lambda maker, _expr: maker.function(None, 1),
    "other": lambda maker, expr: maker.another(expr),
    "true": _true,
    "false": _false,
}
_OPEN = frozenset({"other", "true", "instance", "attribute", "entry"})
"""Wishes that can come true in more than one way."""
