"""Writing files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everypath.app.files import default_name, destination, write_text
from everypath.errors import BadInput


def test_default_names() -> None:
    assert default_name("shop.cart") == "test_shop_cart_generated.py"
    assert default_name("my-shapes") == "test_my_shapes_generated.py"


def test_destination(tmp_path: Path) -> None:
    assert destination("shapes", None, tmp_path) == tmp_path / "test_shapes_generated.py"
    assert destination("shapes", str(tmp_path)) == tmp_path / "test_shapes_generated.py"
    assert destination("shapes", "out/test_x.py") == Path("out/test_x.py")


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
