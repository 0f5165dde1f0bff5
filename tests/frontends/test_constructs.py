"""Every node of the running Python's grammar is translated or reported with file and line; none is ignored."""

from __future__ import annotations

import ast

import pytest

from everypath.languages.python.frontend.constructs import STRUCTURAL, TRANSLATED, UNSUPPORTED
from everypath.languages.python.frontend.lowering import EXPRESSIONS, STATEMENTS
from tests.frontends.lowered import Snippets
from tests.frontends.test_behaviour import PROGRAMS

NODES = sorted(
    n for n, c in vars(ast).items() if isinstance(c, type) and issubclass(c, ast.AST) and not n.startswith("_")
)

MORE = """
import math as m
def case(a: int = 1, *rest: int, k: bytes = b"x", **named: int):
    b: int = +a
    b = ~b | 1 & 2 ^ 3
    b -= 1; b *= 2; b /= 1; b >>= 1
    b = (b >= 1) is not (b != 2)
    class_ = a @ a if a >> 1 else not a
    x = {1, 2} | {i for i in rest}
    pass
    assert x
    return lambda: m.sqrt(b) - a / 2
async def waits(xs):
    async with xs as y:
        async for x in y:
            yield await x
def gives(xs):
    try:
        yield from xs
    except* ValueError:
        pass
"""

REPORTED = {
    "Delete": ("X = 1\ndef f():\n    global X\n    del X\n", 4),
    "GeneratorExp": ("y = 0\ndef f(xs: list[int]):\n    global y\n    return (y for x in xs if (y := x))\n", 4),
}
NEWER = {
    "TypeAlias": ("def f():\n    type X = int\n", 2),
    "TemplateStr": ("def f(x: int):\n    return t'{x}'\n", 2),
    "Interpolation": ("def f(x: int):\n    return t'{x}'\n", 2),
}


def names_in(source: str) -> set[str]:
    return {type(node).__name__ for node in ast.walk(ast.parse(source))}


@pytest.mark.parametrize("name", NODES)
def test_every_node_of_the_grammar_is_in_the_table(name: str) -> None:
    assert name in TRANSLATED | STRUCTURAL | set(UNSUPPORTED)


@pytest.mark.parametrize("name", sorted(set(UNSUPPORTED) & set(NODES)))
def test_what_is_not_translated_is_reported_with_its_line(name: str, snippets: Snippets) -> None:
    source, line = (REPORTED | NEWER)[name]
    assert name in names_in(source)
    problems = snippets.load(source, "f").problems
    found = [p for p in problems if p.kind == "unsupported"]
    assert [(p.span.file, p.span.line) for p in found] == [("snippet.py", line)]


def test_what_is_translated_occurs_in_a_program_that_lowers_without_problems(snippets: Snippets) -> None:
    programs = [*PROGRAMS.values(), MORE]
    assert snippets.load(MORE, "case").problems == ()
    seen = set().union(*map(names_in, programs))
    assert seen >= TRANSLATED


def test_every_expression_and_statement_has_a_lowering() -> None:
    for cls in [*ast.expr.__subclasses__(), *ast.stmt.__subclasses__()]:
        if cls.__name__ not in STRUCTURAL and cls.__module__ == "ast":
            assert cls in EXPRESSIONS or cls in STATEMENTS or cls.__name__ in UNSUPPORTED


def test_a_function_keeps_its_other_paths(snippets: Snippets) -> None:
    source = "X = 1\ndef f(x: int):\n    global X\n    if x > 0:\n        del X\n    return x\n"
    loaded = snippets.load(source, "f")
    method = loaded.program.find_method("snippet", "f")
    assert method is not None and len(method.blocks) == 3
    assert str(loaded.problems[0]).startswith("snippet.py:5: `del` of a name")


def test_all_problems_are_found_in_one_run(snippets: Snippets) -> None:
    source = "def f():\n    x = 1j\n    y = 2j\ndef g():\n    return 3j\n"
    assert [p.span.line for p in snippets.load(source).problems] == [2, 3, 5]
