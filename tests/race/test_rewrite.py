"""Which events rewritten code causes, that it behaves like the original, and what is left alone."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

from everypath.race.events import SITES
from everypath.race.observe import bodies
from everypath.race.observe.rewrite import rewrite, rewrite_call
from tests.race.observed import Forgetful, Recorder, hooks_of, observed, run

CACHE = '''
class Cache:
    """A cache."""

    limit = 2

    def __init__(self):
        self.n = 0
        self.__data = {}
        self.order = []
        self.pair = [1, 2]

    def put(self, key, value):
        """Store."""
        if key not in self.__data:
            self.n += 1
        self.__data[key] = value
        self.order.append(key)
        return self

    def size(self):
        return len(self.order) + self.limit

    def forget(self, key):
        del self.__data[key]
        del self.n

    @property
    def first(self):
        return self.order[0]

    def both(self):
        a, b = self.pair
        return a + b

    def replaced(self):
        self.order, self.n = [], 0
        for self.n in range(2):
            pass
        return [*self.order, *self.pair], {**self.__data}

    def found(self):
        if self.order and not self.__data:
            return 1
        return self.first or 2

    def shown(self):
        return f"{self.order} {self.n:>3}"

    def merged(self):
        self.order += [3]
        self.__data["a"] += 1
        x = self.order
        x += self.pair
        return self.order == self.pair
'''


def cache(call: str, before: str = "c = Cache()") -> Recorder:
    return observed(CACHE, call, before=before)[0]


def test_private_names_are_mangled_as_python_mangles_them() -> None:
    assert cache("c.put('a', 1)").places() == [
        ("read self.__data", "_Cache__data"),
        ("read key in self.__data", ["a"]),
        ("read self.n", "n"),
        ("write self.n", "n"),
        ("read self.__data", "_Cache__data"),
        ("write self.__data[key]", ["a"]),
        ("read self.order", "order"),
        ("update self.order.append(key)", "*"),
    ]


def test_data_of_the_class_is_read_there_and_in_the_instance() -> None:
    recorder = cache("c.size()")
    assert recorder.places() == [
        ("read self.order", "order"),
        ("read len(self.order)", "*"),
        ("read self.limit", "limit"),
        ("read self.limit", "limit"),
    ]
    assert [type(target).__name__ for _, target, _ in recorder.events[2:]] == ["type", "Cache"]


def test_deletions() -> None:
    assert cache("c.forget('a')", "c = Cache().put('a', 1)").places() == [
        ("read self.__data", "_Cache__data"),
        ("update self.__data[key]", ["a"]),
        ("update self.n", "n"),
    ]


def test_a_property_is_a_call() -> None:
    recorder = cache("c.first", "c = Cache().put('a', 1)")
    assert recorder.places() == [("read self.order", "order"), ("read self.order[0]", [0])]
    assert recorder.entries == ["+Cache.first", "-Cache.first"]


def test_unpacking_reads_the_whole_list() -> None:
    assert cache("c.both()").places() == [("read self.pair", "pair"), ("read a, b = self.pair", "*")]


def test_every_way_to_assign_an_attribute() -> None:
    assert cache("c.replaced()").operations == [
        "write self.order",
        "write self.n",
        "write self.n",
        "write self.n",
        "read self.order",
        "read *self.order",
        "read self.pair",
        "read *self.pair",
        "read self.__data",
        "read **self.__data",
    ]


def test_whether_a_container_is_empty_is_a_read() -> None:
    assert cache("c.found()", "c = Cache().put('a', 1)").operations == [
        "read self.order",
        "read bool(self.order)",
        "read self.__data",
        "read bool(self.__data)",
        "read self.order",
        "read self.order[0]",
    ]


def test_formatting_reads_the_container() -> None:
    assert cache("c.shown()").operations == ["read self.order", "read str(self.order)", "read self.n"]


def test_augmented_assignments() -> None:
    recorder = cache("c.merged()", "c = Cache().put('a', 1)")
    assert recorder.operations == [
        "read self.order",
        "read self.order += [3]",
        "update self.order += [3]",
        "write self.order",
        "read self.__data",
        "read self.__data['a']",
        "write self.__data['a']",
        "read self.order",
        "read self.pair",
        "read x += self.pair",
        "update x += self.pair",
        "read self.order",
        "read self.pair",
        "read self.order == self.pair",
        "read self.order == self.pair",
    ]


def test_functions_begin_and_end_even_with_an_exception() -> None:
    source = """
    def outer():
        try:
            inner()
        except ValueError:
            return 1

    def inner():
        raise ValueError
    """
    assert observed(source, "outer()")[0].entries == ["+outer", "+inner", "-inner", "-outer"]


def test_a_generator_enters_each_time_it_goes_on() -> None:
    source = """
    class Bag:
        def __init__(self):
            self.items = [1, 2]

        def __iter__(self):
            for x in self.items:
                yield x
    """
    recorder, value = observed(source, "list(b)", before="b = Bag()")
    assert value == [1, 2]
    assert recorder.entries == ["+Bag.__iter__", "-Bag.__iter__"] * 3
    assert recorder.operations == ["read self.items", *["read for x in self.items"] * 3]


def test_a_generator_that_is_closed_or_thrown_into_leaves_no_open_entry() -> None:
    source = """
    def numbers():
        try:
            yield 1
        except KeyError:
            yield 2

    def close():
        g = numbers()
        next(g)
        g.throw(KeyError)
        g.close()
    """
    entries = observed(source, "close()")[0].entries
    assert sum(1 if each.startswith("+") else -1 for each in entries) == 0


def test_global_variables_are_places_of_their_module() -> None:
    source = """
    counter = 0
    other = 0

    def bump():
        global counter
        counter += 1
        return counter + other

    def look(counter):
        return counter

    def read():
        return [counter for _ in range(1)]

    def rebind():
        global counter
        for counter in range(2):
            pass
        (counter, x) = 1, 2
    """
    recorder, value = observed(source, "(bump(), look(5), read())")
    assert value == (1, 5, [1])
    assert recorder.operations == ["read counter", "write counter", "read counter", "read counter"]
    assert {target.__name__ for _, target, _ in recorder.events} == {"snippet"}
    assert observed(source, "rebind()")[0].operations == ["write counter", "write counter"]


def test_variables_of_enclosing_functions() -> None:
    source = """
    def counter():
        n = 0
        def increase(by=1):
            nonlocal n
            n += by
            return n
        def look():
            return n
        return increase, look
    """
    recorder, value = observed(source, "(f(), g(), f2())", before="f, g = counter(); f2, g2 = counter()")
    assert value == (1, 1, 1)
    assert recorder.operations == ["read n", "write n", "read n", "read n", "read n", "write n", "read n"]
    cells = [target for _, target, _ in recorder.events]
    assert len({id(cell) for cell in cells[:4]}) == 1
    assert cells[0] is not cells[4]


def test_loops_count_their_rounds() -> None:
    source = """
    def loops():
        for x in range(3):
            if x == 1:
                continue
        while x:
            x -= 1
        return [y for y in (1, 2)]
    """
    assert observed(source, "loops()")[0].rounds == 3 + 2 + 2


def test_where_an_interpreter_with_a_global_lock_can_switch() -> None:
    source = """
    class C:
        def __init__(self):
            self.a = self.b = 0

        def get(self):
            return self.a

        def run(self):
            self.a = self.b
            self.b = self.get()
            self.a = abs(self.b)
            for x in (1, 2):
                self.a = x
            self.a = (lambda: 1)()
    """
    recorder = observed(source, "c.run()", before="c = C()")[0]
    assert list(zip(recorder.operations, recorder.today)) == [
        ("read self.b", True),
        ("write self.a", False),
        ("read self.a", True),
        ("write self.b", False),
        ("read self.b", False),
        ("write self.a", True),
        ("write self.a", False),
        ("write self.a", True),
        ("write self.a", True),
    ]


def test_sites_say_where() -> None:
    recorder = Recorder()
    numbers: list[int] = []
    with hooks_of(recorder):
        module = run("class A:\n    def f(self):\n        return [\n            self.x]\n", "sited")
        a = module.A()
        a.x = 1
        recorder.current = object()
        recorder.access = lambda kind, site, target, key: numbers.append(site)  # type: ignore[method-assign]
        a.f()
        recorder.current = None
    site = SITES[numbers[0]]
    assert (site.file, site.line, site.column, site.function, site.text) == ("sited.py", 4, 13, "A.f", "self.x")


def test_a_call_of_the_search_is_rewritten_too() -> None:
    recorder = Recorder()
    with hooks_of(recorder):
        code, is_expression = rewrite_call("sut['a']", "<call>", "<call>")
        statement, is_statement = rewrite_call("sut['a'] = 1", "<call>", "<call>")
        recorder.current = object()
        assert eval(code, {"sut": {"a": 1}}) == 1
        exec(statement, {"sut": {}})
        recorder.current = None
    assert (is_expression, is_statement) == (True, False)
    assert recorder.operations == ["read sut['a']", "write sut['a']"]


def test_what_cannot_be_rewritten_stays_native_and_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any, node: Any) -> Any:
        raise NotImplementedError("no idea what a while loop is")

    monkeypatch.setattr(bodies.Body, "visit_While", refuse)
    source = "def f(x):\n    while x:\n        x -= 1\n    return x\n\ndef g(x):\n    return x.y\n"
    made = rewrite(source, "odd.py", "odd")
    assert [(note.line, note.message) for note in made.notes] == [
        (1, "f runs unobserved: no idea what a while loop is")
    ]
    names: dict[str, Any] = {}
    exec(made.code, names)
    assert names["f"](3) == 0
    assert "__everypath_race__" in names["g"].__code__.co_names
    assert "__everypath_race__" not in names["f"].__code__.co_names


def test_what_the_compiler_refuses_is_found_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    import ast

    def spoil(self: Any, node: ast.While) -> ast.AST:
        return ast.copy_location(ast.Expr(ast.Name("x", ast.Store())), node)

    monkeypatch.setattr(bodies.Body, "visit_While", spoil)
    source = "def f(x):\n    while x:\n        x -= 1\n\nclass A:\n    def g(self):\n        return self.y\n"
    made = rewrite(source, "odd.py", "odd")
    assert [note.line for note in made.notes] == [1]


def test_a_very_deep_expression_stays_native() -> None:
    deep = "+".join(["x"] * 600)
    for source, line in ((f"def f(x):\n    return {deep}\n", 1), (f"x = 1\ny = {deep}\n", 0)):
        made = rewrite(source + "\ndef g(x):\n    return x.y\n", "deep.py", "deep")
        assert [note.line for note in made.notes] == [line]
        assert "nested too deeply" in made.notes[0].message


BEHAVIOURS = {
    "docstring": "def f():\n    'doc'\n    return f.__doc__",
    "only a docstring": "def g():\n    'doc'\ndef f():\n    return g(), g.__doc__",
    "names and defaults": """
