"""Builds the nodes of names, types, expressions and patterns while the parser reduces."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from lark import Token, Transformer, v_args

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend.problems import SYNTAX, UNSUPPORTED, Problems
from everypath.records import replace

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def unescaped(text: str) -> str:
    """What a string literal stands for."""
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), text)


def given(children: tuple[Any, ...]) -> tuple[Any, ...]:
    """The children without the placeholders of what was left out or could not be read."""
    return tuple(child for child in children if child is not None)


def node(cls: type) -> Callable[..., Any]:
    """A rule whose node begins with its first child; the children are its fields, without keywords."""

    def shape(self: ExpressionShapes, *children: Any) -> Any:
        fields = (self.field_of(child) for child in children if not is_keyword(child))
        return cls(self.place(children[0]), *fields)

    return shape


def gathered(cls: type, single: int = 1) -> Callable[..., Any]:
    """A rule like `node`, except that all children but the first `single` go together into the last field."""

    def shape(self: ExpressionShapes, *children: Any) -> Any:
        kept = [child for child in children if not is_keyword(child)]
        return cls(self.place(children[0]), *kept[:single], given(tuple(kept[single:])))

    return shape


def declared(cls: type) -> Callable[..., Any]:
    """A rule `type name rest`, perhaps with annotations before it, whose node begins at the name."""

    def shape(self: ExpressionShapes, *children: Any) -> Any:
        annotated = not isinstance(children[0], s.TypeUse)
        type_, name, *rest = children[annotated:]
        made = cls(self.at(name), type_, str(name), *rest)
        return replace(made, annotations=children[0]) if annotated and children[0] else made

    return shape


def listed(_: ExpressionShapes, *children: Any) -> tuple[Any, ...]:
    """A rule that lists things; what could not be read is left out."""
    return given(children)


def is_keyword(child: object) -> bool:
    """Whether the grammar keeps a token only because it says where a node starts."""
    return isinstance(child, Token) and child.type not in ("IDENTIFIER", "TYPE_IDENTIFIER")


@v_args(inline=True)
class ExpressionShapes(Transformer[Token, Any]):
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

    def type_name(self, token: Token) -> s.Name:
        return s.Name(self.at(token), str(token))

    name = type_name
    names = type_list = parameters = annotation_group = arguments = listed
    parameter = declared(s.Parameter)
    tagged_annotation = node(s.Annotation)
    get = node(s.Get)
    call_method = node(s.SyncCall)
    call_async = node(s.AsyncCall)
    implements_test = node(s.Implements)
    cast = node(s.Cast)
    await_call = node(s.AwaitCall)
    variable_name = node(s.Variable)
    field_name = node(s.OwnField)
    this = node(s.This)
    destiny = node(s.Destiny)
    call_function = node(s.Call)
    call_variadic = node(s.VariadicCall)
    construct = node(s.Construct)
    new = node(s.New)
    when = node(s.When)
    case = gathered(s.Case)
    case_branch = node(s.CaseBranch)
    binding = declared(s.Binding)
    any_pattern = node(s.AnyPattern)
    name_pattern = node(s.NamePattern)
    constructor_pattern = gathered(s.ConstructorPattern)

    def annotated_type(self, _annotations: s.Annotations | None, type: s.TypeUse) -> s.TypeUse:
        return type

    def longer_name(self, prefix: s.Name, _dot: Token, token: Token) -> s.Name:
        return s.Name(prefix.span, f"{prefix.text}.{token}")

    def type(self, name: s.Name, arguments: tuple[s.TypeUse, ...] = ()) -> s.TypeUse:
        return s.TypeUse(name.span, name.text, arguments)

    def type_parameters(self, *names: Token) -> tuple[s.Name, ...]:
        return tuple(self.type_name(name) for name in names)

    def annotations(self, *groups: s.Annotations) -> s.Annotations:
        return tuple(annotation for group in groups for annotation in group)

    def plain_annotation(self, value: s.Expression) -> s.Annotation:
        return s.Annotation(value.span, "", value)

    def binary(self, left: s.Expression, operator: Token, right: s.Expression) -> s.Binary:
        return s.Binary(left.span, str(operator), left, right)

    def unary(self, operator: Token, operand: s.Expression) -> s.Unary:
        return s.Unary(self.at(operator), "!" if operator == "~" else str(operator), operand)

    def call_this(self, this: Token, method: Token, arguments: tuple[s.Expression, ...]) -> s.SyncCall:
        return s.SyncCall(self.at(this), s.This(self.at(this)), str(method), self.values(arguments))

    def integer(self, token: Token) -> s.Literal:
        return s.Literal(self.at(token), int(token))

    def float_(self, token: Token) -> s.Literal:
        return s.Literal(self.at(token), float(token))

    def string(self, token: Token) -> s.Literal:
        return s.Literal(self.at(token), unescaped(token[1:-1]))

    def null(self, token: Token) -> s.Literal:
        return s.Literal(self.at(token), None)

    def template(self, *pieces: Any) -> s.Template:
        parts: list[s.Expression] = []
        for piece in pieces:
            if isinstance(piece, Token):
                text = re.sub(r"\\([`$])", r"\1", piece[1:-1])
                if text:
                    parts.append(s.Literal(self.at(piece), text))
            else:
                parts.append(piece)
        return s.Template(self.at(pieces[0]), tuple(parts))

    def call_partial(
        self, name: s.Name, functions: tuple[s.Expression, ...], arguments: tuple[s.Expression, ...]
    ) -> s.Call:
        for function in functions:
            if not isinstance(function, (s.Variable, s.Anonymous)):
                self.problems.add(
                    SYNTAX,
                    function.span,
                    f"the first arguments of `{name.text}(...)(...)` are names of functions or anonymous functions "
                    "such as `(Int x) => x + 1`",
                )
        return s.Call(name.span, name, self.values(arguments), functions)

    def new_in(self, token: Token, place: Token, name: s.Name, arguments: tuple[s.Expression, ...]) -> s.New:
        if place.type == "IDENTIFIER" and place != "cog":
            self.problems.add(
                UNSUPPORTED, self.at(place), f"`new {place}` is not supported; write `new` or `new local`"
            )
        self.places.add(str(place))
        return s.New(self.at(token), name, self.values(arguments), str(place))

    def let(self, token: Token, *rest: Any) -> s.Let:
        return s.Let(self.at(token), tuple(rest[:-1]), rest[-1])

    def parenthesis(self, inner: s.Expression) -> s.Expression:
        return inner

    def anonymous(self, parameters: tuple[s.Parameter, ...], arrow: Token, body: s.Expression) -> s.Anonymous:
        return s.Anonymous(self.at(arrow), parameters, body)

    def values(self, arguments: tuple[s.Expression, ...]) -> tuple[s.Expression, ...]:
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

    def integer_pattern(self, token: Token) -> s.LiteralPattern:
        return s.LiteralPattern(self.at(token), int(token))

    def negative_pattern(self, minus: Token, token: Token) -> s.LiteralPattern:
        return s.LiteralPattern(self.at(minus), -int(token))

    def string_pattern(self, token: Token) -> s.LiteralPattern:
        return s.LiteralPattern(self.at(token), unescaped(token[1:-1]))
