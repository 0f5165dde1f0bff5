"""Criteria of a project's own, as docs/criteria.md shows them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from everypath.explore.search.criteria import register
from everypath.generate.run import generate
from everypath.options import Options
from tests.cli.command import everypath

SHOP = """\
def check(n: int) -> int:
    if n < 0:
        raise ValueError(n)
    return n


def pay(n: int, m: int) -> int:
    if m > 3:
        return check(n)
    return 0
"""
DOCUMENT = Path(__file__).parents[2] / "docs" / "criteria.md"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    shown = re.search(r"```python\n# shop_criteria.py\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert shown is not None
    (tmp_path / "shop_criteria.py").write_text(shown.group(1))
    return tmp_path


def outcomes(folder: Path, *more: str) -> list[str]:
    made = everypath(folder, "generate", "shop.py::pay", "--format", "json", *more)
    assert made.code in (0, 1), made.err
    return [case["expected"].get("raises", "returns") for case in json.loads(made.out)["cases"]]


def test_only_wanted_paths_become_tests(shop: Path) -> None:
    assert outcomes(shop) == ["ValueError", "returns", "returns"]
    assert outcomes(shop, "--criterion", "shop_criteria:Failing") == ["ValueError"]


def test_paths_are_ended(shop: Path) -> None:
    (shop / "shop_criteria.py").write_text(
        "class Flat:\n    def ends(self, path):\n        return len(path.calls) > 1\n"
    )
    own = ("--criterion", "shop_criteria:Flat")
    made = everypath(shop, "generate", "shop.py::pay", "--format", "json", "--predicted-only", *own)
    printed = json.loads(made.out)
    assert len(printed["cases"]) == 1 and printed["stats"]["cut"]["depth"] == 2


def test_a_project_names_its_criteria(shop: Path) -> None:
    (shop / "pyproject.toml").write_text('[tool.everypath]\ncriterion = ["shop_criteria:Failing"]\n')
    assert outcomes(shop) == ["ValueError"]


def test_criteria_through_the_api(shop: Path) -> None:
    class Returning:
        def wants(self, path: object) -> bool:
            return getattr(path, "raised") is None  # noqa: B009

    register("returning", Returning())
    run = generate([f"{shop / 'shop.py'}::pay"], Options(criteria=("returning",), predicted_only=True))
    assert len(run.cases) == 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "is not MODULE:OBJECT"),
        ("missing_module:x", "cannot be had: ModuleNotFoundError"),
        ("shop_criteria:Absent", "cannot be had: AttributeError"),
        ("shop:SHOP", "cannot be had"),
        ("json:dumps", "neither a method ends(path) nor a method wants(path)"),
    ],
)
def test_what_is_no_criterion_is_refused(shop: Path, name: str, message: str) -> None:
    refused = everypath(shop, "generate", "shop.py::pay", "--criterion", name)
    assert refused.code == 2 and message in refused.err, refused.err


def test_a_criterion_that_raises_is_told(shop: Path) -> None:
    (shop / "shop_criteria.py").write_text("class Bad:\n    def wants(self, path):\n        return 1 / 0\n")
    refused = everypath(shop, "generate", "shop.py::pay", "--criterion", "shop_criteria:Bad")
    assert refused.code == 2 and "raises ZeroDivisionError in wants()" in refused.err
