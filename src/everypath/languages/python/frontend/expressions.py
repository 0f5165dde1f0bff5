"""Expressions to instructions, except calls and comprehensions."""

from __future__ import annotations

import ast

from everypath.ir import instructions as ins
from everypath.ir.names import BY_NAME, decorated
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.hierarchy import builtin_value, is_library_data, library_value
from everypath.languages.python.frontend.names import (
    BuiltinName,
    ClassName,
    ConstantName,
    Denotation,
    ExternalName,
    FunctionName,
    LocalName,
    ModuleName,
    StaticName,
    UndefinedName,
)
from everypath.languages.python.frontend.outside import note_lookup
from everypath.languages.python.frontend.own_attributes import attributes_of
from everypath.languages.python.frontend.supers import read_super, super_call

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
}  # fmt: skip
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def lower_constant(ctx: FunctionContext, node: ast.Constant) -> ins.Reg:
    """A literal."""
    if node.value is Ellipsis:
        return ctx.constant(ins.NativeRef("Ellipsis"), node)
    if isinstance(node.value, complex):
        return ctx.unsupported(node, "complex numbers are not supported")
    return ctx.constant(node.value, node)


def lower_name(ctx: FunctionContext, node: ast.Name) -> ins.Reg:
    """A name used as a value."""
    denoted = ctx.lookup(node.id)
    if isinstance(denoted, LocalName):
        if denoted.cell and ctx.function_inside and node.id in ctx.perhaps_free:
            return ctx.native("free_variable", (denoted.register, ctx.constant(node.id, node)), node)
        # In `x + (x := 1)` the first operand is the old value, so that its register must not be the variable's; and
        # in `x + f()` an `x` without a value is noticed before the call.
        if node.id in ctx.copied_names and not denoted.cell:
            return ctx.give(ins.Move(ctx.fresh(), denoted.register, span=ctx.span(node)))
    return denoted_value(ctx, denoted, node)


def denoted_value(ctx: FunctionContext, denoted: Denotation, node: ast.expr) -> ins.Reg:
    """The value of something known statically."""
    note_lookup(ctx, node, denoted)
    match denoted:
        case LocalName():
            return ctx.read(denoted, node)
        case FunctionName(cls, name):
            if cls not in ctx.linker.classes and ctx.linker.is_decorated(cls, name):
                # As a value it is what the decorators made; the function of the IR only passes calls on to that.
                return ctx.give(ins.GetStatic(ctx.fresh(), cls, decorated(name), span=ctx.span(node)))
            return ctx.constant(ins.FunctionRef(cls, name), node)
        case ClassName(name):
            return ctx.constant(ins.ClassRef(name), node)
        case StaticName(cls, name):
            return ctx.give(ins.GetStatic(ctx.fresh(), cls, name, span=ctx.span(node)))
        case ConstantName(value):
            return ctx.constant(value, node)
        case BuiltinName(name):
            return ctx.constant(builtin_value(name), node)
        case ExternalName(name) if is_library_data(name):
            return ctx.native("library object", (ctx.constant(name, node),), node)
        case ExternalName(name) if (place := library_value(name)) is not None:
            return ctx.native("unread library value", tuple(ctx.constant(part, node) for part in place), node)
        case ExternalName(name):
            return ctx.constant(ins.NativeRef(name), node)
        case ModuleName(name):
            return ctx.unsupported(node, f"module {name} used as a value is not supported")
        case UndefinedName(name):
            return ctx.unsupported(node, f"name {name or ast.unparse(node)!r} is not defined where it is looked up")


def lower_attribute(ctx: FunctionContext, node: ast.Attribute) -> ins.Reg:
    """An attribute read: of an object, a class or a module."""
    if (parent := super_call(ctx, node.value)) is not None:
        return read_super(ctx, node, parent)
    denoted = ctx.denotation(node)
    if denoted is not None and not isinstance(denoted, LocalName):
        if isinstance(denoted, FunctionName) and ctx.linker.kind_of(denoted) == "class":
            # Bound to the class that it is read from, which may be one below the class that defines it.
            return _field(ctx, node, ctx.value(node.value))
        return denoted_value(ctx, denoted, node)
    base = ctx.value(node.value)
    if node.attr == "__args__" and _is_union(ctx, ctx.denotation(node.value)):
        return base
    if node.attr == "__class__":
        return ctx.native("type", (base,), node)
    return _field(ctx, node, base)


def _field(ctx: FunctionContext, node: ast.Attribute, base: ins.Reg) -> ins.Reg:
    if ctx.expects_missing:
        ctx.native("may_lack", (base, ctx.constant(ctx.mangle(node.attr), node)), node)
    return ctx.give(ins.GetField(ctx.fresh(), base, ctx.mangle(node.attr), span=ctx.span(node)))


def lower_binop(ctx: FunctionContext, node: ast.BinOp) -> ins.Reg:
    """A binary operator."""
    left = ctx.value(node.left)
    return ctx.binary(BINARY[type(node.op)], left, ctx.value(node.right), node)


