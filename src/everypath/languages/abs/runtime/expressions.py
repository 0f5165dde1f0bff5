"""The Python text that a program becomes; here its expressions without side effects and its functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType

from everypath.cases.actors import LIBRARY
from everypath.errors import NOWHERE, Span
from everypath.languages.abs.frontend import tree as t
from everypath.languages.abs.frontend.program import Function, Program
from everypath.languages.abs.frontend.rewrite import nodes
from everypath.languages.abs.frontend.types import BOOL, FLOAT, INT, RAT, STRING
from everypath.languages.abs.runtime.values import EFFECTS

FILE = "<everypath: translated ABS>"
_ORDER = {"<": "less({0}, {1})", ">": "less({1}, {0})", "<=": "(not less({1}, {0}))", ">=": "(not less({0}, {1}))"}
_PYTHON_ORDER = (INT, RAT, FLOAT, STRING, BOOL)
_CONSTANTS = {f"{LIBRARY}True": "True", f"{LIBRARY}False": "False"}


class Text:
    """Lines under construction."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.spans: list[Span] = []
        self._indent = ""

    def add(self, line: str, span: Span = NOWHERE) -> None:
        """One line at the current depth."""
        self.lines.append(self._indent + line)
        self.spans.append(span)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """The lines inside stand below the last one; there is always at least one."""
        before, count = self._indent, len(self.lines)
        self._indent = before + " "
        try:
            yield
            if len(self.lines) == count:
                self.add("pass")
        finally:
            self._indent = before

    def include(self, other: Text) -> None:
        """Lines made elsewhere, at the current depth."""
        for line, span in zip(other.lines, other.spans):
            self.add(line, span)


def place(traceback: TracebackType | None, spans: list[Span]) -> Span:
    """Where in the source an exception came from: the innermost line that is not the library's."""
    user = library = NOWHERE
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE:
            span = spans[traceback.tb_lineno - 1]
            if span.file.startswith("<"):
                library = span
            elif span.file:
                user = span
        traceback = traceback.tb_next
    return user if user.file else library


class Globals:
    """The names that translated code uses for functions, constructors and accessors of the program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.functions: dict[str, str] = {}
        """functions that are called, in the order in which they are first needed -> Python name"""
        self.constants: dict[str, str] = {}
        """constructors without arguments -> Python name"""
        self.accessors: dict[str, str] = {}
        self._calls: dict[str, tuple[str, ...]] = {}

    def is_recursive(self, name: str) -> bool:
        """Whether a call of the function may lead to another one of it."""
        todo, seen = [*self._called(name)], {*self._called(name)}
        while todo and name not in seen:
            new = [other for other in self._called(todo.pop()) if other not in seen]
            seen.update(new)
            todo += new
        return name in seen

    def _called(self, name: str) -> tuple[str, ...]:
        found = self._calls.get(name)
        if found is None:
            function = self.program.functions.get(name)
            body = None if function is None else function.body
            called = (node.function for node in nodes(body) if isinstance(node, t.Call))
            found = self._calls[name] = tuple(dict.fromkeys(called)) if body is not None else ()
        return found

    def function(self, name: str) -> str:
        """The Python name of a function with a body."""
        return self.functions.setdefault(name, f"function{len(self.functions)}")

    def constant(self, constructor: str) -> str:
        """The Python name of a value without arguments."""
        return _CONSTANTS.get(constructor) or self.constants.setdefault(constructor, f"c{len(self.constants)}")

    def accessor(self, name: str) -> str:
        """The Python name of an accessor function."""
        return self.accessors.setdefault(name, f"a{len(self.accessors)}")


class Variables:
    """Where the local variables of one body live: in Python's, or in the slots of a frame that outlives a step."""

    def __init__(self, slots: dict[str, int] | None = None) -> None:
        self.slots = {} if slots is None else slots
        self._names: dict[str, str] = {}

    def read(self, name: str) -> str:
        """The text that stands for a variable."""
        return f"L[{self.slots[name]}]" if name in self.slots else self.bound(name)

    def bound(self, name: str) -> str:
        """The Python variable that a pattern or `let` binds."""
        return self._names.setdefault(name, f"v{len(self._names)}")

    @property
    def named(self) -> dict[str, str]:
        """Variable of the program -> Python's name of it."""
        return {name: here for name, here in self._names.items() if not name.startswith("~")}

    def fresh(self) -> str:
        """A Python variable of our own."""
        return self.bound(f"~{len(self._names)}")


