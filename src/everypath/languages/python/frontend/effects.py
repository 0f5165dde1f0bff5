"""What importing a module does besides defining names: classes are announced, functions registered, tables filled.

Variables get their value when a path first reads them. That is too late where making one changes another: a class that
keeps a cache of its objects has some in it when the import is over. So the variables that fill a table are noted.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TypeGuard

from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import CallStatic, CallValue, ClassRef, GetStatic, Return
from everypath.ir.names import EFFECTS, decorated, interface_of
from everypath.ir.names import effect as effect_name
from everypath.ir.program import Class, Method
from everypath.languages.python.cards.index import KINDS
from everypath.languages.python.frontend.bodies import Bodies
from everypath.languages.python.frontend.conditions import known_test
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import (
    ClassBinding,
    FunctionBinding,
    FunctionNode,
    ImportBinding,
    ModuleSource,
    ValueBinding,
    dotted,
    flatten,
    root_name,
    written_names,
)
from everypath.languages.python.frontend.names import ClassName, FunctionName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.noted import Effect, Effects
from everypath.languages.python.frontend.userclass import UserClass, UserFunction
from everypath.records import dataclass, replace


def announce_subclass(linker: Linker, info: UserClass) -> bool:
    """Note the call of `__init_subclass__` that a class statement makes, if a base defines it."""
    if interface_of(info.name) is not None:
        return False  # a stand-in is no class of the program: nothing hears of it, and a registry does not list it
    for base in linker.program.mro(info.name)[1:]:
        owner = linker.classes.get(base)
        if owner is None or "__init_subclass__" not in owner.functions:
            continue

        def run(ctx: FunctionContext, base: str = base) -> None:
            given = [k for k in info.node.keywords if k.arg not in (None, "metaclass")]
            keywords = tuple((str(k.arg), ctx.value(k.value)) for k in given)
            args = (ctx.constant(ClassRef(info.name), info.node),)
            ctx.emit(CallStatic(ctx.fresh(), base, "__init_subclass__", args, keywords, span=ctx.span(info.node)))

        linker.effects.append(Effect(info.module, info.node, run))
        return True
    return False


def decorate_class(linker: Linker, info: UserClass, decorator: ast.expr) -> None:
    """Note the call of a decorator of the program that gives back the class itself."""

    def run(ctx: FunctionContext) -> None:
        result, cls = ctx.fresh(), ctx.constant(ClassRef(info.name), decorator)
        ctx.emit(CallValue(result, ctx.value(decorator), (cls,), span=ctx.span(decorator)))
        ctx.native("need_same_class", (result, cls), decorator)

    linker.effects.append(Effect(info.module, info.node, run))


def decorate_function(linker: Linker, module: ModuleSource, name: str, node: ast.AST) -> None:
    """Note that decorating a function does something that other code sees."""
    linker.need_function(module, None, name)

    def run(ctx: FunctionContext) -> None:
        ctx.emit(GetStatic(ctx.fresh(), module.name, decorated(name), span=ctx.span(node)))

    linker.effects.append(Effect(module, node, run))


def call_on_import(linker: Linker, module: ModuleSource, statement: ast.Expr, changed: str | None = None) -> None:
    """Note a call that a module makes as a statement of its own, and which variable it may change, if that is all."""
    for effect in linker.effects:
        if effect.node is statement:
            if changed is None:
                effect.changes = None
            elif effect.changes is not None:
                effect.changes.add(changed)
            return
    changes = None if changed is None else {changed}
    linker.effects.append(Effect(module, statement, lambda ctx: ctx.value(statement.value), changes))


def calls_of(module: ModuleSource) -> Iterator[tuple[ast.Expr, ast.expr]]:
    """The calls that a module makes as statements of their own, each with what is called."""
    for statement in module.tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield statement, statement.value.func


def unfollowed(module: ModuleSource) -> ast.stmt | None:
    """The first statement of a module that may change what others have made in a way that is not followed here."""
    found = _statements(module.tree.body, False)
    return next((each for each, in_class in found if _is_unfollowed(module, each, in_class)), None)


def _statements(body: list[ast.stmt], in_class: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """What is executed when a module is imported, also inside of other statements, and whether a class body does it."""
    for statement in body:
        yield statement, in_class
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        inside = in_class or isinstance(statement, ast.ClassDef)
        known = known_test(statement.test) if isinstance(statement, ast.If) else None
        for part in ("body", "orelse", "finalbody"):
            if known is None or known is (part == "body"):
                yield from _statements(getattr(statement, part, []), inside)
        for handler in getattr(statement, "handlers", ()):
            yield from _statements(handler.body, inside)


def _is_unfollowed(module: ModuleSource, statement: ast.stmt, in_class: bool) -> bool:
    match statement:
        case ast.With():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return is_handed_to_an_object(module, statement)
        case ast.Assign(targets=[ast.Name(), ast.Name(), *_], value=value) if not in_class:
            # Each variable would get an object of its own.
            return not isinstance(value, ast.Constant)
        case ast.Expr(value=ast.Call(func=ast.Call() | ast.Subscript() | ast.Lambda())):
            return True
        case ast.Expr(value=ast.Call(func=called, args=args, keywords=keywords)):
            bound = module.bindings.get(root_name(called))
            if isinstance(bound, ImportBinding):
                # A function of another module can change only what it is given.
                given = [*args, *(keyword.value for keyword in keywords)]
                return any(isinstance(module.bindings.get(root_name(each)), ValueBinding) for each in given)
            if in_class:
                return isinstance(bound, (ValueBinding, FunctionBinding))
            if isinstance(called, ast.Name) and isinstance(bound, ValueBinding):
                return True
    changed = () if in_class else written_names(statement)
    return any(_is_second_name(module, name, statement) for name in changed)


def is_handed_to_an_object(module: ModuleSource, function: FunctionNode) -> bool:
    """Whether an object that the module has made decorates a function: whatever it does, the real import shows it."""
    roots = [root_name(each.func if isinstance(each, ast.Call) else each) for each in function.decorator_list]
    return any(isinstance(module.bindings.get(root), ValueBinding) for root in roots)


def _is_second_name(module: ModuleSource, name: str, statement: ast.stmt) -> bool:
    """Whether a variable holds what another one holds as well, and the statement comes after that."""
    match module.bindings.get(name):
        case ValueBinding(
            writers=[ast.Assign(value=ast.Name() | ast.Attribute() | ast.Subscript() as value) as first, *_]
        ):
            return first is not statement and isinstance(module.bindings.get(root_name(value)), ValueBinding)
    return False


def sets_attributes(info: UserClass, function: str) -> bool:
    """Whether a function of the module may give the class an attribute that its methods read and nobody else makes."""
    bound = info.module.bindings.get(function)
    if not isinstance(bound, FunctionBinding):
        return False
    given = {part.attr for part in walk(bound.node) if _is_attribute(part, ast.Store)} - info.statics.keys()
    if not given:
        return False
    own = [part for part in walk(info.node) if isinstance(part, ast.Attribute) and part.attr in given]
    return bool(own) and not any(isinstance(part.ctx, ast.Store) for part in own)


def _is_attribute(part: ast.AST, ctx: type[ast.expr_context]) -> TypeGuard[ast.Attribute]:
    return isinstance(part, ast.Attribute) and isinstance(part.ctx, ctx) and isinstance(part.value, ast.Name)


def effects_builder(bodies: Bodies) -> Callable[[ModuleSource], Effects | None]:
    """What makes the method that does all of it, those of imported modules first."""
    linker = bodies.linker

    def part(number: int, home: Class, effect: Effect) -> Method:
        builder = MethodBuilder(home.name, effect_name(number), ())
        effect.run(bodies.plain(effect.module, None, builder, effect.node))
        builder.end(Return(builder.constant(None)))
        return builder.finish(kind="static", model=True)

    def build(target: ModuleSource) -> Effects | None:
        if not linker.effects:
            return None
        home = linker.module_class(target)
        builder = MethodBuilder(home.name, EFFECTS, ())
        ordered = sorted(
            linker.effects, key=lambda e: (e.module is target, e.module.name, getattr(e.node, "lineno", 0))
        )
        for number, effect in enumerate(ordered):
            if effect.changes is None:
                effect.run(bodies.plain(effect.module, None, builder, effect.node))
                continue
            made = part(number, home, effect)
            home.methods[made.name] = made
            span = effect.module.span(effect.node)
            builder.emit(CallStatic(builder.register(), home.name, made.name, (), span=span))
        builder.end(Return(builder.constant(None)))
        linker.run()
        home.methods[EFFECTS] = builder.finish(kind="static", model=True)
        # Variables may have become known as changed by an effect while others were translated.
        bounded = {effect_name(n): (each.module.name, each.changes) for n, each in enumerate(ordered)}
        return Effects(home.methods[EFFECTS], {name: (m, frozenset(c)) for name, (m, c) in bounded.items() if c})

    return build


@dataclass(frozen=True, slots=True)
class Implementation:
    """A function registered for a class with a single-dispatch function."""

    node: FunctionNode
    cls: ast.expr | None


def is_cached_property(linker: Linker, module: ModuleSource, function: UserFunction) -> bool:
    """Whether the method is a `functools.cached_property`."""
    decorators = function.unknown_decorators
    return len(decorators) == 1 and linker.expression(module, decorators[0]) == ClassName("functools.cached_property")


def registrations(module: ModuleSource, name: str) -> list[Implementation]:
    """What is registered with the single-dispatch function of this name, in order."""
    found: list[Implementation] = []
    for statement, _ in flatten(module.tree.body):
        if isinstance(statement, ast.FunctionDef):
            for decorator in statement.decorator_list:
                if isinstance(decorator, ast.Call) and dotted(decorator.func) == f"{name}.register":
                    found.append(Implementation(statement, decorator.args[0] if decorator.args else None))
                elif dotted(decorator) == f"{name}.register":
                    args = [*statement.args.posonlyargs, *statement.args.args]
                    found.append(Implementation(statement, args[0].annotation if args else None))
    return found


def without_registrations(linker: Linker, module: ModuleSource, function: UserFunction) -> UserFunction:
    """The function as registering it leaves it: unchanged, as a single-dispatch function or the real import says."""
    if function.node.lineno in module.unchanged:
        return replace(function, unknown_decorators=())
    kept = tuple(d for d in function.unknown_decorators if not _registers(linker, module, d))
    return function if len(kept) == len(function.unknown_decorators) else replace(function, unknown_decorators=kept)


def _registers(linker: Linker, module: ModuleSource, decorator: ast.expr) -> bool:
    path = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
    name, _, attribute = path.rpartition(".")
    binding = module.bindings.get(name)
    if attribute != "register" or not isinstance(binding, FunctionBinding):
        return False
    single = FunctionName("functools", "singledispatch")
    return any(linker.expression(module, d) == single for d in binding.node.decorator_list)


_FILLING = frozenset("append add setdefault update insert extend appendleft".split())
_TABLES = frozenset(("dict", "list", "set", "WeakValueDictionary", "count", "iter", "cycle", *KINDS))
"""What makes objects that change as they are used; an iterator that numbers are taken from is one as well."""


def note_fillers(linker: Linker, module: ModuleSource, name: str, writers: Sequence[ast.stmt | ast.expr]) -> None:
    """Note the variables of the module that must be made before a table is looked into."""
    values = [getattr(writer, "value", writer) for writer in writers]
    # A constant is changed by functions that declare it `global`: a counter, or a flag.
    if not any(_is_table(value) or isinstance(value, ast.Constant) for value in values):
        return
    fillers = reaching(module, name)
    if not fillers:
        return
    for owner, variable, statement in _variables(linker, module):
        calls = (part.func for part in walk(statement) if isinstance(part, ast.Call))
        if variable != name and any(_last_name(called) in fillers for called in calls):
            _make_on_import(linker, module, owner, variable, statement)


def _make_on_import(
    linker: Linker, module: ModuleSource, owner: UserClass | None, variable: str, statement: ast.stmt
) -> None:
    if any(effect.node is statement for effect in linker.effects):
        return
    linker.need_static(module, owner, variable)
    home = owner.name if owner is not None else module.name

    def run(ctx: FunctionContext) -> None:
        ctx.emit(GetStatic(ctx.fresh(), home, variable, span=ctx.span(statement)))

    linker.effects.append(Effect(module, statement, run))


def _is_table(value: object) -> bool:
    if isinstance(value, ast.Call):
        return _last_name(value.func) in _TABLES
    return isinstance(value, (ast.Dict, ast.List, ast.Set))


def _variables(linker: Linker, module: ModuleSource) -> Iterator[tuple[UserClass | None, str, ast.stmt]]:
    """The variables of the module and of its classes that one assignment makes."""
    for name, binding in list(module.bindings.items()):
        if isinstance(binding, ValueBinding) and len(binding.writers) == 1:
            yield None, name, binding.writers[0]
        elif isinstance(binding, ClassBinding) and any(isinstance(s, ast.Assign) for s in binding.node.body):
            info = linker.user_class(module, name, binding.node)
            for variable, statements in list(info.statics.items()):
                if len(statements) == 1 and isinstance(statements[0], ast.stmt):
                    yield info, variable, statements[0]


def reaching(module: ModuleSource, table: str) -> set[str]:
    """The functions and classes that may change the table when they are called, by their names."""
    if (functions := module.functions_read) is None:
        functions = module.functions_read = list(_functions(module.tree.body, ""))
    found = {name for name, filled, _ in functions if table in filled}
    while found:
        more = {name for name, _, called in functions if not called.isdisjoint(found)}
        if more <= found:
            break
        found |= more
    return found - {""}


def _functions(body: list[ast.stmt], cls: str) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Each function with what it fills and what it calls; a constructor goes by the name of its class."""
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            calls = [part.func for part in walk(statement) if isinstance(part, ast.Call)]
            called = frozenset(map(_last_name, calls)) - {""}
            name = cls if statement.name == "__init__" else statement.name
            yield name, frozenset(_filled(statement)) - {""}, called
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, statement.name)


def _filled(body: ast.AST) -> Iterator[str]:
    """The names of what a function puts something into, takes something from, or assigns beyond its own variables."""
    for part in walk(body):
        match part:
            case ast.Global(names=names):
                yield from names
            case ast.Call(func=ast.Name(id="next"), args=[held, *_]):
                yield _last_name(held)
            case ast.Subscript(value=held, ctx=ast.Store()):
                yield _last_name(held)
            case ast.Call(func=ast.Attribute(value=held, attr=method)) if method in _FILLING:
                yield _last_name(held)


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
