"""Reads the text form of programs; whatever is malformed is reported with its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from everypath.errors import Span
from everypath.ir.instructions import Block, ConstValue, Handler, Instruction, Label, Param, Terminator
from everypath.ir.lexer import Line
from everypath.ir.parse_instruction import parse_instruction
from everypath.ir.program import Class, Constructor, Data, Field, Method, Profile, Program
from everypath.ir.types import Type
from everypath.records import dataclass, field, fields

_T = TypeVar("_T")
_PROFILE_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int | None": (int, type(None)),
}


def parse_program(text: str, file: str = "<text>") -> Program:
    """The program that `print_program` printed as this text; `BadInput` names the line of a mistake."""
    parser = _Parser()
    number = 0
    for number, content in enumerate(text.split("\n"), start=1):
        line = Line(file, number, content)
        if not line.empty:
            parser.line(line)
    return parser.finish(Line(file, number, ""))


@dataclass(slots=True)
class _MethodText:
    """A method while its lines are read."""

    cls: str
    name: str
    params: tuple[Param, ...]
    returns: Type
    kind: str
    model: bool
    span: Span
    registers: int | None = None
    names: dict[int, str] = field(default_factory=dict)
    entry: Label | None = None
    handlers: list[Handler] = field(default_factory=list)
    blocks: dict[Label, Block] = field(default_factory=dict)
    label: Label | None = None
    pending: list[Instruction] = field(default_factory=list)


class _Parser:
    def __init__(self) -> None:
        self.profile_name: str | None = None
        self.profile: dict[str, ConstValue] = {}
        self.data: dict[str, Data] = {}
        self.open_data: Data | None = None
        self.classes: dict[str, Class] = {}
        self.cls: Class | None = None
        self.method: _MethodText | None = None

    def line(self, line: Line) -> None:
        label = line.peek(1).text == ":"
        if line.next_is("class") and not label:
            self.close_method(line)
            self.start_class(line)
        elif self.cls is None and line.next_is("data"):
            self.start_data(line)
        elif self.cls is None and self.open_data is not None:
            self.data_line(line, self.open_data)
        elif self.cls is None:
            self.profile_line(line)
        elif line.next_is("method") and not label:
            self.close_method(line)
            self.start_method(line)
        elif self.method is None:
            self.class_line(line, self.cls)
        else:
            self.method_line(line, self.method)

    def finish(self, line: Line) -> Program:
        self.close_method(line)
        if self.profile_name is None:
            raise line.error("a program begins with its language profile")
        required = fields(Profile)[1 : len(fields(Profile)) - len(Profile.__init__.__defaults__ or ())]
        missing = [f.name for f in required if f.name not in self.profile]
        if missing:
            raise line.error(f"the profile lacks {', '.join(missing)}")
        return Program(Profile(self.profile_name, **self.profile), self.classes, self.data)  # type: ignore[arg-type]

    def profile_line(self, line: Line) -> None:
        if self.profile_name is None:
            line.expect("profile")
            self.profile_name = line.name()
            line.end()
            return
        allowed = {f.name: _PROFILE_TYPES[str(f.type)] for f in fields(Profile) if f.name != "name"}
        start = line.peek()
        name = line.name()
        if name not in allowed or name in self.profile:
            raise line.error(f"{name} is {'given twice' if name in self.profile else 'not part of a profile'}", start)
        value = line.constant()
        if type(value) not in allowed[name]:
            raise line.error(f"wrong kind of value for {name}", start)
        self.profile[name] = value
        line.end()

    def start_data(self, line: Line) -> None:
        line.expect("data")
        if self.profile_name is None:
            raise line.error("a program begins with its language profile")
        name = _fresh(line, self.data, "data type")
        parameters = line.listed(line.name, ")") if line.accept("(") else []
        line.end()
        self.open_data = self.data[name] = Data(name, tuple(parameters), {})

    def data_line(self, line: Line, data: Data) -> None:
        line.expect("constructor")
        name = _fresh(line, data.constructors, "constructor")
        line.expect("(")
        data.constructors[name] = tuple(line.listed(line.type, ")"))
        line.end()

    def start_class(self, line: Line) -> None:
        line.expect("class")
        token = line.peek()
        name = line.name()
        if self.profile_name is None:
            raise line.error("a program begins with its language profile", token)
        if name in self.classes:
            raise line.error(f"second class {name}", token)
        self.cls = Class(name, span=line.span)
        if line.accept("("):
            self.cls.bases = tuple(line.listed(line.name, ")"))
        if line.accept("module"):
            self.cls.module = line.name()
        self.cls.abstract = line.accept("abstract")
        self.cls.external = line.accept("external")
        self.cls.model = line.accept("model")
        line.end()
        self.classes[name] = self.cls

    def class_line(self, line: Line, cls: Class) -> None:
        if line.accept("field"):
            name = _fresh(line, cls.fields, "field")
            line.expect(":")
            cls.fields[name] = Field(name, line.type(), line.span)
        elif line.accept("static"):
            name = _fresh(line, cls.statics, "static")
            line.expect("=")
            cls.statics[name] = line.name()
        elif line.accept("setter"):
            name = _fresh(line, cls.setters, "setter")
            line.expect("=")
            cls.setters[name] = line.name()
        elif line.accept("members"):
            line.expect("(")
            cls.members = tuple(line.listed(line.name, ")"))
        elif line.next_is("flags"):
            cls.flags = _mapping(line, "flags", line.integer)
        elif line.accept("keys"):
            line.expect("(")
            cls.keys = tuple(line.listed(line.param, ")"))
        elif line.accept("constructor"):
            if cls.constructor is not None:
                raise line.error("second constructor")
            line.expect("(")
            params = tuple(line.listed(line.param, ")"))
            sets = _mapping(line, "sets", line.name)
            cls.constructor = Constructor(params, sets, _mapping(line, "constants", line.constant))
        else:
            raise line.error(f"expected field, static, setter, constructor or method, found {line.peek().text!r}")
        line.end()

    def start_method(self, line: Line) -> None:
        line.expect("method")
        token = line.peek()
        cls, name = line.member()
        assert self.cls is not None
        if name in self.cls.methods:
            raise line.error(f"second method {name}", token)
        line.expect("(")
        params = tuple(line.listed(line.param, ")"))
        line.expect("->")
        returns = line.type()
        kind = line.name()
        model = line.accept("model")
        line.end()
        self.method = _MethodText(cls, name, params, returns, kind, model, line.span)

    def method_line(self, line: Line, method: _MethodText) -> None:
        if line.peek(1).text == ":" and line.peek().kind in ("name", "string"):
            self.close_block(line)
            method.label = _fresh(line, method.blocks, "block")
            line.expect(":")
        elif method.label is not None:
            instruction = parse_instruction(line)
            if isinstance(instruction, Terminator):
                method.blocks[method.label] = Block(method.label, tuple(method.pending), instruction)
                method.label, method.pending = None, []
            else:
                method.pending.append(instruction)
        elif method.blocks:
            raise line.error("the block has ended; a label must follow")
        elif line.accept("registers"):
            method.registers = line.integer()
            if line.accept("("):
                method.names = dict(line.listed(lambda: (line.integer(), line.name()), ")"))
        elif line.accept("entry"):
            method.entry = line.name()
        elif line.accept("handler"):
            line.expect("{")
            blocks = frozenset(line.listed(line.name, "}"))
            line.expect("->")
            target = line.name()
            line.expect("catching")
            method.handlers.append(Handler(blocks, target, line.register()))
        else:
            raise line.error(f"expected registers, entry, handler or a label, found {line.peek().text!r}")
        line.end()

    def close_block(self, line: Line) -> None:
        if self.method is not None and self.method.label is not None:
            raise line.error(f"block {self.method.label} has no terminator")

    def close_method(self, line: Line) -> None:
        method = self.method
        if method is None:
            return
        self.close_block(line)
        if method.registers is None or method.entry is None:
            raise line.error(f"method {method.cls}::{method.name} lacks its registers or entry line")
        assert self.cls is not None
        self.cls.methods[method.name] = Method(
            cls=method.cls,
            name=method.name,
            params=method.params,
            blocks=method.blocks,
            entry=method.entry,
            registers=method.registers,
            returns=method.returns,
            handlers=tuple(method.handlers),
            kind=method.kind,
            model=method.model,
            register_names=method.names,
            span=method.span,
        )
        self.method = None


def _fresh(line: Line, existing: Mapping[str, object], what: str) -> str:
    token = line.peek()
    name = line.name()
    if name in existing:
        raise line.error(f"second {what} {name}", token)
    return name


def _mapping(line: Line, word: str, value: Callable[[], _T]) -> dict[str, _T]:
    line.expect(word)
    line.expect("{")

    def entry() -> tuple[str, _T]:
        name = line.name()
        line.expect(":")
        return name, value()

    return dict(line.listed(entry, "}"))
