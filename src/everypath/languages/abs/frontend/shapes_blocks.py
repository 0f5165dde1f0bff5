"""Builds the nodes of statements, declarations and modules while the parser reduces."""

from __future__ import annotations

from typing import Any

from lark import Token, v_args

from everypath.errors import Span
from everypath.languages.abs.frontend import syntax as s
from everypath.languages.abs.frontend import syntax_blocks as b
from everypath.languages.abs.frontend import syntax_modules as d
from everypath.languages.abs.frontend.problems import SYNTAX
from everypath.languages.abs.frontend.shapes_expressions import ExpressionShapes, given
from everypath.records import dataclass


@dataclass(frozen=True, slots=True)
class _Recover:
    span: Span
    branches: tuple[b.Branch, ...]


@v_args(inline=True)
class Shapes(ExpressionShapes):
    """One method for each rule of the grammar, named after it."""

    def start(self, *modules: d.Module | None) -> tuple[d.Module, ...]:
        return given(modules)

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

    def export_all(self, token: Token) -> d.Export:
        return d.Export(self.at(token), None, "")

    def export_all_from(self, token: Token, module: s.Name) -> d.Export:
        return d.Export(self.at(token), None, module.text)

    def export_names(self, token: Token, names: tuple[s.Name, ...]) -> d.Export:
        return d.Export(self.at(token), names, "")

    def export_names_from(self, token: Token, names: tuple[s.Name, ...], module: s.Name) -> d.Export:
        return d.Export(self.at(token), names, module.text)

    def import_all_from(self, token: Token, module: s.Name) -> d.Import:
        return d.Import(self.at(token), None, module.text)

    def import_names_from(self, token: Token, names: tuple[s.Name, ...], module: s.Name) -> d.Import:
        return d.Import(self.at(token), names, module.text)

    def import_names(self, token: Token, names: tuple[s.Name, ...]) -> d.Import:
        return d.Import(self.at(token), names, "")

    def data(self, annotations: Any, _data: Token, name: s.Name, parameters: Any, constructors: Any) -> d.Data:
        return d.Data(name.span, name.text, annotations or (), parameters or (), constructors or ())

    def synonym(self, annotations: Any, _type: Token, name: s.Name, type: s.TypeUse) -> d.Synonym:
        return d.Synonym(name.span, name.text, annotations or (), type)

    def exception(self, annotations: Any, _exception: Token, constructor: d.Constructor) -> d.Exception_:
        return d.Exception_(constructor.span, constructor.name, annotations or (), constructor)

    def constructors(self, *constructors: d.Constructor) -> tuple[d.Constructor, ...]:
        return constructors

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

    def extends(self, *names: s.Name) -> tuple[s.Name, ...]:
        return names

    implements = extends

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

    def bare_field(self, annotations: Any, type: s.TypeUse, name: Token) -> d.Field:
        return self.field(annotations, type, name, None)

    def field(self, annotations: Any, type: s.TypeUse, name: Token, value: s.Expression | None) -> d.Field:
        return d.Field(self.at(name), type, str(name), value, annotations or ())

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

    def method_set(self, *methods: d.Method) -> tuple[d.Method, ...]:
        return methods

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

    def block(self, token: Token, *statements: b.Statement | None) -> b.Block:
        return b.Block(self.at(token), given(statements))

    def inner_block(self, block: b.Block) -> b.Block:
        return block

    def annotated_statement(self, annotations: s.Annotations, statement: b.Statement) -> b.Statement:
        if isinstance(statement, b.Declare):
            return b.Declare(statement.span, statement.type, statement.name, statement.value, annotations)
        return b.Annotated(annotations[0].span, annotations, statement)

    def bare_variable(self, type: s.TypeUse, name: Token) -> b.Declare:
        return b.Declare(self.at(name), type, str(name), None)

    def variable(self, type: s.TypeUse, name: Token, value: s.Expression) -> b.Declare:
        return b.Declare(self.at(name), type, str(name), value)

    def assign(self, name: Token, value: s.Expression) -> b.Assign:
        return b.Assign(self.at(name), str(name), False, value)

    def assign_field(self, this: Token, name: Token, value: s.Expression) -> b.Assign:
        return b.Assign(self.at(this), str(name), True, value)

    def run(self, value: s.Expression) -> b.Evaluate:
        return b.Evaluate(value.span, value)

    def skip(self, token: Token) -> b.Skip:
        return b.Skip(self.at(token))

    def return_(self, token: Token, value: s.Expression) -> b.Return:
        return b.Return(self.at(token), value)

    def bare_return(self, token: Token) -> b.Return:
        return b.Return(self.at(token), None)

    def assert_(self, token: Token, value: s.Expression) -> b.Assert:
        return b.Assert(self.at(token), value)

    def if_(self, token: Token, condition: s.Expression, then: b.Statement) -> b.If:
        return b.If(self.at(token), condition, then, None)

    def if_else(
        self, token: Token, condition: s.Expression, then: b.Statement, _else: Token, otherwise: b.Statement
    ) -> b.If:
        return b.If(self.at(token), condition, then, otherwise)

    def switch(self, token: Token, subject: s.Expression, *branches: b.Branch | None) -> b.Switch:
        return b.Switch(self.at(token), subject, given(branches))

    def branch(self, pattern: s.Pattern, _arrow: Token, body: b.Statement) -> b.Branch:
        return b.Branch(pattern.span, pattern, body)

    def while_(self, token: Token, condition: s.Expression, body: b.Statement) -> b.While:
        return b.While(self.at(token), condition, body)

    def foreach(self, token: Token, name: Token, elements: s.Expression, body: b.Statement) -> b.Foreach:
        return b.Foreach(self.at(token), str(name), "", elements, body)

    def foreach_index(
        self, token: Token, name: Token, index: Token, elements: s.Expression, body: b.Statement
    ) -> b.Foreach:
        return b.Foreach(self.at(token), str(name), str(index), elements, body)

    def catches(self, *branches: b.Branch | None) -> tuple[b.Branch, ...]:
        return given(branches)

    def try_(self, token: Token, body: b.Statement, branches: tuple[b.Branch, ...]) -> b.Try:
        return b.Try(self.at(token), body, branches, None)

    def try_finally(self, token: Token, body: b.Statement, branches: Any, final: b.Statement) -> b.Try:
        return b.Try(self.at(token), body, branches, final)

    def await_(self, token: Token, guards: tuple[b.Guard, ...]) -> b.Await:
        return b.Await(self.at(token), guards)

    def guards(self, *guards: b.Guard) -> tuple[b.Guard, ...]:
        return guards

    def guard(self, value: s.Expression) -> b.Guard:
        return b.Condition(value.span, value)

    def claim(self, value: s.Expression) -> b.Guard:
        return b.Claim(value.span, value)

    def duration_guard(self, token: Token, _arguments: Any) -> b.Guard:
        return b.DurationGuard(self.at(token))

    def suspend(self, token: Token) -> b.Suspend:
        return b.Suspend(self.at(token))

    def duration(self, token: Token, _arguments: Any) -> b.Duration:
        return b.Duration(self.at(token))

    def throw(self, token: Token, value: s.Expression) -> b.Throw:
        return b.Throw(self.at(token), value)

    def die(self, token: Token, value: s.Expression) -> b.Die:
        return b.Die(self.at(token), value)

    def move(self, token: Token, _target: s.Expression) -> b.MoveCog:
        return b.MoveCog(self.at(token))
