"""Methods of lists, dicts and sets."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as hs

from everypath.explore.state import State
from everypath.heap.values import OpenList
from everypath.ir.types import INT, DictType, ListType, SetType
from everypath.languages.python.semantics.registry import NATIVES
from everypath.logic import terms
from tests.natives.driver import (
    Path,
    call,
    check_models,
    check_values,
    expected,
    follow,
    initial,
    new_state,
    plain,
    real,
    unknown,
)

CONCRETE: list[tuple[Any, str, tuple[Any, ...]]] = [
    ([1], "append", (2,)),
    ([1], "extend", ((2, 3),)),
    ([1], "extend", (5,)),
    ([1, 2], "pop", ()),
    ([1, 2], "pop", (0,)),
    ([1, 2], "pop", (-2,)),
    ([1, 2], "pop", (5,)),
    ([], "pop", ()),
    ([], "pop", (0,)),
    ([1, 2], "pop", ("a",)),
    ([1, 2], "insert", (0, 9)),
    ([1, 2], "insert", (-1, 9)),
    ([1, 2], "insert", (-9, 9)),
    ([1, 2], "insert", (9, 9)),
    ([1, 2], "clear", ()),
    ([1, 2], "copy", ()),
    ([1, 2, 3], "reverse", ()),
    ({"a": 1}, "get", ("a",)),
    ({"a": 1}, "get", ("b",)),
    ({"a": 1}, "get", ("b", 5)),
    ({"a": 1}, "get", ([],)),
    ({"a": 1}, "pop", ("a",)),
    ({"a": 1}, "pop", ("b",)),
    ({"a": 1}, "pop", ("b", None)),
    ({"a": 1}, "setdefault", ("a", 2)),
    ({"a": 1}, "setdefault", ("b", 2)),
    ({"a": 1}, "setdefault", ("b",)),
    ({"a": 1, "b": 2}, "popitem", ()),
    ({}, "popitem", ()),
    ({"a": 1}, "update", ({"a": 2, "b": 3},)),
    ({"a": 1}, "update", ([("a", 2), ("b", 3), ("a", 4)],)),
    ({"a": 1}, "update", ([(1, 2, 3)],)),
    ({"a": 1}, "update", ([1],)),
    ({"a": 1}, "update", ()),
    ({"a": 1}, "clear", ()),
    ({"a": 1}, "copy", ()),
    ({1, 2}, "add", (2,)),
    ({1, 2}, "add", (3,)),
    ({1, 2}, "add", ([],)),
    ({1, 2}, "discard", (2,)),
    ({1, 2}, "discard", (3,)),
    ({1, 2}, "remove", (2,)),
    ({1, 2}, "remove", (3,)),
    ({1}, "pop", ()),
    (set(), "pop", ()),
    ({1, 2}, "union", ([2, 3], (4,))),
    ({1, 2}, "union", ()),
    ({1, 2}, "intersection", ([2, 3],)),
    ({1, 2}, "difference", ([2, 3],)),
    ({1, 2}, "symmetric_difference", ([2, 3],)),
    ({1, 2}, "update", ([2, 3], {4})),
    ({1, 2}, "intersection_update", ([2, 3],)),
    ({1, 2}, "difference_update", ([2, 3],)),
    ({1, 2}, "symmetric_difference_update", ([2, 3],)),
    ({1, 2}, "issubset", ([1, 2, 3],)),
    ({1, 2}, "issuperset", ([1],)),
    ({1, 2}, "isdisjoint", ([3],)),
    ({1, 2}, "copy", ()),
    ({1, 2}, "clear", ()),
]


@pytest.mark.parametrize(("receiver", "name", "args"), CONCRETE, ids=str)
def test_methods_on_concrete_values(receiver: Any, name: str, args: tuple[Any, ...]) -> None:
    st = new_state()
    ref = plain(st, receiver)
    (path,) = follow(st, call(f"{type(receiver).__name__}.{name}", ref, *(plain(st, a) for a in args)))
    after = copy.deepcopy(receiver)
    assert path.outcome({}) == expected(getattr(after, name), *args)
    assert real(path.state, ref, {}) == after


def _check_input(name: str, type_: Any, args: tuple[Any, ...], symbols: list[Any], lengths: int = 3) -> list[Path]:
    """Every path of a method on an input collection predicts result and final content."""
    x = unknown(type_)
    kind = {ListType: "list", DictType: "dict", SetType: "set"}[type(type_)]

    def run(st: State) -> Any:
        return NATIVES[f"{kind}.{name}"](st, st.heap.resolve(x), *args)

    paths = follow(new_state(lengths), run)
    for path in paths:
        if path.stopped:
            continue
        model = path.state.pc.model(symbols)
        before = initial(path.state, x, model)
        after = copy.deepcopy(before)
        arguments = [real(path.state, a, model) for a in args]
        assert path.outcome(model) == expected(getattr(after, name), *arguments), before
        assert real(path.state, x, model) == after
    return paths


N = terms.int_var("n")
V = terms.int_var("v")


def test_an_input_list_keeps_its_symbolic_length() -> None:
    for name, args in (("append", (V,)), ("pop", ()), ("extend", ((V, 1),))):
        for path in _check_input(name, ListType(INT), args, [V]):
            if path.fault is None:
                ref = next(iter(path.state.heap.first))
                assert isinstance(path.state.heap.cells[ref], OpenList)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("pop", (0,)),
        ("pop", (N,)),
        ("insert", (0, V)),
        ("insert", (N, V)),
        ("reverse", ()),
        ("copy", ()),
        ("clear", ()),
    ],
)
def test_list_methods_that_need_the_shape(name: str, args: tuple[Any, ...]) -> None:
    paths = _check_input(name, ListType(INT), args, [N, V], lengths=2)
    assert any(path.fault is None and not path.stopped for path in paths)


@pytest.mark.parametrize(
    ("name", "args", "count"),
    [
        ("get", (N,), 2), ("get", (N, V), 2), ("pop", (N,), 2), ("pop", (N, V), 2), ("setdefault", (N, V), 2),
        ("popitem", (), 3), ("copy", (), 3), ("clear", (), 1),
    ],
)  # fmt: skip
def test_methods_of_an_input_dict(name: str, args: tuple[Any, ...], count: int) -> None:
    paths = _check_input(name, DictType(INT, INT), args, [N, V], lengths=2)
    assert sum(not path.stopped for path in paths) == count


@pytest.mark.parametrize(
    ("name", "args", "count"),
    [
        ("add", (N,), 2),
        ("discard", (N,), 2),
        ("remove", (N,), 2),
        ("pop", (), 2),
        ("isdisjoint", ((1,),), 2),
        ("issuperset", ((1,),), 2),
    ],
)
def test_methods_of_an_input_set(name: str, args: tuple[Any, ...], count: int) -> None:
    paths = _check_input(name, SetType(INT), args, [N, V], lengths=1)
    assert sum(not path.stopped for path in paths) == count


def test_updates_with_symbolic_keys() -> None:
    def run(st: State) -> Any:
        d = plain(st, {1: "one"})
        NATIVES["dict.update"](st, d, ((N, "n"), (V, "v")))
        return d

    samples = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)]
    paths = check_values(run, lambda n, v: {1: "one", n: "n", v: "v"}, [N, V], samples)
    assert len(paths) == 5


def test_sets_of_symbolic_elements() -> None:
    for name, function in (
        ("union", lambda n, v: {1, 2}.union({n}, {v})),
        ("intersection", lambda n, v: {1, 2}.intersection({n, v})),
        ("difference", lambda n, v: {1, 2}.difference({n, v})),
        ("issuperset", lambda n, v: {1, 2}.issuperset({n, v})),
    ):
        others = [[N], [V]] if name == "union" else [[N, V]]
        check_values(
            lambda st, name=name, others=others: NATIVES[f"set.{name}"](
                st, plain(st, {1, 2}), *(plain(st, other) for other in others)
            ),
            function,
            [N, V],
            [(a, b) for a in (0, 1, 2) for b in (1, 2, 3)],
        )


def test_dicts_from_everything() -> None:
    for source in ({"a": 1}, [("a", 1)], ["ab"], [], (("x", 1), ("x", 2))):
        st = new_state()
        (path,) = follow(st, call("dict", plain(st, source), z=3))
        assert path.outcome({}) == ("value", dict(source, z=3))
    st = new_state()
    (path,) = follow(st, call("dict.fromkeys", plain(st, ["a", "b", "a"]), 0))
    assert path.outcome({}) == ("value", {"a": 0, "b": 0})


def test_views_show_the_current_content() -> None:
    st = new_state()
    d = plain(st, {"a": 1})
    for name, wanted in (("keys", ("a",)), ("values", (1,)), ("items", (("a", 1),))):
        assert NATIVES[f"dict.{name}"](st, d) == wanted
    view = NATIVES["dict.items"](st, d)
    it = NATIVES["iter"](st, view)
    NATIVES["dict.pop"](st, d, "a")
    (path,) = follow(st, call("has_next", it))
    assert path.fault == ("RuntimeError", ("dictionary changed size during iteration",))


KEYS = hs.integers(0, 3)


@settings(max_examples=60, deadline=None)
@given(hs.lists(hs.tuples(hs.sampled_from(["add", "discard", "remove"]), KEYS), max_size=6))
def test_sequences_of_set_operations(steps: list[tuple[str, int]]) -> None:
    st, mirror = new_state(), set[int]()
    ref = plain(st, set())
    for name, key in steps:
        (path,) = follow(st, call(f"set.{name}", ref, key))
        assert path.outcome({}) == expected(getattr(mirror, name), key)
        st = path.state
        assert real(st, ref, {}) == mirror


INDICES = hs.integers(-4, 4)


@settings(max_examples=60, deadline=None)
@given(
    hs.lists(hs.one_of(hs.tuples(hs.just("pop"), INDICES), hs.tuples(hs.just("insert"), INDICES, INDICES)), max_size=6)
)
def test_sequences_of_list_operations(steps: list[tuple[Any, ...]]) -> None:
    st, mirror = new_state(), [1, 2]
    ref = plain(st, [1, 2])
    for name, *args in steps:
        (path,) = follow(st, call(f"list.{name}", ref, *args))
        assert path.outcome({}) == expected(getattr(mirror, name), *args)
        st = path.state
        assert real(st, ref, {}) == mirror


def test_values_that_cannot_be_predicted_are_refused() -> None:
    st = new_state()
    (path,) = follow(st, call("set.pop", plain(st, {1, 2})))
    assert "any of them" in path.stopped
    xs = unknown(ListType(INT))
    paths = follow(new_state(1), call("list", xs))
    check_models(paths, list, [xs])
    assert [bool(path.stopped) for path in paths].count(True) == 1
