"""Evaluates the functional part of checked programs, to compare what they mean with what was expected."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import total_ordering
from typing import Any

from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend import tree_blocks as b
from everypath.languages.abs.frontend.program import Program

LIBRARY = "ABS.StdLib."
FAILURES = f"{LIBRARY}Exceptions."


@total_ordering
class Data:
    """A value of a data type; ordered by the constructor's name, then by the arguments."""

    def __init__(self, name: str, *arguments: Any) -> None:
        self.name, self.arguments = name, arguments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Data) and (self.name, self.arguments) == (other.name, other.arguments)

    def __lt__(self, other: Data) -> bool:
        return (self.name.rpartition(".")[2], self.arguments) < (other.name.rpartition(".")[2], other.arguments)

    def __hash__(self) -> int:
        return hash((self.name, self.arguments))

    def __repr__(self) -> str:
        return shown(self)


_ROWS = {"Nil": "list", "Cons": "list", "EmptySet": "set", "Insert": "set", "EmptyMap": "map", "InsertAssoc": "map"}


def shown(value: Any, inside: bool = False) -> str:
    """What `toString` makes of a value; strings inside data have quotes."""
    if isinstance(value, str) and inside:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if not isinstance(value, Data):
        return str(value)
    name = value.name.rpartition(".")[2]
    if name in _ROWS:
        parts = []
        while value.arguments:
            parts.append(shown(value.arguments[0], True))
            value = value.arguments[1]
        return f"{_ROWS[name]}[{','.join(parts)}]"
    return f"{name}({','.join(shown(a, True) for a in value.arguments)})" if value.arguments else name


class Raised(Exception):
    """An exception of ABS."""

    def __init__(self, value: Data) -> None:
        super().__init__(shown(value))
        self.value = value


def _failure(name: str) -> Raised:
    return Raised(Data(FAILURES + name))


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def _bool(value: bool) -> Data:
    return Data(LIBRARY + ("True" if value else "False"))


def _is_true(value: Any) -> bool:
    return bool(value == Data(LIBRARY + "True"))


def _divide(x: Any, y: Any) -> Any:
    if y == 0:
        raise _failure("DivisionByZeroException")
    return x / y if isinstance(x, float) else _number(Fraction(x) / Fraction(y))


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda x, y: _bool(x == y),
    "!=": lambda x, y: _bool(x != y),
    "<": lambda x, y: _bool(x < y),
    "<=": lambda x, y: _bool(x <= y),
    ">": lambda x, y: _bool(x > y),
    ">=": lambda x, y: _bool(x >= y),
    "+": lambda x, y: _number(x + y),
    "-": lambda x, y: _number(x - y),
    "*": lambda x, y: _number(x * y),
    "/": _divide,
    "%": lambda x, y: _number(x - y * math.trunc(x / y)),
}


