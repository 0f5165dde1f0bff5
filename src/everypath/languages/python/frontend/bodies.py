"""Bodies of functions: their variables, what nested functions share with them, and why some are refused.

A nested function keeps a copy of each variable that it uses from the functions around it, as long as nobody can tell
the copy from the variable: the variable has its final value when the nested function is made. Any other variable lives
in a cell, an object of its own that both functions refer to, as CPython does it for all of them. Copies are worth the
trouble, because a value in a register is known where one in a cell has to be read from the heap.

A nested function that uses no variables at all, except other such functions, is no value that has to be made: it is a
constant. Which ones are is found by striking out, until nothing changes, those that use anything else. A class inside a
function keeps the variables that it uses as attributes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from everypath.ir import instructions as ins
from everypath.ir import names
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import ClassRef, Param, SetStatic
from everypath.ir.names import argument_default, nested_function
from everypath.ir.program import Class, Field
from everypath.ir.types import ANY, ClassType
from everypath.languages.python.frontend.binding import Unsure
from everypath.languages.python.frontend.context import FunctionContext, Tables
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import ModuleSource
from everypath.languages.python.frontend.names import ClassName, Denotation, FunctionName, LocalName, StaticName
from everypath.languages.python.frontend.nodes import children, walk
from everypath.languages.python.frontend.resumable import AT_ONCE, body_builder, generator_function, makes, with_maker
from everypath.languages.python.frontend.scopes import Scope, free_names, scope_of, used_names
from everypath.languages.python.frontend.signatures import Signatures
from everypath.languages.python.frontend.userclass import UserClass, UserFunction, user_function
from everypath.records import dataclass, field


class Bodies:
    """Prepares and runs the lowering of function bodies."""

    def __init__(self, linker: Linker, tables: Tables, signatures: Signatures) -> None:
        self.linker = linker
        self.tables = tables
        self.signatures = signatures

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
        unsure = Unsure(body, (*names, *held))
        cells = captures.cells | scope.deleted | (unsure.in_comprehensions & scope.bound.keys())
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
        ctx.statements = body
        ctx.imports = scope.imports
        ctx.copied_names = {*names, *scope.bound} if scope.has_walrus else unsure.names
        ctx.perhaps_free = unsure.in_comprehensions
        ctx.once = captures.once
        ctx.stable = captures.stable
        home = self.home(module, owner).name
        for name, function in captures.constants.items():
            made = nested_function(builder.name, name, function.lineno, function.col_offset + 1)
            ctx.functions[name] = FunctionName(home, made)
            # Later, because it may name functions of the same body that are only defined further down.
            self.linker.defer(partial(self.constant_function, ctx, function))
        return ctx

    def plain(
        self,
        module: ModuleSource,
        owner: UserClass | None,
        builder: MethodBuilder,
        node: ast.AST,
        params: tuple[Param, ...] = (),
    ) -> FunctionContext:
        """The context of code that has no variables besides its parameters."""
        return self.context(module, owner, builder, Scope(), params, [], node)

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

    def refusal(self, function: UserFunction) -> tuple[ast.AST, str] | None:
        """Why a whole function cannot be translated, if it cannot."""
        for decorator in function.unknown_decorators:
            return decorator, f"decorator @{ast.unparse(decorator)} on {function.node.name} is not supported"
        return None

    def value(self, ctx: FunctionContext, node: ast.Lambda | ast.FunctionDef) -> ins.Reg:
        """A lambda or nested function as a value.

        One that uses variables of the function around it is an object that holds them, or the cells
        they live in, and is called through its `__call__`.
        """
        free = free_names(node, ctx.module.package)
        held = {n: v for n in sorted(free) if (v := ctx.variable(n)) is not None}
        own_name = "" if isinstance(node, ast.Lambda) else node.name
        # A function that calls itself finds itself in its own receiver; a variable would not have its value yet.
        recursive = own_name in held and own_name in ctx.once
        if recursive:
            del held[own_name]
        pending: dict[str, ast.expr] = {}

        def default_of(param: str, value: ast.expr) -> ins.ConstValue | ins.StaticDefault:
            if isinstance(value, ast.Constant):
                constant = self.signatures.constant(ctx.module, ctx.owner, value)
                if not isinstance(constant, ins.NoDefault):
                    return constant
            # Evaluated once, when the function is made, and kept in a field of it.
            pending[param] = value
            return _LATER

        name = nested_function(ctx.builder.name, own_name or "<lambda>", node.lineno, node.col_offset + 1)
        params = self.signatures.read(ctx.module, ctx.owner, name, node, "static", default_of)
        home = self.home(ctx.module, ctx.owner)
        span = ctx.span(node)
        if not held and not pending and not recursive:
            self._translate(ctx, node, home, name, params, {})
            return ctx.constant(ins.FunctionRef(home.name, name), node)
        cls = Class(f"{home.name}.{name}", module=ctx.module.name, model=True, span=span)
        cls.fields = {f: Field(f, ANY, span) for f in [*held, *map(argument_default, pending)]}
        self.linker.program.classes[cls.name] = cls
        receiver = ins.Param("<function>", ClassType(cls.name), "positional")
        self._translate(ctx, node, cls, "__call__", (receiver, *params), held, own_name if recursive else "")
        closure = ctx.give(ins.NewObject(ctx.fresh(), cls.name, span=span))
        for used, variable in held.items():
            ctx.emit(ins.SetField(closure, used, variable.register, span=span))
        for param, value in pending.items():
            ctx.emit(ins.SetField(closure, argument_default(param), ctx.value(value), span=span))
        return closure

    def constant_function(self, ctx: FunctionContext, node: ast.FunctionDef) -> None:
        """A nested function that uses no variables is a static method."""
        made = ctx.functions[node.name]
        params = self.signatures.read(ctx.module, ctx.owner, made.name, node, "static")
        self._translate(ctx, node, self.linker.program.classes[made.cls], made.name, params, {})

    def _translate(
        self,
        outer: FunctionContext,
        node: ast.Lambda | ast.FunctionDef,
        cls: Class,
        name: str,
        params: tuple[ins.Param, ...],
        held: Mapping[str, LocalName],
        itself: str = "",
    ) -> None:
        module = outer.module
        body: list[ast.stmt]
        if isinstance(node, ast.Lambda):
            body = [ast.copy_location(ast.Return(node.body), node.body)]
        else:
            body = node.body
        scope = scope_of(body, module.package)
        refusal = None if isinstance(node, ast.Lambda) else self.refusal(user_function(node))
        made = None if refusal else makes(node, scope)
        builder = body_builder(cls, name, params, module.span(node), made)
        captured = frozenset({*held, itself} - {""})
        ctx = self.context(module, outer.owner, builder, scope, params, body, node, captured)
        ctx.activation = None if made is None else len(params)
        # What the function around imports or defines is visible, unless a variable here has the same name.
        hidden = set(ctx.locals)
        ctx.functions = {n: f for n, f in outer.functions.items() if n not in hidden} | ctx.functions
        ctx.imports = {n: i for n, i in outer.imports.items() if n not in hidden} | ctx.imports
        for used, variable in held.items():
            register = builder.give(ins.GetField(builder.register(used), 0, used, span=module.span(node)))
            ctx.locals[used] = LocalName(register, variable.cell)
        if itself:
            ctx.locals[itself] = LocalName(0)
        for param in params:
            if param.default == _LATER:
                self._late_default(ctx, param.name, node)
        self.run(ctx, body, node, refusal)
        builder = with_maker(cls, name, params, made, builder, module.model)
        kind = "instance" if name == "__call__" else "static"
        cls.methods[name] = builder.finish(kind=kind, model=module.model)

    def _late_default(self, ctx: FunctionContext, param: str, node: ast.AST) -> None:
        variable = ctx.locals[param]
        missing, given = ctx.builder.label("missing"), ctx.builder.label("given")
        marker = ctx.constant(_LATER, node)
        ctx.branch(ctx.compare("is", ctx.read(variable, node), marker, node), missing, given, node)
        ctx.builder.start(missing)
        value = ctx.give(ins.GetField(ctx.fresh(), 0, argument_default(param), span=ctx.span(node)))
        ctx.write(variable, value, node)
        ctx.jump(given, node)
        ctx.builder.start(given)


NestedFunction = ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_Position = tuple[int, int]
_Range = tuple[_Position, _Position]
_WHOLE: _Range = ((0, 0), (1 << 60, 0))


class _Place(NamedTuple):
    """Where a variable is bound: by which node, from where on, and in which block of a statement, if in one."""

    node: ast.AST
    in_loop: bool
    bound: _Position
    within: _Range


@dataclass(slots=True)
class Captures:
    """What nested functions need from the function around them."""

    cells: set[str] = field(default_factory=set)
    """variables that may change after a nested function was made, or inside one"""
    constants: dict[str, ast.FunctionDef] = field(default_factory=dict)
    """nested functions that use no variables: they are the same function every time"""
    once: set[str] = field(default_factory=set)
    """variables bound by exactly one statement"""
    stable: set[str] = field(default_factory=set)
    """parameters that are never assigned, and variables that are assigned once and outside loops"""


def captures_of(
    body: Sequence[ast.AST], params: set[str], scope: Scope, package: str, held: frozenset[str] = frozenset()
) -> Captures:
    """Analyse one function body; `held` are the variables that it takes itself from a function around it."""
    nested = list(_nested(body))
    found = Captures()
    if not nested and not any(isinstance(part, ast.ClassDef) for node in body for part in walk(node)):
        return found
    stores: dict[str, list[_Place]] = {}
    for name, place in (store for node in body for store in _stores(node)):
        stores.setdefault(name, []).append(place)
    _note_stability(found, stores, params, held)
    variables = params | set(scope.bound) | held
    free = {id(f): free_names(f, package) & variables for f in nested}
    rebound = {name for f in nested for name in _nonlocals(f)}
    found.constants = _constant_functions(nested, free, found.once)
    for function in nested:
        for name in free[id(function)] - set(found.constants) - held:
            if name in rebound or not _stable(name, function, params, stores):
                found.cells.add(name)
    return found


def _note_stability(found: Captures, stores: dict[str, list[_Place]], params: set[str], held: frozenset[str]) -> None:
    """Which variables are assigned once, and which of them never change while the function runs."""
    found.once = {n for n, places in stores.items() if len(places) == 1 and n not in params}
    found.stable = {name for name in found.once if not stores[name][0].in_loop}
    found.stable |= (params | held) - stores.keys()


def _constant_functions(
    nested: list[NestedFunction], free: dict[int, set[str]], once: set[str]
) -> dict[str, ast.FunctionDef]:
    candidates = {
        f.name: f
        for f in nested
        if isinstance(f, ast.FunctionDef) and f.name in once and not f.decorator_list and _plain_defaults(f)
    }
    while True:
        kept = {name: f for name, f in candidates.items() if free[id(f)] <= set(candidates)}
        if len(kept) == len(candidates):
            return kept
        candidates = kept


def _plain_defaults(node: NestedFunction) -> bool:
    return all(isinstance(d, ast.Constant) for d in [*node.args.defaults, *node.args.kw_defaults] if d is not None)


def _stable(name: str, function: NestedFunction, params: set[str], stores: dict[str, list[_Place]]) -> bool:
    """Whether the variable has its final value when the nested function is made."""
    places = stores.get(name, [])
    if name in params:
        return not places
    if len(places) != 1:
        return False
    place = places[0]
    if place.node is function:
        return True
    here = (function.lineno, function.col_offset)
    return not place.in_loop and place.bound <= here and place.within[0] <= here < place.within[1]


def _nonlocals(function: NestedFunction) -> set[str]:
    return {name for part in walk(function) if isinstance(part, ast.Nonlocal) for name in part.names}


def _nested(body: Sequence[ast.AST], at_once: bool = False) -> Iterator[NestedFunction]:
    for node in body:
        if isinstance(node, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
        elif isinstance(node, ast.GeneratorExp) and not at_once:
            yield generator_function(node)
            yield from _nested([node.generators[0].iter])
        elif not isinstance(node, ast.ClassDef):
            yield from _nested(children(node), isinstance(node, ast.Call) and _uses_up(node))


def _uses_up(call: ast.Call) -> bool:
    """Whether a generator expression among the arguments is used up by the call itself."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in AT_ONCE
    return False


