"""The syntax tree of ABS as it is written: what the parser makes beside nodes of `tree.py`, and the checker reads.

Where the checked tree has the same form, the parser makes its nodes, with the type UNCHECKED: `tree.Local` is then any
lower-case name, `tree.Field` is `this.name`, `tree.BindPattern` any name in a pattern.
"""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend.tree import Expression
from everypath.languages.abs.frontend.tree_blocks import Block, Branch, Statement
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
class Template(Expression):
    """A string between backticks; expressions stand between pieces of text."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Anonymous(Expression):
    """`(Int x) => x + 1`, only as an argument of a partially defined function."""

    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class PartialCall(Expression):
    """`f(g)(a, b)`"""

    function: str
    functions: tuple[Expression, ...]
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class VariadicCall(Expression):
    """`list[1, 2]`: the function gets one list."""

    function: str
    arguments: tuple[Expression, ...]


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
class ImplementsTest(Expression):
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
class Claim(Expression):
    """`f?`, a part of an `await`; other parts are conditions over the object's fields."""

    future: Expression


@dataclass(frozen=True, slots=True)
class DurationGuard(Expression):
    """`duration(min, max)`, a part of an `await`."""


@dataclass(frozen=True, slots=True)
class Await(Statement):
    """`await g & h;`"""

    guards: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Declare(Statement):
    """`T x = e;` or `T x;`, of a block or a class."""

    type: TypeUse
    name: str
    value: Expression | None = None
    annotations: Annotations = ()


@dataclass(frozen=True, slots=True)
class BareReturn(Statement):
    """`return;`"""


@dataclass(frozen=True, slots=True)
class Lacking(Statement):
    """A statement that is understood but not supported; `what` names it."""

    what: str


@dataclass(frozen=True, slots=True)
class Annotated(Statement):
    """A statement with annotations before it."""

    annotations: Annotations
    statement: Statement


@dataclass(frozen=True, slots=True)
class Declaration:
    """Anything that a module declares."""

    span: Span
    name: str
    annotations: Annotations


@dataclass(frozen=True, slots=True)
class ConstructorArgument:
    """`A head`; the accessor's name is empty when there is none."""

    span: Span
    type: TypeUse
    accessor: str


@dataclass(frozen=True, slots=True)
class Constructor:
    """`Cons(A head, List<A> tail)`"""

    span: Span
    name: str
    arguments: tuple[ConstructorArgument, ...]


@dataclass(frozen=True, slots=True)
class Data(Declaration):
    """`data List<A> = Nil | Cons(A head, List<A> tail);`"""

    parameters: tuple[Name, ...]
    constructors: tuple[Constructor, ...]


@dataclass(frozen=True, slots=True)
class Exception_(Declaration):
    """`exception Broken(String why);`"""

    constructor: Constructor


@dataclass(frozen=True, slots=True)
class Synonym(Declaration):
    """`type Names = List<String>;`"""

    type: TypeUse


@dataclass(frozen=True, slots=True)
class Function(Declaration):
    """`def T f<A>(T x) = e;`; partially defined when `functions` is not None; builtin when `body` is None."""

    type_parameters: tuple[Name, ...]
    functions: tuple[Name, ...] | None
    parameters: tuple[Parameter, ...]
    result: TypeUse
    body: Expression | None


@dataclass(frozen=True, slots=True)
class Signature:
    """`T m(T x);` of an interface."""

    span: Span
    name: str
    parameters: tuple[Parameter, ...]
    result: TypeUse
    annotations: Annotations = ()


@dataclass(frozen=True, slots=True)
class Interface(Declaration):
    """`interface I extends J { ... }`"""

    extends: tuple[Name, ...]
    signatures: tuple[Signature, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a class or trait."""

    signature: Signature
    body: Block


@dataclass(frozen=True, slots=True)
class TraitOperation:
    """`adds`, `modifies` or `removes`, with a set of methods or the name of a trait."""

    span: Span
    kind: str
    methods: tuple[Method, ...]
    trait: Name | None
    signatures: tuple[Signature, ...] = ()


@dataclass(frozen=True, slots=True)
class TraitExpression:
    """Methods, put together from traits; the first operation is always `adds`."""

    span: Span
    operations: tuple[TraitOperation, ...]


@dataclass(frozen=True, slots=True)
class Trait(Declaration):
    """`trait T = { ... } adds U`"""

    value: TraitExpression


@dataclass(frozen=True, slots=True)
class Class(Declaration):
    """`class C(T x) implements I { ... }`"""

    parameters: tuple[Parameter, ...]
    implements: tuple[Name, ...]
    fields: tuple[Declare, ...]
    init: Block | None
    recover: tuple[Branch, ...] | None
    uses: tuple[TraitExpression, ...]
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a module gives or takes: `export a, B;`, `export * from M;`, `import a, B from M;`, `import M.a;`."""

    span: Span
    kind: str
    """export or import"""
    names: tuple[Name, ...] | None
    """None for all, `*`"""
    module: str
    """the other module; empty for this one, and where the names say it"""


@dataclass(frozen=True, slots=True)
class Module:
    """Everything from one `module` line to the next."""

    span: Span
    name: str
    exports: tuple[Exchange, ...]
    imports: tuple[Exchange, ...]
    declarations: tuple[Declaration, ...]
    main: Block | None
    places: frozenset[str] = frozenset()
    """`local` and `cog`, where the file writes `new local` and `new cog`"""
