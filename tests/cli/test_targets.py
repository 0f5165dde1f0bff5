"""What a target may be: files of any name and encoding, modules, packages, several at once."""

from __future__ import annotations

from pathlib import Path

from .command import everypath, pytest_passes

BODY = "def f(x: int) -> int:\n    if x > 3:\n        return 1\n    return 2\n"


def test_files_as_editors_write_them(tmp_path: Path) -> None:
    """Byte order marks, coding cookies, tabs, DOS line ends, and names that no `import` statement takes."""
    latin = '# -*- coding: latin-1 -*-\ndef f(x: int) -> str:\n    return "é" if x > 3 else "a"\n'
    contents = {
        "mark.py": b"\xef\xbb\xbf" + BODY.encode(),
        "latin.py": latin.encode("latin-1"),
        "tabs.py": BODY.replace("    ", "\t").encode(),
        "dos.py": BODY.replace("\n", "\r\n").encode(),
        "my-script.py": BODY.encode(),
        "class.py": BODY.encode(),
        "naïve.py": BODY.encode(),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    result = everypath(tmp_path, "generate", *contents, "-o", "out/")
    assert result.code == 0, result
    assert len(list((tmp_path / "out").iterdir())) == len(contents)
    assert pytest_passes(tmp_path, "out").startswith(f"{2 * len(contents)} passed")


def test_modules_packages_and_repetition(tmp_path: Path) -> None:
    for folder in ("shop", "shop/parts"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text("")
    (tmp_path / "shop/parts/wheel.py").write_text("from ..base import limit\n\n\n" + BODY.replace("3", "limit()"))
    (tmp_path / "shop/base.py").write_text("def limit() -> int:\n    return 3\n")
    (tmp_path / "shop/__init__.py").write_text(BODY)
    targets = ["shop.parts.wheel", "shop/parts/wheel.py::f", "shop.parts.wheel::f", "shop", "shop/base.py"]
    result = everypath(tmp_path, "generate", *targets)
    assert result.code == 0, result
    assert result.out.count("shop.parts.wheel  f ") == 1
    tests = sorted(path.name for path in tmp_path.glob("test_*.py"))
    assert tests == [
        "test_shop_base_generated.py",
        "test_shop_generated.py",
        "test_shop_parts_wheel_generated.py",
    ]
    assert pytest_passes(tmp_path, *tests).startswith("5 passed")


def test_a_class_without_a_usable_constructor(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(
        "class Picky:\n"
        "    def __init__(self, other) -> None:\n"
        "        raise TypeError(other.unheard_of)\n\n"
        "    def level(self, n: int) -> int:\n"
        "        return 1 if n > 3 else 2\n"
    )
    result = everypath(tmp_path, "generate", "sample.py::Picky", "--predicted-only")
    assert "sample.py:2: types: the type of parameter 'other' of Picky.__init__ is not known" in result.err
    assert result.code == 0, result
    assert pytest_passes(tmp_path, "test_sample_generated.py").startswith("2 passed")


BOX = """\
class Box:
    def __init__(self, n: int = 0) -> None:
        self._n = n

    @property
    def n(self) -> int:
        return self._n

    @n.setter
    def n(self, value: int) -> int:
        if value < 0:
            raise ValueError("negative")
        self._n = value
        return 5

    def __add__(self, other: "Box") -> "Box":
        return Box(self._n + other._n) if other._n else self

    def __getattr__(self, name: str) -> int:
        raise AttributeError(name)


class Small(Box):
    pass
"""


def test_setters_and_operators_belong_to_a_class(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text(BOX)
    result = everypath(tmp_path, "generate", "box.py")
    assert result.code == 0, result
    told = [line.split(",")[0].removeprefix("box.py::") for line in result.out.splitlines() if "cases" in line]
    assert told == [
        "Box.__init__: cases 1",
        "Box.n: cases 1",
        "Box.__add__: cases 2",
        "Box.n.setter: cases 2",
    ]
    written = (tmp_path / "test_box_generated.py").read_text()
    assert "    box.n = 2\n" in written
    assert '    with pytest.raises(ValueError, match="negative"):\n        box.n = -1\n' in written
    assert pytest_passes(tmp_path, "test_box_generated.py").startswith("6 passed")
    assert everypath(tmp_path, "replay", ".everypath/box.py--Box.n.setter.json").code == 0


def test_an_inherited_setter_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text(BOX)
    result = everypath(tmp_path, "generate", "box.py::Small.n.setter")
    assert "Small.n.setter: cases 2," in result.said
    assert "small.n = 2" in (tmp_path / "test_box_generated.py").read_text()
    assert "there is no 'Small._n.setter'" in everypath(tmp_path, "generate", "box.py::Small._n.setter").said
