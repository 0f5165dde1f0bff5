"""Natives that call methods of the program, run through the machine and compared with the program itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everypath.explore.outcomes import Cut, Finished, Uncaught
from everypath.explore.search.exploration import Exploration
from everypath.languages.python.frontend import Loaded, load_target
from everypath.languages.python.semantics.semantics import PythonSemantics
from everypath.options import Limits, Options
from tests.natives.driver import expected, real

SOURCE = """
class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Bag:
    def __init__(self, *items):
        self.items = list(items)

    def __iter__(self):
        return iter(self.items)

    def __reversed__(self):
        return reversed(self.items)

    def __len__(self):
        return len(self.items)


class Point:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"P{self.x}"

    def __format__(self, spec):
        return spec + str(self.x)

    def __abs__(self):
        return abs(self.x)

    def __bool__(self):
        return self.x > 0

    def __int__(self):
        return self.x

    def __hash__(self):
        return self.x


class Broken:
    def __iter__(self):
        return [1]

    def __str__(self):
        return 1


def loop():
    found = []
    for value in Countdown(3):
        found.append(value)
    return found


def nested():
    return [(a, b) for a in Bag(1, 2) for b in Bag(3, 4)]


def zipped():
    return [pair for pair in zip(Countdown(3), enumerate(Countdown(2)), Bag(7, 8, 9))]


def shared():
    steps = Countdown(5)
    first = [a + b for a, b in zip([1, 2], steps)]
    return first, next(steps)


def collected():
    a, b = Countdown(2)
    first, *rest = Bag(1, 2, 3)
    more = [9]
    more.extend(Countdown(2))
    return [a, b, first, rest, more, tuple(Countdown(2)), len(set(Countdown(3))), dict(zip(Countdown(2), "ab"))]


def steps():
    it = iter(Countdown(1))
    return next(it), next(it, "none")


def exhausted():
    return next(Countdown(0))


def backwards():
    return list(reversed(Bag(1, 2, 3)))


def texts():
    p = Point(3)
    return str(p), repr([p, (p, 1)]), f"{p:a}{p!r}", str({"k": p})


def templates():
    p = Point(3)
    return "{}-{x:b}".format(1, x=p), "{!r}".format(p)


def numbers():
    return abs(Point(-3)), int(Point(4)), bool(Point(0)), bool(Bag()), hash(Point(5)), len(Bag(1))


def wrong_iterator():
    return [x for x in Broken()]


def wrong_text():
    return str(Broken())


def not_iterable():
    return list(Point(1))


def joined():
    return ",".join(Bag("a", "b")), set(Bag(1)).union(Bag(2), [3])
"""
NAMES = [line[4:-3] for line in SOURCE.splitlines() if line.startswith("def ")]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    path = Path(tmp_path_factory.mktemp("program")) / "program_under_test.py"
    path.write_text(SOURCE)
    return load_target(str(path))


@pytest.mark.parametrize("name", NAMES)
def test_the_machine_does_what_python_does(loaded: Loaded, name: str) -> None:
    namespace: dict[str, Any] = {}
    exec(SOURCE, namespace)
    assert _explore(loaded, name) == expected(namespace[name])


def _explore(loaded: Loaded, name: str) -> Any:
    method = loaded.program.find_method(loaded.module, name)
    assert method is not None
    exploration = Exploration(PythonSemantics(loaded.program), Options())
    initial, _ = exploration.initial(method)
    (state,) = exploration.paths(initial)
    if isinstance(state.outcome, Finished):
        return ("value", real(state, state.outcome.value, {}))
    assert isinstance(state.outcome, Uncaught), state.outcome
    return ("error", state.outcome.cls, state.heap.cells[state.outcome.exception]["args"])


def test_a_loop_over_a_users_iterator_is_bounded(tmp_path: Path) -> None:
    source = (
        SOURCE
        + """

def total(n: int):
    result = 0
    for value in Countdown(n):
        result += value
    return result
"""
    )
    path = tmp_path / "bounded.py"
    path.write_text(source)
    loaded = load_target(f"{path}::total")
    method = loaded.program.find_method(loaded.module, "total")
    assert method is not None
    exploration = Exploration(PythonSemantics(loaded.program), Options(limits=Limits(loops=2)))
    initial, _ = exploration.initial(method)
    outcomes = [state.outcome for state in exploration.paths(initial)]
    assert sum(isinstance(outcome, Finished) for outcome in outcomes) == 3
    assert sum(isinstance(outcome, Cut) for outcome in outcomes) == 1
