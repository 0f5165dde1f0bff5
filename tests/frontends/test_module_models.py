"""Our versions of library modules do what the library does: each is executed as plain Python beside the original."""

from __future__ import annotations

import builtins
import collections
import gettext
import io
import itertools
import logging
import operator
import reprlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as hs

from everypath.languages.python.frontend.finder import Replacements

LISTS = hs.lists(hs.integers(-3, 3), max_size=5)
SMALL = hs.integers(-1, 4)
MOST = 12


def c_size(number: Any) -> int:
    """What the engine offers to models: the number, if C code can take it for a size."""
    size = operator.index(number)
    len(range(abs(size)))
    return size


def ours(name: str) -> Any:
    """The module as written for the engine, in a namespace of its own."""
    module = Replacements().module(name)
    assert module is not None
    namespace: dict[str, Any] = {"__builtins__": {**vars(builtins), "c_size": c_size}}
    exec(compile(module.tree, module.file, "exec"), namespace)
    return SimpleNamespace(**namespace)


ITERTOOLS = ours("itertools")
COLLECTIONS = ours("collections")
OPERATOR = ours("operator")
LOGGING = ours("logging")
IO = ours("io")
REPRLIB = ours("reprlib")
GETTEXT = ours("gettext")


def outcome(run: Callable[[], Any]) -> Any:
    """The value, taken apart where it is an iterator, or the class of the error."""
    try:
        return plain(run())
    except Exception as error:
        return type(error).__name__


def plain(value: Any) -> Any:
    """Iterators as lists, so that results can be compared."""
    if hasattr(value, "__next__"):
        return [plain(item) for item in itertools.islice(value, MOST)]
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    return value


def groups(module: Any, xs: list[int], key: Callable[[int], Any] | None) -> Any:
    """What `groupby` gives, each group used up before the next one."""
    return [(k, list(g)) for k, g in module.groupby(xs, key)]


CALLS: dict[str, Callable[[Any, list[int], list[int], int], Any]] = {
    "count": lambda m, xs, ys, n: itertools.islice(m.count(n, 2), 4),
    "cycle": lambda m, xs, ys, n: itertools.islice(m.cycle(xs), 7),
    "repeat": lambda m, xs, ys, n: m.repeat("x", n),
    "repeat for ever": lambda m, xs, ys, n: itertools.islice(m.repeat(n), 3),
    "chain": lambda m, xs, ys, n: m.chain(xs, ys),
    "chain.from_iterable": lambda m, xs, ys, n: m.chain.from_iterable([xs, ys, xs]),
    "compress": lambda m, xs, ys, n: m.compress(xs, ys),
    "takewhile": lambda m, xs, ys, n: m.takewhile(lambda x: x < n, xs),
    "dropwhile": lambda m, xs, ys, n: m.dropwhile(lambda x: x < n, xs),
    "filterfalse": lambda m, xs, ys, n: m.filterfalse(lambda x: x < n, xs),
    "filterfalse by truth": lambda m, xs, ys, n: m.filterfalse(None, xs),
    "starmap": lambda m, xs, ys, n: m.starmap(operator.add, zip(xs, ys)),
    "accumulate": lambda m, xs, ys, n: m.accumulate(xs),
    "accumulate with": lambda m, xs, ys, n: m.accumulate(xs, max, initial=n),
    "islice to": lambda m, xs, ys, n: m.islice(xs, n),
    "islice from to": lambda m, xs, ys, n: m.islice(xs, n, 4),
    "islice by": lambda m, xs, ys, n: m.islice(xs, 0, None, n),
    "pairwise": lambda m, xs, ys, n: m.pairwise(xs),
    "zip_longest": lambda m, xs, ys, n: m.zip_longest(xs, ys, fillvalue=n),
    "zip_longest of one iterator": lambda m, xs, ys, n: m.zip_longest(*[iter(xs)] * 2, fillvalue=n),
    "tee": lambda m, xs, ys, n: m.tee(xs, 3),
    "tee none": lambda m, xs, ys, n: m.tee(None, 0),
    "groupby": lambda m, xs, ys, n: groups(m, xs, None),
    "groupby key": lambda m, xs, ys, n: groups(m, xs, lambda x: x > n),
    "groupby unread": lambda m, xs, ys, n: [k for k, _ in m.groupby(xs, lambda x: x > n)],
    "product": lambda m, xs, ys, n: m.product(xs[:3], ys[:2]),
    "product repeat": lambda m, xs, ys, n: m.product(xs[:2], repeat=2),
    "permutations": lambda m, xs, ys, n: m.permutations(xs[:3]),
    "permutations of": lambda m, xs, ys, n: m.permutations(xs[:3], n),
    "combinations": lambda m, xs, ys, n: m.combinations(xs[:4], n),
    "combinations_with_replacement": lambda m, xs, ys, n: m.combinations_with_replacement(xs[:3], n),
}


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=40, deadline=None)
@given(LISTS, LISTS, SMALL)
def test_itertools(name: str, xs: list[int], ys: list[int], n: int) -> None:
    call = CALLS[name]
    assert outcome(lambda: call(ITERTOOLS, xs, ys, n)) == outcome(lambda: call(itertools, xs, ys, n))


