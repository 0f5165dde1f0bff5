"""Makes a program first-order: each use of a partially defined function becomes a call of an ordinary one.

An anonymous function becomes a function of its own, whose first parameters are the variables and fields that
it uses from around it. A partially defined function is copied for the functions it is given; what these took
from around them is passed along as further parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend.bodies import PartialFunction
from everypath.languages.abs.frontend.program import Function, Program
from everypath.languages.abs.frontend.rewrite import nodes, rebuilt, retyped
from everypath.languages.abs.frontend.types import Type, substituted
from everypath.records import dataclass, replace

N = TypeVar("N")
_AROUND = (t.Local, t.Field, t.This, t.Destiny)
"""What an anonymous function may use from around it."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A function handed to a partially defined one; the captured values become its first arguments."""

    kind: str
    """function or accessor"""
    name: str
    captured: tuple[t.Expression, ...] = ()


_Environment = Mapping[str, _Given]


def first_order(program: Program, partials: Mapping[str, PartialFunction]) -> Program:
    """The same program without PartialCall and Apply."""
    maker = _Specialiser(partials)
    functions = {name: maker.free(f) for name, f in program.functions.items()}
    classes = {name: maker.free(c) for name, c in program.classes.items()}
    mains = tuple(map(maker.free, program.mains))
    return replace(program, functions={**functions, **maker.made}, classes=classes, mains=mains)


class _Specialiser:
    def __init__(self, partials: Mapping[str, PartialFunction]) -> None:
        self.partials = partials
        self.names: dict[tuple[Any, ...], str] = {}
        self.made: dict[str, Function] = {}
        self.count = 0

    def free(self, node: N, environment: _Environment = MappingProxyType({})) -> N:
        """The node with the calls replaced; `environment` says what the function parameters are."""

        def step(part: Any) -> Any:
            if isinstance(part, Type):
                return part
            if isinstance(part, t.PartialCall):
                return self._call(part, environment)
            if isinstance(part, t.Apply):
                arguments = tuple(map(step, part.arguments))
                return _applied(environment[part.parameter], part, arguments)
            return rebuilt(part, step)

        result: N = step(node)
        return result

    def _call(self, call: t.PartialCall, environment: _Environment) -> t.Expression:
        given = tuple(self._given(f, environment) for f in call.functions)
        arguments = tuple(self.free(a, environment) for a in call.arguments)
        name = self._instance(call.function, given, call.type_arguments)
        captured = tuple(value for function in given for value in function.captured)
        return t.Call(call.span, call.type, name, (*captured, *arguments))

    def _given(self, function: t.FunctionArgument, environment: _Environment) -> _Given:
        if isinstance(function, t.AnonymousFunction):
            return self._lifted(function, environment)
        if function.kind == "parameter":
            return environment[function.name]
        return _Given(function.kind, function.name)

    def _lifted(self, function: t.AnonymousFunction, environment: _Environment) -> _Given:
        body = self.free(function.body, environment)
        bound = {v.name for v in function.parameters}
        bound |= {node.name for node in nodes(body) if isinstance(node, (t.Let, t.BindPattern))}
        captured: dict[str, t.Expression] = {}
        for used in nodes(body):
            if isinstance(used, _AROUND) and _captured_name(used) not in bound:
                captured.setdefault(_captured_name(used), used)

        def step(part: Any) -> Any:
            if isinstance(part, _AROUND) and _captured_name(part) in captured:
                return t.Local(part.span, part.type, _captured_name(part))
            return part if isinstance(part, Type) else rebuilt(part, step)

        around = tuple(t.Variable(value.span, name, value.type) for name, value in captured.items())
        self.count += 1
        name = f"anonymous~{self.count}"
        body = step(body)
        self.made[name] = Function(function.span, name, (), (*around, *function.parameters), body.type, body)
        return _Given("function", name, tuple(captured.values()))

    def _instance(self, partial: str, given: tuple[_Given, ...], types: tuple[Type, ...]) -> str:
        key = (partial, types, tuple((g.kind, g.name) for g in given))
        if key in self.names:
            return self.names[key]
        name = self.names[key] = f"{partial}~{sum(k[0] == partial for k in self.names) + 1}"
        found = self.partials[partial]
        values = dict(zip(found.header.type_parameters, types))
        environment: dict[str, _Given] = {}
        around: list[t.Variable] = []
        for parameter, function in zip(found.functions, given):
            own = [
                t.Variable(value.span, f"{parameter.name}~{i}", value.type)
                for i, value in enumerate(function.captured, 1)
            ]
            around += own
            values_now = tuple(t.Local(v.span, v.type, v.name) for v in own)
            environment[parameter.name] = _Given(function.kind, function.name, values_now)
        body = self.free(retyped(found.body, lambda q: substituted(q, values)), environment)
        parameters = tuple(t.Variable(v.span, v.name, substituted(v.type, values)) for v in found.header.parameters)
        result = substituted(found.header.result, values)
        self.made[name] = Function(found.header.node.span, name, (), (*around, *parameters), result, body)
        return name


def _applied(given: _Given, node: t.Apply, arguments: tuple[t.Expression, ...]) -> t.Expression:
    if given.kind == "accessor":
        return t.Access(node.span, node.type, given.name, arguments[0])
    return t.Call(node.span, node.type, given.name, (*given.captured, *arguments))


def _captured_name(node: t.Expression) -> str:
    match node:
        case t.Local(_, _, name):
            return name
        case t.Field(_, _, name):
            return f"this.{name}"
        case t.This():
            return "this"
    return "destiny"
