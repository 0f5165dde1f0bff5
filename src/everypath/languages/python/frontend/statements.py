"""Statements to blocks, except `try`."""

from __future__ import annotations

import ast
from copy import copy

from everypath.ir import instructions as ins
from everypath.languages.python.frontend.calls import construct
from everypath.languages.python.frontend.conditions import missing_module
from everypath.languages.python.frontend.constructs import UNSUPPORTED
from everypath.languages.python.frontend.context import FunctionContext, LoopFrame
from everypath.languages.python.frontend.expressions import BINARY
from everypath.languages.python.frontend.hierarchy import CELL_FIELD
from everypath.languages.python.frontend.names import BuiltinName, ClassName, LocalName, ModuleName, StaticName
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.own_attributes import delete_attribute, store_attribute
from everypath.languages.python.frontend.supers import keep_super
from everypath.languages.python.frontend.tries import leave, release
from everypath.languages.python.frontend.userclass import is_wraps


def lower_assign_target(ctx: FunctionContext, target: ast.expr, value: ins.Reg) -> None:
    """Store a value in a target, unpacking it where the target is a pattern."""
    span = ctx.span(target)
    match target:
        case ast.Name(id=name):
            if (variable := ctx.variable(name)) is not None:
                ctx.write(variable, value, target)
                return
            denoted = ctx.lookup(name)
            if isinstance(denoted, StaticName):
                ctx.emit(ins.SetStatic(denoted.cls, denoted.name, value, span=span))
            else:
                ctx.unsupported(target, f"assigning {name!r}, which the module does not define as a variable")
        case ast.Attribute(attr="__dict__" | "__class__" as attribute):
            ctx.unsupported(target, f"assigning {attribute} of an object is not supported")
        case ast.Attribute(value=base, attr=attribute):
            owner = static_owner(ctx, base)
            name = ctx.mangle(attribute)
            if owner is not None:
                # Looked up for its effect: that brings the static into the program.
                ctx.denotation(target)
                ctx.emit(ins.SetStatic(owner, name, value, span=span))
            elif ctx.plain_stores:
                ctx.native("store_attribute", (ctx.value(base), ctx.constant(name, target), value), target)
            else:
                ctx.emit(ins.SetField(ctx.value(base), name, value, span=span))
        case ast.Subscript(value=base, slice=index):
            if store_attribute(ctx, base, index, value, target):
                return
            obj = ctx.value(base)
            ctx.emit(ins.SetItem(obj, ctx.value(index), value, span=span))
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            unpack(ctx, elements, value, target)
        case _:
            ctx.unsupported(target, f"assignment to {type(target).__name__} is not supported")


def static_owner(ctx: FunctionContext, base: ast.expr) -> str | None:
    """The class or module that an attribute is stored in, if it is named directly."""
    match ctx.denotation(base):
        case ClassName(name) if name in ctx.linker.classes:
            return name
        case ModuleName(name) if (module := ctx.linker.finder.module(name)) is not None:
            return ctx.linker.module_class(module).name
        case _:
            return None


def unpack(ctx: FunctionContext, elements: list[ast.expr], value: ins.Reg, node: ast.AST) -> None:
    """Store the items of a value in several targets."""
    star = next((i for i, element in enumerate(elements) if isinstance(element, ast.Starred)), None)
    counts = (len(elements),) if star is None else (star, len(elements) - star - 1)
    operation = "unpack" if star is None else "unpack_star"
    items = ctx.native(operation, (value, *(ctx.constant(count, node) for count in counts)), node)
    for position, element in enumerate(elements):
        target = element.value if isinstance(element, ast.Starred) else element
        ctx.assign(target, ctx.item(items, position, element))


def lower_assign(ctx: FunctionContext, node: ast.Assign) -> None:
    """`a = b = value`"""
    first = node.targets[0]
    if len(node.targets) == 1 and _copies_docstring(first, node.value):
        ctx.constant(None, node)
        return
    if len(node.targets) == 1 and isinstance(first, ast.Tuple) and _swaps(first, node.value):
        # The values are copied first, so that no tuple is needed to exchange variables.
        assert isinstance(node.value, ast.Tuple)
        copies = [ctx.copied(element) for element in node.value.elts]
        for target, value in zip(first.elts, copies):
            ctx.assign(target, value)
        return
    if keep_super(ctx, node):
        return
    value = ctx.value(node.value)
    for target in node.targets:
        ctx.assign(target, value)


