"""Data in modules and classes: as after the import before every run, and part of what is compared."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from everypath.race.state.description import difference
from everypath.race.state.naming import name_objects
from everypath.race.state.surroundings import AS_BEFORE, SharedState
from everypath.race.state.walking import snapshot

CODE = """\
import collections, functools, itertools, random, threading, weakref

LIMIT = 5
NAMES = ['a']
TABLE = {i: (i, str(i)) for i in range(100)}
RECENT = collections.OrderedDict(a=1, b=2)
PAIR = (1, [2])
_ids = itertools.count()
_lock = threading.Lock()
_dice = random.Random(1)

class Base:
    made = 0
    log = collections.deque(maxlen=3)

class Registry(Base):
    instances = weakref.WeakSet()
    items = {}
    settings = None
    counter = None

    def __init__(self):
        Registry.instances.add(self)
        Base.made += 1
        self.id = next(_ids)
        self.items[self.id] = [self]

    def remember(self, value, memory=[]):
        memory.append(value)
        return len(memory)

class Slotted:
    __slots__ = ('a', 'b')

SLOTTED = Slotted()
SLOTTED.a = [1]

class Box:
    pass

BOX = Box()
BOX.content = {'x': [1]}
BOX.ids = itertools.count(7)

@functools.lru_cache
def squared(x):
    return [x]

def counting():
    n = 0
    seen = {}
    def count(x):
        nonlocal n
        n += 1
        seen[x] = n
        return n
    return count

counted = counting()

def plain(x):
    return x
