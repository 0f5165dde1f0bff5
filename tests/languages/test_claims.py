"""Which language a folder is about."""

from __future__ import annotations

from pathlib import Path

from everypath.languages.every import language_of


def test_a_folder_of_classes_is_java_unless_it_also_has_python_files(tmp_path: Path) -> None:
    (tmp_path / "classes" / "shop").mkdir(parents=True)
    folder = str(tmp_path / "classes")
    assert language_of(folder).name == "Python"
    (tmp_path / "classes" / "shop" / "Cart.class").write_bytes(b"")
    assert language_of(folder).name == "Java"
    assert language_of(f"{folder}::shop.Cart").name == "Java"
    (tmp_path / "classes" / "shop" / "cart.py").write_text("")
    assert language_of(folder).name == "Python"
