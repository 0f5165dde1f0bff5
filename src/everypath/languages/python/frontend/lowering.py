"""Puts the parts of lowering together: which function handles which kind of node."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from everypath.ir.types import Type
from everypath.languages.python.frontend import calls, expressions, resumable, statements, tries
from everypath.languages.python.frontend.bodies import Bodies, lower_class
from everypath.languages.python.frontend.context import ExpressionLowering, FunctionContext, StatementLowering, Tables
from everypath.languages.python.frontend.effects import effects_builder
from everypath.languages.python.frontend.functions import FunctionLowering
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.signatures import GivenTypes, Signatures
from everypath.languages.python.frontend.userclass import UserClass

if TYPE_CHECKING:
    from everypath.languages.python.frontend.classes import ClassLowering

EXPRESSIONS = cast(
    Mapping[type[ast.expr], ExpressionLowering],
    {
        ast.Attribute: expressions.lower_attribute,
        ast.Await: resumable.lower_await,
        ast.BinOp: expressions.lower_binop,
        ast.BoolOp: expressions.lower_boolop,
        ast.Call: calls.lower_call,
        ast.Compare: expressions.lower_compare,
        ast.Constant: expressions.lower_constant,
        ast.Dict: expressions.lower_dict,
        ast.DictComp: resumable.lower_dictcomp,
        ast.FormattedValue: expressions.lower_formatted,
        ast.GeneratorExp: resumable.lower_generator,
        ast.IfExp: expressions.lower_ifexp,
        ast.JoinedStr: expressions.lower_joined,
        ast.Lambda: lambda ctx, node: ctx.tables.function_value(ctx, node),
        ast.List: expressions.lower_sequence,
        ast.ListComp: resumable.lower_listcomp,
        ast.Name: expressions.lower_name,
        ast.NamedExpr: expressions.lower_named,
        ast.Set: expressions.lower_sequence,
        ast.SetComp: resumable.lower_listcomp,
        ast.Slice: expressions.lower_slice,
        ast.Starred: lambda ctx, node: ctx.unsupported(node, "Starred is not supported"),
        ast.Subscript: expressions.lower_subscript,
        ast.Tuple: expressions.lower_sequence,
        ast.UnaryOp: expressions.lower_unaryop,
        ast.Yield: resumable.lower_yield,
        ast.YieldFrom: resumable.lower_yield_from,
    },
)


def _lower_match(ctx: FunctionContext, node: ast.Match) -> None:
    # Most programs have no patterns.
    from everypath.languages.python.frontend.patterns import lower_match

    lower_match(ctx, node)


STATEMENTS = cast(
    Mapping[type[ast.stmt], StatementLowering],
    {
        ast.AnnAssign: statements.lower_annassign,
        ast.Assert: statements.lower_assert,
        ast.Assign: statements.lower_assign,
        ast.AsyncFor: statements.lower_async_for,
        ast.AsyncFunctionDef: statements.lower_function,
        ast.AsyncWith: tries.lower_with,
        ast.AugAssign: statements.lower_augassign,
        ast.Break: statements.lower_break,
        ast.ClassDef: lower_class,
        ast.Continue: statements.lower_continue,
        ast.Delete: statements.lower_delete,
        ast.Expr: statements.lower_expr,
        ast.For: statements.lower_for,
        ast.FunctionDef: statements.lower_function,
        ast.Global: statements.lower_nothing,
        ast.If: statements.lower_if,
        ast.Import: statements.lower_import,
        ast.ImportFrom: statements.lower_import,
        ast.Match: _lower_match,
        ast.Nonlocal: statements.lower_nothing,
        ast.Pass: statements.lower_nothing,
        ast.Raise: statements.lower_raise,
        ast.Return: statements.lower_return,
        ast.Try: tries.lower_try,
        ast.TryStar: tries.lower_try_star,
        ast.While: statements.lower_while,
        ast.With: tries.lower_with,
    },
)


def connect(linker: Linker, given: GivenTypes) -> Signatures:
    """Give the linker what it calls to translate functions, statics and classes."""
    tables = Tables(
        EXPRESSIONS,
        STATEMENTS,
        expressions.lower_test,
        statements.lower_assign_target,
        lambda ctx, node: bodies.value(ctx, node),
    )
    signatures = Signatures(linker, given)
    bodies = Bodies(linker, tables, signatures)
    functions = FunctionLowering(bodies)
    classes = _Classes(linker, functions)
    linker.lower_function = functions.function
    linker.lower_static = functions.static
    linker.is_decorated = functions.is_decorated
    linker.find_bases = classes.bases_of
    linker.prepare_class = classes.prepare
    linker.complete_class = classes.complete
    linker.library_interface = classes.library_interface
    linker.typing = _Typing(linker)
    linker.build_effects = effects_builder(bodies)
    return signatures


class _Classes:
    """Translates classes; the modules for that are loaded with the first one."""

    def __init__(self, linker: Linker, functions: FunctionLowering) -> None:
        self._linker = linker
        self._functions = functions
        self._lowering: ClassLowering | None = None

    def bases_of(self, info: UserClass) -> list[str]:
        from everypath.languages.python.frontend.bases import Bases

        return Bases(self._linker).of(info)

    def prepare(self, info: UserClass) -> None:
        from everypath.languages.python.frontend.decorated import ClassDecorators

        ClassDecorators(self._linker).prepare(info)

    def complete(self, info: UserClass) -> None:
        from everypath.languages.python.frontend.classes import ClassLowering

        if self._lowering is None:
            self._lowering = ClassLowering(self._linker, self._functions)
        self._lowering.complete(info)

    def library_interface(self, path: str) -> Type | None:
        from everypath.languages.python.frontend.library_interfaces import library_interface

        return library_interface(self._linker, path)


class _Typing:
    """Type parameters and protocols, which are read by modules that most programs do not need."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker

    def filled_in(self, cls: str, types: tuple[Type, ...]) -> Type | None:
        from everypath.languages.python.frontend.generics import filled_in

        return filled_in(self._linker, cls, types)

    def type_arguments(self, info: UserClass) -> Mapping[str, Type]:
        from everypath.languages.python.frontend.generics import type_arguments

        return type_arguments(self._linker, info)

    def may_fit(self, node: ast.ClassDef, interface: UserClass) -> bool:
        from everypath.languages.python.frontend.implementing import may_fit

        return may_fit(node, interface)

    def note_implementations(self) -> None:
        from everypath.languages.python.frontend.implementing import note_implementations

        note_implementations(self._linker)
