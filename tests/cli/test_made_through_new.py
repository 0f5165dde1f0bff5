"""Objects whose class has a `__new__` or extends a collection of the language."""

from __future__ import annotations

from pathlib import Path

from .command import everypath

SOURCE = """\
class Point:
    def __new__(cls, x: int):
        self = object.__new__(cls)
        self.x = x
        return self

    def inverse(self) -> float:
        return 1 / self.x


class Bag(dict):
    def first(self, key: str) -> int:
        return self[key]


class Relay:
    __slots__ = ("__dict__",)

    def read(self, name: str) -> int:
        return len(self.__dict__)
"""


def test_what_new_assigns_is_a_field(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SOURCE)
    result = everypath(tmp_path, "generate", "sample.py::Point.inverse", "-o", "-")
    assert "AttributeError" not in result.out
    assert "x not zero" in result.out.replace("_", " ")


def test_an_extended_dict_begins_empty(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SOURCE)
    result = everypath(tmp_path, "generate", "sample.py::Bag.first", "-o", "-")
    assert result.code == 1, result
    assert "Bag(), then first('a')" in result.out + result.err


def test_a_slot_for_all_attributes_is_no_attribute(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SOURCE)
    result = everypath(tmp_path, "generate", "sample.py::Relay.read", "-o", "-")
    assert "unsupported: reading __dict__ of an object" in result.err
    assert "defect" not in result.err
