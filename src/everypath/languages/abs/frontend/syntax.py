"""The syntax tree of ABS as it is written: what the parser makes and the checker reads."""

from __future__ import annotations

from everypath.errors import Span
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A name with the modules before it: `head`, `List`, `ABS.StdLib.head`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class TypeUse:
    """A type as written: `Int`, `Map<String, [Far] Account>`."""

    span: Span
    name: str
    arguments: tuple[TypeUse, ...] = ()


@dataclass(frozen=True, slots=True)
class Annotation:
    """`[Cost: 5]`, `[Final]`; the tag is empty when there is none."""

    span: Span
    tag: str
    value: Expression


Annotations = tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function, method or class."""

    span: Span
    type: TypeUse
    name: str
    annotations: Annotations = ()


@dataclass(frozen=True, slots=True)
class Expression:
    """Anything that has a value."""

    span: Span


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A number, a string with its escapes replaced, or `null`."""

    value: int | float | str | None


@dataclass(frozen=True, slots=True)
class Template(Expression):
    """A string between backticks; expressions stand between pieces of text."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Variable(Expression):
    """A lower-case name: a local variable, a parameter or a field."""

    name: str


@dataclass(frozen=True, slots=True)
class OwnField(Expression):
    """`this.name`"""

    name: str


@dataclass(frozen=True, slots=True)
class This(Expression):
    """`this`"""


@dataclass(frozen=True, slots=True)
class Destiny(Expression):
    """`destiny`: the future of the running task."""


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`!e` or `-e`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """`left operator right`"""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Anonymous(Expression):
    """`(Int x) => x + 1`, only as an argument of a partially defined function."""

    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`f(a, b)`, and `f(g)(a, b)` when there are function arguments."""

    function: Name
    arguments: tuple[Expression, ...]
    functions: tuple[Expression, ...] | None = None


@dataclass(frozen=True, slots=True)
class VariadicCall(Expression):
    """`list[1, 2]`: the function gets one list."""

    function: Name
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Construct(Expression):
    """`Nil`, `Cons(1, Nil)`"""

    constructor: Name
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class When(Expression):
    """`when c then a else b`, and the older `if c then a else b`."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class CaseBranch:
    """`pattern => expression`"""

    span: Span
    pattern: Pattern
    value: Expression


@dataclass(frozen=True, slots=True)
class Case(Expression):
    """`case e { pattern => expression; ... }`"""

    subject: Expression
    branches: tuple[CaseBranch, ...]


@dataclass(frozen=True, slots=True)
class Binding:
    """`T x = e` of a `let`."""

    span: Span
    type: TypeUse
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Let(Expression):
    """`let T x = e, T y = f in g`"""

    bindings: tuple[Binding, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Implements(Expression):
    """`e implements I`"""

    operand: Expression
    interface: Name


@dataclass(frozen=True, slots=True)
class Cast(Expression):
    """`e as I`"""

    operand: Expression
    interface: Name


@dataclass(frozen=True, slots=True)
class New(Expression):
    """`new C(e)`; `place` is empty, `local` or the older `cog`."""

    class_name: Name
    arguments: tuple[Expression, ...]
    place: str = ""


@dataclass(frozen=True, slots=True)
class SyncCall(Expression):
    """`o.m(e)`"""

    target: Expression
    method: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AsyncCall(Expression):
    """`o!m(e)`"""

    target: Expression
    method: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AwaitCall(Expression):
    """`await o!m(e)` where a value is expected."""

    call: Expression


@dataclass(frozen=True, slots=True)
class Get(Expression):
    """`f.get`"""

    future: Expression


EFFECTS = (New, SyncCall, AsyncCall, AwaitCall, Get)
"""Expressions that must stand alone: as a statement, or right of `=` or `return`."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a value is compared with in a branch."""

    span: Span


@dataclass(frozen=True, slots=True)
class AnyPattern(Pattern):
    """`_`"""


@dataclass(frozen=True, slots=True)
class LiteralPattern(Pattern):
    """A number or a string."""

    value: int | str


@dataclass(frozen=True, slots=True)
class NamePattern(Pattern):
    """Binds the name, or compares with it where it is already bound."""

    name: str


@dataclass(frozen=True, slots=True)
class ConstructorPattern(Pattern):
    """`Cons(x, Nil)`"""

    constructor: Name
    arguments: tuple[Pattern, ...]