def _copies_docstring(target: ast.expr, value: ast.expr) -> bool:
    """Whether this is `f.__doc__ = g.__doc__`, without effect here because reading such an attribute is refused."""
    match target, value:
        case ast.Attribute(ast.Name(), attr), ast.Attribute(ast.Name(), copied):
            return attr == copied and attr in ("__doc__", "__module__", "__qualname__", "__annotations__")
    return False


def _swaps(target: ast.Tuple, value: ast.expr) -> bool:
    if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
        return False
    return not any(isinstance(e, ast.Starred) for e in [*value.elts, *target.elts])


def lower_annassign(ctx: FunctionContext, node: ast.AnnAssign) -> None:
    """`x: T = value`; without a value nothing happens."""
    if node.value is not None:
        ctx.assign(node.target, ctx.value(node.value))


def lower_augassign(ctx: FunctionContext, node: ast.AugAssign) -> None:
    """`target op= value`, the target's parts evaluated once."""
    op, span, target = BINARY[type(node.op)], ctx.span(node), node.target

    def changed(current: ins.Reg) -> ins.Reg:
        return ctx.binary(op, current, ctx.value(node.value), node, inplace=True)

    match target:
        case ast.Name(id=name):
            variable = ctx.variable(name)
            current = ctx.value(ast.copy_location(ast.Name(name, ast.Load()), target))
            if variable is not None and not variable.cell:
                ctx.emit(ins.Binary(variable.register, op, current, ctx.value(node.value), True, span=span))
            else:
                ctx.assign(target, changed(current))
        case ast.Attribute(value=base, attr=attribute):
            name = ctx.mangle(attribute)
            owner = static_owner(ctx, base)
            current = ctx.fresh()
            if owner is not None:
                ctx.denotation(target)
                ctx.emit(ins.GetStatic(current, owner, name, span=span))
                ctx.emit(ins.SetStatic(owner, name, changed(current), span=span))
                return
            obj = ctx.value(base)
            ctx.emit(ins.GetField(current, obj, name, span=span))
            ctx.emit(ins.SetField(obj, name, changed(current), span=span))
        case ast.Subscript(value=base, slice=key):
            obj, index = ctx.value(base), ctx.value(key)
            current = ctx.give(ins.GetItem(ctx.fresh(), obj, index, span=span))
            ctx.emit(ins.SetItem(obj, index, changed(current), span=span))


def lower_expr(ctx: FunctionContext, node: ast.Expr) -> None:
    """An expression evaluated for its effect; a bare variable is still read."""
    if isinstance(node.value, ast.Constant):
        return
    value = ctx.value(node.value)
    if isinstance(node.value, ast.Name) and isinstance(ctx.lookup(node.value.id), LocalName):
        # A variable without a value raises here; without an instruction, nobody would look at it.
        ctx.emit(ins.Move(ctx.fresh(), value, span=ctx.span(node)))


def lower_if(ctx: FunctionContext, node: ast.If) -> None:
    """`if` / `elif` / `else`"""
    yes, no, done = (ctx.builder.label(hint) for hint in ("then", "else", "fi"))
    ctx.test(node.test, yes, no if node.orelse else done)
    ctx.builder.start(yes)
    ctx.body(node.body)
    # Without a path that reaches it, the block after the statement would have no predecessor.
    reached = ctx.builder.open or not node.orelse
    ctx.jump(done, node.body[-1])
    if node.orelse:
        ctx.builder.start(no)
        ctx.body(node.orelse)
        reached = reached or ctx.builder.open
        ctx.jump(done, node.orelse[-1])
    if reached:
        ctx.builder.start(done)


def lower_while(ctx: FunctionContext, node: ast.While) -> None:
    """`while`, its condition at the head of the loop."""
    loop, span = ctx.builder.loop(), ctx.span(node)
    header, body, exhausted, after = (ctx.builder.label(h) for h in ("while", "loop", "exhausted", "after"))
    ctx.emit(ins.EnterLoop(loop, span=span))
    ctx.builder.start(header)
    ctx.test(node.test, body, exhausted)
    ctx.builder.start(body)
    ctx.emit(ins.Iterate(loop, span=span))
    # Only its body decides when such a loop ends, or in a generator those who ask it for values: their decisions count
    # as made in the loop, which they do not in others.
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    frame = LoopFrame(after, header, endless=loop if endless else None)
    _finish_loop(ctx, node, frame, exhausted)


