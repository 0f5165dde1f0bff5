"""Argument values that symbolic execution of a class's methods solves for, so that real calls reach their branches.

Only methods with a branch that mentions a parameter are explored, each for a fraction of a second: for the others any
value does as well. How an entry is explored is handed in, because the run that does it stands above the languages.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable

from everypath.cases.model import CallSuite, Literal, TupleValue, Value
from everypath.errors import EverypathError
from everypath.languages.python.classes_under_test import RaceTarget
from everypath.languages.python.frontend import EntryPoint, Loaded, load_target
from everypath.languages.python.frontend.nodes import walk
from everypath.options import Limits, Options

SHARE = 0.1
"""The part of the time for the search that may go into solving."""
_MOST_SECONDS = 3.0
_METHOD_SECONDS = 0.5
_MOST_VALUES = 6

Solved = tuple[tuple[str, str, str], ...]
"""(method, parameter, expression)"""
Explore = Callable[[Loaded, EntryPoint, Options, CallSuite], None]
"""Collects the cases of one entry into the suite."""


def solved_values(target: RaceTarget, seconds: float, explore: Explore) -> Solved:
    """Values that lead the class's methods into their branches; none for methods that do not depend on arguments."""
    deadline = time.monotonic() + min(_MOST_SECONDS, seconds * SHARE)
    try:
        branching = _branching_methods(target)
        if not branching:
            return ()
        source = load_target(f"{target.file}::{target.cls}", ())
    except (EverypathError, OSError, SyntaxError, RecursionError):
        return ()  # what cannot be translated can still be run: the search goes on with its own values
    found: dict[tuple[str, str, str], None] = {}
    for entry in source.entries:
        method = entry.qualname.rpartition(".")[2]
        left = deadline - time.monotonic()
        if entry.problems or method not in branching or left <= 0:
            continue
        options = Options(limits=Limits(time=min(_METHOD_SECONDS, left)), validate=False)
        suite = CallSuite(target.target, {})
        try:
            explore(source, entry, options, suite)
        except (EverypathError, RecursionError):
            continue
        for case in suite.cases:
            for name, value, _ in case.inputs.arguments:
                text = _source(value)
                if text is not None and sum(k[:2] == (method, name) for k in found) < _MOST_VALUES:
                    found.setdefault((method, name, text))
    return tuple(found)


def _source(value: Value) -> str | None:
    if isinstance(value, Literal):
        return repr(value.value)
    if isinstance(value, TupleValue):
        items = [_source(item) for item in value.items]
        return None if None in items else repr(tuple(ast.literal_eval(item) for item in items if item is not None))
    return None


def _branching_methods(target: RaceTarget) -> set[str]:
    """Methods of the class in which a branch mentions a parameter."""
    tree = ast.parse(target.path.read_bytes())
    wanted = target.cls.split(".")
    body: list[ast.stmt] = tree.body
    for name in wanted:
        classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == name]
        body = classes[0].body if classes else []
    return {node.name for node in body if isinstance(node, ast.FunctionDef) and _branches(node)}


def _branches(function: ast.FunctionDef) -> bool:
    arguments = function.args
    parameters = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)[1:]}
    for node in walk(function):
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            names = {each.id for each in walk(node.test) if isinstance(each, ast.Name)}
            if names & parameters:
                return True
    return False
