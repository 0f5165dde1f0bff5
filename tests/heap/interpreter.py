"""Runs a random program on the real interpreter with an instrumented copy that records every event."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from everypath.cases.concretise import Concrete
from everypath.cases.model import HeapState, Literal, ObjectState, Pointer, Returned, SequenceState, TupleValue, Value
from tests.heap.engine import Behaviour, Event
from tests.heap.programs import Program


class _Instrument(ast.NodeTransformer):
    """Wraps every leaf of a test and every read of a field or element in a call that records it."""

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._tested(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._tested(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._tested(node)

    def _tested(self, node: ast.If | ast.IfExp | ast.While) -> ast.AST:
        node.test = self._test(node.test)
        self.generic_visit(node)
        return node

    def _test(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp):
            test.values = [self._test(value) for value in test.values]
            return test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self._test(test.operand)
            return test
        return _call("_branch", test, _constant(test.lineno), _constant(test.col_offset + 1))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        # The name of a method is looked up by the call itself.
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return _call("_field", node.value, _constant(node.attr), _constant(node.lineno))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            self.generic_visit(node)
            return node
        self.generic_visit(node)
        return _call("_item", node.value, node.slice, _constant(node.lineno))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node


def _constant(value: object) -> ast.expr:
    return ast.Constant(value)


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    place = arguments[0]
    call = ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
    # The traceback must name the line of the original.
    ast.copy_location(call, place)
    return ast.fix_missing_locations(call)


class Instrumented:
    """A program ready to run; `read` gets the value of a field, and may make it up first."""

    def __init__(self, program: Program, read: Callable[[Any, str], Any] = getattr) -> None:
        self.events: list[Event] = []
        record = self.events.append

        def branch(value: Any, line: int, column: int) -> Any:
            record(("branch", line, column, bool(value)))
            return value

        def field(owner: Any, name: str, line: int) -> Any:
            value = read(owner, name)
            record(("field", line, name))
            return value

        def item(owner: Any, index: Any, line: int) -> Any:
            value = owner[index]
            record(("item", line))
            return value

        self.namespace: dict[str, Any] = {"__name__": "sample", "_branch": branch, "_field": field, "_item": item}
        tree = _Instrument().visit(ast.parse(program.source))
        exec(compile(tree, "<instrumented>", "exec"), self.namespace)

    def run(self, arguments: list[Any]) -> tuple[Behaviour, Any]:
        """Call the program's function: what it did, and what it returned unless it raised."""
        self.events.clear()
        try:
            value = self.namespace["subject"](*arguments)
        except Exception as error:
            return (tuple(self.events), f"{type(error).__name__} in line {_line(error)}"), None
        return (tuple(self.events), "returned"), value


def _line(error: Exception) -> int:
    """The innermost line of the program itself."""
    found = 0
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == "<instrumented>":
            found = step.tb_lineno
        step = step.tb_next
    return found


class Objects:
    """The objects of a case, by the names they have in it."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.known: dict[str, Any] = {}
        self.names: dict[int, str] = {}

    def build(self, concrete: Concrete) -> list[Any]:
        """The arguments of the call, with the object graph that the case describes."""
        heap = concrete.inputs.heap
        for name, state in heap.items():
            blank = [] if isinstance(state, SequenceState) else object.__new__(self.namespace[_class(state)])
            self._add(name, blank)
        for name, state in heap.items():
            if isinstance(state, SequenceState):
                self.known[name].extend(self._value(item) for item in state.items)
            else:
                assert isinstance(state, ObjectState)
                vars(self.known[name]).update((field, self._value(value)) for field, value in state.fields)
        return [self._value(value) for _, value, _ in concrete.inputs.arguments]

    def _add(self, name: str, made: Any) -> None:
        self.known[name] = made
        self.names[id(made)] = name

    def _value(self, value: Value) -> Any:
        match value:
            case Literal(value=atom):
                return atom
            case TupleValue(items=items):
                return tuple(self._value(item) for item in items)
            case Pointer(id=name):
                return self.known[name]
        raise AssertionError(value)

    def differences(self, concrete: Concrete, result: Any) -> list[str]:
        """Where the objects after the call, or its result, are not what the case predicts."""
        expected = concrete.expected
        found: list[str] = []
        agenda: list[tuple[str, Value, Any]] = []
        compared: set[str] = set()
        if isinstance(expected.outcome, Returned):
            agenda.append(("the result", expected.outcome.value, result))
        agenda += [(name, Pointer(name), self.known[name]) for name in concrete.inputs.heap]
        while agenda:
            where, value, real = agenda.pop()
            if isinstance(value, Literal):
                if type(real) is not type(value.value) or real != value.value:
                    found.append(f"{where} is {real!r}, not {value.value!r}")
            elif isinstance(value, TupleValue):
                if not isinstance(real, tuple) or len(real) != len(value.items):
                    found.append(f"{where} is {real!r}, not a tuple of {len(value.items)}")
                else:
                    agenda += [(f"{where}[{i}]", v, r) for i, (v, r) in enumerate(zip(value.items, real))]
            else:
                assert isinstance(value, Pointer)
                if value.id not in self.known and id(real) not in self.names:
                    self._add(value.id, real)
                if self.known.get(value.id) is not real:
                    found.append(f"{where} is {self.names.get(id(real), real)!r}, not the object {value.id!r}")
                elif value.id not in compared:
                    compared.add(value.id)
                    agenda += self._parts(value.id, expected.heap[value.id], real, found)
        return found

    def _parts(self, name: str, state: HeapState, real: Any, found: list[str]) -> list[tuple[str, Value, Any]]:
        if isinstance(state, SequenceState):
            if not isinstance(real, list) or len(real) != len(state.items):
                found.append(f"{name} is {real!r}, not a list of {len(state.items)}")
                return []
            return [(f"{name}[{i}]", v, r) for i, (v, r) in enumerate(zip(state.items, real))]
        assert isinstance(state, ObjectState)
        fields = dict(state.fields)
        if type(real) is not self.namespace[state.cls] or vars(real).keys() != fields.keys():
            found.append(
                f"{name} is a {type(real).__name__} with {sorted(vars(real))}, not {state.cls} {sorted(fields)}"
            )
            return []
        return [(f"{name}.{field}", value, getattr(real, field)) for field, value in fields.items()]


def _class(state: HeapState) -> str:
    assert isinstance(state, ObjectState)
    return state.cls
