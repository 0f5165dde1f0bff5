"""The statements of a module itself: what it does as a script, and where something that it imports is missing.

Importing a module takes one way through them. Another is taken when it is run once more, under the name `__main__` or
without a package: by `runpy`, which leaves the imported module as it is.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import types
from collections.abc import Iterator
from fnmatch import fnmatchcase
from random import Random

from everypath.languages.python.probing.expressions import Call, Code, Expr, Given
from everypath.languages.python.probing.world import MODULE
from everypath.languages.python.scripts.rerunning import MAIN, RUNNING

_REWRITTEN = ("test_*.py", "*_test.py", "conftest.py")
_Blocks = (ast.If, ast.Try, ast.For, ast.While, ast.With, ast.Match)


def decided_lines(tree: ast.Module) -> frozenset[int]:
    """The lines of statements of a module that may be left out; not those that are for type checkers."""
    found: set[int] = set()
    for node in tree.body:
        if isinstance(node, _Blocks) and not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return frozenset(found)


def can_be_run(module: types.ModuleType) -> bool:
    """Whether `runpy` can run a module in a test: no package, and none of the files that pytest imports itself."""
    name = os.path.basename(module.__file__ or "")
    return not hasattr(module, "__path__") and not any(fnmatchcase(name, pattern) for pattern in _REWRITTEN)


def plain_run(module: types.ModuleType) -> Call:
    """Run a module once more as it was imported."""
    return Call(*RUNNING, (Code(repr(module.__name__)),))


class Reruns:
    """Makes runs of one module that may take another way than its import."""

    def __init__(self, module: types.ModuleType, tree: ast.Module) -> None:
        self._plain = plain_run(module)
        self._needed = list(dict.fromkeys(_needed(tree, module)))
        self._as_script = any(isinstance(node, ast.If) and _asks_for_name(node) for node in tree.body)

    def run(self, chance: Random) -> Expr:
        """One run: as a script, without something that it needs, or both."""
        expr: Expr = self._plain
        if self._as_script and (not self._needed or chance.random() < 0.6):
            expr = Call(*RUNNING, self._plain.arguments, (("run_name", Code(repr(MAIN))),))
        if self._needed and (expr == self._plain or chance.random() < 0.2):
            expr = Given(expr, MODULE, chance.choice(self._needed), Code("None"))
        return expr


def _asks_for_name(node: ast.If) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test))


def _needed(tree: ast.Module, module: types.ModuleType) -> Iterator[str]:
    """What a module imports where it is prepared for not finding it."""
    for node in tree.body:
        for each in node.body if isinstance(node, ast.Try) else ():
            if isinstance(each, ast.Import):
                yield from (alias.name for alias in each.names)
            elif isinstance(each, ast.ImportFrom):
                name = "." * each.level + (each.module or "")
                if each.level and not each.module:
                    yield from (_whole(f"{name}{alias.name}", module) for alias in each.names)
                else:
                    yield _whole(name, module)


def _whole(name: str, module: types.ModuleType) -> str:
    return importlib.util.resolve_name(name, module.__package__ or None)
