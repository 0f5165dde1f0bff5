"""Reads one instruction of the text form."""

from __future__ import annotations

from everypath.ir import instructions as ins
from everypath.ir.instructions import Instruction, Keywords, Reg, Terminator
from everypath.ir.lexer import Line

_SYMBOL_COMPARISONS = tuple(op for op in ins.COMPARE_OPS if not op[0].isalpha())


def parse_instruction(line: Line) -> Instruction | Terminator:
    """The instruction or terminator on the line."""
    if line.peek().kind == "register":
        return _beginning_with_register(line)
    span = line.span
    word = line.peek()
    if line.accept("del"):
        obj = line.register()
        if line.accept("["):
            index = line.register()
            line.expect("]")
            return ins.DelItem(obj, index, span=span)
        line.expect(".")
        return ins.DelField(obj, line.name(), span=span)
    if line.accept("static"):
        cls, name = line.member()
        line.expect("=")
        return ins.SetStatic(cls, name, line.register(), span=span)
    if line.accept("enter"):
        return ins.EnterLoop(line.integer(), span=span)
    if line.accept("iterate"):
        return ins.Iterate(line.integer(), line.accept("counted"), span=span)
    terminator = _terminator(line)
    if terminator is None:
        raise line.error(f"unknown instruction {word.text!r}", word)
    return terminator


def _terminator(line: Line) -> Terminator | None:
    span = line.span
    if line.accept("jump"):
        return ins.Jump(line.name(), span=span)
    if line.accept("branch"):
        cond = line.register()
        line.expect("?")
        if_true = line.name()
        line.expect(":")
        return ins.Branch(cond, if_true, line.name(), span=span)
    if line.accept("switch"):
        return _switch(line)
    if line.accept("return"):
        return ins.Return(line.register(), span=span)
    if line.accept("throw"):
        return ins.Throw(line.register(), span=span)
    if line.accept("await"):
        line.expect("(")
        guards = tuple(line.listed(line.register, ")"))
        line.expect("then")
        target = line.name()
        line.expect("again")
        return ins.Await(guards, target, line.name(), span=span)
    if line.accept("suspend"):
        line.expect("then")
        return ins.Suspend(line.name(), span=span)
    return None


def _switch(line: Line) -> Terminator:
    value = line.register()
    line.expect("{")
    cases: list[tuple[int, str]] = []
    while not line.accept("default"):
        number = line.integer()
        line.expect(":")
        cases.append((number, line.name()))
        line.expect(",")
    line.expect(":")
    default = line.name()
    line.expect("}")
    return ins.Switch(value, tuple(cases), default, span=line.span)


def _beginning_with_register(line: Line) -> Instruction | Terminator:
    span = line.span
    first = line.register()
    if line.accept("."):
        name = line.name()
        line.expect("=")
        return ins.SetField(first, name, line.register(), span=span)
    if line.accept("["):
        index = line.register()
        line.expect("]")
        line.expect("=")
        return ins.SetItem(first, index, line.register(), span=span)
    line.expect("=")
    if line.peek().kind == "register":
        return _from_register(line, first)
    return _from_word(line, first)


def _from_register(line: Line, dst: Reg) -> Instruction:
    """`dst = register ...`"""
    span = line.span
    left = line.register()
    if line.empty:
        return ins.Move(dst, left, span=span)
    if line.accept("."):
        name = line.name()
        if line.next_is("("):
            return ins.CallVirtual(dst, left, name, *_arguments(line), span=span)
        return ins.GetField(dst, left, name, span=span)
    if line.accept("["):
        index = line.register()
        line.expect("]")
        return ins.GetItem(dst, left, index, span=span)
    if line.next_is("("):
        return ins.CallValue(dst, left, *_arguments(line), span=span)
    if line.accept("!"):
        return _spawn(line, dst, left)
    if line.accept("isa"):
        line.expect("[")
        return ins.TypeTest(dst, left, tuple(line.listed(line.type, "]")), span=span)
    if line.accept("matches"):
        constructor = line.name()
        among = _names(line) if line.accept("among") else ()
        return ins.Matches(dst, left, constructor, among, span=span)
    if line.next_is("is", "in", "not"):
        return ins.Compare(dst, _word_comparison(line), left, line.register(), span=span)
    for op in _SYMBOL_COMPARISONS:
        if line.accept(op):
            return ins.Compare(dst, op, left, line.register(), span=span)
    for op in ins.BINARY_OPS:
        if line.accept(op):
            return ins.Binary(dst, op, left, line.register(), line.accept("inplace"), span=span)
    raise line.error(f"unknown operator {line.peek().text!r}")


