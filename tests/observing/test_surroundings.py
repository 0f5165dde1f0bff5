"""Branches that inputs do not decide are looked for although every path was followed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from everypath.languages.python.observing.surroundings import left_open
from everypath.options import Limits, Options
from tests.observing.test_observed import passes, run_on

AROUND = """
import os
import sys

REGISTRY = {"a": 1}

def _is_windows() -> bool:
    return sys.platform == "win32"

def separator(flag: bool) -> str:
    if _is_windows():
        return "w"
    return "/"

def known(name: str) -> int:
    if "b" in REGISTRY:
        return REGISTRY["b"]
    return len(name)

def never(x: int) -> int:
    if x > 3 and x < 2:
        return 1
    return 0
"""


@pytest.mark.parametrize("select", ["all", "branches"])
def test_what_the_surroundings_decide_is_looked_for(tmp_path: Path, select: str) -> None:
    run = run_on(tmp_path, AROUND, Options(limits=Limits(time=20), select=select, seed=1))
    assert passes(tmp_path, run) == ""
    observed = [case.id.partition("::")[2].partition("#")[0] for s in run.suites for case in s.cases if case.observed]
    predicted = [case.id.partition("::")[2].partition("#")[0] for s in run.suites for case in s.cases if case.validated]
    assert sorted(set(observed)) == ["known", "separator"]
    assert {"known", "separator", "never"} <= set(predicted)


def test_nothing_is_looked_for_where_inputs_decide(tmp_path: Path) -> None:
    source = "import sys\nLIMIT = 3\n" + AROUND[AROUND.index("def never") :]
    run = run_on(tmp_path, source, Options(limits=Limits(time=20), seed=1))
    assert not any(case.observed for suite in run.suites for case in suite.cases)
    assert left_open(ast.parse(source), {4, 6, (4, 6)}) == frozenset()


OPEN = {
    "a platform": ("import sys\ndef f(n):\n    if sys.platform == 'os2':\n        n = 1\n    return n", {3, 5, (3, 5)}),
    "behind a variable": (
        "import os\ndef f(n):\n    v = os.environ.get('A')\n    w = v\n    if w:\n        return 1\n    return n",
        {3, 4, 5, 7, (5, 7)},
    ),
    "the way past": ("NOW = 1\ndef f(n):\n    if NOW:\n        n = 1\n    return n", {3, 4, 5, (3, 4), (4, 5)}),
    "an empty table": ("T = []\ndef f(n):\n    for each in T:\n        n = each\n    return n", {3, 5, (3, 5)}),
    "an error of the library": (
        "import socket\ndef f(n):\n    try:\n        n = socket.a()\n    except E:\n        n = 1\n    return n",
        {3, 4, 7, (4, 7)},
    ),
    "a missing module": (
        "def f(n):\n    try:\n        import json\n    except ImportError:\n        n = 1\n    return n",
        {2, 3, 6, (3, 6)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("source, reached", OPEN.values(), ids=OPEN)
def test_decisions_of_the_surroundings(source: str, reached: set[int | tuple[int, int]]) -> None:
    assert left_open(ast.parse(source), reached) == {"f"}
    everywhere = {*range(1, 9), *((a, b) for a in range(1, 9) for b in range(1, 9))}
    assert left_open(ast.parse(source), everywhere) == frozenset()
    assert left_open(ast.parse(source), set()) == frozenset()
