"""What Python does behind the scenes, in programs that were once predicted wrongly: no case is a defect of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import everypath

ASSIGNED_METHODS = """
class Type:
    def __init__(self, name: str) -> None:
        self.name = name

    def __le__(self, other: "Type") -> bool:
        return NotImplemented


class Pair(Type):
    def __init__(self, base: Type, item: Type) -> None:
        self.base = base
        self.item = item

    def __hash__(self) -> int:
        return hash((self.base, self.item)) % 2


def eq(self, other):
    return self is other


def le(self, other):
    return True


Type.__eq__ = eq
Type.__le__ = le


def below(a: Type, b: Type) -> bool:
    return a <= b


def found(a: Type) -> int:
    return {a: 1}[a]
"""
STAND_IN_NAMES = """
from typing import Protocol


class Catalog(Protocol):
    def find(self, key: int) -> int: ...


def check(catalog: Catalog) -> str:
    return f"got a {type(catalog)!r}"


def refuse(catalog: Catalog) -> int:
    if catalog.find(1) > 3:
        raise TypeError("not a " + str(type(catalog)))
    return 1
"""
SHOWN_RESULTS = """
from typing import Awaitable, Callable


class Box:
    def __init__(self, value: int) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Box({self.value!r})"

    async def mapped(self, change: Callable[[int], Awaitable[int]]) -> "Box":
        return Box(await change(self.value))
"""
MADE_BY_CLASS = """
from abc import ABC, abstractmethod


class Provider(ABC):
    @classmethod
    def create(cls) -> "Provider":
        return cls()

    @abstractmethod
    def run(self) -> int: ...


class Fixed(Provider):
    def run(self) -> int:
        return 1
"""
MISSING_MODULE = """
import typing

if typing.TYPE_CHECKING:
    import red
else:
    red = None


class Backend:
    def __init__(self, arguments: dict[str, int]) -> None:
        self._load()
        self.url = arguments.pop("url", 1)

    def _load(self) -> None:
        global red
        import red
"""


def _defects(folder: Path, target: str, cases: int) -> list[str]:
    told = everypath(folder, "generate", target)
    assert told.code in (0, 1), told.out + told.err
    tests = sum(path.read_text().count("def test_") for path in folder.glob("test_*.py"))
    assert tests >= cases, told.out
    return [line for line in (told.out + told.err).splitlines() if ": defect: " in line]


@pytest.mark.parametrize(
    ("source", "cases"),
    [(ASSIGNED_METHODS, 5), (STAND_IN_NAMES, 1), (SHOWN_RESULTS, 3), (MADE_BY_CLASS, 1)],
    ids=["assigned methods", "stand-in names", "shown results", "made by class"],
)
def test_cases_run_as_predicted(tmp_path: Path, source: str, cases: int) -> None:
    (tmp_path / "sample.py").write_text(source)
    assert _defects(tmp_path, "sample.py", cases) == []


@pytest.mark.parametrize("name", ["red", "blue"])
def test_a_package_is_no_place_where_its_modules_look_for_others(tmp_path: Path, name: str) -> None:
    """Not even for a module that is called like itself."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "shop" / f"{name}.py").write_text(MISSING_MODULE)
    (tmp_path / "shop" / "red.py").write_text(MISSING_MODULE)
    assert _defects(tmp_path, f"shop/{name}.py", 1) == []
