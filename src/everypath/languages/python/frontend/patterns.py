"""`match` statements: each pattern is a sequence of tests that ends in its case or goes on to the next one.

A pattern is lowered against a register and a label: the code tests the register, binds names on the way, and jumps to
the label at the first test that fails. Names that were bound before that stay bound, which Python permits as well.
"""

from __future__ import annotations

import ast

from everypath.ir.instructions import GetField, GetItem, Label, Length, NativeRef, Reg
from everypath.ir.types import ANY, DictType, ListType, TupleType
from everypath.languages.python.frontend.calls import static_types
from everypath.languages.python.frontend.context import FunctionContext
from everypath.languages.python.frontend.names import ClassName, Denotation
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.userclass import UserClass

_SEQUENCES = (ListType(ANY), TupleType((), ANY))
_MISSING = NativeRef("<missing attribute>")
"""Stands for an attribute that an object does not have."""
_ITSELF = frozenset("bool bytearray bytes dict float frozenset int list set str tuple".split())


def lower_match(ctx: FunctionContext, node: ast.Match) -> None:
    """`match subject: case ...`"""
    subject = ctx.copied(node.subject)
    after = ctx.builder.label("after")
    reached = False
    for case in node.cases:
        further = ctx.builder.label("case")
        _pattern(ctx, case.pattern, subject, further)
        if case.guard is not None:
            chosen = ctx.builder.label("guarded")
            ctx.test(case.guard, chosen, further)
            ctx.builder.start(chosen)
        ctx.body(case.body)
        reached = reached or ctx.builder.open
        ctx.jump(after, case.body[-1])
        if case.guard is None and _irrefutable(case.pattern):
            # Nothing gets past it, so that there is no block for the case where none matched.
            break
        ctx.builder.start(further)
    if ctx.builder.open or reached:
        ctx.jump(after, node)
        ctx.builder.start(after)


