"""Which inputs of a call a value comes from, and how they have to change so that it becomes another value.

Objects are followed by identity. A text is looked for among the inputs: as a whole, as a part of one, as one that is a
part of it, and as what changing its letters, or encoding it, made of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from everypath.languages.python.probing.expressions import Code, Expr, children
from everypath.languages.python.probing.outside import Place

_HERE: tuple[str, ...] = ()
_ATOMS = frozenset({str, bytes, int, float, bool, type(None)})
_MOST = 3
_DEEPEST = 8
"""Steps from an input to what a mock among the inputs gave."""
Text = str | bytes


class Origins:
    """Where the inputs of one candidate are, and what they made."""

    def __init__(self, candidate: Expr, made: list[tuple[Expr, Any]]) -> None:
        self._candidate = candidate
        self._made = made
        """expressions with what they made, filled while the inputs are made"""
        self._numbered: dict[int, int] | None = None
        self._read = 0
        """how much of it is indexed"""
        self._by_identity: dict[int, list[int]] = {}
        self._by_value: dict[tuple[type, Any], list[int]] = {}
        self._texts: list[tuple[int, Text]] = []

    def of(self, value: Any) -> list[tuple[int, tuple[str, ...]]]:
        """The expressions that made a value, each with the path from there."""
        found: list[tuple[int, tuple[str, ...]]] = []
        path: tuple[str, ...] = ()
        while "_mock_new_parent" in getattr(value, "__dict__", ()):
            # A mock has parents for ever: where a loop goes up through them, the first one decides when it ends.
            found += [(place, path if len(path) <= _DEEPEST else path[:1]) for place in self._same(value)]
            if found:
                return found[:2]
            name, value = value.__dict__["_mock_new_name"], value.__dict__["_mock_new_parent"]
            path = (name or "", *path)
        return [(place, _HERE) for place in self._same(value)][:_MOST]

    def parts(self, text: Any) -> list[tuple[int, tuple[str, ...]]]:
        """Texts among the inputs that a text is a part of."""
        if not isinstance(text, (str, bytes)) or not text:
            return []
        kind = type(text)
        self._index()
        held = [place for place, made in self._texts if type(made) is kind and text in made]  # type: ignore[operator]
        found = held or self._within_functions(text)
        return [(place, _HERE) for place in found][:_MOST]

    def exchanged(self, text: Text, wanted: Text) -> Iterator[Place]:
        """Changes of inputs after which a text that came of them is, perhaps, the wanted one."""
        parts = self.parts(text)
        for place in parts:
            yield (*place, "replace", repr(text), repr(wanted))
        if not parts and text:
            yield from self._otherwise_written(text, wanted)
            yield from self._inside(text, wanted)

    def _otherwise_written(self, text: Text, wanted: Text) -> Iterator[Place]:
        """The same for inputs that hold the text in other letters, or encoded."""
        for place, made in self._longest:
            here, there = text, wanted
            if type(made) is not type(here):
                here, there = _recoded(here), _recoded(there)
            if type(made) is type(here):
                at = made.lower().find(here.lower())  # type: ignore[arg-type]
                if at >= 0 and len(made.lower()) == len(made):
                    yield (place, _HERE, "replace", repr(made[at : at + len(here)]), repr(there))

    def _inside(self, text: Text, wanted: Text) -> Iterator[Place]:
        """The same for inputs that are a part of the text."""
        for place, made in self._longest:
            if made and type(made) is type(text) and made in text and made != text:  # type: ignore[operator]
                before, _, after = text.partition(made)  # type: ignore[arg-type]
                if len(wanted) >= len(before) + len(after):
                    first, last = wanted[: len(before)], wanted[len(wanted) - len(after) :]
                    if first == before and last == after:
                        inner = wanted[len(before) : len(wanted) - len(after)]
                        yield (place, _HERE, "value", repr(inner))

    @property
    def _longest(self) -> list[tuple[int, Text]]:
        """The longest texts among the inputs."""
        self._index()
        return sorted(self._texts, key=lambda each: -len(each[1]))[:_MOST]

    @property
    def _places(self) -> dict[int, int]:
        """Where each expression is in the candidate; most runs ask for none."""
        if self._numbered is None:
            self._numbered = {id(expr): number for number, expr in enumerate(_in_order(self._candidate))}
        return self._numbered

    def _same(self, value: Any) -> list[int]:
        """The places of the expressions that made this value; texts and numbers are the same if they are equal."""
        self._index()
        cls = type(value)
        return self._by_value.get((cls, value), []) if cls in _ATOMS else self._by_identity.get(id(value), [])

    def _index(self) -> None:
        if self._read < len(self._made):
            numbered = self._places
            for expr, made in self._made[self._read :]:
                place = numbered.get(id(expr), 0)
                if place > 0:
                    cls = type(made)
                    if cls in _ATOMS:
                        self._by_value.setdefault((cls, made), []).append(place)
                        if cls in (str, bytes):
                            self._texts.append((place, made))
                    else:
                        self._by_identity.setdefault(id(made), []).append(place)
            self._read = len(self._made)

    def _within_functions(self, text: Text) -> list[int]:
        """The functions among the inputs in which a text is written."""
        shown = repr(text).lstrip("b")[1:-1]
        written = [expr for expr, _ in self._made if isinstance(expr, Code) and expr.text.startswith("lambda")]
        return [self._places[id(expr)] for expr in written if shown in expr.text and self._places.get(id(expr), 0) > 0]


def _recoded(text: Text) -> Text:
    """Bytes for a text, and a text for bytes."""
    return text.encode("utf-8", "replace") if isinstance(text, str) else text.decode("latin-1")


def _in_order(expr: Expr) -> Iterator[Expr]:
    """The expression and all inside of it, in the order in which `rebuilt` counts them."""
    yield expr
    for each in children(expr):
        yield from _in_order(each)
