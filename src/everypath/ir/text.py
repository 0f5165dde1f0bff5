"""Prints programs, one line per instruction; `parse_program` reads the same text back without loss."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from everypath.errors import NOWHERE, Span
from everypath.ir import instructions as ins
from everypath.ir.faults import Fault
from everypath.ir.instructions import ConstValue, Instruction, NoDefault, Param, Reg, StaticDefault, Terminator
from everypath.ir.parse import parse_program
from everypath.ir.program import Class, Constructor, Data, Method, Profile, Program
from everypath.ir.types import (
    SCALARS,
    AnyType,
    ArrayType,
    ClassType,
    DataType,
    DictType,
    FutureType,
    ListType,
    MemberType,
    RecordType,
    Scalar,
    SetType,
    TupleType,
    Type,
    TypeParameter,
    UnionType,
)
from everypath.records import fields

__all__ = ["parse_program", "print_method", "print_program"]

_WORD = re.compile(r"[^\W\d]\w*")
_BARE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_BARE_FILE = re.compile(r"[\w./+-]+")
_TYPE_WORDS = {
    *SCALARS,
    "any",
    "list",
    "array",
    "set",
    "frozenset",
    "dict",
    "tuple",
    "union",
    "scalar",
    "data",
    "future",
    "parameter",
    "member",
    "record",
}
_HEX_BITS = 128


def print_program(program: Program, *, spans: bool = True, faults: Iterable[Fault] = ()) -> str:
    """The whole program; faults appear as comments below what they are about."""
    return "\n".join(_Printer(spans, faults).program(program)) + "\n"


def print_method(method: Method, *, spans: bool = True, faults: Iterable[Fault] = ()) -> str:
    """One method as it appears in its class; faults appear as comments below what they are about."""
    return "\n".join(_Printer(spans, faults).method(method)) + "\n"


class _Printer:
    def __init__(self, spans: bool, faults: Iterable[Fault]) -> None:
        self.spans = spans
        self.faults: dict[tuple[str, str, int | None], list[Fault]] = {}
        for fault in faults:
            self.faults.setdefault((fault.method, fault.block, fault.index), []).append(fault)
        self.names: dict[int, str] = {}

    def program(self, program: Program) -> Iterator[str]:
        yield f"profile {_name(program.profile.name)}"
        for field in fields(Profile):
            value = getattr(program.profile, field.name)
            if field.name != "name" and value != field.default:
                yield f"  {field.name} {_constant(value)}"
        for data in program.data.values():
            yield ""
            yield from self.data(data)
        for cls in program.classes.values():
            yield ""
            yield from self.cls(cls)

    def data(self, data: Data) -> Iterator[str]:
        parameters = f"({', '.join(map(_name, data.parameters))})" if data.parameters else ""
        yield f"data {_name(data.name)}{parameters}"
        yield from self.comments(data.name, "", None, 1)
        for constructor, arguments in data.constructors.items():
            yield f"  constructor {_name(constructor)}({', '.join(map(_type, arguments))})"

    def cls(self, cls: Class) -> Iterator[str]:
        flags = [word for word in ("abstract", "external", "model") if getattr(cls, word)]
        module = [f"module {_name(cls.module)}"] if cls.module else []
        bases = f"({', '.join(map(_name, cls.bases))})" if cls.bases else ""
        yield self.line(0, " ".join([f"class {_name(cls.name)}{bases}", *module, *flags]), cls.span)
        yield from self.comments(cls.name, "", None, 1)
        for field in cls.fields.values():
            yield self.line(1, f"field {_name(field.name)}: {_type(field.type)}", field.span)
        for static, initialiser in cls.statics.items():
            yield f"  static {_name(static)} = {_name(initialiser)}"
        for prop, setter in cls.setters.items():
            yield f"  setter {_name(prop)} = {_name(setter)}"
        if cls.members:
            yield f"  members ({', '.join(map(_name, cls.members))})"
        if cls.flags:
            yield f"  flags {{{', '.join(f'{_name(flag)}: {_constant(bits)}' for flag, bits in cls.flags.items())}}}"
        if cls.keys is not None:
            yield f"  keys ({_params(cls.keys)})"
        if cls.constructor is not None:
            yield f"  constructor {_constructor(cls.constructor)}"
        for method in cls.methods.values():
            yield from self.method(method)

    def method(self, method: Method) -> Iterator[str]:
        self.names = method.register_names
        head = f"method {_name(method.cls)}::{_name(method.name)}({_params(method.params)}) -> {_type(method.returns)}"
        head += f" {_name(method.kind)}" + (" model" if method.model else "")
        yield self.line(1, head, method.span)
        yield from self.comments(method.qualified, "", None, 2)
        names = ", ".join(f"{number} {_name(name)}" for number, name in method.register_names.items())
        yield f"    registers {method.registers}" + (f" ({names})" if names else "")
        yield f"    entry {_name(method.entry)}"
        for handler in method.handlers:
            blocks = ", ".join(_name(label) for label in sorted(handler.blocks))
            yield f"    handler {{{blocks}}} -> {_name(handler.target)} catching {self.register(handler.exception)}"
        for label, block in method.blocks.items():
            yield f"  {_name(label)}:"
            yield from self.comments(method.qualified, label, None, 2)
            for index, instruction in enumerate((*block.instructions, block.terminator)):
                yield self.line(2, self.instruction(instruction), instruction.span)
                yield from self.comments(method.qualified, label, index, 2)

    def line(self, depth: int, text: str, span: Span) -> str:
        suffix = f"  {_span(span)}" if self.spans and span != NOWHERE else ""
        return f"{'  ' * depth}{text}{suffix}"

    def comments(self, method: str, block: str, index: int | None, depth: int) -> Iterator[str]:
        for fault in self.faults.get((method, block, index), ()):
            message = " ".join(fault.message.splitlines())
            yield f"{'  ' * depth}# fault: {message}"

    def register(self, register: Reg) -> str:
        name = self.names.get(register, "")
        return f"{name}%{register}" if _WORD.fullmatch(name) else f"%{register}"

    def registers(self, registers: Iterable[Reg]) -> str:
        return ", ".join(map(self.register, registers))

    def arguments(self, args: tuple[Reg, ...], keywords: ins.Keywords = ()) -> str:
        given = [self.register(register) for register in args]
        given += [f"{_name(name)}={self.register(register)}" for name, register in keywords]
        return f"({', '.join(given)})"

    def instruction(self, instruction: Instruction | Terminator) -> str:
        r = self.register
        match instruction:
            case ins.SetField(obj, name, value):
                return f"{r(obj)}.{_name(name)} = {r(value)}"
            case ins.DelField(obj, name):
                return f"del {r(obj)}.{_name(name)}"
            case ins.SetStatic(cls, name, value):
                return f"static {_name(cls)}::{_name(name)} = {r(value)}"
            case ins.SetItem(obj, index, value):
                return f"{r(obj)}[{r(index)}] = {r(value)}"
            case ins.DelItem(obj, index):
                return f"del {r(obj)}[{r(index)}]"
            case ins.EnterLoop(loop):
                return f"enter {loop}"
            case ins.Iterate(loop, counted):
                return f"iterate {loop}" + (" counted" if counted else "")
            case ins.Jump(target):
                return f"jump {_name(target)}"
            case ins.Branch(cond, if_true, if_false):
                return f"branch {r(cond)} ? {_name(if_true)} : {_name(if_false)}"
            case ins.Switch(value, cases, default):
                listed = "".join(f"{number}: {_name(label)}, " for number, label in cases)
                return f"switch {r(value)} {{{listed}default: {_name(default)}}}"
            case ins.Return(value):
                return f"return {r(value)}"
            case ins.Throw(exception):
                return f"throw {r(exception)}"
            case ins.Await(guards, target, again):
                return f"await ({self.registers(guards)}) then {_name(target)} again {_name(again)}"
            case ins.Get(dst, future, target):
                return f"{r(dst)} = get {r(future)} then {_name(target)}"
            case ins.Suspend(target):
                return f"suspend then {_name(target)}"
            case _:
                return f"{r(instruction.dst)} = {self.value(instruction)}"

    def value(self, instruction: Instruction) -> str:
        """What an instruction computes, without the register that receives it."""
        r = self.register
        match instruction:
            case ins.Const(value=value):
                return f"const {_constant(value)}"
            case ins.Move(src=src):
                return r(src)
            case ins.Unary(op=op, operand=operand):
                return f"{op} {r(operand)}" if op in ins.UNARY_OPS else f"unary {_quoted(op)} {r(operand)}"
            case ins.Binary(op=op, left=left, right=right, inplace=inplace):
                if op not in ins.BINARY_OPS:
                    text = f"binary {_quoted(op)} {r(left)} {r(right)}"
                else:
                    text = f"{r(left)} {op} {r(right)}"
                return text + (" inplace" if inplace else "")
            case ins.Compare(op=op, left=left, right=right):
                if op not in ins.COMPARE_OPS:
                    return f"compare {_quoted(op)} {r(left)} {r(right)}"
                return f"{r(left)} {op} {r(right)}"
            case ins.NewObject(cls=cls):
                return f"new {_name(cls)}"
            case ins.NewArray(element=element, length=length):
                return f"array {_type(element)} of {r(length)}"
            case ins.NewCollection(kind=kind, items=items):
                word = kind if kind in ins.COLLECTIONS else f"collection {_quoted(kind)}"
                return f"{word} [{self.registers(items)}]"
            case ins.GetField(obj=obj, name=name):
                return f"{r(obj)}.{_name(name)}"
            case ins.GetStatic(cls=cls, name=name):
                return f"static {_name(cls)}::{_name(name)}"
            case ins.GetItem(obj=obj, index=index):
                return f"{r(obj)}[{r(index)}]"
            case ins.Length(obj=obj):
                return f"length {r(obj)}"
            case ins.TypeTest(obj=obj, types=types):
                return f"{r(obj)} isa [{', '.join(map(_type, types))}]"
            case ins.Cast(obj=obj, type=type_):
                return f"cast {r(obj)} to {_type(type_)}"
            case ins.CallStatic(cls=cls, name=name, args=args, keywords=keywords):
                return f"call {_name(cls)}::{_name(name)}{self.arguments(args, keywords)}"
            case ins.CallVirtual(receiver=receiver, name=name, args=args, keywords=keywords):
                return f"{r(receiver)}.{_name(name)}{self.arguments(args, keywords)}"
            case ins.CallNative(name=name, args=args, keywords=keywords):
                return f"native {_name(name)}{self.arguments(args, keywords)}"
            case ins.CallValue(function=function, args=args, keywords=keywords):
                return f"{r(function)}{self.arguments(args, keywords)}"
            case ins.Spawn(receiver=receiver, name=name, args=args):
                return f"{r(receiver)}!{_name(name)}{self.arguments(args)}"
            case ins.NewActor(cls=cls, beside=beside):
                return f"actor {_name(cls)}" + ("" if beside is None else f" beside {r(beside)}")
            case ins.Construct(constructor=constructor, args=args):
                return f"construct {_name(constructor)}{self.arguments(args)}"
            case ins.Matches(value=value, constructor=constructor, among=among):
                listed = f" among {{{', '.join(map(_name, among))}}}" if among else ""
                return f"{r(value)} matches {_name(constructor)}{listed}"
            case ins.Argument(value=value, constructor=constructor, index=index):
                return f"argument {index} of {_name(constructor)} in {r(value)}"
            case _:
                return f"<{type(instruction).__name__}>"


def _quoted(text: str) -> str:
    return json.dumps(text)


def _name(text: str) -> str:
    return text if _BARE.fullmatch(text) else _quoted(text)


def _span(span: Span) -> str:
    file = span.file if _BARE_FILE.fullmatch(span.file) else _quoted(span.file)
    return f"@{file}:{span.line}:{span.column}"


def _constant(value: ConstValue) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case int():
            # Past a few thousand digits the interpreter refuses to print decimals, and nobody reads them.
            return hex(value) if value.bit_length() > _HEX_BITS else str(value)
        case float():
            return f"float {value!r}"
        case str():
            return _quoted(value)
        case bytes():
            return f"bytes {_quoted(value.hex())}"
        case ins.ClassRef(name):
            return f"class {_name(name)}"
        case ins.FunctionRef(cls, name):
            return f"function {_name(cls)}::{_name(name)}"
        case ins.NativeRef(name):
            return f"native {_name(name)}"


def _type(type_: Type) -> str:
    match type_:
        case Scalar(name):
            return name if name in SCALARS else f"scalar[{_quoted(name)}]"
        case AnyType():
            return "any"
        case ClassType(name, arguments):
            written = _quoted(name) if name in _TYPE_WORDS else _name(name)
            return f"{written}[{', '.join(map(_type, arguments))}]" if arguments else written
        case MemberType(name):
            return f"member {_name(name)}"
        case RecordType(name):
            return f"record {_name(name)}"
        case UnionType(options):
            if len(options) < 2:
                return f"union[{', '.join(map(_type, options))}]"
            return " | ".join(f"({_type(o)})" if isinstance(o, UnionType) else _type(o) for o in options)
        case ListType(element):
            return f"list[{_type(element)}]"
        case ArrayType(element):
            return f"array[{_type(element)}]"
        case SetType(element, frozen):
            return f"{'frozenset' if frozen else 'set'}[{_type(element)}]"
        case DictType(key, value):
            return f"dict[{_type(key)}, {_type(value)}]"
        case TupleType(elements, rest):
            parts = [*map(_type, elements)] + ([] if rest is None else [f"*{_type(rest)}"])
            return f"tuple[{', '.join(parts)}]"
        case DataType(name, arguments, only):
            text = f"data {_name(name)}"
            text += f"[{', '.join(map(_type, arguments))}]" if arguments else ""
            return text + (f"{{{', '.join(map(_name, only))}}}" if only else "")
        case TypeParameter(name):
            return f"parameter {_name(name)}"
        case FutureType(result):
            return f"future[{_type(result)}]"


def _params(params: tuple[Param, ...]) -> str:
    return ", ".join(map(_param, params))


def _param(param: Param) -> str:
    kind = "" if param.kind == "normal" else f"{_name(param.kind)} "
    match param.default:
        case NoDefault():
            default = ""
        case StaticDefault(cls, name):
            default = f" = static {_name(cls)}::{_name(name)}"
        case value:
            default = f" = {_constant(value)}"
    return f"{kind}{_name(param.name)}: {_type(param.type)}{default}"


def _constructor(constructor: Constructor) -> str:
    sets = ", ".join(f"{_name(param)}: {_name(field)}" for param, field in constructor.sets.items())
    constants = ", ".join(f"{_name(field)}: {_constant(value)}" for field, value in constructor.constants.items())
    return f"({_params(constructor.params)}) sets {{{sets}}} constants {{{constants}}}"
