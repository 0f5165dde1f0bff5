"""Strategies are written for types as they are declared, and draw values of these types."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies

from everypath.errors import Unsupported
from everypath.languages.python.frontend import load_target
from everypath.languages.python.scripts.imports import HYPOTHESIS, Imports
from everypath.languages.python.scripts.layout import flat
from everypath.languages.python.scripts.strategies import Strategies

PROGRAM = """\
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Callable, Literal, NotRequired, TypedDict


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass
class Money:
    cents: int
    currency: str = "EUR"


@dataclass
class Checked:
    cents: int

    def __post_init__(self) -> None:
        if self.cents < 0:
            raise ValueError


@dataclass
class Node:
    next: "Node | None"


class Row(TypedDict):
    name: str
    age: NotRequired[int]


def f(x: {}) -> None:
    pass
"""
DRAWN = {
    "int": ("st.integers()", lambda v: type(v) is int),
    "bool": ("st.booleans()", lambda v: type(v) is bool),
    "str": ("st.text()", lambda v: type(v) is str),
    "bytes": ("st.binary()", lambda v: type(v) is bytes),
    "float": ("st.floats(allow_nan=False, allow_infinity=False)", lambda v: type(v) is float),
    "int | None": ("st.none() | st.integers()", lambda v: v is None or type(v) is int),
    "list[str]": ("st.lists(st.text())", lambda v: all(type(each) is str for each in v)),
    "set[int]": ("st.sets(st.integers())", lambda v: isinstance(v, set)),
    "frozenset[int]": ("st.frozensets(st.integers())", lambda v: isinstance(v, frozenset)),
    "dict[str, int]": ("st.dictionaries(st.text(), st.integers())", lambda v: isinstance(v, dict)),
    "tuple[int, str]": ("st.tuples(st.integers(), st.text())", lambda v: len(v) == 2),
    "tuple[int, ...]": ("st.lists(st.integers()).map(tuple)", lambda v: isinstance(v, tuple)),
    "Literal['a', 'b']": ("st.sampled_from(['a', 'b'])", lambda v: v in ("a", "b")),
    "Colour": ("st.sampled_from(Colour)", lambda v: v.name in ("RED", "BLUE")),
    "Money": ("st.builds(Money, cents=st.integers(), currency=st.text())", lambda v: type(v.cents) is int),
    "Row": ("st.fixed_dictionaries({'name': st.text()}, optional={'age': st.integers()})", lambda v: "name" in v),
    "date": ("st.from_type(datetime.date)", lambda v: isinstance(v, datetime.date)),
    "Decimal": ("st.from_type(decimal.Decimal)", lambda v: isinstance(v, Decimal)),
}
REFUSED = {
    "Checked": "objects of Checked are not only what their fields say",
    "Node": "objects of Node are not only what their fields say",
    "Callable[[int], int]": "there is no strategy for function",
    "type[Money]": "there is no strategy for type",
}


def written(annotation: str, folder: Path, integers: tuple[int, int] | None = None) -> tuple[str, Imports]:
    # Modules of the same name in one process would be one.
    (folder / "drawn.py").write_text(PROGRAM.replace("{}", annotation))
    loaded = load_target(str(folder / "drawn.py::f"))
    imports = Imports([], properties=True)
    [parameter] = loaded.entries[0].params
    return flat(Strategies(loaded.program, imports, integers).of(parameter.type)), imports


@pytest.mark.parametrize("annotation", DRAWN)
def test_what_is_drawn_is_of_the_type(annotation: str, tmp_path: Path) -> None:
    expected, fits = DRAWN[annotation]
    text, imports = written(annotation, tmp_path)
    assert text.replace('"', "'") == expected
    names: dict[str, object] = {}
    exec(PROGRAM.replace("{}", "int"), names)
    lines = [line for line in imports.lines() if "from drawn import" not in line]
    exec("\n".join(lines), names)
    drawn = []
    settings(max_examples=30, database=None)(given(eval(text, names))(lambda value: drawn.append(value)))()
    assert drawn
    assert all(map(fits, drawn))
    assert names["st"] is strategies


@pytest.mark.parametrize("annotation", REFUSED)
def test_what_has_no_strategy_is_refused_with_a_reason(annotation: str, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=REFUSED[annotation]):
        written(annotation, tmp_path)


def test_a_range_is_that_of_undeclared_integers(tmp_path: Path) -> None:
    assert written("list[int]", tmp_path, (-3, 7))[0] == "st.lists(st.integers(-3, 7))"


def test_names_of_the_program_do_not_hide_those_of_hypothesis(tmp_path: Path) -> None:
    _, imports = written("int", tmp_path)
    assert imports.spelling(HYPOTHESIS, "strategies") == "st"
    assert {"st", "given", "example", "ANY"} <= imports.reserved
