"""Makes inputs: expressions for values of a type, and for parameters about which little is known."""

from __future__ import annotations

import ast
import enum
import inspect
import re
import sys
import types
import typing
from collections import Counter
from random import Random
from typing import Any

from everypath.languages.python.parameters import hints
from everypath.languages.python.parameters.samples import samples_of
from everypath.languages.python.probing.expressions import (
    Block,
    Call,
    Code,
    Entries,
    Expr,
    Given,
    Items,
    Keywords,
    Method,
    Name,
    inside,
    is_below,
    place_of,
    size,
    within,
)
from everypath.languages.python.probing.factories import Factories
from everypath.languages.python.probing.kinds import Kinds, is_object
from everypath.languages.python.probing.signatures import Parameter
from everypath.languages.python.probing.texts import Texts
from everypath.languages.python.probing.vocabulary import Words
from everypath.languages.python.probing.worth import Worth

_DEEPEST = 4
_MANY = 8
_MOST_LUCKY = 10
_MOST_UNMADE = 4
_WORKS = 1_000
"""Failures that count for nothing once inputs of a class were made."""
_LIKELY, _LIKELY_ELSEWHERE, _HARDLY = 0.95, 0.65, 0.3
"""How often an object is a real one: of the module itself, of another one, of a class that could not be made so far."""
_MOST_WAYS = 12
_BY_FACTORY = 0.12
_MOST_PREPARED = 3
_CLASS_NAME = re.compile(r"(^|_)(cls|class|klass|type|typ|tp|annotation|hint)_?$")
_OBJECT = object()
"""The type of those objects that the module itself holds."""
_TEXT_STREAMS = frozenset({"io.StringIO", "io.TextIOWrapper", "io.TextIOBase", "typing.TextIO"})
_BYTE_STREAMS = frozenset({"io.BytesIO", "io.BufferedReader", "io.RawIOBase", "io.BufferedIOBase", "typing.BinaryIO"})
_ANY_STREAMS = frozenset({"io.IOBase", "typing.IO"})
_PATHS = frozenset({"pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"})


