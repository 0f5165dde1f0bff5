"""Builds the nodes of the syntax tree while the parser reduces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from lark import Token, Transformer, v_args

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.problems import SYNTAX, UNSUPPORTED, Problems
from everypath.languages.abs.frontend.types import UNCHECKED
from everypath.records import dataclass, fields, replace

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def _unescaped(token: Token) -> str:
    """What a string literal stands for."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), token[1:-1])


_LITERALS: dict[str, Callable[[Token], int | float | str | None]] = {
    "INTEGER": int,
    "FLOAT": float,
    "STRING": _unescaped,
    "NULL": lambda _: None,
}


def _given(children: Iterable[Any]) -> tuple[Any, ...]:
    """The children without the placeholders of what was left out or could not be read."""
    return tuple(child for child in children if child is not None)


def _declared(cls: type[Any]) -> Callable[..., Any]:
    """A rule `type name rest`, perhaps with annotations before it, whose node begins at the name."""

    def shape(self: Shapes, *children: Any) -> Any:
        annotated = not isinstance(children[0], s.TypeUse)
        type_, name, *rest = children[annotated:]
        made = cls(self.at(name), type_, str(name), *rest)
        return replace(made, annotations=children[0]) if annotated and children[0] else made

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


_NODES: dict[str, type[Any]] = {
    re.sub("(?<!^)(?=[A-Z])", "_", name).lower(): cls
    for module in (t, b, s)
    for name, cls in vars(module).items()
    if getattr(cls, "__record_fields__", ())
}
"""The classes of nodes by the names that rules have: `sync_call` makes a SyncCall."""
_ROOM = {cls: (len(fields(cls)), str(fields(cls)[-1].type).startswith("tuple[")) for cls in _NODES.values()}
"""How many fields a node has, and whether the last is for many children."""


def _is_keyword(child: object) -> bool:
    """Whether the grammar keeps a token only because it says where a node starts."""
    return isinstance(child, Token) and child.type not in ("IDENTIFIER", "TYPE_IDENTIFIER")


def _filled(cls: type[Any], begin: list[Any], own: list[Any]) -> Any:
    """A node of a class; children that are not listed yet go together into its last field, if that is for many."""
    count, many = _ROOM[cls]
    count -= len(begin)
    if many and not (len(own) == count and isinstance(own[-1], tuple)):
        own = [*own[: count - 1], _given(own[count - 1 :])]
    return cls(*begin, *own)


@dataclass(frozen=True, slots=True)
class _Recover:
    span: Span
    branches: tuple[b.Branch, ...]


@v_args(inline=True)
class Shapes(Transformer[Token, Any]):
    """For each rule of the grammar a method named after it, or else the class of nodes that it is named after."""

    def __init__(self) -> None:
        super().__init__()
        self.file = ""
        self.problems = Problems()
        self.places: set[str] = set()
        """how objects are made in this file: `new`, `new local`, `new cog`"""

    def __getattr__(self, rule: str) -> Callable[[list[Any]], Any]:
        if rule not in _NODES:
            raise AttributeError(rule)
        cls = _NODES[rule]
        return partial(self._declaration if issubclass(cls, s.Declaration) else self._node, cls)

    def _node(self, cls: type[Any], children: list[Any]) -> Any:
        """A node that begins with its first child; the children are its fields, without keywords.

        A name that it begins with is kept as text, and expressions and patterns have no type yet.
        """
        own = [self._field_of(child) for child in children if not _is_keyword(child)]
        if isinstance(children[0], s.Name):
            own[0] = children[0].text
        begin: list[Any] = [] if cls in (b.Branch, t.CaseBranch) else [self.place(children[0])]
        return _filled(cls, [*begin, UNCHECKED] if issubclass(cls, (t.Expression, t.Pattern)) else begin, own)

    def _declaration(self, cls: type[Any], children: list[Any]) -> Any:
        """What a module declares: annotations, keyword, name, and fields that may be left out."""
        annotations, _, name, first, *rest = children
        return _filled(cls, [name.span, name.text, annotations or ()], [() if first is None else first, *rest])

    def at(self, token: Token) -> Span:
        """Where a token begins."""
        return Span(self.file, token.line or 0, token.column or 0)

    def place(self, child: Any) -> Span:
        """Where a token or a node begins."""
        return self.at(child) if isinstance(child, Token) else child.span

    def _field_of(self, child: Any) -> Any:
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
    parameter = _declared(s.Parameter)
    binding = _declared(s.Binding)
    declare = _declared(s.Declare)

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

    duration = _lacking("timed ABS (`duration`) is")
    move = _lacking("moving cogs (`movecogto`) is")

    def annotated_statement(self, annotations: s.Annotations, statement: b.Statement) -> b.Statement:
        if isinstance(statement, s.Declare):
            return replace(statement, annotations=annotations)
        return s.Annotated(annotations[0].span, annotations, statement)

    def assign(self, name: Token, value: t.Expression) -> b.Assign:
        return b.Assign(self.at(name), t.Local(self.at(name), UNCHECKED, str(name)), value)

    def assign_field(self, this: Token, name: Token, value: t.Expression) -> b.Assign:
        return b.Assign(self.at(this), t.Field(self.at(this), UNCHECKED, str(name)), value)

    def if_(self, token: Token, condition: t.Expression, then: b.Statement, otherwise: b.Statement | None) -> b.If:
        return b.If(self.at(token), condition, then, otherwise or b.Block(self.at(token), ()))

    def foreach(self, token: Token, name: Token, index: Token | None, elements: Any, body: b.Statement) -> b.Foreach:
        span = self.at(token)
        counting = None if index is None else t.Variable(span, str(index), UNCHECKED)
        return b.Foreach(span, t.Variable(span, str(name), UNCHECKED), counting, elements, body)

    def duration_guard(self, token: Token, _arguments: Any) -> s.DurationGuard:
        return s.DurationGuard(self.at(token), UNCHECKED)

    def binary(self, left: t.Expression, operator: Token, right: t.Expression) -> t.Binary:
        return t.Binary(left.span, UNCHECKED, str(operator), left, right)

    def unary(self, operator: Token, operand: t.Expression) -> t.Unary:
        return t.Unary(self.at(operator), UNCHECKED, "!" if operator == "~" else str(operator), operand)

    def call_this(self, this: Token, method: Token, arguments: tuple[t.Expression, ...]) -> t.SyncCall:
        return t.SyncCall(
            self.at(this), UNCHECKED, t.This(self.at(this), UNCHECKED), str(method), self.values(arguments)
        )

    def literal(self, token: Token) -> t.Literal:
        return t.Literal(self.at(token), UNCHECKED, _LITERALS[token.type](token))

    def template(self, *pieces: Any) -> s.Template:
        parts: list[t.Expression] = []
        for piece in pieces:
            if isinstance(piece, Token):
                text = re.sub(r"\\([`$])", r"\1", piece[1:-1])
                if text:
                    parts.append(t.Literal(self.at(piece), UNCHECKED, text))
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

    def anonymous(self, parameters: tuple[s.Parameter, ...], arrow: Token, body: t.Expression) -> s.Anonymous:
        return s.Anonymous(self.at(arrow), UNCHECKED, parameters, body)

    def literal_pattern(self, token: Token) -> t.EqualPattern:
        return t.EqualPattern(self.at(token), UNCHECKED, self.literal(token))

    def negative_pattern(self, minus: Token, token: Token) -> t.EqualPattern:
        return t.EqualPattern(self.at(minus), UNCHECKED, t.Literal(self.at(minus), UNCHECKED, -int(token)))
