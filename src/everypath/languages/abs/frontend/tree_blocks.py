"""The statements of the checked tree."""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend.tree import Expression, Field, Local, Pattern, Variable
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """Anything that is executed."""

    span: Span


@dataclass(frozen=True, slots=True)
class Declare(Statement):
    """A local variable with its first value; reference types without one start as null."""

    variable: Variable
    value: Expression


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """To a local variable or a field of `this`."""

    target: Local | Field
    value: Expression


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """An expression whose value is dropped."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """Ends the method; `return;` gives Unit."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Assert(Statement):
    """AssertionFailException when the condition is False."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """Statements one after the other; `skip` is the empty block."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If(Statement):
    """Without `else`, `otherwise` is the empty block."""

    condition: Expression
    then: Statement
    otherwise: Statement


@dataclass(frozen=True, slots=True)
class Branch:
    """`pattern => body`"""

    pattern: Pattern
    body: Statement


@dataclass(frozen=True, slots=True)
class Switch(Statement):
    """The first branch that matches; PatternMatchFailException when none does."""

    subject: Expression
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class While(Statement):
    """A loop."""

    condition: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class Foreach(Statement):
    """A loop over the elements of a list, evaluated once; `index` counts from zero."""

    variable: Variable
    index: Variable | None
    elements: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class Try(Statement):
    """An exception that no branch matches goes on after `final`."""

    body: Statement
    branches: tuple[Branch, ...]
    final: Statement | None


@dataclass(frozen=True, slots=True)
class Await(Statement):
    """Releases the cog until every future is resolved and every condition holds."""

    futures: tuple[Expression, ...]
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Suspend(Statement):
    """Releases the cog once."""


@dataclass(frozen=True, slots=True)
class Throw(Statement):
    """Raises an exception."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Die(Statement):
    """The object dies: its tasks end and their futures hold this exception."""

    value: Expression
