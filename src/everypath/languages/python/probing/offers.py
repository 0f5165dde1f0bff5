"""What a module offers to callers, as the imported module itself tells: functions, classes, methods, properties."""

from __future__ import annotations

import ast
import enum
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from everypath.languages.python.probing.expressions import (
    After,
    Assigned,
    Attribute,
    Call,
    Code,
    Entries,
    Expr,
    Items,
    Method,
    Name,
    is_below,
    place_of,
)
from everypath.languages.python.probing.signatures import (
    Parameter,
    Uses,
    commented_hints,
    definition_of,
    described_hints,
    forwarded,
    hints_of,
)
from everypath.languages.python.probing.varying import Maker
from everypath.records import dataclass, field, replace

_LEFT_ALONE = frozenset(
    "__new__ __del__ __init_subclass__ __class_getitem__ __getattribute__ __subclasshook__ __reduce__ __reduce_ex__"
    " __getnewargs__ __init__".split()
)
_COMPARING = frozenset("__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ __sub__ __or__ __and__ __xor__".split())
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_MOST_CALLS_BEFORE = 3
_MOST_TRIES = 12
_ALSO_WITHOUT = 0.25
"""How often, late in a search, a method is called without an object that its constructor has made."""


@dataclass(slots=True)
class Offer:
    """Something that a test can call."""

    qualname: str
    kind: str
    """function, method, static, class, property, setter or constructor"""
    called: Any
    """what has the signature"""
    owner: type | None = None
    first: int = 0
    last: int = 0
    parameters: list[Parameter] | None = field(default_factory=list)
    lines: frozenset[int] | None = None
    """its own lines, if these are not all from the first to the last"""

    def holds(self, line: int) -> bool:
        """Whether a line is one of its own."""
        return self.first <= line <= self.last and (self.lines is None or line in self.lines)

    @property
    def name(self) -> str:
        """Its name alone."""
        return self.qualname.rpartition(".")[2]

    @property
    def private(self) -> bool:
        """Whether its author means it for the module alone."""
        return any(part.startswith("_") and not part.endswith("__") for part in self.qualname.split("."))


