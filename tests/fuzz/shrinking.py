"""Makes a program smaller as long as something is still wrong with it: delta debugging on its syntax."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.programs import Program

MOST_ATTEMPTS = 150


def shrunk(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The smallest program found that still fails, statements and expressions replaced by less one after the other."""
    attempts = 0
    progress = True
    while progress and attempts < MOST_ATTEMPTS:
        progress = False
        for smaller in _smaller(program.source):
            attempts += 1
            candidate = replace(program, source=smaller)
            if attempts >= MOST_ATTEMPTS:
                break
            if fails(candidate):
                program, progress = candidate, True
                break
    return program


def _smaller(source: str) -> Iterator[str]:
    """Programs with one piece less, large pieces first."""
    tree = ast.parse(source)
    for place, length in _bodies(tree):
        for index in range(length):
            for form in ("without", "unwrapped"):
                changed = copy.deepcopy(tree)
                body = _body_at(changed, place)
                statement = body[index]
                if form == "without":
                    body[index : index + 1] = [] if len(body) > 1 else [ast.Pass()]
                else:
                    inner = getattr(statement, "body", None)
                    if not isinstance(inner, list) or isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                        continue
                    body[index : index + 1] = inner
                text = _text(changed)
                if text is not None and "def f(" in text and text != source:
                    yield text


def _bodies(tree: ast.AST) -> list[tuple[int, int]]:
    """Every list of statements: its number in the order of a walk, and its length; those of `f` come first."""
    return [(number, len(body)) for number, body in enumerate(_all_bodies(tree))]


def _all_bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                yield body


def _body_at(tree: ast.AST, number: int) -> list[ast.stmt]:
    return next(body for index, body in enumerate(_all_bodies(tree)) if index == number)


def _text(tree: ast.Module) -> str | None:
    try:
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(text, "shrunk", "exec")
    except (SyntaxError, ValueError):
        return None
    return text
