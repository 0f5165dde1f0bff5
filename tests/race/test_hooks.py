"""What C code does to containers, as events; and whole modules of the standard library that run as before."""

from __future__ import annotations

import importlib
import importlib.util
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from everypath.race.events import KIND_NAMES, SITES
from everypath.race.observe.rewrite import rewrite
from tests.race.observed import Forgetful, Recorder, hooks_of, observed, run

HEADER = """
import array, bisect, collections, copy, functools, heapq, itertools, operator, random, types
from collections import Counter, OrderedDict, defaultdict, deque
class Thing:
    kind = []
    def __init__(self): self.x = 1
class Box(dict):
    def put(self, k, v): self[k] = v
    def direct(self, k, v): dict.__setitem__(self, k, v)
class Own(dict):
    def __getitem__(self, k): return 5
    def __len__(self): return 3
    def __iter__(self): return iter([])
def stop(gen): gen.close(); return gen
x = [3, 1, 2]
d = {'a': 1}
s = {1, 2}
q = deque([1, 2])
o = OrderedDict(a=1, b=2)
t = Thing()
b = Box(a=1)
w = Own(a=1)
n = itertools.count()
it = iter(x)
dd = defaultdict(list)
made = defaultdict(lambda: Thing())
c = Counter('aab')
p = types.MappingProxyType(d)
a = array.array('i', [1, 2])
by = bytearray(b'ab')
"""

