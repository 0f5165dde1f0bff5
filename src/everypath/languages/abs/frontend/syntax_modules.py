"""The syntax tree of ABS: declarations and modules."""

from __future__ import annotations

from everypath.errors import Span
from everypath.languages.abs.frontend.syntax import Annotations, Expression, Name, Parameter, TypeUse
from everypath.languages.abs.frontend.syntax_blocks import Block, Branch
from everypath.records import dataclass


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
class Field:
    """`T x = e;` of a class."""

    span: Span
    type: TypeUse
    name: str
    value: Expression | None = None
    annotations: Annotations = ()


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
    fields: tuple[Field, ...]
    init: Block | None
    recover: tuple[Branch, ...] | None
    uses: tuple[TraitExpression, ...]
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class Export:
    """`export a, B;`, `export *;`, `export ... from M;`; names are None for `*`, the module is empty for this one."""

    span: Span
    names: tuple[Name, ...] | None
    module: str


@dataclass(frozen=True, slots=True)
class Import:
    """`import a, B from M;`, `import * from M;`, `import M.a;` (module empty)."""

    span: Span
    names: tuple[Name, ...] | None
    module: str


@dataclass(frozen=True, slots=True)
class Module:
    """Everything from one `module` line to the next."""

    span: Span
    name: str
    exports: tuple[Export, ...]
    imports: tuple[Import, ...]
    declarations: tuple[Declaration, ...]
    main: Block | None
    places: frozenset[str] = frozenset()
    """`local` and `cog`, where the file writes `new local` and `new cog`"""
