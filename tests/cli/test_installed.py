"""Targets that are installed: followed like the user's own code, and named without the folders of this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import everypath

DECORATORS = """
import functools


def traced(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner


def at_most(limit):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return min(limit, function(*args, **kwargs))
        return inner
    return decorate


class Counted:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function
        self.calls = 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)
"""
USES = """
from contextlib import contextmanager
from functools import lru_cache

from {package}.tools import Counted, at_most, traced


@traced
def plain(n: int) -> str:
    return "large" if n > 3 else "small"


@at_most(10)
def given(n: int) -> int:
    return n + 1 if n > 20 else n - 1


@traced
@at_most(5)
def stacked(n: int) -> int:
    return 1 if n > 3 else 2


@Counted
def counted(n: int) -> int:
    return 1 if n > 3 else 2


@lru_cache(maxsize=None)
def cached(n: int) -> int:
    return 1 if n > 3 else 2


@contextmanager
def opened(n: int):
    yield "large" if n > 3 else "small"


def entered(n: int) -> str:
    with opened(n) as word:
        return word


class Shop:
    @traced
    def method(self, n: int) -> int:
        return 1 if n > 3 else 2

    @staticmethod
    @traced
    def static(n: int) -> int:
        return 1 if n > 3 else 2


def raises(n: int) -> int:
    return 1 // n
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder of installed packages, one of which uses the decorators of the other."""
    folder = tmp_path / "lib" / "site-packages"
    for name, tools in (("shop", "shop"), ("other", "shop")):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("")
        (folder / name / "uses.py").write_text(USES.format(package=tools))
    (folder / "shop" / "tools.py").write_text(DECORATORS)
    (tmp_path / "work").mkdir()
    return folder


@pytest.mark.parametrize("package", ["shop", "other"])
def test_decorated_functions_are_followed(packages: Path, tmp_path: Path, package: str) -> None:
    work = tmp_path / "work"
    arguments = ("generate", f"{package}.uses", "--format", "json", "-o", "-")
    result = everypath(work, *arguments, PYTHONPATH=str(packages))
    found = json.loads(result.out)
    assert found["stats"]["unsupported"] == []
    count = {name: 0 for name in "plain given stacked counted cached entered method static raises".split()}
    for case in found["cases"]:
        if case["entry"]["name"] in count:
            count[case["entry"]["name"]] += 1
    assert set(count.values()) == {2}, count


def test_no_folder_of_this_machine_is_told(packages: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    told = ""
    for arguments in (("shop.uses",), ("shop.uses", "--format", "json")):
        result = everypath(work, "generate", *arguments, PYTHONPATH=str(packages))
        assert result.code == 1, result.said
        told += result.said
    assert "shop/uses.py:" in told
    told += "".join(path.read_text() for path in work.rglob("*") if path.is_file())
    assert str(tmp_path) not in told
