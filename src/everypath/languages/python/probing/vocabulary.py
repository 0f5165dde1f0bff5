"""The words of a module: constants in its text, what its globals hold, what its conditions compare with.

A value that a condition asks for is seldom found by chance, but mostly stands nearby. Words of a function come before
those of its module, and words of the conditions that nothing has passed so far before all others.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from everypath.languages.python.parameters.comments import parsed
from everypath.languages.python.parameters.shown import shown_texts
from everypath.languages.python.probing.patterns import matching
from everypath.records import dataclass, field

_MOST_ELEMENTS = 40
_LONGEST_TEXT = 400
_MOST_RELATED = 6
_MOST_LEARNT = 400
_LONGEST_RELATED = 16
_ATOMS = (str, bytes, int, float)


@dataclass(slots=True)
class Words:
    """Values by type, each once, in the order of the text."""

    texts: dict[str, None] = field(default_factory=dict)
    numbers: dict[int | float, None] = field(default_factory=dict)
    blobs: dict[bytes, None] = field(default_factory=dict)
    classes: dict[type, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    """attributes that are looked at"""
    _chosen: tuple[int, list[str], list[str]] = (0, [], [])
    """how many texts there were when the short ones and the signs were last picked"""

    @property
    def short(self) -> list[str]:
        """Texts of one or two characters, which often separate others."""
        return self._picked()[1]

    @property
    def signs(self) -> list[str]:
        """Those of them that are neither letters nor space."""
        return self._picked()[2]

    def _picked(self) -> tuple[int, list[str], list[str]]:
        if self._chosen[0] != len(self.texts):
            short = [text for text in self.texts if 0 < len(text) <= 2]
            signs = [text for text in short if not text.isalnum() and not text.isspace()]
            self._chosen = len(self.texts), short, signs
        return self._chosen

    def add(self, value: Any) -> None:
        """Take in a constant, a class, or the elements of a collection."""
        value = _plain(value)
        if isinstance(value, str):
            if len(value) <= _LONGEST_TEXT:
                self.texts[value] = None
        elif isinstance(value, bytes):
            self.blobs[value] = None
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self.numbers[value] = None
        elif isinstance(value, type):
            self.classes[value] = None
        elif isinstance(value, re.Pattern):
            for text in matching(value):
                self.texts[text] = None
        elif isinstance(value, (list, tuple, set, frozenset, dict)):
            for item in (
                sorted(value, key=repr)[:_MOST_ELEMENTS]
                if isinstance(value, (set, frozenset))
                else list(value)[:_MOST_ELEMENTS]
            ):
                if isinstance(item, (*_ATOMS, type, tuple)):
                    self.add(item)

    def update(self, other: Words) -> None:
        """Take in all words of another collection."""
        self.texts.update(other.texts)
        self.numbers.update(other.numbers)
        self.blobs.update(other.blobs)
        self.classes.update(other.classes)
        self.names.update(other.names)


class Vocabulary:
    """The words of one module, by where they stand."""

    def __init__(self, source: str, module: ModuleType) -> None:
        self._module = module
        self.tree = parsed(source)
        self.all = Words()
        self._by_line: dict[int, Words] = {}
        self._conditions: dict[int, Words] = {}
        self.learnt = 0
        docstrings = set()
        for constant, text in _docstrings(self.tree):
            # It is written for people: only what it shows is for the program.
            docstrings.add(id(constant))
            for shown in shown_texts(text):
                self._by_line.setdefault(constant.lineno, Words()).add(shown)
        for node in ast.walk(self.tree):
            if id(node) in docstrings:
                continue
            line = getattr(node, "lineno", 0)
            words = self._by_line.setdefault(line, Words())
            self._take(node, words)
            test = _condition(node)
            if test is not None:
                asked = self._conditions.setdefault(test.lineno, Words())
                for part in ast.walk(test):
                    self._take(part, asked)
        for words in self._by_line.values():
            self.all.update(words)

    def learn(self, line: int, literal: str) -> None:
        """A condition was seen to compare with this."""
        words = self._conditions.setdefault(line, Words())
        if self.learnt < _MOST_LEARNT and len(words.texts) < _MOST_ELEMENTS:
            words.add(ast.literal_eval(literal))
            self.learnt += 1

    def within(self, first: int, last: int) -> Words:
        """The words of these lines."""
        found = Words()
        for line, words in self._by_line.items():
            if first <= line <= last:
                found.update(words)
        return found

    def asked(self, lines: Iterable[int]) -> Words:
        """The words of the conditions at these lines."""
        found = Words()
        for line in sorted(set(lines)):
            if line in self._conditions:
                found.update(self._conditions[line])
        return found

    def _take(self, node: ast.AST, words: Words) -> None:
        match node:
            case ast.Constant(value=value):
                words.add(value)
            case ast.Attribute(attr=name):
                words.names[name] = None
                words.add(self._live(node))
            case ast.Name(id=name):
                words.add(vars(self._module).get(name))

    def _live(self, node: ast.Attribute) -> Any:
        """What an attribute of a global holds, such as `errors.NotFound`."""
        if not isinstance(node.value, ast.Name):
            return None
        holder = vars(self._module).get(node.value.id)
        if isinstance(holder, (ModuleType, type)):
            try:
                return vars(holder).get(node.attr)
            except Exception:
                return None
        return None


def related_words(module: ModuleType) -> Words:
    """Short words of those modules of the same package from which a module takes functions and classes."""
    found = Words()
    package = module.__name__.partition(".")[0]
    names = [getattr(value, "__module__", None) for value in vars(module).values()]
    others = [name for name in dict.fromkeys(names) if isinstance(name, str) and name != module.__name__]
    for name in [each for each in others if each.partition(".")[0] == package][:_MOST_RELATED]:
        try:
            tree = ast.parse(inspect.getsource(sys.modules[name]))
        except Exception:
            continue
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and 0 < len(node.value) <= _LONGEST_RELATED
            ):
                found.texts[node.value] = None
    return found


def _plain(value: Any) -> Any:
    """The text or number that an object of a class below these is, such as a member of an enumeration.

    What such an object shows of itself is no literal.
    """
    for kind, bare in _BARE.items():
        if isinstance(value, kind) and type(value) not in (kind, bool):
            return bare(value)
    return value


_BARE: dict[type, Callable[[Any], Any]] = {
    str: str.__str__,
    bytes: bytes.__bytes__,
    int: int.__int__,
    float: float.__float__,
}


def _condition(node: ast.AST) -> ast.expr | ast.pattern | None:
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            return test
        case ast.match_case(pattern=pattern):
            return pattern
        case ast.For(iter=iterated):
            return iterated
    return None


def _docstrings(tree: ast.AST) -> Iterator[tuple[ast.Constant, str]]:
    """Each docstring, and its text without the indentation of its function: an example is indented further."""
    for node in ast.walk(tree):
        match getattr(node, "body", None):
            case [ast.Expr(value=ast.Constant(value=str() as text, col_offset=margin) as constant), *_]:
                first, *others = text.expandtabs().splitlines() or [""]
                # A line may be indented less, but not stand before its beginning.
                kept = [line[min(margin, len(line) - len(line.lstrip())) :] for line in others]
                yield constant, "\n".join([first.lstrip(), *kept])
