"""How what only Python has appears in a case."""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable
from typing import Any

from everypath.cases.describing import Describer, Walk, WalkBefore
from everypath.cases.model import (
    HeapState,
    Literal,
    MappingState,
    Named,
    ObjectState,
    Opaque,
    Pointer,
    Replacement,
    Value,
    Written,
)
from everypath.errors import Unsupported
from everypath.explore.answers import MADE_WITH
from everypath.explore.outcomes import Uncaught
from everypath.explore.state import State
from everypath.heap.values import BoundMethod, Fields, Hash, IteratorCell, RangeValue, Ref, SliceValue
from everypath.heap.values import Value as Symbolic
from everypath.ir.instructions import FunctionRef, NativeRef
from everypath.ir.names import is_nested_function
from everypath.ir.program import Program
from everypath.ir.types import ClassType
from everypath.languages.python.cards.index import MODELLED
from everypath.languages.python.natives.iterators import DictView
from everypath.languages.python.natives.outside import seen
from everypath.languages.python.semantics.extended import CONTENT, WITHOUT_CONTENT, base_of
from everypath.languages.python.semantics.generators import GENERATOR, abandoned, observed
from everypath.languages.python.semantics.hashes import number
from everypath.languages.python.semantics.host_objects import card_of, is_foreign
from everypath.languages.python.semantics.kinds import type_name
from everypath.languages.python.semantics.moments import Moment
from everypath.languages.python.solving.orders import model_in_order
from everypath.logic.readable import Telling
from everypath.logic.terms import Model

_SHOWN = {"_entries": "<dict>", "_items": "<list>"}
"""What extends a collection holds its elements in no attribute."""