class Offers:
    """Everything that a module offers, with what is known about the parameters."""

    def __init__(self, module: types.ModuleType, tree: ast.Module, guesses: Mapping[str, Mapping[str, str]]) -> None:
        self._module = module
        self._guesses = guesses
        self._definitions = dict(_definitions(tree))
        self._cached: dict[int, list[Parameter] | None] = {}
        self.all = [each for each in self._find() if self._complete(each)]

    def _find(self) -> Iterator[Offer]:
        for name, value in list(vars(self._module).items()):
            if getattr(value, "__module__", None) != self._module.__name__:
                continue
            if isinstance(value, type):
                if value.__qualname__ == name:
                    yield from self._class(value)
            elif callable(value) and name in self._definitions:
                yield Offer(name, "function", value)

    def _class(self, cls: type) -> Iterator[Offer]:
        qualname = cls.__qualname__
        if not issubclass(cls, enum.Enum):
            yield Offer(qualname, "constructor", cls, cls)
        for name, value in list(vars(cls).items()):
            place = f"{qualname}.{name}"
            if isinstance(value, type) and value.__qualname__ == place:
                yield from self._class(value)
            elif (
                place not in self._definitions
                or name in _LEFT_ALONE
                or _is_left_to_subclasses(cls, value, self._definitions[place])
            ):
                continue
            elif isinstance(value, staticmethod):
                yield Offer(place, "static", value.__func__, cls)
            elif isinstance(value, classmethod):
                yield Offer(place, "class", getattr(cls, name), cls)
            elif isinstance(value, property):
                yield Offer(place, "property", value.fget, cls)
                if value.fset is not None:
                    yield Offer(place, "setter", value.fset, cls)
            elif callable(value):
                yield Offer(place, "method", value, cls)
            elif hasattr(value, "__get__"):
                yield Offer(place, "property", getattr(value, "func", None), cls)

    def _complete(self, offer: Offer) -> bool:
        definition = self._definitions.get(offer.qualname)
        if offer.kind == "constructor":
            definition = self._definitions.get(f"{offer.qualname}.__init__", definition)
            if offer.owner is not None and issubclass(offer.owner, type):
                definition = self._definitions.get(f"{offer.qualname}.__new__", definition)
        if definition is not None:
            offer.first, offer.last = definition.lineno, definition.end_lineno or definition.lineno
        if offer.kind == "constructor" and offer.owner is not None and issubclass(offer.owner, type):
            return True
        if offer.kind != "property":
            offer.parameters = self.parameters(offer.called, definition, offer.qualname)
            if offer.parameters and offer.kind in ("method", "setter"):
                offer.parameters = offer.parameters[1:]
            if offer.name in _COMPARING and offer.parameters and offer.parameters[0].hint is None and offer.owner:
                # Objects are mostly compared with others of their kind.
                known = offer.parameters[0]
                uses = Uses(known.uses.attributes, (*known.uses.classes, offer.owner), known.uses.guess)
                offer.parameters = [replace(known, uses=uses), *offer.parameters[1:]]
        return offer.parameters is not None

    def parameters(
        self, called: Any, definition: _Definition | None = None, qualname: str = ""
    ) -> list[Parameter] | None:
        """The parameters of something that can be called; None where nobody knows them."""
        key = id(called)
        if key not in self._cached:
            self._cached[key] = self._parameters(called, definition, qualname)
        return self._cached[key]

    def _parameters(self, called: Any, definition: _Definition | None, qualname: str) -> list[Parameter] | None:
        try:
            signature = inspect.signature(called)
        except Exception:
            return None
        module = self._module
        if definition is None or isinstance(definition, ast.ClassDef):
            definition, module = definition_of(called, self._module)
        hints = {**commented_hints(definition, module), **hints_of(called)}
        described = described_hints(self._definitions.get(qualname), definition, module=module)
        uses = _uses(definition, module) if definition is not None else {}
        guesses = self._guesses.get(qualname, {})
        found = []
        for each in signature.parameters.values():
            known = uses.get(each.name, Uses())
            known.guess = described.get(each.name, guesses.get(each.name))
            hint = hints.get(each.name)
            if hint is None and each.annotation is not inspect.Parameter.empty and not isinstance(each.annotation, str):
                hint = each.annotation
            optional = each.default is not inspect.Parameter.empty
            found.append(Parameter(each.name, each.kind, hint, optional, each.default if optional else None, known))
        if found and found[-1].kind is inspect.Parameter.VAR_KEYWORD:
            # Known before what it calls is looked at, because functions may pass keywords on to each other in a circle.
            self._cached[id(called)] = found
            taken = {each.name for each in found}
            passed = (*self._passed_on(definition, called, module), *_fields(called))
            more = [each for each in passed if each.name not in taken]
            found[-1:-1] = {each.name: each for each in more}.values()
        return found

    def _passed_on(self, definition: _Definition | None, called: Any, module: types.ModuleType) -> Iterator[Parameter]:
        """What a function does with its `**kwargs`: keywords that it takes out, and those of what it calls."""
        by_keyword = inspect.Parameter.KEYWORD_ONLY
        for name, target in forwarded(definition, called, module):
            if target is None:
                yield Parameter(name, by_keyword, optional=True)
            else:
                for each in self.parameters(target) or ():
                    if each.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, by_keyword) and each.name != "self":
                        yield replace(each, kind=by_keyword)


def candidate(offer: Offer, maker: Maker, others: list[Offer]) -> Expr:
    """One call of an offer, with fresh inputs."""
    owner, _, name = offer.qualname.rpartition(".")
    # A class may be false: its metaclass decides.
    module = (offer.called if offer.owner is None else offer.owner).__module__
    match offer.kind:
        case "constructor" if offer.owner is not None and issubclass(offer.owner, type):
            return _class_made_by(offer, maker)
        case "function" | "constructor":
            return Call(module, offer.qualname, *maker.arguments(offer.parameters or []))
        case "static" | "class":
            return Method(Name(module, owner), name, *maker.arguments(offer.parameters or []))
    assert offer.owner is not None
    if offer.kind == "method":
        likely = 0.6 if _is_hopeless(offer.owner, maker) else _ALSO_WITHOUT * maker.is_late
        if maker.chance.random() < likely:
            return _without_constructor(offer, maker)
    receiver = _receiver(offer.owner, maker, others)
    if offer.kind == "property":
        return Attribute(receiver, name)
    arguments, keywords = maker.arguments(offer.parameters or [])
    if offer.kind == "setter":
        return Assigned(receiver, name, arguments[0] if arguments else Code("None"))
    return Method(receiver, name, arguments, keywords)


