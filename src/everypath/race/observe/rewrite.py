"""Rewrites the functions of a module so that every access to memory is announced, and nothing else changes.

Source is rewritten, not bytecode traced: the hooks then see operands and names, at half the cost. A function that
cannot be rewritten stays native, and the result says so.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection
from types import CodeType

from everypath.cases.model import Problem
from everypath.race.observe.attributes import GLOBALS, STORED, forget
from everypath.race.observe.bodies import Body
from everypath.race.observe.call_parts import Announcing, apart, by_elements, marked_calls
from everypath.race.observe.expressions import Place
from everypath.race.observe.repeating import mark_rounds
from everypath.race.observe.shared_variables import FUNCTIONS, Bindings, nodes_within
from everypath.records import dataclass

_MOST_FAILURES = 50

Where = tuple[int, int]
"""Line and column of a function."""


def unobserved(file: str, line: int, message: str) -> Problem:
    """The problem which says that code was left as it is, and why."""
    return Problem("unsupported", file, line, message)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A module, ready to run, and what was left as it is."""

    code: CodeType
    notes: tuple[Problem, ...]


class _Failure(Exception):
    """This function cannot be rewritten."""

    def __init__(self, where: Where, name: str, reason: str) -> None:
        super().__init__(reason)
        self.where = where
        self.name = name
        self.reason = reason


def rewrite(source: str | bytes, file: str, module: str) -> Rewritten:
    """The module with its functions rewritten; functions that cannot be rewritten stay native and are noted."""
    with warnings.catch_warnings():
        # The compiler has told the author already.
        warnings.simplefilter("ignore")
        return _rewrite(source, file, module)


def _rewrite(source: str | bytes, file: str, module: str) -> Rewritten:
    skipped: dict[Where, Problem] = {}
    while True:
        try:
            outer, code = _attempt(source, file, module, skipped)
            if code is None:
                raise _culprit(source, file, module, skipped)
        except _Failure as failure:
            # One function that cannot be rewritten must not cost the others: leave it native and begin again.
            if failure.where in skipped or len(skipped) >= _MOST_FAILURES:
                return _native(source, file, skipped, failure.reason)
            message = f"{failure.name} runs unobserved: {failure.reason}"
            skipped[failure.where] = unobserved(file, failure.where[0], message)
            continue
        except RecursionError:
            return _native(source, file, skipped, "it is nested too deeply")
        GLOBALS.setdefault(module, set()).update(outer.bindings.globals)
        STORED.update(outer.stored)
        forget()
        return Rewritten(code, tuple(skipped.values()))


def rewrite_call(source: str, file: str, function: str) -> tuple[CodeType, bool]:
    """An expression or statements, rewritten like the body of a function; also whether it is an expression."""
    try:
        tree: ast.Expression | ast.Module = ast.parse(source, file, "eval")
    except SyntaxError:
        tree = ast.parse(source, file, "exec")
    marked_calls(tree)
    body = Body(Place(file, "", function, None, None), Bindings(ast.Module([], []), source))
    if isinstance(tree, ast.Expression):
        tree.body = Announcing(source).visit(body.visit(by_elements(tree.body)))
    else:
        tree.body = [Announcing(source).visit(each) for each in body.block(apart(tree.body))]
    STORED.update(body.stored)
    forget()
    _locate(tree)
    kind = "eval" if isinstance(tree, ast.Expression) else "exec"
    return compile(tree, file, kind, dont_inherit=True), kind == "eval"


def _locate(tree: ast.AST) -> None:
    """Give new nodes the place of the node around them; like `ast.fix_missing_locations`, but faster."""
    waiting: list[tuple[ast.AST, tuple[int, int, int | None, int | None]]] = [(tree, (1, 0, 1, 0))]
    while waiting:
        node, where = waiting.pop()
        if node._attributes:
            if hasattr(node, "lineno"):
                where = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
            else:
                node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = where  # type: ignore[attr-defined]
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                waiting.extend((each, where) for each in value if isinstance(each, ast.AST))
            elif isinstance(value, ast.AST) and value._fields:
                waiting.append((value, where))


def _attempt(
    source: str | bytes, file: str, module: str, skipped: Collection[Where]
) -> tuple[_Outside, CodeType | None]:
    """The module with all but the skipped functions rewritten; no code if the compiler does not accept it."""
    tree = ast.parse(source, file)
    outer = _Outside(Bindings(tree, source), Place(file, module, "", None, None), skipped)
    outer.visit(tree)
    _locate(tree)
    try:
        return outer, compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, TypeError, RecursionError, SystemError, MemoryError):
        return outer, None


def _native(source: str | bytes, file: str, skipped: dict[Where, Problem], reason: str) -> Rewritten:
    note = unobserved(file, 0, f"the whole module runs unobserved: {reason}")
    return Rewritten(compile(source, file, "exec", dont_inherit=True), (*skipped.values(), note))


def _culprit(source: str | bytes, file: str, module: str, skipped: Collection[Where]) -> _Failure:
    """The outermost function that makes the compiler refuse the rewritten module."""
    native = ast.parse(source, file)
    compile(native, file, "exec", dont_inherit=True)
    places = _outermost(native)
    # All others are left native in turn: whoever still fails alone is to blame.
    for where, name in places.items():
        if _attempt(source, file, module, {*skipped, *(places.keys() - {where})})[1] is None:
            return _Failure(where, name, "the compiler does not accept its rewritten form")
    return _Failure((0, 0), module, "the compiler does not accept its rewritten form")


def _outermost(tree: ast.AST) -> dict[Where, str]:
    """The name of every function that is not inside another."""
    functions = (node for node in nodes_within([tree], FUNCTIONS) if isinstance(node, FUNCTIONS))
    return {(node.lineno, node.col_offset): getattr(node, "name", "a lambda expression") for node in functions}


class _Outside(ast.NodeTransformer):
    """Module and class level, which run natively; finds the functions there."""

    def __init__(self, bindings: Bindings, place: Place, skipped: Collection[Where]) -> None:
        self.bindings = bindings
        self.stored: set[str] = set()
        self._place = place
        self._skipped = skipped

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        before = self._place
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        self._place = before.inside_class(node.name)
        for statement in node.body:
            mark_rounds(statement)
        node.body = [self.visit(each) for each in node.body]
        self._place = before
        return node

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> ast.AST:
        name = getattr(node, "name", "<lambda>")
        where = node.lineno, node.col_offset
        if where in self._skipped:
            return node
        body = Body(self._place, self.bindings)
        try:
            made = body.function(node)
        except (RecursionError, AttributeError, TypeError, ValueError, KeyError, NotImplementedError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else f"{error}"
            raise _Failure(where, self._place.inside_function(name).function, reason) from error
        self.stored |= body.stored
        return made

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function
