"""What a card says about one class of the library.

There are two kinds of classes. Objects that never change stand for themselves while a path is followed: an input is one
of a few samples, and a test writes it by its `repr` (`HostCard`). Objects that change are followed field by field, so a
class in `models/modules` takes the place of the real one (`ModelCard`, and `CollectionCard` if they hold others).

Every stage asks `cards.index`; none names a class itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from everypath.cases.describing import Walk, WalkBefore
from everypath.cases.model import HeapState, Written
from everypath.heap.values import UNBOUND, InitialDict, InitialList, Ref, Value
from everypath.ir.types import ANY, ClassType, DictType, ListType, Scalar, Type
from everypath.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Card:
    """A class of the library, by its dotted name."""

    name: str
    """as the library's documentation has it, such as `collections.deque`; a builtin's name has no dot"""

    @property
    def module(self) -> str:
        """The module that it is imported from."""
        return self.name.rpartition(".")[0] or "builtins"

    @property
    def short(self) -> str:
        """Its name in that module."""
        return self.name.rpartition(".")[2]

    @property
    def real(self) -> type:
        """The class itself; its module is imported only now."""
        found: type = getattr(import_module(self.module), self.short)
        return found

    @property
    def type(self) -> Type:
        """The type of its objects."""
        raise NotImplementedError


def with_module(value: object) -> str:
    """The expression for an object whose `repr` begins with the bare name of its class."""
    return f"{type(value).__module__.partition('.')[0]}.{value!r}"


def never(value: object) -> None:
    """For objects that no expression gives."""
    return


@dataclass(frozen=True, slots=True)
class HostCard(Card):
    """A class whose objects never change and stand for themselves."""

    expression: Callable[[object], str | None] = with_module
    """how a test writes an object; None where it cannot"""
    aliases: tuple[str, ...] = ()
    """other classes that annotations may name, for whose objects these stand"""
    is_input: bool = True
    """whether the table of samples has inputs of it"""
    called: bool = True
    """whether programs make objects by calling the class"""
    by_attributes: bool = False
    """whether a parameter without annotation is taken for one if it has just the attributes that the program uses"""
    impure: tuple[str, ...] = ()
    """methods whose result depends on more than their arguments"""
    computes: str = ""
    """the base class that only computes; what the class has besides asks the file system"""
    constants: tuple[str, ...] = ()
    """attributes of the class that are objects like these"""
    read: Mapping[str, Callable[..., str]] = field(default_factory=dict)
    """the methods of the class that make an object of a text, empty for calling the class; each with what writes such a
    text of an object, given what the method gets besides
    """
    numbers: tuple[str, ...] = ()
    """the classes of `numbers` that it belongs to"""

    @property
    def samples(self) -> tuple[str, ...]:
        """Inputs to try, the simplest first; few runs need any, so that the table is loaded only now."""
        from everypath.languages.python.parameters.samples import SAMPLES

        return SAMPLES[self.name].telling if self.is_input else ()

    @property
    def type(self) -> Type:
        """A scalar of that name: it has no terms."""
        return Scalar(self.name)

    def written(self, value: object) -> Written | None:
        """An expression that gives an equal object; None where there is none."""
        text = self.expression(value)
        if text is None:
            return None
        if '"' not in text and "\\" not in text:
            text = text.replace("'", '"')
        return Written("" if self.module == "builtins" else self.module, text)


@dataclass(frozen=True, slots=True)
class ModelCard(Card):
    """A class for which one of our own stands, in `models/modules/<its module>.py`.

    What a test makes before a call and compares afterwards is a `HeapState`: it is found from the fields of the model.
    """

    aliases: tuple[str, ...] = ()
    """other classes that annotations may name, for whose objects these stand"""

    @property
    def type(self) -> Type:
        """References to objects of the model."""
        return ClassType(self.name)

    def first_value(self, field: str, declared: ClassType) -> Value:
        """What a field of an input holds at first; UNBOUND where the type of the field tells."""
        return UNBOUND

    def unread(self, declared: ClassType) -> HeapState:
        """The simplest object, for inputs that no path looks at."""
        raise NotImplementedError

    def before(self, walk: WalkBefore, declared: ClassType, fields: dict[str, Value]) -> HeapState:
        """An input, from those of its fields at the start that the path has looked at."""
        raise NotImplementedError

    def after(self, walk: Walk, fields: dict[str, Value], name: str) -> HeapState:
        """The object that the case calls `name` as a test compares it after the call."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class CollectionCard(ModelCard):
    """A collection: the model keeps what it holds in a list or dict of its own."""

    content: str = "content"
    """the field of the model with that list or dict"""
    keyed: bool = False
    """whether that is a dict"""
    values: Type | None = None
    """what it holds under its keys, where that is always the same and annotations leave it out"""
    makes_missing: bool = False
    """whether the first argument of its constructor makes the values of missing keys"""

    def holding(self, arguments: tuple[Type, ...]) -> ClassType:
        """The type with the arguments that an annotation gives it."""
        wanted = 2 if self.keyed and self.values is None else 1
        if len(arguments) != wanted:
            return ClassType(self.name)
        return ClassType(self.name, arguments if self.values is None else (*arguments, self.values))

    def filled(self, known: ClassType, used: Type | None) -> ClassType:
        """The type with what the uses of an object say about its content."""
        held = known.arguments
        if not self.keyed:
            return ClassType(self.name, (used.element,)) if isinstance(used, ListType) and not held else known
        if not isinstance(used, DictType):
            return known
        key, value = held or (ANY, ANY)
        # What makes the missing values says more about them than the way in which they are used.
        better = value == ANY or type(value) is type(used.value)
        return ClassType(self.name, (used.key if key == ANY else key, used.value if better else value))

    def first_content(self, walk: WalkBefore, fields: dict[str, Value]) -> InitialList | InitialDict | None:
        """What the list or dict inside an input held at the start; None where the path never looked."""
        inner = walk.chosen(fields.get(self.content))
        found = walk.heap.first.get(inner) if isinstance(inner, Ref) else None
        return found if isinstance(found, (InitialList, InitialDict)) else None
