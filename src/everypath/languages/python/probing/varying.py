"""Varies inputs: a candidate that differs in one place from one that led to something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everypath.languages.python.probing.expressions import (
    Call,
    Code,
    Entries,
    Expr,
    Given,
    Items,
    rebuilt,
    resolve,
    size,
    within,
)
from everypath.languages.python.probing.inputs import Inputs, mock


class Maker(Inputs):
    """Makes inputs and varies them, at random but the same for the same seed."""

    def varied(self, expr: Expr) -> Expr:
        """A candidate that differs in one place, never in the call that it is about."""
        first = within(expr)[0] + 1
        count = size(expr)
        if count <= first:
            return expr
        changed: Expr = rebuilt(expr, [self.chance.randrange(first, count)], self._changed)
        # What is called stays something that can be called.
        return changed if _replaced_calls(changed) >= _replaced_calls(expr) else expr

    def _changed(self, expr: Expr) -> Expr:
        roll = self.chance.random()
        match expr:
            case Code(text, ""):
                return self._changed_code(text)
            case Items(kind, items):
                if items and roll < 0.3:
                    at = self.chance.randrange(len(items))
                    return Items(kind, items[:at] + items[at + 1 :])
                if items and roll < 0.5 and kind in ("list", "tuple"):
                    return Items(kind, (*items, self.chance.choice(items)))
                added = self.anything(2) if not items else self._changed(self.chance.choice(items))
                return Items(kind, (*items, added)) if kind in ("list", "tuple") else expr
            case Entries(pairs):
                if pairs and roll < 0.3:
                    at = self.chance.randrange(len(pairs))
                    return Entries(pairs[:at] + pairs[at + 1 :])
                return Entries(tuple({**dict(pairs), self.text(): self.anything(2)}.items()))
            case Call(module, name) if module != "builtins":
                try:
                    called = resolve(module, name)
                except Exception:
                    return expr
                parameters = self._signature(called)
                if parameters is None or roll < 0.2:
                    return self.anything(1)
                if isinstance(called, type) and roll < 0.5:
                    return self.instance(called, 1)
                return Call(module, name, *self.arguments(parameters, 1))
        return self.anything(1)

    def like(self, value: Any) -> Expr:
        """Something of the kind of a value that is there."""
        if isinstance(value, dict):
            return self._dict(Any, str if all(isinstance(each, str) for each in value.values()) else Any, 1)
        kinds = (bool, str, int, float, bytes, list, tuple, set)
        kind = next((each for each in kinds if isinstance(value, each)), None)
        return self.value(kind, 1) if kind is not None else self.anything(1)

    def another(self, expr: Expr) -> Expr:
        """Something else in the place of an expression, mostly of another kind."""
        if self.chance.random() < 0.35:
            return self._changed(expr)
        kinds: dict[str, Callable[[], Expr]] = {
            "text": self.text,
            "number": self.number,
            "list": lambda: self._items(Any, 2),
            "dict": lambda: self._dict(str, Any, 2),
            "none": lambda: Code("None"),
            "function": lambda: self.function(None, 2),
            "mock": mock,
            "any": lambda: self.anything(1),
        }
        return kinds[self.chance.choice(list(kinds))]()

    def _changed_code(self, text: str) -> Expr:
        try:
            value = eval(text, {})
        except Exception:
            return self.anything(1)
        roll = self.chance.random()
        if isinstance(value, bool):
            return Code(repr(not value)) if roll < 0.8 else self.anything(1)
        if isinstance(value, (int, float)):
            return (
                Code(repr(self.chance.choice((value + 1, value - 1, -value, value * 2, 0))))
                if roll < 0.6
                else self.number()
            )
        if isinstance(value, str):
            return self.changed_text(value) if roll < 0.7 else (self.text() if roll < 0.95 else self.anything(1))
        return self.anything(1)


def _replaced_calls(expr: Expr) -> set[str]:
    """The attributes in whose place there is something to call."""
    found = set()
    while isinstance(expr, Given):
        if expr.how == "setattr" and isinstance(expr.value, Call):
            found.add(expr.place)
        expr = expr.call
    return found
