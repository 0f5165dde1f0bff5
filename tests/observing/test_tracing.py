"""How a search traces values back to inputs, and what it knows of a module's words and kinds of things."""

import ast
import enum
import types

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from everypath.languages.python.parameters.shown import shown_texts
from everypath.languages.python.probing.asking import tests_in as asked_in
from everypath.languages.python.probing.expressions import Call, Code, Expr, Given, Method, hoisted, rebuilt, within
from everypath.languages.python.probing.granting import granted
from everypath.languages.python.probing.kinds import kinds_for
from everypath.languages.python.probing.pretending import MagicPretended
from everypath.languages.python.probing.tracing import Origins
from everypath.languages.python.probing.varying import Maker
from everypath.languages.python.probing.vocabulary import Vocabulary, Words

TEXTS = st.text("abAB;=", min_size=1, max_size=6)


def origins_of(text: str | bytes) -> tuple[Expr, Origins]:
    """A call with this text as its only input."""
    expr = Code(repr(text))
    call = Call("m", "f", (expr,))
    return call, Origins(call, [(expr, text)])


def changed(call: Expr, wish: tuple[object, ...]) -> object:
    """The input after a wish came true."""
    place, _, kind, *details = wish
    assert isinstance(place, int)
    maker = Maker(__import__("random").Random(0), types.ModuleType("m"), Words(), lambda _: [])
    [made, *_] = granted((1, place, (), kind, *details), call, maker)
    assert isinstance(made, Call) and isinstance(made.arguments[0], Code)
    return ast.literal_eval(made.arguments[0].text)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_a_text_around_an_input_becomes_the_wanted_one(before: str, text: str, after: str, other: str) -> None:
    assume(other != text)
    call, origins = origins_of(text)
    value, wanted = before + text + after, before + other + after
    for wish in origins.exchanged(value, wanted):
        if wish[2] == "value" and value.count(text) == 1:
            assert value.replace(text, str(changed(call, wish))) == wanted


@given(TEXTS, TEXTS, TEXTS)
def test_a_text_in_other_letters_is_found_in_the_input(before: str, text: str, wanted: str) -> None:
    assume(text.upper() != wanted)
    call, origins = origins_of(before.upper() + text.upper())
    wishes = list(origins.exchanged(text.lower(), wanted))
    assert wishes
    assert wanted in str(changed(call, wishes[0]))


def test_a_decoded_text_is_found_in_bytes() -> None:
    call, origins = origins_of(b"a: 1")
    [wish, *_] = origins.exchanged("a", "b")
    assert changed(call, wish) == b"b: 1"


def test_what_inputs_need_is_prepared_before_the_call() -> None:
    made = Given(Call("m", "C"), "setattr", "m.x", Code("1"))
    call = Given(Method(made, "f"), "setattr", "m.y", Code("2"))
    raised = hoisted(call)
    around, inner = within(raised)
    assert (around, inner) == (2, Method(Call("m", "C"), "f"))
    assert hoisted(raised) == raised
    assert rebuilt(raised, [around], lambda expr: expr) == raised


def test_words_of_enumerations_are_plain_texts() -> None:
    class Colour(str, enum.Enum):
        RED = "red"

    words = Words()
    words.add([Colour.RED])
    assert [repr(text) for text in words.texts] == ["'red'"]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("from dataclasses import fields", "make_dataclass"),
        ("import typing\n\ndef f(t): return typing.get_origin(t)", "typing.List[int]"),
        ("import inspect\n\ndef f(g): return inspect.signature(g)", "lambda"),
    ],
)
def test_programs_about_kinds_of_things_are_given_such_things(source: str, wanted: str) -> None:
    kinds = kinds_for(ast.parse(source))
    assert any(wanted in each.text for each in (*kinds.classes, *kinds.others))
    assert not kinds_for(ast.parse("def f(x): return x + 1")).classes
    for each in (*kinds.classes, *kinds.others):
        eval(each.text, {each.module: __import__(each.module)} if each.module else {})


def test_conditions_on_positions_and_on_variables_ask_for_parts_of_texts() -> None:
    source = "def f(s):\n    end = s.find(';')\n    if end == -1:\n        return 0\n    return g(s)\n"
    asked = asked_in(ast.parse(source))
    assert "in" in [test.kind for test in asked.by_line[3]]
    chosen = "def kind(s):\n    if s == 'x':\n        return 1\n    return 2\n\n"
    chosen += "def f(s):\n    k = kind(s)\n    if k == 1: pass\n"
    assert asked_in(ast.parse(chosen)).answering[2] == frozenset({8})
    assert Vocabulary(chosen, types.ModuleType("m")).all.texts == {"x": None}


@pytest.mark.parametrize(
    ("docstring", "texts"),
    [
        ("Read it.\n\nFor example,\n\n    a = !b\n    c\n\nis read.", ["a = !b\nc", "a = !b", "c"]),
        ("Read it.\n\nArgs:\n    text: what to read.\n", []),
        (">>> read('a;b', 1)\n'a'\n", ["a;b"]),
        ("As `read` and ``m.read()`` do, `# off` and ``'x y'``.", ["# off", "x y"]),
        (":param text: what to\n    read, or None", []),
        ("", []),
    ],
)
def test_what_docstrings_show(docstring: str, texts: list[str]) -> None:
    assert shown_texts(docstring) == texts


def test_what_a_docstring_shows_are_words_of_its_function() -> None:
    source = 'def f(text):\n    """Read.\n\n        a = 1\n    """\n\ndef g():\n    "Other."\n'
    words = Vocabulary(source, types.ModuleType("m"))
    assert list(words.within(1, 5).texts) == ["a = 1"]
    assert not words.within(7, 8).texts


def test_what_has_failed_is_to_blame_and_not_what_was_to_be_given_it() -> None:
    broken, works = Call("m", "Broken"), Call("m", "Works")
    outer = Call("m", "Outer", (works, broken))
    maker = Maker(__import__("random").Random(0), types.ModuleType("m"), Words(), lambda _: [])
    for _ in range(100):
        maker.note_made(Call("m", "f", (outer,)), ("m", "Broken"), False)
    tried = [maker.may_be_made(Call("m", "f", (outer,))) for _ in range(200)]
    assert 0 < sum(tried) < 30
    assert all(maker.may_be_made(Call("m", "f", (Call("m", "Outer", (works,)),))) for _ in range(50))
    maker.note_made(Call("m", "f", (broken,)), None, True)
    assert all(maker.may_be_made(Call("m", "f", (outer,))) for _ in range(50))


def test_the_way_up_through_a_mock_is_decided_at_its_first_step() -> None:
    expr = Call("unittest.mock", "MagicMock")
    element = mock = MagicPretended()
    origins = Origins(Call("m", "f", (expr,)), [(expr, mock)])
    for steps in range(1, 12):
        element = element.parent
        [(place, path)] = origins.of(element)
        assert place == 1 and path == ("parent",) * (steps if steps <= 8 else 1)
