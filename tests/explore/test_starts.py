"""A path is its start and its choices: any case, read from JSON in a fresh process, is the same case again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
    ("example", "options"), [("fact", []), ("queued", ["--queue", "1"]), ("mail", ["--loops", "2"])]
)
def test_tasks_in_queues(tmp_path: Path, examples: Path, example: str, options: list[str]) -> None:
    shutil.copy(examples / "actors" / f"{example}.abs", tmp_path)
    everypath(tmp_path, "generate", f"{example}.abs", "--time", "10", *options)
    replayed = replayed_elsewhere(tmp_path)
    assert all(" QueuedTasks " in line for line in replayed)
    assert any(not line.endswith(" -") for line in replayed) == ("--queue" in options)


def replayed_elsewhere(folder: Path) -> list[str]:
    """A line for each case of the suites stored in the folder, which are all replayed in another process."""
    suites = sorted(map(str, (folder / ".everypath").glob("*.json")))
    result = subprocess.run(
        [sys.executable, str(REPLAYING), *suites], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr[-4000:]
    return result.stdout.splitlines()
