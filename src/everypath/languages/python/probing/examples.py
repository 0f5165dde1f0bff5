"""Calls with known arguments that are written down somewhere: in a module, its docstrings, the project's tests.

A search begins with them. The project's tests and its other modules also tell how objects of its classes are made, and
which texts belong to a function. Nothing of them is run: their files are only read.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from everypath.languages.python.probing.expressions import (
    After,
    Call,
    Code,
    Entries,
    Expr,
    Items,
    Method,
    Name,
    place_of,
)
from everypath.languages.python.probing.projects import callers_of
from everypath.languages.python.probing.vocabulary import Words
from everypath.records import dataclass, field

_PROMPT = re.compile(r"^\s*>>> (.+)$", re.MULTILINE)
_MOST_OF_ONE = 12
"""Calls of one function that are taken from a project."""
_MOST_ROWS = 8
_LONGEST = 2_000
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def shown_calls(module: types.ModuleType, tree: ast.Module) -> Iterator[Expr]:
    """Calls that the module's own text or documentation shows."""
    nodes: list[ast.AST] = list(ast.walk(tree))
    for node in list(nodes):
        text = _docstring(node)
        for line in _PROMPT.findall(text) if text else ():
            try:
                nodes += ast.walk(ast.parse(line.strip()))
            except (SyntaxError, ValueError):
                continue
    held = {name: (module.__name__, name) for name, value in vars(module).items() if callable(value)}
    reader = _Reader(held, {})
    yield from (read for node in nodes if isinstance(node, ast.Call) and (read := reader.read(node)) is not None)


def subject_of(expr: Expr, module: str, by_name: Mapping[str, int]) -> int | None:
    """What a call is about, of what a module offers: the function, the class, the method of an object that it makes."""
    if isinstance(expr, Call):
        return by_name.get(expr.name) if expr.module == module else None
    target = expr.target if isinstance(expr, Method) else None
    if isinstance(target, After):
        target = target.target
    if isinstance(expr, Method) and isinstance(target, (Call, Name)) and target.module == module:
        return by_name.get(f"{target.name}.{expr.name}", by_name.get(target.name))
    return None


def _docstring(node: ast.AST) -> str | None:
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return ast.get_docstring(node)
    return None


@dataclass(slots=True)
class Practice:
    """How the files of a project use one of its modules."""

    calls: list[Expr] = field(default_factory=list)
    """calls of what the module offers, and of what makes objects"""
    words: dict[str, Words] = field(default_factory=dict)
    """texts and numbers of the tests of a function, by its name alone"""


def practice_of(module: types.ModuleType) -> Practice:
    """What a project's tests, and then its other modules, show of a module and of classes that it uses."""
    found = Practice()
    counted: dict[tuple[str, str], int] = {}
    package = module.__name__.partition(".")[0]
    places = [place_of(value) for value in vars(module).values() if callable(value)]
    # Functions and classes of the module, and of other ones of its package.
    wanted = {place for place in places if place is not None and place[0].partition(".")[0] == package}
    for caller in callers_of(module):
        for function in _functions(caller.tree):
            for row in _rows(function):
                reader = _Reader(caller.held, caller.modules, {**_constants(function), **row}, whole=False)
                for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                    place = reader.called(call)
                    read = reader.read(call) if place in wanted else None
                    if read is None or place is None:
                        continue
                    counted[place] = counted.get(place, 0) + 1
                    if caller.tests:
                        _note_words(function, found.words.setdefault(place[1].rpartition(".")[2], Words()))
                    if counted[place] <= _MOST_OF_ONE and read not in found.calls:
                        found.calls.append(read)
    return found


def _functions(tree: ast.Module) -> Iterator[_Function]:
    return (node for node in ast.walk(tree) if isinstance(node, _Function))


def _note_words(function: _Function, words: Words) -> None:
    for node in ast.walk(function):
        if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
            words.add(node.value)


def _constants(function: _Function) -> dict[str, ast.expr]:
    """Local variables that are given a value once."""
    given: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given.setdefault(name, []).append(value)
    return {name: values[0] for name, values in given.items() if len(values) == 1}


