"""Random heap programs as source text: references, fields, aliasing tests, branches and short loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.heap.shapes import FAMILY, NODES, NULLABLE, Shape

_PARAMETERS = ("a", "b", "c", "d")
_CONSTANTS = ("0", "1", "2", "3", "-1")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True, repr=False)
class Program:
    """A module whose function `subject` is to be explored."""

    shape: Shape
    parameters: tuple[tuple[str, str], ...]
    """name and type, as in the table of a shape"""
    source: str

    def __repr__(self) -> str:
        return f"the program\n{self.listing()}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def listing(self) -> str:
        """The function `subject` with its line numbers; the classes are always the same."""
        lines = list(enumerate(self.source.splitlines(), 1))
        start = next(number for number, line in lines if line.startswith("def subject"))
        return "\n".join(f"{number:4} {line}" for number, line in lines[start - 1 :])


def indent(lines: list[str]) -> list[str]:
    """The lines as the body of a compound statement."""
    return ["    " + line for line in lines]


def annotation(type: str) -> str:
    """A type of a shape's table as the source text writes it."""
    return f"{type[:-1]} | None" if type.endswith(NULLABLE) else type


def assemble(shape: Shape, parameters: list[tuple[str, str]], body: list[str]) -> Program:
    """The module with these statements in its function."""
    declared = ", ".join(f"{name}: {annotation(type)}" for name, type in parameters)
    lines = [shape.header, "", f"def subject({declared}) -> object:", *indent(body)]
    return Program(shape, tuple(parameters), "\n".join(lines) + "\n")


