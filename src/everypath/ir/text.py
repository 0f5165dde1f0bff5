"""Prints programs, one line for each instruction; the tests read the same text back without loss."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from everypath.errors import NOWHERE, Span
from everypath.ir import instructions as ins
from everypath.ir.forms import FORMS, TYPE_WORDS
from everypath.ir.instructions import ConstValue, Reg, StaticDefault
from everypath.ir.program import METHOD_KINDS, PARAM_KINDS, Class, Data, Fault, Method, Profile, Program
from everypath.ir.types import SCALARS, Scalar, Type, UnionType
from everypath.records import fields

_WORD = re.compile(r"[^\W\d]\w*")
_BARE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_BARE_FILE = re.compile(r"[\w./+-]+")
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
        # How to write each kind of hole in a form; two fields that are written together arrive as two arguments.
        self.kinds: dict[str, Callable[..., str]] = {
            "register": self.register,
            "registers": _listed(self.register),
            "arguments": self.arguments,
            "name": _name,
            "class": _name,
            "variant": _name,
            "names": _listed(_name),
            "labels": lambda labels: _listed(_name)(sorted(labels)),
            "integer": str,
            "type": self.type,
            "types": _listed(self.type),
            "elements": self.elements,
            "constant": self.constant,
            "default": self.constant,
            "cases": lambda cases: "".join(f"{number}: {_name(label)}, " for number, label in cases),
            "params": _listed(self.form),
            "renamings": lambda pairs: ", ".join(f"{_name(key)}: {_name(value)}" for key, value in pairs.items()),
            "settings": lambda pairs: ", ".join(f"{_name(k)}: {self.constant(value)}" for k, value in pairs.items()),
            "unary": _one_of(ins.UNARY_OPS),
            "binary": _one_of(ins.BINARY_OPS),
            "compare": _one_of(ins.COMPARE_OPS),
            "collection": _one_of(ins.COLLECTIONS),
            "method_kind": _one_of(METHOD_KINDS),
            "param_kind": _one_of(PARAM_KINDS),
            "quoted": _quoted,
            "class_name": lambda name: _quoted(name) if name in TYPE_WORDS else _name(name),
            "set_word": lambda frozen: "frozenset" if frozen else "set",
        }

    def program(self, program: Program) -> Iterator[str]:
        yield f"profile {_name(program.profile.name)}"
        for field in fields(Profile):
            value = getattr(program.profile, field.name)
            if field.name != "name" and value != field.default:
                yield f"  {field.name} {self.constant(value)}"
        for data in program.data.values():
            yield ""
            yield from self.data(data)
        for cls in program.classes.values():
            yield ""
            yield from self.cls(cls)

    def data(self, data: Data) -> Iterator[str]:
        yield self.form(data)
        yield from self.comments(data.name, "", None, 1)
        for constructor, arguments in data.constructors.items():
            yield f"  constructor {_name(constructor)}({', '.join(map(self.type, arguments))})"

    def cls(self, cls: Class) -> Iterator[str]:
        yield self.line(0, self.form(cls), cls.span)
        yield from self.comments(cls.name, "", None, 1)
        for field in cls.fields.values():
            yield self.line(1, self.form(field), field.span)
        for static, initialiser in cls.statics.items():
            yield f"  static {_name(static)} = {_name(initialiser)}"
        for prop, setter in cls.setters.items():
            yield f"  setter {_name(prop)} = {_name(setter)}"
        if cls.members:
            yield f"  members ({', '.join(map(_name, cls.members))})"
        if cls.flags:
            yield f"  flags {{{self.kinds['settings'](cls.flags)}}}"
        if cls.keys is not None:
            yield f"  keys ({', '.join(map(self.form, cls.keys))})"
        if cls.constructor is not None:
            yield f"  {self.form(cls.constructor)}"
        for method in cls.methods.values():
            yield from self.method(method)

    def method(self, method: Method) -> Iterator[str]:
        self.names = method.register_names
        yield self.line(1, self.form(method), method.span)
        yield from self.comments(method.qualified, "", None, 2)
        names = ", ".join(f"{number} {_name(name)}" for number, name in method.register_names.items())
        yield f"    registers {method.registers}" + (f" ({names})" if names else "")
        yield f"    entry {_name(method.entry)}"
        for handler in method.handlers:
            yield f"    {self.form(handler)}"
        for label, block in method.blocks.items():
            yield f"  {_name(label)}:"
            yield from self.comments(method.qualified, label, None, 2)
            for index, instruction in enumerate((*block.instructions, block.terminator)):
                yield self.line(2, self.form(instruction), instruction.span)
                yield from self.comments(method.qualified, label, index, 2)

    def line(self, depth: int, text: str, span: Span) -> str:
        suffix = f"  {_span(span)}" if self.spans and span != NOWHERE else ""
        return f"{'  ' * depth}{text}{suffix}"

    def comments(self, method: str, block: str, index: int | None, depth: int) -> Iterator[str]:
        for fault in self.faults.get((method, block, index), ()):
            message = " ".join(fault.message.splitlines())
            yield f"{'  ' * depth}# fault: {message}"

    def form(self, thing: object) -> str:
        """Anything that has a form: its text with the holes filled."""
        text = ""
        for part in FORMS.get(type(thing), (f"<{type(thing).__name__}>",)):
            if isinstance(part, str):
                text += part
                continue
            values = [getattr(thing, name) for name in part.names]
            if not part.optional or values[0] != part.default:
                # A flag says its own name.
                written = part.names[0] if part.kind == "flag" else self.kinds[part.kind](*values)
                text += f"{part.before}{written}{part.after}"
        return text

    def register(self, register: Reg) -> str:
        name = self.names.get(register, "")
        return f"{name}%{register}" if _WORD.fullmatch(name) else f"%{register}"

    def arguments(self, args: tuple[Reg, ...], keywords: ins.Keywords) -> str:
        named = [f"{_name(name)}={self.register(register)}" for name, register in keywords]
        return ", ".join([*map(self.register, args), *named])

    def elements(self, elements: tuple[Type, ...], rest: Type | None) -> str:
        return ", ".join([*map(self.type, elements)] + ([] if rest is None else [f"*{self.type(rest)}"]))

    def type(self, type_: Type) -> str:
        if isinstance(type_, Scalar) and type_.name in SCALARS:
            return type_.name
        if isinstance(type_, UnionType) and len(type_.options) > 1:
            return " | ".join(f"({self.type(o)})" if isinstance(o, UnionType) else self.type(o) for o in type_.options)
        return self.form(type_)

    def constant(self, value: ConstValue | StaticDefault) -> str:
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
            case _:
                return self.form(value)


def _listed(write: Callable[[Any], str]) -> Callable[[Iterable[Any]], str]:
    return lambda items: ", ".join(map(write, items))


def _one_of(words: tuple[str, ...]) -> Callable[[str], str]:
    """One of the known words; anything else, which is a fault, is quoted."""
    return lambda word: word if word in words else _quoted(word)


def _quoted(text: str) -> str:
    return json.dumps(text)


def _name(text: str) -> str:
    return text if _BARE.fullmatch(text) else _quoted(text)


def _span(span: Span) -> str:
    file = span.file if _BARE_FILE.fullmatch(span.file) else _quoted(span.file)
    return f"@{file}:{span.line}:{span.column}"
