"""A small repository over twenty commits: tests are regenerated at each of them, and nothing is lost or disturbed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .command import everypath, pytest_passes

PRICES = '''\
"""Prices."""

LIMIT = 3


def low(x: int) -> bool:
    return x < LIMIT


def rounded(cents: int) -> int:
    if cents % 10 >= 5:
        return cents - cents % 10 + 10
    return cents - cents % 10


class Price:
    def __init__(self, cents: int) -> None:
        self.cents = cents

    def cut(self, part: int) -> int:
        if part > self.cents:
            return 0
        return self.cents - part
'''
CART = """\
from shop.prices import Price, low


class Sale(Price):
    def cut(self, part: int) -> int:
        return super().cut(part) // 2


def worth(price: Price, part: int) -> int:
    return price.cut(part)


def cheap(x: int) -> str:
    if low(x):
        return "cheap"
    return "dear"
"""
Edit = Callable[[Path], None]


def replacing(name: str, old: str, new: str) -> Edit:
    def edit(folder: Path) -> None:
        path = folder / "shop" / name
        text = path.read_text()
        assert text.count(old) == 1, (name, old)
        path.write_text(text.replace(old, new))

    return edit


def adding(name: str, text: str) -> Edit:
    def edit(folder: Path) -> None:
        path = folder / "shop" / name
        path.write_text((path.read_text() + "\n\n" if path.exists() else "") + text)

    return edit


def moving(name: str, into: str, function: str) -> Edit:
    """Move a function to the top of another module's definitions."""

    def edit(folder: Path) -> None:
        path, other = folder / "shop" / name, folder / "shop" / into
        found = re.search(rf"\n\n\ndef {function}\(.*?(?=\n\n\n|\n\Z)", path.read_text(), re.DOTALL)
        assert found is not None
        path.write_text(path.read_text().replace(found[0], ""))
        other.write_text(other.read_text().rstrip("\n") + found[0] + "\n")

    return edit


def removing(name: str) -> Edit:
    return lambda folder: (folder / "shop" / name).unlink()


def renaming(name: str, new: str) -> Edit:
    def edit(folder: Path) -> None:
        (folder / "shop" / name).rename(folder / "shop" / new)

    return edit


def both(*edits: Edit) -> Edit:
    def edit(folder: Path) -> None:
        for each in edits:
            each(folder)

    return edit


def by_hand(folder: Path) -> None:
    path = folder / "tests/test_shop_prices_generated.py"
    path.write_text(path.read_text() + "\n\ndef test_rounded_by_hand():\n    assert rounded(1005) == 1010\n")


def edited(folder: Path) -> None:
    path = folder / "tests/test_shop_cart_generated.py"
    text = path.read_text()
    found = re.search(r"cheap\((\d+)\) == .dear", text)
    assert found is not None, text
    path.write_text(text.replace(found[0], found[0].replace(found[1], "300")))


VAT = 'def vat(x: int) -> int:\n    if x < 0:\n        raise ValueError("negative")\n    return x // 5\n'
STOCK = "def left(have: int, sold: int) -> int:\n    return have - sold\n"
HISTORY: list[tuple[str, Edit, str]] = [
    ("the first commit", lambda folder: None, "low rounded Price.__init__ Price.cut Sale.cut worth cheap"),
    ("a comment above a function", replacing("prices.py", "def rounded", "# to ten cents\ndef rounded"), ""),
    ("a module is added", adding("tax.py", VAT), "vat"),
    ("a constant", replacing("prices.py", "LIMIT = 3", "LIMIT = 7"), "low cheap"),
    ("a function is added above others", replacing("prices.py", "def low", f"{STOCK}\n\ndef low"), "left"),
    ("a hand-written test", by_hand, "rounded_by_hand"),
    ("a function in another module's base", replacing("prices.py", "part > self", "part >= self"),
     "Price.__init__ Price.cut Sale.cut worth"),
    ("a comment inside a function", replacing("cart.py", "    if low(x):", "    # not much\n    if low(x):"), ""),
    ("a function is renamed", replacing("prices.py", "def left", "def remaining"), "left remaining"),
    ("a branch is added", replacing("tax.py", "    return x // 5",
     "    if x > 99:\n        return 20\n    return x // 5"), "vat"),
    ("a test is edited by hand", both(edited, replacing("tax.py", "x // 5", "x // 4")), "cheap vat"),
    ("a function moves within its module", both(moving("prices.py", "prices.py", "remaining")), ""),
    ("a function moves to another module", moving("prices.py", "tax.py", "remaining"), "remaining"),
    ("a module is added and used", both(adding("stock.py", STOCK), adding("tax.py", "import shop.stock\n\n\n"
     "def taxed(x: int) -> int:\n    return vat(shop.stock.left(x, 1))\n")), "left taxed"),
    ("what it uses changes", replacing("stock.py", "have - sold", "have - 2 * sold"), "left taxed"),
    ("a module is renamed", both(renaming("stock.py", "store.py"), replacing("tax.py", "import shop.stock",
     "import shop.store"), replacing("tax.py", "shop.stock.left", "shop.store.left")), "left taxed"),
    ("a function is deleted",
     replacing("prices.py", "\n\n# to ten cents\ndef rounded(cents: int) -> int:\n    if cents % 10 >= 5:\n"
     "        return cents - cents % 10 + 10\n    return cents - cents % 10\n", ""), "rounded rounded_by_hand"),
    ("a module is deleted",
     both(removing("store.py"), replacing("tax.py", "import shop.store\n\n\n"
     "def taxed(x: int) -> int:\n    return vat(shop.store.left(x, 1))\n", "")), "left taxed"),
    ("nothing", lambda folder: None, ""),
]  # fmt: skip