def _word_comparison(line: Line) -> str:
    if line.accept("is"):
        return "is not" if line.accept("not") else "is"
    if line.accept("in"):
        return "in"
    line.expect("not")
    line.expect("in")
    return "not in"


def _from_word(line: Line, dst: Reg) -> Instruction | Terminator:
    """`dst = word ...`"""
    span = line.span
    word = line.peek()
    for op in ins.UNARY_OPS:
        if line.accept(op):
            return ins.Unary(dst, op, line.register(), span=span)
    for kind in ins.COLLECTIONS:
        if line.accept(kind):
            return ins.NewCollection(dst, kind, _items(line), span=span)
    line.place += 1
    match word.text:
        case "const":
            return ins.Const(dst, line.constant(), span=span)
        case "unary":
            return ins.Unary(dst, line.string(), line.register(), span=span)
        case "binary":
            op, left, right = line.string(), line.register(), line.register()
            return ins.Binary(dst, op, left, right, line.accept("inplace"), span=span)
        case "compare":
            return ins.Compare(dst, line.string(), line.register(), line.register(), span=span)
        case "collection":
            return ins.NewCollection(dst, line.string(), _items(line), span=span)
        case "new":
            return ins.NewObject(dst, line.name(), span=span)
        case "array":
            element = line.type()
            line.expect("of")
            return ins.NewArray(dst, element, line.register(), span=span)
        case "actor":
            cls = line.name()
            return ins.NewActor(dst, cls, line.register() if line.accept("beside") else None, span=span)
        case "construct":
            return ins.Construct(dst, line.name(), _plain_arguments(line, "a constructor"), span=span)
        case "argument":
            return _argument(line, dst)
        case "static":
            return ins.GetStatic(dst, *line.member(), span=span)
        case "length":
            return ins.Length(dst, line.register(), span=span)
        case "cast":
            obj = line.register()
            line.expect("to")
            return ins.Cast(dst, obj, line.type(), span=span)
        case "call":
            return ins.CallStatic(dst, *line.member(), *_arguments(line), span=span)
        case "native":
            return ins.CallNative(dst, line.name(), *_arguments(line), span=span)
        case "get":
            future = line.register()
            line.expect("then")
            return ins.Get(dst, future, line.name(), span=span)
        case _:
            raise line.error(f"unknown instruction {word.text!r}", word)


def _items(line: Line) -> tuple[Reg, ...]:
    line.expect("[")
    return tuple(line.listed(line.register, "]"))


def _spawn(line: Line, dst: Reg, receiver: Reg) -> Instruction:
    name = line.name()
    return ins.Spawn(dst, receiver, name, _plain_arguments(line, "an asynchronous call"), span=line.span)


def _argument(line: Line, dst: Reg) -> Instruction:
    index = line.integer()
    line.expect("of")
    constructor = line.name()
    line.expect("in")
    return ins.Argument(dst, line.register(), constructor, index, span=line.span)


def _names(line: Line) -> tuple[str, ...]:
    line.expect("{")
    return tuple(line.listed(line.name, "}"))


def _plain_arguments(line: Line, what: str) -> tuple[Reg, ...]:
    args, keywords = _arguments(line)
    if keywords:
        raise line.error(f"{what} takes no keywords")
    return args


def _arguments(line: Line) -> tuple[tuple[Reg, ...], Keywords]:
    line.expect("(")
    args: list[Reg] = []
    keywords: list[tuple[str, Reg]] = []

    def argument() -> None:
        if line.peek().kind == "register":
            if keywords:
                raise line.error("a positional argument after a keyword")
            args.append(line.register())
        else:
            name = line.name()
            line.expect("=")
            keywords.append((name, line.register()))

    line.listed(argument, ")")
    return tuple(args), tuple(keywords)