def test_every_function_of_itertools_is_tried() -> None:
    defined = {name for name in vars(ITERTOOLS) if not name.startswith("_")}
    assert defined - {"batched"} == {name.partition(" ")[0].partition(".")[0] for name in CALLS}


Step = tuple[str, tuple[Any, ...]]
KEYS = hs.integers(0, 3)
DEQUE_STEPS = hs.one_of(
    hs.tuples(
        hs.sampled_from(["append", "appendleft", "remove", "count", "index", "__contains__", "rotate"]), hs.tuples(KEYS)
    ),
    hs.tuples(hs.sampled_from(["pop", "popleft", "clear", "reverse", "__len__"]), hs.just(())),
    hs.tuples(hs.sampled_from(["extend", "extendleft"]), hs.tuples(hs.lists(KEYS, max_size=3))),
    hs.tuples(hs.just("insert"), hs.tuples(hs.integers(-2, 3), KEYS)),
    hs.tuples(hs.sampled_from(["__getitem__", "__delitem__"]), hs.tuples(hs.integers(-3, 3))),
    hs.tuples(hs.just("__setitem__"), hs.tuples(hs.integers(-3, 3), KEYS)),
)
MAPPING_STEPS = hs.one_of(
    hs.tuples(
        hs.sampled_from(["__getitem__", "get", "__delitem__", "__contains__", "pop", "setdefault"]), hs.tuples(KEYS)
    ),
    hs.tuples(hs.sampled_from(["popitem", "clear", "__len__"]), hs.just(())),
    hs.tuples(hs.just("__setitem__"), hs.tuples(KEYS, KEYS)),
    hs.tuples(hs.just("update"), hs.tuples(hs.dictionaries(KEYS, KEYS, max_size=2))),
)


def follow(target: Any, steps: list[Step]) -> list[Any]:
    """The result of each call and the content after it."""
    seen = []
    for name, arguments in steps:
        seen.append((name, outcome(lambda name=name, arguments=arguments: getattr(target, name)(*arguments))))
        seen.append(list(target.items()) if hasattr(target, "items") else list(target))
    return seen


@settings(max_examples=150, deadline=None)
@given(hs.lists(KEYS, max_size=4), hs.none() | hs.integers(0, 3), hs.lists(DEQUE_STEPS, max_size=8))
def test_deque(start: list[int], maxlen: int | None, steps: list[Step]) -> None:
    assert follow(COLLECTIONS.deque(start, maxlen), steps) == follow(collections.deque(start, maxlen), steps)


@pytest.mark.parametrize("name", ["defaultdict", "OrderedDict", "Counter"])
@settings(max_examples=80, deadline=None)
@given(hs.dictionaries(KEYS, KEYS, max_size=3), hs.lists(MAPPING_STEPS, max_size=8))
def test_mappings(name: str, start: dict[int, int], steps: list[Step]) -> None:
    arguments = (int, start) if name == "defaultdict" else (start,)
    assert follow(getattr(COLLECTIONS, name)(*arguments), steps) == follow(
        getattr(collections, name)(*arguments), steps
    )


@settings(max_examples=80, deadline=None)
@given(LISTS, LISTS, SMALL)
def test_counter(xs: list[int], ys: list[int], n: int) -> None:
    def run(module: Any) -> Any:
        one, other = module.Counter(xs), module.Counter(ys)
        combined = [one + other, one - other, one & other, one | other]
        one.subtract(other)
        shown = [list(c.items()) for c in (*combined, one)]
        return shown, one.most_common(n), other.most_common(), other.total(), list(other.elements()), one == other

    assert run(COLLECTIONS) == run(collections)


@settings(max_examples=60, deadline=None)
@given(hs.lists(KEYS, max_size=4), KEYS, hs.booleans())
def test_ordered_dict(keys: list[int], key: int, last: bool) -> None:
    def run(module: Any) -> Any:
        made = module.OrderedDict.fromkeys(keys, 1)
        moved = outcome(lambda: made.move_to_end(key, last))
        return moved, list(made.items()), outcome(lambda: made.popitem(last)), list(made.items())

    assert run(COLLECTIONS) == run(collections)


