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


SINGLE = """
class Settings:
    _made = None

    def __new__(cls) -> "Settings":
        if cls._made is None:
            cls._made = object.__new__(cls)
            cls._made.known = {"a": 1}
        return cls._made

    def get(self, key: str) -> int:
        return self.known[key] if key in self.known else 0
"""


def test_what_a_class_keeps_of_itself_has_the_fields_that_new_gives_it(tmp_path: Path) -> None:
    (tmp_path / "single.py").write_text(SINGLE)
    result = everypath(tmp_path, "generate", "single.py::Settings.get", "-o", "-")
    assert result.code == 0 and "cases 2, findings 0" in result.said, result