class Expressions:
    """Translates the expressions of one body."""

    def __init__(self, known: Globals, variables: Variables, fields: Sequence[str] = ()) -> None:
        self.globals = known
        self.variables = variables
        self.fields = {name: index for index, name in enumerate(fields)}

    def all(self, nodes: Sequence[t.Expression]) -> str:
        """Arguments, separated by commas."""
        return ", ".join(map(self.text, nodes))

    def tuple(self, nodes: Sequence[t.Expression]) -> str:
        """A Python tuple."""
        return f"({''.join(self.text(node) + ', ' for node in nodes)})"

    def text(self, node: t.Expression) -> str:
        """A Python expression with the same value."""
        match node:
            case t.Literal(_, _, value):
                return repr(value) if not isinstance(value, int) or value >= 0 else f"({value})"
            case t.Local(_, _, name):
                return self.variables.read(name)
            case t.Field(_, _, name):
                return f"F[{self.fields[name]}]"
            case t.This() | t.Destiny():
                return "I.reference" if isinstance(node, t.This) else "X.task"
            case t.Unary(_, _, operator, operand):
                return f"({'not ' if operator == '!' else '-'}{self.text(operand)})"
            case t.Binary():
                return self._binary(node)
            case t.Construct():
                return self._construct(node)
            case t.ListOf(_, _, elements):
                return f"listed({self.tuple(elements)})"
            case t.Access(_, _, accessor, subject):
                return f"{self.globals.accessor(accessor)}({self.text(subject)})"
            case t.Call(_, _, name, arguments):
                return f"{self.callee(name)}({self.all(arguments)})"
            case t.When(_, _, condition, then, otherwise):
                return f"({self.text(then)} if {self.text(condition)} else {self._otherwise(otherwise)})"
            case t.Let(_, _, name, value, body):
                return f"({self.text(body)} if [{self.variables.bound(name)} := {self.text(value)}] else None)"
            case t.Case():
                return self._case(node)
            case t.Implements(_, _, operand, interface) | t.Cast(_, _, operand, interface):
                return f"{'is_a' if isinstance(node, t.Implements) else 'as_a'}({self.text(operand)}, {interface!r})"
        raise AssertionError(f"{type(node).__name__} is not an expression without side effects")

    def _case(self, node: t.Case) -> str:
        variable = self.variables.fresh()
        chain = "".join(f"{self.text(x.value)} if {self.test(x.pattern, variable)} else " for x in node.branches)
        return f"(({chain}no_match()) if [{variable} := {self.text(node.subject)}] else None)"

    def _otherwise(self, node: t.Expression) -> str:
        """A chain of conditions without more parentheses than needed: Python limits how deep they nest."""
        parts = []
        while isinstance(node, t.When):
            parts.append(f"{self.text(node.then)} if {self.text(node.condition)} else ")
            node = node.otherwise
        return "".join(parts) + self.text(node)

    def callee(self, name: str) -> str:
        """What is called for a function of the program."""
        function = self.globals.program.functions[name]
        if function.body is not None:
            return self.globals.function(name)
        simple = name.rpartition(".")[2]
        return f"X.{simple}" if simple in EFFECTS else f"builtin_{simple}"

    def _binary(self, node: t.Binary) -> str:
        operator = node.operator
        if operator in ("&&", "||"):
            return f"({self._chain(node, 'and' if operator == '&&' else 'or')})"
        if operator in _ORDER and node.left.type not in _PYTHON_ORDER:
            return _ORDER[operator].format(self.text(node.left), self.text(node.right))
        if operator == "/":
            called = "float_divided" if node.type == FLOAT else "divided"
            return f"{called}({self.text(node.left)}, {self.text(node.right)})"
        if operator == "%":
            return f"remainder({self.text(node.left)}, {self.text(node.right)})"
        if operator in ("+", "-", "*"):
            chain = self._chain(node, operator)
            return f"whole({chain})" if node.type == RAT else f"({chain})"
        return f"({self.text(node.left)} {operator} {self.text(node.right)})"

    def _chain(self, node: t.Binary, operator: str) -> str:
        """`a + b + c` without parentheses around the left parts."""
        parts = []
        left: t.Expression = node
        while isinstance(left, t.Binary) and left.operator == node.operator:
            parts.append(self.text(left.right))
            left = left.left
        return f" {operator} ".join([self.text(left), *reversed(parts)])

    def _construct(self, node: t.Construct) -> str:
        outer: list[str] = []
        inner: t.Expression = node
        while isinstance(inner, t.Construct) and inner.arguments:
            outer.append(f"({inner.constructor!r}, {self.tuple(inner.arguments[:-1])})")
            inner = inner.arguments[-1]
        if not outer:
            return self.globals.constant(node.constructor)
        if len(outer) == 1:
            return f"Data({node.constructor!r}, {self.tuple(node.arguments)})"
        # Long lists written out are nested deeper than Python's parser allows.
        return f"nested(({', '.join(outer)},), {self.text(inner)})"

    def test(self, pattern: t.Pattern, value: str) -> str:
        """A Python condition: whether a variable matches; what the pattern binds is bound by it."""
        return " and ".join(self._tests(pattern, value)) or "True"

    def _tests(self, pattern: t.Pattern, value: str) -> list[str]:
        match pattern:
            case t.AnyPattern():
                return []
            case t.BindPattern(_, _, name):
                return [f"[{self.variables.bound(name)} := {value}]"]
            case t.EqualPattern(_, _, expected):
                return [f"{value} == {self.text(expected)}"]
            case t.ConstructorPattern(_, _, constructor, arguments):
                if constructor in _CONSTANTS:
                    return [f"{value} is {_CONSTANTS[constructor]}"]
                found = [f"{value}.name == {constructor!r}"]
                for index, argument in enumerate(arguments):
                    at = f"{value}.arguments[{index}]"
                    if isinstance(argument, t.ConstructorPattern):
                        variable = self.variables.fresh()
                        found += [f"[{variable} := {at}]", *self._tests(argument, variable)]
                    else:
                        found += self._tests(argument, at)
                return found
        raise AssertionError(pattern)


