"""What a source file defines, read off its syntax: which functions there are, where, and what each one mentions.

Which of their statements a run is seen to execute is told by nothing but the lines that the interpreter reports. Only
statements inside functions count: those of modules and classes run once, at import, before any call is watched. And
only those that have their lines to themselves, so that a line stands for one statement.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from copy import copy

from everypath.errors import BadInput
from everypath.languages.definitions import Definition, Inner, Part
from everypath.languages.python.frontend.nodes import children, walk
from everypath.languages.python.frontend.syntax import shared_tree

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def parts_of(source: bytes) -> list[Part]:
    """The functions and other statements of a text in their order; BadInput where it cannot be read."""
    return [_part(owner, node) for owner, node in _statements(_tree(source).body, "")]


def definitions_of(source: bytes) -> tuple[Definition, ...]:
    """The functions and methods of a text; BadInput where it cannot be read."""
    return definitions_in(_tree(source))


def definitions_in(tree: ast.Module) -> tuple[Definition, ...]:
    """The functions and methods of a module."""
    found = (_definition(owner, node) for owner, node in _statements(tree.body, ""))
    return tuple(definition for definition in found if definition is not None)


def _tree(source: bytes) -> ast.Module:
    try:
        return shared_tree(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot be read: {error}") from None


def _statements(body: list[ast.stmt], owner: str) -> Iterator[tuple[str, ast.stmt]]:
    """Every function and every other statement of a body, with the class that it belongs to."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            name = f"{owner}.{node.name}" if owner else node.name
            # What stands around the body, its bases and decorators, is a statement of the class as well.
            around = copy(node)
            around.body = []
            yield name, around
            yield from _statements(node.body, name)
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            # Definitions under a condition, such as one for each version of Python.
            inner = [child for child in children(node) if isinstance(child, ast.stmt)]
            inner += [s for handler in getattr(node, "handlers", []) for s in handler.body]
            yield from _statements(inner, owner)
        else:
            yield owner, node


def _part(owner: str, node: ast.stmt) -> Part:
    names = _names_in(node) if isinstance(node, _Function) else _names_set_by(node)
    return Part(owner, ast.dump(node), frozenset(names), _definition(owner, node))


def _definition(owner: str, node: ast.stmt) -> Definition | None:
    if not isinstance(node, _Function):
        return None
    qualname = f"{owner}.{node.name}" if owner else node.name
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return Definition(qualname, first, node.end_lineno or node.lineno, _is_public(qualname), tuple(_inner(node)))


def _inner(node: ast.AST) -> Iterator[Inner]:
    """The functions that a function defines when it is called, and those inside of them."""
    for part in walk(node):
        if isinstance(part, _Function) and part is not node:
            yield Inner(part.name, part.body[0].lineno, part.end_lineno or part.lineno)


def _is_public(qualname: str) -> bool:
    """Whether tests of the module, or of its class, are also about a function of this name."""
    *outer, name = qualname.split(".")
    spelled = bool(outer) and (name == "__init__" or name in SPELLED)
    return not any(part.startswith("_") for part in outer) and (spelled or not name.startswith("_"))


def _names_in(node: ast.AST) -> set[str]:
    """Every name and attribute that a piece of code mentions."""
    found: set[str] = set()
    for inner in walk(node):
        if isinstance(inner, ast.Name):
            found.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            found.add(inner.attr)
    return found


def _names_set_by(node: ast.stmt) -> set[str]:
    """The names that a statement of a module or class body gives a value."""
    found: set[str] = set()
    for inner in walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            found.add(inner.id)
        elif isinstance(inner, ast.alias):
            found.add((inner.asname or inner.name).partition(".")[0])
        elif isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(inner.name)
    return found


_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
_OTHERS = (
    "neg pos abs invert round floor ceil trunc "
    "eq ne lt le gt ge hash bool int float complex index str repr format bytes "
    "len length_hint getitem setitem delitem contains iter next reversed call enter"
)
SPELLED = frozenset(
    f"__{prefix}{name}__" for prefix in ("", "r", "i") for name in _BINARY.split() if f"{prefix}{name}" != "idivmod"
) | frozenset(f"__{name}__" for name in _OTHERS.split())
"""`__exit__` is not among them: it gets either three times None or an exception, which types do not say."""


_SOLID = (ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Delete)
"""Statements that the interpreter never optimises away and reports whenever they start; so are plain calls."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class ObservableStatements:
    """The statements of a file whose execution can be told from the lines alone."""

    def __init__(self, tree: ast.Module) -> None:
        self._statement: dict[int, int] = {}
        """line -> first line of the statement that it belongs to"""
        self._function: dict[int, tuple[int, str]] = {}
        """line -> first line of the outermost function around it, and its name unless it is a method"""
        starts: Counter[int] = Counter()
        solid: list[ast.stmt] = []
        blamed: set[int] = set()
        # Statements are never part of expressions, so there is no need to look into those: they are most of a tree.
        # A list instead of recursion, because every `elif` is one level deeper.
        pending: list[tuple[ast.stmt, bool, bool]] = [(node, False, False) for node in tree.body]
        while pending:
            node, in_function, in_class = pending.pop()
            starts[node.lineno] += 1
            if in_function and _is_solid(node):
                solid.append(node)
            if isinstance(node, (ast.Try, ast.AsyncWith)):
                blamed |= _blamed(node)
            if isinstance(node, _FUNCTIONS) and not in_function:
                self._function.update(dict.fromkeys(_lines(node), (node.lineno, "" if in_class else node.name)))
            in_function = in_function or isinstance(node, _FUNCTIONS)
            in_class = in_class or isinstance(node, ast.ClassDef)
            pending += [(inner, in_function, in_class) for inner in _inside(node)]
        for node in solid:
            alone = all(starts[line] <= (line == node.lineno) for line in _lines(node))
            if alone and node.end_lineno not in blamed:
                self._statement.update(dict.fromkeys(_lines(node), node.lineno))

    def executed(self, lines: Iterable[int]) -> set[int]:
        """The first lines of the statements that these lines belong to."""
        return {self._statement[line] for line in lines if line in self._statement}

    def seen(self, predicted: set[int], lines: Iterable[int], compiled: Collection[str]) -> set[int]:
        """The statements that a run as predicted is seen to execute, given the lines that it did execute.

        Modules of the library replace some of their functions by compiled ones when they are imported. Where the path
        goes through such a function, nothing is seen of what only that one calls.
        """
        functions = {self._function[line] for line in predicted if line in self._function}
        if not any(name in compiled for _, name in functions):
            return predicted
        entered = {self._function.get(line) for line in lines}
        return {line for line in predicted if self._function.get(line) in entered}


def _inside(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements directly inside of a compound one."""
    for block in ("body", "orelse", "finalbody"):
        yield from getattr(statement, block, ())
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield from part.body


def _is_solid(node: ast.stmt) -> bool:
    return isinstance(node, _SOLID) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))


def _blamed(node: ast.Try | ast.AsyncWith) -> set[int]:
    """The last line of a `finally` part in which more than one statement may raise, and of an `async with` block.

    Python 3.11 reports that line when any of them does while another exception is on its way, or when the block is
    left, whether the statement on it has run or not.
    """
    if isinstance(node, ast.AsyncWith):
        return {each.end_lineno or 0 for each in node.body[-1:] if hasattr(each, "body")}
    last = node.finalbody[-1:]
    return {each.end_lineno or 0 for each in last if len(node.finalbody) > 1 or hasattr(each, "body")}


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)
