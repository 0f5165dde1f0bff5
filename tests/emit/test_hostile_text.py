"""Text of the program that gets into an emitted file never becomes code, nor anything that cannot be seen."""

from __future__ import annotations

import ast
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from everypath.cases.model import Finding
from everypath.languages.python.scripts.body import render_case
from everypath.languages.python.writers.pytest_writer import render

from .samples import PLANS, Pointer, case, lit, obj, raised, returned, suite

HOSTILE = (
    "v.__class__(print('x'))", "a\nb", "a\rimport os", '"""', "\\", "\u202eabc", "\x1b[31m", "class", "\ufb01", "\x00",
    "\ud800", "x = 1 #", "\u2028",
)  # fmt: skip


def texts() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=12))


def shape(text: str) -> list[str]:
    """The kinds of the parts of a file, without what its literals say."""
    return [type(node).__name__ for node in ast.walk(ast.parse(text)) if not isinstance(node, ast.Constant)]


@given(texts())
@example("v.__class__(print('x'))")
def test_attribute_names_are_no_code(name: str) -> None:
    made = case("f", "x", ("o", Pointer("o")), heap={"o": obj("Node", **{name: lit(3)})}, outcome=returned(1))
    changed = replace(made, expected=replace(made.expected, heap={"o": obj("Node", **{name: lit(4)})}))
    for variant in (0, 1, 2, 3):
        text = render(suite([changed]), variants={changed.id: variant})
        compile(render_case(changed, PLANS, variant), "<script>", "exec")
        calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
        assert "print" not in [called.id for called in calls if isinstance(called, ast.Name)]
        assert all(sign.isprintable() or sign == "\n" for sign in text)


@given(texts(), texts())
def test_messages_files_and_findings_are_no_code(message: str, file: str) -> None:
    made = case("f", "x", ("a", lit("a")), outcome=raised("ValueError"))
    hostile = replace(made, entry=replace(made.entry, file=file), finding=Finding("runtime-error", message, file, 3))
    plain = replace(made, entry=replace(made.entry, file="a.py"), finding=Finding("runtime-error", "m", "a.py", 3))
    text = render(suite([hostile]))
    assert shape(text) == shape(render(suite([plain])))
    assert all(sign.isprintable() or sign == "\n" for sign in text)
