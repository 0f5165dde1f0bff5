"""A module's variables, as the engine sees them, are what the real import makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from everypath.generate.results import Run
from everypath.generate.run import generate
from everypath.options import Options

BEFORE = """
import contextlib


class Registry:
    def __init__(self):
        self.names = []
        self.count = 0

    def add(self, name):
        self.names.append(name)
        self.count += 1

    def register(self, function):
        self.names.append(function.__name__)
        return function


@contextlib.contextmanager
def filling(table):
    table["entered"] = 1
    yield table
    table["left"] = 2


def put(value):
    A.append(value)


R = Registry()
A = [1]
B = A
D = {"a": 1}
N = 1
add = R.add
push = A.append
"""
AFTER = """

def state():
    return (list(A), dict(D), N, list(R.names), R.count, A is B, len(A))
"""
STATEMENTS = {
    "alias of a bound method": 'add("A")',
    "alias of a method of a list": "push(2)",
    "with": 'with filling(D) as t:\n    t["inside"] = N',
    "with in a loop": "for name in 'xy':\n    with filling({}) as t:\n        A.append(name)",
    "loop over an alias": "for name in ('x', 'y'):\n    add(name)",
    "call of a call": "getattr(A, 'append')(7)",
    "call of an item": "[A.append][0](8)",
    "try": 'try:\n    D["missing"]\nexcept KeyError:\n    add("caught")',
    "condition": 'if len(A) > 2:\n    add("long")\nelse:\n    push(9)',
    "while": "while len(A) < 4:\n    push(0)",
    "augmented": "N += len(A)",
    "augmented list": "B += [5]",
    "deleted item": 'D.pop("a", None)',
    "called function": "put(3)",
    "replaced": "B = A = [4]",
    "two names": "P = Q = [6]\nP.append(7)\nadd(len(Q))",
    "second name": "B.append(6)",
    "function of the library": "import random\nrandom.Random(1).shuffle(A)",
    "type with three arguments": 'Made = type("Made", (), {"x": 1})\nadd(Made.__name__)',
    "class body": "class Body:\n    for each in range(3):\n        push(each)",
}


PLAIN = """
LIMITS = {}
LIMITS["a"] = 1


def f() -> int:
    return LIMITS["a"]


if __name__ == "__main__":
    with open("input.txt") as lines:
        print(f(), *lines)
"""


def looked(folder: Path, statements: list[str]) -> Run:
    (folder / "sample.py").write_text(BEFORE + "\n".join(statements) + AFTER)
    return generate(["sample.py::state"], Options(predicted_only=True))


def assert_as_imported(run: Run) -> None:
    """There is the case that was predicted, and it passed; or why there is none is said."""
    (suite,) = run.suites
    said = [*suite.problems, *suite.stats.unsupported, *run.problems]
    assert not [problem.message for problem in said if problem.kind == "defect"]
    assert suite.cases or said


@pytest.mark.parametrize("name", STATEMENTS)
def test_each_kind_of_statement(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert_as_imported(looked(tmp_path, [STATEMENTS[name]]))


@pytest.mark.parametrize("name", ["alias of a bound method", "with", "loop over an alias", "call of a call", "try"])
def test_what_is_not_followed_is_taken_from_the_import(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (suite,) = looked(tmp_path, [STATEMENTS[name]]).suites
    assert [case.validated for case in suite.cases] == [True]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(st.sampled_from(sorted(STATEMENTS)), min_size=2, max_size=5))
def test_any_sequence_of_statements(names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert_as_imported(looked(tmp_path, [STATEMENTS[name] for name in names]))


def test_what_cannot_be_told_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that holds a lock is no expression."""
    monkeypatch.chdir(tmp_path)
    before = "import threading\n\nLOCKS = []\nadd = LOCKS.append\nadd(threading.Lock())\n"
    (tmp_path / "sample.py").write_text(f"{before}\n\ndef f(x: int) -> int:\n    return x\n")
    run = generate(["sample.py"], Options(predicted_only=True))
    assert [problem.message for problem in run.problems if problem.line == 5] == [
        "this may change LOCKS when the module is imported, which is not followed"
    ]


def test_plain_modules_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from everypath.languages.python.frontend import load_target
    from everypath.options import FenceOptions
    from everypath.workers.process import Process

    (tmp_path / "sample.py").write_text(PLAIN)
    before = Process.started
    load_target(str(tmp_path / "sample.py"), fence=FenceOptions())
    assert Process.started == before


REGISTERED = """
import abc


Also = abc.ABC
must = abc.abstractmethod


class App:
    def __init__(self):
        self.routes = {}
        self.hooks = []

    def route(self, path, **options):
        def decorate(function):
            self.routes[path] = function
            return function

        return decorate

    def hook(self, function):
        self.hooks.append(function)
        return function

    def wrapped(self, function):
        def inner(*args):
            return function(*args) + 1

        return inner


app = App()


@app.route("/a", methods=["GET"])
def first(n: int) -> int:
    if n > 3:
        return n
    return 0


class View:
    @app.hook
    def show(self, n: int) -> str:
        if n:
            return "x"
        return "y"

    @staticmethod
    @app.hook
    def fixed(n: int) -> int:
        return n + 1


@app.wrapped
def changed(n: int) -> int:
    return n


def run(path: str, n: int) -> int:
    if path in app.routes:
        return app.routes[path](n)
    return len(app.hooks)


class Shape(Also):
    @must
    def area(self) -> int: ...

    def large(self) -> bool:
        return self.area() > 10


class Square(Shape):
    def __init__(self, side: int):
        self.side = side

    def area(self) -> int:
        return self.side * self.side
"""


def test_what_objects_decorate_is_as_the_import_leaves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decorator that only registers a function changes nothing; another one is refused."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample.py").write_text(REGISTERED)
    run = generate(["sample.py"], Options(predicted_only=True))
    found = {suite.target.partition("::")[2]: len(suite.cases) for suite in run.suites}
    assert [found[name] for name in ("first", "View.show", "View.fixed", "changed", "run")] == [2, 2, 1, 0, 3]
    assert found["Shape.large"] >= 2
    problems = [*run.problems, *(each for suite in run.suites for each in (*suite.problems, *suite.stats.unsupported))]
    refused = {problem.message for problem in problems if problem.kind in ("unsupported", "defect")}
    assert refused == {"decorator @app.wrapped on changed is not supported"}


UNFOLLOWED = """
import ctypes
import time

_last = time.time()
_laps = 0
LIMIT = 3


def lap(label):
    global _last, _laps
    _last = time.time()
    _laps += ctypes.sizeof(ctypes.c_char)


lap("loaded")


def size(text: str) -> str:
    return "long" if len(text) > LIMIT else "short"


def laps(more: bool) -> int:
    return _laps + 1 if more else 0
"""


def test_a_call_on_import_that_is_not_followed_ends_only_paths_that_read_what_it_changes(tmp_path: Path) -> None:
    (tmp_path / "timing.py").write_text(UNFOLLOWED)
    run = generate([str(tmp_path / "timing.py")], Options(predicted_only=True))
    suites = {suite.target.rpartition("::")[2]: suite for suite in run.suites}
    assert len(suites["size"].cases) == 2 and not suites["size"].stats.unsupported
    assert len(suites["laps"].cases) == 1
    [problem] = suites["laps"].stats.unsupported
    assert "_laps may be changed on import, which is not followed" in problem.message
