"""Builds the nodes of the syntax tree while the parser reduces."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lark import Token, Transformer, v_args

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.problems import SYNTAX, UNSUPPORTED, Problems
from everypath.languages.abs.frontend.types import UNCHECKED
from everypath.records import dataclass, replace

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _unescaped(token: Token) -> str:
    """What a string literal stands for."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), token[1:-1])


def _given(children: tuple[Any, ...]) -> tuple[Any, ...]:
    """The children without the placeholders of what was left out or could not be read."""
    return tuple(child for child in children if child is not None)


def _made(cls: type[Any], span: Span, *fields: Any) -> Any:
    """A node; expressions and patterns have no type yet."""
    return cls(span, UNCHECKED, *fields) if issubclass(cls, (t.Expression, t.Pattern)) else cls(span, *fields)


def _node(cls: type) -> Callable[..., Any]:
    """A rule whose node begins with its first child; the children are its fields, without keywords."""

    def shape(self: Shapes, *children: Any) -> Any:
        fields = (self.field_of(child) for child in _named_first(children))
        return _made(cls, self.place(children[0]), *fields)

    return shape


def _gathered(cls: type, single: int = 1) -> Callable[..., Any]:
    """A rule like `_node`, except that all children but the first `single` go together into the last field."""

    def shape(self: Shapes, *children: Any) -> Any:
        kept = _named_first(children)
        return _made(cls, self.place(children[0]), *kept[:single], _given(tuple(kept[single:])))

    return shape


def _named_first(children: tuple[Any, ...]) -> list[Any]:
    """The children without keywords; of a name that the node begins with, the text says all."""
    kept = [child for child in children if not _is_keyword(child)]
    return [kept[0].text, *kept[1:]] if isinstance(children[0], s.Name) else kept


def _declared(cls: type) -> Callable[..., Any]:
    """A rule `type name rest`, perhaps with annotations before it, whose node begins at the name."""

    def shape(self: Shapes, *children: Any) -> Any:
        annotated = not isinstance(children[0], s.TypeUse)
        type_, name, *rest = children[annotated:]
        made = cls(self.at(name), type_, str(name), *rest)
        return replace(made, annotations=children[0]) if annotated and children[0] else made

    return shape


def _declaration(cls: type) -> Callable[..., Any]:
    """A rule `annotations keyword name rest` for what a module declares."""

    def shape(_: Shapes, annotations: Any, _keyword: Token, name: s.Name, *rest: Any) -> Any:
        return cls(name.span, name.text, annotations or (), *(() if part is None else part for part in rest))

    return shape


def _listed(_: Shapes, *children: Any) -> tuple[Any, ...]:
    """A rule that lists things; what could not be read is left out."""
    return _given(children)


def _second(_: Shapes, _first: Any, second: Any) -> Any:
    """A rule of which only the second part matters."""
    return second


def _lacking(what: str) -> Callable[..., Any]:
    """A statement that is not supported."""
    return lambda self, token, _operand: s.Lacking(self.at(token), what)


def _is_keyword(child: object) -> bool:
    """Whether the grammar keeps a token only because it says where a node starts."""
    return isinstance(child, Token) and child.type not in ("IDENTIFIER", "TYPE_IDENTIFIER")


@dataclass(frozen=True, slots=True)
class _Recover:
    span: Span
    branches: tuple[b.Branch, ...]


