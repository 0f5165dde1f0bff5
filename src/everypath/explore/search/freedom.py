"""Which fields of an object callers can set to any value of the declared type, without a search for calls that do so.

A field is free if the constructor stores a parameter there and refuses nothing, or if it is public and declared, can be
assigned, and the methods of the class leave it alone. All other fields are the class's own business: constructor and
methods may keep what they hold consistent with the others, and only a search for calls can tell. An error that needs a
free field only is therefore within reach of callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from everypath.errors import Unsupported
from everypath.explore.outcomes import Uncaught
from everypath.explore.search.exploration import Call
from everypath.explore.semantics import Semantics
from everypath.explore.state import State
from everypath.heap.values import Ref
from everypath.ir.instructions import CallStatic, CallVirtual, GetField, SetField, Throw
from everypath.ir.names import interface_of
from everypath.ir.program import Class, Method
from everypath.ir.types import ClassType, Scalar, Type, options_of


class Offers(Protocol):
    """What the modules of a program offer to callers, by the name of the function or class in its module."""

    def withheld(self, module: str, name: str) -> str:
        """Why callers are not meant to use it; empty if they are."""

    def assigns(self, module: str, attribute: str) -> bool:
        """Whether other code than that of its class may give an object the attribute."""

    def without_objects(self, module: str, name: str) -> str:
        """Why callers have no objects of exactly this class; empty if they may have some."""


class Freedom:
    """Answers for the classes of one program."""

    def __init__(self, semantics: Semantics, offers: Callable[[], Offers] | None = None) -> None:
        self._semantics = semantics
        self._find_offers = offers
        self._offers: Offers | None = None
        self._program = semantics.program
        self._known: dict[tuple[str, str], bool] = {}
        self._strict: dict[str, bool] = {}

    def withheld(self, module: str, qualified: str) -> str:
        """Why callers are not meant to call a function or method, in a word; empty if they are, or if nobody knows."""
        if (offers := self._known_offers()) is None:
            return ""
        first, _, rest = qualified.partition(".")
        why = offers.withheld(module, first)
        own = rest.startswith("_") and not rest.startswith("__")
        return f"{first if rest else qualified} {why}" if why else f"{qualified} is private" if own else ""

    def given_later(self, state: State) -> str | None:
        """The field that the path misses in an object of the program, if other code than that of the class sets it."""
        offers, outcome = self._known_offers(), state.outcome
        if offers is None or not isinstance(outcome, Uncaught) or outcome.cls != self._program.profile.attribute_error:
            return None
        innermost = next(outcome.origin.stack(), None)
        asked = state.heap.settled(outcome.origin.operands[0]) if outcome.origin.operands else None
        if innermost is None or not isinstance(innermost.instruction, (GetField, CallVirtual)):
            return None
        cls = self._program.classes.get(asked.cls) if isinstance(asked, Ref) else None
        if cls is None or cls.library or cls.model or not offers.assigns(cls.module, innermost.instruction.name):
            return None
        return f"{_short(cls.name)}.{innermost.instruction.name}, which other code assigns"

    def unavailable(self, state: State, call: Call) -> str | None:
        """A class of input objects that callers do not have, and why; None if there is no such class."""
        offers = self._known_offers()
        if offers is None:
            return None
        given = {state.heap.class_bound(ref).bound for ref in state.heap.cells if ref.input}
        made = [] if call.made is None else [step.cls for step in call.made.steps if step.constructs]
        for name in [*sorted(given), *made]:
            cls = self._program.classes.get(name)
            if cls is None or cls.library or cls.model or cls.external or interface_of(cls.name):
                continue
            if why := offers.without_objects(cls.module, name.removeprefix(f"{cls.module}.")):
                return f"{name} {why}"
        return None

    def _known_offers(self) -> Offers | None:
        if self._offers is None and self._find_offers is not None:
            self._offers = self._find_offers()
        return self._offers

    def bound(self, fields: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """The (class, field) pairs that are not free, as people write them."""
        return tuple(dict.fromkeys(f"{_short(cls)}.{name}" for cls, name in fields if not self._is_free(cls, name)))

    def _is_free(self, cls: str, name: str) -> bool:
        if (cls, name) not in self._known:
            free = not self._refuses(cls) and (self._is_given(cls, name) or self._is_left_alone(cls, name))
            self._known[cls, name] = free
        return self._known[cls, name]

    def _is_given(self, cls: str, name: str) -> bool:
        """Whether a parameter of a declared type sets the field."""
        constructor = next((owner.constructor for owner in self._line(cls) if owner.constructor is not None), None)
        if constructor is None or constructor.hidden:
            return False
        return any(constructor.sets.get(param.name) == name and not param.guessed for param in constructor.params)

    def _is_left_alone(self, cls: str, name: str) -> bool:
        declared = self._program.find_field(cls, name)
        if name.startswith("_") or declared is None or declared.hidden or declared.guessed:
            return False
        if not _is_plain(declared.type):
            return False
        if any(name in owner.setters for owner in self._line(cls)):
            return False
        constructor = self._constructor(cls)
        methods = (method for owner in self._line(cls) for method in owner.methods.values())
        later = (i for method in methods if method is not constructor for i in _instructions(method))
        return not any(isinstance(i, SetField) and i.name == name for i in later)

    def _line(self, cls: str) -> Iterator[Class]:
        return (self._program.classes[base] for base in self._program.mro(cls) if base in self._program.classes)

    def _constructor(self, cls: str) -> Method | None:
        try:
            return self._semantics.constructor(cls)
        except Unsupported:
            # No body is known; what it does with its parameters may be declared all the same.
            return None

    def _refuses(self, cls: str) -> bool:
        """Whether the constructor, or a method that it calls on the object, raises anything on purpose."""
        if cls not in self._strict:
            constructor = self._constructor(cls)
            self._strict[cls] = constructor is not None and self._throws(cls, constructor, set())
        return self._strict[cls]

    def _throws(self, cls: str, method: Method, seen: set[str]) -> bool:
        if method.qualified in seen:
            return False
        seen.add(method.qualified)
        if any(isinstance(block.terminator, Throw) for block in method.blocks.values()):
            return True
        return any(self._throws(cls, callee, seen) for callee in self._called(cls, method))

    def _called(self, cls: str, method: Method) -> Iterator[Method]:
        for instruction in _instructions(method):
            found: Method | None = None
            if isinstance(instruction, CallVirtual):
                found = self._program.find_method(cls, instruction.name)
            elif isinstance(instruction, CallStatic):
                found = self._program.find_method(instruction.cls, instruction.name)
            if found is not None and not found.model:
                yield found


def _instructions(method: Method) -> Iterator[object]:
    return (instruction for block in method.blocks.values() for instruction in block.instructions)


def _is_plain(type: Type) -> bool:
    """Whether a field of the type is changed by assignment only; a collection is usually changed in place."""
    return all(isinstance(option, (Scalar, ClassType)) for option in options_of(type))


def _short(cls: str) -> str:
    return cls.rpartition(".")[2]