class PythonDescriber(Describer):
    """Library objects, functions, iterators, answers of the world outside, and classes that extend builtins."""

    home = "builtins"

    def __init__(self, program: Program) -> None:
        self._program = program
        self._bases: dict[str, str | None] = {}
        self._extended: dict[str, str] = {}
        """class -> the modelled class of the library that it extends, if it does"""

    def model(self, state: State, told: Telling) -> Model:
        """Readable values with which sets keep the order in which the path met their elements."""
        return model_in_order(state, told)

    def plain(self, walk: WalkBefore, value: Symbolic) -> Value | None:
        """Immutable objects of the library, its functions and classes, ranges and slices."""
        if isinstance(value, Moment):
            number = walk.scalar(walk.chosen(value.number))
            assert isinstance(number, int)
            return written(value.known(number))
        if is_foreign(value):
            return written(value)
        if isinstance(value, NativeRef):
            return library_name(value.name)
        if isinstance(value, (RangeValue, SliceValue)):
            return _bounds(walk, value)
        return None

    def raised(self, walk: WalkBefore, exception: Ref) -> tuple[tuple[Symbolic, ...], Fields]:
        """Whatever its constructor was called with."""
        made = walk.heap.fields(exception).get(MADE_WITH)
        if not isinstance(made, tuple):
            return (), {}
        positional, names, values = made
        assert isinstance(positional, tuple) and isinstance(names, tuple) and isinstance(values, tuple)
        return positional, dict(zip(map(str, names), values))

    def opaque(self, state: State, value: Symbolic) -> Opaque | None:
        """What a test says about functions made on the way, iterators and hashes; None where there is more to see."""
        if isinstance(value, DictView):
            raise Unsupported(f"a {type(value).__name__} view in a test's result")
        if isinstance(value, BoundMethod):
            return Opaque("callable")
        if isinstance(value, Hash) and number(value) is None:
            return Opaque("integer")
        if isinstance(value, FunctionRef) and not value.name.isidentifier():
            return Opaque("callable")
        if not isinstance(value, Ref) or value.input:
            return None
        if is_nested_function(value.cls):
            return Opaque("callable")
        if value.cls == GENERATOR or isinstance(state.heap.cells[value], IteratorCell):
            return Opaque("iterator")
        known = self._program.classes.get(value.cls)
        if known is not None and known.model:
            if self._program.find_method(value.cls, "__next__") is not None:
                return Opaque("iterator")
            if self._program.find_method(value.cls, "__call__") is not None:
                return Opaque("callable")
        return None

    def type_name(self, state: State, value: Symbolic) -> str:
        """The name of the value's class."""
        return type_name(state, value)

    def library_input(self, walk: WalkBefore, cls: str, declared: ClassType, content: dict[str, Symbolic]) -> HeapState:
        """Queues, mappings, streams and unused locks can be written down."""
        if cls not in MODELLED:
            raise Unsupported(f"an input of class {cls}")
        return MODELLED[cls].before(walk, declared, content)

    def unread_library_input(self, state: State, declared: ClassType) -> HeapState | None:
        """Empty ones."""
        return MODELLED[declared.name].unread(declared) if declared.name in MODELLED else None

    def message(self, walk: Walk, outcome: Uncaught) -> str | None:
        """The text of an exception that the program raised itself with just one string."""
        if outcome.implicit or self._program.is_subclass(outcome.cls, "KeyError"):
            return None
        if self._program.find_method(outcome.cls, "__str__") is not None:
            return None
        assert isinstance(outcome.exception, Ref)
        args = walk.heap.fields(outcome.exception).get("args")
        if not isinstance(args, tuple) or len(args) != 1:
            return None
        text = walk.scalar(walk.chosen(args[0]))
        return text if isinstance(text, str) else None

    def replacements(self, state: State, first: Callable[[Symbolic], Value]) -> tuple[Replacement, ...]:
        """Clocks, random numbers, the environment, with what they gave on this path."""
        given: dict[str, list[Value]] = {}
        outside = seen(state)
        for function, value in outside.answers:
            given.setdefault(function, []).append(first(value))
        replaced = [
            Replacement(function, outside.places[function], tuple(values)) for function, values in given.items()
        ]
        variables = {name: first(value) for name, value in outside.environment.items()}
        if variables:
            replaced.append(Replacement("os.environ", tuple(variables), tuple(variables.values())))
        return tuple(replaced)

    def observed(self, state: State) -> str:
        """What a generator gives is looked at element by element."""
        return observed(state)

    def check(self, state: State) -> None:
        """What is left of a generator runs when the interpreter closes it, at a time that no test can tell."""
        place = abandoned(state.heap)
        if place is not None:
            raise Unsupported("a generator that is left before its end inside a `try` or `with`", place)

    # Objects of classes that extend a class of the language: they are equal to what they hold.

    def field_name(self, cls: str, name: str) -> str:
        """The field as a test calls it, `<list>` or `<dict>` for the content of an extended collection."""
        self._refuse_extended(cls)
        return _SHOWN[name] if name in _SHOWN and name == CONTENT.get(self._base(cls) or "") else name

    def stand_in(self, walk: Walk, ref: Ref) -> Value | None:
        """The plain value that an object is equal to where its class extends `str`, `int`, `dict`, ..."""
        base = self._base_of(walk, ref)
        if base is None:
            return None
        content = self._content(walk, ref)
        if ref.input and base in CONTENT and content is None:
            return self._unread_content(walk, ref)
        if isinstance(content, Ref):
            return None
        plain = walk.last(content)
        # It is equal to the plain value, but of another type.
        return Written("", repr(plain.value)) if isinstance(plain, Literal) else plain

    def final_state(self, walk: Walk, ref: Ref, name: str) -> HeapState | None:
        """Library objects by what they hold, and so extended collections where there is nothing else to see."""
        cls = walk.exact_class(ref)
        self._refuse_extended(cls)
        if self._base_of(walk, ref) is not None and self._is_plain_collection(walk, ref, cls):
            held = self._content(walk, ref)
            assert isinstance(held, Ref)
            return walk.final_state(held, walk.identify(held) if held.input else name)
        if cls in self._program.classes and self._program.classes[cls].model:
            if cls not in MODELLED:
                raise Unsupported(f"a {cls} in a test's result")
            return MODELLED[cls].after(walk, walk.heap.fields(ref), name)
        return None

    def _unread_content(self, walk: Walk, ref: Ref) -> Value:
        """An input that extends a collection, of which nothing has looked at the elements."""
        name = walk.identify(ref)
        start = walk.before.get(name)
        fields = dict(start.fields) if isinstance(start, ObjectState) else {}
        held = next((fields[field] for field in ("<dict>", "<list>") if field in fields), None)
        if not self._is_plain_collection(walk, ref, walk.exact_class(ref)):
            walk.after.setdefault(name, walk.final_object(ref, name))
        else:
            walk.after[name] = walk.before[held.id] if isinstance(held, Pointer) else MappingState(())
        return Pointer(name)

    def _refuse_extended(self, cls: str) -> None:
        """Refuse objects of a class of the program that extends a class for which ours stands, fields and all."""
        if cls not in self._extended:
            above = self._program.mro(cls)[1:] if cls in self._program.classes else ()
            self._extended[cls] = next((base for base in above if base in MODELLED), "")
        if self._extended[cls]:
            raise Unsupported(f"an object of class {cls}, which extends {self._extended[cls]}, in a test")

    def _base(self, cls: str) -> str | None:
        """What a class inherits instead of a class of the language."""
        if cls not in self._bases:
            found = base_of(self._program, cls)
            self._bases[cls] = None if found in WITHOUT_CONTENT else found
        return self._bases[cls]

    def _base_of(self, walk: Walk, ref: Ref) -> str | None:
        """The same for an object; None for a list or dict itself."""
        return self._base(ref.cls) if type(walk.heap.cells.get(ref)) is dict else None

    def _is_plain_collection(self, walk: Walk, ref: Ref, cls: str) -> bool:
        """Whether all there is to see of an object is what it holds, and equality tells that."""
        inner = CONTENT.get(self._base_of(walk, ref) or "")
        compared = self._program.find_method(cls, "__eq__")
        others = [f for f in walk.heap.fields(ref) if f != inner and not f.startswith("$")]
        return inner is None or (not others and (compared is None or compared.cls.startswith("builtin_bases.")))

    def _content(self, walk: Walk, ref: Ref) -> Symbolic:
        """The plain value or collection that such an object is equal to."""
        base = self._base_of(walk, ref) or ""
        compared = self._program.find_method(ref.cls, "__eq__")
        if compared is not None and not compared.cls.startswith("builtin_bases.") and base not in CONTENT:
            raise Unsupported(f"a {ref.cls}, which defines __eq__ itself, in a test's result")
        return walk.chosen(walk.heap.fields(ref).get(CONTENT.get(base, "_content")))