def lower_unaryop(ctx: FunctionContext, node: ast.UnaryOp) -> ins.Reg:
    """A unary operator; a negated number is a constant."""
    number = node.operand.value if isinstance(node.operand, ast.Constant) else None
    signed = isinstance(node.op, (ast.USub, ast.UAdd)) and not isinstance(number, bool)
    if signed and isinstance(number, (int, float)):
        return ctx.constant(-number if isinstance(node.op, ast.USub) else number, node)
    register = ctx.fresh()
    operand = ctx.value(node.operand)
    ctx.emit(ins.Unary(register, UNARY[type(node.op)], operand, span=ctx.span(node)))
    if isinstance(node.op, ast.Not):
        ctx.booleans.add(register)
    return register


def lower_boolop(ctx: FunctionContext, node: ast.BoolOp) -> ins.Reg:
    """`and` / `or` as a value: the operand that decided."""
    result = ctx.fresh()
    done = ctx.builder.label("decided")
    operands: list[ins.Reg] = []
    for position, operand in enumerate(node.values):
        value = ctx.value(operand)
        operands.append(value)
        ctx.emit(ins.Move(result, value, span=ctx.span(operand)))
        if position < len(node.values) - 1:
            further = ctx.builder.label("operand")
            ways = (further, done) if isinstance(node.op, ast.And) else (done, further)
            ctx.branch(value, *ways, operand)
            ctx.builder.start(further)
    ctx.jump(done, node)
    ctx.builder.start(done)
    if all(operand in ctx.booleans for operand in operands):
        ctx.booleans.add(result)
    return result


def lower_compare(ctx: FunctionContext, node: ast.Compare) -> ins.Reg:
    """A comparison; a chain evaluates each middle operand once and stops early."""
    left = attributes_of(ctx, node.left) or ctx.value(node.left)
    if len(node.ops) == 1:
        right = attributes_of(ctx, node.comparators[0]) or ctx.value(node.comparators[0])
        return ctx.compare(COMPARE[type(node.ops[0])], left, right, node)
    result = ctx.fresh()
    done = ctx.builder.label("compared")
    for position, (op, comparator) in enumerate(zip(node.ops, node.comparators)):
        right = ctx.value(comparator)
        outcome = ctx.compare(COMPARE[type(op)], left, right, comparator)
        ctx.emit(ins.Move(result, outcome, span=ctx.span(comparator)))
        if position < len(node.ops) - 1:
            further = ctx.builder.label("chain")
            ctx.branch(outcome, further, done, comparator)
            ctx.builder.start(further)
        left = right
    ctx.jump(done, node)
    ctx.builder.start(done)
    ctx.booleans.add(result)
    return result


def lower_test(ctx: FunctionContext, node: ast.expr, yes: ins.Label, no: ins.Label) -> None:
    """A condition, straight to control flow without materialising its value."""
    match node:
        case ast.BoolOp(op=op, values=values):
            for operand in values[:-1]:
                further = ctx.builder.label("and" if isinstance(op, ast.And) else "or")
                lower_test(ctx, operand, *((further, no) if isinstance(op, ast.And) else (yes, further)))
                ctx.builder.start(further)
            lower_test(ctx, values[-1], yes, no)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            lower_test(ctx, operand, no, yes)
        case ast.Constant(value=value) if value is not Ellipsis and not isinstance(value, complex):
            ctx.jump(yes if value else no, node)
        case ast.Compare(left=first, ops=ops, comparators=comparators) if len(ops) > 1:
            left = ctx.value(first)
            for comparison, comparator in zip(ops, comparators):
                right = ctx.value(comparator)
                further = ctx.builder.label("chain") if comparator is not comparators[-1] else yes
                ctx.branch(ctx.compare(COMPARE[type(comparison)], left, right, comparator), further, no, comparator)
                if further != yes:
                    ctx.builder.start(further)
                left = right
        case _:
            ctx.branch(ctx.value(node), yes, no, node)


def lower_ifexp(ctx: FunctionContext, node: ast.IfExp) -> ins.Reg:
    """A conditional expression."""
    result = ctx.fresh()
    yes, no, done = (ctx.builder.label(hint) for hint in ("then", "otherwise", "chosen"))
    ctx.test(node.test, yes, no)
    for label, branch in ((yes, node.body), (no, node.orelse)):
        ctx.builder.start(label)
        ctx.into(branch, result)
        ctx.jump(done, branch)
    ctx.builder.start(done)
    return result


def lower_named(ctx: FunctionContext, node: ast.NamedExpr) -> ins.Reg:
    """A walrus: the value is stored and is also the result."""
    value = ctx.value(node.value)
    if (variable := ctx.locals.get(node.target.id)) is None:
        ctx.assign(node.target, value)
    else:
        # Inside a comprehension the variable belongs to the function around it.
        ctx.write(variable, value, node)
    return value


