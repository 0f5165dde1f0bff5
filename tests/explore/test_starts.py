"""A path is its start and its choices: any case, read from JSON in a fresh process, is the same case again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everypath.cases.codec import Codec
from everypath.cases.json_forms import JSON
from everypath.paths import (
    AnyValue,
    Bounds,
    KnownInputs,
    LeftOut,
    MadeInputs,
    NewObject,
    OpenInputs,
    QueuedTasks,
    SameObject,
    Several,
    Start,
)
from tests.cli.command import everypath

REPLAYING = Path(__file__).with_name("replaying.py")

OPEN = """\
def classify(numbers: list[int], name: str | None) -> str:
    if name is None or not numbers:
        raise ValueError("nothing")
    return name if numbers[0] > len(numbers) else "small"
"""
THIRD = """\
def third(items: list[int]) -> str:
    seen = 0
    for item in items:
        seen += 1
        if seen == 3:
            return "three"
    return "fewer"
"""
COUNTER = """\
class Counter:
    def __init__(self, start: int, label: int | str):
        self.start = start
        self.label = label

    def run(self, step: int, names: list[str]) -> str:
        found = []
        for number in range(self.start):
            if number != step:
                found.append(number)
        if len(found) > 4 and names:
            return names[0] if isinstance(self.label, str) else "many"
        return "few"
"""
STACKS = """\
class Item:
    def __init__(self, weight: int = 1, note=None) -> None:
        self.weight = weight


class Stack:
    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("capacity")
        self.capacity = capacity
        self.items: list[int] = []

    def push(self, item: int) -> None:
        if len(self.items) >= self.capacity:
            raise OverflowError("full")
        self.items.append(item)

    def valid(self) -> bool:
        return 0 < self.capacity and len(self.items) <= self.capacity

    def room(self) -> int:
        return self.capacity - len(self.items)


def compare(first: Stack, second: Stack | None, heavy: list[Item] | None, pair: tuple[Item, int]) -> int:
    if first is second:
        return -1
    if first.items and heavy:
        return heavy[0].weight + pair[1]
    return 0 if second is None else second.room()
"""
COUNTED = """\
class Counter:
    def __init__(self):
        self.n = 0

    def add(self):
        n = self.n
        self.n = n + 1
        return self.n
"""


@pytest.mark.parametrize(
    ("name", "source", "options", "kinds"),
    [
        ("open", OPEN, [], {"OpenInputs 1"}),
        ("open", OPEN, ["--loops", "2", "--heap", "lazy"], {"OpenInputs 2"}),
        ("third", THIRD, ["--select", "branches"], {"OpenInputs 1", "OpenInputs 3"}),
        ("counter", COUNTER, ["--loops", "2"], {"OpenInputs 2", "KnownInputs 2"}),
        ("stacks", STACKS, ["--reachable"], {"MadeInputs 1"}),
        ("stacks", STACKS, ["--invariant", "valid"], {"OpenInputs 1"}),
        ("stacks", STACKS, ["--reachable", "--invariant", "valid"], {"MadeInputs 1"}),
    ],
)
def test_every_kind_of_start(tmp_path: Path, name: str, source: str, options: list[str], kinds: set[str]) -> None:
    (tmp_path / f"{name}.py").write_text(source)
    assert everypath(tmp_path, "generate", f"{name}.py", *options).code in (0, 1)
    replayed = replayed_elsewhere(tmp_path)
    assert {line.partition(" ")[2] for line in replayed} == kinds


@pytest.mark.parametrize(
    ("example", "options"),
    [
        ("bounded_stack.py", []),
        ("tokenizer.py", ["--select", "branches"]),
        ("account.py", ["--reachable"]),
        ("papers/rem_all.py", ["--heap", "noalias"]),
    ],
)
def test_examples(tmp_path: Path, examples: Path, example: str, options: list[str]) -> None:
    shutil.copy(examples / example, tmp_path)
    everypath(tmp_path, "generate", Path(example).name, *options)
    assert len(replayed_elsewhere(tmp_path)) > 3


@pytest.mark.parametrize(
    ("example", "options"),
    [("fact", []), ("queued", ["--queue", "1"]), ("mail", ["--loops", "2"]), ("dining_philosophers", [])],
)
def test_tasks_in_queues(tmp_path: Path, examples: Path, example: str, options: list[str]) -> None:
    shutil.copy(examples / "actors" / f"{example}.abs", tmp_path)
    everypath(tmp_path, "generate", f"{example}.abs", "--time", "10", *options)
    replayed = replayed_elsewhere(tmp_path)
    assert all(" QueuedTasks " in line for line in replayed)
    assert any(not line.endswith(" -") for line in replayed) == ("--queue" in options)


def test_threads(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTED)
    everypath(tmp_path, "race", "counter.py", "--time", "10")
    assert replayed_elsewhere(tmp_path)


def replayed_elsewhere(folder: Path) -> list[str]:
    """A line for each case of the suites stored in the folder, which are all replayed in another process."""
    suites = sorted(map(str, (folder / ".everypath").glob("*.json")))
    result = subprocess.run(
        [sys.executable, str(REPLAYING), *suites], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return result.stdout.splitlines()


NAMES = st.text("abc.[]0", max_size=5)
BOUNDS = st.builds(Bounds, *[st.integers(0, 9)] * 3, *[st.none() | st.integers(0, 9)] * 2)
INGREDIENTS = st.recursive(
    st.just(AnyValue()) | st.just(LeftOut()) | st.builds(SameObject, st.integers(0, 3)),
    lambda inner: st.builds(
        NewObject,
        NAMES,
        st.lists(inner, max_size=2).map(tuple),
        st.lists(st.tuples(NAMES, st.lists(inner, max_size=2).map(tuple)), max_size=2).map(tuple),
    )
    | st.builds(Several, st.sampled_from(["list", "tuple"]), st.lists(inner, max_size=2).map(tuple), st.integers(0, 2)),
    max_leaves=8,
)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
STARTS = (
    st.builds(OpenInputs, BOUNDS, st.none() | NAMES)
    | st.builds(KnownInputs, BOUNDS, st.lists(st.tuples(NAMES, PLAIN), max_size=4).map(tuple))
    | st.builds(MadeInputs, BOUNDS, st.lists(INGREDIENTS, max_size=3).map(tuple), st.none() | NAMES)
    | st.builds(QueuedTasks, BOUNDS, st.lists(NAMES, max_size=3).map(tuple))
)


@settings(deadline=None)
@given(start=STARTS)
def test_every_start_survives_as_json(start: Start) -> None:
    for codec in (JSON, Codec()):
        again = codec.decode(Start, json.loads(json.dumps(codec.encode(Start, start))))
        assert repr(again) == repr(start)