def g(a, /, b=[1], *c, d: int = 2, **e): return a, b, c, d, e
def f(): return g.__name__, g.__defaults__, g.__kwdefaults__, g.__annotations__, g(1, 2, 3, d=4, x=5)""",
    "super": """
class A:
    def m(self, x): return ['A', x]
class B(A):
    def m(self, x): return super().m(x) + [__class__.__name__]
def f(): return B().m(1)""",
    "locals": "def f(a=1):\n    b = 2\n    b += a\n    return sorted(locals()), eval('a + b'), sorted(vars())",
    "frames": "import sys\ndef f():\n    g = sys._getframe\n    return g().f_code.co_name, g(0).f_lineno",
    "warnings": """
import warnings
def g(): warnings.warn('old', stacklevel=2)
def f():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        g()
    return [(str(w.message), w.lineno) for w in seen]""",
    "namedtuple": """
from collections import namedtuple
def f():
    P = namedtuple('P', 'x y')
    return P.__module__, P(1, 2).x""",
    "slots": """
class A:
    __slots__ = ('x',)
def f():
    a = A()
    try: a.x
    except AttributeError as e: first = str(e)
    a.x = [1]
    a.x += [2]
    del a.x
    try: a.y = 1
    except AttributeError as e: return first, str(e)""",
    "descriptors": """
