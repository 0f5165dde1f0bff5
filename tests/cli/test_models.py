"""Models of pydantic, dataclasses with constrained fields, invariants of deal: promises are kept, violations found."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .command import everypath

MODELS = """\
from typing import Annotated, Optional

from annotated_types import Gt, Le, MinLen
from pydantic import BaseModel, ConfigDict, Field, ValidationError


class Item(BaseModel):
    name: str = Field(min_length=1)
    price: int = Field(gt=0, le=1000)
    count: Annotated[int, Gt(0)] = 1
    tags: list[str] = Field(default_factory=list, max_length=3)

    def total(self) -> int:
        if self.price > 990:
            return 1 // (self.price - 1001)
        return self.price * self.count


class Order(BaseModel):
    model_config = ConfigDict(frozen=True)
    items: Annotated[list[Item], MinLen(1)]
    note: Optional[str] = Field(default=None, max_length=5)
    discount: Annotated[int, Gt(-1), Le(50)] = 0

    def first(self) -> int:
        return self.items[0].price // (self.discount - 51)

    def is_short(self) -> bool:
        return self.note is None or len(self.note) <= 5


def cheaper(item: Item, off: int) -> Item:
    if off > item.price:
        return item
    return Item(name=item.name, price=item.price - off, tags=item.tags)


def careful(item: Item, off: int) -> Item:
    if off >= item.price or off < 0:
        return item
    return Item(name=item.name, price=item.price - off, tags=item.tags)


def priced(price: int) -> Item | None:
    try:
        return Item(name="x", price=price)
    except ValidationError:
        return None


def owned(words: list[str]) -> bool:
    item = Item(name="x", price=1, tags=words)
    item.tags.append("y")
    return item.tags is words


def dumped(item: Item) -> dict[str, object]:
    if item.count > 3:
        return {}
    return item.model_dump()
"""
CELLS = """\
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Gt, Interval, MinLen


@dataclass
class Cell:
    width: Annotated[int, Gt(0)]
    names: Annotated[list[str], MinLen(1)]
    below: "Cell | None" = None

    def first(self) -> str:
        return self.names[0]


def ratio(a: Cell, b: Cell | None) -> int:
    return 0 if b is None else a.width // b.width


def deep(a: Cell) -> int:
    return 1 // a.below.width if a.below else 0


def total(cells: list[Cell], by: Annotated[list[Annotated[int, Interval(gt=0, le=9)]], MinLen(1)]) -> int:
    return sum(10 // cell.width for cell in cells) + 5 // by[0]
"""
POSTS = """\
import deal


@deal.inv(lambda post: post.likes >= 0)
class Post:
    def __init__(self, likes: int) -> None:
        self.likes = abs(likes)

    def like(self) -> int:
        self.likes += 1
        return self.likes

    def dislike(self, by: int) -> int:
        if by > 3:
            self.likes -= by
        return self.likes


def reset(post: Post, to: int) -> None:
    if to < 10:
        post.likes = to


def spread(post: Post) -> int:
    return 10 // (post.likes + 1)
"""


def generated(folder: Path, text: str) -> dict[str, object]:
    (folder / "shop.py").write_text(text)
    document = json.loads(everypath(folder, "generate", "shop.py", "--format", "json").out)
    assert isinstance(document, dict)
    return document


def findings(text: str, document: dict[str, object]) -> set[tuple[str, str]]:
    found = document["findings"]
    assert isinstance(found, list)
    return {(each["kind"], text.splitlines()[each["line"] - 1].strip()) for each in found}


def test_objects_satisfy_their_models(tmp_path: Path) -> None:
    pytest.importorskip("pydantic")
    document = generated(tmp_path, MODELS)
    assert findings(MODELS, document) == {
        ("contract", "return Item(name=item.name, price=item.price - off, tags=item.tags)")
    }
    lines = [each["line"] for each in document["findings"]]
    assert all("def cheaper" in "\n".join(MODELS.splitlines()[line - 4 : line]) for line in lines)
    assert not [problem for problem in document["problems"] if problem["kind"] == "defect"]
    objects = [state for case in document["cases"] for state in case["inputs"]["heap"].values()]
    items = [each["fields"] for each in objects if each.get("class", "").endswith(".Item")]
    assert items
    for fields in items:
        assert 0 < fields["price"] <= 1000 and fields["count"] > 0 and fields["name"]
    orders = [each["fields"] for each in objects if each.get("class", "").endswith(".Order")]
    assert orders and all(0 <= each["discount"] <= 50 for each in orders)
    # What is not followed is told, and the paths that do without it have tests.
    assert any("model_dump" in each["message"] for each in document["stats"]["unsupported"])
    assert {case["entry"]["name"] for case in document["cases"]} >= {"dumped", "priced", "owned", "first", "is_short"}


def test_a_model_that_validates_itself_is_told(tmp_path: Path) -> None:
    text = """\
from pydantic import BaseModel, field_validator


class Item(BaseModel):
    price: int

    @field_validator("price")
    @classmethod
    def positive(cls, value: int) -> int:
        return abs(value)


def half(item: Item) -> int:
    return item.price // 2
"""
    (tmp_path / "shop.py").write_text(text)
    said = everypath(tmp_path, "generate", "shop.py", "--predicted-only").said
    assert "shop.py:4: unsupported: class Item extends pydantic.BaseModel and has @field_validator" in said


def test_fields_of_dataclasses_promise(tmp_path: Path) -> None:
    document = generated(tmp_path, CELLS)
    assert not document["findings"]
    assert {case["entry"]["name"] for case in document["cases"]} == {"first", "ratio", "deep", "total"}


def test_invariants_of_deal_hold_whenever_an_attribute_is_set(tmp_path: Path) -> None:
    pytest.importorskip("deal")
    document = generated(tmp_path, POSTS)
    assert {kind for kind, _ in findings(POSTS, document)} == {"contract"}
    entries = {case["entry"]["name"] for case in document["cases"] if case["expected"].get("raises")}
    assert entries == {"dislike", "reset"}
    assert not [problem for problem in document["problems"] if problem["kind"] == "defect"]


@pytest.mark.parametrize("text", [MODELS, POSTS], ids=["pydantic", "deal"])
def test_the_tests_pass(tmp_path: Path, text: str) -> None:
    pytest.importorskip("pydantic" if text is MODELS else "deal")
    (tmp_path / "shop.py").write_text(text)
    everypath(tmp_path, "generate", "shop.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop_generated.py"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0
