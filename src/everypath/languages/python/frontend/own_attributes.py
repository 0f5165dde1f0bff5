"""`x.__dict__` and `vars(x)`: the attributes that an object has itself, as a dict.

Attributes are fields of objects here, so there is no such dict. Where it is only read, a new one does; where it is
changed, a new one is changed in the same way, and the object gets what it then holds. As a value that is kept it is not
supported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from everypath.ir import instructions as ins
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.names import BuiltinName

_VARS = BuiltinName("vars")
READING = frozenset(("items", "keys", "values", "get", "copy"))
"""Methods of a dict that leave it as it is."""
CHANGING = frozenset(("update", "setdefault", "pop", "popitem", "clear"))


def owner_of(ctx: FunctionContext, node: ast.expr) -> ast.expr | None:
    """The object whose attributes this expression is."""
    match node:
        case ast.Attribute(value=value, attr="__dict__"):
            return value
        case ast.Call(func=ast.Name(id="vars"), args=[value], keywords=[]) if ctx.denotation(node.func) == _VARS:
            return value
    return None


def attributes_of(ctx: FunctionContext, node: ast.expr) -> ins.Reg | None:
    """A new dict with the attributes of the object, where an expression is such a dict and it is only read."""
    owner = owner_of(ctx, node)
    return None if owner is None else ctx.native("attributes", (ctx.value(owner),), node)


def change_attributes(
    ctx: FunctionContext, owner: ins.Reg, change: Callable[[ins.Reg], ins.Reg | None], node: ast.AST, adds: bool = False
) -> ins.Reg | None:
    """Make a change to the attributes of an object, of which one that only `adds` need not know any."""
    attributes = ctx.collection("dict", (), node) if adds else ctx.native("attributes", (owner,), node)
    result = change(attributes)
    ctx.native("become", (owner, attributes, ctx.constant(adds, node)), node)
    return result


def store_attribute(ctx: FunctionContext, base: ast.expr, key: ast.expr, value: ins.Reg, node: ast.expr) -> bool:
    """`x.__dict__[key] = value`, if that is what it is."""
    owner = owner_of(ctx, base)
    if owner is not None:
        obj, name = ctx.value(owner), ctx.value(key)
        change_attributes(
            ctx, obj, lambda held: ctx.emit(ins.SetItem(held, name, value, span=ctx.span(node))), node, adds=True
        )
    return owner is not None


def delete_attribute(ctx: FunctionContext, base: ast.expr, key: ast.expr, node: ast.expr) -> bool:
    """`del x.__dict__[key]`, if that is what it is."""
    owner = owner_of(ctx, base)
    if owner is not None:
        obj, name = ctx.value(owner), ctx.value(key)
        change_attributes(ctx, obj, lambda held: ctx.emit(ins.DelItem(held, name, span=ctx.span(node))), node)
    return owner is not None