class D:
    def __get__(self, o, c): return ('got', o is None)
    def __set__(self, o, v): o.__dict__['v'] = v
class A:
    d = D()
    def __getattr__(self, n): return n * 2
def f():
    a = A(); a.d = 3; a.d += (1,)
    return a.d, A.d, a.v, a.missing""",
    "cached property": """
import functools
class A:
    n = 0
    @functools.cached_property
    def x(self): self.n += 1; return self.n
def f():
    a = A()
    return a.x, a.x, a.__dict__, vars(a)['x'], A.n""",
    "setattr": """
class A:
    def __setattr__(self, n, v): object.__setattr__(self, n, v + 1)
    def __getattribute__(self, n): return object.__getattribute__(self, n)
def f():
    a = A(); a.x = 1; setattr(a, 'y', 2); a.x += 1
    return a.x, getattr(a, 'y'), hasattr(a, 'z'), getattr(a, 'z', 9)""",
    "metaclass": """
class M(type):
    def __getattr__(c, n): return n
class A(metaclass=M):
    count = 0
    def __init__(self): type(self).count += 1
def f(): A(); A(); return A.count, A.other""",
    "star arguments": """
def g(*a, **k): return a, k
def f():
    return g(*[1], 2, *(3,), **{'a': 1}, b=2, **dict(c=3))""",
    "unpacking": """