def translate_function(function: Function, known: Globals, text: Text) -> dict[str, str]:
    """A Python function; calls of itself at the end become a loop, so that long lists need no deep stack.

    The names of its variables in Python are returned.
    """
    assert function.body is not None
    variables = Variables()
    parameters = [variables.bound(v.name) for v in function.parameters]
    translator = Expressions(known, variables)
    loops = _calls_itself(function.body, function.name)
    text.add(f"def {known.function(function.name)}({', '.join(parameters)}):", function.span)
    with text.deeper():
        if known.is_recursive(function.name):
            text.add("X.called()", function.span)
        if loops:
            text.add("while True:")
            with text.deeper():
                _tail(function, function.body, translator, parameters, text)
        else:
            _tail(function, function.body, translator, parameters, text)
    return variables.named


def _calls_itself(node: t.Expression, name: str) -> bool:
    match node:
        case t.Call(_, _, function):
            return function == name
        case t.When(_, _, _, then, otherwise):
            return _calls_itself(then, name) or _calls_itself(otherwise, name)
        case t.Let(_, _, _, _, body):
            return _calls_itself(body, name)
        case t.Case(_, _, _, branches):
            return any(_calls_itself(branch.value, name) for branch in branches)
    return False


def _tail(function: Function, node: t.Expression, e: Expressions, parameters: Sequence[str], text: Text) -> None:
    """Statements that return the value of an expression."""
    again: Callable[[t.Expression], None] = lambda inner: _tail(function, inner, e, parameters, text)  # noqa: E731
    match node:
        case t.Call(span, _, name, arguments) if name == function.name:
            if parameters:
                text.add(f"{', '.join(parameters)}, = {e.tuple(arguments)}", span)
            text.add("X.turn()", span)
            text.add("continue")
        case t.When(span, _, condition, then, otherwise):
            text.add(f"if {e.text(condition)}:", span)
            with text.deeper():
                again(then)
            again(otherwise)
        case t.Let(span, _, name, value, body):
            text.add(f"{e.variables.bound(name)} = {e.text(value)}", span)
            again(body)
        case t.Case(span, _, subject, branches):
            variable = e.variables.fresh()
            text.add(f"{variable} = {e.text(subject)}", span)
            for branch in branches:
                text.add(f"if {e.test(branch.pattern, variable)}:", branch.pattern.span)
                with text.deeper():
                    again(branch.value)
            text.add("return no_match()", span)
        case _:
            text.add(f"return {e.text(node)}", node.span)