def git(folder: Path, *arguments: str, fails: bool = False) -> None:
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *settings, *arguments], cwd=folder, check=not fails, capture_output=True)
    assert fails == bool(done.returncode), (arguments, done)


def of_tests(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((folder / "tests").glob("*.py"))}


def blocks(folder: Path) -> dict[str, str]:
    """Every test with its comments, by its file and name."""
    found: dict[str, str] = {}
    for name, text in of_tests(folder).items():
        for block in text.partition("# Checksums")[0].split("\n\n\n"):
            test = re.search(r"^def (test_\w+)", block, re.MULTILINE)
            if test is not None:
                found[f"{name}::{test[1]}"] = block
    return found


def about(test: str, functions: str) -> bool:
    """Whether a test is about one of the functions."""
    name = test.partition("::test_")[2]
    called = (each.removesuffix(".__init__").rpartition(".")[2].lower() for each in functions.split())
    return name.startswith(tuple(called))


def project(folder: Path) -> None:
    (folder / "shop").mkdir(parents=True)
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['.']\n")
    for name, text in (("__init__.py", ""), ("prices.py", PRICES), ("cart.py", CART)):
        (folder / "shop" / name).write_text(text)
    (folder / ".gitignore").write_text("__pycache__/\n.everypath/\n")


def from_nothing(folder: Path) -> None:
    shutil.rmtree(folder / ".everypath", ignore_errors=True)
    result = everypath(folder, "generate", "shop", "-o", "tests/")
    assert result.code in (0, 1), result


def with_diff(folder: Path, revision: str = "HEAD") -> None:
    result = everypath(folder, "generate", "shop", "-o", "tests/", "--diff", revision)
    assert result.code in (0, 1), result


def same(one: Path, other: Path, where: str) -> None:
    assert of_tests(one).keys() == of_tests(other).keys(), where
    for name, text in of_tests(one).items():
        assert text == of_tests(other)[name], f"{where}: {name}"


def test_twenty_commits(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        project(folder)
    git(one, "init", "-q")
    git(one, "commit", "-q", "--allow-empty", "-m", "begin")
    for number, (what, edit, touched) in enumerate(HISTORY):
        before = blocks(one)
        for folder in (one, other):
            edit(folder)
        with_diff(one)
        from_nothing(other)
        where = f"{number}: {what}"
        same(one, other, where)
        now = blocks(one)
        changed = {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}
        assert not [name for name in changed if not about(name, touched)], where
        assert everypath(one, "generate", "shop", "-o", "tests/", "--check").code == 0, where
        git(one, "add", "-A")
        git(one, "commit", "-q", "--allow-empty", "-m", what)
    hand = of_tests(one)["test_shop_prices_generated.py"]
    assert "# kept: written by hand\ndef test_rounded_by_hand" in hand
    assert "# kept: edited by hand" in of_tests(one)["test_shop_cart_generated.py"]
    merge(one)


def merge(folder: Path) -> None:
    """Both sides change a function; where their generated files meet is nothing that anybody can guess."""
    git(folder, "checkout", "-q", "-b", "side")
    replacing("cart.py", '"dear"', '"very dear"')(folder)
    with_diff(folder)
    git(folder, "commit", "-qam", "side")
    git(folder, "checkout", "-q", "-")
    replacing("cart.py", "return price.cut(part)", "return price.cut(part) + 1")(folder)
    with_diff(folder)
    git(folder, "commit", "-qam", "main")
    git(folder, "merge", "-q", "side", fails=True)
    conflict = of_tests(folder)["test_shop_cart_generated.py"]
    assert "<<<<<<<" in conflict
    result = everypath(folder, "generate", "shop", "-o", "tests/", "--diff", "HEAD")
    assert result.code == 2 and "test_shop_cart_generated.py" in result.err and "not overwritten" in result.err, result
    assert of_tests(folder)["test_shop_cart_generated.py"] == conflict
    git(folder, "checkout", "-q", "--ours", "tests/test_shop_cart_generated.py")
    with_diff(folder)
    assert "very dear" in of_tests(folder)["test_shop_cart_generated.py"]
    assert "# kept: edited by hand" in of_tests(folder)["test_shop_cart_generated.py"]
    before = of_tests(folder)
    from_nothing(folder)
    assert of_tests(folder) == before
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "merged")


def test_the_tests_of_the_last_commit_pass(tmp_path: Path) -> None:
    project(tmp_path)
    git(tmp_path, "init", "-q")
    from_nothing(tmp_path)
    assert pytest_passes(tmp_path, "tests")


@pytest.mark.parametrize("folder", [".", "shop", "tests"])
def test_from_any_folder(tmp_path: Path, folder: str) -> None:
    project(tmp_path)
    git(tmp_path, "init", "-q")
    from_nothing(tmp_path)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    replacing("prices.py", "LIMIT = 3", "LIMIT = 4")(tmp_path)
    up = {".": "", "shop": "../", "tests": "../"}[folder]
    result = everypath(tmp_path / folder, "generate", f"{up}shop", "-o", f"{up}tests", "--diff", "HEAD")
    assert result.code == 0 and "low" in result.out and "cheap" in result.out and "worth" not in result.out, result
    assert everypath(tmp_path / folder, "generate", f"{up}shop", "-o", f"{up}tests", "--check").code == 0