def f():
    a, *b = [1, 2, 3]
    (c, d), [e] = (4, 5), [6]
    return a, b, c, d, e, [*b, *'xy'], {*b}""",
    "unpacking too few": "def f():\n    a, b = [1]",
    "chains": "def f():\n    x = [1]\n    return 0 < 1 < 2, [1] == x == [1], 1 in x in ([1], 2), not 1 in x",
    "boolean values": "def f():\n    x = []\n    return x or 0, x and 1, not x, [] if x else {}, None or x or 5",
    "comprehensions": """
def f():
    n = 3
    return ([(x, y) for x in range(n) if x for y in range(x)], {x for x in 'aab'}, {k: v for k, v in {1: 2}.items()},
            list(x * n for x in (y for y in [1, 2])), [z := 5, z])""",
    "generators": """
def g(n):
    got = yield n
    while got: got = yield got * 2
    return 'done'
def h():
    r = yield from g(1)
    yield r
    yield from [7, 8]
def f():
    it = h()
    return next(it), it.send(4), it.send(0), list(it)""",
    "generator state": """
def g():
    x = 1
    yield x
def f():
    it = g()
    next(it)
    it.close()
    return list(it)""",
    "coroutines": """
import asyncio
class A:
    def __init__(self): self.v = 0
    async def __aenter__(self): return self
    async def __aexit__(self, *a): self.v += 1
    async def items(self):
        for i in range(3):
            await asyncio.sleep(0)
            yield i
async def main():
    async with A() as a:
        out = [i async for i in a.items() if i]
        async for j in a.items(): out.append(j)
    return out, a.v, await asyncio.gather(asyncio.sleep(0, 1), asyncio.sleep(0, 2))
def f(): return asyncio.run(main())""",
    "context managers": """
class C:
    def __enter__(self): return [1, 2]
    def __exit__(self, t, v, tb): self.seen = t; return True
def f():
    c = C()
    with c as (a, b), c as c.x: raise KeyError(a)
    return a, b, c.x, c.seen.__name__""",
    "match": """
class P:
    __match_args__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
def g(v):
    match v:
        case [1, *rest] if rest: return rest
        case {'k': k, **more}: return k, more
        case P(0, y=y): return y
        case str() as s: return s
        case _: return None
def f(): return [g(v) for v in ([1, 2], {'k': 1, 'z': 2}, P(0, 5), 'a', 3)]""",
    "try": """