def _stores(
    node: ast.AST, in_loop: bool = False, within: _Range = _WHOLE, bound: _Position | None = None
) -> Iterator[tuple[str, _Place]]:
    """Where each variable of a function is bound; the targets of an assignment are so at its end."""
    start = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, _Place(node, in_loop, start, within)
            return
        case ast.Lambda():
            return
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
            bound = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name, _Place(node, in_loop, bound or start, within)
        case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            yield name, _Place(node, True, start, within)
    inside = in_loop or isinstance(node, _LOOPS)
    for _, part in ast.iter_fields(node):
        children = part if isinstance(part, list) else [part]
        # Statements inside another are executed under a condition: what they bind is bound for certain only among them.
        block = _range(children) if children and isinstance(children[0], ast.stmt) else within
        for child in children:
            if isinstance(child, ast.AST):
                yield from _stores(child, inside, block, bound)


def _range(statements: Sequence[ast.stmt]) -> _Range:
    last = statements[-1]
    return (statements[0].lineno, 0), (last.end_lineno or last.lineno, last.end_col_offset or 0)


_LATER = ins.NativeRef("default")
"""Stands for a default that was computed when the nested function was made."""


def lower_class(ctx: FunctionContext, node: ast.ClassDef) -> None:
    """A class statement: the variables of the function that the class uses must have their final value."""
    linker, span = ctx.linker, ctx.span(node)
    qualname = f"{ctx.builder.name}.<locals {node.lineno}>.{node.name}"
    name = f"{ctx.module.name}.{qualname}"
    enclosing: dict[str, Denotation] = {**ctx.functions, **ctx.local_classes}
    enclosing.update({n: linker.imported(binding) for n, binding in ctx.imports.items()})
    captured: list[str] = []
    for used in sorted(used_names(node, ctx.module.package) - {node.name}):
        variable = ctx.variable(used)
        if variable is None or used in ctx.local_classes:
            continue
        if variable.cell or used not in ctx.stable:
            ctx.unsupported(node, f"class {node.name} uses the variable {used!r} of a function, which may change")
            return
        captured.append(used)
        enclosing[used] = StaticName(name, names.captured(used))
    enclosing[node.name] = ClassName(name)
    linker.user_class(ctx.module, qualname, node, enclosing)
    made = ctx.constant(ClassRef(name), node)
    for statement in node.body:
        # Attributes are computed when something asks for them, but this is where their lines run.
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            ctx.constant(None, statement)
    if captured:
        ctx.native("define_class", (made,), node)
    for used in captured:
        variable = ctx.variable(used)
        assert variable is not None
        ctx.emit(SetStatic(name, names.captured(used), ctx.read(variable, node), span=span))
    if node.name in ctx.once:
        ctx.local_classes[node.name] = ClassName(name)
    ctx.assign(ast.copy_location(ast.Name(node.name, ast.Store()), node), made)
