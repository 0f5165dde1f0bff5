"""`--reachable`: input objects as constructors and public methods make them, and tests that make them so."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from everypath.cases.json_writer import schema

from .command import everypath, pytest_passes

STACK = """\
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

    def pop(self) -> int:
        if self.capacity < 1:
            raise RuntimeError("no state that can be reached")
        if not self.items:
            raise IndexError("empty")
        return self.items.pop()

    def _break(self) -> None:
        self.capacity = 0


def drain(stack: Stack, other: Stack | None) -> int:
    if stack is other:
        return -1
    total = 0
    while stack.items:
        total += stack.pop()
    if other is not None and len(other.items) > 0:
        total += 100
    return total


def in_try(stack: Stack) -> int:
    try:
        if stack.capacity > 7:
            return 1
    except ValueError:
        return 2
    return 3
"""

SHAPES = """\
from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum


class Color(Enum):
    RED = 1
    BLUE = 2


@dataclass
class Item:
    name: str
    price: int = 0
    tags: list[str] = field(default_factory=list)

    def dearer(self, by: int) -> None:
        self.price += by


class Box:
    def __init__(self, item: Item, color: Color, *extra: int, label: str = "") -> None:
        self.item = item
        self.color = color
        self.extra = extra
        self.label = label

    def special(self) -> bool:
        if self.item.price > 10 and self.color is Color.BLUE and self.label == "x":
            return True
        return False

    def swap(self, other: Box) -> None:
        if other is self:
            raise ValueError("same")
        self.item, other.item = other.item, self.item


class Node:
    def __init__(self, value: int, next: Node | None = None) -> None:
        self.value = value
        self.next = next

    def total(self) -> int:
        n = self.value
        if self.next is not None:
            n += self.next.total()
        return n


class Shape(ABC):
    @abstractmethod
    def area(self) -> int: ...

    def large(self) -> bool:
        if self.area() > 9:
            return True
        return False


class Square(Shape):
    def __init__(self, side: int) -> None:
        self.side = side

    def area(self) -> int:
        return self.side * self.side


class Plain:
    n = 3

    def get(self) -> int:
        return self.n


def pick(items: list[Item], pair: tuple[Item, int], shape: Shape) -> int:
    if len(items) == 2 and items[0].name == "x":
        return 7
    return pair[1]


class Shelf(list):
    def put(self, x: int) -> int:
        return x


def mapped(table: dict[str, Item]) -> int:
    return len(table)
"""


def test_states_that_no_caller_can_reach_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(STACK)
    any_state = everypath(tmp_path, "generate", "sample.py::Stack.pop")
    assert "no state that can be reached" in (tmp_path / "test_sample_generated.py").read_text()
    assert "Stack.pop: cases 3," in any_state.out
    result = everypath(tmp_path, "generate", "sample.py", "--reachable")
    assert result.code == 0, result
    for text in ("Stack.__init__: cases 2,", "Stack.push: cases 2,", "Stack.pop: cases 2,", "in_try: cases 2,"):
        assert text in result.out
    tests = (tmp_path / "test_sample_generated.py").read_text()
    assert "no state that can be reached" not in tests
    assert "__new__" not in tests and "_break" not in tests
    assert "    stack = Stack(1)\n    stack.push(0)\n\n    result = stack.pop()\n" in tests
    assert "    stack = Stack(8)\n\n    assert in_try(stack) == 1\n" in tests
    assert "    result = drain(stack, stack)\n" in tests and "    stack_2 = Stack(1)\n" in tests
    pytest_passes(tmp_path, "test_sample_generated.py")


def test_every_kind_of_object(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SHAPES)
    result = everypath(tmp_path, "generate", "sample.py", "--reachable")
    assert result.code == 0, result
    for text in (
        "Item.dearer: cases 1,",
        "Box.special: cases 4,",
        "Box.swap: cases 2,",
        "Node.total: cases 3,",
        "Plain.get: cases 1,",
        "pick: cases 3,",
        "Shelf.put: cases 1,",
        "mapped: --reachable makes lists and tuples of objects, but no dict",
    ):
        assert text in result.out, text
    assert "defect" not in result.out
    tests = (tmp_path / "test_sample_generated.py").read_text()
    assert "__new__" not in tests
    assert 'Color.BLUE, label="x")' in tests
    pytest_passes(tmp_path, "test_sample_generated.py")


def test_replay_json_and_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(STACK)
    everypath(tmp_path, "generate", "sample.py", "--reachable", "--format", "json", "-o", "out.json")
    found = json.loads((tmp_path / "out.json").read_text())
    jsonschema.validate(found, schema())
    steps = [case["inputs"].get("steps", []) for case in found["cases"] if case["entry"]["name"] == "pop"]
    assert [[step["method"] for step in each] for each in steps] == [[""], ["", "push"]]
    replayed = everypath(tmp_path, "replay", "sample.py--drain.json")
    assert replayed.code == 0, replayed
    assert everypath(tmp_path, "generate", "sample.py", "--reachable", "-o", "a.py", PYTHONHASHSEED="1").code == 0
    first = (tmp_path / "a.py").read_bytes()
    assert everypath(tmp_path, "generate", "sample.py", "--reachable", "-o", "a.py", PYTHONHASHSEED="2").code == 0
    assert (tmp_path / "a.py").read_bytes() == first


def test_what_is_not_known_is_told(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(
        "class Odd:\n    def __init__(self, thing) -> None:\n        thing.first.second(thing)\n        self.n = 1\n\n"
        "    def get(self) -> int:\n        return self.n\n\n\ndef fine(x: int) -> int:\n    return x\n"
    )
    result = everypath(tmp_path, "generate", "sample.py", "--reachable")
    assert result.code == 0, result
    assert "sample.py:6: unsupported: Odd.get: --reachable calls the constructor and methods of Odd" in result.out
    assert "the type of their parameter 'thing' is not known" in result.out
    assert "sample.py::fine: cases 1" in result.out


def test_an_input_that_is_only_passed_on_while_objects_are_made(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text(
        "class Box:\n"
        "    def __init__(self, stock: dict[str, int], names: list[str]) -> None:\n"
        "        self.stock = stock\n"
        "        self.names = names\n"
        "\n"
        "    def take(self, name: str) -> int:\n"
        "        if self.names[0] == name:\n"
        "            return 0\n"
        "        return self.stock[name]\n"
    )
    result = everypath(tmp_path, "generate", "box.py::Box.take", "--reachable")
    assert "internal error" not in result.err, result.err
    pytest_passes(tmp_path, "test_box_generated.py")
