"""Lowers a checked program: interfaces, classes, functions and the main block to classes of the IR."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from everypath.errors import Span
from everypath.ir import types as ir
from everypath.ir.builder import MethodBuilder
from everypath.ir.instructions import Const, Param, Return, SetField
from everypath.ir.program import Class, Field, Method, Program
from everypath.languages.abs.frontend import program as p
from everypath.languages.abs.frontend.profile import ABS
from everypath.languages.abs.frontend.program import INIT, MAIN
from everypath.languages.abs.frontend.tree import Variable
from everypath.languages.abs.frontend.types import BOOL, EXCEPTION, OBJECT, UNIT, Type
from everypath.languages.abs.lower.bodies import Surroundings
from everypath.languages.abs.lower.names import (
    FIELDS,
    RECOVER,
    THIS,
    data_types,
    function_home,
    interface_class,
    ir_type,
)
from everypath.languages.abs.lower.statements import Statements

DEPTH = 20_000
"""Frames that may be open while a deeply nested expression is lowered."""
_TOO_DEEP = "expressions or blocks are nested too deeply"


def lower(program: p.Program) -> Program:
    """The IR of a program; what cannot be lowered is code that says so when a path reaches it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEPTH))
    try:
        return _Lowering(program).result()
    finally:
        sys.setrecursionlimit(before)


class _Lowering:
    """Lowers declarations and collects the functions that they need."""

    def __init__(self, program: p.Program) -> None:
        self.program = program
        self.around = Surroundings(program)
        self.made = Program(ABS, data=data_types(program))

    def result(self) -> Program:
        classes = self.made.classes
        for interface in self.program.interfaces.values():
            made = self._interface(interface)
            classes[made.name] = made
        for cls in self.program.classes.values():
            classes[cls.name] = self._class(cls)
        main = self.program.main
        if main is not None:
            method = self._method(MAIN[0], MAIN[1], (), UNIT, main.span, None, lambda body: body.statement(main.body))
            classes[MAIN[0]] = Class(MAIN[0], methods={MAIN[1]: method}, module=main.module, span=main.span)
        self._functions()
        return self.made

    def _interface(self, interface: p.Interface) -> Class:
        bases = self._bases(interface.extends) if interface.name != OBJECT.name else ()
        name = interface_class(interface.name)
        return Class(name, bases, abstract=True, module=_module(interface.name), span=interface.span)

    def _bases(self, interfaces: Iterable[str]) -> tuple[str, ...]:
        """The interfaces without those that others of them extend."""
        named = tuple(dict.fromkeys(interfaces)) or (OBJECT.name,)
        above = {s for name in named for s in self.program.interfaces[name].supers if s != name}
        return tuple(interface_class(name) for name in named if name not in above)

    def _class(self, cls: p.Class) -> Class:
        variables = (*cls.parameters, *(field.variable for field in cls.fields))
        made = Class(
            cls.name,
            self._bases(cls.implements),
            {v.name: Field(v.name, ir_type(v.type), v.span) for v in variables},
            module=_module(cls.name),
            span=cls.span,
        )
        own = (self._own_method(cls, method) for method in cls.methods)
        for method in (*self._beginning(cls), *self._recovery(cls), *own):
            made.methods[method.name] = method
        return made

    def _beginning(self, cls: p.Class) -> Iterable[Method]:
        """What happens to a new object: one method, or two where the init block may wait."""
        waits = self.around.suspending.init(cls.name)

        def fields(body: Statements) -> None:
            for parameter in cls.parameters:
                body.emit(SetField(THIS, parameter.name, body.variable(parameter.name), span=parameter.span))
            for field in cls.fields:
                span = field.variable.span
                first = body.fresh()
                if field.value is None:
                    body.emit(Const(first, None, span=span))
                else:
                    body.into(field.value, first)
                body.emit(SetField(THIS, field.variable.name, first, span=span))
            if cls.init is not None and not waits:
                body.statement(cls.init)

        def init(body: Statements) -> None:
            assert cls.init is not None
            body.statement(cls.init)
            body.start_running(cls.name, THIS, cls.init.span)

        name = FIELDS if waits else INIT
        yield self._method(cls.name, name, cls.parameters, UNIT, cls.span, cls, fields)
        if cls.init is not None and waits:
            yield self._method(cls.name, INIT, (), UNIT, cls.init.span, cls, init)

    def _own_method(self, cls: p.Class, method: p.Method) -> Method:
        def body(made: Statements) -> None:
            made.statement(method.body)
            made.return_unit(method.span)

        return self._method(cls.name, method.name, method.parameters, method.result, method.span, cls, body)

    def _recovery(self, cls: p.Class) -> Iterable[Method]:
        """The `recover` block: true after a branch, false where none matches."""
        if not cls.recover:
            return
        span = cls.recover[0].pattern.span
        exception = Variable(span, "exception", EXCEPTION)

        def body(made: Statements) -> None:
            done = made.builder.label("recovered")
            reached = made.branches(cls.recover, made.branch, made.variable(exception.name), done)
            answer = made.fresh()
            if made.builder.open:
                made.emit(Const(answer, False, span=span))
                made.builder.end(Return(answer, span=span))
            if reached:
                made.start(done)
                made.emit(Const(answer, True, span=span))
                made.builder.end(Return(answer, span=span))

        yield self._method(cls.name, RECOVER, (exception,), BOOL, span, cls, body)

    def _functions(self) -> None:
        """The functions of the user's modules, and those of the library that something calls."""
        for name in self.program.functions:
            if _module(name) in self.program.modules and self.program.functions[name].body is not None:
                self.around.function(name)
        done = 0
        while done < len(self.around.functions):
            for name in list(self.around.functions)[done:]:
                self._function(self.program.functions[name])
                done += 1

    def _function(self, function: p.Function) -> None:
        home, name = function_home(self.program, function.name)
        value = function.body
        assert value is not None

        def body(made: Statements) -> None:
            assert value is not None
            made.builder.end(Return(made.value(value), span=value.span))

        cls = self.made.classes.setdefault(home, Class(home, module=_module(function.name)))
        cls.methods[name] = self._method(home, name, function.parameters, function.result, function.span, None, body)

    def _method(
        self,
        owner: str,
        name: str,
        parameters: tuple[Variable, ...],
        result: Type,
        span: Span,
        cls: p.Class | None,
        body: Callable[[Statements], None],
    ) -> Method:
        params = tuple(Param(v.name, ir_type(v.type)) for v in parameters)
        if cls is not None:
            params = (Param("this", ir.ClassType(cls.name)), *params)

        def built(content: Callable[[Statements], None]) -> Method:
            made = Statements(self.around, MethodBuilder(owner, name, params, span), cls)
            content(made)
            made.return_unit(span)
            return made.builder.finish(returns=ir_type(result), kind="static" if cls is None else "instance")

        try:
            return built(body)
        except RecursionError:
            return built(lambda made: made.unsupported(_TOO_DEEP, span))


def _module(name: str) -> str:
    """The module of a qualified name."""
    return name.rpartition(".")[0]
