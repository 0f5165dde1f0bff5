"""Rewrites functions and their statements, so that entries, exits, loops and assignments are announced."""

from __future__ import annotations

import ast
from typing import Any, TypeVar

from everypath.race.observe.branches import Branch, branch_number
from everypath.race.observe.call_parts import NextRound
from everypath.race.observe.expressions import Expressions, signs, target_wording, wording
from everypath.race.observe.repeating import mark_rounds
from everypath.race.observe.shared_variables import FUNCTIONS, Function, mangle, nodes_within

_Located = TypeVar("_Located", bound=ast.AST)

FRAME = "__everypath_frame__"
"""The variable of a generator or coroutine that knows whether it runs."""

_DISPLAY = (ast.Tuple, ast.List, ast.Constant)


class Body(Expressions):
    """One function and those inside it."""

    # Functions.

    def function(self, node: Function) -> ast.AST:
        """A function, announced at its beginning and end; decorators, defaults and annotations stay native."""
        place, suspends = self.place, self.suspends
        self._outside(node)
        self.place = place.inside_function(getattr(node, "name", "<lambda>"), node)
        if isinstance(node, ast.Lambda):
            self.suspends = False
            node.body = ast.IfExp(self.hook("begin"), self.visit(node.body), ast.Constant(None))
        else:
            self.suspends = isinstance(node, ast.AsyncFunctionDef) or (self.bindings.yields and _yields(node))
            self._body(node)
        self.place, self.suspends = place, suspends
        return node

    def _outside(self, node: Function) -> None:
        """Rewrite functions inside defaults and decorators, which are evaluated natively before the function exists."""
        inner = _Lambdas(self)
        inner.visit(node.args)
        for decorator in getattr(node, "decorator_list", ()):
            inner.visit(decorator)

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        keep = 1 if ast.get_docstring(node, clean=False) is not None else 0
        body = node.body[keep:] or [ast.copy_location(ast.Pass(), node.body[0])]
        first, last = body[0], body[-1]
        site = ast.Constant(self.site(node, node.name))
        begin: list[ast.stmt] = [
            ast.Assign([ast.Name(f"__everypath_{name}__", ast.Store())], self.hook("cell", ast.Constant(name)))
            for name in self.bindings.cells(node)
        ]
        end: ast.expr
        if self.suspends:
            frame = ast.Name(FRAME, ast.Store())
            begin.insert(0, ast.Assign([frame], self.hook("suspendable", site)))
            end = self._frame("end")
        else:
            begin.insert(0, ast.Expr(self.hook("enter", site)))
            end = self.hook("leave", site)
        rewritten = ast.Try(self.block(body), [], [], [ast.copy_location(ast.Expr(end), last)])
        header = ast.copy_location(ast.Pass(), node)
        header.end_lineno, header.end_col_offset = node.lineno, node.col_offset + 1
        node.body = [
            *node.body[:keep],
            *(ast.copy_location(statement, header) for statement in begin),
            ast.copy_location(rewritten, first),
        ]

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.assigns(node.name, node)
        return self.function(node)

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Lambda = function

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.assigns(node.name, node)
        place = self.place
        inner = _Lambdas(self)
        for each in [*node.decorator_list, *node.bases, *node.keywords]:
            inner.visit(each)
        self.place = place.inside_class(node.name)
        for statement in node.body:
            mark_rounds(statement)
            inner.visit(statement)
        self.place = place
        return node

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        return self._pausing(node, self.visit(node.value) if node.value is not None else ast.Constant(None))

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        site = self.at(node, f"yield from {wording(node.value)}")
        return self._pausing(node, self.hook("iterate", self.visit(node.value), site))

    def visit_Await(self, node: ast.Await) -> ast.AST:
        return self._pausing(node, self.visit(node.value))

    def _pausing(self, node: ast.Yield | ast.YieldFrom | ast.Await, value: ast.expr) -> ast.AST:
        """An expression at which the function pauses, given the value, and goes on later."""
        if not self.suspends:
            node.value = value
            return node
        node.value = self._frame("pause", value)
        return ast.copy_location(self._frame("resume", node), node)

    def _frame(self, name: str, *arguments: ast.expr) -> ast.Call:
        method = ast.Attribute(ast.Name(FRAME, ast.Load()), name, ast.Load())
        return ast.Call(method, list(arguments), [])

    # Statements.

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Statements one after the other."""
        made: list[ast.stmt] = []
        outer, self.unannounced = self.unannounced, []
        for statement in statements:
            rewritten = self.visit(statement)
            for variable, node in self.unannounced:
                announced = self.write(variable, ast.Constant(None), node)
                made.append(ast.copy_location(ast.Expr(announced), statement))
            self.unannounced.clear()
            made.extend(rewritten if isinstance(rewritten, list) else [rewritten])
        self.unannounced = outer
        return made

    def _branch(self, statements: list[ast.stmt], decided: ast.AST) -> list[ast.stmt]:
        """The statements of one branch, of which there may be none, after a note that the branch was taken."""
        first: Any = statements[0] if statements else decided
        number = branch_number(Branch(self.place.file, self.place.function, first.lineno, first.col_offset))
        noted = ast.copy_location(ast.Expr(self.hook("reached", ast.Constant(number))), first)
        return [noted, *self.block(statements)]

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self.truth(node.test)
        node.body = self._branch(node.body, node)
        node.orelse = self._branch(node.orelse, node)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.type = self.visit(node.type) if node.type is not None else None
        node.body = self._branch(node.body, node)
        return node

    def generic_visit(self, node: _Located) -> _Located:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value:
                if isinstance(value[0], ast.stmt):
                    setattr(node, name, self.block(value))
                else:
                    setattr(node, name, [self.visit(each) if isinstance(each, ast.AST) else each for each in value])
            elif isinstance(value, ast.expr) and name == "test":
                # What `if`, `assert` and conditional expressions decide by.
                setattr(node, name, self.truth(value))
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def visit_NextRound(self, node: NextRound) -> ast.AST:
        return ast.copy_location(ast.Expr(self.hook("next_round")), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        unpacks = any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)
        text = f"{target_wording(node.targets[0])} = {wording(node.value)}" if unpacks else ""
        value = self.visit(node.value)
        if unpacks and not isinstance(node.value, _DISPLAY):
            value = self.hook("whole", value, self.at(node, text))
        for target in node.targets:
            variable = self.shared(target)
            if variable is not None:
                value = self.write(variable, value, target)
        node.value = value
        node.targets = [self._target(target) for target in node.targets]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return node
        value: ast.expr = self.visit(node.value)
        variable = self.shared(node.target)
        node.value = value if variable is None else self.write(variable, value, node.target)
        node.target = self._target(node.target)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        node.value = self.visit(node.value)
        variable = self.shared(node.target)
        if variable is not None:
            node.value = self.write(variable, node.value, node.target)
        return node

    def _target(self, target: Any) -> Any:
        """An assignment target; plain names have been announced together with the value."""
        return target if isinstance(target, ast.Name) else self.visit(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target = node.target
        text = f"{wording(target)} {signs(node.op)}= {wording(node.value)}"
        if isinstance(target, ast.Name):
            return self._augmented_name(node, target, text)
        hook = "update_at"
        if isinstance(target, ast.Attribute):
            self.stored.add(mangle(target.attr, self.place.cls))
            hook = "update"
        sites = self.at(target), self.at(node, text)
        target.value = self.hook(hook, self.visit(target.value), *sites)
        if isinstance(target, ast.Subscript):
            target.slice = self.visit(target.slice)
        node.value = self.visit(node.value)
        return node

    def _augmented_name(self, node: ast.AugAssign, target: ast.Name, text: str) -> ast.AST:
        variable = self.shared(target)
        if variable is None and isinstance(node.value, ast.Constant) and not isinstance(node.value.value, bytes):
            return node
        loaded = self.visit(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        site = self.at(node, text)
        value: ast.expr = self.hook("in_place", ast.Constant(signs(node.op)), loaded, self.visit(node.value), site)
        if variable is not None:
            value = self.write(variable, value, target)
        return ast.copy_location(ast.Assign([target], ast.copy_location(value, node)), node)

    def visit_For(self, node: ast.For) -> ast.AST:
        site = self.at(node.iter, f"for {target_wording(node.target)} in {wording(node.iter)}")
        node.iter = ast.copy_location(self.hook("iterate", self.visit(node.iter), site), node.iter)
        node.target = self.visit(node.target)
        self._loop(node)
        return node

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.target = self.visit(node.target)
        self._loop(node)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self.truth(node.test)
        self._loop(node)
        return node

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        node.body = self._branch(node.body, node)
        back = ast.copy_location(ast.Expr(self.hook("again")), node)
        back.end_lineno, back.end_col_offset = node.lineno, node.col_offset + 1
        node.body.append(back)
        node.orelse = self.block(node.orelse)

    def visit_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        # It skips the mark at the end of the loop's body.
        return [ast.copy_location(ast.Expr(self.hook("again")), node), node]

    def visit_Match(self, node: ast.Match) -> ast.AST:
        text = f"match {wording(node.subject)}"
        patterns = nodes_within([case.pattern for case in node.cases])
        attributes = any(isinstance(inner, ast.MatchClass) for inner in patterns)
        hook = "matched" if attributes else "whole"
        node.subject = self.hook(hook, self.visit(node.subject), self.at(node.subject, text))
        for case in node.cases:
            if case.guard is not None:
                case.guard = self.truth(case.guard)
            case.body = self._branch(case.body, node)
        return node


class _Lambdas(ast.NodeTransformer):
    """Code that stays native, except for the functions in it."""

    def __init__(self, body: Body) -> None:
        self._body = body

    def visit(self, node: Any) -> Any:
        if isinstance(node, FUNCTIONS):
            return self._body.function(node)
        return self._body.visit_ClassDef(node) if isinstance(node, ast.ClassDef) else self.generic_visit(node)


def _yields(function: ast.FunctionDef) -> bool:
    inside = nodes_within(function.body, (*FUNCTIONS, ast.ClassDef))
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inside)
