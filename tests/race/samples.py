"""A finding of a small class, written by hand, for tests of what comes after the search."""

from __future__ import annotations

from everypath.cases.races import FREE_THREADED, TODAY, RaceFinding, Switch, ThreadTest, Turn

COUNTER = '''\
class Counter:
    """Counts."""

    def __init__(self):
        self.n = 0

    def add(self):
        self.n += 1
'''
ADDING = "Counter.add"
INCREMENT = ThreadTest(
    module="counter",
    cls="Counter",
    setup="Counter()",
    before=(),
    threads=(("sut.add()",), ("sut.add()",)),
    schedule=(Switch(0, ADDING, "write self.n"), Switch(1), Switch(0)),
)


def turn(thread: int, text: str, line: int = 0, switched: bool = False, file: str = "counter.py") -> Turn:
    return Turn(thread, file if line else "", line, ADDING if line else "", text, switched)


TIMELINE = (
    turn(0, "call sut.add()"),
    turn(0, "read self.n", 8),
    turn(1, "call sut.add()", switched=True),
    turn(1, "read self.n", 8),
    turn(1, "write self.n", 8),
    turn(1, "sut.add() returns None"),
    turn(0, "write self.n", 8, switched=True),
    turn(0, "sut.add() returns None"),
)
LOST = RaceFinding(
    kind="state",
    title="Counter.add and Counter.add: an update of n is lost",
    location="counter.py:8",
    places=("Counter.n",),
    label=FREE_THREADED,
    observed=("A: sut.add() returns None", "B: sut.add() returns None", "then: Counter(n=1)"),
    serial=(("A: sut.add() returns None", "B: sut.add() returns None", "then: Counter(n=2)"),) * 2,
    timeline=TIMELINE,
    test=INCREMENT,
    patterns=(2,),
    seconds_to_find=0.25,
    also=3,
)
EVICTED = RaceFinding(
    kind="exception",
    title="Cache.get and Cache.evict: KeyError",
    location="cache.py:12",
    places=("Cache._data",),
    label=TODAY,
    observed=("A: sut.get(\"a\") raises KeyError: 'a'", "B: sut.evict() returns None"),
    serial=(
        ('A: sut.get("a") returns 1', "B: sut.evict() returns None"),
        ('A: sut.get("a") returns None', "B: sut.evict() returns None"),
    ),
    timeline=(),
    test=ThreadTest(
        module="cache",
        cls="Cache",
        setup="Cache(maxsize=2)",
        before=('sut.put("a", 1)', "sut['b'] = \"\\n\""),
        threads=(('sut.get("a")',), ("sut.evict()", "len(sut)")),
        schedule=(Switch(0, "Cache.get", "read self._data['a']", 2), Switch(1), Switch(0)),
    ),
)