def _bounds(walk: WalkBefore, value: RangeValue | SliceValue) -> Written:
    """A range or slice, with a step where it is not the usual one."""
    kind, usual = ("range", 1) if isinstance(value, RangeValue) else ("slice", None)
    parts = [walk.scalar(walk.chosen(part)) for part in (value.start, value.stop, value.step)]
    if not all(part is None or isinstance(part, int) for part in parts):
        raise Unsupported(f"a {kind} object of other things than integers in a test's inputs or results")
    shown = parts if parts[2] != usual else parts[1:2] if parts[0] == 0 and usual else parts[:2]
    return Written("", f"{kind}({', '.join(map(repr, shown))})")


def written(value: Any) -> Written | None:
    """An expression that gives an equal object; None where there is none."""
    card = card_of(type(value))
    # What is not even equal to itself, such as a decimal that is not a number, cannot be compared with.
    return card.written(value) if card is not None and value == value else None


def library_name(name: str) -> Named:
    """A function or class of the library that is used as a value."""
    module, _, member = name.rpartition(".")
    if not module or hasattr(builtins, name.partition(".")[0]):
        return Named("builtins", name)
    try:
        found = getattr(importlib.import_module(module), member, None)
    except ImportError:
        found = None
    if not callable(found):
        raise Unsupported(f"{name} of the library in a test's inputs or results")
    return Named(module, member)
