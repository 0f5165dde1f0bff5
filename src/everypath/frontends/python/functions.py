"""Functions, methods, lambdas and the initialisers of statics: from a definition to a method of the IR."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from everypath.frontends.python.closures import captures_of
from everypath.frontends.python.constructs import UNSUPPORTED
from everypath.frontends.python.context import FunctionContext, Tables
from everypath.frontends.python.hierarchy import builtin_value
from everypath.frontends.python.link import Linker
from everypath.frontends.python.modules import FunctionBinding, FunctionNode, ModuleSource, ValueBinding
from everypath.frontends.python.names import BuiltinName, ClassName, ConstantName, ExternalName, FunctionName, LocalName
from everypath.frontends.python.scopes import Scope, free_names, scope_of
from everypath.frontends.python.userclass import UserClass, UserFunction, user_function
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import (
    NO_DEFAULT,
    ClassRef,
    ConstValue,
    FunctionRef,
    GetField,
    NativeRef,
    NewObject,
    NoDefault,
    Param,
    Reg,
    Return,
    SetField,
    StaticDefault,
)
from everypath.ir.program import Class, Field, Method
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
        ctx = self._context(module, owner, builder, scope, params, node.body, node)
        if owner is not None and function.kind != "static" and params:
            ctx.first = params[0].name
        refusal = self._refusal(function, scope)
        if refusal is not None:
            where, message = refusal
            ctx.unsupported(where, message)
        else:
            self._body(ctx, node.body, node)
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
        default_of: Callable[[str, ast.expr], ConstValue | StaticDefault] | None = None,
    ) -> tuple[Param, ...]:
        """The parameters with their types and defaults; `default_of` turns the default of a parameter into a value."""
        args = node.args
        evaluate = default_of or (lambda param, value: self._default(module, owner, name, param, value))
        reader = self.linker.annotations(module, owner)
        positional = [*args.posonlyargs, *args.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
        params: list[Param] = []
        for position, (arg, default) in enumerate(zip(positional, defaults)):
            given = NO_DEFAULT if default is None else evaluate(arg.arg, default)
            if position == 0 and owner is not None and kind != "static" and not isinstance(node, ast.Lambda):
                type_: Type = ClassType(owner.name) if kind != "class" else ANY
            else:
                type_ = self._type(reader.read(self._annotation(arg, entry)), given)
            params.append(Param(arg.arg, type_, "positional" if arg in args.posonlyargs else "normal", given))
        if args.vararg is not None:
            element = reader.read(self._annotation(args.vararg, entry))
            params.append(Param(args.vararg.arg, TupleType((), element), "star"))
        for arg, default in zip(args.kwonlyargs, args.kw_defaults):
            given = NO_DEFAULT if default is None else evaluate(arg.arg, default)
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
        self, module: ModuleSource, owner: UserClass | None, function: str, param: str, node: ast.expr
    ) -> ConstValue | StaticDefault:
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
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
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
        simple = _plain_value(writers)
        if simple is not None:
            scope.bound.clear()
        ctx = self._context(module, owner, builder, scope, (), statements, writers[0])
        ctx.class_scope = owner is not None
        ctx.defining = name
        if simple is not None:
            value = ctx.value(simple)
        else:
            ctx.body(statements)
            variable = ctx.locals.get(name)
            if variable is not None:
                value = ctx.read(variable, writers[-1])
            else:
                value = ctx.unsupported(writers[0], f"the definition of {name!r} is not supported")
        if builder.open:
            builder.end(Return(value, span=module.span(writers[0])))
        cls.methods[method] = builder.finish(kind="static", model=module.model)

    def function_value(self, ctx: FunctionContext, node: ast.Lambda | ast.FunctionDef) -> Reg:
        """A lambda or nested function as a value.

        One that uses variables of the function around it is an object that holds them, or the cells
        they live in, and is called through its `__call__`.
        """
        free = free_names(node, ctx.module.package)
        held = {n: v for n in sorted(free) if (v := ctx.variable(n)) is not None}
        own_name = "" if isinstance(node, ast.Lambda) else node.name
        recursive = own_name in held and own_name in ctx.once
        if recursive:
            del held[own_name]
        pending: dict[str, ast.expr] = {}

        def default_of(param: str, value: ast.expr) -> ConstValue | StaticDefault:
            if isinstance(value, ast.Constant):
                constant = self.constant(ctx.module, ctx.owner, value)
                if not isinstance(constant, NoDefault):
                    return constant
            pending[param] = value
            return _LATER

        name = f"{ctx.builder.name}.{own_name or '<lambda>'}:{node.lineno}:{node.col_offset + 1}"
        params = self.params(ctx.module, ctx.owner, name, node, "static", default_of=default_of)
        home = self._class(ctx.module, ctx.owner)
        span = ctx.span(node)
        if not held and not pending and not recursive:
            self._nested(ctx, node, home, name, params, {})
            return ctx.constant(FunctionRef(home.name, name), node)
        fields = [*held, *(f"<default {p}>" for p in pending)]
        cls = Class(f"{home.name}.{name}", module=ctx.module.name, model=True, span=span)
        cls.fields = {f: Field(f, ANY, span) for f in fields}
        self.linker.program.classes[cls.name] = cls
        receiver = Param("<function>", ClassType(cls.name), "positional")
        self._nested(ctx, node, cls, "__call__", (receiver, *params), held, own_name if recursive else "")
        closure = ctx.fresh()
        ctx.emit(NewObject(closure, cls.name, span=span))
        for field, variable in held.items():
            ctx.emit(SetField(closure, field, variable.register, span=span))
        for param, value in pending.items():
            ctx.emit(SetField(closure, f"<default {param}>", ctx.value(value), span=span))
        return closure

    def _nested(
        self,
        outer: FunctionContext,
        node: ast.Lambda | ast.FunctionDef,
        cls: Class,
        name: str,
        params: tuple[Param, ...],
        held: Mapping[str, LocalName],
        itself: str = "",
    ) -> None:
        """Translate a nested function as a method of the class."""
        module = outer.module
        body: list[ast.stmt]
        if isinstance(node, ast.Lambda):
            body = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = node.body
        builder = MethodBuilder(cls.name, name, params, module.span(node))
        scope = scope_of(body, module.package)
        captured = frozenset({*held, itself} - {""})
        ctx = self._context(module, outer.owner, builder, scope, params, body, node, captured)
        hidden = set(ctx.locals)
        ctx.functions = {n: f for n, f in outer.functions.items() if n not in hidden} | ctx.functions
        ctx.imports = {n: i for n, i in outer.imports.items() if n not in hidden} | ctx.imports
        for field, variable in held.items():
            register = builder.register(field)
            ctx.emit(GetField(register, 0, field, span=module.span(node)))
            ctx.locals[field] = LocalName(register, variable.cell)
        if itself:
            ctx.locals[itself] = LocalName(0)
        for param in params:
            if param.default == _LATER:
                self._late_default(ctx, param.name, node)
        function = None if isinstance(node, ast.Lambda) else user_function(node)
        refusal = self._refusal(function, scope) if function else None
        if refusal is not None:
            ctx.unsupported(*refusal)
        else:
            self._body(ctx, body, node)
        kind = "instance" if name == "__call__" else "static"
        cls.methods[name] = builder.finish(kind=kind, model=module.model)

    def _late_default(self, ctx: FunctionContext, param: str, node: ast.AST) -> None:
        """A default that was computed when the function was made, used when the argument is missing."""
        variable = ctx.locals[param]
        missing, given = ctx.builder.label("missing"), ctx.builder.label("given")
        marker = ctx.constant(_LATER, node)
        ctx.branch(ctx.compare("is", ctx.read(variable, node), marker, node), missing, given, node)
        ctx.builder.start(missing)
        value = ctx.fresh()
        ctx.emit(GetField(value, 0, f"<default {param}>", span=ctx.span(node)))
        ctx.write(variable, value, node)
        ctx.jump(given, node)
        ctx.builder.start(given)

    def _body(self, ctx: FunctionContext, body: list[ast.stmt], node: ast.AST) -> None:
        try:
            ctx.body(body)
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
        return None

    def _context(
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
        names = {param.name: LocalName(position) for position, param in enumerate(params)}
        captures = captures_of(body, set(names), scope, module.package, held)
        bound = [name for name in scope.bound if name not in names and name not in captures.constants]
        for name in bound:
            if name not in captures.cells:
                names[name] = LocalName(builder.register(name))
        ctx = FunctionContext(self.linker, module, owner, builder, self.tables, names)
        for name in [n for n in [*names, *bound] if n in captures.cells]:
            parameter = names.get(name)
            names[name] = ctx.new_cell(name, node)
            if parameter is not None:
                ctx.write(names[name], parameter.register, node)
        ctx.locals = names
        ctx.imports = scope.imports
        ctx.copy_names = scope.has_walrus
        ctx.once = captures.once
        home = self._class(module, owner).name
        for name, function in captures.constants.items():
            ctx.functions[name] = FunctionName(
                home, f"{builder.name}.{name}:{function.lineno}:{function.col_offset + 1}"
            )
        for function in captures.constants.values():
            self.linker.defer(partial(self._constant_function, ctx, function))
        return ctx

    def _constant_function(self, ctx: FunctionContext, node: ast.FunctionDef) -> None:
        made = ctx.functions[node.name]
        params = self.params(ctx.module, ctx.owner, made.name, node, "static")
        self._nested(ctx, node, self.linker.program.classes[made.cls], made.name, params, {})

    def _class(self, module: ModuleSource, owner: UserClass | None) -> Class:
        return self.linker.program.classes[owner.name] if owner else self.linker.module_class(module)


_LATER = NativeRef("default")


def _plain_value(writers: Sequence[ast.stmt | ast.expr]) -> ast.expr | None:
    """The expression that a static equals, when a single assignment says so."""
    if len(writers) != 1:
        return None
    match writers[0]:
        case ast.expr() as value:
            return value
        case ast.Assign(targets=[ast.Name()] | [], value=value):
            return value
        case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
            return value
    return None
