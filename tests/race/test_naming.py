"""Names of objects: the same object has the same name in every run from the same state."""

from __future__ import annotations

import collections
import threading
from dataclasses import dataclass
from typing import Any, ClassVar

from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.concurrency.access import WHOLE
from everypath.race.events import Item
from everypath.race.observe.stand_ins import Cell
from everypath.race.state.naming import name_objects, place_label
from everypath.race.state.walking import walk
from tests.race import graphs as module
from tests.race.graphs import Graph, Plain, build, graphs


class Cache:
    limit: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self._data = {"a": [1], ("b", 2): [2]}
        self._lock = threading.Lock()
        self.again = self._data
        self.queue = collections.deque([[3]])
        self.pair = ([4], 5)
        self.group = {Plain()}


def test_paths() -> None:
    cache = Cache()
    names = name_objects(**{"sut": cache, "Cache.limit": Cache.limit})
    expected: list[tuple[Any, str]] = [
        (cache, "sut"),
        (cache._data, "sut._data"),
        (cache._data["a"], "sut._data['a']"),
        (cache._data["b", 2], "sut._data[('b', 2)]"),
        (cache._lock, "sut._lock"),
        (cache.queue, "sut.queue"),
        (cache.queue[0], "sut.queue[0]"),
        (cache.pair[0], "sut.pair[0]"),
        (next(iter(cache.group)), "sut.group{0}"),
        (Cache.limit, "Cache.limit"),
        (Cache, "Cache"),
        (module, "tests.race.graphs"),
        (vars(module), "tests.race.graphs"),
    ]
    assert [names.of(value) for value, _ in expected] == [name for _, name in expected]
    assert names.of([1]) is None
    assert names.of("a") is None
    assert names.of(cache.pair) is None


def test_objects_made_later_do_not_take_over_names() -> None:
    cache = Cache()
    names = name_objects(sut=cache)
    cache._data = {}
    assert [names.of([]) for _ in range(1000)] == [None] * 1000
    assert names.of(cache._data) is None
    assert names.of(cache.again) == "sut._data"


def test_the_shortest_path_wins() -> None:
    cache = Cache()
    cache.deep = [[cache.pair[0], cache.queue]]  # type: ignore[attr-defined]
    names = name_objects(sut=cache)
    assert names.of(cache.queue) == "sut.queue"


@settings(max_examples=50)
@given(graphs(6), st.integers(0, 99), st.integers(0, 99))
def test_same_names_in_every_run(graph: Graph, seed: int, other: int) -> None:
    first, second = build(graph, seed), build(graph, other)
    assert paths(first) == paths(second)


def paths(root: Any) -> list[str | None]:
    names = name_objects(sut=root)
    found = [names.of(each) for each in walk((root,)).objects if each is not None]
    assert None not in found
    assert len(set(found)) == len(found)
    return found


@dataclass(frozen=True)
class Frozen:
    pair: tuple[int, list[int]]


def test_a_frozen_root_has_a_name() -> None:
    frozen = Frozen((1, []))
    names = name_objects(sut=frozen, other=[1])
    assert names.of(frozen) == "sut"
    assert names.of(frozen.pair[1]) == "sut.pair[1]"


def test_a_long_chain() -> None:
    chain: Any = None
    for _ in range(3000):
        node = Plain()
        node.next = chain  # type: ignore[attr-defined]
        chain = node
    found = paths(chain)
    assert max(len(each or "") for each in found) < 300


def test_labels_for_people() -> None:
    assert place_label("sut", "n", "Counter") == "Counter.n"
    assert place_label("sut._data", Item("a"), "Cache") == "Cache._data['a']"
    assert place_label("sut._data", WHOLE, "Cache") == "Cache._data"
    assert place_label("sut._lock", None, "Cache") == "Cache._lock"
    assert place_label("Cache", "total", "Cache") == "Cache.total"
    assert place_label("sutler", "n", "Cache") == "sutler.n"


def test_variables_of_rewritten_closures() -> None:
    def outer() -> Any:
        __everypath_n__ = Cell("n")
        n = 0

        def inner() -> Any:
            nonlocal n
            n += 1
            return __everypath_n__

        return inner

    function = outer()
    path = name_objects(counted=function).of(function())
    assert path is not None
    assert place_label(path, "n") == "counted.n"
