"""Generators, coroutines and comprehensions; the bodies of the former are left and taken up again.

Such a function becomes two methods. The function itself makes an object, the activation, and returns it. Its body is a
method of its own, which gets the same arguments and the activation. A `yield` is a call of the activation's
`__yield__`: the engine keeps the frames of the body there and goes on with whoever asked for the next value; when that
is asked for again, the call returns what was sent. A generator expression is a generator function around its loops that
is called at once with the iterator of its first `for`, which is evaluated outside. Comprehensions are inlined as loops
with registers of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from everypath.errors import Span
from everypath.ir import instructions as ins
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Branch, ClassRef, Const, Label, Move, Reg, SetItem, Throw
from everypath.ir.names import resumable_body
from everypath.ir.program import Class
from everypath.ir.types import ANY
from everypath.languages.python.frontend.binding import FUNCTIONS_INSIDE
from everypath.languages.python.frontend.constructs import UNSUPPORTED, missing
from everypath.languages.python.frontend.context import FunctionContext, LoopFrame, TryFrame
from everypath.languages.python.frontend.modules import bound_names
from everypath.languages.python.frontend.names import BuiltinName, Denotation, LocalName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.scopes import Scope, free_names, scope_of

_FIRST = ".0"
"""the parameter of a generator expression: the iterator of its first `for`"""


def makes(node: ast.AST, scope: Scope) -> str | None:
    """What a call of the function makes instead of running its body: a generator, a coroutine or None."""
    if isinstance(node, ast.AsyncFunctionDef):
        return "coroutine" if scope.yields is None else "async_generator"
    return "generator" if scope.yields is not None else None


def body_params(params: tuple[ins.Param, ...]) -> tuple[ins.Param, ...]:
    """The parameters of the body: the arguments as they were bound, and the object that the body belongs to."""
    return (*(ins.Param(p.name, p.type) for p in params), ins.Param("<activation>", ANY))


def body_builder(cls: Class, name: str, params: tuple[ins.Param, ...], span: Span, made: str | None) -> MethodBuilder:
    """The builder of what a function's statements are lowered to: the function, or a body that stands beside it."""
    if made is None:
        return MethodBuilder(cls.name, name, params, span)
    return MethodBuilder(cls.name, resumable_body(name), body_params(params), span)


def with_maker(
    cls: Class, name: str, params: tuple[ins.Param, ...], made: str | None, builder: MethodBuilder, model: bool
) -> MethodBuilder:
    """The builder of the function itself, which only makes the object when its body stands beside it."""
    if made is None:
        return builder
    body = cls.methods[builder.name] = builder.finish(kind="static", model=model)
    maker = MethodBuilder(cls.name, name, params, builder.span)
    result = maker.register()
    args = (maker.constant(ins.FunctionRef(cls.name, body.name)), *range(len(params)))
    # Without a span: making the object is no line of the source.
    maker.emit(ins.CallNative(result, f"new_{made}", args))
    maker.end(ins.Return(result))
    return maker


def lower_yield(ctx: FunctionContext, node: ast.Yield) -> ins.Reg:
    """`yield`: the value goes out, and what is sent comes in."""
    value = ctx.constant(None, node) if node.value is None else ctx.value(node.value)
    if ctx.activation is None:
        return ctx.unsupported(node, missing(node))
    return ctx.native("generator_received", (_give(ctx, ctx.activation, value, node),), node)


def _give(ctx: FunctionContext, activation: ins.Reg, value: ins.Reg, node: ast.expr) -> ins.Reg:
    """Leave the body with a value; what follows is a separate block, because it may never run."""
    # Where a `try` surrounds it, closing the generator runs code; elsewhere it may just be forgotten.
    guarded = any(isinstance(frame, TryFrame) for frame in ctx.frames)
    sent = ctx.fresh()
    endless = ",".join(str(f.endless) for f in ctx.frames if isinstance(f, LoopFrame) and f.endless is not None)
    args = (value, ctx.constant(guarded, node), ctx.constant(endless, node))
    ctx.emit(ins.CallVirtual(sent, activation, "__yield__", args, span=ctx.span(node)))
    ctx.builder.start(ctx.builder.label("resumed"))
    return sent


def lower_yield_from(ctx: FunctionContext, node: ast.YieldFrom) -> ins.Reg:
    """`yield from`: every element goes out; its value is what an inner generator returns."""
    inner = ctx.native("iter", (ctx.value(node.value),), node.value)
    if ctx.activation is None:
        return ctx.unsupported(node, missing(node))
    header, after = ctx.loop_over(inner, node, "from", "given", "delegated")
    sent = _give(ctx, ctx.activation, ctx.native("next", (inner,), node), node)
    ctx.native("generator_delegated", (inner, sent), node)
    ctx.jump(header, node)
    ctx.builder.start(after)
    return ctx.native("generator_result", (inner,), node)


