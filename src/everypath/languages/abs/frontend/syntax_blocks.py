"""The syntax tree of ABS: statements."""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend.syntax import Annotations, Expression, Pattern, TypeUse
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """Anything that is executed."""

    span: Span


@dataclass(frozen=True, slots=True)
class Declare(Statement):
    """`T x = e;` or `T x;`"""

    type: TypeUse
    name: str
    value: Expression | None = None
    annotations: Annotations = ()


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """`x = e;`, or `this.x = e;` when `own_field`."""

    name: str
    own_field: bool
    value: Expression


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """`e;`"""

    value: Expression


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """`return e;`"""

    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Assert(Statement):
    """`assert e;`"""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """`{ ... }`; `skip` is an empty one."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If(Statement):
    """`if (c) s else t`"""

    condition: Expression
    then: Statement
    otherwise: Statement | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """`pattern => statement`"""

    span: Span
    pattern: Pattern
    body: Statement


@dataclass(frozen=True, slots=True)
class Switch(Statement):
    """`switch (e) { pattern => statement ... }`, and the older statement `case`."""

    subject: Expression
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class While(Statement):
    """`while (c) s`"""

    condition: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class Foreach(Statement):
    """`foreach (x, i in e) s`; the index is empty when there is none."""

    name: str
    index: str
    elements: Expression
    body: Statement


@dataclass(frozen=True, slots=True)
class Try(Statement):
    """`try s catch { ... } finally t`"""

    body: Statement
    branches: tuple[Branch, ...]
    final: Statement | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """One part of an `await`."""

    span: Span


@dataclass(frozen=True, slots=True)
class Claim(Guard):
    """`f?`"""

    future: Expression


@dataclass(frozen=True, slots=True)
class Condition(Guard):
    """A condition over the object's fields."""

    value: Expression


@dataclass(frozen=True, slots=True)
class DurationGuard(Guard):
    """`duration(min, max)`"""


@dataclass(frozen=True, slots=True)
class Await(Statement):
    """`await g & h;`"""

    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Suspend(Statement):
    """`suspend;`"""


@dataclass(frozen=True, slots=True)
class Lacking(Statement):
    """A statement that is understood but not supported; `what` names it."""

    what: str


@dataclass(frozen=True, slots=True)
class Throw(Statement):
    """`throw e;`"""

    value: Expression


@dataclass(frozen=True, slots=True)
class Die(Statement):
    """`die e;`: the object dies with this exception."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Annotated(Statement):
    """A statement with annotations before it."""

    annotations: Annotations
    statement: Statement
