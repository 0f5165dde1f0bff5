"""What every translated body starts from: its variables, cells and nested functions, and why some are refused."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Param
from everypath.ir.names import nested_function
from everypath.ir.program import Class
from everypath.languages.python.frontend.closures import captures_of
from everypath.languages.python.frontend.context import FunctionContext, Tables
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import ModuleSource
from everypath.languages.python.frontend.names import FunctionName, LocalName
from everypath.languages.python.frontend.scopes import Scope
from everypath.languages.python.frontend.signatures import Signatures
from everypath.languages.python.frontend.userclass import UserClass, UserFunction


class Bodies:
    """Prepares and runs the lowering of function bodies."""

    def __init__(self, linker: Linker, tables: Tables, signatures: Signatures) -> None:
        self.linker = linker
        self.tables = tables
        self.signatures = signatures
        self.constant_function: Callable[[FunctionContext, ast.FunctionDef], None]

    def home(self, module: ModuleSource, owner: UserClass | None) -> Class:
        """The class that holds what is defined here."""
        return self.linker.program.classes[owner.name] if owner else self.linker.module_class(module)

    def context(
        self,
        module: ModuleSource,
        owner: UserClass | None,
        builder: MethodBuilder,
        scope: Scope,
        params: tuple[Param, ...],
        body: Sequence[ast.AST],
        node: ast.AST,
        held: frozenset[str] = frozenset(),
    ) -> FunctionContext:
        """The context of a body: each variable in its register, shared and deleted ones in cells."""
        names = {param.name: LocalName(position) for position, param in enumerate(params)}
        captures = captures_of(body, set(names), scope, module.package, held)
        cells = captures.cells | scope.deleted
        bound = [name for name in scope.bound if name not in names and name not in captures.constants]
        for name in bound:
            if name not in cells:
                names[name] = LocalName(builder.register(name))
        ctx = FunctionContext(self.linker, module, owner, builder, self.tables, names)
        # A parameter in a cell arrives in a register, and moves when the body begins.
        for name in [n for n in dict.fromkeys([*names, *bound]) if n in cells]:
            parameter = names.get(name)
            names[name] = ctx.new_cell(name, node)
            if parameter is not None:
                ctx.write(names[name], parameter.register, node)
        ctx.locals = names
        ctx.statements = body
        ctx.imports = scope.imports
        ctx.copy_names = scope.has_walrus
        ctx.once = captures.once
        ctx.stable = captures.stable
        home = self.home(module, owner).name
        for name, function in captures.constants.items():
            made = nested_function(builder.name, name, function.lineno, function.col_offset + 1)
            ctx.functions[name] = FunctionName(home, made)
            # Later, because it may name functions of the same body that are only defined further down.
            self.linker.defer(partial(self.constant_function, ctx, function))
        return ctx

    def run(
        self, ctx: FunctionContext, body: list[ast.stmt], node: ast.AST, refusal: tuple[ast.AST, str] | None = None
    ) -> None:
        """Lower the statements, or refuse all of them."""
        if refusal is not None:
            ctx.unsupported(*refusal)
            return
        try:
            ctx.body(body)
        except RecursionError:
            # Scopes that were entered on the way down are left without having been closed.
            ctx.overrides.clear()
            ctx.unsupported(node, "expressions nested this deeply are not supported")

    def refusal(self, function: UserFunction, scope: Scope) -> tuple[ast.AST, str] | None:
        """Why a whole function cannot be translated, if it cannot."""
        node = function.node
        if function.unknown_decorators:
            decorator = function.unknown_decorators[0]
            return decorator, f"decorator @{ast.unparse(decorator)} on {node.name} is not supported"
        return None