def lower_for(ctx: FunctionContext, node: ast.For) -> None:
    """`for`, over an iterator that says whether there is more."""
    iterator = ctx.native("iter", (ctx.value(node.iter),), node.iter)
    header, exhausted, after = ctx.loop_over(iterator, node, "for", "loop", "exhausted", "after")
    ctx.assign(node.target, ctx.native("next", (iterator,), node))
    frame = LoopFrame(after, header, iterator=iterator if _temporary(ctx, node.iter) else None)
    _finish_loop(ctx, node, frame, exhausted)


def _temporary(ctx: FunctionContext, node: ast.expr) -> bool:
    """Whether only the loop refers to the generator that it may run over."""
    if isinstance(node, ast.GeneratorExp):
        return True
    return isinstance(node, ast.Call) and not isinstance(ctx.denotation(node.func), BuiltinName)


def _finish_loop(ctx: FunctionContext, node: ast.For | ast.While, frame: LoopFrame, exhausted: ins.Label) -> None:
    """The body of a loop whose frame is given, and what follows when it ends."""
    ctx.frames.append(frame)
    ctx.body(node.body)
    ctx.frames.pop()
    ctx.jump(frame.on_continue, node)
    if frame.endless is None:
        ctx.builder.start(exhausted)
        ctx.body(node.orelse)
    if ctx.builder.open or frame.broken:
        ctx.jump(frame.on_break, node)
        ctx.builder.start(frame.on_break)


def lower_break(ctx: FunctionContext, node: ast.Break) -> None:
    """`break`, running the `finally` parts it leaves."""
    frame = next(f for f in reversed(ctx.frames) if isinstance(f, LoopFrame))
    leave(ctx, frame)
    release(ctx, frame, node)
    frame.broken = frame.broken or ctx.builder.open
    ctx.jump(frame.on_break, node)


def lower_continue(ctx: FunctionContext, node: ast.Continue) -> None:
    """`continue`, running the `finally` parts it leaves."""
    frame = next(f for f in reversed(ctx.frames) if isinstance(f, LoopFrame))
    leave(ctx, frame)
    ctx.jump(frame.on_continue, node)


def lower_return(ctx: FunctionContext, node: ast.Return) -> None:
    """`return`, running the `finally` parts it leaves after its value is computed."""
    value = ctx.constant(None, node) if node.value is None else ctx.value(node.value)
    # What runs on the way out may assign the variable that is returned; its value is that of now.
    if any(getattr(frame, "final", None) or getattr(frame, "iterator", None) is not None for frame in ctx.frames):
        value = ctx.give(ins.Move(ctx.fresh(), value, span=ctx.span(node)))
    leave(ctx, None)
    if ctx.builder.open:
        ctx.builder.end(ins.Return(value, span=ctx.span(node)))


def lower_raise(ctx: FunctionContext, node: ast.Raise) -> None:
    """`raise`, with the cause if there is one."""
    if node.exc is None:
        if ctx.handling:
            ctx.builder.end(ins.Throw(ctx.handling[-1], span=ctx.span(node)))
        else:
            ctx.unsupported(node, "`raise` without an exception outside an `except` clause is not supported")
            ctx.builder.end(ins.Throw(ctx.constant(None, node), span=ctx.span(node)))
        return
    exception = _exception(ctx, node.exc, node)
    if node.cause is not None:
        ctx.native("set_cause", (exception, _exception(ctx, node.cause, node)), node.cause)
    ctx.builder.end(ins.Throw(exception, span=ctx.span(node)))


def _exception(ctx: FunctionContext, node: ast.expr, statement: ast.Raise) -> ins.Reg:
    """What is raised: an object, or one that is made of a class without arguments."""
    denoted = ctx.denotation(node)
    return construct(ctx, denoted.name, (), (), statement) if isinstance(denoted, ClassName) else ctx.value(node)


