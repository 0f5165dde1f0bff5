"""Functions, methods, lambdas and the initialisers of statics: from a definition to a method of the IR."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from everypath.frontends.python.constructs import UNSUPPORTED
from everypath.frontends.python.context import FunctionContext, Tables
from everypath.frontends.python.hierarchy import builtin_value
from everypath.frontends.python.link import Linker
from everypath.frontends.python.modules import FunctionBinding, FunctionNode, ModuleSource, ValueBinding
from everypath.frontends.python.names import BuiltinName, ClassName, ConstantName, ExternalName, FunctionName
from everypath.frontends.python.scopes import Scope, free_names, scope_of
from everypath.frontends.python.userclass import UserClass, UserFunction, user_function
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import (
    NO_DEFAULT,
    ClassRef,
    ConstValue,
    FunctionRef,
    NativeRef,
    NoDefault,
    Param,
    Reg,
    Return,
    StaticDefault,
)
from everypath.ir.program import Class, Method
from everypath.ir.types import ANY, BOOL, BYTES, FLOAT, INT, STR, ClassType, DictType, TupleType, Type

Overrides = Mapping[str, ast.expr]


class FunctionLowering:
    """Translates function definitions and puts them into the program's classes."""

    def __init__(self, linker: Linker, tables: Tables, overrides: Overrides) -> None:
        self.linker = linker
        self.tables = tables
        self.overrides = overrides
        """annotations given on the command line, by parameter"""
        self.entries: set[tuple[str, str]] = set()
        """the functions to which those annotations apply"""

    def function(self, module: ModuleSource, owner: UserClass | None, name: str) -> None:
        """Translate a function or method that was named somewhere."""
        cls = self._class(module, owner)
        if owner is not None:
            if name in owner.functions:
                cls.methods[name] = self.method(module, owner, name, owner.functions[name])
            return
        binding = module.bindings.get(name)
        if isinstance(binding, FunctionBinding):
            function = user_function(binding.node)
            function.kind = "static"
            cls.methods[name] = self.method(module, None, name, function)

    def setter(self, owner: UserClass, name: str) -> None:
        """Translate the method that assigns a property."""
        cls = self.linker.program.classes[owner.name]
        function = owner.setters[name]
        cls.methods[f"<set {name}>"] = self.method(owner.module, owner, f"<set {name}>", function)
        cls.setters[name] = f"<set {name}>"

    def static(self, module: ModuleSource, owner: UserClass | None, name: str) -> None:
        """Translate the initialiser of a module variable or class attribute."""
        if owner is not None:
            writers = owner.statics[name]
        else:
            binding = module.bindings[name]
            assert isinstance(binding, ValueBinding)
            writers = binding.writers
        self._initialiser(module, owner, name, writers)

    def method(
        self, module: ModuleSource, owner: UserClass | None, name: str, function: UserFunction, *, model: bool = False
    ) -> Method:
        """Translate one definition."""
        node = function.node
        cls = self._class(module, owner)
        entry = (cls.name, name) in self.entries
        params = self.params(module, owner, name, node, function.kind, entry=entry)
        builder = MethodBuilder(cls.name, name, params, module.span(node))
        scope = scope_of(node.body, module.package)
        ctx = self._context(module, owner, builder, scope, params)
        ctx.function_kind = function.kind
        if owner is not None and function.kind != "static" and params:
            ctx.first = params[0].name
        refusal = self._refusal(function, scope)
        if refusal is not None:
            where, message = refusal
            ctx.unsupported(where, message)
        else:
            self._body(ctx, node)
        returns = self.linker.annotations(module, owner).read(node.returns)
        return builder.finish(returns=returns, kind=function.kind, model=model or module.model)

    def params(
        self,
        module: ModuleSource,
        owner: UserClass | None,
        name: str,
        node: FunctionNode | ast.Lambda,
        kind: str,
        *,
        entry: bool = False,
    ) -> tuple[Param, ...]:
        """The parameters with their types and defaults."""
        args = node.args
        reader = self.linker.annotations(module, owner)
        positional = [*args.posonlyargs, *args.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
        params: list[Param] = []
        for position, (arg, default) in enumerate(zip(positional, defaults)):
            given = self._default(module, owner, name, arg.arg, default)
            if position == 0 and owner is not None and kind != "static" and not isinstance(node, ast.Lambda):
                type_: Type = ClassType(owner.name) if kind != "class" else ANY
            else:
                type_ = self._type(reader.read(self._annotation(arg, entry)), given)
            params.append(Param(arg.arg, type_, "positional" if arg in args.posonlyargs else "normal", given))
        if args.vararg is not None:
            element = reader.read(self._annotation(args.vararg, entry))
            params.append(Param(args.vararg.arg, TupleType((), element), "star"))
        for arg, default in zip(args.kwonlyargs, args.kw_defaults):
            given = self._default(module, owner, name, arg.arg, default)
            type_ = self._type(reader.read(self._annotation(arg, entry)), given)
            params.append(Param(arg.arg, type_, "keyword", given))
        if args.kwarg is not None:
            element = reader.read(self._annotation(args.kwarg, entry))
            params.append(Param(args.kwarg.arg, DictType(STR, element), "doublestar"))
        return tuple(params)

    def _annotation(self, arg: ast.arg, entry: bool) -> ast.expr | None:
        return self.overrides.get(arg.arg, arg.annotation) if entry else arg.annotation

    def _type(self, annotated: Type, default: ConstValue | StaticDefault | NoDefault) -> Type:
        if annotated != ANY:
            return annotated
        for type_, scalar in ((bool, BOOL), (int, INT), (str, STR), (float, FLOAT), (bytes, BYTES)):
            if isinstance(default, type_):
                return scalar
        return ANY

    def _default(
        self, module: ModuleSource, owner: UserClass | None, function: str, param: str, node: ast.expr | None
    ) -> ConstValue | StaticDefault | NoDefault:
        if node is None:
            return NO_DEFAULT
        constant = self.constant(module, owner, node)
        if not isinstance(constant, NoDefault):
            return constant
        name = f"<default {function}.{param}>"
        self._initialiser(module, owner, name, [node])
        return StaticDefault(owner.name if owner else module.name, name)

    def constant(self, module: ModuleSource, owner: UserClass | None, node: ast.expr) -> ConstValue | NoDefault:
        """The value of an expression that is known now."""
        if isinstance(node, ast.Constant) and not isinstance(node.value, complex) and node.value is not Ellipsis:
            value: ConstValue = node.value
            return value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            if type(node.operand.value) in (int, float):
                number: int | float = node.operand.value
                return -number
        if isinstance(node, ast.Name | ast.Attribute):
            match self.linker.expression(module, node, owner):
                case ClassName(name):
                    return ClassRef(name)
                case FunctionName(cls, name) if owner is None:
                    return FunctionRef(cls, name)
                case ConstantName(value):
                    return value
                case BuiltinName(name):
                    return builtin_value(name)
                case ExternalName(name):
                    return NativeRef(name)
        return NO_DEFAULT

    def _initialiser(
        self, module: ModuleSource, owner: UserClass | None, name: str, writers: Sequence[ast.stmt | ast.expr]
    ) -> None:
        cls = self._class(module, owner)
        method = f"<static {name}>"
        if name in cls.statics:
            return
        cls.statics[name] = method
        builder = MethodBuilder(cls.name, method, (), module.span(writers[0]))
        statements = [w for w in writers if isinstance(w, ast.stmt)]
        scope = scope_of(statements, module.package)
        ctx = self._context(module, owner, builder, scope, ())
        ctx.class_scope = owner is not None
        only = writers[0]
        if len(writers) == 1 and isinstance(only, ast.expr):
            value = ctx.value(only)
        elif (len(writers) == 1 and isinstance(only, ast.Assign) and isinstance(only.targets[0], ast.Name)) or (
            len(writers) == 1 and isinstance(only, ast.AnnAssign) and only.value is not None
        ):
            value = ctx.value(only.value)
        else:
            ctx.body(statements)
            value = ctx.locals.get(name, -1)
            if value < 0:
                value = ctx.unsupported(only, f"the definition of {name!r} is not supported")
        if builder.open:
            builder.end(Return(value, span=module.span(only)))
        cls.methods[method] = builder.finish(kind="static", model=module.model)

    def function_value(self, ctx: FunctionContext, node: ast.Lambda | ast.FunctionDef) -> Reg:
        """A lambda or nested function as a value; without variables of the enclosing function it is a constant."""
        captured = sorted(n for n in free_names(node, ctx.module.package) if ctx.variable(n) is not None)
        if captured or any(n in ctx.imports for n in free_names(node, ctx.module.package)):
            return ctx.unsupported(node, f"{UNSUPPORTED[type(node).__name__]} ({', '.join(captured)})")
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        method_name = f"{ctx.builder.name}.{name}:{node.lineno}:{node.col_offset}"
        module, owner = ctx.module, ctx.owner
        cls = self._class(module, owner)
        params = self.params(module, owner, method_name, node, "static")
        builder = MethodBuilder(cls.name, method_name, params, module.span(node))
        scope = scope_of([node.body] if isinstance(node, ast.Lambda) else node.body, module.package)
        inner = self._context(module, owner, builder, scope, params)
        if isinstance(node, ast.Lambda):
            value = inner.value(node.body)
            builder.end(Return(value, span=module.span(node.body)))
        else:
            function = user_function(node)
            refusal = self._refusal(function, scope)
            if refusal is not None:
                inner.unsupported(*refusal)
            else:
                self._body(inner, node)
        cls.methods[method_name] = builder.finish(kind="static", model=module.model)
        return ctx.constant(FunctionRef(cls.name, method_name), node)

    def _body(self, ctx: FunctionContext, node: FunctionNode) -> None:
        try:
            ctx.body(node.body)
        except RecursionError:
            ctx.overrides.clear()
            ctx.unsupported(node, "expressions nested this deeply are not supported")

    def _refusal(self, function: UserFunction, scope: Scope) -> tuple[ast.AST, str] | None:
        """Why a whole function cannot be translated, if it cannot."""
        node = function.node
        if isinstance(node, ast.AsyncFunctionDef):
            return node, UNSUPPORTED["AsyncFunctionDef"]
        if function.unknown_decorators:
            decorator = function.unknown_decorators[0]
            return decorator, f"decorator @{ast.unparse(decorator)} on {node.name} is not supported"
        if scope.yields is not None:
            return scope.yields, UNSUPPORTED[type(scope.yields).__name__]
        if scope.nonlocals:
            return next(iter(scope.nonlocals.values())), UNSUPPORTED["Nonlocal"]
        return None

    def _context(
        self,
        module: ModuleSource,
        owner: UserClass | None,
        builder: MethodBuilder,
        scope: Scope,
        params: tuple[Param, ...],
    ) -> FunctionContext:
        registers = {param.name: position for position, param in enumerate(params)}
        for name in scope.bound:
            if name not in registers:
                registers[name] = builder.register(name)
        ctx = FunctionContext(self.linker, module, owner, builder, self.tables, registers)
        ctx.imports = scope.imports
        ctx.copy_names = scope.has_walrus
        return ctx

    def _class(self, module: ModuleSource, owner: UserClass | None) -> Class:
        return self.linker.program.classes[owner.name] if owner else self.linker.module_class(module)