def _without_constructor(offer: Offer, maker: Maker) -> Expr:
    """A call on a mock, or on an object as it is before its constructor runs, whose fields are set when asked for."""
    owner, _, name = offer.qualname.rpartition(".")
    arguments, keywords = maker.arguments(offer.parameters or [])
    assert offer.owner is not None
    cls = Name(offer.owner.__module__, owner)
    if maker.chance.random() < 0.5 and place_of(offer.owner):
        own = getattr(offer.owner, "__new__", None) is not object.__new__
        maker_of = cls if own else Name("builtins", "object")
        return Method(Method(maker_of, "__new__", (cls,)), name, arguments, keywords)
    return Method(cls, name, (Call("unittest.mock", "MagicMock"), *arguments), keywords)


def _fields(called: Any) -> Iterator[Parameter]:
    """The fields of a dataclass, which it takes by name wherever it takes any names."""
    declared: Any = getattr(called, "__dataclass_fields__", {}) if isinstance(called, type) else {}
    for name, each in declared.items():
        if getattr(each, "init", False):
            yield Parameter(name, inspect.Parameter.KEYWORD_ONLY, each.type, True)


def _class_made_by(offer: Offer, maker: Maker) -> Expr:
    """A call of a metaclass: a new class, below one that the metaclass has made before, with other attributes."""
    assert offer.owner is not None
    made = [each for each in maker.visible if type(each) is offer.owner and each.__module__ != "builtins"]
    base = maker.chance.choice(made) if made and maker.chance.random() < 0.8 else None
    pairs = {}
    for name, value in vars(base).items() if base is not None else ():
        if not name.startswith("__") and not callable(value) and maker.chance.random() < 0.5:
            pairs[Code(repr(name))] = maker.like(value)
    for name in maker.near.names:
        if maker.chance.random() < 1 / (2 + len(maker.near.names)):
            pairs.setdefault(Code(repr(name)), maker.anything(1))
    above = () if base is None else (Name(base.__module__, base.__qualname__),)
    arguments = (Code("'Made'"), Items("tuple", above), Entries(tuple(pairs.items())))
    return Call(offer.owner.__module__, offer.qualname, arguments)


def _is_hopeless(cls: type, maker: Maker) -> bool:
    """Whether no object of a class could be made so far, so that its methods get a mock in the place of one."""
    maker.tries[cls] += 1
    return maker.tries[cls] > _MOST_TRIES and not any(is_below(each, cls) for each in maker.factories)


def _receiver(cls: type, maker: Maker, others: list[Offer]) -> Expr:
    """An object whose method is called, sometimes after other calls."""
    ways = maker.factories.get(cls, [])
    made = maker.chance.choice(ways) if ways and maker.chance.random() < 0.6 else maker.made(cls, 0)
    methods = [
        each for each in others if each.owner is not None and each.kind == "method" and is_below(cls, each.owner)
    ]
    if not methods or maker.chance.random() < 0.5:
        return made
    calls = []
    for _ in range(maker.chance.randrange(1, _MOST_CALLS_BEFORE + 1)):
        chosen = maker.chance.choice(methods)
        calls.append((chosen.name, *maker.arguments(chosen.parameters or [], 1)))
    return After(made, tuple(calls))


def _is_left_to_subclasses(cls: type, member: Any, definition: _Definition | None) -> bool:
    """Whether a method has no body of its own here: nothing that a call of it does would tell anybody anything."""
    if definition is None:
        return True
    declares = getattr(member, "__isabstractmethod__", False) or getattr(cls, "_is_protocol", False)
    return bool(declares) and all(
        isinstance(each, ast.Pass) or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in definition.body
    )


def _definitions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, _Definition]]:
    """Functions and classes by their qualified names, those under a condition included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield f"{prefix}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield f"{prefix}{node.name}", node
            yield from _definitions(node, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from _definitions(node, prefix)


def _uses(definition: ast.AST, module: types.ModuleType) -> dict[str, Uses]:
    """What a function does with each name: the attributes it looks at and the classes it tests for."""
    attributes: dict[str, dict[str, None]] = {}
    classes: dict[str, dict[type, None]] = {}
    for node in ast.walk(definition):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                attributes.setdefault(name, {})[attr] = None
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[ast.Name(id=name), tested]):
                for part in ast.walk(tested):
                    found = _evaluated(part, module)
                    if isinstance(found, type):
                        classes.setdefault(name, {})[found] = None
    return {
        name: Uses(tuple(attributes.get(name, ())), tuple(classes.get(name, ()))) for name in {**attributes, **classes}
    }


def _evaluated(node: ast.AST, module: types.ModuleType) -> Any:
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return None
    try:
        return eval(compile(ast.Expression(node), "<test>", "eval"), {**vars(module)})
    except Exception:
        return None


Signature = Callable[[Any], list[Parameter] | None]