@v_args(inline=True)
class Shapes(Transformer[Token, Any]):
    """One method for each rule of the grammar, named after it."""

    def __init__(self) -> None:
        super().__init__()
        self.file = ""
        self.problems = Problems()
        self.places: set[str] = set()
        """how objects are made in this file: `new`, `new local`, `new cog`"""

    def at(self, token: Token) -> Span:
        """Where a token begins."""
        return Span(self.file, token.line or 0, token.column or 0)

    def place(self, child: Any) -> Span:
        """Where a token or a node begins."""
        return self.at(child) if isinstance(child, Token) else child.span

    def field_of(self, child: Any) -> Any:
        """A child as it is kept in a field."""
        if isinstance(child, Token):
            return str(child)
        return self.values(child) if isinstance(child, tuple) else child

    def values(self, arguments: tuple[t.Expression, ...]) -> tuple[t.Expression, ...]:
        """Arguments where only values may stand."""
        for argument in arguments:
            if isinstance(argument, s.Anonymous):
                self.problems.add(
                    SYNTAX,
                    argument.span,
                    "an anonymous function may only stand in the first arguments of a partially defined function, "
                    "as in `map((Int x) => x + 1)(list[1, 2])`",
                )
        return arguments

    start = names = type_list = parameters = annotation_group = arguments = _listed
    constructors = extends = implements = method_set = catches = guards = _listed
    main = annotated_type = _second
    data = _declaration(s.Data)
    synonym = _declaration(s.Synonym)
    trait = _declaration(s.Trait)
    parameter = _declared(s.Parameter)
    tagged_annotation = _node(s.Annotation)
    constructor = _gathered(s.Constructor)

    def module(self, token: Token, name: s.Name, *parts: Any) -> s.Module:
        return s.Module(
            self.at(token),
            name.text,
            tuple(p for p in parts if isinstance(p, s.Exchange) and p.kind == "export"),
            tuple(p for p in parts if isinstance(p, s.Exchange) and p.kind == "import"),
            tuple(p for p in parts if isinstance(p, s.Declaration)),
            next((p for p in parts if isinstance(p, b.Block)), None),
            frozenset(self.places),
        )

    def export(self, token: Token, *parts: Any) -> s.Exchange:
        names = next((part for part in parts if isinstance(part, tuple)), None)
        module = next((part.text for part in parts if isinstance(part, s.Name)), "")
        return s.Exchange(self.at(token), str(token), names, module)

    import_ = export

    def type_name(self, token: Token) -> s.Name:
        return s.Name(self.at(token), str(token))

    name = trait_name = type_name

    def longer_name(self, prefix: s.Name, _dot: Token, token: Token) -> s.Name:
        return s.Name(prefix.span, f"{prefix.text}.{token}")

    def type(self, name: s.Name, arguments: tuple[s.TypeUse, ...] = ()) -> s.TypeUse:
        return s.TypeUse(name.span, name.text, arguments)

    def type_parameters(self, *names: Token) -> tuple[s.Name, ...]:
        return tuple(map(self.type_name, names))

    function_names = type_parameters

    def annotations(self, *groups: s.Annotations) -> s.Annotations:
        return tuple(annotation for group in groups for annotation in group)

    def plain_annotation(self, value: t.Expression) -> s.Annotation:
        return s.Annotation(value.span, "", value)

    def exception(self, annotations: Any, _exception: Token, constructor: s.Constructor) -> s.Exception_:
        return s.Exception_(constructor.span, constructor.name, annotations or (), constructor)

    def constructor_argument(self, type: s.TypeUse, accessor: Token | None) -> s.ConstructorArgument:
        span = type.span if accessor is None else self.at(accessor)
        return s.ConstructorArgument(span, type, str(accessor or ""))

    def function(self, annotations: Any, _def: Token, result: Any, name: Any, types: Any, *rest: Any) -> s.Function:
        functions, parameters, body = rest
        return s.Function(name.span, name.text, annotations or (), types or (), functions, parameters, result, body)

    def body(self, value: Any, _arguments: Any = None) -> t.Expression | None:
        return None if isinstance(value, Token) else value

    def signature(self, annotations: Any, result: s.TypeUse, name: Token, parameters: Any) -> s.Signature:
        return s.Signature(self.at(name), str(name), parameters, result, annotations or ())

    def interface(self, annotations: Any, _interface: Token, name: s.Name, extends: Any, *rest: Any) -> s.Interface:
        return s.Interface(name.span, name.text, annotations or (), extends or (), _given(rest))

    def class_(
        self, annotations: Any, _class: Token, name: s.Name, parameters: Any, implements: Any, *members: Any
    ) -> s.Class:
        inits = [m for m in members if isinstance(m, b.Block)]
        recovers = [m for m in members if isinstance(m, _Recover)]
        for span in (*(m.span for m in inits[1:]), *(m.span for m in recovers[1:])):
            self.problems.add(SYNTAX, span, f"class `{name.text}` already has a block of this kind")
        return s.Class(
            name.span,
            name.text,
            annotations or (),
            parameters or (),
            implements or (),
            tuple(m for m in members if isinstance(m, s.Declare)),
            inits[0] if inits else None,
            recovers[0].branches if recovers else None,
            tuple(m for m in members if isinstance(m, s.TraitExpression)),
            tuple(m for m in members if isinstance(m, s.Method)),
        )

    def recover(self, token: Token, *branches: b.Branch | None) -> _Recover:
        return _Recover(self.at(token), _given(branches))

    def method(self, annotations: Any, result: s.TypeUse, name: Token, parameters: Any, body: b.Block) -> s.Method:
        return s.Method(self.signature(annotations, result, name, parameters), body)

    def trait_expression(self, first: Any, *operations: s.TraitOperation) -> s.TraitExpression:
        span = first.span if isinstance(first, s.Name) else first[0].signature.span if first else Span(self.file)
        return s.TraitExpression(span, (self._operation(span, "adds", first), *operations))

    def trait_adds(self, token: Token, operand: Any) -> s.TraitOperation:
        return self._operation(self.at(token), str(token), operand)

    trait_modifies = trait_adds

    def trait_removes(self, token: Token, *signatures: s.Signature) -> s.TraitOperation:
        return s.TraitOperation(self.at(token), str(token), (), None, signatures)

    def _operation(self, span: Span, kind: str, operand: Any) -> s.TraitOperation:
        if isinstance(operand, s.Name):
            return s.TraitOperation(span, kind, (), operand)
        return s.TraitOperation(span, kind, operand, None)

    bare_field = field = bare_variable = variable = _declared(s.Declare)
    block = skip = _gathered(b.Block, 0)
    run = _node(b.Evaluate)
    return_ = _node(b.Return)
    bare_return = _node(s.BareReturn)
    assert_ = _node(b.Assert)
    if_else = _node(b.If)
    switch = _gathered(b.Switch)
    while_ = _node(b.While)
    try_finally = _node(b.Try)
    await_ = _node(s.Await)
    claim = _node(s.Claim)
    suspend = _node(b.Suspend)
    throw = _node(b.Throw)
    die = _node(b.Die)
    duration = _lacking("timed ABS (`duration`) is")
    move = _lacking("moving cogs (`movecogto`) is")

    def annotated_statement(self, annotations: s.Annotations, statement: b.Statement) -> b.Statement:
        if isinstance(statement, s.Declare):
            return replace(statement, annotations=annotations)
        return s.Annotated(annotations[0].span, annotations, statement)

    def assign(self, name: Token, value: t.Expression) -> b.Assign:
        return b.Assign(self.at(name), self.variable_name(name), value)

    def assign_field(self, this: Token, name: Token, value: t.Expression) -> b.Assign:
        return b.Assign(self.at(this), self.field_name(this, name), value)

    def if_(self, token: Token, condition: t.Expression, then: b.Statement) -> b.If:
        return b.If(self.at(token), condition, then, b.Block(self.at(token), ()))

    def foreach(self, token: Token, name: Token, elements: t.Expression, body: b.Statement) -> b.Foreach:
        return b.Foreach(self.at(token), self._loop_variable(token, name), None, elements, body)

    def foreach_index(self, token: Token, name: Token, index: Token, elements: Any, body: b.Statement) -> b.Foreach:
        variables = self._loop_variable(token, name), self._loop_variable(token, index)
        return b.Foreach(self.at(token), *variables, elements, body)

    def _loop_variable(self, foreach: Token, name: Token) -> t.Variable:
        return t.Variable(self.at(foreach), str(name), UNCHECKED)

    def try_(self, token: Token, body: b.Statement, branches: tuple[b.Branch, ...]) -> b.Try:
        return b.Try(self.at(token), body, branches, None)

    def branch(self, pattern: t.Pattern, _arrow: Token, body: b.Statement) -> b.Branch:
        return b.Branch(pattern, body)

    def duration_guard(self, token: Token, _arguments: Any) -> s.DurationGuard:
        return s.DurationGuard(self.at(token), UNCHECKED)

    get = _node(t.Get)
    call_method = _node(t.SyncCall)
    call_async = _node(t.AsyncCall)
    implements_test = _node(s.Implements)
    cast = _node(s.Cast)
    await_call = _node(t.AwaitCall)
    variable_name = _node(t.Local)
    field_name = _node(t.Field)
    this = _node(t.This)
    destiny = _node(t.Destiny)
    call_function = _node(t.Call)
    call_variadic = _node(s.VariadicCall)
    new = _node(s.New)
    when = _node(t.When)
    case = _gathered(t.Case)
    binding = _declared(s.Binding)
    any_pattern = _node(t.AnyPattern)
    name_pattern = _node(t.BindPattern)
    constructor_pattern = _gathered(t.ConstructorPattern)

    def binary(self, left: t.Expression, operator: Token, right: t.Expression) -> t.Binary:
        return t.Binary(left.span, UNCHECKED, str(operator), left, right)

    def unary(self, operator: Token, operand: t.Expression) -> t.Unary:
        return t.Unary(self.at(operator), UNCHECKED, "!" if operator == "~" else str(operator), operand)

    def construct(self, name: s.Name, arguments: tuple[t.Expression, ...] = ()) -> t.Construct:
        return t.Construct(name.span, UNCHECKED, name.text, self.values(arguments))

    def call_this(self, this: Token, method: Token, arguments: tuple[t.Expression, ...]) -> t.SyncCall:
        return t.SyncCall(self.at(this), UNCHECKED, self.this(this), str(method), self.values(arguments))

    def _literal(self, token: Token, value: float | str | None) -> t.Literal:
        return t.Literal(self.at(token), UNCHECKED, value)

    def integer(self, token: Token) -> t.Literal:
        return self._literal(token, int(token))

    def float_(self, token: Token) -> t.Literal:
        return self._literal(token, float(token))

    def string(self, token: Token) -> t.Literal:
        return self._literal(token, _unescaped(token))

    def null(self, token: Token) -> t.Literal:
        return self._literal(token, None)

    def template(self, *pieces: Any) -> s.Template:
        parts: list[t.Expression] = []
        for piece in pieces:
            if isinstance(piece, Token):
                text = re.sub(r"\\([`$])", r"\1", piece[1:-1])
                if text:
                    parts.append(self._literal(piece, text))
            else:
                parts.append(piece)
        return s.Template(self.at(pieces[0]), UNCHECKED, tuple(parts))

    def call_partial(
        self, name: s.Name, functions: tuple[t.Expression, ...], arguments: tuple[t.Expression, ...]
    ) -> s.PartialCall:
        for function in functions:
            if not isinstance(function, (t.Local, s.Anonymous)):
                self.problems.add(
                    SYNTAX,
                    function.span,
                    f"the first arguments of `{name.text}(...)(...)` are names of functions or anonymous functions "
                    "such as `(Int x) => x + 1`",
                )
        return s.PartialCall(name.span, UNCHECKED, name.text, functions, self.values(arguments))

    def new_in(self, token: Token, place: Token, name: s.Name, arguments: tuple[t.Expression, ...]) -> s.New:
        if place.type == "IDENTIFIER" and place != "cog":
            self.problems.add(
                UNSUPPORTED, self.at(place), f"`new {place}` is not supported; write `new` or `new local`"
            )
        self.places.add(str(place))
        return s.New(self.at(token), UNCHECKED, name, self.values(arguments), str(place))

    def let(self, token: Token, *rest: Any) -> s.Let:
        return s.Let(self.at(token), UNCHECKED, tuple(rest[:-1]), rest[-1])

    def case_branch(self, pattern: t.Pattern, _arrow: Token, value: t.Expression) -> t.CaseBranch:
        return t.CaseBranch(pattern, value)

    def anonymous(self, parameters: tuple[s.Parameter, ...], arrow: Token, body: t.Expression) -> s.Anonymous:
        return s.Anonymous(self.at(arrow), UNCHECKED, parameters, body)

    def _equal_pattern(self, literal: t.Literal) -> t.EqualPattern:
        return t.EqualPattern(literal.span, UNCHECKED, literal)

    def integer_pattern(self, token: Token) -> t.EqualPattern:
        return self._equal_pattern(self.integer(token))

    def negative_pattern(self, minus: Token, token: Token) -> t.EqualPattern:
        return self._equal_pattern(self._literal(minus, -int(token)))

    def string_pattern(self, token: Token) -> t.EqualPattern:
        return self._equal_pattern(self.string(token))
