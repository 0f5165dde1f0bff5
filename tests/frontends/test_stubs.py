"""Stubs beside a module or in a package of their own: their annotations count where the source has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from everypath.errors import BadInput
from everypath.generate.run import generate
from everypath.languages.python.frontend import load_target
from everypath.options import Options

SOURCE = """\
class Item:
    def __init__(self, name, price):
        self.name = name
        self.price = price
        self.tags = []

    @property
    def label(self):
        return self.name

    @label.setter
    def label(self, text):
        self.name = text

    def tagged(self, tag):
        return tag in self.tags


def total(items, discount=None):
    return sum(item.price for item in items) - (discount or 0)


def pick(value, loud: bool = False):
    return "text" if isinstance(value, str) else "number"


def merged(table, *rest, **named):
    return table
"""
STUB = """\
import sys
import typing as t
from collections.abc import Sequence
from typing import Optional, Protocol, overload

Price = int
Discount = Optional[Price]

class Shown(Protocol):
    label: str

class Item:
    name: str
    price: Price
    tags: list[str]
    def __init__(self, name: str, price: Price) -> None: ...
    @property
    def label(self) -> str: ...
    @label.setter
    def label(self, text: str) -> None: ...
    def tagged(self, tag: str) -> bool: ...

if sys.version_info >= (3, 0):
    def total(items: Sequence[Item], discount: Discount = ...) -> int: ...
else:
    def total(items: str) -> str: ...
@overload
def pick(value: str, loud: str = ...) -> str: ...
@overload
def pick(value: int, loud: str = ...) -> str: ...
def merged(__table: t.Dict[str, int], *rest: str, **named: bool) -> dict[str, int]: ...
"""


def types(path: Path) -> dict[str, list[str]]:
    loaded = load_target(str(path), ())
    assert [p.message for p in loaded.problems] == []
    return {entry.qualname: [str(param.type) for param in entry.params] for entry in loaded.entries}


def test_what_the_source_leaves_open_is_taken_from_the_stub(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SOURCE)
    (tmp_path / "shop.pyi").write_text(STUB)
    found = types(tmp_path / "shop.py")
    assert found["total"] == ["list[shop.Item]", "none | int"]
    assert found["pick"] == ["str | int", "bool"]
    assert found["merged"] == ["dict[str, int]", "tuple[*str]", "dict[str, bool]"]
    assert found["Item.tagged"][-1] == "str"
    fields = load_target(str(tmp_path / "shop.py"), ()).program.all_fields("shop.Item")
    assert {name: str(field.type) for name, field in fields.items()} == {
        "name": "str",
        "price": "int",
        "tags": "list[str]",
    }


def test_cases_follow_the_stub(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SOURCE)
    (tmp_path / "shop.pyi").write_text(STUB)
    run = generate([str(tmp_path / "shop.py::total"), str(tmp_path / "shop.py::Item.tagged")], Options())
    assert [p for p in run.problems if p.kind == "assumed"] == []
    assert all(suite.cases and all(case.validated for case in suite.cases) for suite in run.suites)


def test_a_package_of_stubs_is_found_beside_the_package(tmp_path: Path) -> None:
    for folder in ("store", "store-stubs"):
        (tmp_path / folder).mkdir()
    (tmp_path / "store" / "__init__.py").write_text("def first(a):\n    return a\n")
    (tmp_path / "store" / "shop.py").write_text("def second(a):\n    return a\n")
    (tmp_path / "store-stubs" / "__init__.pyi").write_text("def first(a: str) -> str: ...\n")
    (tmp_path / "store-stubs" / "shop.pyi").write_text("def second(a: bytes) -> bytes: ...\n")
    assert types(tmp_path / "store" / "__init__.py") == {"first": ["str"]}
    assert types(tmp_path / "store" / "shop.py") == {"second": ["bytes"]}


def test_a_stub_that_is_no_python_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SOURCE)
    (tmp_path / "shop.pyi").write_text("def total(items:\n")
    with pytest.raises(BadInput) as caught:
        load_target(str(tmp_path / "shop.py"), ())
    assert caught.value.span.file.endswith("shop.pyi") and caught.value.span.line
