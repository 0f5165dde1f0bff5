"""Annotations to types.

An annotation says which values may come in, and the type which of them are made up. Where an interface is meant, such
as `Iterable`, one class that has it stands for all: a list. What no values can be made of is noted as unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import NoneType

from everypath.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    FUNCTION,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    FunctionType,
    FutureType,
    ListType,
    Scalar,
    SetType,
    TupleType,
    Type,
    class_of,
    options_of,
    union,
)
from everypath.languages.python.cards.index import ALIASES, COLLECTIONS, SAMPLED
from everypath.languages.python.frontend.names import (
    BuiltinName,
    ClassName,
    ConstantName,
    Denotation,
    ExternalName,
    FunctionName,
    UndefinedName,
)
from everypath.records import dataclass, field, replace

_SCALARS: dict[str, Type] = {
    "int": INT, "bool": BOOL, "str": STR, "float": FLOAT, "bytes": BYTES, "bytearray": BYTES, "None": NONE,
    "NoneType": NONE, "Text": STR, "AnyStr": STR, "LiteralString": STR, "Hashable": ANY, "SupportsInt": INT,
    "SupportsIndex": INT, "SupportsFloat": FLOAT, "Integral": INT, "Real": FLOAT, "Number": FLOAT,
}  # fmt: skip
_LISTS = frozenset(
    "list List Sequence MutableSequence Iterable Collection Container Reversible Iterator Generator UserList".split()
)
_SETS = frozenset("set Set AbstractSet MutableSet frozenset FrozenSet".split())
_FROZEN = frozenset(("frozenset", "FrozenSet"))
_DICTS = frozenset("dict Dict Mapping MutableMapping".split())
_PLAIN: dict[str, Type] = {
    **_SCALARS, **dict.fromkeys(_LISTS, ListType(ANY)), **{kind: SetType(ANY, kind in _FROZEN) for kind in _SETS},
    **dict.fromkeys(_DICTS, DictType(ANY, ANY)), **dict.fromkeys(("tuple", "Tuple"), TupleType((), ANY)),
    **dict.fromkeys(("Any", "object", "TypeVar", "ParamSpec"), ANY), "Callable": FUNCTION,
}  # fmt: skip
"""What annotations mean that say nothing about elements."""
_CLASSES = frozenset("int str float bool bytes".split())
_AWAITED = frozenset("Awaitable Coroutine".split())
_WRAPPERS = frozenset("Final ClassVar Annotated Required NotRequired ReadOnly InitVar".split())
_UNSEEN = _LISTS | _SETS | _DICTS | {"Optional", "Union", "Any", "Tuple", "Callable"}
_LIKE: dict[str, Type] = {**ALIASES, "os.PathLike": STR, "numbers.Complex": FLOAT, "numbers.Rational": INT}
"""Classes of the library -> what stands for their objects."""
_TYPING = tuple(
    f"{module}."
    for module in "typing typing_extensions collections.abc collections types numbers re dataclasses".split()
)

# A boolean is an integer for `isinstance`, so that its row comes first.
_LITERALS: tuple[tuple[type, Type], ...] = ((bool, BOOL), (int, INT), (str, STR), (float, FLOAT), (bytes, BYTES))
PREDEFINED: dict[str, Type] = {
    "int": INT, "str": STR, "float": FLOAT, "bool": BOOL, "bytes": BYTES, "list": ListType(ANY),
    "dict": DictType(ANY, ANY), "set": SetType(ANY), "frozenset": SetType(ANY, frozen=True),
    "tuple": TupleType((), ANY),
}  # fmt: skip
"""Predefined classes and the types of their objects."""

Resolve = Callable[[ast.expr], Denotation]


@dataclass(slots=True)
class AnnotationReader:
    """Reads annotations of one scope; what it does not understand is collected in `unknown`."""

    resolve: Resolve
    """what a name or attribute chain denotes"""
    alias: Callable[[ast.expr], tuple[ast.expr, AnnotationReader] | None]
    """the definition of a type alias, if the expression names one, and the reader of the module that it stands in"""
    bring: Callable[[str, str], object]
    """makes a class of a library module part of the program"""
    self_type: Type = ANY
    generic: frozenset[str] = frozenset()
    """names of type parameters"""
    interface: Callable[[str], Type | None] = lambda path: None
    """makes something that stands in for objects of a library class part of the program"""
    filled_in: Callable[[str, tuple[Type, ...]], Type | None] = lambda cls, types: None
    """the type of objects of an interface whose type parameters are these"""
    bound: Mapping[str, Type] = field(default_factory=dict)
    """what type parameters stand for"""
    unknown: list[str] = field(default_factory=list)
    wide: list[str] = field(default_factory=list)
    """what values of one type only are made of, although it is declared to be more"""
    _depth: int = 0

    def read(self, node: ast.expr | None) -> Type:
        """The type that an annotation describes; ANY when there is none."""
        if node is None:
            return ANY
        # An alias may be defined by way of itself.
        if self._depth > 20:
            return self._unknown(node)
        self._depth += 1
        try:
            return self._read(node)
        finally:
            self._depth -= 1

    def _read(self, node: ast.expr) -> Type:
        match node:
            case ast.Constant(value=None):
                return NONE
            case ast.Constant(value=str() as text):
                try:
                    return self.read(ast.parse(text.strip(), mode="eval").body)
                except (SyntaxError, ValueError):
                    return self._unknown(node)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._union([left, right])
            case ast.Subscript():
                return self._subscript(node)
            case ast.Attribute(value=ast.Name() as owner, attr="args" | "kwargs") if self._is_parameters(owner):
                # What a function takes of which only that is known: nothing needs to be passed.
                return INT
            case ast.Name() | ast.Attribute():
                return self._named(node)
            case _:
                return self._unknown(node)

    def _kind(self, node: ast.expr) -> str:
        match self.resolve(node):
            case BuiltinName(name):
                return name
            case ExternalName(name):
                prefix = next((p for p in _TYPING if name.startswith(p)), None)
                return name.removeprefix(prefix) if prefix else ""
            case FunctionName("typing", name):
                # There is a model of what it does when the program runs.
                return name
            case UndefinedName(name):
                # Names of `typing` are understood even where their import is not seen.
                return name if name in _UNSEEN else ""
            case _:
                return ""

    def _named(self, node: ast.expr) -> Type:
        if isinstance(node, ast.Name) and node.id in self.bound:
            return self.bound[node.id]
        if isinstance(node, ast.Name) and node.id in self.generic:
            return self._any(node)
        denoted = self.resolve(node)
        if isinstance(denoted, ClassName):
            return self.interface(denoted.name) or ClassType(denoted.name)
        if isinstance(denoted, ConstantName) and denoted.value is None:
            return NONE
        kind = self._kind(node)
        if kind == "Self":
            return self.self_type
        if kind in _PLAIN:
            self._note_wide(node, kind)
            return _PLAIN[kind]
        if library := self._library(denoted):
            return library
        if found := self.alias(node):
            return self._of_alias(*found, [])
        return self._unknown(node)

    def _of_alias(self, definition: ast.expr, reader: AnnotationReader, arguments: list[ast.expr]) -> Type:
        """The type that an alias is defined as, with types for its parameters in the order in which it names them."""
        # In the names of the module that defines the alias, but as part of this annotation.
        reader.unknown, reader.wide, reader._depth = self.unknown, self.wide, self._depth
        if arguments:
            named = sorted((n.lineno, n.col_offset, n.id) for n in ast.walk(definition) if isinstance(n, ast.Name))
            names = dict.fromkeys(name for _, _, name in named)
            parameters = (name for name in names if reader._is_made_by(name, "TypeVar"))
            reader.bound = {**reader.bound, **dict(zip(parameters, map(self.read, arguments)))}
        return reader._definition(definition)

    def _is_made_by(self, name: str, maker: str) -> bool:
        """Whether a name is what a function of `typing` gives, such as a type variable."""
        found = self.alias(ast.Name(name, ast.Load()))
        return found is not None and isinstance(found[0], ast.Call) and found[1]._kind(found[0].func) == maker

    def _is_parameters(self, node: ast.Name) -> bool:
        """Whether a name stands for the parameters of some function."""
        return node.id in self.generic or self._is_made_by(node.id, "ParamSpec")

    def _definition(self, value: ast.expr) -> Type:
        if isinstance(value, ast.Call):
            made = self._kind(value.func)
            if made == "NewType" and len(value.args) == 2:
                return self.read(value.args[1])
            if made == "TypeVar":
                return self._of_variable(value)
            return self._unknown(value)
        return self.read(value)

    def _of_variable(self, made: ast.Call) -> Type:
        """The types that a variable admits: each use of it in one signature or class means the same of them."""
        bound = next((k.value for k in made.keywords if k.arg == "bound"), None)
        if bound is None and len(made.args) < 2:
            return self._any(made)
        found = self.read(bound) if bound is not None else self._union(made.args[1:])
        if len(options_of(found)) > 1:
            self.wide.append(ast.unparse(made))
        return found

    def _subscript(self, node: ast.Subscript) -> Type:
        kind = self._kind(node.value)
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if kind == "Optional":
            return self._union([ast.Constant(None), arguments[0]])
        if kind == "Union":
            return self._union(arguments)
        if kind == "Literal":
            return union(tuple(self._literal(a) for a in arguments))
        if kind in _WRAPPERS:
            return self.read(arguments[0])
        if kind == "Callable":
            return self._function(arguments)
        if kind in ("type", "Type"):
            return self._class(arguments[0])
        if kind in _LISTS:
            self._note_wide(node, kind)
            return ListType(self.read(arguments[0]))
        if kind in _SETS:
            return SetType(self.read(arguments[0]), frozen=kind in _FROZEN)
        if kind in _DICTS and len(arguments) == 2:
            return DictType(self.read(arguments[0]), self.read(arguments[1]))
        if kind in ("tuple", "Tuple"):
            return self._tuple(arguments)
        return self._of_class(node, arguments)

    def _of_class(self, node: ast.Subscript, arguments: list[ast.expr]) -> Type:
        """A class with the types that its objects hold or work with."""
        denoted = self.resolve(node.value)
        types = tuple(map(self.read, arguments)) if isinstance(denoted, ClassName) else ()
        if isinstance(denoted, ClassName) and denoted.name not in COLLECTIONS:
            return self.filled_in(denoted.name, types) or ClassType(denoted.name)
        found = ClassType(denoted.name) if isinstance(denoted, ClassName) else self._library(denoted)
        if isinstance(found, ClassType) and found.name in COLLECTIONS:
            # Also by an alias, such as `typing.Deque`.
            return COLLECTIONS[found.name].holding(types or tuple(map(self.read, arguments)))
        if found is None and (alias := self.alias(node.value)):
            return self._of_alias(*alias, arguments)
        return found or self._unknown(node)

    def _function(self, arguments: list[ast.expr]) -> Type:
        """`Callable[[A, B], R]` and `Callable[..., R]`"""
        if len(arguments) != 2:
            return FUNCTION
        taken, before = arguments[0], len(self.unknown)
        parameters = TupleType(tuple(map(self.read, taken.elts))) if isinstance(taken, ast.List) else TupleType((), ANY)
        found = FunctionType(self.result(arguments[1]), parameters)
        # It is a function, whatever it takes and gives.
        del self.unknown[before:]
        return found

    def result(self, node: ast.expr) -> Type:
        """What a function gives by its annotation, as a future where the caller has to await it."""
        match node:
            case ast.Constant(value=str() as text) if "[" in text:
                return self.result(ast.parse(text.strip(), mode="eval").body)
            case ast.Subscript(value=value, slice=inner) if self._kind(value) in _AWAITED:
                return FutureType(self.read(inner.elts[-1] if isinstance(inner, ast.Tuple) else inner))
        return self.read(node)

    def _class(self, node: ast.expr) -> Type:
        """`type[C]`"""
        match self.read(node):
            case ClassType(name):
                return class_of(name)
            case Scalar(name) if name in _CLASSES:
                return class_of(name)
            case ListType():
                return class_of("list")
            case DictType():
                return class_of("dict")
        return self._unknown(node)

    def _library(self, denoted: Denotation) -> Type | None:
        """The type of a library class; our version of it becomes part of the program."""
        found = library_type(denoted)
        if isinstance(found, ClassType):
            self.bring(*found.name.split("."))
        if found is None and isinstance(denoted, ExternalName):
            return self.interface(denoted.name)
        return found

    def _union(self, options: list[ast.expr]) -> Type:
        """The union of the options that are understood; one that is not is left out as long as another one is."""
        known: list[Type] = []
        for option in options:
            before = len(self.unknown)
            type_ = self.read(option)
            if type_ != ANY or len(self.unknown) == before:
                known.append(type_)
        return union(tuple(known)) if known else ANY

    def _tuple(self, arguments: list[ast.expr]) -> Type:
        if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is Ellipsis:
            return TupleType((), self.read(arguments[0]))
        if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple) and not arguments[0].elts:
            return TupleType(())
        return TupleType(tuple(self.read(a) for a in arguments))

    def _literal(self, node: ast.expr) -> Type:
        value = node.operand if isinstance(node, ast.UnaryOp) else node
        if isinstance(value, ast.Constant) and isinstance(value.value, (int, str, bytes, NoneType)):
            scalar = scalar_type(value.value)
            return replace(scalar, values=(ast.literal_eval(node),)) if isinstance(scalar, Scalar) else NONE
        return self._unknown(node)

    def _any(self, node: ast.expr) -> Type:
        """Any type will do for a type variable without constraints, and integers are the easiest to read."""
        self.wide.append(ast.unparse(node))
        return INT

    def _note_wide(self, node: ast.expr, kind: str) -> None:
        """A list stands for an iterator, as far as the code only goes through it; anything for `Any`."""
        if kind in ("Iterator", "Generator") or _PLAIN[kind] == ANY:
            self.wide.append(ast.unparse(node))

    def _unknown(self, node: ast.expr) -> Type:
        self.unknown.append(ast.unparse(node))
        self.wide.append(self.unknown[-1])
        return ANY


def library_type(denoted: Denotation) -> Type | None:
    """The type of a library class whose objects are used as they are, such as a date; None for any other class."""
    if isinstance(denoted, (ExternalName, BuiltinName)):
        name = denoted.name
        return SAMPLED[name].type if name in SAMPLED else _LIKE.get(name)
    return None


def scalar_type(value: object) -> Type | None:
    """The type of a plain value; None for any other value, None itself included."""
    return next((scalar for type_, scalar in _LITERALS if isinstance(value, type_)), None)