TEXT = hs.text("ab\n", max_size=8)
FILE_STEPS = hs.one_of(
    hs.tuples(hs.sampled_from(["read", "readline", "seek"]), hs.tuples(hs.integers(-1, 9))),
    hs.tuples(hs.sampled_from(["read", "readline", "readlines", "tell", "getvalue", "truncate", "close"]), hs.just(())),
    hs.tuples(hs.just("seek"), hs.tuples(hs.integers(-1, 2), hs.integers(0, 3))),
    hs.tuples(hs.sampled_from(["readable", "writable", "seekable", "isatty", "flush", "__enter__"]), hs.just(())),
    hs.tuples(hs.just("write"), hs.tuples(TEXT)),
    hs.tuples(hs.just("writelines"), hs.tuples(hs.lists(TEXT, max_size=2))),
)


@settings(max_examples=200, deadline=None)
@given(TEXT, hs.lists(FILE_STEPS, max_size=6))
def test_string_io(text: str, steps: list[Step]) -> None:
    def run(file: Any) -> Any:
        results = [outcome(lambda n=name, a=arguments: getattr(file, n)(*a)) for name, arguments in steps]
        results = ["itself" if result is file else result for result in results]
        return results, file.closed, outcome(lambda: list(file))

    assert run(IO.StringIO(text)) == run(io.StringIO(text))


EAGER = ("cycle", "pairwise", "zip_longest", "tee", "accumulate", "groupby", "islice", "takewhile", "starmap")


@pytest.mark.parametrize("name", EAGER)
def test_what_is_no_iterable_is_refused_at_once(name: str) -> None:
    arguments = {"islice": (1, 2), "takewhile": (bool, 1), "starmap": (max, 1)}.get(name, (1,))
    for module in (ITERTOOLS, itertools):
        with pytest.raises(TypeError):
            getattr(module, name)(*arguments)


def test_getters_of_operator() -> None:
    item = SimpleNamespace(a=SimpleNamespace(b=3), c=4)
    for module in (OPERATOR, operator):
        assert module.itemgetter(1)([1, 2]) == 2
        assert module.itemgetter(1, 0)([1, 2]) == (2, 1)
        assert module.attrgetter("a.b")(item) == 3
        assert module.attrgetter("a.b", "c")(item) == (3, 4)
        assert module.methodcaller("split", ",", maxsplit=1)("a,b,c") == ["a", "b,c"]
        with pytest.raises(TypeError):
            module.attrgetter(1)


@pytest.mark.parametrize("name", ["countOf", "indexOf"])
@given(items=LISTS, value=SMALL)
def test_searches_of_operator(name: str, items: list[int], value: int) -> None:
    ours_, real = getattr(OPERATOR, name), getattr(operator, name)
    assert outcome(lambda: ours_(items, value)) == outcome(lambda: real(items, value))
    assert outcome(lambda: ours_(iter(items), value)) == outcome(lambda: real(iter(items), value))


def test_loggers_that_nobody_has_configured() -> None:
    names = ("shop", "shop.cart")
    ours_, real = ([module.getLogger(name) for name in names] for module in (LOGGING, logging))
    for one, other in zip(ours_, real):
        assert one.name == other.name
        assert one.getChild("x").name == other.getChild("x").name
        assert one.debug("no %s") is other.debug("no %s")
        assert one.isEnabledFor(logging.DEBUG) == (other.getEffectiveLevel() <= logging.DEBUG)
    assert LOGGING.getLogger("shop") is LOGGING.getLogger("shop")


@given(hs.none() | TEXT)
def test_text_encoding(encoding: str | None) -> None:
    assert IO.text_encoding(encoding) == io.text_encoding(encoding)


@given(hs.integers(0, 3), TEXT)
def test_recursive_repr(depth: int, fill: str) -> None:
    def run(module: Any) -> str:
        class Holder:
            inner: Any = None

            @module.recursive_repr(fill)
            def __repr__(self) -> str:
                return f"<{self.inner!r}>"

        made = [Holder() for _ in range(depth + 1)]
        for one, other in zip(made, [*made[1:], made[0]]):
            one.inner = other
        return repr(made[0]) + repr(made[-1])

    assert run(REPRLIB) == run(reprlib)


@given(TEXT.filter(bool), TEXT.filter(bool), hs.integers(-2, 3))
def test_messages_without_a_catalogue(one: str, other: str, n: int) -> None:
    calls: dict[str, tuple[Any, ...]] = {
        "gettext": (one,),
        "ngettext": (one, other, n),
        "pgettext": ("menu", one),
        "npgettext": ("menu", one, other, n),
        "dgettext": ("shop", one),
        "dngettext": ("shop", one, other, n),
    }
    for name, arguments in calls.items():
        assert getattr(GETTEXT, name)(*arguments) == getattr(gettext, name)(*arguments)
