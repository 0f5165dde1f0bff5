"""Functions, methods and the initialisers of statics: from a definition to a method of the IR."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir import names
from everypath.ir.builder import MethodBuilder
from everypath.ir.program import Class, Method
from everypath.ir.types import ANY, STR, DictType, TupleType
from everypath.languages.python.frontend.bodies import Bodies
from everypath.languages.python.frontend.calls import spread
from everypath.languages.python.frontend.conditions import TAKEN, taken_from
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.effects import (
    Implementation,
    call_on_import,
    calls_of,
    decorate_function,
    is_cached_property,
    note_fillers,
    reaching,
    registrations,
    without_registrations,
)
from everypath.languages.python.frontend.finder import REPLACED, is_standard
from everypath.languages.python.frontend.modules import (
    ClassBinding,
    FunctionBinding,
    FunctionNode,
    ModuleSource,
    ValueBinding,
    dotted,
    written_names,
)
from everypath.languages.python.frontend.names import ClassName, FunctionName
from everypath.languages.python.frontend.nodes import children, walk
from everypath.languages.python.frontend.resumable import body_builder, makes, with_maker
from everypath.languages.python.frontend.scopes import scope_of
from everypath.languages.python.frontend.userclass import UserClass, UserFunction, user_function
from everypath.records import replace


class FunctionLowering:
    """Translates definitions and puts them into the program's classes."""

    def __init__(self, bodies: Bodies) -> None:
        self.bodies = bodies
        self.linker = bodies.linker
        self.signatures = bodies.signatures
        self._registered: set[tuple[str, str]] = set()
        self.signatures.initialise = lambda module, owner, name, node: self._initialiser(module, owner, name, [node])

    def function(self, module: ModuleSource, owner: UserClass | None, name: str) -> None:
        """Translate a function or method that was named somewhere."""
        cls = self.bodies.home(module, owner)
        if owner is not None:
            if name in owner.functions:
                cls.methods[name] = self.method(module, owner, name, owner.functions[name])
            return
        for binding in (module.bindings.get(name), module.shadowed.get(name)):
            if isinstance(binding, FunctionBinding):
                function = replace(user_function(binding.node), kind="static")
                cls.methods[name] = self.method(module, None, name, function)
                return

    def static(self, module: ModuleSource, owner: UserClass | None, name: str) -> None:
        """Translate the initialiser of a module variable or class attribute."""
        if owner is not None and name in owner.members:
            cls = self.bodies.home(module, owner)
            builder = MethodBuilder(cls.name, names.member_initialiser(name), (), module.span(owner.members[name]))
            ctx = self.bodies.plain(module, owner, builder, owner.members[name])
            ctx.class_scope = True
            # Only enumerations have members.
            from everypath.languages.python.frontend.enums import lower_member

            lower_member(ctx, owner, cls, name)
            cls.methods[builder.name] = builder.finish(kind="static", model=module.model)
        elif owner is None and name not in module.bindings:
            self._undefined(module, name)
        elif owner is None and isinstance(binding := module.bindings[name], ClassBinding):
            # `Point = namedtuple(...)` was taken for a variable where the call had not been looked at yet.
            cls = self.bodies.home(module, None)
            builder = _static_builder(cls, name, module.span(binding.node))
            made = self.linker.user_class(module, name, binding.node)
            builder.end(ins.Return(builder.constant(ins.ClassRef(made.name))))
            cls.methods[builder.name] = builder.finish(kind="static")
        else:
            writers = owner.statics[name] if owner is not None else _writers(module, name)
            self._initialiser(module, owner, name, writers)
            if owner is not None or name not in module.taken:
                note_fillers(self.linker, module, name, writers)
            if owner is None and name not in module.taken:
                self._note_registrations(module, name)

    def _note_registrations(self, module: ModuleSource, name: str) -> None:
        """Note the decorators and calls on import that may change a variable of the module."""
        for definition, decorator in _registrations(module, name):
            bound = module.bindings.get(definition)
            if isinstance(bound, ClassBinding):
                self.linker.user_class(module, definition, bound.node)
                continue
            if isinstance(bound, FunctionBinding) and self._decorators_known(module, user_function(bound.node)):
                if (module.name, definition) not in self._registered:
                    self._registered.add((module.name, definition))
                    decorate_function(self.linker, module, definition, bound.node)
                continue
            message = f"decorating {definition} may change {name} when the module is imported; this is not modelled"
            self.linker.problem(module, module.span(decorator), message)
        for statement, called in calls_of(module):
            bound = module.bindings.get(dotted(called))
            if isinstance(bound, FunctionBinding) and (
                _mentions(bound.node.body, name, 0) or dotted(called) in reaching(module, name)
            ):
                call_on_import(self.linker, module, statement, name)

    def method(
        self, module: ModuleSource, owner: UserClass | None, name: str, function: UserFunction, *, model: bool = False
    ) -> Method:
        """Translate one definition."""
        function = without_registrations(self.linker, module, function)
        if function.unknown_decorators and self._decorators_known(module, function):
            if owner is not None and is_cached_property(self.linker, module, function):
                return self._cached(module, owner, name, function)
            return self._decorated(module, owner, name, function)
        node = function.node
        params = self.signatures.read(module, owner, name, node, function.kind)
        # The function under test keeps its own parameters, which messages about it name.
        if function.unknown_decorators and (self.bodies.home(module, owner).name, name) not in self.signatures.entries:
            params = _anything(params, owner is not None and function.kind != "static")
        home = self.bodies.home(module, owner)
        scope = scope_of(node.body, module.package)
        refusal = self.bodies.refusal(function)
        made = None if refusal else makes(node, scope)
        builder = body_builder(home, name, params, module.span(node), made)
        ctx = self.bodies.context(module, owner, builder, scope, params, node.body, node)
        ctx.activation = None if made is None else len(params)
        if owner is not None and (function.kind != "static" or node.name == "__new__") and params:
            ctx.first = params[0].name
        ctx.plain_stores = model and owner is not None and owner.frozen
        self.bodies.run(ctx, node.body, node, refusal)
        returns = self.linker.annotations(module, owner, node).read(node.returns)
        model = model or module.model
        builder = with_maker(home, name, params, made, builder, model)
        method = builder.finish(returns=returns if made is None else ANY, kind=function.kind, model=model)
        self._declare(method, module, owner, node)
        return method

    def _declare(self, method: Method, module: ModuleSource, owner: UserClass | None, node: FunctionNode) -> None:
        """Note what is said about a method besides its signature."""
        if module.user and ast.get_docstring(node, clean=False):
            # Most runs read no docstrings.
            from everypath.languages.python.frontend.documented import documented_errors

            method.announced = documented_errors(node)
        if (method.cls, method.name) in self.signatures.entries:
            method.overloads = self.signatures.overloads(module, owner, node)

    def is_decorated(self, module: str, name: str) -> bool:
        """Whether a function of a module has decorators of the program, so that its value is what they return."""
        source = self.linker.finder.module(module)
        binding = source.bindings.get(name) if source is not None else None
        if source is None or not isinstance(binding, FunctionBinding):
            return False
        function = without_registrations(self.linker, source, user_function(binding.node))
        return bool(function.unknown_decorators) and self._decorators_known(source, function)

    def _decorators_known(self, module: ModuleSource, function: UserFunction) -> bool:
        """Whether every decorator is a function or class of the program."""
        for decorator in function.unknown_decorators:
            made = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not isinstance(made, (ast.Name, ast.Attribute)):
                return False
            match self.linker.expression(module, made):
                case FunctionName(cls) | ClassName(cls) if self._can_follow(cls):
                    pass
                case _:
                    return False
        return True

    def _can_follow(self, cls: str) -> bool:
        """Whether a class or module can be followed; decorators of the standard library are too dynamic."""
        info = self.linker.classes.get(cls)
        source = info.module if info else self.linker.finder.module(cls)
        followed = source is not None and (source.model or source.user or not is_standard(source.path))
        return cls in REPLACED or followed

    def _decorated(self, module: ModuleSource, owner: UserClass | None, name: str, function: UserFunction) -> Method:
        """A function with decorators of the program: what they return is kept in a static, and called."""
        cls = self.bodies.home(module, owner)
        node = function.node
        # Three parts: the function as written, a static with what the decorators return for it (they run once, when the
        # module is imported), and under the function's own name a method that passes its arguments on to that static.
        plain, made = names.undecorated(name), names.decorated(name)
        kind = "instance" if owner is not None and function.kind in ("instance", "property") else function.kind
        key = (cls.name, name)
        if key in self.signatures.entries:
            self.signatures.entries.add((cls.name, plain))
        cls.methods[plain] = self.method(module, owner, plain, UserFunction(node, kind))
        initialiser = _static_builder(cls, made, module.span(node))
        ctx = self.bodies.plain(module, owner, initialiser, node)
        ctx.class_scope = owner is not None
        value = ctx.constant(ins.FunctionRef(cls.name, plain), node)
        for decorator in reversed(function.unknown_decorators):
            wrapped = ctx.give(ins.CallValue(ctx.fresh(), ctx.value(decorator), (value,), span=module.span(decorator)))
            value = wrapped
        if owner is not None and not function.made and function.kind == "instance":
            # Only a function is bound to the object when it is read from it; another callable gets no receiver.
            value = ctx.native("need_function", (value, ctx.constant(name, node)), node)
        if owner is not None and function.made and self.linker.defines(function.made, "__set_name__"):
            named = (ctx.constant(ins.ClassRef(owner.name), node), ctx.constant(name, node))
            ctx.virtual(value, "__set_name__", named, node)
        if owner is None:
            for implementation in registrations(module, name):
                self._register(ctx, cls, value, implementation)
        initialiser.end(ins.Return(value, span=module.span(node)))
        cls.methods[initialiser.name] = initialiser.finish(kind="static")
        params = self.signatures.read(module, owner, name, node, function.kind)
        builder = MethodBuilder(cls.name, name, params, module.span(node))
        ctx = self.bodies.plain(module, owner, builder, node, params)
        wrapper = ctx.give(ins.GetStatic(ctx.fresh(), cls.name, made, span=module.span(node)))
        asked = function.made and function.kind in ("instance", "property")
        if asked:
            receiver, of = ctx.native("type", (0,), node), wrapper
            wrapper = ctx.virtual(of, "__get__", (0, receiver), node)
        if asked and function.kind == "property":
            result = wrapper
            self._descriptor_setter(module, cls, name, made, function)
        else:
            result = _pass_on(ctx, wrapper, params, node, 1 if asked else 0)
        builder.end(ins.Return(result, span=module.span(node)))
        returns = self.linker.annotations(module, owner, node).read(node.returns)
        return builder.finish(returns=returns, kind=function.kind)

    def _descriptor_setter(
        self, module: ModuleSource, cls: Class, name: str, made: str, function: UserFunction
    ) -> None:
        """The setter of an attribute that a decorator turned into an object with `__get__`."""
        from everypath.languages.python.frontend.descriptors import add_setter, setter_builder

        span = module.span(function.node)
        setter = setter_builder(cls.name, names.setter(name), span)
        result = setter.register()
        if self.linker.defines(function.made, "__set__"):
            descriptor = setter.give(ins.GetStatic(setter.register(), cls.name, made, span=span))
            setter.emit(ins.CallVirtual(result, descriptor, "__set__", (0, 1), span=span))
        else:
            setter.emit(ins.CallNative(result, "store_attribute", (0, setter.constant(name), 1)))
        add_setter(cls, name, setter)

    def _register(self, ctx: FunctionContext, cls: Class, dispatcher: ins.Reg, implementation: Implementation) -> None:
        """Add one implementation to a single-dispatch function."""
        node = implementation.node
        plain = names.implementation(node.name, node.lineno)
        cls.methods[plain] = self.method(ctx.module, None, plain, UserFunction(node, "static"))
        if implementation.cls is None:
            ctx.unsupported(node, "register() without a class and without an annotation is not supported")
            return
        args = (ctx.value(implementation.cls), ctx.constant(ins.FunctionRef(cls.name, plain), node))
        ctx.virtual(dispatcher, "register", args, node)

    def _cached(self, module: ModuleSource, owner: UserClass, name: str, function: UserFunction) -> Method:
        """A cached property: its value is stored in the object under its own name, where the next read finds it."""
        from everypath.languages.python.frontend.descriptors import add_setter

        cls = self.bodies.home(module, owner)
        plain = names.uncached(name)
        cls.methods[plain] = self.method(module, owner, plain, UserFunction(function.node, "instance"))
        params = self.signatures.read(module, owner, name, function.node, "property")
        setter = MethodBuilder(cls.name, names.setter(name), (*params[:1], ins.Param("value", ANY)))
        setter.emit(ins.CallNative(setter.register(), "store_attribute", (0, setter.constant(name), 1)))
        add_setter(cls, name, setter)
        builder = MethodBuilder(cls.name, name, params[:1], module.span(function.node))
        value, kept = builder.register(), builder.register()
        builder.emit(ins.CallStatic(value, cls.name, plain, (0,)))
        builder.emit(ins.CallNative(kept, "store_attribute", (0, builder.constant(name), value)))
        builder.end(ins.Return(value))
        returns = self.linker.annotations(module, owner, function.node).read(function.node.returns)
        return builder.finish(returns=returns, kind="property")

    def _undefined(self, module: ModuleSource, name: str) -> None:
        """A variable that only functions assign: reading it before that is an error.

        A function that the module calls when it is imported has done so already.
        """
        cls = self.bodies.home(module, None)
        builder = _static_builder(cls, name, Span(module.file))
        setter = _called_on_import(module, name)
        result = builder.register()
        if setter is not None:
            self.linker.need_function(module, None, setter)
            builder.emit(ins.CallStatic(result, cls.name, setter, ()))
            builder.emit(ins.GetStatic(result, cls.name, name))
            builder.end(ins.Return(result))
        else:
            text = builder.constant(f"name {name!r} is not defined")
            builder.emit(ins.CallNative(result, "new_exception", (builder.constant(ins.ClassRef("NameError")), text)))
            builder.end(ins.Throw(result))
        cls.methods[builder.name] = builder.finish(kind="static")

    def _initialiser(
        self, module: ModuleSource, owner: UserClass | None, name: str, writers: Sequence[ast.stmt | ast.expr]
    ) -> None:
        cls = self.bodies.home(module, owner)
        if name in cls.statics:
            return
        builder = _static_builder(cls, name, module.span(writers[0]))
        statements = [w for w in writers if isinstance(w, ast.stmt)]
        scope = scope_of(statements, module.package)
        # `x = x + 1` at module level reads what the name meant before, so that it is no variable of the initialiser.
        if (simple := _plain_value(writers)) is not None:
            scope.bound.clear()
        ctx = self.bodies.context(module, owner, builder, scope, (), statements, writers[0])
        ctx.class_scope = owner is not None
        ctx.defined_by = max(ctx.defined_by, getattr(writers[-1], "lineno", 0))
        ctx.defining = names.before_deletion(name)
        if simple is not None:
            ctx.defined_with = _target_names(writers[0])
            taking = taken_from(simple)
            value = ctx.value(simple) if taking is None else ctx.unsupported(taking, TAKEN)
        else:
            self.bodies.run(ctx, statements, writers[0])
            if (variable := ctx.locals.get(ctx.defining)) is not None:
                value = ctx.read(variable, writers[-1])
            else:
                value = ctx.unsupported(writers[0], f"the definition of {name!r} is not supported")
        if builder.open:
            builder.end(ins.Return(value, span=module.span(writers[0])))
        cls.methods[builder.name] = builder.finish(kind="static", model=module.model)


