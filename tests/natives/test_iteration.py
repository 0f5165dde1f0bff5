"""Loops over everything iterable, and what uses all elements at once."""

from __future__ import annotations

from typing import Any

import pytest

from everypath.explore.state import State
from everypath.heap.values import OpenList
from everypath.ir.types import INT, DictType, ListType, SetType
from everypath.languages.python.semantics.registry import NATIVES
from everypath.logic import terms
from tests.natives.driver import (
    call,
    check_models,
    check_values,
    expected,
    follow,
    initial,
    iterate,
    new_state,
    plain,
    real,
    unknown,
)

ITERABLES: list[Any] = [
    [], [1, 2], (), (3, "a"), "", "abc", b"ab", range(0), range(3), range(5, 0, -2), {}, {"a": 1, "b": 2}, set(), {7},
    {3, 1, 2},
]  # fmt: skip


@pytest.mark.parametrize("value", ITERABLES, ids=repr)
def test_loops_over_concrete_values(value: Any) -> None:
    st = new_state()
    (path,) = iterate(st, plain(st, value))
    assert path.outcome({}) == ("value", tuple(value))


@pytest.mark.parametrize("value", ITERABLES, ids=repr)
@pytest.mark.parametrize("name", ["list", "tuple", "set", "enumerate", "zip", "reversed"])
def test_functions_of_one_iterable(name: str, value: Any) -> None:
    st = new_state()
    (path,) = follow(st, call(name, plain(st, value)))
    function = {"list": list, "tuple": tuple, "set": set, "enumerate": enumerate, "zip": zip, "reversed": reversed}[
        name
    ]
    if path.fault is None and name in ("enumerate", "zip", "reversed"):
        (path,) = iterate(path.state, path.value)
        assert path.outcome({}) == ("value", tuple(function(value)))
    else:
        assert path.outcome({}) == expected(function, value)


@pytest.mark.parametrize("value", [1, None, 2.5])
def test_what_is_not_iterable(value: Any) -> None:
    for name, function in (("iter", iter), ("list", list), ("enumerate", enumerate), ("set", set)):
        (path,) = follow(new_state(), call(name, value))
        assert path.outcome({}) == expected(function, value)


def _forward(xs: Any) -> tuple[Any, ...]:
    return tuple(xs)


def test_an_input_list_is_read_step_by_step() -> None:
    st = new_state()
    xs = unknown(ListType(INT))
    paths = iterate(st, xs, most=3)
    assert len(paths) == 4
    check_models(paths, _forward, [xs])
    assert all(isinstance(path.state.heap.cells[path.state.heap.bind[xs]], OpenList) for path in paths)


def test_backwards_and_numbered() -> None:
    for name, function in (("reversed", reversed), ("enumerate", enumerate)):
        xs = unknown(ListType(INT))
        (made,) = follow(new_state(), call(name, xs))
        paths = iterate(made.state, made.value, most=3)
        assert len(paths) == 4
        check_models(paths, lambda v, f=function: tuple(f(v)), [xs])


def test_a_range_with_symbolic_bounds_branches_at_its_test() -> None:
    n, m = terms.int_var("n"), terms.int_var("m")
    cases = (
        ((n,), lambda n, m: range(n)),
        ((m, n), lambda n, m: range(m, n)),
        ((n, m, -2), lambda n, m: range(n, m, -2)),
    )
    for args, make in cases:
        (made,) = follow(new_state(), call("range", *args))
        paths = iterate(made.state, made.value, most=3)
        assert len(paths) == 4
        for sample in [(0, 0), (2, 0), (5, 3), (-1, -3), (3, -2)]:
            model = dict(zip((n, m), sample))
            taken = [path for path in paths if path.accepts(model)]
            wanted = tuple(make(*sample))
            assert [real(p.state, p.value, model) for p in taken] == ([wanted] if len(wanted) <= 3 else [])


def test_a_range_with_a_symbolic_step() -> None:
    k = terms.int_var("k")
    for path in follow(new_state(), call("range", 0, 4, k)):
        if path.fault is not None:
            check_models([path], lambda k: range(0, 4, k), [k])
        else:
            check_models(iterate(path.state, path.value), lambda k: tuple(range(0, 4, k)), [k])


def test_reversed_ranges() -> None:
    n = terms.int_var("n")
    for step in (1, -1, 3, -2):
        check_values(
            lambda st, step=step: NATIVES["tuple"](st, NATIVES["reversed"](st, NATIVES["range"](st, 1, n, step))),
            lambda n, step=step: tuple(reversed(range(1, n, step))),
            [n],
            [(v,) for v in (-2, 0, 1, 2, 4)],
        )


def test_a_symbolic_string_by_characters() -> None:
    s = terms.str_var("s")
    for name in ("iter", "reversed"):
        (made,) = follow(new_state(), call(name, s))
        paths = iterate(made.state, made.value, most=3)
        for sample in ("", "a", "ab", "abc"):
            (path,) = [p for p in paths if p.accepts({s: sample})]
            assert path.outcome({s: sample})[1] == tuple(sample if name == "iter" else reversed(sample))


