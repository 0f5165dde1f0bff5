"""Rewrites the functions of a module so that every access to memory is announced, and nothing else changes."""

from __future__ import annotations

import ast
import warnings
from types import CodeType

from everypath.errors import Span
from everypath.race.observe.attributes import GLOBALS, STORED, forget
from everypath.race.observe.bodies import Body
from everypath.race.observe.expressions import Place
from everypath.race.observe.shared_variables import Bindings
from everypath.records import dataclass

_MOST_FAILURES = 50


@dataclass(frozen=True, slots=True)
class Note:
    """A function that was left as it is, and why."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A module, ready to run."""

    code: CodeType
    notes: tuple[Note, ...]


class _Failure(Exception):
    """This function cannot be rewritten."""

    def __init__(self, line: int, column: int, name: str, reason: str) -> None:
        super().__init__(reason)
        self.where = (line, column)
        self.name = name
        self.reason = reason


def rewrite(source: str | bytes, file: str, module: str) -> Rewritten:
    """The module with its functions rewritten; those that cannot be stay native and are noted."""
    with warnings.catch_warnings():
        # The compiler has told the author already.
        warnings.simplefilter("ignore")
        return _rewrite(source, file, module)


def _rewrite(source: str | bytes, file: str, module: str) -> Rewritten:
    skipped: dict[tuple[int, int], Note] = {}
    while True:
        try:
            tree = ast.parse(source, file)
            outer = _Outside(tree, source, file, module, skipped)
            outer.visit(tree)
            _locate(tree)
            code = _compiled(tree, file)
            if code is None:
                raise _culprit(source, file, module, skipped)
        except _Failure as failure:
            # One function that cannot be rewritten must not cost the others: leave it native and begin again.
            if failure.where in skipped or len(skipped) >= _MOST_FAILURES:
                return _native(source, file, skipped, failure.reason)
            message = f"{failure.name} runs unobserved: {failure.reason}"
            skipped[failure.where] = Note(Span(file, failure.where[0], failure.where[1] + 1), message)
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
    body = Body(Place(file, "", function, None, None), Bindings(ast.Module([], []), source))
    if isinstance(tree, ast.Expression):
        tree.body = body.visit(tree.body)
    else:
        tree.body = body.block(tree.body)
    STORED.update(body.stored)
    forget()
    _locate(tree)
    kind = "eval" if isinstance(tree, ast.Expression) else "exec"
    return compile(tree, file, kind, dont_inherit=True), kind == "eval"


def _locate(tree: ast.AST) -> None:
    """New nodes stand where the node around them stands; like `ast.fix_missing_locations`, but quick."""
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


def _compiled(tree: ast.Module, file: str) -> CodeType | None:
    try:
        return compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, TypeError, RecursionError, SystemError, MemoryError):
        return None


def _native(source: str | bytes, file: str, skipped: dict[tuple[int, int], Note], reason: str) -> Rewritten:
    note = Note(Span(file, 0), f"the whole module runs unobserved: {reason}")
    return Rewritten(compile(source, file, "exec", dont_inherit=True), (*skipped.values(), note))


def _culprit(source: str | bytes, file: str, module: str, skipped: dict[tuple[int, int], Note]) -> _Failure:
    """Which of the outermost functions makes the compiler refuse the rewritten module."""
    native = ast.parse(source, file)
    compile(native, file, "exec", dont_inherit=True)
    finder = _Outside(native, source, file, module, skipped)
    places = finder.outermost(native)
    for line, column, name in places:
        tree = ast.parse(source, file)
        rest = {(other[0], other[1]): None for other in places if other[:2] != (line, column)}
        _Outside(tree, source, file, module, {**skipped, **rest}).visit(tree)
        _locate(tree)
        if _compiled(tree, file) is None:
            return _Failure(line, column, name, "the compiler does not accept its rewritten form")
    return _Failure(0, 0, module, "the compiler does not accept its rewritten form")


class _Outside(ast.NodeTransformer):
    """Module and class level, which run natively; finds the functions there."""

    def __init__(self, tree: ast.Module, source: str | bytes, file: str, module: str, skipped: object) -> None:
        self.bindings = Bindings(tree, source)
        self.stored: set[str] = set()
        self._place = Place(file, module, "", None, None)
        self._skipped = skipped

    def outermost(self, tree: ast.AST) -> list[tuple[int, int, str]]:
        """Line, column and name of every function that is not inside another."""
        found: list[tuple[int, int, str]] = []
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                found.append((node.lineno, node.col_offset, getattr(node, "name", "a lambda expression")))
            else:
                waiting.extend(ast.iter_child_nodes(node))
        return found

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        before = self._place
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        self._place = before.inside_class(node.name)
        node.body = [self.visit(each) for each in node.body]
        self._place = before
        return node

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> ast.AST:
        name = getattr(node, "name", "<lambda>")
        if (node.lineno, node.col_offset) in self._skipped:  # type: ignore[operator]
            return node
        body = Body(self._place, self.bindings)
        try:
            made = body.function(node)
        except (RecursionError, AttributeError, TypeError, ValueError, KeyError, NotImplementedError) as error:
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else f"{error}"
            raise _Failure(node.lineno, node.col_offset, self._place.inside_function(name).function, reason) from error
        self.stored |= body.stored
        return made

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function