def lower_await(ctx: FunctionContext, node: ast.Await) -> ins.Reg:
    """`await`: nothing else runs meanwhile, so waiting for a coroutine is running it."""
    return awaited(ctx, ctx.value(node.value), node)


def awaited(ctx: FunctionContext, value: ins.Reg, node: ast.AST) -> ins.Reg:
    """What an awaitable gives."""
    ctx.native("need_awaitable", (value,), node)
    return ctx.virtual(value, "__awaited__", (), node)


def lower_generator(ctx: FunctionContext, node: ast.GeneratorExp) -> ins.Reg:
    """A generator expression that is kept: a generator function around it, called with the first iterator."""
    if any(generator.is_async for generator in node.generators):
        return ctx.unsupported(node, "an asynchronous generator expression is not supported")
    if any(isinstance(part, ast.Await) for part in walk(node)):
        return ctx.unsupported(node, "`await` in a generator expression is not supported; use a list")
    assigned = [ctx.variable(name) for name in _assigned(node)]
    if not all(variable is not None and variable.cell for variable in assigned):
        return ctx.unsupported(node, UNSUPPORTED["GeneratorExp"])
    first = ctx.native("iter", (ctx.value(node.generators[0].iter),), node.generators[0].iter)
    function = ctx.tables.function_value(ctx, generator_function(node))
    return ctx.give(ins.CallValue(ctx.fresh(), function, (first,), span=ctx.span(node)))


def _assigned(node: ast.GeneratorExp) -> list[str]:
    """The names that `:=` assigns in a generator expression."""
    parts: list[ast.expr] = [node]
    return [*scope_of(parts, "").bound]


def generator_function(node: ast.GeneratorExp) -> ast.FunctionDef:
    """The function that a generator expression abbreviates; `:=` in it assigns a variable of the function around it."""
    body: ast.stmt = ast.Expr(ast.copy_location(ast.Yield(node.elt), node.elt))
    ast.copy_location(body, node.elt)
    for position, generator in reversed(list(enumerate(node.generators))):
        for condition in reversed(generator.ifs):
            body = ast.copy_location(ast.If(condition, [body], []), condition)
        source: ast.expr = generator.iter
        if position == 0:
            source = ast.copy_location(ast.Name(_FIRST, ast.Load()), generator.iter)
        body = ast.copy_location(ast.For(generator.target, source, [body], []), generator.target)
    arguments = ast.arguments([], [ast.copy_location(ast.arg(_FIRST), node)], None, [], [], None, [])
    assigned = _assigned(node)
    declared: list[ast.stmt] = [ast.copy_location(ast.Nonlocal(assigned), node)] if assigned else []
    return ast.copy_location(ast.FunctionDef("<genexpr>", arguments, [*declared, body], [], None), node)


_LAZY = frozenset("Iterator Iterable Generator Any object Coroutine Awaitable Reversible".split())