def f():
    out = []
    for x in (0, 1, 'a', None):
        try:
            out.append(1 // x)
            if x == 1: continue
        except ZeroDivisionError: out.append('zero')
        except (TypeError, ValueError) as e: out.append(type(e).__name__); break
        else: out.append('else')
        finally: out.append('finally')
    else: out.append('no')
    return out""",
    "while else": """
def f():
    n = 3
    while n:
        n -= 1
        if n == 5: break
    else: return 'else'""",
    "nested classes": """
def f():
    class A:
        x = [i for i in range(3)]
        y = lambda self: self.x[-1]
        class B:
            def __m(self): return 'private'
            def n(self): return self.__m()
    return A.x, A().y(), A.B().n(), A.B.n.__qualname__""",
    "decorators": """
import functools
def twice(fn):
    @functools.wraps(fn)
    def inner(*a): return fn(fn(*a))
    return inner
@twice
def g(x, y=(lambda: 2)()): return x + y
def f(): return g(1), g.__name__, (lambda x, *y, z=1: (x, y, z))(1, 2)""",
    "recursion": "def g(n): return n and g(n - 1) + 1\ndef f(): return g(200)",
    "subclass of dict": """
class D(dict):
    def __missing__(self, k): self[k] = v = [k]; return v
    def __setitem__(self, k, v): super().__setitem__(k, v); dict.setdefault(self, 'n', 0)
def f():
    d = D(a=1); d['b'] += [2]; d.update(c=3); d |= {'e': 1}
    return d, d.pop('a'), len(d), 'b' in d, list(d), sorted(d.items(), key=str), d == dict(d), d.get('zz')""",
    "subclass of list": """
class L(list):
    def append(self, x): super().append(x); list.append(self, -x)
    def __len__(self): return 100
def f():
    l = L([1]); l.append(2); l += [5]; l[1:2] = [7, 8]; del l[0]; l[-1] *= 2
    return l, len(l), bool(l), l[::2], l.index(7), l * 2, 5 in l""",
    "defaultdict": """
from collections import defaultdict, OrderedDict, deque, Counter
def f():
    made = []
    d = defaultdict(lambda: made.append(1) or [])
    d['x'].append(1); d['x'].append(2); d['y'] += [3]
    o = OrderedDict(a=1, b=2); o.move_to_end('a')
    q = deque([1, 2, 3], maxlen=2); q.rotate(1); q[0] += 5; q += [9]
    c = Counter('abca'); c['z'] += 1; c.update('q'); c += Counter('a')
    return dict(d), made, list(o), q, c.most_common(2), sorted(c)""",
    "missing key": "def f():\n    return {}['a']",
    "bad index": "def f():\n    x = [1]\n    x[5] = 1",
    "bad key": "def f():\n    d = {}\n    d[[1]] = 2",
    "bad pop": "def f():\n    return [].pop()",
    "bad attribute": "class A: pass\ndef f():\n    return A().zzz",
    "bad call": "def f():\n    x = 3\n    return x(1)",
    "bad arguments": "def g(a): pass\ndef f():\n    return g(1, 2)",
    "bad C arguments": "def f():\n    return len(1, 2)",
    "bad operands": "def f():\n    x, y = [1], 'a'\n    return x + y",
    "bad in-place operands": "def f():\n    x, y = (1,), 'a'\n    x += y",
    "bad iteration": "def f():\n    x = 5\n    for y in x: pass",
    "bad comparison": "def f():\n    x, y = [1], 3j\n    return x < y",
    "unbound": "def f():\n    if 0: x = 1\n    x += [1]",
    "changed while iterating": "def f():\n    d = {1: 2}\n    for k in d: d[k + 1] = 0",
    "error inside a comprehension": "def f():\n    return [1 // x for x in [1, 0]]",
    "error in a callback": "def f():\n    return sorted([3, 1], key=lambda x: 1 // (x - 1))",
    "assertion": "def f():\n    x = []\n    assert x, f'empty {x}'",
    "exception chain": """
def f():
    try:
        try: {}['k']
        except KeyError as e: raise ValueError('v') from e
    except ValueError as e: return repr(e.__cause__), e.__traceback__.tb_lineno""",
    "global import": "def g():\n    global js\n    import json as js\ndef f():\n    g()\n    return js.dumps([1])",
    "deleted global": "x = 1\ndef g():\n    global x\n    del x\ndef f():\n    g()\n    return x",
    "nonlocal": """
def f():
    x = 0
    def g():
        nonlocal x
        x, y = x + 1, 5
        def h():
            nonlocal x
            x *= 10
            for x in (x, 7): pass
            return x
        return h(), x
    return g(), x, [x for x in (1, 2)]""",
    "walrus": "def f():\n    if (n := len([1, 2])) > 1: return n, [m := i for i in range(3)], m",
    "iterators": """
import itertools
def f():
    it = iter([1, 2, 3])
    return (next(it), list(it), next(it, 'end'), list(zip([1], 'a')), dict(enumerate('ab')), list(map(str, [1])),
            list(reversed([1, 2])), list(itertools.chain([1], {2: 3})), sum(x for x in [1, 2]),
            max([1, 5], key=lambda x: -x))""",
    "partial": """
import functools
def f():
    x = []
    p = functools.partial(x.append)
    p(1)
    return x, functools.partial(max, 1)(2)""",
    "weak references": """
import weakref
class A: pass
def f():
    a = A(); r = weakref.ref(a); a.__dict__['x'] = 1
    same = r() is a
    del a
    return same, r()""",
    "string formatting": """
def f():
    x = [1]
    return '%s %r' % (x, {2}), '%s' % x, f'{x!r:>5}{1:{3}}', '{} {a}'.format(x, a=x), ','.join(['a'])""",
    "copies": """
import copy
class A: pass
def f():
    a = A(); a.x = [1]
    return copy.copy(a).x is a.x, copy.deepcopy(a).x, copy.copy([1])""",
    "operators of the program": """
class V:
    def __init__(self, x): self.x = x
    def __add__(self, o): return V(self.x + o.x)
    def __iadd__(self, o): self.x += o.x; return self
    def __eq__(self, o): return isinstance(o, V) and self.x == o.x
    def __lt__(self, o): return self.x < o.x
    def __getitem__(self, k): return (self.x, k)
    def __contains__(self, k): return k == self.x
    def __bool__(self): return False
    def __call__(self, *a): return a
def f():
    v = V(1); v += V(2)
    return (v + v).x, v == V(3), v < v, v[1:2], v[1, ...], 3 in v, v or 'f', v(1, 2), not v""",
}


def outcome(source: str, *, rewritten: bool, active: bool) -> tuple[Any, ...]:
    recorder = Forgetful()
    with hooks_of(recorder):
        module = run(source, "behaviour", rewritten=rewritten)
        recorder.current = object() if active else None
        try:
            return "value", repr(module.f())
        except Exception as error:
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "behaviour.py"]
            return "raised", type(error), str(error), [(frame.name, frame.lineno) for frame in frames]
        finally:
            recorder.current = None


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_rewritten_code_behaves_like_the_original(name: str) -> None:
    source = BEHAVIOURS[name]
    native = outcome(source, rewritten=False, active=False)
    assert outcome(source, rewritten=True, active=False) == native
    assert outcome(source, rewritten=True, active=True) == native


def test_evaluation_order_is_kept() -> None:
    source = """
    log = []
    class T:
        def __getattr__(self, n): log.append(('get', n)); return self
        def __setattr__(self, n, v): log.append(('set', n))
        def __getitem__(self, k): log.append(('item', type(k))); return self
        def __setitem__(self, k, v): log.append(('setitem', type(k)))
        def __delitem__(self, k): log.append(('delitem', type(k)))
        def __call__(self, *a, **k): log.append(('call', len(a), sorted(k))); return self
        def __iadd__(self, o): log.append('iadd'); return self
        def __add__(self, o): log.append('add'); return self
        def __contains__(self, o): log.append('in'); return True
        def __iter__(self): log.append('iter'); return iter((self, self))
        def __bool__(self): log.append('bool'); return True
        def __eq__(self, o): log.append('eq'); return self
        __hash__ = None
    def v(x): log.append(x); return T() if x != 'k' else 1
    def f():
        v(1).a[v('k')].b(v(2), *v(3), z=v(4)).c = v(5)
        v(6).x += v(7)
        v(8)[0] += v(9)
        v(10).p, v(11)[1] = v(12)
        del v(13)[2], v(14)[3]
        v(15) in v(16) and v(17) == v(18) or v(19)
        x = [v(20) for v(21).q in v(22) if v(23)]
        v(24) + v(25)
        return log
    """
    recorder = Recorder()
    with hooks_of(recorder):
        native = run(source, "order", rewritten=False).f()
        idle = run(source, "order").f()
        module = run(source, "order")
        recorder.current = object()
        active = module.f()
        recorder.current = None
    assert idle == native
    assert active == native