def _irrefutable(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or _irrefutable(pattern.pattern)
    return isinstance(pattern, ast.MatchOr) and any(_irrefutable(p) for p in pattern.patterns)


def _pattern(ctx: FunctionContext, pattern: ast.pattern, subject: Reg, no: Label) -> None:
    """Test a pattern; what follows runs when it matches."""
    match pattern:
        case ast.MatchValue(value=value):
            _require(ctx, ctx.compare("==", subject, ctx.value(value), pattern), no, pattern)
        case ast.MatchSingleton(value=value):
            _require(ctx, ctx.compare("is", subject, ctx.constant(value, pattern), pattern), no, pattern)
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                _pattern(ctx, inner, subject, no)
            if name is not None:
                _bind(ctx, name, subject, pattern)
        case ast.MatchOr(patterns=options):
            matched = ctx.builder.label("matched")
            for option in options:
                further = ctx.builder.label("or") if option is not options[-1] else no
                _pattern(ctx, option, subject, further)
                ctx.jump(matched, option)
                if further is not no:
                    ctx.builder.start(further)
            ctx.builder.start(matched)
        case ast.MatchSequence(patterns=parts):
            _sequence(ctx, parts, subject, no, pattern)
        case ast.MatchMapping():
            _mapping(ctx, pattern, subject, no)
        case ast.MatchClass():
            _class(ctx, pattern, subject, no)
        case _:
            ctx.unsupported(pattern, f"pattern {type(pattern).__name__} is not supported here")


def _give_up(ctx: FunctionContext, pattern: ast.pattern, message: str) -> None:
    """A pattern that is not handled; the names that it would bind count as bound in what follows."""
    nothing = ctx.unsupported(pattern, message)
    for part in walk(pattern):
        if isinstance(part, (ast.MatchAs, ast.MatchStar)) and part.name is not None:
            _bind(ctx, part.name, nothing, part)


def _require(ctx: FunctionContext, condition: Reg, no: Label, node: ast.AST) -> None:
    matched = ctx.builder.label("matches")
    ctx.branch(condition, matched, no, node)
    ctx.builder.start(matched)


def _bind(ctx: FunctionContext, name: str, value: Reg, node: ast.AST) -> None:
    target = ast.Name(name, ast.Store())
    target.lineno, target.col_offset = node.lineno, node.col_offset  # type: ignore[attr-defined]
    ctx.assign(target, value)


def _sequence(ctx: FunctionContext, parts: list[ast.pattern], subject: Reg, no: Label, node: ast.AST) -> None:
    _require(ctx, ctx.is_instance(subject, _SEQUENCES, node), no, node)
    length = ctx.give(Length(ctx.fresh(), subject, span=ctx.span(node)))
    star = next((i for i, part in enumerate(parts) if isinstance(part, ast.MatchStar)), None)
    needed = ctx.constant(len(parts) - (star is not None), node)
    _require(ctx, ctx.compare("==" if star is None else ">=", length, needed, node), no, node)
    for position, part in enumerate(parts):
        if isinstance(part, ast.MatchStar):
            if part.name is not None:
                rest = len(parts) - position - 1
                bounds = (position, -rest if rest else None, None)
                cut = ctx.collection("slice", tuple(ctx.constant(b, part) for b in bounds), part)
                items = ctx.give(GetItem(ctx.fresh(), subject, cut, span=ctx.span(part)))
                _bind(ctx, part.name, ctx.native("list", (items,), part), part)
        else:
            # After a star, positions are only known from the end.
            from_end = star is not None and position > star
            _pattern(ctx, part, ctx.item(subject, position - len(parts) if from_end else position, part), no)


def _mapping(ctx: FunctionContext, node: ast.MatchMapping, subject: Reg, no: Label) -> None:
    _require(ctx, ctx.is_instance(subject, (DictType(ANY, ANY),), node), no, node)
    keys: list[Reg] = []
    for key, part in zip(node.keys, node.patterns):
        keys.append(ctx.value(key))
        _require(ctx, ctx.compare("in", keys[-1], subject, key), no, key)
        _pattern(ctx, part, ctx.give(GetItem(ctx.fresh(), subject, keys[-1], span=ctx.span(key))), no)
    if node.rest is not None:
        rest = ctx.native("dict", (subject,), node)
        for used in keys:
            ctx.virtual(rest, "pop", (used,), node)
        _bind(ctx, node.rest, rest, node)


def _class(ctx: FunctionContext, node: ast.MatchClass, subject: Reg, no: Label) -> None:
    if (types := static_types(ctx, node.cls)) is None:
        _give_up(ctx, node, f"class pattern {ast.unparse(node.cls)} is not known statically")
        return
    _require(ctx, ctx.is_instance(subject, types, node), no, node)
    denoted = ctx.denotation(node.cls)
    names = _match_args(ctx, denoted.name) if isinstance(denoted, ClassName) else []
    if node.patterns and not isinstance(denoted, ClassName) and ast.unparse(node.cls) in _ITSELF:
        _pattern(ctx, node.patterns[0], subject, no)
    else:
        if len(node.patterns) > len(names):
            _give_up(ctx, node, f"{ast.unparse(node.cls)} has no __match_args__ for this many positional patterns")
            return
        for name, part in zip(names, node.patterns):
            _attribute(ctx, denoted, name, part, subject, no)
    for name, part in zip(node.kwd_attrs, node.kwd_patterns):
        _attribute(ctx, denoted, ctx.mangle(name), part, subject, no)


def _attribute(
    ctx: FunctionContext, cls: Denotation | None, name: str, part: ast.pattern, subject: Reg, no: Label
) -> None:
    """Test an attribute; an object that does not have it does not match."""
    if isinstance(cls, ClassName) and _has_always(ctx, cls.name, name):
        value = ctx.give(GetField(ctx.fresh(), subject, name, span=ctx.span(part)))
    else:
        missing = ctx.constant(_MISSING, part)
        value = ctx.native("getattr", (subject, ctx.constant(name, part), missing), part)
        _require(ctx, ctx.compare("is not", value, missing, part), no, part)
    _pattern(ctx, part, value, no)


def _has_always(ctx: FunctionContext, cls: str, name: str) -> bool:
    """Whether objects of a class have a plain attribute of this name, as far as the class tells."""
    line = ctx.linker.line(cls)
    if any(name in info.functions for info in line):
        return False
    return any(name in info.statics or name in info.annotated or _initialises(info, name) for info in line)


def _initialises(info: UserClass, name: str) -> bool:
    constructor = info.functions.get("__init__")
    return constructor is not None and any(
        isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and info.mangle(part.attr) == name
        for part in walk(constructor.node)
    )


def _match_args(ctx: FunctionContext, cls: str) -> list[str]:
    for info in ctx.linker.line(cls):
        if "__match_args__" in info.statics:
            match info.statics["__match_args__"][0]:
                case ast.Assign(value=ast.Tuple(elts=elements) | ast.List(elts=elements)):
                    return [str(e.value) for e in elements if isinstance(e, ast.Constant)]
        if info.data_fields is not None:
            return [f.name for f in info.data_fields.values() if f.init and not f.kw_only]
    return []