class Inputs(Texts):
    """Makes expressions, at random but the same for the same seed."""

    def __init__(self, chance: Random, module: types.ModuleType, words: Words, signature: Any) -> None:
        super().__init__(chance, words)
        self._module = module
        self._package = module.__name__.partition(".")[0]
        self._signature = signature
        """callable -> its parameters"""
        self.tries = Counter[type]()
        """how often an object of a class was made, or not"""
        self.visible = [
            value for value in dict.fromkeys(v for v in vars(module).values() if isinstance(v, type)) if place_of(value)
        ]
        self._objects = [
            Name(module.__name__, name)
            for name, value in vars(module).items()
            if not name.startswith("__") and is_object(value)
        ]
        """objects that the module itself holds, such as marks and members"""
        self.unmade = Counter[tuple[str, str]]()
        """how often inputs could not be made with a call of it, which has never worked: a mock is better then"""
        self.worth = Worth()
        self.lucky: dict[str, list[Expr]] = {}
        """arguments that led to something, by the names of their parameters"""
        self.is_late = False
        """whether most of the time for a search is over, so that also what is seldom a good test is tried"""
        self.factories: dict[type, list[Expr]] = {}
        """ways to make objects of a class that are known to work"""
        self._factories = Factories()
        self.kinds = Kinds((), ())
        """classes and the like that a test makes itself"""

    def parameters_of(self, called: Any) -> list[Parameter] | None:
        """What something that can be called takes; None where nobody knows."""
        found: list[Parameter] | None = self._signature(called)
        return found

    # Arguments

    def arguments(self, parameters: list[Parameter], depth: int = 0) -> tuple[tuple[Expr, ...], Keywords]:
        """Arguments for a call."""
        positional: list[Expr] = []
        keywords: list[tuple[str, Expr]] = []
        by_name = False
        optional = sum(each.optional for each in parameters)
        # Of very many only a few are given at a time: each of them may be what does not fit.
        left_out = 1 - (0.5 if depth == 0 else 0.2) * min(1.0, _MANY / max(optional, 1))
        for each in parameters:
            match each.kind:
                case inspect.Parameter.VAR_POSITIONAL:
                    if not by_name:
                        positional += [self.parameter(each, depth + 1) for _ in range(self.chance.randrange(3))]
                case inspect.Parameter.VAR_KEYWORD:
                    names = [name for name in self.near.texts if name.isidentifier()] or ["key"]
                    for _ in range(self.chance.choice((0, 0, 0, 1))):
                        keywords.append((self.chance.choice(names), self.parameter(each, depth + 1)))
                case _ if each.optional and self.chance.random() < left_out:
                    by_name = True
                case inspect.Parameter.KEYWORD_ONLY:
                    keywords.append((each.name, self.parameter(each, depth)))
                case _ if by_name and each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
                    keywords.append((each.name, self.parameter(each, depth)))
                case _ if not by_name:
                    positional.append(self.parameter(each, depth))
        return tuple(positional), tuple(dict(keywords).items())

    def remember(self, parameters: list[Parameter], given: tuple[Expr, ...], named: Keywords) -> None:
        """Arguments of a call that led to something: others with a parameter of the same name may want the same."""
        positional = zip((each.name for each in parameters if each.kind is not each.kind.VAR_POSITIONAL), given)
        for name, expr in (*positional, *named):
            if expr == mock():
                continue
            known = self.lucky.setdefault(name, [])
            if expr not in known and size(expr) <= _MOST_LUCKY:
                known.append(expr)
                del known[:-_MOST_LUCKY]
            if isinstance(expr, Code) and not expr.module and expr.text[:1] in "'\"":
                self.keep_text(expr.text)

    def note_made(self, expr: Expr, broken: tuple[str, str] | None, acted: bool) -> None:
        """Whether what makes the inputs works: what has failed is to blame, and nothing that was to be given it."""
        if broken is not None:
            self.unmade[broken] += 1
        elif acted:
            for each in inside(within(expr)[1]):
                if isinstance(each, Call):
                    self.unmade[each.module, each.name] = -_WORKS

    def may_be_made(self, expr: Expr) -> bool:
        """Whether to try inputs among which there is one that was never made: the more often not, the less."""
        calls = (each for each in inside(within(expr)[1]) if isinstance(each, Call))
        failed = max((self.unmade[each.module, each.name] for each in calls), default=0)
        return failed <= _MOST_UNMADE or self.chance.random() < _MOST_UNMADE / failed

    def note_way(self, cls: type, expr: Expr) -> None:
        """A call has made an object; one for which something was prepared counts as long as there is no other."""
        ways = self.factories.setdefault(cls, [])
        plain = not isinstance(expr, Given)
        if plain and ways and isinstance(ways[0], Given):
            ways.clear()
        most = _MOST_WAYS if plain else _MOST_PREPARED * (not ways or isinstance(ways[0], Given))
        if expr not in ways and len(ways) < most and not isinstance(within(expr)[1], Block):
            ways.append(expr)

    def parameter(self, parameter: Parameter, depth: int = 0) -> Expr:
        """A value for a parameter: of its type, mostly; of the type of its default; of what it is tested to be."""
        hint, uses = parameter.hint, parameter.uses
        known = self.lucky.get(parameter.name, ()) or self.kinds.classes * bool(_CLASS_NAME.search(parameter.name))
        if known and self.chance.random() < 0.25:
            return self.chance.choice(known)
        roll = self.chance.random()
        if hint is not None and hint is not Any:
            if parameter.optional and parameter.default is None and roll < 0.1:
                return Code("None")
            if uses.classes and roll > 0.85:
                return self.value(self.chance.choice(uses.classes), depth + 1)
            return self.value(hint, depth) if roll < 0.97 else self.anything(depth)
        choices: list[Any] = [*uses.classes]
        if parameter.optional and parameter.default is not None:
            choices.append(type(parameter.default))
        if uses.guess is not None:
            choices += [uses.guess] * 2
        if choices and roll < 0.65:
            return self.value(self.chance.choice(choices), depth)
        if uses.attributes and roll < 0.9:
            return self.with_attributes(uses.attributes, depth)
        return self.anything(depth)

    # Values of a type

    def value(self, hint: Any, depth: int = 0) -> Expr:
        """An expression for a value of a type."""
        match hints.read(hint, lambda text: hints.evaluate(text, vars(self._module))):
            case hints.Constants(values) if values:
                return Code(repr(self.chance.choice(values)))
            case hints.Choice(members):
                return self.value(self.chance.choice(members), depth)
            case hints.ClassBelow(base):
                return self._class(base)
            case hints.Function(result):
                return self.function(result, depth)
            case hints.Row(items, repeated):
                return self._tuple(items, repeated, depth)
            case hints.Collection(_, kind, arguments):
                return self._collection(kind, arguments, depth)
            case hints.Instance(cls):
                return self.instance(cls, depth)
        return self.anything(depth)

    def _collection(self, kind: str, arguments: tuple[Any, ...], depth: int) -> Expr:
        element = arguments[0] if arguments else Any
        if kind == "dict":
            return self._dict(element, arguments[1] if len(arguments) > 1 else Any, depth)
        if kind in ("set", "frozenset"):
            return Items(kind, tuple(dict.fromkeys(self._hashable(element, depth) for _ in range(self._length(depth)))))
        listed = self._items(element, depth)
        iterates = kind == "iterator" and self.chance.random() < 0.5
        return Call("builtins", "iter", (listed,)) if iterates else listed

    def _length(self, depth: int) -> int:
        return 0 if depth >= _DEEPEST else self.chance.choice((0, 1, 1, 2, 2, 3))

    def _items(self, element: Any, depth: int) -> Expr:
        return Items("list", tuple(self.value(element, depth + 1) for _ in range(self._length(depth))))

    def _tuple(self, items: tuple[Any, ...], repeated: bool, depth: int) -> Expr:
        if repeated or not items:
            items = (items[0] if items else Any,) * self._length(depth)
        return Items("tuple", tuple(self.value(each, depth + 1) for each in items))

    def _dict(self, key: Any, value: Any, depth: int) -> Expr:
        if key is Any:
            # Either all keys are words, or all are objects of the module.
            key = _OBJECT if self._objects and self.chance.random() < 0.3 else str
        pairs = {self._hashable(key, depth): self.value(value, depth + 1) for _ in range(self._length(depth))}
        return Entries(tuple(pairs.items()))

    def _hashable(self, hint: Any, depth: int) -> Expr:
        if hint is _OBJECT:
            return self.chance.choice(self._objects)
        made = self.value(str if hint is Any else hint, depth + 1)
        return self.text() if isinstance(made, (Items, Entries)) and getattr(made, "kind", "") != "tuple" else made

    def _plain(self, hint: Any) -> Code | None:
        if hint is str:
            return self.text()
        if hint is bool:
            return Code(self.chance.choice(("True", "False")))
        if hint is int:
            return self.number()
        if hint is float:
            plain = Code(self.chance.choice(("0.0", "1.5", "-2.0", "1e9", "0.1")))
            return plain if self.chance.random() < 0.6 else self.number()
        if hint is bytes:
            known = [*self.asked.blobs, *self.near.blobs, *self.words.blobs]
            return Code(repr(self.chance.choice([b"", b"a", b"abc", b"a\nb", *known])))
        return None

    def function(self, result: Any, depth: int) -> Expr:
        """Something to call that gives a value of a type, or a simple one."""
        if result is None or result is Any or isinstance(result, (typing.TypeVar, list)):
            if self.chance.random() < 0.15:
                # One that calls back.
                given = ", ".join(self._plain_text() for _ in range(self.chance.randrange(3)))
                return Code(f"lambda *args, **kwargs: [each({given}) for each in args if callable(each)]")
            bodies = ("None", "args[0] if args else None", "True", "False", "1", "'a'", "[]")
            return Code(f"lambda *args, **kwargs: {self.chance.choice(bodies)}")
        made = self.value(result, depth + 1)
        if isinstance(made, Code) and not made.module:
            return Code(f"lambda *args, **kwargs: {made.text}")
        return Call("unittest.mock", "Mock", (), (("return_value", made),))

    def _plain_text(self) -> str:
        return self.chance.choice((self.text().text, self.number().text, "[]", "None"))

    def _class(self, base: Any) -> Expr:
        classes = [each for each in self.visible if isinstance(base, type) and is_below(each, base)]
        if isinstance(base, type) and place_of(base):
            classes.append(base)
        if base in (object, Any) and self.kinds.classes and self.chance.random() < 0.6:
            return self.chance.choice(self.kinds.classes)
        return _name(self.chance.choice(classes)) if classes else Code("int")

    def instance(self, cls: type, depth: int) -> Expr:
        """An object of a class: a member, by a recipe, by its constructor, or a mock in its place."""
        if (member := self._member(cls)) is not None:
            return member
        if issubclass(cls, enum.Enum) and cls.__module__ == "enum":
            return Code(f"enum.{cls.__name__}('Made', 'A B').A", "enum")
        plain = self._plain(cls)
        if plain is not None:
            return plain
        if any(cls is each for each in (list, tuple, set, frozenset, dict)):
            return self.value(cls, depth)
        if issubclass(cls, ast.AST) and self.chance.random() < 0.6 and place_of(cls):
            # Few modules are about syntax trees.
            from everypath.languages.python.probing.syntax import node

            return node(self, cls, depth)
        stream = self._stream(cls)
        if stream is not None and self.chance.random() < 0.8:
            return stream
        known = samples_of(cls)
        if known is not None:
            return Code(self.chance.choice(known.all), known.module)
        if depth > _DEEPEST:
            return mock()
        ways = self.factories.get(cls, [])
        if ways and self.chance.random() < 0.5:
            return self.chance.choice(ways)
        return self._new(cls, depth)

    def _member(self, cls: type) -> Expr | None:
        """A member of an enumeration, None for other classes: calling the class makes none."""
        members = list(cls) if issubclass(cls, enum.Enum) else []
        place = place_of(cls) if members else None
        return Name(place[0], f"{place[1]}.{self.chance.choice(members)._name_}") if place is not None else None

    def _stream(self, cls: type) -> Expr | None:
        """A stream or path with a text of the program, which can be varied."""
        name = f"{cls.__module__.lstrip('_')}.{cls.__qualname__}"
        if name in _TEXT_STREAMS or (name in _ANY_STREAMS and self.chance.random() < 0.5):
            return Call("io", "StringIO", (self.text(),))
        if name in _BYTE_STREAMS or name in _ANY_STREAMS:
            text = ast.literal_eval(self.text().text).encode("utf-8", "replace")
            return Call("io", "BytesIO", (Code(repr(text)),))
        if name in _PATHS and self.chance.random() < 0.5:
            return Call("pathlib", cls.__name__, (self.text(),))
        return None

    def _new(self, cls: type, depth: int) -> Expr:
        """A new object of a class, or of one below it."""
        below = [each for each in self.visible if is_below(each, cls) and not inspect.isabstract(each)]
        chosen = self.chance.choice([*below, cls]) if below else cls
        if getattr(chosen, "_is_protocol", False) or not place_of(chosen):
            return self._mock_of(chosen)
        if inspect.isabstract(chosen):
            return self._stub(chosen, depth) if self.chance.random() < 0.5 else self._mock_of(chosen)
        own = "__init__" in vars(chosen) and chosen.__module__ != "builtins"
        if issubclass(chosen, BaseException) and not own:
            return Call(*_place(chosen), (self.text(),))
        likely = _LIKELY
        if chosen.__module__ != self._module.__name__ and not _is_of_library(chosen):
            likely = _LIKELY_ELSEWHERE * self.worth.of(_place(chosen))
        failed = self.unmade[_place(chosen)]
        if failed > _MOST_UNMADE:
            # The more often, the less can be hoped for.
            likely = min(likely, _HARDLY * _MOST_UNMADE / failed)
        return self.made(chosen, depth) if self.chance.random() < likely else self._mock_of(chosen)

    def made(self, cls: type, depth: int) -> Expr:
        """A call of the class, or of what says that it gives such objects; a member of an enumeration."""
        if (member := self._member(cls)) is not None:
            return member
        if (given := self._given_by_factory(cls, depth)) is not None:
            return given
        if inspect.isabstract(cls) and place_of(cls):
            return self._stub(cls, depth)
        parameters = self._signature(cls)
        if parameters is None or not place_of(cls):
            return self._mock_of(cls)
        module, name = _place(cls)
        return Call(module, name, *self.arguments(parameters, depth + 1))

    def _given_by_factory(self, cls: type, depth: int) -> Expr | None:
        ways = self._factories.of(cls)
        if not ways or self.chance.random() > _BY_FACTORY or depth > _DEEPEST:
            return None
        chosen = self.chance.choice(ways)
        parameters = self._signature(chosen.called) or []
        if chosen.owner is None:
            return Call(chosen.module, chosen.qualname, *self.arguments(parameters, depth + 1))
        if chosen.owner is cls:
            return None
        receiver, name = self.made(chosen.owner, depth + 2), chosen.qualname.rpartition(".")[2]
        return Method(receiver, name, *self.arguments(parameters[1:], depth + 1))

    def _stub(self, cls: type, depth: int) -> Expr:
        """An object of a subclass in which every abstract method does something simple."""
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        body = Entries(tuple((Code(repr(name)), self.function(None, depth + 1)) for name in missing))
        made = Call("builtins", "type", (Code(repr(f"Stub{cls.__name__}")), Items("tuple", (_name(cls),)), body))
        return Method(made, "__call__", *self.arguments(self._signature(cls) or [], depth + 1))

    def _mock_of(self, cls: type) -> Expr:
        # A mock of a class costs a hundred times one of nothing, and is seldom needed.
        if not place_of(cls) or self.chance.random() < 0.8:
            return mock()
        return Call("unittest.mock", "MagicMock", (), (("spec", _name(cls)),))

    def with_attributes(self, names: tuple[str, ...], depth: int) -> Expr:
        """An object that has these attributes: of a class at hand, or made up."""
        fitting = [each for each in self.visible if all(hasattr(each, name) for name in names)]
        builtin = [each for each in (str, list, dict, set, bytes, int, tuple) if all(hasattr(each, n) for n in names)]
        if builtin and self.chance.random() < 0.8:
            return self.value(self.chance.choice(builtin[:2]), depth)
        if fitting and self.chance.random() < 0.7:
            return self.instance(self.chance.choice(fitting), depth)
        if self.chance.random() < 0.5:
            return mock()
        given = [(name, self.anything(depth + 1)) for name in names if not name.startswith("__")]
        return _made_up(self.chance.random() < 0.6, tuple(given))

    def anything(self, depth: int) -> Expr:
        """A value of whatever type."""
        known = self.kinds.classes + self.kinds.others
        if known and self.chance.random() < 0.15:
            return self.chance.choice(known)
        roll = self.chance.random()
        if roll < 0.33:
            return self.text()
        if roll < 0.5:
            return self.chance.choice((self.number(), Code("None"), Code("True"), Code("1.5"), Code("False")))
        if roll < 0.64:
            return self._items(Any, depth)
        if roll < 0.78:
            return self._dict(str, Any, depth)
        if roll < 0.84:
            return self.function(None, depth)
        if roll < 0.86 and self._objects:
            return self.chance.choice(self._objects)
        if roll < 0.9 and self.asked.classes | self.near.classes:
            chosen = self.chance.choice(list(self.asked.classes | self.near.classes))
            return self.instance(chosen, depth + 1) if self.chance.random() < 0.7 else self._class(chosen)
        if roll < 0.95 and self.visible:
            own = [each for each in self.visible if each.__module__.partition(".")[0] == self._package]
            return self.instance(self.chance.choice(own or self.visible), depth + 1)
        return self.chance.choice((mock(), Code("(1, 2)"), Code("b'ab'"), Code("{1}"), Code("object()"), Code("int")))


def _is_of_library(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in sys.stdlib_module_names


def mock() -> Expr:
    """Something that answers whatever it is asked."""
    # An expression of its own each time, so that what it makes can be traced back to it.
    return Call("unittest.mock", "MagicMock")


def _made_up(namespace: bool, given: Keywords) -> Expr:
    return Call("types", "SimpleNamespace", (), given) if namespace else Call("unittest.mock", "MagicMock", (), given)


def _place(value: Any) -> tuple[str, str]:
    found = place_of(value)
    assert found is not None
    return found


def _name(cls: Any) -> Name:
    return Name(*_place(cls))