def may_be_lazy(node: ast.AST | None) -> bool:
    """Whether a function may return an iterator or a coroutine, as far as its text tells."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    if isinstance(node, ast.AsyncFunctionDef) or scope_of(node.body, "").yields is not None or node.decorator_list:
        return True
    if node.returns is not None:
        head = node.returns.value if isinstance(node.returns, ast.Subscript) else node.returns
        name = head.attr if isinstance(head, ast.Attribute) else getattr(head, "id", "")
        return name in _LAZY
    returned = [part.value for part in walk(node) if isinstance(part, ast.Return)]
    return any(isinstance(value, _OPEN) for value in returned)


_OPEN = (ast.Call, ast.GeneratorExp, ast.Name, ast.Attribute, ast.IfExp, ast.BoolOp, ast.Await, ast.Subscript)
"""Expressions whose value may be an iterator."""


CONSUMERS = frozenset("sum list tuple set frozenset sorted min max dict".split())
CONSUMING_METHODS = frozenset("join update union intersection difference issubset issuperset isdisjoint".split())
AT_ONCE = CONSUMERS | CONSUMING_METHODS | {"any", "all", "next"}
"""The names of what is called when a generator expression is used up where it stands."""


def is_consumed_whole(call: ast.Call, denoted: Denotation | None) -> bool:
    """Whether a call reads all of a generator argument before anything else happens."""
    if isinstance(denoted, BuiltinName):
        return denoted.name in CONSUMERS
    return denoted is None and isinstance(call.func, ast.Attribute) and call.func.attr in CONSUMING_METHODS


def lower_listcomp(ctx: FunctionContext, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Reg:
    """A list or set comprehension, or a generator expression that is consumed at once."""
    kind, add = ("set", "add") if isinstance(node, ast.SetComp) else ("list", "append")
    result = ctx.collection(kind, (), node)
    _loops(ctx, node.generators, lambda _: ctx.virtual(result, add, (ctx.value(node.elt),), node.elt), node)
    return result


def lower_dictcomp(ctx: FunctionContext, node: ast.DictComp) -> Reg:
    """A dict comprehension."""
    result = ctx.collection("dict", (), node)

    def store(_: Label) -> None:
        key = ctx.value(node.key)
        ctx.emit(SetItem(result, key, ctx.value(node.value), span=ctx.span(node.key)))

    _loops(ctx, node.generators, store, node)
    return result


def lower_any_all(ctx: FunctionContext, node: ast.GeneratorExp, is_any: bool) -> Reg:
    """`any(...)` / `all(...)` over a generator expression: stops at the first element that decides."""
    result = ctx.give(Const(ctx.fresh(), not is_any, span=ctx.span(node)))

    def decide(done: Label) -> None:
        decided, further = ctx.builder.label("decided"), ctx.builder.label("further")
        ctx.test(node.elt, *((decided, further) if is_any else (further, decided)))
        ctx.builder.start(decided)
        ctx.emit(Const(result, is_any, span=ctx.span(node.elt)))
        ctx.jump(done, node.elt)
        ctx.builder.start(further)

    _loops(ctx, node.generators, decide, node)
    ctx.booleans.add(result)
    return result


def lower_first(ctx: FunctionContext, node: ast.GeneratorExp, default: ast.expr | None, call: ast.Call) -> Reg:
    """`next(generator, default)`: the first element; the rest is never computed."""
    otherwise = ctx.value(default) if default is not None else None
    result, found = ctx.fresh(), ctx.constant(False, node)

    def keep(done: Label) -> None:
        ctx.emit(Move(result, ctx.value(node.elt), span=ctx.span(node.elt)))
        ctx.emit(Const(found, True, span=ctx.span(node.elt)))
        ctx.jump(done, node.elt)

    _loops(ctx, node.generators, keep, node)
    yes, no = ctx.builder.label("found"), ctx.builder.label("missing")
    ctx.builder.end(Branch(found, yes, no, span=ctx.span(call)))
    ctx.builder.start(no)
    if otherwise is None:
        stop = ctx.native("new_exception", (ctx.constant(ClassRef("StopIteration"), call),), call)
        ctx.builder.end(Throw(stop, span=ctx.span(call)))
    else:
        ctx.emit(Move(result, otherwise, span=ctx.span(call)))
    ctx.builder.start(yes)
    return result


def _loops(
    ctx: FunctionContext, generators: list[ast.comprehension], inside: Callable[[Label], object], node: ast.AST
) -> None:
    done = ctx.builder.label("comprehended")
    # A lambda in a comprehension sees the last value of its variables, so that these live in cells.
    lambdas = (part for part in walk(node) if isinstance(part, ast.Lambda))
    captured = {name for part in lambdas for name in free_names(part, ctx.module.package)}
    names: dict[str, LocalName] = {}
    for generator in generators:
        for name in bound_names(generator.target):
            names[name] = ctx.new_cell(name, node) if name in captured else LocalName(ctx.builder.register(name))
    _loop(ctx, generators, names, inside, done, isinstance(node, FUNCTIONS_INSIDE))
    ctx.jump(done, node)
    ctx.builder.start(done)


def _loop(
    ctx: FunctionContext,
    generators: list[ast.comprehension],
    names: dict[str, LocalName],
    inside: Callable[[Label], object],
    done: Label,
    function: bool,
) -> None:
    if not generators:
        inside(done)
        return
    generator, *others = generators
    if generator.is_async:
        ctx.unsupported(generator.target, "an asynchronous comprehension is not supported")
        return
    iterator = ctx.native("iter", (ctx.value(generator.iter),), generator.iter)
    header, after = ctx.loop_over(iterator, generator.target, "each", "element", "end")
    # The iterable was evaluated outside this scope: in `for x in x` the second one is that of the function.
    mine = {name: names[name] for name in bound_names(generator.target)}
    with ctx.scope(mine, function):
        ctx.assign(generator.target, ctx.native("next", (iterator,), generator.target))
        for condition in generator.ifs:
            kept = ctx.builder.label("kept")
            ctx.test(condition, kept, header)
            ctx.builder.start(kept)
        _loop(ctx, others, names, inside, done, function)
    ctx.jump(header, generator.target)
    ctx.builder.start(after)
