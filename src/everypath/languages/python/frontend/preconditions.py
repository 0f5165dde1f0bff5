"""What callers of a function promise, as conditions on its parameters.

A precondition is an expression. It comes from the command line, from a comment `# requires: x > 0` above the function,
from what annotated types say (`Annotated[int, Gt(0)]`), from the decorators of icontract and deal, or, if the user says
so, from the assertions with which the function begins. Libraries are recognised by their names; nothing of them is
imported. Each precondition becomes a function of its own in the program, which the search calls before the call under
test.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import io
import re
import tokenize
from collections.abc import Iterator, Sequence

from everypath.errors import BadInput, Span
from everypath.ir.names import requirement
from everypath.languages.base import MISTAKE, Promised, Requirement, SourceProblem
from everypath.languages.python.frontend.harmless import check_harmless
from everypath.languages.python.frontend.link import Linker
from everypath.languages.python.frontend.modules import (
    FunctionBinding,
    FunctionNode,
    ModuleSource,
    arguments,
)
from everypath.languages.python.frontend.nodes import walk
from everypath.languages.python.frontend.promised_models import PromisedModels
from everypath.languages.python.frontend.syntax import PROMISED, placed
from everypath.languages.python.frontend.types_said import said_by
from everypath.records import dataclass

_COMMENT = re.compile(r"#\s*requires:\s*(.*)")
_PREFIXED = re.compile(r"\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*:(?!=)\s*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Precondition:
    """A condition on the parameters of one function."""

    text: str
    condition: ast.expr
    names: tuple[str, ...]
    """the parameters that it reads"""
    span: Span
    said: str = ""
    """what the command line says, where it comes from there"""


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line says."""

    texts: tuple[str, ...] = ()
    asserts: bool = False
    """whether assertions at the beginning of a function are preconditions"""


def requirements(
    linker: Linker, module: ModuleSource, named: Sequence[tuple[str, str, str]], given: Given
) -> dict[tuple[str, str, str], Promised]:
    """What callers of the entries promise; each promise becomes a function of the program."""
    conditions = Preconditions(module, given, PromisedModels(linker, module))
    for line in conditions.astray():
        message = "'# requires:' says something only right above a function or a method that can be called from outside"
        linker.problems.add("note", Span(module.file, line), message)
    found: dict[tuple[str, str, str], Promised] = {}
    for cls, method, qualname in named:
        owner = next((info for info in linker.line(cls) if method in info.functions), None)
        binding = module.bindings.get(method)
        node = owner.functions[method].node if owner else getattr(binding, "node", None)
        if not isinstance(node, FunctionNode):
            continue
        receives = owner is not None and owner.functions[method].kind in ("instance", "property")
        promises = conditions.asked_for(qualname, node)
        try:
            promises += conditions.in_the_text(node, cls if receives and method != "__init__" else "")
        except BadInput as error:
            # Other functions of the module have nothing to do with it.
            found[cls, method, qualname] = SourceProblem(error.span, MISTAKE, error.message)
            continue
        # An invariant is said by the class and by its methods.
        promises = list({each.text: each for each in reversed(promises)}.values())[::-1]
        made = [(each, conditions.add(each, node, owner.qualname if owner else "")) for each in promises]
        for _, name in made:
            linker.need_function(module, None, name)
        found[cls, method, qualname] = tuple(Requirement(each.text, name, each.names, each.said) for each, name in made)
    return found


