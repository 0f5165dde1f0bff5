"""A program: classes with typed fields and methods, and the profile of the language it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from everypath.errors import NOWHERE, Span
from everypath.ir.instructions import Block, ConstValue, Handler, Label, Param
from everypath.ir.types import ANY, Type
from everypath.records import dataclass, field

Derived = TypeVar("Derived")
METHOD_KINDS = ("instance", "static", "class", "property")
PARAM_KINDS = ("normal", "positional", "keyword", "star", "doublestar")


@dataclass(frozen=True, slots=True)
class Profile:
    """What distinguishes one source language from another for the engine."""

    name: str
    floor_division: bool
    """whether integer division rounds down instead of towards zero"""
    integer_bits: int | None
    """the width of integers that wrap around; None for mathematical integers"""
    null_error: str
    attribute_error: str
    index_error: str
    key_error: str
    division_error: str
    type_error: str
    value_error: str
    cast_error: str
    name_error: str
    assertion_error: str
    negative_indices: bool
    """whether `xs[-1]` is the last element"""
    size_error: str = ""
    """the error of a function that refuses a number because of its size, if there is one"""
    lookup_error: str = ""
    """the error of a function that does not know a name, such as that of an encoding; subclasses mean something else"""
    dead_error: str = ""
    """the error of a message to an object that has ended itself, if objects can do that"""
    several_files: str = ""
    """an example of how a target names several files of one program, if it can"""
    end_error: str = ""
    """the exception that tells the end of an iterator, if it is told by one"""
    protocols: str = ""
    """words `method:error`: by the rules of the language, the method raises this error to say that there is nothing"""
    exception_fields: str = ""
    """words: fields that a new exception has, each with an empty tuple"""
    contract_errors: str = ""
    """the classes, with or without their modules, of errors that say that a contract is broken"""
    lookups: str = ""
    """words: natives that look up a name which the program computes, so that it is a caller's as a rule"""
    methods_are_attributes: bool = True
    """whether looking up a field also finds a method of that name; otherwise fields and methods are separate"""
    typed: bool = False
    """whether all types are declared, so that none is a guess of ours"""


@dataclass(slots=True)
class Method:
    """A method body: a graph of basic blocks over registers; parameters arrive in registers 0, 1, ..."""

    cls: str
    name: str
    params: tuple[Param, ...]
    blocks: dict[Label, Block]
    entry: Label
    registers: int
    returns: Type = ANY
    handlers: tuple[Handler, ...] = ()
    kind: str = "instance"
    """instance, static, class or property"""
    model: bool = False
    """Whether it is library code written for the engine, whose branches are no paths of the user's."""
    register_names: dict[int, str] = field(default_factory=dict)
    span: Span = NOWHERE
    hidden: bool = False
    """whether callers are not meant to call it, which the language says by other means than its name"""
    announced: frozenset[str] = frozenset()
    """the errors, without modules, that it is documented to raise"""
    overloads: tuple[dict[str, Type], ...] = ()
    """the parameters of each way to call it, with their types, where these are declared one by one"""

    @property
    def qualified(self) -> str:
        """`Class.method`, the name used in calls, listings and reports."""
        return f"{self.cls}.{self.name}"


@dataclass(slots=True)
class Field:
    """An instance field and what is known about its values in an arbitrary object."""

    name: str
    type: Type
    span: Span = NOWHERE
    guessed: bool = False
    """whether the type is only what the code hints at, and not declared"""
    wide: bool = False
    """whether more is declared than values can be made of: a type variable, an iterator"""
    hidden: bool = False
    """whether callers cannot assign it, which the language says by other means than its name"""


@dataclass(slots=True)
class Constructor:
    """How a test may build an object: constructor parameters and the field each one initialises, if any."""

    params: tuple[Param, ...]
    sets: dict[str, str]
    """parameter name -> the field that receives its value unchanged"""
    constants: dict[str, ConstValue]
    """field -> value that the constructor always gives it"""
    by_value: bool = False
    """whether objects are equal if their class and all their fields are, and each field has a parameter"""
    hidden: bool = False
    """whether callers cannot call it, which the language says by other means than a name"""