def _static_builder(cls: Class, name: str, span: Span) -> MethodBuilder:
    """Declare a static and begin its initialiser; declared first, because its value may read the static itself."""
    cls.statics[name] = names.static_initialiser(name)
    return MethodBuilder(cls.name, cls.statics[name], (), span)


def _pass_on(
    ctx: FunctionContext, function: ins.Reg, params: tuple[ins.Param, ...], node: ast.AST, first: int = 0
) -> ins.Reg:
    """Call a function with the arguments of the method that is being built, from the given one on."""
    registers = {param.name: position for position, param in enumerate(params)}
    params = params[first:]
    plain = tuple(registers[p.name] for p in params if p.kind in ("normal", "positional"))
    keywords = tuple((p.name, registers[p.name]) for p in params if p.kind == "keyword")
    star = next((registers[p.name] for p in params if p.kind == "star"), None)
    named = next((registers[p.name] for p in params if p.kind == "doublestar"), None)
    if star is None and named is None:
        return ctx.give(ins.CallValue(ctx.fresh(), function, plain, keywords, span=ctx.span(node)))
    args = ctx.collection("tuple", plain, node)
    if star is not None:
        args = ctx.binary("+", args, star, node)
    pairs = tuple(part for name, value in keywords for part in (ctx.constant(name, node), value))
    mapping = ctx.collection("dict", pairs, node)
    if named is not None:
        ctx.virtual(mapping, "update", (named,), node)
    return spread(ctx, function, args, mapping, node)


