"""What is known while one body is lowered: the method being built and the registers of its variables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from everypath.errors import Span
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallNative, Construct, Jump, Label, Reg, Return, Throw
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.failures import Failures
from everypath.languages.abs.frontend.program import Class, Program
from everypath.languages.abs.frontend.suspension import Suspension
from everypath.languages.abs.lower.names import UNIT, function_home
from everypath.records import dataclass, field


class Surroundings:
    """The program around the bodies, and the functions that they call."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.suspending = Suspension(program)
        self.functions: dict[str, None] = {}
        """functions with a body that something calls, in the order in which they are first needed"""

    def function(self, name: str) -> tuple[str, str]:
        """IR class and method of a function that is called."""
        self.functions[name] = None
        return function_home(self.program, name)

    @cached_property
    def failures(self) -> Failures:
        """Which expressions may raise; found out when somebody asks."""
        return Failures(self.program)


@dataclass(slots=True)
class OpenTry:
    """A `try` around the statement being lowered."""

    final: b.Statement | None
    excluded: set[Label] = field(default_factory=set)
    """blocks inside it that lie on a way out, so that its handler does not hold for them"""


class Body:
    """The body of one method, function or block."""

    def __init__(self, around: Surroundings, builder: MethodBuilder, cls: Class | None) -> None:
        self.around = around
        self.builder = builder
        self.emit, self.start, self.fresh = builder.emit, builder.start, builder.register
        self.cls = cls
        self.tries: tuple[OpenTry, ...] = ()
        self._variables: dict[str, Reg] = {param.name: number for number, param in enumerate(builder.params)}

    def variable(self, name: str) -> Reg:
        """The register of a local variable."""
        register = self._variables.get(name)
        if register is None:
            register = self._variables[name] = self.builder.register(name)
        return register

    def labels(self, *hints: str) -> tuple[Label, ...]:
        """New labels."""
        return tuple(map(self.builder.label, hints))

    def jump(self, label: Label, span: Span) -> bool:
        """Go to a label, if control gets here at all."""
        if not self.builder.open:
            return False
        self.builder.end(Jump(label, span=span))
        return True

    def native(self, name: str, args: tuple[Reg, ...], span: Span) -> Reg:
        """The result of an operation of the engine."""
        dst = self.fresh()
        self.emit(CallNative(dst, name, args, span=span))
        return dst

    def unsupported(self, message: str, span: Span) -> None:
        """A path that gets here ends, with the reason."""
        self.native("unsupported", (self.builder.constant(message, span),), span)

    def throw(self, exception: str, span: Span) -> None:
        """Raise an exception without arguments."""
        value = self.fresh()
        self.emit(Construct(value, exception, (), span=span))
        self.builder.end(Throw(value, span=span))

    def return_unit(self, span: Span) -> None:
        """Leave the method with the value Unit, if control gets here."""
        if self.builder.open:
            value = self.fresh()
            self.emit(Construct(value, UNIT, (), span=span))
            self.builder.end(Return(value, span=span))

    @contextmanager
    def handled(self, caught: Label, frame: OpenTry | None = None) -> Iterator[Reg]:
        """Exceptions of what is emitted inside, in blocks of its own, go to a label; gives the register for them."""
        exception, around = self.fresh(), self.tries
        self.start(self.builder.label("try"))
        mark = self.builder.mark()
        if frame is not None:
            self.tries = (*around, frame)
        yield exception
        self.tries = around
        blocks = self.builder.labels_since(mark)
        self.builder.handle(blocks - frame.excluded if frame is not None else blocks, caught, exception)
