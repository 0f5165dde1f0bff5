"""Takes the pictures of pages that the documentation shows.

    make browser && .venv/bin/python scripts/screenshots.py docs/images

Suites are generated in a folder of their own, from examples and a few small programs; nothing but the pictures is kept.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.report.browser import Browser, missing

ROOT = Path(__file__).resolve().parents[1]

SHAPES = '''"""Shapes to look at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Node:
    value: int
    next: Node | None = None


class Ring:
    def __init__(self, first: Node | None) -> None:
        self.first = first

    def is_cyclic(self) -> bool:
        slow = self.first
        fast = self.first
        while fast is not None and fast.next is not None:
            slow = slow.next
            fast = fast.next.next
            if slow is fast:
                return True
        return False


@dataclass
class Tree:
    key: int
    left: Tree | None = None
    right: Tree | None = None

    def insert(self, key: int) -> None:
        if key < self.key:
            if self.left is None:
                self.left = Tree(key)
            else:
                self.left.insert(key)
        elif key > self.key:
            if self.right is None:
                self.right = Tree(key)
            else:
                self.right.insert(key)


@dataclass
class Account:
    owner: str
    balance: int


def transfer(source: Account, target: Account, amount: int) -> bool:
    source.balance -= amount
    target.balance += amount
    return source is not target


def richest(accounts: list[Account]) -> Account | None:
    best = None
    for account in accounts:
        if best is None or account.balance > best.balance:
            best = account
    return best


def count_word(counts: dict[str, int], word: str) -> int:
    if word in counts:
        counts[word] += 1
    else:
        counts[word] = 1
    return counts[word]
'''
PROGRAMS = (
    "papers/int_exp.py",
    "papers/rem_all.py",
    "threads/hit_counter.py",
    "actors/fact.abs",
    "actors/dining_philosophers.abs",
)


def everypath(folder: Path, *arguments: str) -> None:
    """Run a command; 1 says that something was found."""
    done = subprocess.run([sys.executable, "-m", "everypath", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"everypath {' '.join(arguments)}: {done.stdout}{done.stderr}")


def made_pages(folder: Path) -> None:
    """The pages that pictures are taken of."""
    folder.joinpath("shapes.py").write_text(SHAPES, encoding="utf-8")
    for name in PROGRAMS:
        shutil.copy(ROOT / "examples" / name, folder)
    everypath(folder, "generate", "shapes.py", "--loops", "2", "--report", "shapes.html")
    for name in ("int_exp.py", "rem_all.py", "fact.abs", "dining_philosophers.abs"):
        everypath(folder, "generate", name, "--report", f"{Path(name).stem}.html")
    everypath(folder, "race", "hit_counter.py::HitCounter", "--time", "10", "--no-confirm", "--report", "race.html")
    everypath(folder, "view", ".", "--report", "site")


class Pictures:
    """Takes pictures of parts of pages."""

    def __init__(self, browser: Browser, pages: Path, folder: Path) -> None:
        self._browser = browser
        self._pages = pages
        self._folder = folder

    def take(self, name: str, page: str, hash: str, selector: str = "main", width: int = 1100) -> None:
        """The first element that fits, of a view; in a window so high that nothing lies over it."""
        self._browser.open(self._pages / page, hash, width=width, height=2600)
        self._save(name, selector)

    def narrow(self, name: str, page: str, hash: str) -> None:
        """A view in the window of a telephone, from the top."""
        self._browser.open(self._pages / page, hash, width=390, height=1400)
        self._save(name, "body")

    def case(self, name: str, page: str, *texts: str, selector: str, step: int = 0, theme: str = "light") -> None:
        """A part of the first case in whose row all texts stand, after some steps of its run."""
        browser = self._browser
        browser.open(self._pages / page, "#/cases", width=1100, theme=theme)
        fits = " && ".join(f"row.textContent.includes({text!r})" for text in texts)
        number = browser.evaluate(
            f"[...document.querySelectorAll('.case-table tbody tr')].filter((row) => {fits})"
            ".map((row) => row.querySelector('a').hash)[0]"
        )
        if number is None:
            sys.exit(f"{page}: no case with {texts}")
        browser.go(number)
        for _ in range(step):
            browser("click", selector="[aria-label='Step forward']")
        self._save(name, selector)

    def _save(self, name: str, selector: str) -> None:
        self._browser("picture", file=str(self._folder / f"{name}.png"), selector=selector)
        print(self._folder / f"{name}.png")


def main(folder: Path) -> None:
    """All pictures."""
    absent = missing()
    if absent is not None:
        sys.exit(absent)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, Browser() as browser:
        pages = Path(made) / "examples"
        pages.mkdir()
        made_pages(pages)
        pictures = Pictures(browser, pages, folder)
        heaps, chart = "article section:nth-of-type(1)", "article section:has(.chart)"
        pictures.take("overview", "rem_all.html", "#/")
        pictures.take("cases", "rem_all.html", "#/cases")
        pictures.take("index", "site/index.html", "")
        pictures.case("aliased-pair", "shapes.html", "transfer", "returns False", selector=heaps)
        pictures.case("cyclic-list", "shapes.html", "is_cyclic", "returns True", selector=heaps)
        pictures.case("tree", "shapes.html", "Tree.insert", "self.right.left", selector=heaps)
        pictures.case("array-of-objects", "shapes.html", "richest", "len(accounts) >= 2", selector=heaps)
        pictures.case("dict", "shapes.html", "count_word", "word in counts", selector=heaps)
        stepping = "article section:has(.stepper)"
        removed = "l.first.data == self.first.data"
        pictures.case("stepping", "rem_all.html", removed, selector=stepping, step=11)
        pictures.case("stepping-dark", "rem_all.html", removed, selector=stepping, step=11, theme="dark")
        pictures.take("execution-tree", "int_exp.html", "#/tree/0")
        pictures.take("orders-tree", "fact.html", "#/tree/0")
        pictures.take("coverage", "int_exp.html", "#/coverage/0")
        pictures.narrow("narrow", "rem_all.html", "#/case/4")
        pictures.case("factorial-messages", "fact.html", "main", selector=chart, step=6)
        pictures.take("two-schedules", "dining_philosophers.html", "#/compare/3/4", width=1240)
        pictures.take("deadlock", "dining_philosophers.html", "#/case/3", "section:has(.cycle)")
        pictures.take("lost-update", "race.html", "#/case/0", "section:has(.timeline)")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
