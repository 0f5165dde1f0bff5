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

from everypath.languages.python.probing.expressions import Call, Code, Expr, Given, Items, Name, place_of
from everypath.languages.python.probing.offers import Offer
from everypath.languages.python.probing.varying import Maker
from everypath.languages.python.probing.world import (
    ARGUMENTS,
    ATTRIBUTE,
    FILE,
    FOLDER,
    LISTED,
    VARIABLE,
    Ask,
    holder_of,
)

_MOST_TIMES = 5
"""How often the same is prepared for calls of the same function."""
_MOST_ASKS = 4
_OFTEN = 3
"""So many refusals, and it is prepared before it is asked for."""
_MOSTLY = 0.8
_MOST_GOOD = 12
_FILE_NAME = re.compile(r"[\w-]*\.[a-z]\w{0,5}")
_OPTION = re.compile("--?[a-zA-Z][-a-zA-Z_0-9]*")
_MOCK = Call("unittest.mock", "MagicMock")


class Preparing:
    """Makes candidates with better surroundings."""

    def __init__(self, maker: Maker, module: types.ModuleType, tree: ast.Module) -> None:
        self._maker = maker
        self._handled = list(_handled(tree, module))
        self._times = Counter[tuple[str, Ask]]()
        self._lacking: dict[str, Counter[Ask]] = {}
        """function -> what its calls called, and were refused, and how often"""
        self._good: dict[Ask, list[Expr]] = {}
        """what was prepared when something new was reached"""

    def more(self, offer: Offer, expr: Expr, asks: list[Ask]) -> Iterator[Expr]:
        """The call in surroundings in which it finds what it has asked for."""
        about = offer.qualname
        for ask in asks[:_MOST_ASKS]:
            how, place = ask
            if self._times[about, (how, place)] < _MOST_TIMES:
                self._times[about, (how, place)] += 1
                near = [error for line, error in self._handled if offer.first <= line <= offer.last]
                errors = near or [error for _, error in self._handled]
                if how == LISTED:
                    yield from self._filled(expr, place)
                for way, value in self._ways(how, place, errors):
                    yield Given(expr, way, place, value)

    def note(self, about: str, expr: Expr, asks: list[Ask], refused: bool, gained: bool) -> None:
        """What calls of a function need to be there, and with what there they have reached something new."""
        if refused:
            for ask in asks[:_MOST_ASKS]:
                if ask[0] == ATTRIBUTE:
                    self._lacking.setdefault(about, Counter())[ask] += 1
        while gained and isinstance(expr, Given):
            known = self._good.setdefault((expr.how, expr.place), [])
            if expr.value not in known:
                known.append(expr.value)
                del known[:-_MOST_GOOD]
            expr = expr.call

    def surrounded(self, offer: Offer, expr: Expr) -> Expr:
        """The call with that prepared without which calls of this function have been refused again and again."""
        chance = self._maker.chance
        there, inner = set(), expr
        while isinstance(inner, Given):
            there.add((inner.how, inner.place))
            inner = inner.call
        for ask, times in self._lacking.get(offer.qualname, {}).items():
            if times >= _OFTEN and ask not in there and chance.random() < _MOSTLY:
                known = self._good.get(ask, [])
                made = [] if known and chance.random() < _MOSTLY else [value for _, value in self._ways(*ask, [])]
                if known or made:
                    expr = Given(expr, *ask, chance.choice(made or known))
        return expr

    def _filled(self, expr: Expr, folder: str) -> Iterator[Expr]:
        """The call where something is in a folder: files as the program names them, and a folder."""
        texts = [text for text in self._maker.words.texts if _FILE_NAME.fullmatch(text)]
        named = [f"a{text}" if text.startswith(".") else text for text in texts] or ["a.txt"]
        inside = "" if folder == "." else f"{folder}/"
        for name in (self._maker.chance.choice(named), "a.txt"):
            yield Given(expr, FILE, f"{inside}{name}", self._text(name))
        yield Given(Given(expr, FOLDER, f"{inside}b", Code("None")), FILE, f"{inside}c.txt", self._text("c.txt"))
        yield Given(expr, FILE, f"{inside}b/{self._maker.chance.choice(named)}", Code(repr("a\n")))

    def forget(self) -> None:
        """What was prepared often enough may be prepared again."""
        self._times.clear()

    def _ways(self, how: str, place: str, errors: list[Name]) -> Iterator[tuple[str, Expr]]:
        maker = self._maker
        if how == LISTED:
            return
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
        if name.endswith((".yaml", ".yml")):
            return Code(repr("".join(f"{word}: {words[0]}\n" for word in words)))
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
