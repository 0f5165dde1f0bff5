"""Writing files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everypath.app.outputs import Outputs, Subject, write_text
from everypath.errors import BadInput
from everypath.languages.python.writers.pytest_writer import file_name


def test_default_names() -> None:
    assert file_name("shop.cart") == "test_shop_cart_generated.py"
    assert file_name("my-shapes") == "test_my_shapes_generated.py"


def test_destination(tmp_path: Path) -> None:
    assert Outputs(None, whole=False).path("test_x.py") == Path("test_x.py")
    assert Outputs(str(tmp_path), whole=False).path("test_x.py") == tmp_path / "test_x.py"
    assert Outputs("out/test_y.py", whole=False).path("test_x.py") == Path("out/test_y.py")
    assert Outputs("out/all.json", whole=True).path("test_x.py") == Path("out/all.json")


def test_tests_of_several_modules_go_into_a_folder_that_does_not_exist_yet(tmp_path: Path) -> None:
    outputs = Outputs(str(tmp_path / "new"), whole=False)
    outputs.check([Subject(name, f"test_{name}.py", ()) for name in ("a", "b")])
    assert outputs.path("test_a.py") == tmp_path / "new" / "test_a.py"


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "test_x.py"
    write_text(file, "one\n")
    file.chmod(0o640)
    write_text(file, "two é\n")
    assert file.read_bytes() == "two é\n".encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in file.parent.iterdir()] == ["test_x.py"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "test_x.py"
    file.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(BadInput, match="No space left on device; choose another place with -o"):
        write_text(file, "new")
    assert file.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["test_x.py"]


def test_a_read_only_folder_is_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(BadInput, match="Permission denied; choose another place with -o"):
        write_text(tmp_path / "x.py", "text")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        write_text(tmp_path, "text")
