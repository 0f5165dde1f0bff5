"""Functions that functions make, classes that no call makes objects of, and names that only the test itself has."""

from __future__ import annotations

from pathlib import Path

from everypath.cases.model import Raised
from everypath.generate.run import generate
from everypath.options import Options
from tests.observing.test_left_out import told
from tests.observing.test_observed import passes, run_on

MAKING = """
import ctypes
from abc import ABC, abstractmethod
from typing import Protocol
from collections import OrderedDict
from enum import Enum

class Shape(ABC):
    @abstractmethod
    def area(self) -> int: ...

class Sized(Protocol):
    size: int

def grown(sized: Sized, texts: list[Sized]) -> str:
    return ctypes.c_wchar_p("a" if sized.size > 3 else "b" * len(texts)).value

class Colour(str, Enum):
    RED = ("r", "Red")
    BLUE = ("b", "Blue")
    def __new__(cls, value, label):
        made = str.__new__(cls, value)
        made._value_ = value
        made.label = label
        return made
    def short(self) -> str:
        return self.label[:1]

class Names(OrderedDict):
    def add(self, name: str) -> int:
        self[name] = None
        return len(self)

def at_least(limit: int):
    def check(n: int) -> bool:
        if n < limit:
            return False
        return True
    return check
"""


def test_functions_that_are_made_are_called_or_named(tmp_path: Path) -> None:
    run = run_on(tmp_path, MAKING)
    assert passes(tmp_path, run) == ""
    names = [case.id.partition("::")[2].partition("#")[0] for suite in run.suites for case in suite.cases]
    assert names.count("at_least") == 3
    assert told(run, "at_least") == []
    assert all(problem.kind != "defect" for suite in run.suites for problem in suite.problems)
    # A method without a body is left to subclasses, and an enumeration has its members.
    assert "Shape.area" not in names and "Colour" not in names


def test_functions_that_no_test_calls_are_named(tmp_path: Path) -> None:
    (tmp_path / "making.py").write_text(MAKING, encoding="utf-8")
    run = generate([str(tmp_path / "making.py::at_least")], Options(predicted_only=True))
    assert [(each.line, each.message) for each in told(run, "at_least")] == [
        (36, "at_least: no test calls check, a function that it makes")
    ]


NAMED = """
import inspect

def refuse(function):
    inspect.signature(function)
    if callable(function) and "<lambda>" in getattr(function, "__qualname__", ""):
        raise TypeError(f"{function.__qualname__}: not this one")
    return 0
"""


def test_names_of_functions_in_the_test_are_not_expected(tmp_path: Path) -> None:
    run = run_on(tmp_path, NAMED)
    assert passes(tmp_path, run) == ""
    raised = [case for suite in run.suites for case in suite.cases if isinstance(case.expected.outcome, Raised)]
    assert "TypeError" in {case.expected.outcome.cls for case in raised}
