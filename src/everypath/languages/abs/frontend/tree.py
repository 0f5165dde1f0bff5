"""The checked tree: expressions and statements with every name resolved and every expression typed.

It is first-order and free of sugar: string templates, partially defined functions, anonymous functions and
old spellings are gone. Names of functions, constructors, classes and interfaces are qualified.
A local variable has one name in its whole body: where a source name is declared again, `~2`, `~3` is added.
"""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend.types import Type
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class Expression:
    """Anything that has a value."""

    span: Span
    type: Type


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """An Int, Float or String; `null` is None."""

    value: int | float | str | None


@dataclass(frozen=True, slots=True)
class Local(Expression):
    """A local variable, a parameter of a function or method, or a variable bound by a pattern."""

    name: str


@dataclass(frozen=True, slots=True)
class Field(Expression):
    """A field or class parameter of `this`."""

    name: str


@dataclass(frozen=True, slots=True)
class This(Expression):
    """`this`"""


@dataclass(frozen=True, slots=True)
class Destiny(Expression):
    """The future of the running task."""


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`!` or `-`"""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """`&& || == != < <= > >= + - * / %`; `&&` and `||` evaluate the right side only when needed."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Construct(Expression):
    """A value of a data type, or an exception."""

    constructor: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class ListOf(Expression):
    """`list[a, b]`, the same value as `Cons(a, Cons(b, Nil))`."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Access(Expression):
    """An accessor function; PatternMatchFailException when the value has another constructor."""

    accessor: str
    subject: Expression


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A call of a function; builtin functions have no body in the program."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class When(Expression):
    """Only one of the two is evaluated."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class CaseBranch:
    """`pattern => value`"""

    pattern: Pattern
    value: Expression


@dataclass(frozen=True, slots=True)
class Case(Expression):
    """The first branch that matches; PatternMatchFailException when none does."""

    subject: Expression
    branches: tuple[CaseBranch, ...]


@dataclass(frozen=True, slots=True)
class Let(Expression):
    """One binding; several are nested."""

    name: str
    value: Expression
    body: Expression


@dataclass(frozen=True, slots=True)
class Implements(Expression):
    """Whether an object implements an interface; False for null."""

    operand: Expression
    interface: str


@dataclass(frozen=True, slots=True)
class Cast(Expression):
    """The same object when it implements the interface, else null."""

    operand: Expression
    interface: str


@dataclass(frozen=True, slots=True)
class New(Expression):
    """A new object, in a new cog or (`local`) in the cog of `this`."""

    class_name: str
    arguments: tuple[Expression, ...]
    local: bool


@dataclass(frozen=True, slots=True)
class SyncCall(Expression):
    """`o.m(e)`; on `this` also methods that no interface declares."""

    target: Expression
    method: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AsyncCall(Expression):
    """`o!m(e)`, a future."""

    target: Expression
    method: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class AwaitCall(Expression):
    """`await o!m(e)`: call, wait, result. As a statement of its own it does not raise what the call raised."""

    call: AsyncCall


@dataclass(frozen=True, slots=True)
class Get(Expression):
    """Blocks the cog until the future is resolved."""

    future: Expression


@dataclass(frozen=True, slots=True)
class PartialCall(Expression):
    """A call of a partially defined function; specialise.py replaces it before the program is handed over."""

    function: str
    functions: tuple[FunctionArgument, ...]
    arguments: tuple[Expression, ...]
    type_arguments: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Apply(Expression):
    """A call of a function parameter inside a partially defined function; replaced like PartialCall."""

    parameter: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """A function given by its name: of a function or constructor, an accessor, or a function parameter."""

    span: Span
    kind: str
    """function, accessor or parameter"""
    name: str
    result: Type


@dataclass(frozen=True, slots=True)
class AnonymousFunction:
    """`(Int x) => x + 1`"""

    span: Span
    parameters: tuple[Variable, ...]
    body: Expression


FunctionArgument = NamedFunction | AnonymousFunction


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared local variable, parameter or field."""

    span: Span
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a value is compared with."""

    span: Span
    type: Type


@dataclass(frozen=True, slots=True)
class AnyPattern(Pattern):
    """Matches everything."""


@dataclass(frozen=True, slots=True)
class BindPattern(Pattern):
    """Matches everything and binds it."""

    name: str


@dataclass(frozen=True, slots=True)
class EqualPattern(Pattern):
    """Matches what equals a literal, or the value of a variable or field."""

    value: Expression


@dataclass(frozen=True, slots=True)
class ConstructorPattern(Pattern):
    """Matches values of one constructor whose arguments match."""

    constructor: str
    arguments: tuple[Pattern, ...]