def _anything(params: tuple[ins.Param, ...], has_receiver: bool) -> tuple[ins.Param, ...]:
    """Parameters that accept every call: a decorator that is not understood may have changed them."""
    return (
        *(params[:1] if has_receiver else ()),
        ins.Param("<arguments>", TupleType((), ANY), "star"),
        ins.Param("<named>", DictType(STR, ANY), "doublestar"),
    )


def _writers(module: ModuleSource, name: str) -> list[ast.stmt]:
    """The module-level statements that make a variable what it is, in order.

    A loop or condition among them may set further variables, whose statements are then needed as well.
    """
    found: dict[int, ast.stmt] = {}
    pending, seen = [name], {name}
    while pending:
        binding = module.bindings.get(pending.pop())
        for writer in binding.writers if isinstance(binding, ValueBinding) else ():
            found[id(writer)] = writer
            if isinstance(writer, (ast.For, ast.While, ast.If)):
                for other in written_names(writer) - seen:
                    seen.add(other)
                    pending.append(other)
    return sorted(found.values(), key=lambda writer: writer.lineno)


def _registrations(module: ModuleSource, name: str) -> list[tuple[str, ast.expr]]:
    """Decorated definitions whose decorator, a function of the module, mentions the variable."""
    found: list[tuple[str, ast.expr]] = []
    for binding in module.bindings.values():
        if not isinstance(binding, (FunctionBinding, ClassBinding)):
            continue
        for decorator in binding.node.decorator_list:
            root = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
            definition = module.bindings.get(root)
            # What a decorator's inner function does happens when the decorated one is called, not before.
            depth = 1 if isinstance(decorator, ast.Call) else 0
            if isinstance(definition, FunctionBinding) and _mentions(definition.node.body, name, depth):
                found.append((binding.node.name, decorator))
    return found


def _mentions(nodes: Sequence[ast.AST], name: str, depth: int) -> bool:
    """Whether a name occurs, functions nested deeper than `depth` not considered."""
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == name:
            return True
        inner = depth - isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if inner >= 0 and _mentions(children(node), name, inner):
            return True
    return False


def _target_names(statement: ast.stmt | ast.expr) -> frozenset[str]:
    """The names in `a = b = value`; none if any target is not a name."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return frozenset(names if len(names) == len(targets) else ())


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
        case ast.Assign(value=value):
            # `UTC = utc = UTC()` calls the class that the name stood for.
            names = _target_names(writers[0])
            return value if any(isinstance(p, ast.Name) and p.id in names for p in walk(value)) else None
    return None


def _called_on_import(module: ModuleSource, variable: str) -> str | None:
    """The function that the module calls, without arguments, as a statement of its own and that sets the variable."""
    for statement in module.tree.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[], keywords=[])):
                binding = module.bindings.get(name)
                if isinstance(binding, FunctionBinding) and any(
                    isinstance(part, ast.Global) and variable in part.names for part in walk(binding.node)
                ):
                    return name
    return None
