"""Conditions and calls in the words of a language, as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.cases.call_text import call_text
from everypath.cases.model import (
    CallCase,
    Entry,
    Expected,
    Inputs,
    Literal,
    ObjectState,
    Pointer,
    Returned,
    SequenceState,
)
from everypath.cases.spelling import PYTHON, Spelling, spelled
from everypath.languages.abs.language import Abs
from everypath.languages.java.language import Java
from everypath.paths import OpenInputs

JAVA = Java().spelling()


@pytest.mark.parametrize(
    ("text", "java"),
    [
        ("this.root is None", "this.root == null"),
        ("not position is this.header", "position != this.header"),
        ("a is not None and len(a) == 2 and not b", "a != null && a.length == 2 && !b"),
        ("not isinstance(o, ds.Tree$Node)", "!(o instanceof ds.Tree$Node)"),
        ("isinstance(o, Node)", "o instanceof Node"),
        ("0 <= x < 10 or flag is True", "0 <= x && x < 10 || flag == true"),
        ("(a or b) and not (c and d)", "(a || b) && !(c && d)"),
        ("(1 if b else 2) == x - (y - 3)*2", "(b ? 1 : 2) == x - (y - 3) * 2"),
        ("name == 'it''s \"None\" and not'", 'name == "its \\"None\\" and not"'),
        ("x // 2 == truncdiv(y, 3)", "Math.floorDiv(x, 2) == y / 3"),
        ("-2147483648 <= x + y", "-2147483648 <= x + y"),
        ("a & 1 == 0", "(a & 1) == 0"),
        ("'a' not in s and s.startswith('b')", '!s.contains("a") && s.startsWith("b")'),
        ("parse(s) raises E", "parse(s) raises E"),
        ("Fork#3.take goes on", "Fork#3.take goes on"),
        ("s == '#'", 's == "#"'),
    ],
)
def test_java(text: str, java: str) -> None:
    assert spelled(text, JAVA) == java


def test_the_others() -> None:
    assert spelled("not this.b is None or x", Abs().spelling()) == "this.b != null || x"
    assert spelled("not a is None or x", PYTHON) == "not a is None or x"


ATOMS = st.sampled_from(["a", "b.c", "d[0]", "3", "-2", "a < 3", "None", "True"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or", "+", "-", "*", "&"]), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        ),
        inner.map(lambda part: f"-({part})"),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]}) if ({parts[1]}) else ({parts[2]})"),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_brackets_keep_the_meaning(text: str) -> None:
    """Written anew with Python's signs, where these bind alike, it has the same value."""
    once = spelled(text, Spelling())
    values = {"a": 5, "b": type("B", (), {"c": -7}), "d": [2]}
    try:
        expected = eval(text, {}, values)
    except TypeError:
        return
    assert eval(once, {}, values) == expected, once


def case_of(heap: dict[str, object], receiver: object, *arguments: object, words: tuple[str, str, str]) -> CallCase:
    entry = Entry("m", "m.py", "List", "add", "method", words=words)
    given_ = tuple((f"p{number}", value, "positional") for number, value in enumerate(arguments))
    inputs = Inputs(receiver=receiver, arguments=given_, heap=heap)  # type: ignore[arg-type]
    return CallCase("m::List.add#1", entry, inputs, Expected(Returned(Literal(None)), {}), start=OpenInputs())


def test_what_is_met_twice_has_a_name() -> None:
    node = ObjectState("List$Node", "m", (("value", Literal('say "a"')), ("next", Pointer("n"))))
    heap = {
        "self": ObjectState("List", "m", (("first", Pointer("n")),)),
        "n": node,
        "items": SequenceState("list", (Literal(1),)),
    }
    words = ("null", "true", "false")
    text = call_text(case_of(heap, Pointer("self"), Pointer("n"), words=words))
    assert text == 'node = List.Node(value="say \\"a\\"", next=node), then List(first=node), then add(node)'
    text = call_text(case_of(heap, Pointer("self"), Pointer("self"), words=("None", "True", "False")))
    assert text == ("node = List.Node(value='say \"a\"', next=node), then list = List(first=node), then add(list)")
    text = call_text(case_of(heap, Pointer("self"), Pointer("items"), Pointer("items"), words=words))
    assert text.startswith("node = ") and text.endswith("list = [1], then List(first=node), then add(list, list)")
