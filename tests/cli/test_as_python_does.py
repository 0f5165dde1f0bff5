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
LOGGERS = """
import logging


def named(name: str) -> int:
    logging.getLogger(name).info("found")
    return 1


class Service:
    def __init__(self, logger: logging.Logger, name: str) -> None:
        self.given = logger
        self.own = logging.getLogger(name)

    def act(self, n: int) -> int:
        if n > 3:
            self.given.warning("large %s", n)
            self.own.info("large")
            return 1
        return 0


def same(logger: logging.Logger) -> bool:
    return logger is logging.getLogger("a")
"""
ENTERED = """
import contextlib
from typing import Optional


class Lamp:
    lit = False

    def __enter__(self) -> "Lamp":
        self.lit = True
        return self

    def __exit__(self, *error: object) -> None:
        self.lit = False


def all_lit(lamps: list[Optional[Lamp]]) -> int:
    with contextlib.ExitStack() as stack:
        return sum(stack.enter_context(lamp).lit for lamp in lamps)
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
    [
        pytest.param(ASSIGNED_METHODS, 5, id="assigned methods"),
        pytest.param(STAND_IN_NAMES, 1, id="stand-in names"),
        pytest.param(SHOWN_RESULTS, 3, id="shown results"),
        pytest.param(MADE_BY_CLASS, 1, id="made by class"),
        pytest.param(LOGGERS, 5, id="loggers"),
        pytest.param(ENTERED, 3, id="entered"),
    ],
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
