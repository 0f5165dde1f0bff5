"""Tries a program on all concrete heaps of a few objects; what the program never reads is never chosen."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

from tests.heap.engine import Behaviour
from tests.heap.interpreter import Instrumented
from tests.heap.programs import Program
from tests.heap.shapes import NULLABLE

MOST_OBJECTS = 4
INTEGERS = (0, 1, -1, 3)
INDICES = (0, 1, -1, 2, -2, 3, -4)
LENGTHS = (0, 1, 2, 3)

_T = TypeVar("_T")


class Chooser(Protocol):
    """Decides what the inputs of one run after the other are."""

    def again(self) -> bool:
        """Whether there is another run; prepares for it."""

    def choose(self, options: Sequence[_T]) -> _T:
        """One of the options."""


class Systematic:
    """Every combination once, in depth-first order, up to so many runs."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.taken: list[tuple[int, int]] = []
        self.at = 0
        self.started = False

    def again(self) -> bool:
        while self.started and self.taken and self.taken[-1][0] + 1 == self.taken[-1][1]:
            self.taken.pop()
        if (self.started and not self.taken) or not self.left:
            return False
        if self.started:
            index, count = self.taken.pop()
            self.taken.append((index + 1, count))
        self.started = True
        self.left -= 1
        self.at = 0
        return True

    def choose(self, options: Sequence[_T]) -> _T:
        if self.at == len(self.taken):
            self.taken.append((0, len(options)))
        index, count = self.taken[self.at]
        assert count == len(options), "the program does not do the same again"
        self.at += 1
        return options[index]


class Sampled:
    """So many runs with random inputs, always the same ones."""

    def __init__(self, most: int) -> None:
        self.left = most
        self.random = random.Random(0)

    def again(self) -> bool:
        self.left -= 1
        return self.left >= 0

    def choose(self, options: Sequence[_T]) -> _T:
        return self.random.choice(options)


class _Heap:
    """The input objects of one run; a field gets its value when it is first read."""

    def __init__(self, program: Program, chooser: Chooser) -> None:
        self.shape = program.shape
        self.chooser = chooser
        self.objects: list[Any] = []
        self.lists: list[tuple[str, list[Any]]] = []
        self.namespace: dict[str, Any] = {}

    def clear(self) -> None:
        self.objects = []
        self.lists = []

    def read(self, owner: Any, name: str) -> Any:
        fields = self.shape.fields.get(type(owner).__name__, {})
        if name in fields and name not in vars(owner):
            # Only an input can lack a field: constructors assign all of them.
            setattr(owner, name, self.value(fields[name], INTEGERS))
        return getattr(owner, name)

    def value(self, type: str, integers: Sequence[int] = INDICES) -> Any:
        choose = self.chooser.choose
        if type == "int":
            return choose(integers)
        if type == "bool":
            return choose((False, True))
        if type.startswith("list["):
            return self.sequence(type.removeprefix("list[").removesuffix("]"))
        return self.reference(type)

    def reference(self, type: str) -> Any:
        """None if that is allowed, an object that is there, or a new one; objects look alike until they are read."""
        cls = type.removesuffix(NULLABLE)
        options: list[Any] = [None] if type.endswith(NULLABLE) else []
        options += [made for made in self.objects if self.shape.is_subclass(made.__class__.__name__, cls)]
        if len(self.objects) < MOST_OBJECTS or not options:
            options += [_New(name) for name in self.shape.subclasses(cls)]
        chosen = self.chooser.choose(options)
        if isinstance(chosen, _New):
            chosen = object.__new__(self.namespace[chosen.cls])
            self.objects.append(chosen)
        return chosen

    def sequence(self, element: str) -> list[Any]:
        known = [made for kind, made in self.lists if kind == element]
        chosen = self.chooser.choose([None, *known])
        if chosen is None:
            length = self.chooser.choose(LENGTHS)
            chosen = [self.value(element, INTEGERS) for _ in range(length)]
            self.lists.append((element, chosen))
        return chosen


class _New:
    """A reference to an object of this class that nothing else refers to."""

    def __init__(self, cls: str) -> None:
        self.cls = cls


def run_all(program: Program, chooser: Chooser) -> Iterator[tuple[Behaviour, str]]:
    """What the program does on each input that the chooser comes up with, and a description of the input."""
    heap = _Heap(program, chooser)
    real = Instrumented(program, heap.read)
    heap.namespace = real.namespace
    while chooser.again():
        heap.clear()
        arguments = [heap.value(type) for _, type in program.parameters]
        shown = ", ".join(f"{name} = {_short(value)}" for (name, _), value in zip(program.parameters, arguments))
        behaviour, _ = real.run(arguments)
        yield behaviour, f"inputs as they are afterwards, objects by identity: {shown}"


def _short(value: Any) -> str:
    return f"{type(value).__name__} {id(value) % 9973}" if hasattr(value, "__dict__") else repr(value)
