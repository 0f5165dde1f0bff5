"""Models of what a program asks the world for, and of what it inherits from the language, beside the originals."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as hs

from everypath.languages.python.frontend.finder import Replacements

from .test_module_models import ours, outcome

BASES = ours("builtin_bases")
SMALL = hs.integers(-4, 6)
LISTS = hs.lists(hs.integers(-3, 3), max_size=4)


class World:
    """Stands in for the engine: integers are what the test draws, and what a model rules out does not happen."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = list(numbers)
        self.failed: list[str] = []

    def module(self, name: str) -> Any:
        module = Replacements().module(name)
        assert module is not None
        namespace: dict[str, Any] = {
            "any_int": lambda function: self.next(),
            "any_float": lambda function, low, high: low,
            "any_of": lambda function, options: options[self.next() % len(options)],
            "only_if": lambda condition: condition is True or assume(condition),
            "answered": lambda function, value: value,
            "last_answer": lambda function: None,
            "fails_itself": self.failed.append,
        }
        exec(compile(module.tree, module.file, "exec"), namespace)
        return SimpleNamespace(**namespace)

    def next(self) -> int:
        if not self.numbers:
            assume(False)
        return self.numbers.pop()


def possible(function: str, *args: Any) -> set[Any]:
    """What the original gives now and then, or the error that it always raises."""
    found = set()
    for seed in range(120):
        random.seed(seed)
        try:
            result = getattr(random, function)(*args)
        except Exception as error:
            return {type(error).__name__}
        found.add(tuple(result) if isinstance(result, list) else result)
    return found


def draw(function: str, numbers: list[int], *args: Any) -> Any:
    """What the model gives for numbers from outside."""
    world = World(numbers)
    try:
        result = getattr(world.module("random"), function)(*args)
    except (ValueError, IndexError) as error:
        assert world.failed == [f"random.{function}"]
        return type(error).__name__
    return tuple(result) if isinstance(result, list) else result


@given(SMALL, SMALL, hs.lists(SMALL, min_size=1, max_size=1))
def test_randint_stays_within_its_bounds(a: int, b: int, numbers: list[int]) -> None:
    assert draw("randint", numbers, a, b) in possible("randint", a, b)


@given(SMALL, SMALL, hs.sampled_from([-3, -2, -1, 0, 1, 2, 3]), hs.lists(SMALL, min_size=1, max_size=1))
def test_randrange_gives_elements_of_the_range(start: int, stop: int, step: int, numbers: list[int]) -> None:
    assert draw("randrange", numbers, start, stop, step) in possible("randrange", start, stop, step)


@given(LISTS, hs.lists(SMALL, min_size=1, max_size=1))
def test_choice_gives_an_element(xs: list[int], numbers: list[int]) -> None:
    assert draw("choice", numbers, xs) in possible("choice", xs)


@given(LISTS, SMALL, hs.lists(SMALL, min_size=1, max_size=1))
def test_a_sample_is_one_of_the_possible_ones(xs: list[int], k: int, numbers: list[int]) -> None:
    given_by_us = draw("sample", numbers, xs, k)
    if isinstance(given_by_us, str):
        assert possible("sample", xs, k) == {given_by_us}
    else:
        left = list(xs)
        for value in given_by_us:
            left.remove(value)
        assert len(given_by_us) == k


@given(LISTS, hs.lists(SMALL, min_size=1, max_size=1))
def test_a_shuffle_keeps_the_elements(xs: list[int], numbers: list[int]) -> None:
    shuffled = list(xs)
    World(numbers).module("random").shuffle(shuffled)
    assert sorted(shuffled) == sorted(xs)


@pytest.mark.parametrize("name", ["monotonic", "perf_counter", "process_time", "time"])
def test_clocks_give_seconds(name: str) -> None:
    assert getattr(World([0]).module("time"), name)() >= 0.0


BINARY: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.truediv, divmod, operator.eq,
    operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.contains, operator.getitem,
    operator.and_, operator.or_, operator.xor,
]  # fmt: skip
UNARY: list[Callable[[Any], Any]] = [
    operator.neg, operator.pos, abs, bool, str, repr, format, len, list, hash, int, float, round, operator.index,
    operator.invert, lambda value: f"{value:>6}", lambda value: value.upper(), lambda value: value.bit_length(),
    lambda value: value.index(1), lambda value: sorted(value.union([7])), lambda value: value.is_integer(),
]  # fmt: skip
VALUES: dict[str, tuple[type, hs.SearchStrategy[Any]]] = {
    "IntBase": (int, SMALL),
    "FloatBase": (float, hs.sampled_from([-1.5, 0.0, 2.0, 0.25])),
    "StrBase": (str, hs.text("aB1", max_size=3)),
    "TupleBase": (tuple, LISTS.map(tuple)),
    "SetBase": (set, LISTS.map(set)),
}


@pytest.mark.parametrize("name", VALUES)
def test_what_extends_a_class_of_the_language_acts_like_it(name: str) -> None:
    real, strategy = VALUES[name]
    extended = type("Extended", (real,), {})
    modelled = type("Extended", (getattr(BASES, name),), {})

    @given(strategy, strategy)
    def check(one: Any, other: Any) -> None:
        for binary in BINARY:
            assert outcome(lambda b=binary: b(modelled(one), other)) == outcome(
                lambda b=binary: b(extended(one), other)
            )
            both = outcome(lambda b=binary: b(modelled(one), modelled(other)))
            assert both == outcome(lambda b=binary: b(extended(one), extended(other)))
        for unary in UNARY:
            assert outcome(lambda u=unary: u(modelled(one))) == outcome(lambda u=unary: u(extended(one)))

    check()
