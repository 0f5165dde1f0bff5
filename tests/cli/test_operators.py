"""Operators of classes are tested as users write them, unless that would ask another method."""

from __future__ import annotations

from pathlib import Path

from .command import everypath, pytest_passes

MONEY = """\
from __future__ import annotations


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents

    def __add__(self, other: Money) -> Money:
        return Money(self.cents + other.cents)

    def __mul__(self, factor: int) -> Money:
        if factor < 0:
            raise ValueError("negative")
        return Money(self.cents * factor)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Money):
            return NotImplemented
        return self.cents == other.cents

    def __neg__(self) -> Money:
        return Money(-self.cents)

    def __bool__(self) -> bool:
        return self.cents != 0

    def __len__(self) -> int:
        return self.cents

    def __getitem__(self, place: int) -> str:
        return str(self.cents)[place]

    def __contains__(self, coin: int) -> int:
        return self.cents - coin

    def __call__(self, rate: int, *, fee: int) -> int:
        return self.cents * rate - fee

    def __iadd__(self, other: Money) -> Money:
        self.cents += other.cents
        return self


class Bonus(Money):
    def __add__(self, other: Money) -> Money:
        return Money(0)

    __radd__ = __add__
"""


def generated(folder: Path, target: str) -> str:
    (folder / "money.py").write_text(MONEY)
    everypath(folder, "generate", f"money.py::{target}")
    return (folder / "test_money_generated.py").read_text()


def test_operators_are_spelled(tmp_path: Path) -> None:
    written = generated(tmp_path, "Money")
    for text in (
        "result = money + other\n",
        "result = money * ",
        "result = money == other\n",
        "result = -money\n",
        "result = bool(money)\n",
        "result = money[",
        "result = money(",
    ):
        assert text in written, (text, written)
    assert " passed" in pytest_passes(tmp_path, "test_money_generated.py")


def test_methods_are_named_where_the_operator_does_something_else(tmp_path: Path) -> None:
    """Another operand may be asked, the language insists on a type, or an expression would stand alone."""
    written = generated(tmp_path, "Money")
    for text in (
        "    result = money.__eq__(",
        "        money.__mul__(-1)\n",
        "    result = money.__contains__(",
        "    result = money.__iadd__(other)\n",
    ):
        assert text in written, (text, written)
    assert "money.__len__()" in written or "len(money)" in written


def test_an_operand_of_a_subclass_would_be_asked_first(tmp_path: Path) -> None:
    (tmp_path / "money.py").write_text(MONEY)
    result = everypath(tmp_path, "generate", "money.py::Money.__add__", "--types", "other: Bonus")
    written = (tmp_path / "test_money_generated.py").read_text()
    assert "money.__add__(other)" in written, result
    assert " passed" in pytest_passes(tmp_path, "test_money_generated.py")


def test_what_an_object_iterates_over_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "even.py").write_text(
        "class Even:\n    def __init__(self, limit: int) -> None:\n        self.limit = limit\n\n"
        "    def __iter__(self):\n        if self.limit > 3:\n            yield 2\n        yield 0\n"
    )
    everypath(tmp_path, "generate", "even.py::Even.__iter__")
    written = (tmp_path / "test_even_generated.py").read_text()
    assert "assert list(even.__iter__()) == [2, 0]" in written
    assert "assert list(even.__iter__()) == [0]" in written
    assert " passed" in pytest_passes(tmp_path, "test_even_generated.py")