"""


@pytest.fixture
def loaded() -> Iterator[Any]:
    module: Any = types.ModuleType("loaded")
    sys.modules["loaded"] = module
    exec(CODE, vars(module))
    yield module
    del sys.modules["loaded"]


def change_everything(m: Any) -> list[Any]:
    """What the changes come to, which depends on the state before."""
    m.LIMIT += 1
    m.NAMES.append("b")
    m.TABLE[3] = None
    m.RECENT.move_to_end("a")
    m.PAIR[1].append(3)
    m._lock.acquire()
    m.NEW = [m.LIMIT]
    one = m.Registry()
    m.Registry.settings = {"one": one}
    m.Registry.late = 1
    del m.Registry.counter
    m.Base.log.append(one.id)
    m.SLOTTED.b = 1
    m.SLOTTED.a.append(2)
    m.BOX.content["x"].append(2)
    m.BOX.more = 1
    return [
        one,
        one.id,
        m.Base.made,
        one.remember(1),
        one.remember(1),
        len(m.squared(3)),
        m.squared.cache_info().misses,
        m.counted("a"),
        m.counted("b"),
        next(m.BOX.ids),
        m._dice.random(),
        list(m.Base.log),
        len(m.Registry.instances),
    ]


def test_everything_is_put_back(loaded: Any) -> None:
    shared = SharedState([loaded], loaded.Registry)
    assert shared.unrestored == ()
    names = list(vars(loaded))
    start = snapshot(*shared.roots().values())
    first = change_everything(loaded)
    changed = snapshot(*shared.roots().values())
    assert changed != start
    for _ in range(3):
        shared.restore()
        assert list(vars(loaded)) == names
        assert difference(snapshot(*shared.roots().values()), start, list(shared.roots())) == []
        again = change_everything(loaded)
        assert again[1:] == first[1:]
        assert snapshot(*shared.roots().values()) == changed
    shared.restore()
    assert loaded._lock.acquire(blocking=False)
    assert "late" not in vars(loaded.Registry)
    assert loaded.Registry.counter is None


def test_objects_stay_the_same(loaded: Any) -> None:
    shared = SharedState([loaded], loaded.Registry)
    kept = loaded.NAMES, loaded.TABLE, loaded.BOX.content["x"], loaded.Registry.items
    change_everything(loaded)
    loaded.NAMES = []
    shared.restore()
    assert all(
        a is b for a, b in zip(kept, (loaded.NAMES, loaded.TABLE, loaded.BOX.content["x"], loaded.Registry.items))
    )


def test_names(loaded: Any) -> None:
    shared = SharedState([loaded], loaded.Registry)
    names = name_objects(**shared.roots())
    assert names.of(loaded.NAMES) == "loaded.NAMES"
    assert names.of(loaded.Registry.items) == "Registry.items"
    assert names.of(loaded.Base.log) == "Base.log"
    assert names.of(loaded.BOX.content["x"]) == "loaded.BOX.content['x']"
    assert names.of(loaded._lock) == "loaded._lock"
    assert names.of(loaded.Registry.remember.__defaults__[0]) == "Registry.remember.__defaults__[0]"
    loaded.Registry.settings = {}
    assert name_objects(**shared.roots()).of(loaded.Registry.settings) == "Registry.settings"


def test_names_that_were_bound_again_are_part_of_the_state(loaded: Any) -> None:
    shared = SharedState([loaded], loaded.Registry)
    start = snapshot(*shared.roots().values())
    loaded.LIMIT = 6
    assert snapshot(*shared.roots().values()) != start
    assert shared.roots()["loaded.LIMIT"] == 6
    loaded.LIMIT = 5
    assert snapshot(*shared.roots().values()) == start
    del loaded.LIMIT
    assert snapshot(*shared.roots().values()) != start
    shared.restore()
    assert loaded.LIMIT == 5


def test_large_data_is_only_compared(loaded: Any) -> None:
    shared = SharedState([loaded], loaded.Registry)
    assert shared.state()["loaded.TABLE"] == AS_BEFORE
    assert shared.state()["loaded.NAMES"] is loaded.NAMES
    loaded.TABLE[3] = (3, "".join(["3"]))
    assert shared.state()["loaded.TABLE"] == AS_BEFORE
    loaded.TABLE[3] = 0
    assert shared.state()["loaded.TABLE"] is loaded.TABLE


def test_what_cannot_be_put_back_is_named() -> None:
    module: Any = types.ModuleType("odd")
    exec("PENDING = [iter([1, 2])]\nclass C: pass", vars(module))
    assert SharedState([module], module.C).unrestored == ("odd.PENDING[0] (list_iterator)",)


def test_data_that_is_too_large_is_left_alone() -> None:
    module: Any = types.ModuleType("large")
    exec("HUGE = [[] for _ in range(30000)]\nSMALL = []\nclass C: pass", vars(module))
    shared = SharedState([module], module.C)
    assert shared.unrestored == ("large.HUGE (too large)",)
    assert list(shared.roots()) == ["large.SMALL"]


def test_markers_and_constants_are_no_data() -> None:
    module: Any = types.ModuleType("constants")
    code = """
from __future__ import annotations
import collections, functools, logging, re
from time import monotonic as time
MARKER = object()
PATTERN = re.compile('a')
LOG = logging.getLogger('x')
Pair = collections.namedtuple('Pair', 'a b')
def wrapped(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args)
    return inner
class C:
    __slots__ = ('n',)
    NONE = None
    kinds = (int, str)
    @wrapped
    def f(self, default=MARKER, flag=True, other=None):
        return super().__init__()
    @property
    def p(self):
        return 1
    @staticmethod
    def s():
        return 2
"""
    exec(code, vars(module))
    assert SharedState([module], module.C).roots() == {}


def test_nothing_to_keep() -> None:
    module: Any = types.ModuleType("simple")
    exec("import re, os\nA = 1\nB = 'x'\nP = re.compile('a')\nclass C:\n    n = 0\n    def f(self): pass", vars(module))
    shared = SharedState([module], module.C)
    assert shared.roots() == {}
    module.C.n = 1
    assert shared.roots() == {"C.n": 1, "*": ("C.n",)}
    shared.restore()
    assert module.C.n == 0
    assert shared.roots() == {}


def test_late_imports_are_no_state() -> None:
    module: Any = types.ModuleType("late")
    exec("def f():\n    global json\n    import json\nclass C: pass", vars(module))
    shared = SharedState([module], module.C)
    module.f()
    assert shared.roots() == {}
    shared.restore()
    assert module.json is sys.modules["json"]