def lower_assert(ctx: FunctionContext, node: ast.Assert) -> None:
    """`assert`"""
    holds, fails = ctx.builder.label("holds"), ctx.builder.label("fails")
    ctx.test(node.test, holds, fails)
    ctx.builder.start(fails)
    message = () if node.msg is None else (ctx.value(node.msg),)
    ctx.builder.end(ins.Throw(ctx.native("assertion_error", message, node), span=ctx.span(node)))
    ctx.builder.start(holds)


def lower_delete(ctx: FunctionContext, node: ast.Delete | ast.Tuple | ast.List) -> None:
    """`del` of items and attributes, also of several in brackets."""
    for target in node.targets if isinstance(node, ast.Delete) else node.elts:
        _delete(ctx, target)


def _delete(ctx: FunctionContext, target: ast.expr) -> None:
    match target:
        case ast.Subscript(value=base, slice=key):
            if delete_attribute(ctx, base, key, target):
                return
            obj = ctx.value(base)
            ctx.emit(ins.DelItem(obj, ctx.value(key), span=ctx.span(target)))
        case ast.Attribute(value=base, attr=name):
            ctx.emit(ins.DelField(ctx.value(base), ctx.mangle(name), span=ctx.span(target)))
        case ast.Tuple() | ast.List():
            lower_delete(ctx, target)
        case ast.Name(id=name) if (variable := ctx.variable(name)) is not None and variable.cell:
            ctx.emit(ins.DelField(variable.register, CELL_FIELD, span=ctx.span(target)))
        case _:
            ctx.unsupported(target, UNSUPPORTED["Delete"])


def lower_nothing(ctx: FunctionContext, node: ast.stmt) -> None:
    """Statements without effect here: `pass`, and declarations that were read beforehand."""


def lower_import(ctx: FunctionContext, node: ast.Import | ast.ImportFrom) -> None:
    """An import inside a function: its names were read beforehand; a module that is not installed raises here."""
    missing = None if ctx.module.model else missing_module(node, ctx.module.path)
    if missing is not None:
        cls = ctx.constant(ins.ClassRef("ModuleNotFoundError"), node)
        message = ctx.constant(f"No module named {missing!r}", node)
        ctx.builder.end(ins.Throw(ctx.native("new_exception", (cls, message), node), span=ctx.span(node)))


def lower_function(ctx: FunctionContext, node: ast.FunctionDef) -> None:
    """A nested function, under its decorators."""
    if node.name in ctx.functions:
        return
    decorators = [decorator if is_wraps(decorator) else ctx.value(decorator) for decorator in node.decorator_list]
    plain = copy(node)
    plain.decorator_list = []
    value = ctx.tables.function_value(ctx, plain)
    for decorator in reversed(decorators):
        if isinstance(decorator, ast.expr):
            assert isinstance(decorator, ast.Call)
            for wrapped in decorator.args[:1]:
                ctx.native("copy_name", (value, ctx.value(wrapped)), decorator)
        else:
            value = ctx.give(ins.CallValue(ctx.fresh(), decorator, (value,), span=ctx.span(node)))
    ctx.assign(ast.copy_location(ast.Name(node.name, ast.Store()), node), value)


_LOOP = """
iterator = source.__aiter__()
running = True
while running:
    try:
        target = await iterator.__anext__()
    except StopAsyncIteration:
        running = False
    else:
        pass
"""


def lower_async_for(ctx: FunctionContext, node: ast.AsyncFor) -> None:
    """`async for`: each element is awaited, until the iterator says that there is none."""
    names = {name: f"<{name} {node.lineno}:{node.col_offset}>" for name in ("source", "iterator", "running")}
    for hidden in names.values():
        ctx.locals[hidden] = LocalName(ctx.builder.register())
    source = ctx.value(node.iter)
    ctx.native("need_async_iterable", (source,), node.iter)
    ctx.write(ctx.locals[names["source"]], source, node.iter)
    made = ast.parse(_LOOP).body
    for statement in made:
        for part in walk(statement):
            if isinstance(part, ast.Name) and part.id in names:
                part.id = names[part.id]
            if isinstance(part, (ast.stmt, ast.expr, ast.excepthandler)):
                ast.copy_location(part, node)
    match made:
        case [_, _, ast.While(body=[ast.Try(body=[ast.Assign() as fetch]) as attempt]) as loop]:
            fetch.targets, attempt.orelse, loop.orelse = [node.target], node.body, node.orelse
    ctx.body(made)
