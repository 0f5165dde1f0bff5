"""Compiles a checked program once, to Python functions that every execution shares."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from everypath.concurrency.names import Reference
from everypath.errors import Span, Unsupported
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import INIT, Class, Program
from everypath.languages.abs.frontend.rewrite import nodes
from everypath.languages.abs.frontend.suspension import Suspension
from everypath.languages.abs.frontend.tree import Variable
from everypath.languages.abs.runtime import values
from everypath.languages.abs.runtime.blocks import FIRST_SLOT, Blocks, slots_of
from everypath.languages.abs.runtime.expressions import FILE, Globals, Text, translate_function
from everypath.languages.abs.runtime.statements import Statements, native_name
from everypath.languages.abs.runtime.values import Data, Died, Raised, failure
from everypath.records import dataclass

MAIN = "<main>"
RUN = "run"
DEEPEST = 150_000
"""Calls that may be open at once before it is a StackOverflowException."""
MACHINE = (Raised, RecursionError, OverflowError, MemoryError)
"""What a program may handle as an exception of its own."""

Piece = Callable[[list[Any], Any, Any], int]


@dataclass(frozen=True, slots=True)
class Guard:
    """What a task waits for: functions of the frame that give its futures and its condition."""

    futures: Callable[[list[Any], Any, Any], tuple[Any, ...]] | None
    condition: Callable[[list[Any], Any, Any], bool] | None
    fields: int
    """the fields of `this` that either looks at, as bits"""
    span: Span


@dataclass(frozen=True, slots=True)
class Body:
    """What a translated function is in the program, for whoever watches it run."""

    name: str
    variables: Mapping[str, str | int]
    """variable of the program -> Python's name of it, or its slot"""
    split: bool = False
    """whether it is one of the pieces of a method"""
    first: bool = False
    """whether the method begins with it"""


@dataclass(frozen=True, slots=True)
class MethodCode:
    """A method: one function, or pieces with guards between them."""

    name: str
    span: Span
    native: Callable[..., Any] | None
    pieces: tuple[Piece, ...]
    guards: dict[int, Guard]
    gets: dict[int, Span]
    """pieces before which a task may block its cog -> where that is"""
    slots: int


