"""Methods that only repeat another method of the same object, such as `update`, `extend` and `clear`.

    def update(self, items):
        for key, value in items:
            self[key] = value

Whoever calls such a method could have written the loop, and the object does nothing before, between or after the rounds
that it would not also do for such a caller. So each round is as undivided as a call, and the whole is several calls.

This is read off the source, and narrowly: one public operation, in loops alone, whose result is not used, and the
object not looked at otherwise. A method that takes a lock around its loop, reads a field, or does two things in turn
(withdraw here, deposit there) promises more than its caller could have had, and stays one call.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
from types import FunctionType

from everypath.race.observe.call_parts import Announcing, NextRound


def mark_rounds(function: ast.AST) -> None:
    """Mark the beginning of each round in a method that only repeats an operation; others stay as they are."""
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return
    arguments = [*function.args.posonlyargs, *function.args.args]
    if not arguments:
        return
    reader = _Reader(arguments[0].arg)
    try:
        reader.most(function.body, in_loop=False)
    except _MoreThanThat:
        return
    if len(reader.repeated) == 1:
        for statements, operation in reader.found:
            statements.insert(statements.index(operation), ast.copy_location(NextRound(), operation))


@functools.lru_cache(maxsize=256)
def announcing_rounds(function: FunctionType) -> FunctionType | None:
    """A method of a class that is not rewritten, with its rounds announced; None if it does not only repeat one."""
    # Where modules are frozen into the interpreter, the code does not tell its file.
    lines = linecache.getlines(function.__globals__.get("__file__") or "", function.__globals__)
    block = inspect.getblock(lines[function.__code__.co_firstlineno - 1 :])
    try:
        tree = ast.parse(textwrap.dedent("".join(block)))
    except SyntaxError:
        return None
    if function.__closure__ or len(tree.body) != 1:
        return None
    (method,) = tree.body
    mark_rounds(method)
    if not isinstance(method, ast.FunctionDef) or not any(isinstance(node, NextRound) for node in ast.walk(method)):
        return None
    # What annotations and defaults say was computed where it was defined.
    method.returns, defined = None, method.args
    for argument in ast.walk(defined):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    defined.defaults = [ast.Constant(None) for _ in defined.defaults]
    defined.kw_defaults = [None if each is None else ast.Constant(None) for each in defined.kw_defaults]
    made: dict[str, object] = {}
    marked = ast.fix_missing_locations(Announcing("").visit(tree))
    exec(compile(marked, function.__code__.co_filename, "exec", dont_inherit=True), function.__globals__, made)
    found = made[method.name]
    assert isinstance(found, FunctionType)
    found.__defaults__, found.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return found


class _MoreThanThat(Exception):
    """The method does something else with its object."""


class _Reader:
    """Looks for the one operation that a method repeats."""

    def __init__(self, this: str) -> None:
        self._this = this
        self.repeated: set[str] = set()
        """the names of the operations"""
        self.found: list[tuple[list[ast.stmt], ast.stmt]] = []
        """each operation, and the statements among which it stands"""

    def most(self, statements: list[ast.stmt], in_loop: bool) -> int:
        """How many operations are done at most, each loop being one; more than one in a round are too many."""
        total = 0
        for statement in statements:
            name = self._operation(statement)
            if name is None:
                total += self._within(statement, in_loop)
            elif in_loop:
                self.repeated.add(name)
                self.found.append((statements, statement))
                total += 1
            else:
                raise _MoreThanThat
        if in_loop and total > 1:
            raise _MoreThanThat
        return total

    def _within(self, statement: ast.stmt, in_loop: bool) -> int:
        match statement:
            case ast.For(iter=asked, body=body, orelse=rest) | ast.While(test=asked, body=body, orelse=rest):
                self._apart_from(asked)
                return max(self.most(body, in_loop=True), self.most(rest, in_loop))
            case ast.If(test=asked, body=body, orelse=rest):
                self._apart_from(asked)
                return max(self.most(body, in_loop), self.most(rest, in_loop))
            case ast.Try(body=body, handlers=handlers, orelse=rest, finalbody=last):
                caught = [self.most(each.body, in_loop) for each in handlers]
                return self.most([*rest, *last], in_loop) + max([self.most(body, in_loop), *caught])
            case ast.Return(value=None | ast.Name()):
                return 0
        self._apart_from(statement)
        return 0

    def _operation(self, statement: ast.stmt) -> str | None:
        """The public operation on the object that this statement is, and nothing else."""
        match statement:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(this), name), arguments, keywords)):
                rest: list[ast.AST] = [*arguments, *keywords]
                public = not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
            case ast.Assign([ast.Subscript(ast.Name(this), key)], value):
                rest, name, public = [key, value], "__setitem__", True
            case ast.Delete([ast.Subscript(ast.Name(this), key)]):
                rest, name, public = [key], "__delitem__", True
            case _:
                return None
        if this != self._this or not public:
            return None
        for each in rest:
            self._apart_from(each)
        return name

    def _apart_from(self, node: ast.AST) -> None:
        """Make sure that this has nothing to do with the object; asking whether something is the object has not."""
        match node:
            case ast.Compare(ast.Name(), [ast.Is() | ast.IsNot()], [ast.Name()]):
                return
            case ast.Name(name) if name == self._this:
                raise _MoreThanThat
            case ast.With() | ast.Yield() | ast.YieldFrom() | ast.Await() | ast.Global() | ast.Nonlocal():
                raise _MoreThanThat
        # `super()` finds the object without naming it.
        if isinstance(node, ast.Name) and node.id == "super":
            raise _MoreThanThat
        for inner in ast.iter_child_nodes(node):
            self._apart_from(inner)
