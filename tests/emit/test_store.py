"""Suites on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everypath.cases.model import CallSuite, Problem, Step
from everypath.cases.store import file_name, load, save
from everypath.errors import BadInput

from .samples import all_cases, case, lit, returned, suite


def full_suite() -> CallSuite:
    cases = [*all_cases(), case("f", "x", ("b", lit(b"\xff")), ("s", lit("\ud800")), outcome=returned(-0.0))]
    made = suite([c for c in cases if "nan" not in c.id], "shop/cart.py::Cart.merge")
    made.options = {"limits": {"loops": 2}, "types": ("a", "b"), "requires": ["x > 0"], "range": None, "$": 1}
    made.problems.append(Problem("unsupported", "a.py", 3, "yield"))
    made.stats.cut["loop"] = 4
    made.stats.seconds = 0.125
    return made


def test_a_suite_survives_storing(tmp_path: Path) -> None:
    made = full_suite()
    path = save(made, tmp_path / "deep")
    assert path.name == "shop-cart.py--Cart.merge.json"
    loaded = load(path)
    assert loaded == made
    assert repr(loaded) == repr(made)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_traces_choices_and_special_floats_survive(tmp_path: Path) -> None:
    only = case("f", "x", outcome=returned(float("nan")))
    object.__setattr__(only, "trace", (Step("a.py", 1),))
    object.__setattr__(only, "choices", (0, 2))
    loaded = load(save(suite([only]), tmp_path, name="given"))
    assert repr(loaded.cases) == repr([only])


def test_file_names() -> None:
    assert file_name("shop/cart.py::Cart.merge") == "shop-cart.py--Cart.merge.json"
    alike = (
        "a/b.py::f",
        "a_b.py::f",
        "a-b.py::f",
        "/a/b.py::f",
        "../a/b.py::f",
        "a::b_c",
        "a_b::c",
        "a.py::_f",
        "a.py::f",
    )
    assert len({file_name(target) for target in alike}) == len(alike)
    assert len(file_name("x" * 400)) < 255


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not a stored suite"),
        ("[]", "version None"),
        ('{"version": 99, "suite": {}}', "version 99"),
        ('{"version": 1, "suite": {"$": "Suite"}}', "version 1 of the format, this is 2; generate it again"),
        ('{"version": 2, "kind": "nonsense", "suite": {}}', "not a stored suite"),
        ('{"version": 2, "kind": "calls"}', "not a stored suite"),
        ('{"version": 2, "kind": "calls", "suite": {}}', "damaged .lacks target, options"),
        ('{"version": 2, "kind": "calls", "suite": {"target": 3}}', "damaged .target: is an integer, not a text"),
        ('{"version": 1, "kind": "actors", "cases": []}', "is not a complete suite"),
    ],
)
def test_what_is_no_suite_is_bad_input(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(BadInput, match=reason):
        load(file)


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        load(tmp_path / "x.json")


def test_options_that_cannot_be_stored_are_bad_input(tmp_path: Path) -> None:
    made = suite([])
    made.options = {"x": object()}
    with pytest.raises(BadInput, match="cannot hold"):
        save(made, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_plain_json(tmp_path: Path) -> None:
    assert json.loads(save(full_suite(), tmp_path).read_text())["version"] == 2