@dataclass(frozen=True, slots=True)
class ClassCode:
    """A class."""

    fields: tuple[str, ...]
    build: Callable[..., None]
    """fills the fields of a new object from the arguments of `new`"""
    methods: dict[str, MethodCode]
    recover: Callable[..., bool] | None


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program that is ready to run."""

    program: Program
    classes: dict[str, ClassCode]
    main: MethodCode | None
    source: list[str]
    """the translated code"""
    spans: list[Span]
    """for each of its lines, the place in the program"""
    namespace: dict[str, Any]
    """where the translated code finds its names; `X` is the running step"""
    bodies: dict[str, Body]
    """translated function -> what it is"""
    keeps_futures: bool
    """whether a task can get at its own future, so that even an unused result must be kept"""


def compile_program(program: Program) -> Compiled:
    """Translate everything that can run."""
    return _Compiler(program).result()


class _Compiler:
    """Translates a program and collects the names of what came out."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.known = Globals(program)
        self.suspension = Suspension(program)
        self.text = Text()
        self.namespace: dict[str, Any] = {}
        self.bodies: dict[str, Body] = {}

    def result(self) -> Compiled:
        """Everything, compiled."""
        classes = {name: self._class(cls) for name, cls in self.program.classes.items()}
        main = self.program.main
        main_method = self._method("main", MAIN, main.span, (), main.body, None) if main is not None else None
        self._functions()
        self._prepare_names()
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, 50_000))
        try:
            code = compile("\n".join(self.text.lines), FILE, "exec")
        except (SyntaxError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            where = next((s for s in self.text.spans[line - 1 :: -1] if s.file), Span())
            raise Unsupported(f"this is nested too deeply to be run ({error})", where) from None
        finally:
            sys.setrecursionlimit(before)
        exec(code, self.namespace)
        return Compiled(
            self.program,
            {name: make() for name, make in classes.items()},
            main_method() if main_method is not None else None,
            self.text.lines,
            self.text.spans,
            self.namespace,
            self.bodies,
            any("X.task" in line for line in self.text.lines),
        )

    def _functions(self) -> None:
        done = 0
        while done < len(self.known.functions):
            for name in list(self.known.functions)[done:]:
                variables = translate_function(self.program.functions[name], self.known, self.text)
                self.bodies[self.known.function(name)] = Body(name.rpartition(".")[2], variables)
                done += 1

    def _prepare_names(self) -> None:
        supers = {name: frozenset(cls.supers) for name, cls in self.program.classes.items()}

        def is_a(value: Reference | None, interface: str) -> bool:
            return value is not None and interface in supers[value.label]

        self.namespace.update(
            {f"builtin_{name}": function for name, function in values.PURE.items()},
            Data=Data, Raised=Raised, Died=Died, failure=failure, listed=values.listed, nested=values.nested,
            less=values.less, no_match=values.no_match, whole=values.whole, divided=values.divided,
            float_divided=values.float_divided, remainder=values.remainder, MACHINE=MACHINE,
            raised_value=raised_value, is_a=is_a, as_a=lambda value, i: value if is_a(value, i) else None,
            UNIT=values.UNIT,
        )  # fmt: skip
        for constructor, name in self.known.constants.items():
            self.namespace[name] = values.CONSTANTS.setdefault(constructor, Data(constructor))
        for accessor, name in self.known.accessors.items():
            self.namespace[name] = _accessor(dict(self.program.accessors[accessor].positions))

    def _class(self, cls: Class) -> Callable[[], ClassCode]:
        parts = {m.name: self._method(_short(cls), m.name, m.span, m.parameters, m.body, cls) for m in cls.methods}
        if cls.init is not None:
            parts[INIT] = self._method(_short(cls), INIT, cls.init.span, (), cls.init, cls)
        build = f"build_{_short(cls)}"
        translator = Statements(self.known, self.suspension, cls, self.text)
        e = translator.expressions
        self.text.add(f"def {build}(I, F):", cls.span)
        with self.text.deeper():
            for field in cls.fields:
                value = "None" if field.value is None else e.text(field.value)
                self.text.add(f"F.append({value})", field.variable.span)
            self.text.add("return", cls.span)
        self.bodies[build] = Body(f"new {cls.name.rpartition('.')[2]}", {})
        recover = self._recover(cls) if cls.recover else None
        fields = (*(v.name for v in cls.parameters), *(f.variable.name for f in cls.fields))
        return lambda: ClassCode(
            fields,
            self.namespace[build],
            {name: part() for name, part in parts.items()},
            self.namespace[recover] if recover is not None else None,
        )

    def _recover(self, cls: Class) -> str:
        name = f"recover_{_short(cls)}"
        where = cls.recover[0].body.span
        for branch in cls.recover:
            if self.suspension.statement(branch.body, cls):
                raise Unsupported("a recover block that waits is not supported", branch.body.span)
        translator = Statements(self.known, self.suspension, cls, self.text)
        self.text.add(f"def {name}(I, F, exception):", where)
        with self.text.deeper():
            for branch in cls.recover:
                self.text.add(f"if {translator.expressions.test(branch.pattern, 'exception')}:", branch.pattern.span)
                with self.text.deeper():
                    translator.statement(branch.body)
                    self.text.add("return True")
            self.text.add("return False")
        return name

    def _method(
        self, owner: str, name: str, span: Span, parameters: tuple[Variable, ...], body: b.Block, cls: Class | None
    ) -> Callable[[], MethodCode]:
        prefix = native_name(cls.name if cls is not None else owner, name)
        called = _called(cls, name)
        if not self.suspension.statement(body, cls):
            native = Statements(self.known, self.suspension, cls, self.text)
            given = [native.variables.bound(v.name) for v in parameters]
            self.text.add(f"def {prefix}({', '.join(['I', 'F', *given])}):", span)
            with self.text.deeper():
                if _calls_methods(body):
                    self.text.add("X.called()", span)
                native.statement(body)
                self.text.add("return UNIT", span)
            self.bodies[prefix] = Body(called, dict(native.variables.named))
            return lambda: MethodCode(name, span, self.namespace[prefix], (), {}, {}, 0)
        slots = slots_of(parameters, body)
        blocks = Blocks(self.known, self.suspension, cls, prefix, slots)
        blocks.body(body, "UNIT", span, starts=name == INIT and cls is not None and cls.method(RUN) is not None)
        self.text.include(blocks.extra)
        for number, piece in enumerate(blocks.pieces):
            self.text.add(f"def {prefix}_piece{number}(L, I, F):", span)
            with self.text.deeper():
                self.text.include(piece)
            kept = {each: slot for each, slot in slots.items() if not each.startswith("~")}
            known: dict[str, str | int] = {**blocks.variables.named, **kept}
            self.bodies[f"{prefix}_piece{number}"] = Body(called, known, split=True, first=number == 0)
        names = self.namespace
        return lambda: MethodCode(
            name,
            span,
            None,
            tuple(self.namespace[f"{prefix}_piece{number}"] for number in range(len(blocks.pieces))),
            {
                n: Guard(names.get(f"{prefix}_futures{n}"), names.get(f"{prefix}_condition{n}"), *guard)
                for n, guard in blocks.guards.items()
            },
            blocks.gets,
            FIRST_SLOT + len(slots),
        )


def _calls_methods(body: b.Block) -> bool:
    return any(isinstance(node, t.SyncCall) for node in nodes(body))


def _called(cls: Class | None, method: str) -> str:
    """A method as people call it."""
    if cls is None:
        return "main block"
    simple = cls.name.rpartition(".")[2]
    return f"new {simple}" if method == INIT else f"{simple}.{method}"


def _short(cls: Class) -> str:
    return cls.name.replace(".", "_")


def _accessor(positions: dict[str, int]) -> Callable[[Data], Any]:
    def access(value: Data) -> Any:
        position = positions.get(value.name)
        if position is None:
            raise failure("PatternMatchFailException")
        return value.arguments[position]

    return access


def raised_value(error: BaseException) -> Data:
    """The exception of ABS that a Python one stands for."""
    if isinstance(error, Raised):
        return error.value
    name = "StackOverflowException" if isinstance(error, RecursionError) else "HeapOverflowException"
    return failure(name).value