class Evaluator:
    """Runs functions and the statements of a main block that make no objects."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.output: list[str] = []
        self.builtins: dict[str, Callable[..., Any]] = {
            "abs": abs,
            "truncate": math.trunc,
            "numerator": lambda x: Fraction(x).numerator,
            "denominator": lambda x: Fraction(x).denominator,
            "float": float,
            "rat": lambda x: _number(Fraction(x)),
            "floor": math.floor,
            "ceil": math.ceil,
            "sqrt": math.sqrt,
            "log": math.log,
            "exp": math.exp,
            "random": lambda below: below - 1,
            "toString": shown,
            "strlen": len,
            "substr": lambda text, start, count: text[start : start + count],
            "println": lambda text: self._print(text + "\n"),
            "print": self._print,
        }

    def _print(self, text: str) -> Data:
        self.output.append(text)
        return Data(LIBRARY + "Unit")

    def call(self, name: str, *arguments: Any) -> Any:
        """A function applied to values."""
        function = self.program.functions[name]
        if function.body is None:
            return self.builtins[name.rpartition(".")[2]](*arguments)
        return self.value(function.body, dict(zip((v.name for v in function.parameters), arguments)))

    def value(self, node: t.Expression, scope: dict[str, Any]) -> Any:
        """The value of an expression."""
        match node:
            case t.Literal(_, _, value):
                return value
            case t.Local(_, _, name):
                return scope[name]
            case t.Unary(_, _, "!", operand):
                return _bool(not _is_true(self.value(operand, scope)))
            case t.Unary(_, _, _, operand):
                return -self.value(operand, scope)
            case t.Binary(_, _, ("&&" | "||") as operator, left, right):
                first = self.value(left, scope)
                return first if _is_true(first) == (operator == "||") else self.value(right, scope)
            case t.Binary(_, _, operator, left, right):
                return OPERATORS[operator](self.value(left, scope), self.value(right, scope))
            case t.Construct(_, _, name, arguments):
                return Data(name, *(self.value(a, scope) for a in arguments))
            case t.ListOf(_, _, elements):
                made = Data(LIBRARY + "Nil")
                for element in reversed([self.value(e, scope) for e in elements]):
                    made = Data(LIBRARY + "Cons", element, made)
                return made
            case t.Access(_, _, accessor, subject):
                found = self.value(subject, scope)
                for constructor, position in self.program.accessors[accessor].positions:
                    if found.name == constructor:
                        return found.arguments[position]
                raise _failure("PatternMatchFailException")
            case t.Call(_, _, name, arguments):
                return self.call(name, *(self.value(a, scope) for a in arguments))
            case t.When(_, _, condition, then, otherwise):
                return self.value(then if _is_true(self.value(condition, scope)) else otherwise, scope)
            case t.Let(_, _, name, value, body):
                return self.value(body, {**scope, name: self.value(value, scope)})
            case t.Case(_, _, subject, branches):
                found = self.value(subject, scope)
                for branch in branches:
                    bound = dict(scope)
                    if self.matches(branch.pattern, found, bound):
                        return self.value(branch.value, bound)
                raise _failure("PatternMatchFailException")
        raise NotImplementedError(type(node).__name__)

    def matches(self, pattern: t.Pattern, value: Any, scope: dict[str, Any]) -> bool:
        """Whether a value matches; what is bound goes into the scope."""
        match pattern:
            case t.AnyPattern():
                return True
            case t.BindPattern(_, _, name):
                scope[name] = value
                return True
            case t.EqualPattern(_, _, expected):
                return bool(self.value(expected, scope) == value)
            case t.ConstructorPattern(_, _, constructor, arguments):
                return value.name == constructor and all(
                    self.matches(p, v, scope) for p, v in zip(arguments, value.arguments)
                )
        raise NotImplementedError(type(pattern).__name__)

    def run(self, node: b.Statement, scope: dict[str, Any]) -> None:
        """Execute a statement."""
        match node:
            case b.Declare(_, variable, value):
                scope[variable.name] = self.value(value, scope)
            case b.Assign(_, t.Local(_, _, name), value):
                scope[name] = self.value(value, scope)
            case b.Evaluate(_, value):
                self.value(value, scope)
            case b.Assert(_, condition):
                if not _is_true(self.value(condition, scope)):
                    raise _failure("AssertionFailException")
            case b.Block(_, body):
                for inner in body:
                    self.run(inner, scope)
            case b.If(_, condition, then, otherwise):
                self.run(then if _is_true(self.value(condition, scope)) else otherwise, scope)
            case b.While(_, condition, body):
                while _is_true(self.value(condition, scope)):
                    self.run(body, scope)
            case b.Foreach(_, variable, index, elements, body):
                rest = self.value(elements, scope)
                count = 0
                while rest.arguments:
                    scope[variable.name] = rest.arguments[0]
                    if index is not None:
                        scope[index.name] = count
                    self.run(body, scope)
                    rest, count = rest.arguments[1], count + 1
            case b.Switch(_, subject, branches):
                if not self._branch(branches, self.value(subject, scope), scope):
                    raise _failure("PatternMatchFailException")
            case b.Throw(_, value):
                raise Raised(self.value(value, scope))
            case b.Try(_, body, branches, final):
                try:
                    self.run(body, scope)
                except Raised as raised:
                    if not self._branch(branches, raised.value, scope):
                        raise
                finally:
                    if final is not None:
                        self.run(final, scope)
            case _:
                raise NotImplementedError(type(node).__name__)

    def _branch(self, branches: tuple[b.Branch, ...], value: Any, scope: dict[str, Any]) -> bool:
        for branch in branches:
            if self.matches(branch.pattern, value, scope):
                self.run(branch.body, scope)
                return True
        return False

    def main(self) -> dict[str, Any]:
        """Run the main block; the variables at its end."""
        assert self.program.main is not None
        scope: dict[str, Any] = {}
        self.run(self.program.main.body, scope)
        return scope
