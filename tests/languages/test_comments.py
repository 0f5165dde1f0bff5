"""Types in comments are read like annotations."""

from __future__ import annotations

import ast
import types

import pytest

from everypath.languages.python.parameters.comments import parsed
from everypath.languages.python.parameters.described import described_types
from everypath.languages.python.probing.signatures import commented_hints, described_hints


def function(source: str) -> ast.FunctionDef:
    found = parsed(source).body[-1]
    assert isinstance(found, ast.FunctionDef)
    return found


def head(source: str) -> str:
    return ast.unparse(function(source)).partition("\n")[0]


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("def f(a, b=1):\n    # type: (str, int) -> bool\n    pass", "def f(a: str, b: int=1) -> bool:"),
        ("def f(self, a):  # type: (list[str]) -> None\n    pass", "def f(self, a: list[str]) -> None:"),
        ("def f(\n    a,  # type: str\n    *b,  # type: int\n):\n    # type: (...) -> str\n    pass",
         "def f(a: str, *b: int) -> str:"),
        ("def f(a, *b, c, **d):\n    # type: (int, str, float, bool) -> None\n    pass",
         "def f(a: int, *b: str, c: float, **d: bool) -> None:"),
        # What is written as an annotation counts.
        ("def f(a: int, b):\n    # type: (str, str) -> None\n    pass", "def f(a: int, b: str) -> None:"),
        # As many types as parameters, or nobody knows which is whose.
        ("def f(a, b):\n    # type: (str) -> None\n    pass", "def f(a, b) -> None:"),
        ("def f(a):\n    # type: nonsense (\n    pass", "def f(a):"),
        ("def f(a):\n    return a  # type: ignore[no-any-return]", "def f(a):"),
        ("x = [\n    1,  # type: int\n]\ndef f(a):\n    # type: (int) -> None\n    pass", "def f(a):"),
    ],
)  # fmt: skip
def test_types_in_comments_stand_as_annotations(source: str, read: str) -> None:
    assert head(source) == read


def test_the_rest_of_a_tree_is_as_it_was_and_all_of_it_has_a_place() -> None:
    source = "def f(\n    a,  # type: dict[str, int]\n):\n    # type: (...) -> int\n    return a['b']  # type: ignore\n"
    tree = parsed(source.encode())
    assert ast.dump(tree.body[0].body[0]) == ast.dump(ast.parse(source).body[0].body[0])  # type: ignore[attr-defined]
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, (ast.expr, ast.arg))]
    assert min(lines) >= 1 and max(lines) <= 5
    assert not any(getattr(node, "type_comment", None) for node in ast.walk(tree))


def test_a_search_takes_them_for_declarations_and_docstrings_for_advice() -> None:
    source = 'def f(a, b, c, d):\n    # type: (int, Other, list[str], Missing) -> None\n    """:param bytes d: text"""'
    module = types.ModuleType("made")
    other = vars(module)["Other"] = type("Other", (), {})
    assert commented_hints(function(source), module) == {"a": int, "b": other, "c": list[str]}
    assert described_hints(function(source), module=module) == {"d": bytes}


def test_docstrings_say_types_in_the_words_of_people() -> None:
    source = (
        'def f(a, b, c):\n    """F.\n\n    Args:\n        a (list of strings): x\n        b (int, optional): y\n    """'
    )
    found = {name: ast.unparse(node) for name, node in described_types(function(source)).items()}
    assert found == {"a": "list[str]", "b": "int"}