class Preconditions:
    """The preconditions of the entries of one module."""

    def __init__(self, module: ModuleSource, given: Given, models: PromisedModels) -> None:
        self._module = module
        self._given = [_parsed(text) for text in given.texts]
        self._asserts = given.asserts
        self._models = models
        self._count = 0
        self._lines: list[str] | None = None

    def in_the_text(self, node: FunctionNode, receiver: str) -> list[Precondition]:
        """The preconditions of a function, of a method if its object has a class; BadInput for what is none."""
        found = [*self._commented(node), *self._contracted(node), *self._annotated(node), *self._asserted(node)]
        return self._harmless([*found, *self._modelled(node, receiver)])

    def asked_for(self, qualname: str, node: FunctionNode) -> list[Precondition]:
        """What the command line says about a function; BadInput for what is no precondition."""
        return self._harmless(self._asked_for(qualname, node))

    def _harmless(self, found: list[Precondition]) -> list[Precondition]:
        for each in found:
            check_harmless(each.condition, each.text, each.span, self._module.tree)
        return found

    def add(self, each: Precondition, node: FunctionNode, owner: str) -> str:
        """Make a function of a precondition; its name in the program."""
        self._count += 1
        name = requirement(self._count)
        annotations = {arg.arg: arg.annotation for arg in arguments(node)}
        args = [ast.arg(each_name, copy.deepcopy(annotations.get(each_name))) for each_name in each.names]
        own = arguments(node)
        if owner and own and args and args[0].arg == own[0].arg and args[0].annotation is None:
            args[0].annotation = ast.parse(owner, mode="eval").body
        body: list[ast.stmt] = [ast.Return(copy.deepcopy(each.condition))]
        made = ast.FunctionDef(name, ast.arguments([], args, None, [], [], None, []), body, [], None)
        made.lineno, made.col_offset = each.span.line, 0
        self._module.bindings[name] = FunctionBinding(placed(made, each.span.line))
        return name

    def _asked_for(self, qualname: str, node: FunctionNode) -> list[Precondition]:
        params = [arg.arg for arg in arguments(node)]
        found = []
        for text, target, condition in self._given:
            names = _names(condition)
            own = tuple(name for name in params if name in names)
            known = all(name in params or self._is_global(name) for name in names)
            # One that assigns is refused below, whatever else it reads.
            assigns = any(isinstance(part, ast.NamedExpr) and part.target.id in params for part in walk(condition))
            if target in ("", qualname) and (own or assigns) and known:
                span = Span(self._module.file, node.lineno)
                found.append(Precondition(ast.unparse(condition), condition, own, span, text))
        return found

    def _is_global(self, name: str) -> bool:
        return name in self._module.bindings or hasattr(builtins, name)

    def _commented(self, node: FunctionNode) -> Iterator[Precondition]:
        """The comments right above a function and its decorators."""
        for number, line in reversed([*self._above(node)]):
            if match := _COMMENT.match(line):
                span = Span(self._module.file, number)
                yield self._fitting(_expression(match[1], "requires: ", span), node, span)

    def astray(self) -> list[int]:
        """The lines of comments that look like preconditions and stand where they are none."""
        comments: set[int] = set()
        readable = io.StringIO("\n".join(self._text()))
        with contextlib.suppress(tokenize.TokenError, SyntaxError):
            for token in tokenize.generate_tokens(readable.readline):
                if token.type == tokenize.COMMENT and _COMMENT.match(token.string):
                    comments.add(token.start[0])
        if comments:
            owners = [self._module.tree, *(each for each in walk(self._module.tree) if isinstance(each, ast.ClassDef))]
            for node in (each for owner in owners for each in _statements(owner) if isinstance(each, FunctionNode)):
                comments.difference_update(line for line, _ in self._above(node))
        return sorted(comments)

    def _above(self, node: FunctionNode) -> Iterator[tuple[int, str]]:
        """The lines of the comments right above a function and its decorators, the last one first."""
        lines = self._text()
        at = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
        while at > 0 and (line := lines[at - 1].strip()).startswith("#"):
            yield at, line
            at -= 1

    def _text(self) -> list[str]:
        if self._lines is None:
            try:
                self._lines = self._module.path.read_bytes().decode(errors="replace").splitlines()
            except OSError:
                self._lines = []
            if not any("requires:" in line for line in self._lines):
                self._lines = [""] * len(self._lines)
        return self._lines

    def _contracted(self, node: FunctionNode) -> Iterator[Precondition]:
        """What `contracts.py` has found in the decorators."""
        for condition in getattr(node, PROMISED, ()):
            yield self._fitting(condition, node, Span(self._module.file, condition.lineno))

    def _annotated(self, node: FunctionNode) -> Iterator[Precondition]:
        for arg in arguments(node):
            for condition in said_by(arg.annotation, ast.Name(arg.arg, ast.Load())):
                span = Span(self._module.file, arg.lineno)
                yield self._fitting(placed(condition, arg.lineno), node, span)

    def _modelled(self, node: FunctionNode, receiver: str) -> Iterator[Precondition]:
        """What the classes of the objects say about their fields."""
        span = Span(self._module.file, node.lineno)
        for condition in self._models.about(node, receiver):
            yield self._fitting(placed(condition, node.lineno), node, span)

    def _asserted(self, node: FunctionNode) -> Iterator[Precondition]:
        if not self._asserts:
            return
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        for statement in body:
            if not isinstance(statement, ast.Assert):
                return
            span = Span(self._module.file, statement.lineno)
            yield self._fitting(statement.test, node, span)

    def _fitting(self, condition: ast.expr, node: FunctionNode, span: Span) -> Precondition:
        """The precondition, if all names in it are known."""
        names, params = _names(condition), [arg.arg for arg in arguments(node)]
        text = ast.unparse(condition)
        for name in names:
            if name not in params and not self._is_global(name):
                raise BadInput(f"requires {text}: {name!r} is no parameter of {node.name}", span)
        return Precondition(text, condition, tuple(name for name in params if name in names), span)


def _statements(owner: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a module or class, under conditions, too, but not those of what it defines."""
    for node in ast.iter_child_nodes(owner):
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (FunctionNode, ast.ClassDef, ast.expr)):
            yield from _statements(node)


def _parsed(text: str) -> tuple[str, str, ast.expr]:
    """What the command line says: the whole text, the function that it names, and the condition."""
    match = _PREFIXED.fullmatch(text)
    if match is not None:
        try:
            return text, match[1], ast.parse(match[2].strip(), mode="eval").body
        except (SyntaxError, ValueError):
            pass
    return text, "", _expression(text, "--requires ", Span())


def _expression(text: str, said: str, span: Span) -> ast.expr:
    try:
        condition = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        why = error.msg if isinstance(error, SyntaxError) else str(error)
        raise BadInput(f"{said}{text.strip()!r} is no expression: {why}", span) from None
    return placed(condition, span.line) if span.line else condition


def _names(condition: ast.expr) -> list[str]:
    """The names that an expression takes from outside."""
    bound = {
        name.id
        for part in walk(condition)
        if isinstance(part, ast.comprehension)
        for name in walk(part.target)
        if isinstance(name, ast.Name)
    }
    bound |= {arg.arg for part in walk(condition) if isinstance(part, ast.Lambda) for arg in arguments(part)}
    read = (p.id for p in walk(condition) if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Load))
    return list(dict.fromkeys(name for name in read if name not in bound))