CASES: dict[str, list[tuple[str, Any]]] = {
    # lists
    "x.append(1)": [("update", "*")],
    "x.pop()": [("update", "*")],
    "x.sort()": [("update", "*")],
    "x.extend(d)": [("read", "*"), ("update", "*")],
    "x.clear()": [("write", "*")],
    "x.copy()": [("read", "*")],
    "x.index(1)": [("read", "*")],
    "x[0]": [("read", [0])],
    "x[-1]": [("read", [2])],
    "x[0:2]": [("read", "*")],
    "1 in x": [("read", "*")],
    "x + [1]": [("read", "*"), ("read", "*")],
    "x == [1]": [("read", "*"), ("read", "*")],
    "x == 1": [],
    "x is d": [],
    "list.append(x, 1)": [("update", "*")],
    "x.__setitem__(1, 5)": [("write", [1])],
    "x.__len__()": [("read", "*")],
    "operator.length_hint(x)": [("read", "*")],
    # dictionaries
    "d['a']": [("read", ["a"])],
    "d.get('b')": [("read", ["b"])],
    "'a' in d": [("read", ["a"])],
    "'a' in d.keys()": [("read", ["a"])],
    "1 in d.values()": [("read", "*")],
    "d.pop('a')": [("update", ["a"])],
    "d.setdefault('c', [])": [("update", ["c"])],
    "d.update(o)": [("read", "*"), ("write", "*")],
    "d.update(z=1)": [("write", "*")],
    "d.popitem()": [("update", "*")],
    "d.keys()": [],
    "list(d.items())": [("read", "*")],
    "d | o": [("read", "*"), ("read", "*")],
    "o.move_to_end('a')": [("update", "*")],
    "dict(d)": [("read", "*")],
    "d[(1, 'a')] if (1, 'a') in d else 0": [("read", [(1, "a")])],
    "d.get(t)": [("read", "t")],
    "p['a']": [],
    "len(p)": [("read", "*")],
    "dd['k']": [("update", ["k"])],
    "made['k'].x": [("read", ["k"]), ("write", "x"), ("write", ["k"]), ("read", "x")],
    # sets, deques and the others
    "s.add(3)": [("write", [3])],
    "s.discard(3)": [("write", [3])],
    "s.remove(1)": [("update", [1])],
    "1 in s": [("read", [1])],
    "s.pop()": [("update", "*")],
    "s.union(x)": [("read", "*"), ("read", "*")],
    "s - {1}": [("read", "*"), ("read", "*")],
    "q.popleft()": [("update", "*")],
    "q.appendleft(1)": [("update", "*")],
    "q[0]": [("read", [0])],
    "q.rotate(1)": [("update", "*")],
    "a.append(3)": [("update", "*")],
    "by.extend(b'x')": [("update", "*")],
    "by.decode()": [("read", "*")],
    "c['z']": [("read", ["z"])],
    "c.most_common(1)": [("update", "*")],
    # functions of the interpreter
    "len(x)": [("read", "*")],
    "sorted(x)": [("read", "*")],
    "max(x)": [("read", "*")],
    "any(x)": [("read", "*")],
    "sum(d.values())": [("read", "*")],
    "tuple(x)": [("read", "*")],
    "repr(d)": [("read", "*")],
    "bool(x)": [("read", "*")],
    "','.join(d)": [("read", "*")],
    "'{}'.format(x)": [("read", "*")],
    "'%s' % x": [("read", "*")],
    "copy.copy(d)": [("read", "*")],
    "copy.copy(t)": [("read", "*")],
    "isinstance(x, list)": [],
    "id(x)": [],
    "type(x)": [],
    "iter(x)": [],
    "zip(x, d)": [],
    "list(zip(x, d))": [("read", "*"), ("read", "*")],
    "list(map(str, x))": [("read", "*")],
    "dict(enumerate(x))": [("read", "*")],
    "list(itertools.chain(x, d.items()))": [("read", "*"), ("read", "*")],
    "next(it)": [("read", "*"), ("update", "*")],
    "next(n)": [("update", "*")],
    "heapq.heappush(x, 1)": [("update", "*")],
    "heapq.heapify(x)": [("update", "*")],
    "heapq.nsmallest(1, x)": [("read", "*")],
    "bisect.bisect(x, 1)": [("read", "*")],
    "bisect.insort(x, 1)": [("update", "*")],
    "random.shuffle(x)": [("read", "*"), ("update", "*")],
    "functools.reduce(max, x)": [("read", "*")],
    "functools.partial(x.append)(1)": [("update", "*")],
    # attributes
    "t.x": [("read", "x")],
    "t.kind": [("read", "kind"), ("read", "kind")],
    "Thing.kind": [("read", "kind")],
    "t.__class__": [],
    "t.__dict__": [],
    "t.__dict__['x']": [("read", "x")],
    "t.__dict__.get('y')": [("read", "y")],
    "'y' in vars(t)": [("read", "y")],
    "t.__dict__.copy()": [("read", "*")],
    "getattr(t, 'x')": [("read", "x")],
    "hasattr(t, 'y')": [("read", "y")],
    "setattr(t, 'x', 2)": [("write", "x")],
    "object.__setattr__(t, 'x', 2)": [("write", "x")],
    "object.__getattribute__(t, 'x')": [("read", "x")],
    "setattr(Thing, 'kind', 2)": [("write", "kind")],
    "x.append": [],
    "copy.copy": [],
    "'abc'.upper()": [],
    "(1, 2)[0]": [],
    "'abc'[0]": [],
    # subclasses
    "b.put('k', 1)": [("write", ["k"])],
    "b.direct('k', 1)": [("write", ["k"])],
    "b.get('k')": [("read", ["k"])],
    "len(b)": [("read", "*")],
    "w['k']": [],
    "len(w)": [],
    "list(w)": [],
    "w.get('a')": [("read", ["a"])],
    "[*x]": [("read", "*")],
    "{**d}": [("read", "*")],
    "max(*x)": [("read", "*")],
    "[y for y in s]": [("read", "*")] * 3,
    "[y for y in (1, 2)]": [],
    "not x": [("read", "*")],
    "x and 1": [("read", "*")],
    "stop(z for z in x)": [],
}


def test_the_cases_cover_enough() -> None:
    assert len(CASES) > 100


@pytest.fixture(scope="module")
def events_of() -> Callable[[str], list[tuple[str, Any]]]:
    """All cases in one module, each a function; the state is made anew for each."""
    lines = [HEADER]
    numbers = {}
    for number, source in enumerate(CASES):
        numbers[source] = f"case{number}"
        lines.append(f"def case{number}(): return {source}")
    code = rewrite("\n".join(lines), "cases.py", "cases").code

    def look(source: str) -> list[tuple[str, Any]]:
        recorder = Recorder()
        with hooks_of(recorder):
            module = sys.modules["cases"] = ModuleType("cases")
            exec(code, module.__dict__)
            recorder.current = object()
            try:
                getattr(module, numbers[source])()
            except (KeyError, AttributeError):
                pass
            finally:
                recorder.current = None
        return [(operation.partition(" ")[0], key) for operation, key in recorder.places()]

    return look


@pytest.mark.parametrize("source", CASES)
def test_events(source: str, events_of: Callable[[str], list[tuple[str, Any]]]) -> None:
    seen = events_of(source)
    # What is looked up by identity has no text of its own.
    assert [(kind, "t" if _is_thing(key) else key) for kind, key in seen] == CASES[source]


