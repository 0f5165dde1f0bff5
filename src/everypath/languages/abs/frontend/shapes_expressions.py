"""Builds the nodes of names, types, expressions and patterns while the parser reduces."""

from __future__ import annotations

import re
from typing import Any

from lark import Token, Transformer, v_args

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend.problems import SYNTAX, UNSUPPORTED, Problems

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def unescaped(text: str) -> str:
    """What a string literal stands for."""
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), text)


def given(children: tuple[Any, ...]) -> tuple[Any, ...]:
    """The children without the placeholders of what was left out or could not be read."""
    return tuple(child for child in children if child is not None)


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

    def type_name(self, token: Token) -> s.Name:
        return s.Name(self.at(token), str(token))

    name = type_name

    def longer_name(self, prefix: s.Name, _dot: Token, token: Token) -> s.Name:
        return s.Name(prefix.span, f"{prefix.text}.{token}")

    def names(self, *names: s.Name) -> tuple[s.Name, ...]:
        return names

    def type(self, name: s.Name, arguments: tuple[s.TypeUse, ...] = ()) -> s.TypeUse:
        return s.TypeUse(name.span, name.text, arguments)

    def type_list(self, *types: s.TypeUse) -> tuple[s.TypeUse, ...]:
        return types

    def annotated_type(self, _annotations: s.Annotations | None, type: s.TypeUse) -> s.TypeUse:
        return type

    def type_parameters(self, *names: Token) -> tuple[s.Name, ...]:
        return tuple(self.type_name(name) for name in names)

    def parameters(self, *parameters: s.Parameter) -> tuple[s.Parameter, ...]:
        return parameters

    def parameter(self, annotations: s.Annotations | None, type: s.TypeUse, name: Token) -> s.Parameter:
        return s.Parameter(self.at(name), type, str(name), annotations or ())

    def annotations(self, *groups: s.Annotations) -> s.Annotations:
        return tuple(annotation for group in groups for annotation in group)

    def annotation_group(self, *annotations: s.Annotation) -> s.Annotations:
        return annotations

    def plain_annotation(self, value: s.Expression) -> s.Annotation:
        return s.Annotation(value.span, "", value)

    def tagged_annotation(self, tag: Token, value: s.Expression) -> s.Annotation:
        return s.Annotation(self.at(tag), str(tag), value)

    def binary(self, left: s.Expression, operator: Token, right: s.Expression) -> s.Binary:
        return s.Binary(left.span, str(operator), left, right)

    def unary(self, operator: Token, operand: s.Expression) -> s.Unary:
        return s.Unary(self.at(operator), "!" if operator == "~" else str(operator), operand)

    def get(self, future: s.Expression, _get: Token) -> s.Get:
        return s.Get(future.span, future)

    def call_method(self, target: s.Expression, method: Token, arguments: tuple[s.Expression, ...]) -> s.SyncCall:
        return s.SyncCall(target.span, target, str(method), self.values(arguments))

    def call_this(self, this: Token, method: Token, arguments: tuple[s.Expression, ...]) -> s.SyncCall:
        return self.call_method(s.This(self.at(this)), method, arguments)

    def call_async(
        self, target: s.Expression, _bang: Token, method: Token, arguments: tuple[s.Expression, ...]
    ) -> s.AsyncCall:
        return s.AsyncCall(target.span, target, str(method), self.values(arguments))

    def implements_test(self, operand: s.Expression, interface: s.Name) -> s.Implements:
        return s.Implements(operand.span, operand, interface)

    def cast(self, operand: s.Expression, interface: s.Name) -> s.Cast:
        return s.Cast(operand.span, operand, interface)

    def await_call(self, token: Token, call: s.Expression) -> s.Expression:
        return s.AwaitCall(self.at(token), call)

    def integer(self, token: Token) -> s.Integer:
        return s.Integer(self.at(token), int(token))

    def float_(self, token: Token) -> s.Float:
        return s.Float(self.at(token), float(token))

    def string(self, token: Token) -> s.String:
        return s.String(self.at(token), unescaped(token[1:-1]))

    def template(self, *pieces: Any) -> s.Template:
        parts: list[s.Expression] = []
        for piece in pieces:
            if isinstance(piece, Token):
                text = re.sub(r"\\([`$])", r"\1", piece[1:-1])
                if text:
                    parts.append(s.String(self.at(piece), text))
            else:
                parts.append(piece)
        return s.Template(self.at(pieces[0]), tuple(parts))

    def variable_name(self, token: Token) -> s.Variable:
        return s.Variable(self.at(token), str(token))

    def field_name(self, this: Token, name: Token) -> s.OwnField:
        return s.OwnField(self.at(this), str(name))

    def this(self, token: Token) -> s.This:
        return s.This(self.at(token))

    def destiny(self, token: Token) -> s.Destiny:
        return s.Destiny(self.at(token))

    def null(self, token: Token) -> s.Null:
        return s.Null(self.at(token))

    def call_function(self, name: s.Name, arguments: tuple[s.Expression, ...]) -> s.Call:
        return s.Call(name.span, name, self.values(arguments))

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

    def call_variadic(self, name: s.Name, arguments: tuple[s.Expression, ...]) -> s.VariadicCall:
        return s.VariadicCall(name.span, name, self.values(arguments))

    def construct(self, name: s.Name, arguments: tuple[s.Expression, ...] = ()) -> s.Construct:
        return s.Construct(name.span, name, self.values(arguments))

    def new(self, token: Token, name: s.Name, arguments: tuple[s.Expression, ...]) -> s.New:
        return s.New(self.at(token), name, self.values(arguments))

    def new_in(self, token: Token, place: Token, name: s.Name, arguments: tuple[s.Expression, ...]) -> s.New:
        if place.type == "IDENTIFIER" and place != "cog":
            self.problems.add(
                UNSUPPORTED, self.at(place), f"`new {place}` is not supported; write `new` or `new local`"
            )
        self.places.add(str(place))
        return s.New(self.at(token), name, self.values(arguments), str(place))

    def when(self, token: Token, condition: s.Expression, then: s.Expression, otherwise: s.Expression) -> s.When:
        return s.When(self.at(token), condition, then, otherwise)

    def case(self, token: Token, subject: s.Expression, *branches: s.CaseBranch) -> s.Case:
        return s.Case(self.at(token), subject, branches)

    def case_branch(self, pattern: s.Pattern, _arrow: Token, value: s.Expression) -> s.CaseBranch:
        return s.CaseBranch(pattern.span, pattern, value)

    def let(self, token: Token, *rest: Any) -> s.Let:
        return s.Let(self.at(token), tuple(rest[:-1]), rest[-1])

    def binding(self, type: s.TypeUse, name: Token, value: s.Expression) -> s.Binding:
        return s.Binding(self.at(name), type, str(name), value)

    def parenthesis(self, inner: s.Expression) -> s.Expression:
        return inner

    def anonymous(self, parameters: tuple[s.Parameter, ...], arrow: Token, body: s.Expression) -> s.Anonymous:
        return s.Anonymous(self.at(arrow), parameters, body)

    def arguments(self, *arguments: s.Expression | None) -> tuple[s.Expression, ...]:
        return given(arguments)

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

    def any_pattern(self, token: Token) -> s.AnyPattern:
        return s.AnyPattern(self.at(token))

    def integer_pattern(self, token: Token) -> s.LiteralPattern:
        return s.LiteralPattern(self.at(token), self.integer(token))

    def negative_pattern(self, minus: Token, token: Token) -> s.LiteralPattern:
        return s.LiteralPattern(self.at(minus), s.Integer(self.at(minus), -int(token)))

    def string_pattern(self, token: Token) -> s.LiteralPattern:
        return s.LiteralPattern(self.at(token), self.string(token))

    def name_pattern(self, token: Token) -> s.NamePattern:
        return s.NamePattern(self.at(token), str(token))

    def constructor_pattern(self, name: s.Name, *arguments: s.Pattern | None) -> s.ConstructorPattern:
        return s.ConstructorPattern(name.span, name, given(arguments))
