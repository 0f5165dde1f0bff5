"""Cuts a line of the text form into tokens and reads names, numbers, constants, types and parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TypeVar

from everypath.errors import NOWHERE, BadInput, Span
from everypath.ir.instructions import (
    NO_DEFAULT,
    ClassRef,
    ConstValue,
    FunctionRef,
    NativeRef,
    NoDefault,
    Param,
    Reg,
    StaticDefault,
)
from everypath.ir.types import (
    ANY,
    SCALARS,
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
from everypath.records import dataclass

_T = TypeVar("_T")
_TOKEN = re.compile(
    r"""[ \t]*(?:
      (?P<comment>\#.*)
    | (?P<span>@(?:[\w./+-]+|"(?:[^"\\]|\\.)*"):-?\d+:-?\d+[ \t]*$)
    | (?P<register>(?:[^\W\d]\w*)?%-?\d+)
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<float>-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+))
    | (?P<int>-?(?:0x[0-9a-f]+|\d+))
    | (?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)
    | (?P<sign>::|->|==|!=|<=|>=|//|\*\*|<<|>>|[-+*/%&|^@~<>=()\[\]{},:.!?])
    )[ \t]*""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a line; `column` counts from one."""

    kind: str
    text: str
    column: int


class Line:
    """One line of text with a reading position; every mistake becomes `BadInput` with line and column."""

    def __init__(self, file: str, number: int, text: str) -> None:
        self.file = file
        self.number = number
        self.tokens: list[Token] = []
        self.place = 0
        self.span = NOWHERE
        self._width = len(text)
        position = 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None:
                raise BadInput(f"cannot read {text[position:].strip()[:20]!r}", Span(file, number, position + 1))
            kind = match.lastgroup or ""
            token = Token(kind, match[kind], match.start(kind) + 1)
            if kind == "span":
                self.span = self._read_span(token)
            elif kind != "comment":
                self.tokens.append(token)
            position = match.end()

    @property
    def empty(self) -> bool:
        """Whether nothing is left but the source position."""
        return self.place == len(self.tokens)

    def error(self, message: str, token: Token | None = None) -> BadInput:
        """The error for the next token, or for the given one."""
        if token is None and not self.empty:
            token = self.tokens[self.place]
        return BadInput(message, Span(self.file, self.number, token.column if token else self._width + 1))

    def _unexpected(self, wanted: str) -> BadInput:
        found = "the end of the line" if self.empty else repr(self.tokens[self.place].text)
        return self.error(f"expected {wanted}, found {found}")

    def peek(self, ahead: int = 0) -> Token:
        """The next token, without taking it."""
        place = self.place + ahead
        return self.tokens[place] if place < len(self.tokens) else Token("end", "", self._width + 1)

    def next_is(self, *texts: str) -> bool:
        """Whether the next token is one of these words or signs; a quoted name never is."""
        token = self.peek()
        return token.kind in ("name", "sign") and token.text in texts

    def accept(self, text: str) -> bool:
        """Take the word or sign if it is next."""
        if self.next_is(text):
            self.place += 1
            return True
        return False

    def expect(self, text: str) -> None:
        """Take the word or sign, which must be next."""
        if not self.accept(text):
            raise self._unexpected(repr(text))

    def end(self) -> None:
        """Nothing may be left."""
        if not self.empty:
            raise self._unexpected("the end of the line")

    def _take(self, kind: str, wanted: str) -> str:
        token = self.peek()
        if token.kind != kind:
            raise self._unexpected(wanted)
        self.place += 1
        return token.text

    def name(self) -> str:
        """A bare or quoted name."""
        return self.string() if self.peek().kind == "string" else self._take("name", "a name")

    def string(self) -> str:
        """A quoted string."""
        token = self.peek()
        self._take("string", "a quoted string")
        return self._unquote(token)

    def _unquote(self, token: Token) -> str:
        try:
            text = json.loads(token.text)
        except ValueError:
            raise self.error(f"bad quoted string {token.text}", token) from None
        assert isinstance(text, str)
        return text

    def integer(self) -> int:
        """A decimal or hexadecimal integer."""
        token = self.peek()
        try:
            return int(self._take("int", "an integer"), 0)
        except ValueError:
            raise self.error(f"bad integer {token.text[:20]}", token) from None

    def register(self) -> Reg:
        """A register; a name before its number is only for the reader."""
        return int(self._take("register", "a register").partition("%")[2])

    def listed(self, item: Callable[[], _T], closing: str) -> list[_T]:
        """Items separated by commas up to the closing bracket, which is taken too."""
        found: list[_T] = []
        while not self.accept(closing):
            if found:
                self.expect(",")
            found.append(item())
        return found

    def member(self) -> tuple[str, str]:
        """`Class::name`"""
        cls = self.name()
        self.expect("::")
        return cls, self.name()

    def constant(self) -> ConstValue:
        """The value of a constant."""
        kind = self.peek().kind
        if kind == "int":
            return self.integer()
        if kind == "string":
            return self.string()
        word = self._take("name", "a constant")
        match word:
            case "none":
                return None
            case "true" | "false":
                return word == "true"
            case "float":
                return self._float()
            case "bytes":
                return self._bytes()
            case "class":
                return ClassRef(self.name())
            case "function":
                return FunctionRef(*self.member())
            case "native":
                return NativeRef(self.name())
            case _:
                raise self.error(f"expected a constant, found {word!r}", self.tokens[self.place - 1])

    def _float(self) -> float:
        if self.peek().kind == "float":
            return float(self._take("float", "a number"))
        sign = -1.0 if self.accept("-") else 1.0
        for text in ("inf", "nan"):
            if self.accept(text):
                return sign * float(text)
        raise self._unexpected("a number with a fraction or exponent")

    def _bytes(self) -> bytes:
        token = self.peek()
        try:
            return bytes.fromhex(self.string())
        except ValueError:
            raise self.error("bytes are given in hexadecimal", token) from None

    def type(self) -> Type:
        """A type; `|` separates the options of a union."""
        options = [self._single_type()]
        while self.accept("|"):
            options.append(self._single_type())
        return options[0] if len(options) == 1 else UnionType(tuple(options))

    def _single_type(self) -> Type:
        if self.accept("("):
            inner = self.type()
            self.expect(")")
            return inner
        if self.peek().kind == "string":
            return self._class_type(self.string())
        word = self._take("name", "a type")
        if word in SCALARS:
            return SCALARS[word]
        match word:
            case "any":
                return ANY
            case "data":
                return self._data_type()
            case "parameter":
                return TypeParameter(self.name())
            case "member":
                return MemberType(self.name())
            case "record":
                return RecordType(self.name())
            case "list" | "array" | "set" | "frozenset" | "dict" | "tuple" | "union" | "scalar" | "future":
                self.expect("[")
                return self._bracketed_type(word)
            case _:
                return self._class_type(word)

    def _class_type(self, name: str) -> ClassType:
        return ClassType(name, tuple(self.listed(self.type, "]")) if self.accept("[") else ())

    def _bracketed_type(self, word: str) -> Type:
        result: Type
        match word:
            case "tuple":
                return self._tuple_type()
            case "union":
                return UnionType(tuple(self.listed(self.type, "]")))
            case "scalar":
                result = Scalar(self.string())
            case "list":
                result = ListType(self.type())
            case "array":
                result = ArrayType(self.type())
            case "set":
                result = SetType(self.type())
            case "frozenset":
                result = SetType(self.type(), frozen=True)
            case "future":
                result = FutureType(self.type())
            case _:
                key = self.type()
                self.expect(",")
                result = DictType(key, self.type())
        self.expect("]")
        return result

    def _data_type(self) -> Type:
        name = self.name()
        arguments = self.listed(self.type, "]") if self.accept("[") else []
        only = self.listed(self.name, "}") if self.accept("{") else []
        return DataType(name, tuple(arguments), tuple(only))

    def _tuple_type(self) -> Type:
        elements: list[Type] = []
        while not self.accept("]"):
            if elements:
                self.expect(",")
            if self.accept("*"):
                rest = self.type()
                self.expect("]")
                return TupleType(tuple(elements), rest)
            elements.append(self.type())
        return TupleType(tuple(elements))

    def param(self) -> Param:
        """A parameter: kind unless normal, name, type, default."""
        first = self.name()
        kind, name = ("normal", first) if self.next_is(":") else (first, self.name())
        self.expect(":")
        type_ = self.type()
        default: ConstValue | StaticDefault | NoDefault = NO_DEFAULT
        if self.accept("="):
            default = StaticDefault(*self.member()) if self.accept("static") else self.constant()
        return Param(name, type_, kind, default)

    def _read_span(self, token: Token) -> Span:
        file, line, column = token.text[1:].strip().rsplit(":", 2)
        if file.startswith('"'):
            file = self._unquote(Token("string", file, token.column))
        return Span(file, int(line), int(column))
