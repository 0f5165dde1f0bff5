"""What to prepare for a call that looked for something in vain, or was refused something."""

from __future__ import annotations

import ast
import collections.abc
import inspect
import re
import sys
import types
import typing
from collections import Counter
from collections.abc import Iterator
from typing import Any

from everypath.languages.python.probing.expressions import Call, Code, Expr, Given, Items, Name
from everypath.languages.python.probing.inputs import Maker, place_of
from everypath.languages.python.probing.offers import Offer
from everypath.languages.python.probing.world import ARGUMENTS, ATTRIBUTE, FILE, FOLDER, VARIABLE, Ask, holder_of

_MOST_TIMES = 5
"""How often the same is prepared for calls of the same function."""
_MOST_ASKS = 4
_OPTION = re.compile("--?[a-zA-Z][-a-zA-Z_0-9]*")
_MOCK = Call("unittest.mock", "MagicMock")


class Preparing:
    """Makes candidates with better surroundings."""

    def __init__(self, maker: Maker, module: types.ModuleType, tree: ast.Module) -> None:
        self._maker = maker
        self._handled = list(_handled(tree, module))
        self._times = Counter[tuple[str, Ask]]()

    def more(self, offer: Offer, expr: Expr, asks: list[Ask]) -> Iterator[Expr]:
        """The call in surroundings in which it finds what it has asked for."""
        about = offer.qualname
        for ask in asks[:_MOST_ASKS]:
            how, place = ask
            if self._times[about, (how, place)] < _MOST_TIMES:
                self._times[about, (how, place)] += 1
                near = [error for line, error in self._handled if offer.first <= line <= offer.last]
                errors = near or [error for _, error in self._handled]
                for way, value in self._ways(how, place, errors):
                    yield Given(expr, way, place, value)

    def forget(self) -> None:
        """What was prepared often enough may be prepared again."""
        self._times.clear()

    def _ways(self, how: str, place: str, errors: list[Name]) -> Iterator[tuple[str, Expr]]:
        maker = self._maker
        if how == VARIABLE:
            yield VARIABLE, maker.text()
            yield VARIABLE, Code(repr(maker.chance.choice(("1", "0", "a", ""))))
        elif place == "sys.argv":
            yield ATTRIBUTE, self._command_line()
            yield ATTRIBUTE, self._command_line()
        elif how == FILE:
            yield FILE, self._text(place)
            yield FILE, self._text(place)
            if maker.chance.random() < 0.4:
                yield FOLDER, Code("None")
        else:
            for value in self._answers(place, errors):
                yield ATTRIBUTE, value

    def _command_line(self) -> Expr:
        """Options that the program knows, and words."""
        maker = self._maker
        options = [text for text in maker.words.texts if _OPTION.fullmatch(text)]
        chosen: list[Expr] = []
        for _ in range(maker.chance.randrange(5)):
            known = options and maker.chance.random() < 0.6
            chosen.append(Code(repr(maker.chance.choice(options))) if known else maker.text())
        return Items("list", (Code(repr(ARGUMENTS[0])), *chosen))

    def _text(self, name: str) -> Code:
        """What a file may say: words of the program, in the form that its name promises."""
        maker = self._maker
        words = [eval(maker.text().text, {}) for _ in range(maker.chance.choice((1, 2, 4)))]
        roll = maker.chance.random()
        if name.endswith(".json"):
            import json

            return Code(repr(json.dumps({word: maker.chance.choice(words) for word in words} if roll < 0.7 else words)))
        if name.endswith((".ini", ".cfg", ".toml")):
            return Code(repr("[" + words[0] + "]\n" + "".join(f"{word} = {word}\n" for word in words)))
        if roll < 0.2:
            return Code(repr(maker.chance.choice(("", "a\n", "a b\n# c\n\nd = 1\n"))))
        return Code(repr("".join(f"{word}\n" for word in words)))

    def _answers(self, place: str, errors: list[Name]) -> Iterator[Expr]:
        """What can stand in the place of an attribute: mocks that answer, or fail; streams for a stream."""
        try:
            holder, name = holder_of(place)
            original = getattr(holder, name)
        except Exception:
            return
        maker = self._maker
        if not callable(original):
            if hasattr(original, "read"):
                yield Call("io", "StringIO", (maker.text(),))
            return
        hint = _result(holder, name, original)
        if hint is not None:
            for _ in range(2):
                yield _mock(("return_value", maker.value(hint, 2)))
        yield _MOCK
        if errors:
            yield _mock(("side_effect", maker.chance.choice(errors)))
        if hint is None:
            yield _mock(("return_value", maker.anything(2)))


def _mock(*given: tuple[str, Expr]) -> Expr:
    return Call("unittest.mock", "Mock", (), given)


def _handled(tree: ast.Module, module: types.ModuleType) -> Iterator[tuple[int, Name]]:
    """The errors for which the module is prepared, with the lines where it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            for part in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
                try:
                    error = eval(compile(ast.Expression(part), "<handler>", "eval"), vars(module))
                except Exception:
                    continue
                where = place_of(error) if isinstance(error, type) and issubclass(error, Exception) else None
                if where is not None:
                    yield node.lineno, Name(*where)


def _result(holder: Any, name: str, function: Any) -> Any:
    """The declared type of what a function gives, by itself or in the stubs of the library."""
    if isinstance(function, type):
        return None
    try:
        hint = inspect.signature(function).return_annotation
    except (TypeError, ValueError):
        hint = inspect.Signature.empty
    if hint is not inspect.Signature.empty:
        return hint
    home = str(getattr(function, "__module__", None) or getattr(holder, "__name__", ""))
    try:
        # Not needed for most modules, and not quick to load.
        import typeshed_client

        found: Any = (typeshed_client.get_stub_names(home) or {}).get(getattr(function, "__name__", name))
        node = getattr(found, "ast", None)
        node = getattr(node, "definitions", [node])[0]
        scope = {**vars(typing), **vars(collections.abc), **vars(sys.modules[home])}
        return eval(compile(ast.Expression(node.returns), "<stub>", "eval"), scope)
    except Exception:
        return None