class Statements:
    """Draws statements over references of one shape; what is in scope grows inside type tests."""

    def __init__(self, draw: st.DrawFn, shape: Shape, references: list[tuple[str, str]]) -> None:
        self.draw = draw
        self.shape = shape
        self.references = references
        """expressions and the class they are known to have, unless they are None"""
        self.fixed: list[tuple[str, str]] = []
        """parameters that are never None and never assigned, with their classes"""
        self.numbers = ["m"]
        self.loops = 0

    def pick(self, *options: str) -> str:
        """One of the options; those that stand first are simpler."""
        return self.draw(st.sampled_from(options))

    def chance(self, percent: int) -> bool:
        """True that often; False is simpler."""
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def reference(self, longest: int = 2) -> tuple[str, str]:
        """An expression that is a reference or None, and its class."""
        text, cls = self.draw(st.sampled_from(self.references))
        while longest and self.chance(30):
            field, type = self.draw(st.sampled_from(self.shape.holding(cls, "ref")))
            text, cls = f"{text}.{field}", type.removesuffix(NULLABLE)
            longest -= 1
        return text, cls

    def scalar_field(self, kind: str = "int") -> str:
        text, cls = self.reference()
        fields = self.shape.holding(cls, kind)
        return f"{text}.{self.draw(st.sampled_from(fields))[0]}" if fields else self.number(0)

    def number(self, operands: int = 2) -> str:
        """An integer expression."""
        if operands and self.chance(60):
            first = self.scalar_field()
            if operands > 1 and self.chance(30):
                return f"{first} {self.pick('+', '-')} {self.number(1)}"
            return first
        return self.pick(*_CONSTANTS, *self.numbers)

    def assigned(self) -> str:
        """An expression to store in a variable or nullable field of the root class."""
        if self.chance(25):
            return self.filled(self.pick(*self.shape.creations))
        if self.chance(20):
            return self.called(self.shape.references)
        if self.chance(15):
            return "None"
        return self.reference()[0]

    def filled(self, template: str) -> str:
        """The template with an expression in every hole."""
        for hole in "#@!":
            while hole in template:
                template = template.replace(hole, self.hole(hole), 1)
        return template

    def hole(self, kind: str) -> str:
        if kind == "#":
            return self.number(1)
        return self.reference(1)[0] if kind == "@" else self.present()

    def called(self, methods: tuple[str, ...]) -> str:
        """A call on a variable; its arguments read nothing that could fail before the receiver does."""
        method = self.pick(*methods).replace("#", self.pick(*_CONSTANTS, *self.numbers))
        return self.variable() + method.replace("@", self.variable())

    def present(self) -> str:
        """A reference that is not None."""
        return self.draw(st.sampled_from(self.fixed))[0]

    def variable(self) -> str:
        return self.draw(st.sampled_from(self.references))[0]

    def condition(self, parts: int = 2) -> str:
        if parts > 1 and self.chance(25):
            return f"{self.condition(1)} {self.pick('and', 'or')} {self.condition(1)}"
        kind = self.pick("same", "null", "compare", "compare", "flag", "class")
        if kind == "same":
            return f"{self.reference()[0]} {self.pick('is', 'is not')} {self.reference()[0]}"
        if kind == "null":
            return f"{self.reference()[0]} {self.pick('is', 'is not')} None"
        if kind == "class" and self.shape.parents:
            return f"isinstance({self.reference()[0]}, {self.pick(*self.shape.parents)})"
        if kind == "flag" and self.shape.holding(self.shape.root, "bool"):
            return self.pick("", "not ") + self.scalar_field("bool")
        return f"{self.scalar_field()} {self.pick(*_COMPARISONS)} {self.number()}"

    def simple(self) -> list[str]:
        """One statement without a body."""
        kind = self.pick("write", "write", "link", "link", "read", "move", "call")
        if kind == "write":
            return [f"{self.scalar_field_target()} = {self.number()}"]
        if kind == "link":
            text, cls = self.reference(1)
            field, type = self.draw(st.sampled_from(self.shape.holding(cls, "ref")))
            if type == self.shape.root + NULLABLE:
                return [f"{text}.{field} = {self.assigned()}"]
            return [f"{text}.{field} = {self.fitting(type)}"]
        if kind == "read":
            return [f"{self.pick(*self.numbers)} = {self.number()}"]
        if kind == "call":
            return [f"{self.pick(*self.numbers)} = {self.called(self.shape.numbers)}"]
        names = [pair for pair in self.references if pair[1] == self.shape.root and "." not in pair[0]]
        targets = [pair[0] for pair in names if pair not in self.fixed]
        return [f"{self.pick(*reversed(targets))} = {self.assigned()}"]

    def scalar_field_target(self) -> str:
        text, cls = self.reference(1)
        return f"{text}.{self.draw(st.sampled_from(self.shape.holding(cls, 'int')))[0]}"

    def fitting(self, type: str) -> str:
        """An expression that a field of a narrower type can hold, so that its declared type stays true."""
        wanted = type.removesuffix(NULLABLE)
        known = [text for text, cls in self.fixed if self.shape.is_subclass(cls, wanted)]
        if type.endswith(NULLABLE):
            return self.pick("None", *known)
        return self.pick(self.filled(self.pick(*self.shape.creations)), *known)

    def statement(self, depth: int) -> list[str]:
        kinds = ["simple"] * 3 + (["if", "if", "guard", "loop", "try", "return"] if depth else [])
        kind = self.pick(*kinds)
        if kind == "if":
            lines = [f"if {self.condition()}:", *indent(self.block(depth - 1))]
            return [*lines, "else:", *indent(self.block(depth - 1))] if self.chance(40) else lines
        if kind == "guard":
            return self.guarded(depth)
        if kind == "loop":
            return self.loop(depth)
        if kind == "try":
            handler = ["except AttributeError:", "    m = -1"]
            return ["try:", *indent(self.block(0)), *handler]
        if kind == "return":
            return [f"if {self.condition()}:", *indent(self.block(0)), f"    return {self.result()}"]
        return self.simple()

    def guarded(self, depth: int) -> list[str]:
        """A block that knows something is not None, or of which class it is."""
        text, _ = self.reference(1)
        if not self.shape.parents or self.chance(40):
            return [f"if {text} is not None and {self.condition(1)}:", *indent(self.block(depth - 1))]
        narrow = self.pick(*self.shape.parents)
        self.references.append((text, narrow))
        lines = [f"if isinstance({text}, {narrow}):", *indent(self.block(depth - 1))]
        self.references.pop()
        return lines

    def loop(self, depth: int) -> list[str]:
        """A walk along a nullable field that ends by itself, so that no bound of the engine cuts it."""
        self.loops += 1
        counter = f"k{self.loops}"
        follow = self.pick("p", "q")
        limit = f"{counter} < {self.pick('1', '2')}"
        tests = [f"{follow} is not None", limit] if self.chance(50) else [limit, f"{follow} is not None"]
        body = self.block(0) if self.chance(60) else []
        step = [f"{counter} += 1", f"{follow} = {follow}.{self.shape.walk}"]
        return [f"{counter} = 0", f"while {' and '.join(tests)}:", *indent([*body, *step])]

    def block(self, depth: int, most: int = 2) -> list[str]:
        count = self.draw(st.integers(1, most))
        return [line for _ in range(count) for line in self.statement(depth)]

    def result(self) -> str:
        if self.chance(40):
            return self.reference(1)[0]
        return f"({self.number()}, {self.pick(*self.numbers)}, {self.reference(1)[0]})"


def _parameters(writer: Statements, most: int) -> list[tuple[str, str]]:
    shape = writer.shape
    found: list[tuple[str, str]] = []
    for name in _PARAMETERS[: writer.draw(st.integers(2, most))]:
        cls = shape.root
        if shape.parents and writer.chance(20):
            cls = writer.pick(*shape.parents)
        # The first reference of the family is there to be stored where None is not allowed.
        nullable = writer.chance(35) and not (shape.parents and not found)
        found.append((name, cls + NULLABLE * nullable))
    return found


@st.composite
def heap_programs(draw: st.DrawFn, depth: int = 2, parameters: int = 4, statements: int = 4) -> Program:
    """Programs over two to four references; any of their reads may raise AttributeError."""
    shape = draw(st.sampled_from([NODES, NODES, FAMILY]))
    writer = Statements(draw, shape, [])
    params = _parameters(writer, parameters)
    writer.references = [(name, type.removesuffix(NULLABLE)) for name, type in params]
    if shape.parents:
        writer.fixed = [(name, type) for name, type in params if not type.endswith(NULLABLE)]
    if writer.chance(20):
        params.append(("i", "int"))
        writer.numbers.append("i")
    body = ["m = 0", f"n = {writer.number()}", f"p = {writer.reference()[0]}", f"q = {writer.assigned()}"]
    writer.references += [("p", shape.root), ("q", shape.root)]
    writer.numbers.append("n")
    body += writer.block(depth, statements)
    return assemble(shape, params, [*body, f"return {writer.result()}"])