@dataclass(slots=True)
class Class:
    """A class; a module is a class whose functions are static methods."""

    name: str
    bases: tuple[str, ...] = ()
    fields: dict[str, Field] = field(default_factory=dict)
    methods: dict[str, Method] = field(default_factory=dict)
    statics: dict[str, str] = field(default_factory=dict)
    """static name -> name of the static method of this class that computes its initial value"""
    setters: dict[str, str] = field(default_factory=dict)
    """property name -> method that assigns it"""
    members: tuple[str, ...] = ()
    """the statics that are the only objects of an enumeration, in order"""
    flags: dict[str, int] = field(default_factory=dict)
    """the names of an enumeration whose members combine bit by bit -> their bits"""
    keys: tuple[Param, ...] | None = None
    """the keys of the dicts that this class describes, None for other classes; those that may be missing are of the
    kind keyword"""
    constructor: Constructor | None = None
    abstract: bool = False
    kept: bool = False
    """Whether the program makes the only objects that there are, and keeps them under names."""
    external: bool = False
    """A class of the language's library that the program extends or raises, such as `ValueError`."""
    module: str = ""
    """Where the running program imports it from."""
    model: bool = False
    library: bool = False
    """Whether it belongs to a library that the program uses, whose own code is followed."""
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Data:
    """An algebraic data type: its parameters, and each constructor with the types of its arguments."""

    name: str
    parameters: tuple[str, ...] = ()
    constructors: dict[str, tuple[Type, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Program:
    """Everything a front end hands to the engine."""

    profile: Profile
    classes: dict[str, Class] = field(default_factory=dict)
    data: dict[str, Data] = field(default_factory=dict)
    implementing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """interface -> the classes that can take its place although they do not inherit from it"""
    summarised: set[str] = field(default_factory=set)
    """files with functions that a summary stands for: what those execute, and what they call, nobody follows"""
    _orders: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _derived: dict[object, tuple[int, Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def mro(self, name: str) -> tuple[str, ...]:
        """The class and its bases, most specific first (C3 order)."""
        known = self._orders.get(name)
        if known is not None:
            return known
        cls = self.classes.get(name)
        if cls is None:
            return (name,)
        order = self._linearise(name, cls)
        if all(base in self.classes for base in order):
            self._orders[name] = order
        return order

    def set_bases(self, cls: Class, bases: tuple[str, ...]) -> None:
        """Say what a class that is part of the program already inherits from."""
        cls.bases = bases
        # Somebody may have asked in the meantime.
        self._orders.clear()
        self._derived.clear()

    def _linearise(self, name: str, cls: Class) -> tuple[str, ...]:
        if len(cls.bases) <= 1:
            # What the general rule gives for most classes, at a tenth of its cost.
            return (name, *self.mro(cls.bases[0])) if cls.bases else (name,)
        sequences = [list(self.mro(base)) for base in cls.bases] + [list(cls.bases)]
        order = [name]
        while any(sequences):
            sequences = [s for s in sequences if s]
            head = next(
                (s[0] for s in sequences if not any(s[0] in t[1:] for t in sequences)),
                sequences[0][0],
            )
            order.append(head)
            sequences = [s[1:] if s[0] == head else s for s in sequences]
        return tuple(order)

    def derived(self, work_out: Callable[[Program], Derived]) -> Derived:
        """What this works out from the classes: once, for as long as nothing is added."""
        # A language may add classes while paths are explored, or note late what can take the place of an interface.
        size = len(self.classes) + len(self.implementing)
        then, known = self._derived.get(work_out, (-1, None))
        if then != size:
            known = work_out(self)
            self._derived[work_out] = (size, known)
        return cast(Derived, known)

    def is_subclass(self, name: str, base: str) -> bool:
        """Whether `name` is `base`, inherits from it, or can take its place."""
        line = self.mro(name)
        return base in line or (base in self.implementing and any(c in self.implementing[base] for c in line))

    def subclasses(self, name: str) -> list[str]:
        """The class itself and all its descendants, in the program's order."""
        return [*self.derived(_all_descendants).get(name, ())]

    def find_method(self, cls: str, name: str) -> Method | None:
        """The method that a call on an object of exactly this class reaches."""
        for base in self.mro(cls):
            owner = self.classes.get(base)
            if owner is not None and name in owner.methods:
                return owner.methods[name]
        return None

    def constructor_of(self, cls: str) -> Constructor | None:
        """How objects of exactly this class are made."""
        owners = (self.classes.get(base) for base in self.mro(cls))
        return next((each.constructor for each in owners if each is not None and each.constructor is not None), None)

    def find_field(self, cls: str, name: str) -> Field | None:
        """The declaration of an instance field, inherited ones included."""
        for base in self.mro(cls):
            owner = self.classes.get(base)
            if owner is not None and name in owner.fields:
                return owner.fields[name]
        return None

    def all_fields(self, cls: str) -> dict[str, Field]:
        """Every instance field of an object of this class, those of bases first; a property takes the place of one."""
        found: dict[str, Field] = {}
        hidden: set[str] = set()
        for base in reversed(self.mro(cls)):
            owner = self.classes.get(base)
            if owner is None:
                continue
            found.update(owner.fields)
            for name in found:
                if name in owner.methods and owner.methods[name].kind == "property":
                    hidden.add(name)
                if name in owner.setters:
                    hidden.discard(name)
        return {name: field for name, field in found.items() if name not in hidden} if hidden else found

    def find_static(self, cls: str, name: str) -> tuple[str, str] | None:
        """The class that holds the static and its initialiser, looked up along the bases."""
        for base in self.mro(cls):
            owner = self.classes.get(base)
            if owner is not None and name in owner.statics:
                return base, owner.statics[name]
        return None

    def methods(self, models: bool = False) -> Iterator[Method]:
        """Every method body of the program; those of library models are compiled on demand, and only given if asked."""
        for cls in self.classes.values():
            if models or not cls.model:
                yield from cls.methods.values()


def _all_descendants(program: Program) -> dict[str, list[str]]:
    """Each class with those that can take its place: one walk, where a question for each would take as many."""
    found: dict[str, list[str]] = {}
    for name in program.classes:
        line = program.mro(name)
        given = [each for each, classes in program.implementing.items() if any(c in classes for c in line)]
        for base in dict.fromkeys((*line, *given)):
            found.setdefault(base, []).append(name)
    return found


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that makes the program meaningless, and where: `index` is the instruction's place in its block."""

    method: str
    """`Class.method`, or the class for a fault of its own"""
    block: str
    """label, empty for a fault of the whole method or class"""
    message: str
    span: Span = NOWHERE
    index: int | None = None
    """position in the block, the terminator last; None for a fault of the whole block"""

    def __str__(self) -> str:
        where = f"{self.method}, block {self.block}" if self.block else self.method
        return f"{self.span}: {where}: {self.message}" if self.span.file else f"{where}: {self.message}"