def lower_sequence(ctx: FunctionContext, node: ast.Tuple | ast.List | ast.Set) -> ins.Reg:
    """A tuple, list or set display."""
    kind = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set"}[type(node)]
    if not any(isinstance(e, ast.Starred) for e in node.elts):
        return ctx.collection(kind, tuple(ctx.value(e) for e in node.elts), node)
    made, add, add_all = ("set", "add", "update") if kind == "set" else ("list", "append", "extend")
    target = ctx.collection(made, (), node)
    for element in node.elts:
        if isinstance(element, ast.Starred):
            ctx.virtual(target, add_all, (ctx.value(element.value),), element)
        else:
            ctx.virtual(target, add, (ctx.value(element),), element)
    return ctx.native("tuple", (target,), node) if kind == "tuple" else target


def lower_dict(ctx: FunctionContext, node: ast.Dict) -> ins.Reg:
    """A dict display, `**` included."""
    if all(key is not None for key in node.keys):
        parts = (part for entry in zip(node.keys, node.values) for part in entry if part is not None)
        return ctx.collection("dict", tuple(map(ctx.value, parts)), node)
    target = ctx.collection("dict", (), node)
    for key, value in zip(node.keys, node.values):
        if key is None:
            ctx.virtual(target, "update", (ctx.value(value),), value)
        else:
            index = ctx.value(key)
            ctx.emit(ins.SetItem(target, index, ctx.value(value), span=ctx.span(key)))
    return target


def lower_subscript(ctx: FunctionContext, node: ast.Subscript) -> ins.Reg:
    """An item or slice; a subscripted class (`list[int]`) is the class itself."""
    denoted = ctx.denotation(node.value)
    if isinstance(denoted, ClassName) and denoted.name in ctx.linker.classes and ctx.linker.classes[denoted.name].enum:
        args = (ctx.value(node.value), ctx.value(node.slice))
        return ctx.give(ins.CallStatic(ctx.fresh(), denoted.name, BY_NAME, args, span=ctx.span(node)))
    if isinstance(denoted, ClassName) or (isinstance(denoted, BuiltinName) and denoted.name in _GENERIC):
        return denoted_value(ctx, denoted, node)
    if isinstance(denoted, ExternalName) and denoted.name in _UNIONS:
        options = [*node.slice.elts] if isinstance(node.slice, ast.Tuple) else [node.slice]
        options += [ast.copy_location(ast.Constant(None), node)] if denoted.name == "typing.Optional" else []
        return ctx.collection("tuple", tuple(_option(ctx, option) for option in options), node)
    obj = attributes_of(ctx, node.value) or ctx.value(node.value)
    index = ctx.value(node.slice)
    return ctx.give(ins.GetItem(ctx.fresh(), obj, index, span=ctx.span(node)))


def _option(ctx: FunctionContext, node: ast.expr) -> ins.Reg:
    if isinstance(node, ast.Constant) and node.value is None:
        return ctx.native("type", (ctx.constant(None, node),), node)
    return ctx.value(node)


def _is_union(ctx: FunctionContext, meant: Denotation | None) -> bool:
    """Whether a variable stands for `Union[...]`, which is the tuple of its options here."""
    if not isinstance(meant, StaticName):
        return False
    source = ctx.linker.finder.module(meant.cls)
    alias = ctx.linker.alias(source, meant.name) if source is not None else None
    if source is None or not isinstance(alias, ast.Subscript):
        return False
    denoted = ctx.linker.expression(source, alias.value)
    return isinstance(denoted, ExternalName) and denoted.name in _UNIONS


_UNIONS = ("typing.Union", "typing.Optional")
_GENERIC = frozenset("list dict set tuple frozenset type".split())


def lower_slice(ctx: FunctionContext, node: ast.Slice) -> ins.Reg:
    """A slice inside brackets."""
    bounds = (node.lower, node.upper, node.step)
    parts = tuple(ctx.constant(None, node) if bound is None else ctx.value(bound) for bound in bounds)
    return ctx.collection("slice", parts, node)


def lower_joined(ctx: FunctionContext, node: ast.JoinedStr) -> ins.Reg:
    """An f-string: constant parts merged, values formatted, then joined."""
    parts: list[ins.Reg] = []
    text = ""
    for value in node.values:
        if isinstance(value, ast.Constant):
            text += str(value.value)
            continue
        if text:
            parts.append(ctx.constant(text, node))
            text = ""
        parts.append(ctx.value(value))
    if text or not parts:
        parts.append(ctx.constant(text, node))
    if not any(isinstance(value, ast.FormattedValue) for value in node.values):
        # `f"..."` without braces, and every format specification that is plain text.
        return parts[0]
    return ctx.native("str_join_parts", tuple(parts), node)


_CONVERSIONS = {ord("r"): "repr", ord("s"): "str", ord("a"): "ascii"}


def lower_formatted(ctx: FunctionContext, node: ast.FormattedValue) -> ins.Reg:
    """One `{...}` of an f-string."""
    value = ctx.value(node.value)
    if node.conversion in _CONVERSIONS:
        value = ctx.native(_CONVERSIONS[node.conversion], (value,), node)
    spec = ctx.constant("", node) if node.format_spec is None else ctx.value(node.format_spec)
    return ctx.native("format", (value, spec), node)
