"""The one reader of live parameters and the one table of sample expressions, for paths, observed cases and races."""

from __future__ import annotations

import ast
import collections
import enum
import io
import sys
import types
import typing
from collections.abc import Callable, Hashable, Iterator, KeysView, Mapping, Sequence
from importlib import import_module
from random import Random
from typing import Any, Literal, NewType, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everypath.languages.python.parameters import hints
from everypath.languages.python.parameters.hints import (
    EMPTY,
    Anything,
    Choice,
    ClassBelow,
    Collection,
    Constants,
    Function,
    Instance,
    Row,
    evaluated,
    read,
)
from everypath.languages.python.parameters.samples import SAMPLES, Samples, samples_of
from everypath.languages.python.probing.expressions import evaluate
from everypath.languages.python.probing.varying import Maker
from everypath.languages.python.probing.vocabulary import Words
from everypath.race.subject.annotations import accepts
from everypath.race.subject.class_source import Known
from everypath.race.subject.construct import Construction
from everypath.race.subject.scope import Scope
from everypath.race.subject.trials import Trials
from tests.race.plain_attempt import attempt_with

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
N = TypeVar("N", bound=int)
S = TypeVar("S", str, bytes)
UserId = NewType("UserId", int)


class Color(enum.Enum):
    RED = 1


class Subject:
    pass


def real(name: str) -> type:
    """The class that the table calls so."""
    module, _, short = name.rpartition(".")
    found = getattr(import_module(module or "builtins"), short)
    return found if isinstance(found, type) else type(found())


@pytest.mark.parametrize("name", SAMPLES)
def test_every_expression_gives_an_object_of_its_class(name: str) -> None:
    samples = SAMPLES[name]
    module = samples.module
    names = {module.partition(".")[0]: __import__(module)} if module else {}
    for text in samples.all:
        value = eval(text, {**names})
        # A traceback may be missing; only a thread's own interpreter knows one.
        assert isinstance(value, real(name)) or name.startswith(("typing.", "types.Traceback")), text


@pytest.mark.parametrize("name", [each for each in SAMPLES if each != "threading.Lock" and each != "threading.RLock"])
def test_every_class_is_found_wherever_it_says_to_be_at_home(name: str) -> None:
    found = samples_of(real(name))
    assert found is not None and set(found.all) & set(SAMPLES[name].all)


def test_a_class_of_the_program_is_never_taken_for_one_of_the_library() -> None:
    assert samples_of(type("slice", (), {"__module__": "program"})) is None


def test_nodes_of_a_syntax_tree_are_found_in_parsed_text() -> None:
    found = samples_of(ast.Yield)
    assert isinstance(found, Samples)
    assert all(isinstance(eval(text, {"ast": ast}), ast.Yield) for text in found.all)


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        (None, Constants((None,))),
        (Any, Anything()),
        (object, Anything()),
        (EMPTY, Anything()),
        (Hashable, Anything()),
        (T, Anything("T")),
        (K, Anything("K")),
        (N, Instance(int)),
        (S, Choice((str, bytes), lasting=True)),
        (UserId, Instance(int)),
        (int | None, Choice((int, type(None)))),
        (Literal[1, "a"], Constants((1, "a"))),
        (Literal[Color.RED], Constants(())),
        (typing.Annotated[int, "positive"], Instance(int)),
        (typing.ClassVar[int], Instance(int)),
        (type[Color], ClassBelow(Color)),
        (Callable, Function(Any)),
        (Callable[[int], str], Function(str)),
        (types.FunctionType, Function(Any)),
        (tuple, Row(())),
        (tuple[int, str], Row((int, str))),
        (tuple[int, ...], Row((int,), repeated=True)),
        (Mapping[str, int], Collection(Mapping, "dict", (str, int))),  # type: ignore[type-abstract]
        (KeysView, Collection(KeysView, "set")),
        (frozenset[int], Collection(frozenset, "frozenset", (int,))),
        (Iterator[int], Collection(Iterator, "iterator", (int,))),  # type: ignore[type-abstract]
        (Sequence, Collection(Sequence, "list")),  # type: ignore[type-abstract]
        (collections.deque[int], Instance(collections.deque, (int,))),
        (collections.ChainMap, Instance(collections.ChainMap)),
        (io.StringIO, Instance(io.StringIO)),
        ("Color", Anything()),
        (3, Anything()),
    ],
    ids=str,
)  # fmt: skip
def test_what_an_annotation_allows(hint: Any, kind: hints.Kind) -> None:
    assert read(hint) == kind


def test_texts_have_the_meaning_that_the_asking_side_gives_them() -> None:
    assert read("Color", lambda text: Color) == Instance(Color)
    assert read(typing.ForwardRef("Color"), lambda text: Color) == Instance(Color)
    assert read("Text", lambda text: "Text") == Anything()


def test_annotations_are_evaluated_each_on_its_own_and_in_all_their_parts() -> None:
    def method(self: Any, key: int, many: list[Color], other: NoSuchClass, late: Late) -> None:  # type: ignore[name-defined]  # noqa: F821
        pass

    method.__annotations__["many"] = list["Color"]  # type: ignore[type-arg]
    found = evaluated(method, {"Late": Color})
    assert found["key"] is int
    assert found["many"] == list[Color]
    assert found["other"] is EMPTY
    assert found["late"] is Color


leaves = st.sampled_from([int, str, bool, float, bytes, None, Color, Literal["a", 2], UserId, N, io.StringIO])
annotations = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(lambda each: list[each]),  # type: ignore[valid-type]
        inner.map(lambda each: Sequence[each]),  # type: ignore[valid-type]
        inner.map(lambda each: tuple[each, ...]),  # type: ignore[valid-type]
        inner.map(lambda each: dict[str, each]),  # type: ignore[valid-type]
        inner.map(lambda each: typing.Optional[each]),  # noqa: UP007
        inner.map(lambda each: typing.Annotated[each, "mark"]),
        st.tuples(inner, inner).map(lambda both: typing.Union[both]),  # noqa: UP007
        st.tuples(inner, inner).map(lambda both: tuple[both]),  # type: ignore[valid-type]
    ),
    max_leaves=5,
)


def belongs(hint: Any, value: Any) -> bool:
    """Whether a value is of a type, down to its elements."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return belongs(arguments[0], value)
    if origin is typing.Union:
        return any(belongs(each, value) for each in arguments)
    if origin is dict:
        return isinstance(value, dict) and all(belongs(arguments[1], each) for each in value.values())
    if origin is tuple and arguments[-1] is not Ellipsis:
        return isinstance(value, tuple) and all(map(belongs, arguments, value)) and len(value) == len(arguments)
    if origin in (list, tuple, Sequence, collections.abc.Sequence):
        return isinstance(value, origin) and all(belongs(arguments[0], each) for each in value)
    return accepts(hint, value)


@given(annotations, st.integers(0, 1000))
def test_what_the_search_for_observed_cases_makes_is_of_the_type(hint: Any, seed: int) -> None:
    maker = Maker(Random(seed), sys.modules[__name__], Words(), lambda called: None)
    assert belongs(hint, evaluate(maker.value(hint)))


@given(annotations)
def test_what_a_race_gives_is_of_the_type(hint: Any) -> None:
    scope = Scope(dict(globals()))
    found = Construction(Subject, scope, Trials(attempt_with(globals())), Known()).annotations.values(hint)
    assert all(belongs(hint, eval(source, scope.namespace())) for source in found)
