"""Reads toy programs: a line is a statement, indentation makes blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from everypath.cases.describing import NOTHING_SPECIAL, Describer
from everypath.errors import BadInput, Span
from everypath.explore.search.subject import Subject
from everypath.explore.semantics import Semantics
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import (
    Binary,
    Compare,
    EnterLoop,
    GetField,
    Instruction,
    Iterate,
    Jump,
    Move,
    Param,
    Return,
    SetField,
)  # fmt: skip
from everypath.ir.program import Class, Field, Method, Profile, Program
from everypath.ir.types import INT, ClassType
from everypath.languages.base import EntryPoint, SourceProblem
from everypath.languages.definitions import Definition

ERRORS = ("null attribute index key division type value cast name assertion").split()
TOY = Profile("toy", False, None, **{f"{kind}_error": "Failure" for kind in ERRORS}, negative_indices=False)
MODULE = "toy"


@dataclass(frozen=True)
class ToyProgram:
    """A loaded program."""

    program: Program
    entries: tuple[EntryPoint, ...]
    module: str
    root: Path
    file: str
    definitions: tuple[Definition, ...]
    problems: tuple[SourceProblem, ...] = ()
    effects: Method | None = None

    def subject(self, entry: EntryPoint) -> Subject:
        """A function or method with the operations of the plain language."""
        method = self.program.find_method(entry.cls, entry.method)
        assert method is not None
        return Subject(Semantics(self.program), method, entry.cls)

    def describer(self) -> Describer:
        """There are only integers and objects."""
        return NOTHING_SPECIAL


@dataclass(frozen=True)
class Line:
    """A statement with the block below it."""

    words: tuple[str, ...]
    span: Span
    block: tuple[Line, ...] = ()


def load(target: str) -> ToyProgram:
    """Every function of a file, or the one that the target names."""
    file, _, member = target.partition("::")
    path = Path(file)
    try:
        numbered = enumerate(path.read_text().splitlines(), 1)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", Span(file)) from None
    rows = [(len(text) - len(text.lstrip()), text.split(), Span(file, n)) for n, text in numbered if text.strip()]
    program = Program(TOY, {MODULE: Class(MODULE, module=path.stem), "Failure": Class("Failure", external=True)})
    entries, definitions = [], []
    for line in _nested(rows, 0)[0]:
        kind, *words = line.words
        if kind == "class":
            fields = {name: Field(name, INT) for name in words[1:]}
            program.classes[words[0]] = Class(words[0], fields=fields, module=path.stem, span=line.span)
            continue
        cls, name, *names = words if kind == "method" else (MODULE, *words)
        params = tuple(Param(each, INT) for each in names)
        if kind == "method":
            params = (Param("self", ClassType(cls)), *params)
        method = _Body(cls, name, params, line).method("instance" if kind == "method" else "static")
        program.classes[cls].methods[name] = method
        qualname = f"{cls}.{name}" if kind == "method" else name
        definitions.append(Definition(qualname, line.span.line, _last(line), public=True))
        if member in ("", qualname):
            role = "method" if kind == "method" else "function"
            entries.append(EntryPoint(cls, name, role, qualname, path.stem, line.span, params))
    if member and not entries:
        raise BadInput(f"there is no {member}", Span(file))
    return ToyProgram(program, tuple(entries), path.stem, path.parent, file, tuple(definitions))


def _nested(rows: Sequence[tuple[int, list[str], Span]], at: int) -> tuple[tuple[Line, ...], int]:
    """The lines of one block, which are indented alike, and where it ends."""
    found: list[Line] = []
    depth = rows[at][0]
    while at < len(rows) and rows[at][0] >= depth:
        _, words, span = rows[at]
        at += 1
        block: tuple[Line, ...] = ()
        if at < len(rows) and rows[at][0] > depth:
            block, at = _nested(rows, at)
        found.append(Line(tuple(words), span, block))
    return tuple(found), at


def _last(line: Line) -> int:
    return _last(line.block[-1]) if line.block else line.span.line


class _Body:
    """Lowers one function."""

    def __init__(self, cls: str, name: str, params: tuple[Param, ...], line: Line) -> None:
        self.build = MethodBuilder(cls, name, params, line.span)
        self.names = {param.name: number for number, param in enumerate(params)}
        self.line = line

    def method(self, kind: str) -> Method:
        self._block(self.line.block)
        return self.build.finish(returns=INT, kind=kind)

    def _block(self, lines: Sequence[Line]) -> None:
        for line in lines:
            self._statement(line)

    def _statement(self, line: Line) -> None:
        build, span = self.build, line.span
        match line.words:
            case ("return", *value):
                build.end(Return(self._value(value, span), span=span))
            case ("if", *condition):
                inside, after = build.label("then"), build.label("after")
                build.branch(self._value(condition, span), inside, after, span)
                build.start(inside)
                self._block(line.block)
                if build.open:
                    build.end(Jump(after, span=span))
                build.start(after)
            case ("while", *condition):
                loop, head, inside, after = build.loop(), *map(build.label, ("head", "body", "after"))
                build.emit(EnterLoop(loop, span=span))
                build.start(head, span)
                build.branch(self._value(condition, span), inside, after, span)
                build.start(inside)
                build.emit(Iterate(loop, span=span))
                self._block(line.block)
                build.end(Jump(head, span=span))
                build.start(after)
            case (name, "=", *value):
                register = self._value(value, span)
                if name.startswith("self."):
                    build.emit(SetField(self.names["self"], name[5:], register, span=span))
                else:
                    self.names.setdefault(name, build.register(name))
                    build.emit(Move(self.names[name], register, span=span))
            case _:
                raise BadInput(f"no statement: {' '.join(line.words)}", span)

    def _value(self, words: Sequence[str], span: Span) -> int:
        if len(words) == 1:
            return self._atom(words[0], span)
        left, operator, right = words
        made = self.build.register()
        kind = Compare if operator in ("<", ">", "==") else Binary
        self._emit(kind(made, operator.replace("/", "//"), self._atom(left, span), self._atom(right, span), span=span))
        return made

    def _emit(self, instruction: Instruction) -> None:
        self.build.emit(instruction)

    def _atom(self, word: str, span: Span) -> int:
        if re.fullmatch(r"\d+", word):
            return self.build.constant(int(word), span)
        if word.startswith("self."):
            made = self.build.register()
            self.build.emit(GetField(made, self.names["self"], word[5:], span=span))
            return made
        if word not in self.names:
            raise BadInput(f"{word} has no value", span)
        return self.names[word]


def lines_of(program: ToyProgram, name: str) -> Iterator[Line]:
    """The statements of a function, for the interpreter."""
    rows = [
        (len(text) - len(text.lstrip()), text.split(), Span(program.file, number))
        for number, text in enumerate(Path(program.file).read_text().splitlines(), 1)
        if text.strip()
    ]
    for line in _nested(rows, 0)[0]:
        if ".".join(line.words[1 : 3 if line.words[0] == "method" else 2]) == name:
            yield from (line, *line.block)