def _rows(function: _Function) -> list[dict[str, ast.expr]]:
    """The values that `pytest.mark.parametrize` gives the parameters of a test, a few rows of them."""
    rows: list[dict[str, ast.expr]] = []
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(
                func=ast.Attribute(attr="parametrize"), args=[names, ast.List(elts=given) | ast.Tuple(elts=given), *_]
            ):
                known = _names(names)
                for each in given[:_MOST_ROWS]:
                    if isinstance(each, ast.Call):
                        # pytest.param
                        values: Sequence[ast.expr] = each.args
                    else:
                        values = each.elts if len(known) > 1 and isinstance(each, (ast.Tuple, ast.List)) else [each]
                    rows.append(dict(zip(known, values)))
    return rows or [{}]


def _names(node: ast.expr) -> list[str]:
    match node:
        case ast.Constant(value=str() as text):
            return re.findall(r"\w+", text)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return [each.value for each in items if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return []


class _Reader:
    """Reads the expressions of one file that are made of literals and of what modules hold."""

    def __init__(
        self,
        held: Mapping[str, tuple[str, str]],
        modules: Mapping[str, str],
        variables: Mapping[str, ast.expr] | None = None,
        whole: bool = True,
    ) -> None:
        self._held = held
        """name -> module and name of what it means"""
        self._modules = modules
        """name -> module"""
        self._variables = dict(variables or {})
        self._whole = whole
        """whether a call counts only if all its arguments can be read"""

    def called(self, node: ast.Call) -> tuple[str, str] | None:
        """The module and name of what is called."""
        return self._place(node.func)

    def read(self, node: ast.expr) -> Expr | None:
        """An expression of the source, if it can be written down somewhere else."""
        match node:
            case ast.Constant(value=value) if value is not Ellipsis and len(str(value)) <= _LONGEST:
                return Code(repr(value))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return Code(repr(-value))
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                read = self._all(items)
                return Items(type(node).__name__.lower(), read) if read is not None else None
            case ast.Dict(keys=keys, values=values):
                first, second = self._all(keys), self._all(values)
                return Entries(tuple(zip(first, second))) if first is not None and second is not None else None
            case ast.Name(id=name) if name in self._variables:
                # Not again inside of itself.
                behind = self._variables.pop(name)
                try:
                    return self.read(behind)
                finally:
                    self._variables[name] = behind
            case ast.Name() | ast.Attribute() if (place := self._place(node)) is not None:
                return Name(*place)
            case ast.Call():
                return self._call(node)
        return None

    def _call(self, node: ast.Call) -> Expr | None:
        given, named = self._arguments(node)
        if given is None:
            return None
        place = self._place(node.func)
        if place is not None:
            return Call(*place, given, named)
        if isinstance(node.func, ast.Attribute):
            target = self.read(node.func.value)
            return Method(target, node.func.attr, given, named) if isinstance(target, (Call, Method, Name)) else None
        return None

    def _arguments(self, node: ast.Call) -> tuple[tuple[Expr, ...] | None, tuple[tuple[str, Expr], ...]]:
        """What a call is given; where that need not be whole, something unknown is a mock or left out."""
        keywords = [(each.arg, self.read(each.value)) for each in node.keywords]
        named = tuple((name, value) for name, value in keywords if name is not None and value is not None)
        if self._whole:
            return self._all(node.args) if len(named) == len(node.keywords) else None, named
        given = [self.read(each) for each in node.args]
        if any(isinstance(each, ast.Starred) for each in node.args) or (given and not any(given) and not named):
            return None, ()
        return tuple(each or Call("unittest.mock", "MagicMock") for each in given), named

    def _all(self, nodes: Sequence[ast.expr | None]) -> tuple[Expr, ...] | None:
        """All expressions, if each of them can be read; a `**` in a dict has no key."""
        found = [self.read(node) for node in nodes if node is not None]
        read = tuple(each for each in found if each is not None)
        return read if len(read) == len(nodes) else None

    def _place(self, node: ast.expr) -> tuple[str, str] | None:
        """The module and dotted name of what a chain of names means."""
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self._variables:
            return None
        if node.id in self._held:
            module, name = self._held[node.id]
            return (module, ".".join([name, *names])) if not names or self._is_held(module, name, names) else None
        if node.id in self._modules and names:
            module = self._modules[node.id]
            while len(names) > 1 and f"{module}.{names[0]}" in sys.modules:
                module = f"{module}.{names.pop(0)}"
            return (module, ".".join(names)) if self._is_held(module, "", names) else None
        return None

    def _is_held(self, module: str, name: str, names: list[str]) -> bool:
        value: Any = sys.modules.get(module)
        for each in [*[name] * bool(name), *names]:
            if each not in getattr(value, "__dict__", ()):
                return False
            value = vars(value)[each]
        return isinstance(value, type) or callable(value) or name == ""