def _is_thing(key: Any) -> bool:
    return isinstance(key, list) and type(key[0]).__name__ == "Thing"


def test_the_dictionary_of_an_instance_is_the_instance() -> None:
    source = """
    class A:
        def once(self):
            cache = self.__dict__
            if 'x' not in cache:
                cache['x'] = 1
            return cache.setdefault('y', 2)
    """
    recorder = observed(source, "a.once()", before="a = A()")[0]
    assert recorder.places() == [
        ("read 'x' in cache", "x"),
        ("write cache['x']", "x"),
        ("update cache.setdefault('y', 2)", "y"),
    ]
    assert {type(target).__name__ for _, target, _ in recorder.events} == {"A"}


def test_a_shadowed_method_is_data() -> None:
    source = """
    class A:
        def hook(self): return 1
        def plain(self): return 2
        def install(self): self.hook = lambda: 3
        def run(self): return self.hook() + self.plain()
    """
    assert observed(source, "a.run()", before="a = A()")[0].operations == ["read self.hook"]


def test_function_attributes_and_module_attributes() -> None:
    source = """
    import snippet
    total = 0
    def bump():
        global total
        total += 1
    def count():
        count.calls += 1
        snippet.total = 5
        return snippet.total, snippet.count
    count.calls = 0
    """
    assert observed(source, "count()")[0].operations == [
        "read count.calls",
        "write count.calls",
        "write snippet.total",
        "read snippet.total",
    ]


def test_slots_and_thread_locals() -> None:
    source = """
    import threading
    class A:
        __slots__ = ('x', '_p')
        def __init__(self): self.x = 1; self._p = 2
        @property
        def p(self): return self._p
        @p.setter
        def p(self, v): self._p = v
    local = threading.local()
    def f(a):
        a.x += 1
        a.p = a.p
        local.x = 1
        return local.x
    """
    assert observed(source, "f(a)", before="a = A()")[0].operations == [
        "read a.x",
        "write a.x",
        "read self._p",
        "write self._p",
    ]


def test_another_thread_may_change_the_container_at_every_announcement() -> None:
    source = """
    class C:
        def __init__(self): self.items = [1]; self.d = {'a': 1}
        def take(self):
            if self.items: return self.items.pop()
        def drop(self):
            if 'a' in self.d: del self.d['a']
        def walk(self):
            return [k for k in self.d]
    """
    for call, wanted, change, error in (
        ("c.take()", "update self.items.pop()", "c.items.clear()", IndexError),
        ("c.drop()", "update self.d['a']", "c.d.clear()", KeyError),
        ("c.walk()", "read for k in self.d", "c.d.update(b=1)", RuntimeError),
    ):
        recorder = Recorder()
        with hooks_of(recorder):
            names = run(source, "switch").__dict__
            exec("c = C()", names)
            recorder.access = Meddler(recorder, wanted, change, names)  # type: ignore[method-assign]
            recorder.current = object()
            with pytest.raises(error):
                eval(call, names)
            recorder.current = None


class Meddler:
    """Does something of its own just before the last of the announcements of one kind."""

    def __init__(self, recorder: Recorder, operation: str, act: str, names: dict[str, Any]) -> None:
        self._recorder = recorder
        self._operation = operation
        self._act = act
        self._names = names
        self._left = 2 if operation.startswith("read for") else 1

    def __call__(self, kind: int, site: int, target: Any, key: Any) -> None:
        if f"{KIND_NAMES[kind]} {SITES[site].text}" == self._operation:
            self._left -= 1
            if self._left == 0:
                party, self._recorder.current = self._recorder.current, None
                exec(self._act, self._names)
                self._recorder.current = party


def test_an_idle_hook_is_quick() -> None:
    recorder = Recorder()
    source = "class A:\n    x = 1\ndef f(a):\n    for i in range(2000):\n        a.x\n"
    with hooks_of(recorder):
        names: dict[str, Any] = {}
        exec(rewrite(source, "quick.py", "quick").code, names)
        a = names["A"]()
        best = min(_timed(lambda: names["f"](a)) for _ in range(5))
    assert best / 2000 < 5e-6


