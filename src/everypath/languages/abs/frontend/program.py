"""A checked program: what the front end hands to the lowering."""

from __future__ import annotations

from collections.abc import Iterator

from everypath.errors import Span
from everypath.languages.abs.frontend.tree import Expression, Variable
from everypath.languages.abs.frontend.tree_blocks import Block, Branch
from everypath.languages.abs.frontend.types import Type
from everypath.records import dataclass

INIT = "<init>"
"""The first values of fields and the init block, as a method; whoever creates the object runs it."""
RUN = "run"
"""The method that a new object is asked for at once."""
Key = tuple[str, str]
"""qualified class and method"""
MAIN: Key = ("<main>", "<main>")
"""The main block, as a method of a class."""


@dataclass(frozen=True, slots=True)
class Constructor:
    """A constructor of a data type, or an exception; its arguments may mention the data type's parameters."""

    span: Span
    name: str
    data: str
    arguments: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Data:
    """A data type; the types of numbers, strings and futures have no constructors."""

    span: Span
    name: str
    parameters: tuple[str, ...]
    constructors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Accessor:
    """A function that takes an argument out of a value: constructor -> position of the argument."""

    span: Span
    name: str
    data: str
    result: Type
    positions: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function; builtin when it has no body."""

    span: Span
    name: str
    type_parameters: tuple[str, ...]
    parameters: tuple[Variable, ...]
    result: Type
    body: Expression | None


@dataclass(frozen=True, slots=True)
class Signature:
    """What an interface says about a method."""

    span: Span
    name: str
    parameters: tuple[Variable, ...]
    result: Type
    interface: str
    """the interface that declares it"""


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface; `supers` and `methods` include what is inherited."""

    span: Span
    name: str
    extends: tuple[str, ...]
    supers: tuple[str, ...]
    methods: tuple[Signature, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field with its first value; None for class parameters and for references that start as null."""

    variable: Variable
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a class."""

    span: Span
    name: str
    parameters: tuple[Variable, ...]
    result: Type
    body: Block
    public: bool
    """whether an implemented interface declares it"""


@dataclass(frozen=True, slots=True)
class Class:
    """A class: parameters (which are fields too), then fields in order, then the init block, then `run` if any."""

    span: Span
    name: str
    parameters: tuple[Variable, ...]
    implements: tuple[str, ...]
    supers: tuple[str, ...]
    """every interface that its objects have"""
    fields: tuple[Field, ...]
    init: Block | None
    recover: tuple[Branch, ...]
    methods: tuple[Method, ...]

    def method(self, name: str) -> Method | None:
        """The method of that name."""
        return next((m for m in self.methods if m.name == name), None)


@dataclass(frozen=True, slots=True)
class Main:
    """The main block of a module."""

    span: Span
    module: str
    body: Block


@dataclass(frozen=True, slots=True)
class Program:
    """Everything by its qualified name, the standard library included; functions are first-order."""

    modules: tuple[str, ...]
    """the modules of the given files, in order"""
    data: dict[str, Data]
    constructors: dict[str, Constructor]
    accessors: dict[str, Accessor]
    functions: dict[str, Function]
    interfaces: dict[str, Interface]
    classes: dict[str, Class]
    mains: tuple[Main, ...]
    """the one that runs first, `Names.importing_first` says which that is; then those that it takes the place of"""

    @property
    def main(self) -> Main | None:
        """The main block that runs."""
        return self.mains[0] if self.mains else None

    def bodies(self) -> Iterator[tuple[Key, Class | None, tuple[Expression | Block, ...]]]:
        """What methods, new objects (INIT: first values of fields, init block) and the main block (MAIN) execute."""
        for cls in self.classes.values():
            begun = (*(field.value for field in cls.fields), cls.init)
            yield (cls.name, INIT), cls, tuple(part for part in begun if part is not None)
            for method in cls.methods:
                yield (cls.name, method.name), cls, (method.body,)
        if self.main is not None:
            yield MAIN, None, (self.main.body,)

    def named_class(self, name: str) -> Class | None:
        """A class by its qualified name, or by its simple name when only one user module has it."""
        if name in self.classes:
            return self.classes[name]
        found = [c for m in self.modules if (c := self.classes.get(f"{m}.{name}")) is not None]
        return found[0] if len(found) == 1 else None
