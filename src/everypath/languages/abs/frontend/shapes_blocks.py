"""Builds the nodes of statements, declarations and modules while the parser reduces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lark import Token, v_args

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import syntax_blocks as b
from everypath.languages.abs.frontend import syntax_modules as d
from everypath.languages.abs.frontend.problems import SYNTAX
from everypath.languages.abs.frontend.shapes_expressions import (
    ExpressionShapes,
    declared,
    gathered,
    given,
    listed,
    node,
)
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class _Recover:
    span: Span
    branches: tuple[b.Branch, ...]


def _exchange(cls: type[d.Export] | type[d.Import]) -> Callable[..., Any]:
    """What a module gives or takes: some names or all of them, from another module or from none in particular."""

    def shape(self: Shapes, token: Token, *parts: Any) -> d.Export | d.Import:
        names = next((part for part in parts if isinstance(part, tuple)), None)
        return cls(self.at(token), names, next((part.text for part in parts if isinstance(part, s.Name)), ""))

    return shape


@v_args(inline=True)
class Shapes(ExpressionShapes):
    """One method for each rule of the grammar, named after it."""

    start = constructors = extends = implements = method_set = catches = guards = listed
    export_all = export_all_from = export_names = export_names_from = _exchange(d.Export)
    import_all_from = import_names_from = import_names = _exchange(d.Import)
    bare_field = field = declared(d.Field)
    block = skip = gathered(b.Block, 0)
    bare_variable = variable = declared(b.Declare)
    run = node(b.Evaluate)
    return_ = bare_return = node(b.Return)
    assert_ = node(b.Assert)
    if_ = if_else = node(b.If)
    switch = gathered(b.Switch)
    branch = node(b.Branch)
    while_ = node(b.While)
    foreach_index = node(b.Foreach)
    try_ = try_finally = node(b.Try)
    await_ = node(b.Await)
    guard = node(b.Condition)
    claim = node(b.Claim)
    suspend = node(b.Suspend)
    throw = node(b.Throw)
    die = node(b.Die)

    def module(self, token: Token, name: s.Name, *parts: Any) -> d.Module:
        return d.Module(
            self.at(token),
            name.text,
            tuple(p for p in parts if isinstance(p, d.Export)),
            tuple(p for p in parts if isinstance(p, d.Import)),
            tuple(p for p in parts if isinstance(p, d.Declaration)),
            next((p for p in parts if isinstance(p, b.Block)), None),
            frozenset(self.places),
        )

    def main(self, _annotations: s.Annotations | None, block: b.Block) -> b.Block:
        return block

    def data(self, annotations: Any, _data: Token, name: s.Name, parameters: Any, constructors: Any) -> d.Data:
        return d.Data(name.span, name.text, annotations or (), parameters or (), constructors or ())

    def synonym(self, annotations: Any, _type: Token, name: s.Name, type: s.TypeUse) -> d.Synonym:
        return d.Synonym(name.span, name.text, annotations or (), type)

    def exception(self, annotations: Any, _exception: Token, constructor: d.Constructor) -> d.Exception_:
        return d.Exception_(constructor.span, constructor.name, annotations or (), constructor)

    def constructor(self, name: s.Name, *arguments: d.ConstructorArgument) -> d.Constructor:
        return d.Constructor(name.span, name.text, arguments)

    def constructor_argument(self, type: s.TypeUse, accessor: Token | None) -> d.ConstructorArgument:
        span = type.span if accessor is None else self.at(accessor)
        return d.ConstructorArgument(span, type, str(accessor or ""))

    def function(self, annotations: Any, _def: Token, result: Any, name: Any, types: Any, *rest: Any) -> d.Function:
        parameters, body = rest
        return d.Function(name.span, name.text, annotations or (), types or (), None, parameters, result, body)

    def partial_function(self, annotations: Any, _def: Token, result: Any, name: Any, *rest: Any) -> d.Function:
        types, functions, parameters, body = rest
        return d.Function(name.span, name.text, annotations or (), types or (), functions, parameters, result, body)

    def function_names(self, *names: Token) -> tuple[s.Name, ...]:
        return tuple(self.type_name(name) for name in names)

    def body(self, value: Any, _arguments: Any = None) -> s.Expression | None:
        return None if isinstance(value, Token) else value

    def signature(self, annotations: Any, result: s.TypeUse, name: Token, parameters: Any) -> d.Signature:
        return d.Signature(self.at(name), str(name), parameters, result, annotations or ())

    def interface(self, annotations: Any, _interface: Token, name: s.Name, extends: Any, *rest: Any) -> d.Interface:
        return d.Interface(name.span, name.text, annotations or (), extends or (), given(rest))

    def class_(
        self, annotations: Any, _class: Token, name: s.Name, parameters: Any, implements: Any, *members: Any
    ) -> d.Class:
        inits = [m for m in members if isinstance(m, b.Block)]
        recovers = [m for m in members if isinstance(m, _Recover)]
        for span in (*(m.span for m in inits[1:]), *(m.span for m in recovers[1:])):
            self.problems.add(SYNTAX, span, f"class `{name.text}` already has a block of this kind")
        return d.Class(
            name.span,
            name.text,
            annotations or (),
            parameters or (),
            implements or (),
            tuple(m for m in members if isinstance(m, d.Field)),
            inits[0] if inits else None,
            recovers[0].branches if recovers else None,
            tuple(m for m in members if isinstance(m, d.TraitExpression)),
            tuple(m for m in members if isinstance(m, d.Method)),
        )

    def init(self, block: b.Block) -> b.Block:
        return block

    def recover(self, token: Token, *branches: b.Branch | None) -> _Recover:
        return _Recover(self.at(token), given(branches))

    def uses(self, _uses: Token, value: d.TraitExpression) -> d.TraitExpression:
        return value

    def method(self, annotations: Any, result: s.TypeUse, name: Token, parameters: Any, body: b.Block) -> d.Method:
        return d.Method(self.signature(annotations, result, name, parameters), body)

    def trait(self, annotations: Any, _trait: Token, name: s.Name, value: d.TraitExpression) -> d.Trait:
        return d.Trait(name.span, name.text, annotations or (), value)

    def trait_expression(self, first: Any, *operations: d.TraitOperation) -> d.TraitExpression:
        span = first.span if isinstance(first, s.Name) else first[0].signature.span if first else Span(self.file)
        return d.TraitExpression(span, (self._operation(span, "adds", first), *operations))

    trait_name = ExpressionShapes.type_name

    def trait_adds(self, token: Token, operand: Any) -> d.TraitOperation:
        return self._operation(self.at(token), str(token), operand)

    trait_modifies = trait_adds

    def trait_removes(self, token: Token, *signatures: d.Signature) -> d.TraitOperation:
        return d.TraitOperation(self.at(token), str(token), (), None, signatures)

    def _operation(self, span: Span, kind: str, operand: Any) -> d.TraitOperation:
        if isinstance(operand, s.Name):
            return d.TraitOperation(span, kind, (), operand)
        return d.TraitOperation(span, kind, operand, None)

    def inner_block(self, block: b.Block) -> b.Block:
        return block

    def annotated_statement(self, annotations: s.Annotations, statement: b.Statement) -> b.Statement:
        if isinstance(statement, b.Declare):
            return b.Declare(statement.span, statement.type, statement.name, statement.value, annotations)
        return b.Annotated(annotations[0].span, annotations, statement)

    def assign(self, name: Token, value: s.Expression) -> b.Assign:
        return b.Assign(self.at(name), str(name), False, value)

    def assign_field(self, this: Token, name: Token, value: s.Expression) -> b.Assign:
        return b.Assign(self.at(this), str(name), True, value)

    def foreach(self, token: Token, name: Token, elements: s.Expression, body: b.Statement) -> b.Foreach:
        return b.Foreach(self.at(token), str(name), "", elements, body)

    def duration_guard(self, token: Token, _arguments: Any) -> b.Guard:
        return b.DurationGuard(self.at(token))

    def duration(self, token: Token, _arguments: Any) -> b.Lacking:
        return b.Lacking(self.at(token), "timed ABS (`duration`) is")

    def move(self, token: Token, _target: s.Expression) -> b.Lacking:
        return b.Lacking(self.at(token), "moving cogs (`movecogto`) is")