def _timed(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


# Modules of the standard library, rewritten, against themselves.


def library(name: str, *blocked: str, rewritten: bool) -> ModuleType:
    """A module of the standard library from its source, without the accelerators named."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    file = spec.origin if spec.has_location else None
    if file is None or not file.endswith(".py"):
        file = str(Path(importlib.import_module("os").__file__ or "").parent / f"{name}.py")
    module = ModuleType(name)
    module.__file__ = file
    module.__package__ = name if file.endswith("__init__.py") else ""
    saved = {each: sys.modules.get(each) for each in (*blocked, name)}
    try:
        source = Path(file).read_bytes()
        made = rewrite(source, file, name)
        assert made.notes == ()
        sys.modules.update({each: None for each in blocked})  # type: ignore[misc]
        sys.modules[name] = module
        exec(made.code if rewritten else compile(source, file, "exec", dont_inherit=True), module.__dict__)
    finally:
        for each, before in saved.items():
            if before is None:
                sys.modules.pop(each, None)
            else:
                sys.modules[each] = before
    return module


def heapq_work(m: Any, r: random.Random) -> Iterator[Any]:
    heap: list[int] = []
    for _ in range(40):
        m.heappush(heap, r.randrange(50))
        if r.random() < 0.3:
            yield m.heappop(heap)
        if heap:
            yield m.heappushpop(heap, r.randrange(50)), m.heapreplace(heap, r.randrange(50))
    yield heap, m.nsmallest(3, heap), m.nlargest(3, heap, key=lambda x: -x), list(m.merge([1, 4], [2, 3]))
    m.heapify(heap)
    yield heap


def bisect_work(m: Any, r: random.Random) -> Iterator[Any]:
    values: list[int] = []
    for _ in range(40):
        m.insort(values, r.randrange(20))
        yield m.bisect_left(values, r.randrange(20)), m.bisect(values, r.randrange(20))
    m.insort_left(values, 5, key=lambda x: x)
    yield values


def queue_work(m: Any, r: random.Random) -> Iterator[Any]:
    for kind in (m.Queue, m.LifoQueue, m.PriorityQueue, m.SimpleQueue):
        q = kind() if kind is m.SimpleQueue else kind(3)
        for _ in range(30):
            try:
                if r.random() < 0.5:
                    q.put(r.randrange(9), block=False)
                else:
                    yield q.get_nowait()
            except (m.Empty, m.Full) as error:
                yield type(error).__name__
            yield q.qsize(), q.empty()


def collections_work(m: Any, r: random.Random) -> Iterator[Any]:
    ordered, counter, chain, user = m.OrderedDict(), m.Counter(), m.ChainMap({}, {"z": 1}), m.UserDict()
    users, text, deque = m.UserList([1]), m.UserString("ab"), m.deque(maxlen=3)
    point = m.namedtuple("Point", "x y", defaults=[5])
    for _ in range(60):
        key, value = r.choice("abcd"), r.randrange(5)
        act = r.randrange(8)
        if act == 0:
            for mapping in (ordered, chain, user):
                mapping[key] = value
        elif act == 1:
            for mapping in (ordered, chain, user):
                yield mapping.pop(key, None)
        elif act == 2 and key in ordered:
            ordered.move_to_end(key, last=r.random() < 0.5)
        elif act == 3:
            counter.update(key * value)
            counter[key] += 1
        elif act == 4:
            counter.subtract({key: 1})
            yield counter.most_common(2), counter + m.Counter("a"), counter & m.Counter("ab"), +counter
        elif act == 5:
            users += [value]
            users.insert(0, key)
            yield users, users[-1], users.count(value), text + key, deque.append(value)
        elif act == 6:
            yield point(value)._replace(y=value), list(reversed(ordered)), ordered == dict(ordered)
        else:
            yield user.setdefault(key, value), list(chain.items()), chain.new_child().maps
    yield ordered, counter, chain, user, users, deque, repr(point(1, 2))


def textwrap_work(m: Any, r: random.Random) -> Iterator[Any]:
    for _ in range(20):
        text = " ".join("x" * r.randrange(1, 12) + r.choice(["", "-y", ".", "\n"]) for _ in range(20))
        yield m.wrap(text, r.randrange(5, 30), break_long_words=r.random() < 0.5)
        yield m.shorten(text, 20), m.dedent(f"  {text}\n   b"), m.indent(text, "> ", lambda line: line.strip())


def difflib_work(m: Any, r: random.Random) -> Iterator[Any]:
    for _ in range(6):
        a = [r.choice("abc") * 3 for _ in range(8)]
        b = [r.choice("abc") * 3 for _ in range(8)]
        matcher = m.SequenceMatcher(None, a, b)
        yield matcher.ratio(), matcher.get_opcodes(), list(m.unified_diff(a, b)), list(m.ndiff(a, b))
        yield m.get_close_matches("aab", ["aaa", "abb", "aabb"])


def sched_work(m: Any, r: random.Random) -> Iterator[Any]:
    now, done = [0.0], []

    def sleep(seconds: float) -> None:
        now[0] += seconds

    s = m.scheduler(lambda: now[0], sleep)
    events = [s.enter(r.randrange(9), r.randrange(3), done.append, (i,)) for i in range(12)]
    s.cancel(events[3])
    yield [event.time for event in s.queue]
    s.run()
    yield done, s.empty()


def functools_work(m: Any, r: random.Random) -> Iterator[Any]:
    calls = []

    @m.lru_cache(maxsize=3)
    def square(x: int, y: int = 0) -> int:
        calls.append(x)
        return x * x + y

    for _ in range(40):
        yield square(r.randrange(5)), square.cache_info()
    square.cache_clear()

    class Number:
        def __init__(self, n: int) -> None:
            self.n = n

        def __eq__(self, other: object) -> bool:
            return self.n == other.n  # type: ignore[attr-defined]

        def __lt__(self, other: Any) -> bool:
            return bool(self.n < other.n)

        @m.cached_property
        def double(self) -> int:
            calls.append(-self.n)
            return self.n * 2

        def add(self, a: int, b: int) -> tuple[int, ...]:
            return self.n, a, b

        inc = m.partialmethod(add, 1)

    ordered = m.total_ordering(Number)
    two = ordered(2)
    yield two >= ordered(1), two.double, two.double, two.inc(b=5), m.partial(max, 3)(2), m.reduce(max, [1, 5, 2])
    yield sorted([3, 1, 2], key=m.cmp_to_key(lambda a, b: b - a)), calls


def string_work(m: Any, r: random.Random) -> Iterator[Any]:
    yield m.Template("$a ${b} $$").substitute(a=1, b="x"), m.Template("$a $c").safe_substitute(a=[1])
    yield m.capwords("hello world"), m.Formatter().format("{0:>5} {k[0]} {1!r}", 1, "b", k=[9])
    try:
        m.Template("$zz").substitute({})
    except KeyError as error:
        yield repr(error)


def fractions_work(m: Any, r: random.Random) -> Iterator[Any]:
    f = m.Fraction(1, 3)
    for _ in range(40):
        g = m.Fraction(r.randrange(-9, 9), r.randrange(1, 9))
        yield f + g, f * g, f - g, g < f, g == f, round(g, 1), int(g), str(g), f**2, g.limit_denominator(3), hash(g)


def statistics_work(m: Any, r: random.Random) -> Iterator[Any]:
    values = [r.randrange(20) for _ in range(30)]
    yield m.mean(values), m.median(values), m.mode(values), m.stdev(values), m.quantiles(values), m.multimode(values)
    yield (
        m.NormalDist(1, 2) + m.NormalDist(2, 3),
        m.correlation(values, values[::-1]),
        m.linear_regression(values, values),
    )


LIBRARY: dict[str, tuple[Callable[[Any, random.Random], Iterator[Any]], tuple[str, ...]]] = {
    "heapq": (heapq_work, ("_heapq",)),
    "bisect": (bisect_work, ("_bisect",)),
    "queue": (queue_work, ("_queue",)),
    "collections": (collections_work, ("_collections",)),
    "textwrap": (textwrap_work, ()),
    "difflib": (difflib_work, ()),
    "sched": (sched_work, ()),
    "functools": (functools_work, ("_functools",)),
    "string": (string_work, ()),
    "fractions": (fractions_work, ()),
    "statistics": (statistics_work, ("_statistics",)),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_a_module_of_the_library_works_as_before(name: str) -> None:
    work, blocked = LIBRARY[name]
    if name == "collections":
        blocked = ()
    native = library(name, *blocked, rewritten=False)
    recorder = Forgetful()
    with hooks_of(recorder):
        made = library(name, *blocked, rewritten=True)
        for seed in (1, 2):
            expected = [repr(each) for each in work(native, random.Random(seed))]
            assert [repr(each) for each in work(made, random.Random(seed))] == expected
            recorder.current = object()
            try:
                assert [repr(each) for each in work(made, random.Random(seed))] == expected
            finally:
                recorder.current = None