def test_zip_stops_at_the_shortest() -> None:
    xs, ys = unknown(ListType(INT), "xs"), unknown(ListType(INT), "ys")
    for made in follow(new_state(), call("zip", xs, ys)):
        check_models(iterate(made.state, made.value, most=2), lambda a, b: tuple(zip(a, b)), [xs, ys])
    st = new_state()
    (path,) = iterate(st, NATIVES["zip"](st, plain(st, [1, 2, 3]), "ab"))
    assert path.value == ((1, "a"), (2, "b"))
    (path,) = iterate(st, NATIVES["zip"](st))
    assert path.value == ()


def test_zip_strict() -> None:
    xs, ys = unknown(ListType(INT), "xs"), unknown(ListType(INT), "ys")
    for made in follow(new_state(), call("zip", xs, ys, strict=True)):
        paths = iterate(made.state, made.value, most=2)
        assert any(path.fault for path in paths) or made.state.heap.bind[xs] is made.state.heap.bind[ys]
        check_models(paths, lambda a, b: tuple(zip(a, b, strict=True)), [xs, ys])
    st = new_state()
    (path,) = iterate(st, NATIVES["zip"](st, "a", "b", "cd", strict=True))
    assert path.outcome({}) == expected(lambda: tuple(zip("a", "b", "cd", strict=True)))


def test_zip_of_one_iterator_with_itself() -> None:
    st = new_state()
    it = NATIVES["iter"](st, plain(st, [1, 2, 3, 4, 5]))
    (path,) = iterate(st, NATIVES["zip"](st, it, it))
    assert path.value == ((1, 2), (3, 4))


def test_a_list_may_grow_and_shrink_while_it_is_read() -> None:
    st = new_state()
    xs = plain(st, [1, 2])
    it = NATIVES["iter"](st, xs)
    assert NATIVES["next"](st, it) == 1
    NATIVES["list.append"](st, xs, 3)
    assert [NATIVES["next"](st, it), NATIVES["next"](st, it)] == [2, 3]
    assert NATIVES["has_next"](st, it) is False
    assert NATIVES["next"](st, it, "none") == "none"
    (path,) = follow(st, call("next", it))
    assert path.fault == ("StopIteration", ())


@pytest.mark.parametrize("kind", ["dict", "set"])
def test_changing_the_size_while_looping_is_an_error(kind: str) -> None:
    st = new_state()
    value: Any = {1: 1, 2: 2} if kind == "dict" else {1, 2}
    ref = plain(st, value)
    it = NATIVES["iter"](st, ref)
    NATIVES["next"](st, it)
    if kind == "dict":
        NATIVES["dict.pop"](st, ref, 1)
    else:
        NATIVES["set.add"](st, ref, 3)
    (path,) = follow(st, call("has_next", it))

    def change() -> None:
        for _ in value:
            value.pop(1) if kind == "dict" else value.add(3)

    assert path.outcome({}) == expected(change)


def test_input_dicts_and_sets() -> None:
    for type_, function in ((DictType(INT, INT), lambda d: list(d)), (SetType(INT), sorted)):
        d = unknown(type_)
        paths = [path for path in follow(new_state(), call("list", d)) if not path.stopped]
        assert len(paths) == 4
        for path in paths:
            model = path.state.pc.model()
            got = path.outcome(model)[1]
            assert (got if type_ == DictType(INT, INT) else sorted(got)) == function(initial(path.state, d, model))


@pytest.mark.parametrize(
    "value", [(1, 2), (1,), (1, 2, 3), [1, 2], [], "ab", "abc", {"a": 1, "b": 2}, range(2), 5, None]
)
def test_unpacking_concrete_values(value: Any) -> None:
    def two(v: Any) -> Any:
        a, b = v
        return (a, b)

    def starred(v: Any) -> Any:
        a, *b, c = v
        return (a, b, c)

    for name, counts, function in (("unpack", (2,), two), ("unpack_star", (1, 1), starred)):
        st = new_state()
        (path,) = follow(st, call(name, plain(st, value), *counts))
        assert path.outcome({}) == expected(function, value)


def test_unpacking_inputs() -> None:
    def two(v: Any) -> Any:
        a, b = v
        return (a, b)

    xs = unknown(ListType(INT))
    paths = follow(new_state(), call("unpack", xs, 2))
    assert len(paths) == 3
    check_models(paths, two, [xs])
    s = terms.str_var("s")
    check_values(call("unpack", s, 2), two, [s], [("",), ("a",), ("ab",), ("abc",)])
    st = new_state()
    (path,) = follow(st, lambda st: NATIVES["unpack"](st, NATIVES["enumerate"](st, plain(st, "ab")), 2))
    assert path.value == ((0, "a"), (1, "b"))


def test_an_iterator_is_used_up_once() -> None:
    def run(st: State) -> Any:
        return NATIVES["set"](st, it)

    st = new_state()
    x, y = terms.int_var("x"), terms.int_var("y")
    it = NATIVES["iter"](st, (x, y))
    paths = follow(st, run)
    assert len(paths) == 2
    check_models(paths, lambda a, b: {a, b}, [x, y])
    assert all(NATIVES["has_next"](path.state, it) is False for path in paths)


def test_len_as_a_value() -> None:
    xs = unknown(ListType(INT))
    (path,) = follow(new_state(), call("len", xs))
    check_models([path], len, [xs])
